"""Keep hands on what they hold, another hand or a prop, when their timing differs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray, freeze
from retime.body.contacts.grips import Grip, find_grips
from retime.body.model.body import Body, find_body
from retime.body.solve.limbs import LimbSolver
from retime.body.solve.pelvis import turns_at
from retime.motion import Motion, quat
from retime.motion.kinematics import (
    cached_positions,
    cached_rotations,
    local_translations,
    upright,
)
from retime.parameters import About
from retime.timing import TimeWarp

__all__ = ["Grips", "carried", "held_share", "keep_grips", "prop_joints", "prop_of"]

Grips = Annotated[
    bool,
    About("Keep hands on what they hold: a club, a bat or a prop of the file."),
]

# Grips ease in and out over this many seconds beside them.
_ASIDE = 0.15
# Hands and props that are nearer than this to their places, in metres and radians, stay.
_SAME = 1e-6


def prop_of(motion: Motion, joint: str) -> int:
    """Return the first joint of the prop that a joint belongs to."""
    skeleton = motion.skeleton
    chain, body = skeleton.chain(skeleton.index(joint)), find_body(motion)
    above = set(skeleton.chain(body.roles["hips"])) if "hips" in body.roles else set()
    return next(j for j in reversed(chain) if j not in above)


def prop_joints(motion: Motion, joint: str) -> list[int]:
    """List the joints of the prop that a joint belongs to."""
    first = prop_of(motion, joint)
    skeleton = motion.skeleton
    return [j for j in range(len(skeleton)) if first in skeleton.chain(j)]


def keep_grips(
    motion: Motion,
    made: Motion,
    warp: TimeWarp,
    grips: Sequence[Grip] | None = None,
) -> Motion:
    """Move hands and props back together that a warp of joints has separated.

    Parameters
    ----------
    motion : Motion
        The source.
    made : Motion
        It, retimed; all of its frames, or some.
    warp : TimeWarp
        Warp from the time of the result to that of the source.
    grips : sequence of Grip, optional
        Grips of the hands. Default: detected.
    """
    body = find_body(motion)
    ends = {motion.skeleton.names[limb.end] for limb in body.limbs.values()}
    found = find_grips(motion) if grips is None else grips
    pairs: dict[tuple[str, str], list[Grip]] = {}
    for grip in found:
        pairs.setdefault((grip.joint, grip.other), []).append(grip)
    # Hands first: a prop follows where they are led.
    for hands in (True, False):
        for (one, other), kept in pairs.items():
            if (other in ends) == hands:
                keep = _hands_kept if hands else _prop_kept
                made = keep(motion, made, warp, body, one, other, kept)
    return made


def held_share(times: FloatArray, grips: Sequence[Grip]) -> FloatArray:
    """Return the weight of a grip at source times, (F,): 1 inside, eased to 0 before and after."""
    away = np.min([np.maximum(g.start - times, times - g.end) for g in grips], axis=0)
    u = np.clip(1 - np.maximum(away, 0.0) / _ASIDE, 0.0, 1.0)
    return np.asarray(u**3 * (10 - 15 * u + 6 * u**2))


def _at(motion: Motion, joint: int, times: FloatArray) -> FloatArray:
    track = cached_positions(motion)[:, joint]
    return np.stack([np.interp(times, motion.times, track[:, c]) for c in range(3)], axis=1)


def carried(
    motion: Motion,
    then: FloatArray,
    holder: int,
    held: int,
    place: FloatArray,
    turn: FloatArray,
    other: Motion | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Return position (F, 3) and rotation (F, 4) of a held object after its holder moved.

    ``place`` and ``turn`` are the holder's new ones, ``then`` the source's times. The held joint
    is of ``motion``, or of ``other``, a figure in the same time.
    """
    other = motion if other is None else other
    by = quat.multiply(turn, quat.conjugate(turns_at(motion, holder, then)))
    way = _at(other, held, then) - _at(motion, holder, then)
    return place + quat.rotate(by, way), quat.multiply(by, turns_at(other, held, then))


def _hands_kept(
    motion: Motion,
    made: Motion,
    warp: TimeWarp,
    body: Body,
    one: str,
    other: str,
    grips: Sequence[Grip],
) -> Motion:
    """Move two hands to each other: the second half of the way, then the first all of the rest.

    The second hand compensates for what the first cannot reach.
    """
    first, second = (motion.skeleton.index(n) for n in (one, other))
    limbs = {limb.end: limb for limb in body.limbs.values()}
    then = (warp(made.times, one) + warp(made.times, other)) / 2
    share = held_share(then, grips)
    frames = np.flatnonzero(share > 0)
    if len(frames) < 2:
        return made
    part_of, then, share = _frames(made, frames), then[frames], share[frames]
    for holder, held, part in (
        (first, second, 0.5),
        (second, first, 1.0),
        (first, second, 1.0),
    ):
        solver = LimbSolver.of(part_of, limbs[held])
        place, turn = solver.points[:, holder], solver.rotations[:, holder]
        goal, wanted = carried(motion, then, holder, held, place, turn)
        move = (part * share)[:, None] * (goal - solver.points[:, held])
        by = quat.multiply(wanted, quat.conjugate(solver.rotations[:, held]))
        by = quat.slerp(quat.identity(len(by)), by, part * share)
        still = (np.abs(move).max(axis=1) < _SAME) & (quat.angle(by, quat.identity(1)) < _SAME)
        move[still], by[still] = 0.0, [1.0, 0.0, 0.0, 0.0]
        part_of = solver.reach(held, move, by)[0]
    local = made.rotations.copy()
    for limb in (limbs[first], limbs[second]):
        for j in (limb.upper, limb.lower, limb.end):
            local[frames, j] = part_of.rotations[:, j]
    tracks = dict(made.translations)
    for name, track in part_of.translations.items():
        if name in tracks and not np.array_equal(tracks[name][frames], track):
            tracks[name] = tracks[name].copy()
            tracks[name][frames] = track
    return replace(made, rotations=freeze(local), translations=tracks)


def _frames(motion: Motion, frames: npt.NDArray[np.int64]) -> Motion:
    """Return some frames of a motion."""
    return replace(
        motion,
        rotations=freeze(motion.rotations[frames]),
        translations={n: t[frames] for n, t in motion.translations.items()},
        scales={n: t[frames] for n, t in motion.scales.items()},
        sample_times=motion.times[frames],
        origin=None,
    )


def _prop_kept(
    motion: Motion,
    made: Motion,
    warp: TimeWarp,
    body: Body,
    one: str,
    other: str,
    grips: Sequence[Grip],
) -> Motion:
    """Put a prop into the hand that holds it, as it is there in the source."""
    skeleton = motion.skeleton
    hand, prop = skeleton.index(one), prop_of(motion, other)
    name = skeleton.names[prop]
    then = warp(made.times, one)
    share = held_share(then, grips)
    points, turns = cached_positions(made), cached_rotations(made)
    goal, wanted = carried(motion, then, hand, prop, points[:, hand], turns[:, hand])
    move = share[:, None] * (goal - points[:, prop])
    by = quat.multiply(wanted, quat.conjugate(turns[:, prop]))
    by = quat.slerp(quat.identity(len(by)), by, share)
    busy = (np.abs(move).max(axis=1) > _SAME) | (quat.angle(by, quat.identity(1)) > _SAME)
    if not busy.any():
        return made
    parent = int(skeleton.parents[prop])
    above = turns[:, parent] if parent >= 0 else upright(made.units)
    local, track = made.rotations.copy(), local_translations(made)[:, prop].copy()
    turned = quat.multiply(quat.conjugate(above), quat.multiply(by, turns[:, prop]))
    local[busy, prop] = turned[busy]
    track[busy] += (quat.rotate(quat.conjugate(above), move) / made.units.metres)[busy]
    return replace(made, rotations=freeze(local), translations={**made.translations, name: track})
