"""The plan for writing a stage: the warp of each attribute, and the edited values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from retime.arrays import FloatArray
from retime.io.in_place import PATHS, Retimed
from retime.io.usd.reader import Kept
from retime.io.usd.timing import joined
from retime.motion import quat
from retime.timing.graph import Graph

TRACKS = ("rotations", "translations", "scales")
Edited = dict[str, set[int]]
# Beyond the ends of a clip, time continues for this many time codes.
_FAR = 1e7
_LEAVE = -1


def matrices(place: FloatArray, turn: FloatArray, size: FloatArray) -> FloatArray:
    """Return transforms (N, 4, 4) for row vectors."""
    out = np.zeros((len(place), 4, 4))
    out[:, :3, :3] = quat.to_matrix(turn).transpose(0, 2, 1) * size[:, :, None]
    out[:, 3, :3] = place
    out[:, 3, 3] = 1.0
    return out


class EditPlan:
    """The request to write motions of one stage, and its arrays."""

    def __init__(self, found: Sequence[Retimed[Kept]]) -> None:
        self.arrays: dict[str, FloatArray] = {}
        self._known: dict[bytes, int] = {}
        self._attributes: dict[str, int] = {}
        self._skeletal: list[dict[str, Any]] = []
        self._baked: dict[str, tuple[str, int]] = {}
        self._pairs: list[int] = []
        self._names = [retimed.kept.entry["name"] for retimed in found]
        clips = [_Clip(self, retimed, n) for n, retimed in enumerate(found)]
        for clip in clips:
            clip.add()
        self._follow = clips[0].number(clips[0].first)
        played = found[0].kept.played
        ends = [clip.played() for clip in clips]
        self._start = None if played[0] is None else min(a for a, _ in ends)
        self._end = None if played[1] is None else max(b for _, b in ends)

    def request(self) -> dict[str, Any]:
        """Return the request."""
        return {
            "animations": self._names,
            "follow": self._follow,
            "attributes": self._attributes,
            "pairs": self._pairs,
            "skeletal": self._skeletal,
            "baked": self._baked,
            "startTimeCode": self._start,
            "endTimeCode": self._end,
        }

    def put(self, x: FloatArray, y: FloatArray, *, pairs: bool = False) -> int:
        """Return the number of a warp, or of pairs of times; equal ones have one."""
        if not pairs and np.array_equal(x, y) and x[-1] - x[0] > _FAR:
            return _LEAVE
        key = b"%d" % pairs + x.tobytes() + y.tobytes()
        if key not in self._known:
            number = self._known[key] = len(self._known)
            self.arrays |= {f"x{number}": x, f"y{number}": y}
            if pairs:
                self._pairs.append(number)
        return self._known[key]

    def follow(self, attribute: str, number: int) -> None:
        """Make an attribute follow a warp; if two clips share it, it follows the first one."""
        self._attributes.setdefault(attribute, number)

    def sample(self, entry: dict[str, Any]) -> None:
        """Add the sampled tracks of an animation."""
        self._skeletal.append(entry)

    def bake(self, prim: str, name: str, number: int) -> None:
        """Replace the transform of a prim by a matrix."""
        self._baked.setdefault(prim, (name, number))


class _Clip:
    """One motion, and the mapping of its joints' timing to the stage."""

    def __init__(self, plan: EditPlan, retimed: Retimed[Kept], key: int) -> None:
        self.plan, self.key = plan, f"clip{key}"
        self.retimed, self.kept, self.warp = retimed, retimed.kept, retimed.warp
        self.codes = self.kept.codes_per_second
        self.first = retimed.channel(None, "")

    # ---- warps in time codes

    def graph(self, channel: str) -> Graph:
        """Return a channel's warp in time codes; beyond the clip's own ends time continues."""
        graph = self.warp.channel(channel).pad(*self.warp.domain)
        x, y = graph.x * self.codes, graph.y * self.codes
        low, high = (end * self.codes for end in self.kept.motion.domain)
        forward = graph.direction
        near = 1e-6 * self.codes
        if forward and abs(y[0] - (low if forward > 0 else high)) < near:
            x, y = np.r_[x[0] - _FAR, x], np.r_[y[0] - forward * _FAR, y]
        if forward and abs(y[-1] - (high if forward > 0 else low)) < near:
            x, y = np.r_[x, x[-1] + _FAR], np.r_[y, y[-1] + forward * _FAR]
        return Graph(x, y)

    def number(self, channel: str) -> int:
        """Return the number of a channel's warp."""
        if not self.retimed.beyond:
            graph = self.graph(channel)
            return self.plan.put(graph.x, graph.y)
        source = self.retimed.wrapped(channel)
        return self.plan.put(self.frames(), source * self.codes, pairs=True)

    def numbers(self, joint: int | None) -> dict[str, int]:
        """Return the numbers of the warps that a joint's tracks follow."""
        paths = zip(TRACKS, PATHS, strict=True)
        return {track: self.number(self.retimed.channel(joint, path)) for track, path in paths}

    def frames(self) -> FloatArray:
        """Return the codes of the motion's frames."""
        return self.retimed.times * self.codes

    def played(self) -> tuple[float, float]:
        """Return the codes between which the result plays."""
        low, high = (end * self.codes for end in self.kept.motion.domain)
        start, end = self.kept.played
        start, end = (low if start is None else start), (high if end is None else end)
        a, b = (t * self.codes for t in self.warp.domain)
        if self.retimed.beyond:
            return start + a - low, end + b - high
        back = self.graph(self.first).swap()
        ends = [float(back.at(t, side)) for t in (start, end) for side in ("left", "right")]
        if self.warp.channel(self.first).direction == 0:
            return a, b
        found = joined(np.array([min(ends), max(ends)]))
        return float(found[0]), float(found[-1])

    # ---- joints

    def add(self) -> None:
        """Add all joints to the plan."""
        edited = dict(zip(TRACKS, self.retimed.edited().values(), strict=True))
        changed = set().union(*edited.values())
        for j, prim in enumerate(self.kept.entry["chain"]):
            self._add_prim(j, prim, edited=j in changed)
        if self.kept.entry["animation"]:
            self._add_animation(edited)

    def _add_prim(self, joint: int, prim: Mapping[str, Any], *, edited: bool) -> None:
        """Move the samples of a prim's operations, or replace its transform by a matrix."""
        numbers = self.numbers(joint)
        mixed = len(set(numbers.values())) > 1 and not _is_simple(prim["ops"])
        if edited or (mixed and prim["moves"]):
            self._bake(joint, prim["path"], numbers["rotations"])
            return
        for op in prim["ops"]:
            track = "translations" if op["kind"].startswith("translate") else "rotations"
            self.plan.follow(op["attribute"], numbers[track])

    def _bake(self, joint: int, prim: str, number: int) -> None:
        name = f"{self.key}.{joint}"
        turn, place, size = (self._track(joint, track) for track in TRACKS)
        self.plan.arrays[f"{name}.frames"] = self.frames()
        self.plan.arrays[f"{name}.matrices"] = matrices(place, turn, size)
        self.plan.bake(prim, name, number)

    def _track(self, joint: int, track: str) -> FloatArray:
        """Return a joint's track in the stage's own numbers, (F, 3) or (F, 4)."""
        if track == "rotations":
            return self.retimed.motion.rotations[:, joint]
        if track == "translations":
            return self.retimed.translation(joint)
        return self.retimed.scale(joint)

    def _add_animation(self, edited: Edited) -> None:
        """Move the samples of an animation, or resample it if joints have different timing."""
        entry, base = self.kept.entry, len(self.kept.entry["chain"])
        place = {token: base + k for k, token in enumerate(entry["joints"])}
        joints = [place.get(token) for token in entry["animated"]]
        each = [self.numbers(j) for j in joints]
        numbers = {track: [own[track] for own in each] for track in TRACKS}
        touched = set().union(*edited.values()) & set(place.values())
        every = {n for own in numbers.values() for n in own}
        if touched or len(every) > 1:
            self._resample(edited, joints, numbers, touched)
            return
        for track in TRACKS:
            self.plan.follow(f"{entry['animation']}.{track}", next(iter(every), _LEAVE))

    def _resample(
        self,
        edited: Edited,
        joints: Sequence[int | None],
        numbers: Mapping[str, list[int]],
        touched: set[int],
    ) -> None:
        """Sample an animation again; edited joints without a track of it get one."""
        entry, base = self.kept.entry, len(self.kept.entry["chain"])
        joint_at = {a: j for a, j in enumerate(joints) if j is not None}
        columns = {j: a for a, j in joint_at.items()}
        extra = sorted(touched - set(columns))
        changed = {t: sorted(columns[j] for j in edited[t] if j in columns) for t in TRACKS}
        self.plan.arrays[f"{self.key}.frames"] = self.frames() if touched else self._whole_frames()
        for track in TRACKS:
            self._put_tracks(track, track, [joint_at[a] for a in changed[track]])
            self._put_tracks(f"{track}.extra", track, extra)
        self.plan.sample(
            {
                "prim": entry["animation"],
                "key": self.key,
                "edited": changed,
                "extra": [entry["joints"][j - base] for j in extra],
                "exact_frames": bool(touched),
                **numbers,
            }
        )

    def _put_tracks(self, name: str, track: str, joints: Sequence[int]) -> None:
        if joints:
            tracks = [self._track(j, track) for j in joints]
            self.plan.arrays[f"{self.key}.{name}"] = np.stack(tracks, axis=1)

    def _whole_frames(self) -> FloatArray:
        """Return the output's frames on the stage's own, with both ends."""
        a, b = (t * self.codes for t in self.warp.domain)
        step = self.codes / self.kept.motion.rate
        origin = self.kept.motion.start * self.codes
        first, last = np.ceil((a - origin) / step), np.floor((b - origin) / step)
        inner = origin + np.arange(first, last + 1) * step
        return joined(np.array([a]), inner[(inner > a) & (inner < b)], np.array([b]))


def _is_simple(ops: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether a prim is moved first by one translation, so that it may have its own time."""
    kinds = [op["kind"] for op in ops]
    plain = {"translate", "scale", "orient"}
    return (
        "translate" not in kinds[1:]
        and all(k in plain or k.startswith("rotate") for k in kinds)
        and not any(op["inverse"] for op in ops)
    )
