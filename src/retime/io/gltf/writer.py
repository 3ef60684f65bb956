"""Write motions to glTF: in place if they came from one, otherwise as a new file with a body."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from retime.arrays import FloatArray
from retime.errors import InputError
from retime.io.as_read import kept_of
from retime.io.gltf.accessors import COMPONENTS, FLOAT
from retime.io.gltf.animations import Channel
from retime.io.gltf.document import Document
from retime.io.gltf.reader import Kept, rest_of
from retime.io.gltf.samplers import Sampler, key_mover, rekeyed
from retime.io.in_place import PATHS, Retimed, retimed_together
from retime.io.key_mover import KeyMover
from retime.io.sampled import ON_FRAME
from retime.motion import Motion
from retime.timing.graph import Graph

# Smaller differences from the retimed source are not edits: radians, metres.
_SAME = 1e-6


def write_motion(
    motion: Motion,
    path: str | Path,
    *,
    drop_rest: bool = False,
    original: Motion | None = None,
) -> None:
    """Write a motion into a copy of its glTF file, or into a new file.

    Options are those of ``retime.write``; nodes define the rest pose and stay unchanged.
    """
    if kept_of(motion, Kept) is not None:
        write_motions([motion], path)
        return
    if Path(path).suffix.lower() in (".vrm", ".vrma"):
        raise InputError(
            f"{path}: VRM files are retimed in place, and this motion does not come from one; "
            "write .glb"
        )
    from retime.io.gltf.builder import build

    others = {} if original is None else {"original": original}
    build({"retimed" if others else "motion": motion} | others).save(Path(path))


def write_motions(motions: Sequence[Motion], path: str | Path) -> None:
    """Write animations of one file back into a copy of it; other content is unchanged."""
    found = retimed_together(motions, Kept, lambda kept: id(kept.document))
    document = found[0].kept.document.edited()
    for retimed in found:
        _Retimer(document, retimed).run()
    document.save(Path(path))


class _Retimer:
    """Move the keys of one animation."""

    def __init__(self, document: Document, retimed: Retimed[Kept]) -> None:
        self.document = document
        self.retimed, self.kept = retimed, retimed.kept
        self.animation = document.json["animations"][self.kept.animation]
        self.joint_of = {n: j for j, n in enumerate(self.kept.nodes)}
        self._old: list[Any] = self.animation.get("samplers", [])
        self._new: list[dict[str, Any]] = []
        self._known: dict[tuple[int, str, str], int] = {}
        self._inputs: dict[bytes, int] = {}
        self._movers: dict[int, KeyMover] = {}

    def run(self) -> None:
        """Re-key every channel; bake those whose values were edited."""
        edited = self.retimed.edited()
        by_index = {c.index: c for c in self.kept.channels}
        for n, entry in enumerate(self.animation.get("channels", [])):
            if n in by_index:
                entry["sampler"] = self._retimed(by_index[n], entry["sampler"], edited)
            elif isinstance(entry, dict) and isinstance(entry.get("sampler"), int):
                entry["sampler"] = self._unchanged(entry["sampler"])
        self._add_missing(edited)
        if self._new or self._old:
            self.animation["samplers"] = self._new

    def _retimed(self, channel: Channel, at: int, edited: Mapping[str, set[int]]) -> int:
        """Return the new number of a channel's sampler, which channels with one timing share."""
        path = channel.path
        joint = None if channel.node is None else self.joint_of.get(channel.node)
        name = self.retimed.channel(joint if path in PATHS else None, path)
        baked = joint if joint in edited.get(path, ()) else None
        key = (at, name, "" if baked is None else f"{path}{baked}")
        if key not in self._known:
            source = self._old[at]
            self._known[key] = self._add(
                self._moved(channel, name, source) if baked is None else self._baked(baked, path)
            )
        return self._known[key]

    def _unchanged(self, at: int) -> int:
        """Return the new number of a sampler that is not retimed."""
        return self._add(self._old[at]) if 0 <= at < len(self._old) else at

    def _add(self, sampler: dict[str, Any]) -> int:
        self._new.append(sampler)
        return len(self._new) - 1

    # ---- samplers

    def _graph(self, name: str) -> Graph:
        return self.retimed.warp.channel(name).pad(*self.retimed.warp.domain)

    def _mover(self, name: str) -> KeyMover:
        """Return the mover of a channel's keys, shared by channels without their own curve."""
        own = id(self.retimed.warp.channel(name))
        if own not in self._movers:
            self._movers[own] = key_mover(self._graph(name))
        return self._movers[own]

    def _moved(self, channel: Channel, name: str, source: dict[str, Any]) -> dict[str, Any]:
        """Return the sampler of a channel whose keys move; values are shared if unchanged."""
        track = channel.sampler
        if not self.retimed.beyond and _leaves(self._graph(name), track):
            return source
        made, same = self._rekeyed(track, name)
        same = same and len(made.times) == self._key_count(source)
        if same and np.abs(made.times - track.times).max() < _SAME:
            return source
        out = {k: v for k, v in source.items() if k not in ("input", "output")}
        if made.interpolation != source.get("interpolation", "LINEAR"):
            out["interpolation"] = made.interpolation
        out["input"] = self._input(made.times)
        if same and made.tangents is None:
            out["output"] = source["output"]
        else:
            kind = self.kept.document.json["accessors"][source["output"]]["type"]
            out["output"] = self._output(made, kind)
        return out

    def _rekeyed(self, track: Sampler, name: str) -> tuple[Sampler, bool]:
        """Return a track with moved keys, and whether their values are the same."""
        if not self.retimed.beyond:
            return rekeyed(track, self._mover(name))
        values = track.at(self.retimed.wrapped(name))
        return Sampler(self.retimed.times, values, None, "LINEAR", track.turns), False

    def _key_count(self, source: dict[str, Any]) -> int:
        return int(self.kept.document.json["accessors"][source["input"]]["count"])

    def _input(self, times: FloatArray) -> int:
        single = times.astype("<f4")
        if (np.diff(single) <= 0).any():
            # Keys that coincide in single precision are moved apart: times must increase.
            for k in range(1, len(single)):
                if single[k] <= single[k - 1]:
                    single[k] = np.nextafter(single[k - 1], np.float32(np.inf))
        data = single.tobytes()
        if data not in self._inputs:
            ends = {"min": [float(single.min())], "max": [float(single.max())]}
            self._inputs[data] = self.document.add(
                data, component=FLOAT, kind="SCALAR", count=len(single), bounds=ends
            )
        return self._inputs[data]

    def _output(self, sampler: Sampler, kind: str) -> int:
        """Add a sampler's values as an accessor; morph weights are scalars."""
        values = sampler.values
        if sampler.tangents is not None:
            came, went = sampler.tangents
            values = np.stack([came, values, went], axis=1).reshape(-1, values.shape[1])
        count = values.size // COMPONENTS[kind]
        data = values.astype("<f4").tobytes()
        return self.document.add(data, component=FLOAT, kind=kind, count=count)

    def _baked(self, joint: int, path: str) -> dict[str, Any]:
        """Return the sampler of a joint whose values were edited, with a key for each frame."""
        turns = path == "rotation"
        sampler = Sampler(self.retimed.times, self._values(joint, path), None, "LINEAR", turns)
        return {"input": self._input(sampler.times), "interpolation": "LINEAR",
                "output": self._output(sampler, "VEC4" if turns else "VEC3")}  # fmt: skip

    def _values(self, joint: int, path: str) -> FloatArray:
        """Return a joint's track in the units of its node."""
        if path == "rotation":
            return self.retimed.motion.rotations[:, joint][:, [1, 2, 3, 0]]
        if path == "translation":
            return self.retimed.translation(joint)
        return self.retimed.scale(joint)

    def _add_missing(self, edited: Mapping[str, set[int]]) -> None:
        """Add channels for joints that were edited and had none."""
        if self.retimed.beyond:
            return
        have = {(c.node, c.path) for c in self.kept.channels}
        for path, j in [(path, j) for path, joints in edited.items() for j in sorted(joints)]:
            node = self.kept.nodes[j]
            if (node, path) not in have:
                self._unpack_matrix(node)
                target = {"node": node, "path": path}
                entry = {"sampler": self._add(self._baked(j, path)), "target": target}
                self.animation.setdefault("channels", []).append(entry)

    def _unpack_matrix(self, node: int) -> None:
        """Replace a node's matrix, which cannot be animated, by translation, rotation and scale."""
        entry = self.document.json["nodes"][node]
        if entry.pop("matrix", None) is not None:
            place, turn, size = rest_of(self.kept.document, node)
            entry["translation"] = place.tolist()
            entry["rotation"] = turn[[1, 2, 3, 0]].tolist()
            entry["scale"] = size.tolist()


def _leaves(graph: Graph, sampler: Sampler) -> bool:
    """Return whether a warp leaves the timing of a whole track unchanged."""
    first, last = sampler.times[0], sampler.times[-1]
    covers = graph.x[0] <= first + ON_FRAME and graph.x[-1] >= last - ON_FRAME
    return covers and np.array_equal(graph.x, graph.y)
