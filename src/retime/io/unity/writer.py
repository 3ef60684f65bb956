"""Write a retimed Unity clip: keys, events and the span move, every other character stays."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.io.files import write_bytes
from retime.io.gltf.samplers import Sampler, key_mover, rekeyed
from retime.io.in_place import Retimed, timing_of
from retime.io.key_mover import KeyMover
from retime.io.text_lines import ending, replaced
from retime.io.unity.clip import STEP, Clip, Key, Track, numbers_in, text_of
from retime.io.unity.reader import Kept
from retime.motion import Motion
from retime.timing.graph import Graph

# Names of the transform's curves, as a motion has them; the editor's curves name them again.
_PATHS = {
    "m_RotationCurves": "rotation", "m_EulerCurves": "rotation", "m_PositionCurves": "translation",
    "m_ScaleCurves": "scale", "m_LocalRotation": "rotation", "m_LocalPosition": "translation",
    "m_LocalScale": "scale", "localEulerAnglesRaw": "rotation", "localEulerAngles": "rotation",
}  # fmt: skip
_AXES = "xyzw"
BoolArray = npt.NDArray[np.bool_]


def write_motion(motion: Motion, path: str | Path, *, drop_rest: bool = False) -> None:
    """Write a motion that came from a Unity clip into a copy of it; the option changes nothing."""
    retimed = timing_of(motion, Kept, "Unity .anim", "write .fbx or .glb, and import that")
    write_bytes(path, ["".join(_Retimer(retimed).lines()).encode()])


class _Retimer:
    def __init__(self, retimed: Retimed[Kept]) -> None:
        self.retimed, self.clip = retimed, retimed.kept.clip
        self.joint_of = {p: j for j, p in enumerate(retimed.kept.paths)}
        self._movers: dict[int, KeyMover] = {}

    def lines(self) -> list[str]:
        """Return the lines of the file with moved keys."""
        clip, warp = self.clip, self.retimed.warp
        low, high = self.retimed.kept.motion.domain
        if self.retimed.is_as_read:
            return list(clip.lines)
        made: dict[int, tuple[int, list[str]]] = {}
        for track in clip.tracks:
            made[track.keys[0].start] = track.keys[-1].end, self._track(track)
        main = self.retimed.channel(None, "")
        mover = self._mover(main)
        for start, end, time in clip.events:
            moved = float(mover.first(np.array([np.clip(time, low, high)]))[0])
            made[start] = end, [_with_number(clip.lines[start], moved)]
        for name, place in (("m_StartTime", 0), ("m_StopTime", 1)):
            if name in clip.settings:
                line = clip.settings[name][0]
                made[line] = line + 1, [_with_number(clip.lines[line], warp.domain[place])]
        return replaced(clip.lines, made)

    def _mover(self, channel: str) -> KeyMover:
        own = self.retimed.warp.channel(channel)
        if id(own) not in self._movers:
            graph: Graph = own.pad(*self.retimed.warp.domain)
            self._movers[id(own)] = key_mover(graph)
        return self._movers[id(own)]

    def _channel(self, track: Track) -> str:
        named = track.attribute.partition(".")[0] if track.kind in _EDITOR else track.kind
        path = _PATHS.get(named, "")
        joint = self.joint_of.get(track.path) if path else None
        return self.retimed.channel(joint, path)

    def _track(self, track: Track) -> list[str]:
        """Return the lines of a track's keys."""
        mover = self._mover(self._channel(track))
        found, _ = rekeyed(track.sampler, mover)
        if track.sampler.interpolation == "STEP":
            which = np.round(found.values[:, 0]).astype(int)
            times = {n: {"time": t} for n, t in enumerate(found.times.tolist())}
            return [
                part
                for n, k in enumerate(which.tolist())
                for part in _key(self.clip, track.keys[k], times[n])
            ]
        assert found.tangents is not None
        shown = mover.at(found.times)
        last = _ends_of_holds(track.sampler, shown, backwards=mover.backwards)
        steps = np.r_[last[1:], False]
        own = np.array([self._time(track, k) for k in range(len(track.keys))])
        nearest = np.abs(shown[:, None] - own).argmin(axis=1) if len(own) < 4000 else np.clip(
            np.searchsorted(own, shown), 0, len(own) - 1
        )  # fmt: skip
        out: list[str] = []
        for n in np.flatnonzero(~last).tolist():
            after = n > 0 and bool(last[n - 1])
            fields: dict[str, float | Sequence[float]] = {
                "time": float(found.times[n]),
                "value": found.values[n].tolist(),
                "inSlope": [np.inf] * found.values.shape[1] if after else _row(found, 0, n),
                "outSlope": [np.inf] * found.values.shape[1] if steps[n] else _row(found, 1, n),
            }
            out += _key(self.clip, track.keys[int(nearest[n])], fields)
        return out

    def _time(self, track: Track, k: int) -> float:
        start = track.keys[k].fields["time"][0]
        return float(self.clip.lines[start].partition("time:")[2])


_EDITOR = ("m_EditorCurves", "m_EulerEditorCurves", "m_FloatCurves")


def _row(sampler: Sampler, side: int, n: int) -> list[float]:
    assert sampler.tangents is not None
    row: list[float] = sampler.tangents[side][n].tolist()
    return row


def _ends_of_holds(sampler: Sampler, shown: FloatArray, *, backwards: bool) -> BoolArray:
    """Return which keys, given by the source times that they show, only end a hold before a step.

    Played backwards, a step takes as long as they are apart.
    """
    near = np.diff(sampler.times) < 2 * STEP
    own = sampler.times[:-1][near]
    if backwards or not len(own):
        return np.zeros(len(shown), dtype=bool)
    at = np.clip(np.searchsorted(own, shown), 1, len(own)) - 1
    beside = np.minimum(
        np.abs(own[at] - shown), np.abs(own[np.minimum(at + 1, len(own) - 1)] - shown)
    )
    out: BoolArray = (beside < STEP / 4) & np.r_[np.ones(len(shown) - 1, dtype=bool), False]
    return out


def _key(clip: Clip, key: Key, fields: dict[str, float | Sequence[float]]) -> list[str]:
    """Return the lines of a key with other numbers."""
    made: dict[int, tuple[int, list[str]]] = {}
    for name, value in fields.items():
        start, end = key.fields[name]
        line, wanted = clip.lines[start], np.atleast_1d(value)
        if np.array_equal(np.array(numbers_in(clip.lines, start, end), "f4"), wanted.astype("f4")):
            continue
        if isinstance(value, float) or "{" not in line:
            number = value if isinstance(value, float) else value[0]
            made[start] = end, [_with_number(line, number)]
        else:
            parts = ", ".join(f"{a}: {text_of(v)}" for a, v in zip(_AXES, value, strict=False))
            head, _, _ = line.partition("{")
            made[start] = end, [f"{head}{{{parts}}}{ending(line)}"]
    return replaced(clip.lines, made, key.start, key.end)


def _with_number(line: str, value: float) -> str:
    head, mark, _ = line.partition(":")
    return f"{head}{mark} {text_of(value)}{ending(line)}"
