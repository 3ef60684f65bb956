"""A pelvis that follows its feet: legs whose plants move in time stay as long as they were.

Ankles keep their ways in space while they are in contact, and their places as seen from the hips
elsewhere, each at its own time. The hips move between them so that legs need not stretch.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from retime.arrays import FloatArray
from retime.body.body import Limb, LimbName, find_body
from retime.body.contacts import detect_contacts
from retime.body.limbs import LimbSolver
from retime.motion import Motion, quat
from retime.motion.kinematics import global_rotations, positions
from retime.timing import TimeWarp

__all__ = ["moved", "pelvis_follows", "smooth_track"]

# Legs carry this much in the air; longer legs count by this power of their reach.
_AIR, _POWER = 0.05, 8
# What a displacement of the pelvis costs, and what its acceleration costs.
_STAY, _SMOOTH = 0.02, 1e-5
# A leg is at most this share of its bones, and is never asked to be shorter than that share.
_STRAIGHT, _SHORT = 0.999, 0.9
# Contacts ease in and out over this many seconds: for the pelvis, and for ankles.
_LOAD_FADE, _HOLD_FADE = 0.15, 0.2
# The pelvis may move this long before and after feet do, seconds.
_PAD = 0.3
_ROUNDS, _CLOSE = 60, 5e-4
_LEGS: tuple[LimbName, ...] = ("left_leg", "right_leg")


@dataclass(frozen=True, eq=False)
class _Leg:
    """A leg at its own time: where its ankle belongs, how long it is, and how much it carries."""

    limb: Limb
    then: FloatArray
    goal: FloatArray
    held: FloatArray
    load: FloatArray
    length: float
    natural: FloatArray
    hips: FloatArray

    @classmethod
    def of(
        cls, motion: Motion, points: FloatArray, hips: int, now: FloatArray, limb: Limb,
        then: FloatArray,
    ) -> _Leg:  # fmt: skip
        upper, lower, end = (points[:, j] for j in (limb.upper, limb.lower, limb.end))
        length = float(np.linalg.norm(lower[0] - upper[0]) + np.linalg.norm(end[0] - lower[0]))
        natural = np.interp(then, motion.times, np.linalg.norm(end - upper, axis=1))
        held = _contact_share(motion, limb, _HOLD_FADE)
        held = np.interp(then, motion.times, held)[:, None]
        from_hips = now + _at(motion, end - points[:, hips], then)
        goal = held * _at(motion, end, then) + (1 - held) * from_hips
        load = np.interp(then, motion.times, _contact_share(motion, limb, _LOAD_FADE))
        cost = (_AIR + load) * (natural / length) ** _POWER
        return cls(
            limb, then, goal, held, cost, length, natural, _at(motion, points[:, hips], then)
        )


def pelvis_follows(motion: Motion, retimed: Motion, warp: TimeWarp) -> Motion:
    """Move a retimed motion's pelvis between its feet, and lead the feet to their places.

    Parameters
    ----------
    motion : Motion
        The source.
    retimed : Motion
        It, with legs at other times than the hips.
    warp : TimeWarp
        From the retimed motion's time to the source's.
    """
    body, times = find_body(motion), retimed.times
    if not set(_LEGS) <= set(body.limbs) or "hips" not in body.roles:
        return retimed
    hips, points = body.roles["hips"], positions(motion)
    now = positions(retimed)
    names = motion.skeleton.names
    legs = []
    for name in _LEGS:
        then = warp(times, names[body.limbs[name].end])
        legs.append(_Leg.of(motion, points, hips, now[:, hips], body.limbs[name], then))
    busy = np.any([np.abs(leg.then - times) > 1e-9 for leg in legs], axis=0)
    if not busy.any():
        return retimed
    pad = round(_PAD * retimed.rate)
    first, last = np.flatnonzero(busy)[[0, -1]]
    span = slice(max(first - pad, 0), min(last + pad + 1, len(times)))
    offset = np.zeros((len(times), 3))
    offset[span] = _between_feet(legs, now, now[:, hips], span, retimed.rate)
    made = moved(retimed, offset)
    for leg in legs:
        made = _lead(motion, made, leg, leg.goal + (1 - leg.held) * offset)
    return made


def _between_feet(
    legs: list[_Leg], now: FloatArray, hips: FloatArray, span: slice, rate: float
) -> FloatArray:
    """Return the pelvis's displacement (N, 3): near to where each loaded leg had its hips."""
    cost = np.sum([leg.load[span] for leg in legs], axis=0)
    wanted = np.sum([leg.load[span, None] * (leg.hips - hips)[span] for leg in legs], axis=0)
    found = smooth_track(cost, wanted, rate)
    more, toward = np.zeros(len(cost)), np.zeros_like(found)
    for _ in range(_ROUNDS):
        pull, count, worst = np.zeros_like(found), np.zeros(len(cost)), 0.0
        for leg in legs:
            way = leg.goal[span] - now[span, leg.limb.upper] - leg.held[span] * found
            reach = np.linalg.norm(way, axis=1)
            most = np.minimum(leg.natural[span], _STRAIGHT * leg.length)
            over = np.maximum(reach - np.maximum(most, _SHORT * leg.length), 0.0)
            over *= leg.held[span, 0] > _CLOSE  # a foot in the air goes with the pelvis
            pull += (over / np.maximum(reach, 1e-9))[:, None] * way
            count += over > 0
            worst = max(worst, float(over.max(initial=0.0)))
        if worst < _CLOSE:
            break
        late = count > 0
        step = found + 1.5 * pull / np.maximum(count, 1)[:, None]
        toward = np.where(late[:, None], step, toward)
        more = np.where(late, more + 1.0, more)
        found = smooth_track(cost + more, wanted + more[:, None] * toward, rate)
    return found


def smooth_track(
    cost: FloatArray,
    weighted: FloatArray,
    rate: float,
    *,
    stay: float = _STAY,
    smooth: float = _SMOOTH,
) -> FloatArray:
    """Minimise sum c |d - T|^2 + stay |d|^2 + smooth |d''|^2, at rest at both ends.

    Parameters
    ----------
    cost : array (N,)
        c of each frame.
    weighted : array (N, D)
        c T of each frame.
    rate : float
        Frames a second.
    stay, smooth : float
        Costs of a displacement, and of its acceleration.
    """
    from scipy.linalg import solveh_banded

    stiff = smooth * rate**4
    band = np.zeros((3, len(cost)))
    band[2] = cost + stay + 6 * stiff
    band[1, 1:], band[0, 2:] = -4 * stiff, stiff
    return np.asarray(solveh_banded(band, weighted))


def _contact_share(motion: Motion, limb: Limb, fade: float) -> FloatArray:
    """Return how much a foot is in contact, (F,): 1 while it is, eased beside that."""
    names = {motion.skeleton.names[j] for j in (limb.end, limb.tip) if j is not None}
    out = np.zeros(len(motion))
    for contact in detect_contacts(motion):
        if contact.joint in names:
            away = np.maximum(contact.start - motion.times, motion.times - contact.end)
            u = np.clip(1 - np.maximum(away, 0.0) / fade, 0, 1)
            out = np.maximum(out, u**2 * (3 - 2 * u))
    return out


def moved(motion: Motion, offset: FloatArray) -> Motion:
    """Move a whole figure, metres with Y up."""
    root = motion.skeleton.names[motion.skeleton.roots[0]]
    if motion.units.up == "Z":
        offset = np.stack([offset[:, 0], -offset[:, 2], offset[:, 1]], axis=1)
    track = motion.translations[root] + offset / motion.units.metres
    return replace(motion, translations={**motion.translations, root: track})


def _lead(motion: Motion, made: Motion, leg: _Leg, goal: FloatArray) -> Motion:
    """Lead an ankle to its goal; thigh and foot are turned in space as they were at its time."""
    turns = global_rotations(motion)
    parent = int(motion.skeleton.parents[leg.limb.upper])
    local = made.rotations.copy()
    above = global_rotations(made)[:, parent]
    thigh = _turns_at(motion, turns[:, leg.limb.upper], leg.then)
    busy = np.abs(leg.then - made.times) > 1e-9
    local[busy, leg.limb.upper] = quat.multiply(quat.conjugate(above), thigh)[busy]
    made = replace(made, rotations=local)
    solver = LimbSolver.of(made, leg.limb)
    move = goal - solver.points[:, leg.limb.end]
    move[np.abs(move).max(axis=1) < 1e-7] = 0.0
    wanted = _turns_at(motion, turns[:, leg.limb.end], leg.then)
    turn = quat.multiply(wanted, quat.conjugate(solver.rotations[:, leg.limb.end]))
    turn[~busy & ~np.any(move != 0, axis=1)] = [1.0, 0.0, 0.0, 0.0]
    return solver.reach(leg.limb.end, move, turn)[0]


def _at(motion: Motion, track: FloatArray, times: FloatArray) -> FloatArray:
    return np.stack([np.interp(times, motion.times, track[:, c]) for c in range(3)], axis=1)


def _turns_at(motion: Motion, turns: FloatArray, times: FloatArray) -> FloatArray:
    frame, share = motion.frame_at(times)
    return quat.slerp(turns[frame], turns[np.minimum(frame + 1, len(turns) - 1)], share)
