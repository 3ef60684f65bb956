"""Close a cycle from a longer take: its best period, with a seam that cannot be seen."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from retime.arrays import FloatArray
from retime.assembling.placing import ground_place, placed
from retime.assembling.transition import change_over
from retime.body.measure.likeness import Likeness
from retime.errors import InputError
from retime.motion import Motion
from retime.motion.edits import apply
from retime.motion.kinematics import cached_positions
from retime.notes import Note, Remedy
from retime.parameters import part_of_clip
from retime.sentences import Duration, Moment, Span
from retime.timing import TimeWarp

# Moments are compared at this rate, Hz.
_COMPARED_HZ = 30.0
# Shortest period that is looked for, seconds.
_SHORTEST_S = 0.4
# Ends whose joints are farther apart, in metres, are of no cycle, unless a period was asked for.
_OPEN = 0.12
# A turn of the body from one round to the next costs as much as this distance, metres per radian:
# a cycle goes straight on.
_TURN_COST = 0.3
# How much the change-over may add to a joint's acceleration, relative to its own most, and what a
# joint that is still may accelerate, m/s^2.
_MORE, _LEAST_BEND = 0.2, 5.0


def loop(
    motion: Motion,
    *,
    period: tuple[float, float] | None = None,
    between: tuple[float, float] | None = None,
    blend: float = 0.2,
) -> Motion:
    """Cut a cycle out of a take, and close it: the last pose is the first, moved on.

    Parameters
    ----------
    motion : Motion
        A take with at least one round, and ``blend`` before it.
    period : (float, float), optional
        Shortest and longest period, seconds. Default: 0.4 s to half of the take.
    between : (float, float), optional
        Use only this part of the take.
    blend : float
        Time before the end in which the cycle changes over to the time before its start, seconds.

    Returns
    -------
    Motion
        The cycle; what it travels in a round is kept.

    Examples
    --------
    >>> from retime import loop, samples
    >>> stride = loop(samples.walk(), period=(0.9, 1.3))
    >>> 0.9 <= stride.duration <= 1.3
    True
    """
    if not (np.isfinite(blend) and blend > 0):
        raise InputError("the blend must be longer than 0 s, not {length}", length=Duration(blend))
    part = motion.domain if between is None else part_of_clip(between, motion.domain)
    shortest, longest = period or (_SHORTEST_S, (part[1] - part[0] - blend) / 2)
    if not 0 < shortest <= longest:
        raise InputError(
            "no period of {shortest:.2f} or more fits into {part:.2f} with a blend of {blend:.2f}; "
            "give a longer take or a shorter blend",
            shortest=Duration(shortest),
            part=Span(*part),
            blend=Duration(blend),
        )
    start, length, distance = _best(motion, part, (shortest, longest), blend)
    if period is None and distance > _OPEN:
        raise InputError(
            Note(
                f"the take has no cycle: the most similar poses, {{length:.2f}} apart, "
                f"differ by {100 * distance:.0f} cm",
                Remedy("give the period", parameter="period"),
                code="no-cycle",
                length=Duration(length),
                distance=distance,
            )
        )
    cycle = _closed(motion, start, length, blend)
    return cycle.with_notes(
        Note(
            "a cycle of {length:.3f} from {start:.2f}; the poses at its ends were "
            f"{100 * distance:.1f} cm apart",
            code="cycle",
            start=Moment(start),
            length=Duration(length),
            distance=distance,
        )
    )


def _best(
    motion: Motion, part: tuple[float, float], period: tuple[float, float], blend: float
) -> tuple[float, float, float]:
    """Return the start, the length and the distance of the ends of the best cycle."""
    first, last = max(part[0], motion.start + blend), min(part[1], motion.domain[1])
    steps = round((last - first) * _COMPARED_HZ)
    if steps < 2:
        raise InputError("{part:.2f} is too short for a cycle", part=Span(*part))
    # Whole frames of the clip, so that the cycle has the clip's frames.
    frames = np.unique(np.round((np.linspace(first, last, steps + 1) - motion.start) * motion.rate))
    times = motion.start + frames[frames / motion.rate <= last - motion.start + 1e-9] / motion.rate
    like = Likeness.of(motion, times, motion, times)
    apart = times - times[:, None]
    # A gap counts relative to how far the poses of the round go: standing is no cycle.
    reach = np.maximum.accumulate(np.triu(like.distance), axis=1)
    cost = (like.distance + _TURN_COST * np.abs(like.turn)) / np.maximum(reach, 1e-6)
    allowed = (apart >= period[0] - 1e-9) & (apart <= period[1] + 1e-9)
    if not allowed.any():
        raise InputError(
            "no period of {shortest:.2f} to {longest:.2f} fits into {part:.2f}",
            shortest=Duration(period[0]),
            longest=Duration(period[1]),
            part=Span(*part),
        )
    i, j = np.unravel_index(np.where(allowed, cost, np.inf).argmin(), cost.shape)
    return float(times[i]), float(times[j] - times[i]), float(like.distance[i, j])


def _closed(motion: Motion, start: float, length: float, blend: float) -> Motion:
    """Return the cycle, which changes over to what came before it, moved on by a round."""
    end = start + length
    count = round(length * motion.rate)
    times = start + np.linspace(0.0, length, count + 1)
    root = [motion.skeleton.roots[0]]
    on = ground_place(motion, end, root) - ground_place(motion, start, root)
    cycle = _frames(motion, times, 0.0)
    before = placed(_frames(motion, times, length), 0.0, on)
    blend = min(max(blend, _needed(motion, cycle, before)), start - motion.start, length)
    return change_over(cycle, before, end - blend, end, stagger=0.0, stand=False)


def _needed(motion: Motion, cycle: Motion, before: Motion) -> float:
    """Return a change-over in which no joint accelerates much beyond its own most, seconds.

    A quintic ease over a distance accelerates by up to 10 / sqrt(3) of it by the time squared.
    """
    apart = np.linalg.norm(cached_positions(cycle)[-1] - cached_positions(before)[-1], axis=1)
    bends = np.diff(cached_positions(motion), 2, axis=0) * motion.rate**2
    own = np.maximum(np.linalg.norm(bends, axis=2).max(axis=0), _LEAST_BEND)
    return float(np.sqrt(10 / np.sqrt(3) * apart / (_MORE * own)).max())


def _frames(motion: Motion, times: FloatArray, earlier: float) -> Motion:
    """Return a motion's frames at times, as they are some time earlier."""
    first, last = float(times[0]), float(times[-1])
    low = motion.start
    knots = [first, last] if first - earlier >= low else [low + earlier, last]
    warp = TimeWarp(knots, np.asarray(knots) - earlier)
    made = apply(motion, warp, times=times)
    rate = (len(times) - 1) / (last - first)
    return replace(made, sample_times=None, start=first, fps=rate, origin=None)
