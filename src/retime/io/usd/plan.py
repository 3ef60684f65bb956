"""What is to be written into a stage: which attribute follows which warp, and what was edited."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from retime.arrays import FloatArray
from retime.io.in_place import Retimed
from retime.io.usd.reader import Kept
from retime.io.usd.timing import joined
from retime.motion import quat
from retime.timing.graph import Graph

TRACKS = ("rotations", "translations", "scales")
Edited = dict[str, set[int]]
# What differs by less than this from the retimed source was not edited: radians, lengths' share.
_SAME = 1e-6
# Beyond a clip's ends time goes on as before, for so many time codes.
_FAR = 1e7
_LEAVE = -1


def matrices(place: FloatArray, turn: FloatArray, size: FloatArray) -> FloatArray:
    """Make transforms (N, 4, 4) for row vectors."""
    out = np.zeros((len(place), 4, 4))
    out[:, :3, :3] = quat.to_matrix(turn).transpose(0, 2, 1) * size[:, :, None]
    out[:, 3, :3] = place
    out[:, 3, 3] = 1.0
    return out


class EditPlan:
    """The request to write motions of one stage, and the arrays that go along."""

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
        """Let an attribute follow a warp; what two clips share follows the first."""
        self._attributes.setdefault(attribute, number)

    def sample(self, entry: dict[str, Any]) -> None:
        """Let the tracks of an animation be sampled."""
        self._skeletal.append(entry)

    def bake(self, prim: str, name: str, number: int) -> None:
        """Give a prim a matrix of its own."""
        self._baked.setdefault(prim, (name, number))


class _Clip:
    """One motion, and how its joints' timing goes back into the stage."""

    def __init__(self, plan: EditPlan, retimed: Retimed[Kept], key: int) -> None:
        self.plan, self.key = plan, f"clip{key}"
        self.kept, self.motion, self.warp = retimed.kept, retimed.motion, retimed.warp
        self.times, self.beyond = retimed.times, retimed.beyond
        self.codes = self.kept.codes_per_second
        skeleton = self.motion.skeleton
        self.first = f"{skeleton.names[skeleton.roots[0]]}:translation"

    # ---- warps in time codes

    def graph(self, channel: str) -> Graph:
        """Return a channel's warp in time codes; beyond the clip's own ends time goes on."""
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
        if not self.beyond:
            graph = self.graph(channel)
            return self.plan.put(graph.x, graph.y)
        low, high = self.kept.motion.domain
        source = low + np.mod(self.warp(self.times, channel) - low, max(high - low, 1e-9))
        return self.plan.put(self.times * self.codes, source * self.codes, pairs=True)

    def channel(self, joint: int, track: str) -> str:
        """Return the channel that a joint's track follows."""
        skeleton = self.motion.skeleton
        root = skeleton.parents[joint] < 0 and track == "translations"
        return f"{skeleton.names[joint]}:translation" if root else skeleton.names[joint]

    def played(self) -> tuple[float, float]:
        """Return the codes between which the result plays."""
        low, high = (end * self.codes for end in self.kept.motion.domain)
        start, end = self.kept.played
        start, end = (low if start is None else start), (high if end is None else end)
        a, b = (t * self.codes for t in self.warp.domain)
        if self.beyond:
            return start + a - low, end + b - high
        back = self.graph(self.first).swap()
        ends = [float(back.at(t, side)) for t in (start, end) for side in ("left", "right")]
        if self.warp.channel(self.first).direction == 0:
            return a, b
        found = joined(np.array([min(ends), max(ends)]))
        return float(found[0]), float(found[-1])

    # ---- what goes back

    def add(self) -> None:
        """Add all joints to the plan."""
        edited = self._edited()
        chain = self.kept.entry["chain"]
        for j, prim in enumerate(chain):
            numbers = {t: self.number(self.channel(j, t)) for t in TRACKS}
            mixed = len(set(numbers.values())) > 1 and not _is_simple(prim["ops"])
            if any(j in edited[t] for t in TRACKS) or (mixed and prim["moves"]):
                self._bake(j, prim["path"], numbers["rotations"])
                continue
            for op in prim["ops"]:
                track = "translations" if op["kind"].startswith("translate") else "rotations"
                self.plan.follow(op["attribute"], numbers[track])
        if self.kept.entry["animation"]:
            self._add_animation(edited)

    def _edited(self) -> Edited:
        """Find the joints whose values are not just retimed, by track."""
        skeleton = self.motion.skeleton
        if self.beyond:
            return {track: set(range(len(skeleton))) for track in TRACKS}
        return dict(zip(TRACKS, self.motion.touched.indices(skeleton), strict=True))

    def _bake(self, joint: int, prim: str, number: int) -> None:
        name = f"{self.key}.{joint}"
        turn, place, size = (self._track(joint, track) for track in TRACKS)
        self.plan.arrays[f"{name}.frames"] = self.times * self.codes
        self.plan.arrays[f"{name}.matrices"] = matrices(place, turn, size)
        self.plan.bake(prim, name, number)

    def _track(self, joint: int, track: str) -> FloatArray:
        """Return a joint's track in the stage's own numbers, (F, 3) or (F, 4)."""
        skeleton, name = self.motion.skeleton, self.motion.skeleton.names[joint]
        frames = len(self.motion)
        if track == "rotations":
            return self.motion.rotations[:, joint]
        if track == "translations":
            found = self.motion.translations.get(name)
            found = np.tile(skeleton.offsets[joint], (frames, 1)) if found is None else found
            return np.asarray(found / self.kept.scales[joint])
        found = self.motion.scales.get(name)
        found = np.tile(skeleton.rest_scales[joint], (frames, 1)) if found is None else found
        return np.asarray(found * self.kept.own_scales[joint])

    def _add_animation(self, edited: Edited) -> None:
        """Move the samples of an animation, or sample it anew where joints part in time."""
        entry, base = self.kept.entry, len(self.kept.entry["chain"])
        place = {token: base + k for k, token in enumerate(entry["joints"])}
        joints = [place.get(token, -1) for token in entry["animated"]]
        numbers = {
            track: [self.number(self.channel(j, track) if j >= 0 else self.first) for j in joints]
            for track in TRACKS
        }
        touched = set().union(*edited.values()) & set(place.values())
        every = {n for own in numbers.values() for n in own}
        if not touched and len(every) <= 1:
            for track in TRACKS:
                self.plan.follow(f"{entry['animation']}.{track}", next(iter(every), _LEAVE))
            return
        columns = {j: a for a, j in enumerate(joints) if j >= 0}
        extra = sorted(touched - set(columns))
        own: dict[str, Any] = {
            "prim": entry["animation"],
            "key": self.key,
            "edited": {t: sorted(columns[j] for j in edited[t] if j in columns) for t in TRACKS},
            "extra": [entry["joints"][j - base] for j in extra],
            "exact_frames": bool(touched),
            **numbers,
        }
        self.plan.arrays[f"{self.key}.frames"] = (
            self.times * self.codes if touched else self._whole_frames()
        )
        for track in TRACKS:
            for name, listed in (
                (track, [joints[a] for a in own["edited"][track]]),
                (f"{track}.extra", extra),
            ):
                if listed:
                    tracks = [self._track(j, track) for j in listed]
                    self.plan.arrays[f"{self.key}.{name}"] = np.stack(tracks, axis=1)
        self.plan.sample(own)

    def _whole_frames(self) -> FloatArray:
        """Return the output's frames on the stage's own, with both ends."""
        a, b = (t * self.codes for t in self.warp.domain)
        step = self.codes / self.kept.motion.rate
        origin = self.kept.motion.start * self.codes
        first, last = np.ceil((a - origin) / step), np.floor((b - origin) / step)
        inner = origin + np.arange(first, last + 1) * step
        return joined(np.array([a]), inner[(inner > a) & (inner < b)], np.array([b]))


def _is_simple(ops: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a prim is moved first by one translation, so that it may have its own time."""
    kinds = [op["kind"] for op in ops]
    plain = {"translate", "scale", "orient"}
    return (
        "translate" not in kinds[1:]
        and all(k in plain or k.startswith("rotate") for k in kinds)
        and not any(op["inverse"] for op in ops)
    )
