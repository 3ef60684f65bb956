"""Staggering within bounds: no joint turns much faster than it ever does in the source.

Parts that arrive at other times than their neighbours may have to move fast. Knots of one channel
are kept apart, so that its time never runs too fast. Where joints of a chain compensate each other
and separate in time, the staggering of the nearby poses is reduced. The poses keep the requested
values; bounds apply when the warp is made, so that undo is exact.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.body.holding import as_delivered
from retime.methods.staggered.timing import Timing
from retime.motion import Motion, quat
from retime.motion.contact import Contact
from retime.motion.edits import apply
from retime.motion.memory import last
from retime.motion.sampling import ChannelTimes, Frames, sample
from retime.timing import TimeWarp

__all__ = ["bounded"]

Mask = npt.NDArray[np.bool_]

# Turns slower than this, in radians a second, are never too fast.
_SLOW = np.radians(120)
# A channel's own time runs at most at this share of the bound: its parents rush as well.
_OWN = 2 / 3
# A stretch in which a channel hardly turns may run this many times as fast.
_CALM = 4.0
# A turn in one frame that is this many times the fastest beside it is a jump: it tells nothing.
_JUMP = 3.0
_ROUNDS = 24
# Noise of the source that staggering hardly changes is within the bound by this factor.
_SURE = 1.05
# Staggering is eased to this share below the bound, so that rounds come to an end.
_CLOSE = 0.02


def bounded(
    timing: Timing, source: Motion, most: float, contacts: tuple[Contact, ...] | None = None
) -> tuple[Timing, float]:
    """Return timing within a bound, and the fraction of the requested staggering that is left.

    The bound applies to the delivered motion: joints in space, with contacts held.

    Parameters
    ----------
    timing : Timing
        The requested feature.
    source : Motion
        The motion.
    most : float
        How many times as fast as in the source a joint may turn at most.
    contacts : tuple of Contact, optional
        The contacts to hold. Default: those found.
    """
    if not timing.is_edited or len(source) < 3 or not np.isfinite(most):
        return timing, 1.0
    found, share, held = timing, np.ones(len(timing)), False
    for tried in range(_ROUNDS):
        moments, ratio = _ratio(found, source, most, contacts, held=held)
        if not held and ratio.max(initial=0.0) <= most:
            held = True  # the dearer look, once the cheaper one finds nothing
            moments, ratio = _ratio(found, source, most, contacts, held=True)
        if ratio.max(initial=0.0) <= most:
            break
        before = found
        if not tried and not held:  # knots apart may be enough, but not for inverse kinematics
            found = _spaced(timing, source, most)
        if found is before:
            over = np.maximum(ratio / ((1 - _CLOSE) * most), 1.0)
            # Chains rush by more than one of their joints, and legs that are led even more.
            share *= _around(found, moments, over ** (3.0 if held else 1.5))
            found = _spaced(_eased(timing, share), source, most)
    return found, _kept(timing, found)


def _turns(own: FloatArray, source: Motion) -> FloatArray:
    """Return how fast joints turn in space, then from their parents, (F - 1, 2 J) radians/s.

    ``own`` are rotations (F, J, 4) from their parents, at the source's rate.
    """
    from retime.motion.kernels import chain_rotations

    in_space = chain_rotations(source.skeleton.parents, own, np.array([1.0, 0.0, 0.0, 0.0]))
    both = np.concatenate([in_space, own], axis=1)
    # Quicker than quat.angle, and exact enough for turns of a degree a frame.
    half = np.arccos(np.minimum(np.abs(np.einsum("fji,fji->fj", both[1:], both[:-1])), 1.0))
    return np.asarray(2 * source.rate * half)


def _jumps(turns: FloatArray) -> Mask:
    """Mark turns (F - 1, N) of one frame alone: those are jumps, not movement."""
    beside = np.pad(turns, ((1, 1), (0, 0)), mode="edge")
    steady = np.median([beside[:-2], beside[1:-1], beside[2:]], axis=0).max(axis=0)
    return np.asarray(turns > _JUMP * np.maximum(steady, _SLOW))


@dataclass(frozen=True, eq=False)
class _Jump:
    """A joint that jumps from its parent between two times, and the joints (J,) that show it."""

    joint: int
    start: float
    end: float
    shown: Mask


@dataclass(frozen=True, eq=False)
class _Known:
    """How fast a motion's joints turn, and where it jumps: flips, or a rest pose in front."""

    fastest: FloatArray
    """At most, but for jumps, (2 J,)."""
    noisiest: FloatArray
    """At most, where they show no jump, (2 J,)."""
    jumps: tuple[_Jump, ...]

    @classmethod
    def of(cls, motion: Motion, jumps: tuple[_Jump, ...] | None = None) -> _Known:
        """Measure a motion; ``jumps`` are those of its source, where it has one."""
        turns, times, skeleton = _turns(motion.rotations, motion), motion.times, motion.skeleton
        alone, count = _jumps(turns), len(skeleton)
        if jumps is None:
            # Jumps of a chain that undo each other show nowhere: they must not come apart.
            hang = np.array([[i in skeleton.chain(j) for j in range(count)] for i in range(count)])
            jumps = tuple(
                _Jump(int(j), float(times[f]), float(times[f + 1]), alone[f, :count] & hang[j])
                for f, j in np.argwhere(alone[:, count:])
            )
        known = cls(np.where(alone, 0.0, turns).max(axis=0, initial=0.0), turns, jumps)
        jumped = known.jumped(TimeWarp.identity(*motion.domain), motion, times)
        return replace(known, noisiest=np.where(jumped, 0.0, turns).max(axis=0, initial=0.0))

    def usual(self, most: float) -> FloatArray:
        """Return what turns are measured by, (2 J,): without any staggering all are in bounds."""
        return np.maximum(self.fastest, _SURE * self.noisiest / most)

    def jumped(self, warp: TimeWarp, source: Motion, times: FloatArray) -> Mask:
        """Mark turns (F - 1, 2 J) of joints that pass a jump of the source, or show one."""
        names = source.skeleton.names
        out = np.zeros((len(times) - 1, 2 * len(names)), dtype=bool)
        for jump in self.jumps:
            then = warp(times, names[jump.joint])
            frames = (then[:-1] < jump.end + 1e-9) & (then[1:] > jump.start - 1e-9)
            own = np.arange(len(names)) == jump.joint
            out[frames] |= np.r_[jump.shown, own]
        return out


def _ratio(
    timing: Timing,
    source: Motion,
    most: float,
    contacts: tuple[Contact, ...] | None,
    *,
    held: bool,
) -> tuple[FloatArray, FloatArray]:
    """Return moments (T,), and how many times its fastest the most rushed joint turns then."""
    warp = timing.warp()
    known = last(source, "known turns", (), lambda: _Known.of(source))
    usual = known.usual(most)
    if not held:
        times = Frames.of(source, warp.domain, source.rate, False, None).times
        own = sample(source, ChannelTimes(times, {}).through(warp), loop=False)[0]
    else:
        made = as_delivered(source, apply(source, warp, fps=source.rate), warp, contacts)
        times, own = made.times, made.rotations
        # What holding alone does to the source is not the staggering's.
        alone = last(source, "held turns", contacts, lambda: _held(source, known, contacts))
        usual = np.maximum(usual, alone.usual(most))
    ratio = _turns(own, source) / np.maximum(usual, _SLOW)
    if known.jumps:
        ratio[known.jumped(warp, source, times)] = 0.0
    return times[:-1], ratio.max(axis=1, initial=0.0)


def _held(source: Motion, known: _Known, contacts: tuple[Contact, ...] | None) -> _Known:
    """Measure a motion whose only change is that its contacts are held."""
    warp = TimeWarp.identity(*source.domain)
    return _Known.of(as_delivered(source, source, warp, contacts), known.jumps)


def _eased(timing: Timing, share: FloatArray) -> Timing:
    """Bring the refinements of each pose part of the way back to where they were found."""
    if (share == 1).all():
        return timing
    known = timing.known_refinements
    eased = known + share[:, None] * (timing.refinements - known)
    return replace(timing, refinements=np.where(timing.included, eased, timing.refinements))


def _around(timing: Timing, moments: FloatArray, over: FloatArray) -> FloatArray:
    """Return a factor for each pose's staggering: less where joints move too fast."""
    out = np.ones(len(timing))
    rush = over > 1
    for i in range(len(timing.channels)):
        poses = np.flatnonzero(timing.included[:, i])
        at = np.searchsorted(timing.knots[poses, i], moments[rush], side="right") - 1
        at = np.clip(at, 0, len(poses) - 2)
        for step in (0, 1):
            np.minimum.at(out, poses[at + step], 1 / over[rush])
    return out


def _spaced(timing: Timing, source: Motion, most: float) -> Timing:
    """Move knots of each channel apart by the least squares that keep its time from rushing."""
    knots, known = timing.knots.copy(), timing.known_knots
    speed = last(source, "channel speeds", (), lambda: _channel_speeds(source))
    moved = False
    for i in range(len(timing.channels)):
        has = timing.included[:, i]
        asked, stands_for = knots[has, i], known[has, i]
        gap = np.diff(stands_for) / (_OWN * most)
        if (np.diff(asked) >= gap - 1e-12).all():
            continue
        gap *= _busy(speed[:, min(i, speed.shape[1] - 1)], source.times, stands_for)
        spaced = _apart(asked, gap)
        moved |= not np.array_equal(spaced, asked)
        knots[has, i] = spaced
    if not moved:
        return timing
    refinements = np.where(timing.included, knots - timing.times[:, None], timing.refinements)
    return replace(timing, refinements=refinements)


def _channel_speeds(source: Motion) -> FloatArray:
    """Return how fast each channel turns or moves, (F - 1, C)."""
    skeleton = source.skeleton
    turns = quat.angle(source.rotations[:-1], source.rotations[1:])
    roots = [
        np.linalg.norm(np.diff(source.translations[skeleton.names[r]], axis=0), axis=1)[:, None]
        for r in skeleton.roots
    ]
    return np.concatenate([turns, *roots], axis=1) * source.rate


def _busy(speed: FloatArray, times: FloatArray, knots: FloatArray) -> FloatArray:
    """Return how much a channel does in each stretch between knots, as a fraction of its most."""
    most = max(float(speed.max(initial=0.0)), 1e-9)
    at = np.minimum(np.searchsorted(times, knots), len(speed) - 1)
    padded = np.pad(speed, 1, mode="edge")
    near = np.maximum.reduce([padded[:-2], padded[1:-1], padded[2:]])
    found = np.maximum.reduceat(near, at)[:-1] / most
    return np.asarray(np.clip(found, 1 / _CALM, 1.0))


def _apart(knots: FloatArray, gap: FloatArray) -> FloatArray:
    """Return the nearest knots that are apart by gaps; the first and the last stay.

    Less the sum of the gaps before them they must not fall: isotonic regression.
    """
    base = np.r_[0.0, np.cumsum(gap)]
    if base[-1] >= knots[-1] - knots[0]:  # no room at all: evenly
        return np.asarray(knots[0] + base * (knots[-1] - knots[0]) / base[-1])
    x = knots - base
    inner = np.clip(_rising(x[1:-1]), x[0], x[-1])
    y = np.r_[x[0], inner, x[-1]]
    return np.where(np.abs(y - x) < 1e-12, knots, y + base)


def _rising(x: FloatArray) -> FloatArray:
    """Fit numbers that never fall by least squares (pool adjacent violators)."""
    level: list[float] = []
    size: list[int] = []
    for value in x.tolist():
        level.append(value)
        size.append(1)
        while len(level) > 1 and level[-2] > level[-1]:
            b, n = level.pop(), size.pop()
            level[-1] = (level[-1] * size[-1] + b * n) / (size[-1] + n)
            size[-1] += n
    return np.repeat(level, size)


def _kept(asked: Timing, found: Timing) -> float:
    """Return the fraction of the requested changes of refinements that is left."""
    wanted = np.abs(asked.refinements - asked.known_refinements).sum()
    got = np.abs(found.refinements - asked.known_refinements).sum()
    return float(min(got / wanted, 1.0)) if wanted > 0 else 1.0
