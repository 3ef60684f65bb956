"""Write a retimed VMD file: keys move to whole frames, and their curves follow the timing."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.errors import InputError
from retime.io.files import write_bytes
from retime.io.in_place import Retimed, timing_of
from retime.io.vmd.document import (
    RATE,
    SECTIONS,
    BoneTrack,
    bone_record,
    bone_track,
    built,
    progress,
)
from retime.io.vmd.reader import Kept
from retime.motion import Motion, quat
from retime.timing.graph import Graph

# Tolerances at whole frames: radians, units of MikuMikuDance, weights of morphs.
_TURN, _PLACE, _WEIGHT = 2e-3, 2e-3, 5e-3
_SAME = 1e-9
_LATEST = (1 << 32) - 1
Handles = npt.NDArray[np.float64]
_STRAIGHT = np.array([20.0, 20.0, 107.0, 107.0]) / 127


def write_motion(motion: Motion, path: str | Path, *, drop_rest: bool = False) -> None:
    """Write a motion that came from a VMD file into a copy of it; the option changes nothing."""
    instead = "write .bvh or .glb, and convert that for MikuMikuDance"
    retimed = timing_of(motion, Kept, "VMD", instead)
    low, high = retimed.warp.domain
    if low < -_SAME or high * RATE > _LATEST:
        raise InputError("the frames of a VMD file start at 0: shift the motion to a later time")
    if retimed.is_as_read:
        write_bytes(path, [retimed.kept.data])
        return
    write_bytes(path, built(retimed.kept.document, _Retimer(retimed).sections()))


class _Retimer:
    def __init__(self, retimed: Retimed[Kept]) -> None:
        self.retimed, self.document = retimed, retimed.kept.document
        self.joint_of = {name: j for j, name in enumerate(retimed.kept.bones) if name}

    def sections(self) -> dict[str, Sequence[bytes]]:
        """Return the records of all sections, in time."""
        out: dict[str, Sequence[bytes]] = {}
        bones = self.document.by_name("bones")
        out["bones"] = _in_time([r for n, own in bones.items() for r in self._bone(n, own)], 15)
        morphs = self.document.by_name("morphs")
        out["morphs"] = _in_time([r for own in morphs.values() for r in self._morph(own)], 15)
        for name, _, at in SECTIONS[2:]:
            out[name] = _in_time(self._moved(self.document.sections.get(name, ()), at), at)
        return out

    def _graph(self, channel: str) -> Graph:
        graph: Graph = self.retimed.warp.channel(channel).pad(*self.retimed.warp.domain)
        return graph

    def _source(self, graph: Graph) -> Callable[[FloatArray], FloatArray]:
        """Return the map from output frames to the file's."""
        return lambda frames: np.asarray(graph.at(frames / RATE)) * RATE

    def _frames(self, graph: Graph, keys: FloatArray) -> FloatArray:
        """Return the whole frames at which keys are shown, with the ends and cuts of the warp."""
        low, high = np.sort(graph.y[[0, -1]])
        shown = keys[(keys / RATE >= low - 1e-6) & (keys / RATE <= high + 1e-6)] / RATE
        at = np.asarray(graph.swap().at(np.clip(shown, low, high)))
        cuts = graph.x[1:][np.diff(graph.x) <= 0]
        ends = np.round(graph.x[[0, -1]] * RATE)
        some = np.round(np.r_[at, cuts, cuts - 1 / RATE] * RATE)
        out: FloatArray = np.unique(np.clip(np.r_[some, ends], *ends))
        return out

    def _bone(self, name: bytes, records: list[bytes]) -> list[bytes]:
        """Return the keys of a bone; rotations and places share keys, and so a channel."""
        track = bone_track(records, self.document.path)
        joint = self.joint_of.get(name)
        path = "translation" if not np.any(track.turns[:, 1:]) else "rotation"
        graph = self._graph(self.retimed.channel(joint, path))
        source = self._source(graph)
        frames = self._frames(graph, track.frames)
        if len(track.frames) == 1:
            frames = frames[:1]
        keys, curves = _fitted(track, source, frames)
        places, turns = track.at(source(keys))
        near = np.abs(track.frames[:, None] - source(keys)).argmin(axis=0).tolist()
        return [
            bone_record(records[k], int(f), place, turn, curve)
            for k, f, place, turn, curve in zip(near, keys, places, turns, curves, strict=True)
        ]

    def _morph(self, records: list[bytes]) -> list[bytes]:
        graph = self._graph(self.retimed.channel(None, ""))
        found = [struct.unpack_from("<If", r, 15) for r in records]
        times, weights = np.array(found, dtype=float).T
        source = self._source(graph)

        def truth(frames: FloatArray) -> FloatArray:
            out: FloatArray = np.interp(source(frames), times, weights)
            return out

        work, keys = self._frames(graph, times).tolist(), []
        while work:
            keys.append(work.pop(0))
            while work and work[0] - keys[-1] > 1:
                inner = np.arange(keys[-1] + 1, work[0])
                a, b = truth(np.array([keys[-1], work[0]]))
                line = np.interp(inner, [keys[-1], work[0]], [a, b])
                if np.abs(truth(inner) - line).max() <= _WEIGHT:
                    break
                work.insert(0, float((keys[-1] + work[0]) // 2))
        values = truth(np.array(keys))
        return [
            records[0][:15] + struct.pack("<If", int(f), v)
            for f, v in zip(keys, values.tolist(), strict=True)
        ]

    def _moved(self, records: Sequence[bytes], at: int) -> list[bytes]:
        """Move keys whose values hold: each to the frame that shows it first."""
        graph = self._graph(self.retimed.channel(None, ""))
        low, high = np.sort(graph.y[[0, -1]])
        out = {}
        for record in records:
            time = struct.unpack_from("<I", record, at)[0] / RATE
            if low - 1e-6 <= time <= high + 1e-6 or len(records) == 1:
                shown = float(np.asarray(graph.swap().at(np.array([np.clip(time, low, high)])))[0])
                frame = round(shown * RATE)
                out[frame] = record[:at] + struct.pack("<I", frame) + record[at + 4 :]
        return list(out.values())


def _in_time(records: list[bytes], at: int) -> list[bytes]:
    return sorted(records, key=lambda r: struct.unpack_from("<I", r, at)[0])


def _fitted(
    track: BoneTrack, source: Callable[[FloatArray], FloatArray], frames: FloatArray
) -> tuple[FloatArray, list[Handles | None]]:
    """Return key frames, more where no curve comes close, and the handles before each key."""
    first = frames[0]
    shown = source(np.arange(first, frames[-1] + 1))
    course = track.at(shown)
    keys: list[float] = [float(first)]
    curves: list[Handles | None] = [None]
    work = frames[1:].tolist()
    while work:
        start, end = keys[-1], work[0]
        own = slice(int(start - first), int(end - first) + 1)
        part = course[0][own], course[1][own]
        handles = _own_handles(track, shown[own])
        close = handles is not None and _are_close(part, handles)
        made = None if close else _handles(part)
        if made is None or end - start <= 1 or _are_close(part, made):
            keys.append(work.pop(0))
            curves.append(made)
        else:
            work.insert(0, float((start + end) // 2))
    return np.array(keys), curves


def _own_handles(track: BoneTrack, shown: FloatArray) -> Handles | None:
    """Return the file's handles of a stretch, if it is one between two of its keys."""
    k = int(np.searchsorted(track.frames, shown[-1] - 0.5))
    if not 0 < k < len(track.frames):
        return None
    ends = np.array([track.frames[k - 1] - shown[0], track.frames[k] - shown[-1]])
    handles: Handles = track.handles[k]
    return handles if np.abs(ends).max() <= 0.5 else None


def _are_close(part: tuple[FloatArray, FloatArray], handles: Handles) -> bool:
    """Return whether handles (4, 4) from the first to the last frame fit all between."""
    places, turns = part
    count = len(places)
    u = np.linspace(0.0, 1.0, count)
    shares = progress(np.tile(u, 4), np.repeat(handles, count, axis=0)).reshape(4, count)
    made = places[0] + shares[:3].T * (places[-1] - places[0])
    if np.abs(made - places).max() > _PLACE:
        return False
    first, last = np.broadcast_to(turns[0], turns.shape), np.broadcast_to(turns[-1], turns.shape)
    return bool(quat.angle(quat.slerp(first, last, shares[3]), turns).max() <= _TURN)


def _handles(part: tuple[FloatArray, FloatArray]) -> Handles:
    """Fit the handles (4, 4) of a stretch at its whole frames."""
    places, turns = part
    out = np.tile(_STRAIGHT, (4, 1))
    span, whole = places[-1] - places[0], float(quat.angle(turns[0], turns[-1]))
    for c in range(3):
        if abs(span[c]) > 1e-9:
            out[c] = _curve((places[:, c] - places[0, c]) / span[c])
    if whole > 1e-9:
        out[3] = _curve(quat.angle(turns[:1], turns) / whole)
    return out


# Places of the handles that are tried.
_TRIED = ((1 / 3, 2 / 3), (0.2, 0.8), (0.5, 0.5), (0.6, 0.8), (0.2, 0.4), (0.8, 0.2))


@lru_cache(maxsize=512)
def _bases(count: int) -> list[tuple[Handles, FloatArray, FloatArray, FloatArray]]:
    """Return places of the handles, curves of heights 0, what heights add, and its inverse."""
    u, out = np.linspace(0.0, 1.0, count), []
    for x1, x2 in _TRIED:
        grid = np.round(np.array([x1, 0.0, x2, 0.0]) * 127) / 127
        base = progress(u, grid)
        table = np.stack([progress(u, grid + unit) - base for unit in np.eye(4)[[1, 3]]], axis=1)
        out.append((grid, base, table, np.linalg.pinv(table).astype(float)))
    return out


def _curve(done: FloatArray) -> Handles:
    """Fit handles to shares of a change that are done, at even times."""
    best, least = _STRAIGHT, np.inf
    for grid, base, table, inverse in _bases(len(done)):
        heights = np.round((inverse @ (done - base)).clip(0.0, 1.0) * 127) / 127
        off = float(np.abs(base + table @ heights - done).max())
        if off < least:
            best, least = np.array([grid[0], heights[0], grid[2], heights[1]]), off
    return best
