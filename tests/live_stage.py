"""A stage in simulated time: a performer with another body, the server, and what goes out.

Every time is given, so that seconds pass in milliseconds and the truth is known.
"""

from __future__ import annotations

import math
import tarfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import retime
from retime import Motion, TimeWarp, samples
from retime.live_server.avatar import ROOT, Avatar, FigurePose
from retime.live_server.follower import Cue, Follower, Part
from retime.live_server.server import LiveServer
from retime.live_server.vmc import Bone, BundleWriter
from retime.motion import quat

SHARED = Path(__file__).parents[2] / "shared"
ME = ("127.0.0.1", 4000)

# One datagram: when it arrives, its bytes, and who sent it.
Sent = tuple[float, bytes, tuple[str, int]]
# Changes a frame on its way: time, bones by role, and the root.
Change = Callable[[float, dict[str, Bone], Bone], tuple[dict[str, Bone], Bone]]


@cache
def scene(name: str, seconds: float = 0.0) -> tuple[Motion, Motion | None]:
    """Return a performer and, if there is one, the partner who was recorded with them.

    ``name`` is a bundled sample, or a clip beside the project; ``seconds`` shortens it.
    """
    if name in ("handshake", "punches", "jump", "walk"):
        found = samples.sample(name)
        return found.motion, found.partner
    first, _, take = name.partition("_")
    other = {"18": "19", "20": "21", "22": "23"}.get(first)
    one = _shortened(_clip(name), seconds)
    try:
        return one, None if other is None else _shortened(_clip(f"{other}_{take}"), seconds)
    except FileNotFoundError:
        return one, None


def _shortened(motion: Motion, seconds: float) -> Motion:
    if not seconds or motion.duration <= seconds:
        return motion
    times = np.arange(motion.start, motion.start + seconds, 1 / 60)
    return retime.apply(motion, TimeWarp.identity(*motion.domain), times=times)


def _clip(name: str) -> Motion:
    for folder in ("mocap", "mocap-more"):
        if (path := SHARED / folder / f"{name}.bvh").exists():
            return retime.read(path)
    with tarfile.open(SHARED / "pairs" / "pairs.tar.xz") as packed:
        names = {Path(n).stem: n for n in packed.getnames()}
        if name not in names:
            raise FileNotFoundError(name)
        held = packed.extractfile(names[name])
        assert held is not None
        import tempfile

        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"{name}.bvh"
            path.write_bytes(held.read())
            return retime.read(path)


@dataclass
class Body:
    """A performer of a motion: of another size, with joints some degrees off, and with noise."""

    motion: Motion
    size: float = 1.0
    legs: float = 1.0
    degrees: float = 0.0
    noise: float = 0.0
    heading: float = 0.0
    """Degrees about the vertical through the middle of the figure's first pose."""
    place: tuple[float, float, float] = (0.0, 0.0, 0.0)
    seed: int = 0
    avatar: Avatar = field(init=False)

    def __post_init__(self) -> None:
        self.avatar = Avatar(self.motion)
        self._dice = np.random.default_rng(self.seed)
        self._bones: dict[float, dict[str, Bone]] = {}
        self._off = self._turns(self.degrees)
        hips = self.avatar.roles.index("hips")
        self._middle = self.avatar.pose(self.motion.start).world()[1][hips] * [1, 0, 1]
        turn = quat.from_axis_angle([0.0, 1.0, 0.0], math.radians(self.heading))
        at = self._middle + np.array(self.place) - quat.rotate(turn, self._middle)
        self.root: Bone = (*at.tolist(), *turn.tolist())

    def _turns(self, degrees: float) -> np.ndarray:
        axes = self._dice.normal(size=(len(self.avatar.roles), 3))
        axes /= np.linalg.norm(axes, axis=1, keepdims=True)
        angles = np.radians(degrees) * np.ones(len(axes))
        angles[self.avatar.roles.index("hips")] = 0.0
        return np.stack([quat.from_axis_angle(a, g) for a, g in zip(axes, angles, strict=True)])

    def pose(self, source: float) -> FigurePose:
        """Return the figure as it performs a time of the motion, before it is placed."""
        pose = self.avatar.pose(source)
        turns = quat.multiply(pose.turns, self._off)
        if self.noise:
            turns = quat.multiply(turns, self._turns(abs(self._dice.normal(0, self.noise))))
        offsets = self.size * pose.offsets
        if self.legs != 1.0:
            legs = [k for k, r in enumerate(self.avatar.roles) if r.endswith(("leg", "foot"))]
            offsets[legs] *= self.legs
            offsets[self.avatar.roles.index("hips"), 1] *= self.legs
        return FigurePose(turns, offsets, pose.parents)

    def bones(self, source: float) -> dict[str, Bone]:
        """Return the bones that are sent; without noise, each time is computed once."""
        bones = self._bones.get(source)
        if bones is None:
            bones = dict(zip(self.avatar.roles, self.pose(source).bones(), strict=True))
            if not self.noise:
                self._bones[source] = bones
        return bones

    def joints(self, source: float) -> dict[str, np.ndarray]:
        """Return where the joints are in the world, by role."""
        _, places = self.pose(source).world()
        turn = np.array(self.root[3:])
        placed = np.array(self.root[:3]) + quat.rotate(turn, places)
        return dict(zip(self.avatar.roles, placed, strict=True))


def stream(
    body: Body,
    source: Callable[[float], float],
    seconds: float,
    *,
    start: float = 0.0,
    rate: float = 60.0,
    change: Change | None = None,
    sender: tuple[str, int] = ME,
    stamp: Callable[[float], float] | None = None,
) -> Iterator[Sent]:
    """Yield the datagrams of a performance; ``source`` maps live time, from 0, to the motion's."""
    writers: dict[tuple[str, ...], BundleWriter] = {}
    for k in range(round(seconds * rate)):
        live = k / rate
        bones = body.bones(source(live))
        root = body.root
        if change is not None:
            bones, root = change(live, bones, root)
        names = tuple(bones)
        if names not in writers:
            writers[names] = BundleWriter(names)
        time = start + live if stamp is None else stamp(live)
        yield start + live, writers[names].frame(list(bones.values()), root, time), sender


@dataclass
class Shown:
    """What went out at one time."""

    now: float
    cue: Cue
    performer: np.ndarray | None
    """Joints of the performer as the server sees them (J, 3)."""
    partner: np.ndarray | None
    """Joints of the partner (P, 3), in the order of its roles."""
    bones: list[Any]


class _Ear:
    """A listener of the feed in this process."""

    listeners = 1

    def __init__(self) -> None:
        self.last: tuple[Any, ...] = ()

    def send(self, *values: Any) -> None:
        self.last = values


class Stage:
    """A server on a clock that the test sets."""

    def __init__(self, *parts: Part, rate: float = 90.0, **options: Any) -> None:
        self.now = 0.0
        self.ear = _Ear()
        self.rate = rate
        self.server = LiveServer(
            Follower(parts, **options), feed=self.ear, rate=rate, clock=lambda: self.now
        )

    def play(self, sent: Iterable[Sent], until: float | None = None) -> list[Shown]:
        """Receive datagrams at their times, and return what goes out in the meantime."""
        out: list[Shown] = []
        for arrival, data, sender in sent:
            out += self.wait(arrival)
            self.server.receive(data, sender, arrival)
        return out + (self.wait(until) if until is not None else [])

    def wait(self, until: float) -> list[Shown]:
        """Return what goes out before a time."""
        out = []
        while self.now < until:
            cue = self.server.tick(self.now)
            _, now, _, performer, partner, bones, _ = self.ear.last
            points = None if partner is None else np.array(partner)
            out.append(Shown(now, cue, performer, points, list(bones)))
            self.now += 1 / self.rate
        return out


def off(shown: Iterable[Shown], source: Callable[[float], float]) -> np.ndarray:
    """Return by how much the time that went out differs from the truth (N,), seconds."""
    return np.array([s.cue.time - source(s.now) for s in shown])


def right(
    shown: list[Shown], source: Callable[[float], float], start: float = 0.0, end: float = math.inf
) -> float:
    """Return the share of frames between two times within 150 ms of the truth."""
    inside = [s for s in shown if start <= s.now < end]
    return float((np.abs(off(inside, source)) < 0.15).mean())


__all__ = ["ME", "ROOT", "SHARED", "Body", "Shown", "Stage", "off", "right", "scene", "stream"]
