"""Staggering within bounds: no joint turns much faster than it ever does in the source.

Parts that arrive at other times than their neighbours may have to move fast. Knots of one channel
are kept apart, so that its time never runs too fast. Where joints of a chain compensate each other
and separate in time, their staggering is reduced at the nearby poses; other joints and other poses
keep theirs. The poses keep the requested values; bounds apply when the warp is made, so that undo
is exact.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.methods.staggered.rushing import causes_of_turns, turn_ratios
from retime.methods.staggered.timing import Timing
from retime.motion import Motion, quat
from retime.motion.contact import Contact
from retime.motion.memory import last

__all__ = ["bounded"]

Mask = npt.NDArray[np.bool_]

# A channel's own time runs at most at this share of the bound: its parents rush as well.
_OWN = 2 / 3
# A stretch in which a channel hardly turns may run this many times as fast.
_CALM = 4.0
_ROUNDS = 24
# From the first of these rounds on, poses farther from a joint that still rushes are eased too, by
# the square of the rounds times these seconds: held contacts have effects far away. From the second
# round on, all joints are eased, not only those that the turn depends on.
_NEAR, _LOCAL, _WIDER = 4, 12, 0.02
# Staggering is eased to this share below the bound, so that rounds come to an end.
_CLOSE = 0.02
# Exponent of the easing, and how much it grows with every round.
_FIRM, _FIRMER = 1.5, 0.2
# Staggering is eased by at most this factor in each of the first rounds.
_STEP = 2.0
# Knots are moved apart by a share that is whole where a turn exceeds the bound by this part of it.
_SPACED_AT = 0.1
# After a look without contacts that finds turns within this many times the bound, the next one is
# with them.
_NEARLY = 1.5
# Eased knots keep at least this share of the least gap.
_ORDER = 0.5


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
    found, share, held, apart = timing, np.ones(timing.refinements.shape), False, 0.0
    aim = max((1 - _CLOSE) * most, 1 + _CLOSE)
    for tried in range(_ROUNDS):
        moments, ratio = turn_ratios(found, source, most, contacts, held=held)
        if not held and ratio.max(initial=0.0) <= most:
            held = True  # the dearer look, once the cheaper one finds nothing
            moments, ratio = turn_ratios(found, source, most, contacts, held=True)
        worst = float(ratio.max(initial=0.0))
        if worst <= most:
            break
        before = apart
        if not held:  # knots apart are no help for inverse kinematics
            apart = max(apart, min((worst / aim - 1) / _SPACED_AT, 1.0))
        if apart == before or tried:  # at first, knots apart may be enough
            # A turn is about 1 without staggering and grows with it.
            over = np.maximum((ratio - 1) / (aim - 1), 1.0) ** (_FIRM + _FIRMER * tried)
            over = _spread(over, tried, source.rate)
            causes = causes_of_turns(source, held=held)
            share *= _around(found, moments, over, causes if tried < _LOCAL else None)
        found = _spaced(_eased(timing, share), source, most, apart)
        held = held or worst <= _NEARLY * most
    return found, _kept(timing, found)


def _spread(over: FloatArray, tried: int, rate: float) -> FloatArray:
    """Spread over time (T, N) how much joints rush, farther with every round."""
    from scipy.ndimage import maximum_filter1d

    if tried < _NEAR:
        return np.minimum(over, _STEP)
    frames = round((tried - _NEAR) ** 2 * _WIDER * rate)
    return np.asarray(maximum_filter1d(over, 2 * frames + 1, axis=0))


def _eased(timing: Timing, share: FloatArray) -> Timing:
    """Bring the refinements of each pose part of the way back to where they were found."""
    if (share == 1).all():
        return timing
    known = timing.known_refinements
    eased = known + share * (timing.refinements - known)
    return replace(timing, refinements=np.where(timing.included, eased, timing.refinements))


def _around(
    timing: Timing, moments: FloatArray, over: FloatArray, causes: Mask | None
) -> FloatArray:
    """Return a factor for each knot's staggering (K, C): less where it lets joints turn too fast.

    It is whole from one neighbour of a knot to the other, and fades to the next ones, so that it
    does not step when a knot passes a moment. Without ``causes`` all channels count.
    """
    out = np.ones(timing.refinements.shape)
    rush = (over > 1).any(axis=1)
    moments, over = moments[rush], over[rush]
    for i in range(len(timing.channels)):
        hang = slice(None) if causes is None else causes[:, i]
        most = np.log(over[:, hang].max(axis=1, initial=1.0))
        poses = np.flatnonzero(timing.included[:, i])
        place = np.interp(moments, timing.knots[poses, i], np.arange(len(poses)))
        near = np.clip(2 - np.abs(place - np.arange(len(poses))[:, None]), 0.0, 1.0)
        out[poses, i] = np.exp(-(near * most).max(axis=1, initial=0.0))
    return out


def _spaced(timing: Timing, source: Motion, most: float, part: float) -> Timing:
    """Move knots of each channel apart by the least squares that keep its time from rushing.

    ``part`` is by what share, 0 to 1; 0 keeps them in order, and no more.
    """
    knots, known = timing.knots.copy(), timing.known_knots
    speed = last(source, "channel speeds", (), lambda: _channel_speeds(source))
    moved = False
    for i in range(len(timing.channels)):
        has = timing.included[:, i]
        asked, stands_for = knots[has, i], known[has, i]
        gap = np.diff(stands_for) / (_OWN * most)
        if (np.diff(asked) >= gap - 1e-12).all():
            continue
        # Eased by different shares, knots might cross.
        least = np.minimum(gap, _ORDER * timing.least_gap)
        spaced = asked if (np.diff(asked) >= least).all() else _apart(asked, least)
        if part:
            gap *= _busy(speed[:, min(i, speed.shape[1] - 1)], source.times, stands_for)
            spaced = spaced + part * (_apart(asked, gap) - spaced)
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
    from retime.methods.staggered.kernels import rising

    x = knots - base
    inner = np.clip(rising(x[1:-1]), x[0], x[-1])
    y = np.r_[x[0], inner, x[-1]]
    return np.where(np.abs(y - x) < 1e-12, knots, y + base)


def _kept(asked: Timing, found: Timing) -> float:
    """Return the fraction of the requested changes of refinements that is left."""
    wanted = np.abs(asked.refinements - asked.known_refinements).sum()
    got = np.abs(found.refinements - asked.known_refinements).sum()
    return float(min(got / wanted, 1.0)) if wanted > 0 else 1.0
