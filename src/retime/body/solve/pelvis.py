"""A pelvis that follows its feet: legs whose plants move in time stay as long as they were.

Ankles keep their ways in space while they are in contact, and their places as seen from the hips
elsewhere, each at its own time. The hips move only as far as a planted leg would be too short.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray, freeze
from retime.body.contacts import detect_contacts, find_slides
from retime.body.model.body import Limb, LimbName, find_body
from retime.body.solve.hinges import hinge_axis
from retime.body.solve.limbs import LimbSolver
from retime.motion import Motion, quat
from retime.motion.kinematics import cached_positions, cached_rotations
from retime.motion.memory import last
from retime.numeric import BandedCholesky, solve_banded
from retime.timing import TimeWarp

__all__ = [
    "PAD",
    "CatchUp",
    "frames_away",
    "moved",
    "pelvis_follows",
    "smooth_track",
    "turns_at",
]

Mask = npt.NDArray[np.bool_]

# What a displacement of the pelvis costs, and what its acceleration costs.
_STAY, _SMOOTH = 0.02, 1e-5
# What the acceleration of an ankle costs that catches up with the hips after a plant; to lag costs
# 1, and this much more where it is this many seconds from a plant.
_CATCH_UP, _LATE, _LATE_AT = 2e-5, 200.0, 0.15
# A planted leg is not asked to be shorter than this share of its bones.
_SHORT = 0.9
# A leg in the air that is straighter than this keeps its length, or its knee would snap: all of it
# from the second share on, and from this many seconds after a plant on.
_BENT, _STRAIGHT, _OFF = 0.85, 0.95, 0.1
# What comes and goes within this time, in seconds, is noise: hips and ankle of different moments do
# not shake together. Holding the foot makes up for it by a turn of the foot.
_SHAKE = 0.1
# The pelvis may move this long before and after feet do, seconds.
PAD = 0.3
_ROUNDS, _CLOSE = 60, 5e-4
_LEGS: tuple[LimbName, ...] = ("left_leg", "right_leg")


@dataclass(frozen=True, eq=False)
class _Leg:
    """A leg at its own time.

    ``now`` and ``hip`` are the retimed hips and the leg's first joint, ``place`` its ankle as seen
    from the hips at its own time, ``behind`` how far those hips are from the retimed ones.
    """

    limb: Limb
    then: FloatArray
    now: FloatArray
    hip: FloatArray
    place: FloatArray
    behind: FloatArray
    planted: Mask
    away: FloatArray
    length: float
    natural: FloatArray
    rate: float

    @classmethod
    def of(
        cls, motion: Motion, hips: int, now: FloatArray, limb: Limb, then: FloatArray, rate: float
    ) -> _Leg:
        points = cached_positions(motion)
        upper, lower, end = (points[:, j] for j in (limb.upper, limb.lower, limb.end))
        length = float(np.linalg.norm(lower[0] - upper[0]) + np.linalg.norm(end[0] - lower[0]))
        natural = np.interp(then, motion.times, np.linalg.norm(end - upper, axis=1))
        planted = _planted(motion, limb, then)
        return cls(
            limb,
            then,
            now[:, hips],
            now[:, limb.upper],
            _at(motion, end - points[:, hips], then),
            _at(motion, points[:, hips], then) - now[:, hips],
            planted,
            frames_away(planted, rate),
            length,
            natural,
            rate,
        )

    @cached_property
    def _catching_up(self) -> CatchUp:
        return CatchUp.of(self.planted, self.away, self.rate)

    @cached_property
    def _straight(self) -> FloatArray:
        """How straight a leg is, from bent (0) to nearly straight (1), (N,)."""
        return _eased((self.natural / max(self.length, 1e-9) - _BENT) / (_STRAIGHT - _BENT))

    @cached_property
    def _keeps_length(self) -> FloatArray:
        """How much a leg in the air keeps its length, (N,)."""
        return self._straight * _eased(self.away / _OFF)

    def _steady(self, longer: FloatArray) -> FloatArray:
        """Take shaking out of how much longer a leg gets, (N,): a straight knee magnifies it."""
        steps = round(_SHAKE * self.rate / 2)
        if steps < 1:
            return longer
        window = np.bartlett(2 * steps + 3)[1:-1]
        padded = np.pad(longer, steps, mode="edge")
        slow = np.convolve(padded, window / window.sum(), "valid")
        return np.asarray(longer + self._straight * (slow - longer))

    def ankle(self, offset: FloatArray) -> FloatArray:
        """Return where the ankle belongs (N, 3), with the pelvis displaced.

        A plant stays in space while the hips go on; beside it the ankle catches up smoothly.
        """
        lag = self._catching_up(np.where(self.planted[:, None], self.behind - offset, 0.0))
        hip = self.hip + offset
        way = self.now + offset + self.place + lag - hip
        reach = np.linalg.norm(way, axis=1)
        longer = self._steady(reach - self.natural)
        kept = self.natural + (1 - self._keeps_length) * longer
        return np.asarray(hip + way * (kept / np.maximum(reach, 1e-9))[:, None])


def pelvis_follows(motion: Motion, retimed: Motion, warp: TimeWarp) -> Motion:
    """Move the pelvis of a retimed motion between its feet, and the feet to their positions.

    Parameters
    ----------
    motion : Motion
        The source.
    retimed : Motion
        It, with legs and hips at different times; all of its frames, or those about the edit.
    warp : TimeWarp
        From the retimed motion's time to the source's.
    """
    body, times = find_body(motion), retimed.times
    if not set(_LEGS) <= set(body.limbs) or "hips" not in body.roles:
        return retimed
    now, names = cached_positions(retimed), motion.skeleton.names
    thens = {n: warp(times, names[body.limbs[n].end]) for n in _LEGS}
    hips = warp(times, names[body.roles["hips"]])
    busy = np.any([np.abs(then - hips) > 1e-9 for then in thens.values()], axis=0)
    if not busy.any():
        return retimed
    pad = round(PAD * retimed.rate)
    first, final = np.flatnonzero(busy)[[0, -1]]
    span = slice(max(first - pad, 0), min(final + pad + 1, len(times)))
    legs = [
        _Leg.of(motion, body.roles["hips"], now[span], body.limbs[n], then[span], retimed.rate)
        for n, then in thens.items()
    ]
    offset = np.zeros((len(times), 3))
    offset[span] = _between_feet(legs)
    made = moved(retimed, offset)
    for leg in legs:
        goal, then = now[:, leg.limb.end].copy(), hips.copy()
        goal[span], then[span] = leg.ankle(offset[span]), leg.then
        made = _lead(motion, made, leg.limb, then, hips, goal)
    return made


def _between_feet(legs: list[_Leg]) -> FloatArray:
    """Return the pelvis's displacement (N, 3): the least for which planted legs are long enough."""
    rate, found = legs[0].rate, np.zeros_like(legs[0].hip)
    more, toward = np.zeros(len(found)), np.zeros_like(found)
    for _ in range(_ROUNDS):
        pull, count, worst = np.zeros_like(found), np.zeros(len(found)), 0.0
        for leg in legs:
            way = leg.ankle(found) - leg.hip - found
            reach = np.linalg.norm(way, axis=1)
            over = np.maximum(reach - np.maximum(leg.natural, _SHORT * leg.length), 0.0)
            over *= leg.planted  # a foot in the air goes with the pelvis
            pull += (over / np.maximum(reach, 1e-9))[:, None] * way
            count += over > 0
            worst = max(worst, float(over.max(initial=0.0)))
        if worst < _CLOSE:
            break
        late = count > 0
        step = found + 1.5 * pull / np.maximum(count, 1)[:, None]
        toward = np.where(late[:, None], step, toward)
        more = np.where(late, more + 1.0, more)
        found = smooth_track(more, more[:, None] * toward, rate)
    return found


def _eased(u: FloatArray) -> FloatArray:
    u = np.clip(u, 0, 1)
    return np.asarray(u * u * (3 - 2 * u))


def frames_away(planted: Mask, rate: float) -> FloatArray:
    """Return the seconds to the nearest planted frame, (N,)."""
    known = np.flatnonzero(planted)
    if not len(known):
        return np.full(len(planted), np.inf)
    frame = np.arange(len(planted))
    k = np.searchsorted(known, frame)
    before, after = known[np.maximum(k - 1, 0)], known[np.minimum(k, len(known) - 1)]
    return np.asarray(np.minimum(np.abs(frame - before), np.abs(after - frame)) / rate)


@dataclass(frozen=True, eq=False)
class CatchUp:
    """Fills displacements between known frames: least lag and acceleration there."""

    factor: BandedCholesky | None
    couplings: tuple[tuple[int, FloatArray, FloatArray], ...]
    known: Mask

    @classmethod
    def of(cls, known: Mask, away: FloatArray, rate: float) -> CatchUp:
        """Factor the equations once; they hold for every displacement of the pelvis."""
        if not known.any():
            return cls(None, (), known)
        stiff = _CATCH_UP * rate**4
        band, free, couplings = np.zeros((3, len(known))), ~known, []
        band[2] = 1.0 + _LATE * (away / _LATE_AT) ** 4 + 6 * stiff
        band[2, known] = 1.0
        for step, by in ((1, -4.0 * float(stiff)), (2, float(stiff))):
            # Known values go to the right-hand side; only free frames are coupled.
            before: FloatArray = np.where(known[:-step] & free[step:], by, 0.0)
            after: FloatArray = np.where(known[step:] & free[:-step], by, 0.0)
            couplings.append((step, before, after))
            band[2 - step, step:] = by * (free[step:] & free[:-step])
        return cls(BandedCholesky.of(band), tuple(couplings), known)

    def __call__(self, held: FloatArray) -> FloatArray:
        """Fill displacements (N, 3) that are known where they are held."""
        if self.factor is None:
            return np.zeros_like(held)
        right = np.where(self.known[:, None], held, 0.0)
        for step, before, after in self.couplings:
            right[step:] -= before[:, None] * held[:-step]
            right[:-step] -= after[:, None] * held[step:]
        return self.factor.solve(right)


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
        Frames per second.
    stay, smooth : float
        Costs of a displacement, and of its acceleration.
    """
    stiff = smooth * rate**4
    band = np.zeros((3, len(cost)))
    band[2] = cost + stay + 6 * stiff
    band[1, 1:], band[0, 2:] = -4 * stiff, stiff
    return solve_banded(band, weighted)


def _planted(motion: Motion, limb: Limb, times: FloatArray) -> Mask:
    """Mark the times (N,) at which a foot is in contact."""
    names = {motion.skeleton.names[j] for j in (limb.end, limb.tip) if j is not None}
    found = last(motion, "contacts of feet", None, lambda: detect_contacts(motion))
    slides = last(motion, "slides of feet", None, lambda: find_slides(motion, found))
    out = np.zeros(len(times), dtype=bool)
    for contact in (*found, *(slide.contact for slide in slides)):
        if contact.joint in names:
            out |= (times >= contact.start) & (times <= contact.end)
    return out


def moved(motion: Motion, offset: FloatArray) -> Motion:
    """Move a whole figure, metres with Y up."""
    root = motion.skeleton.names[motion.skeleton.roots[0]]
    if motion.units.up == "Z":
        offset = np.stack([offset[:, 0], -offset[:, 2], offset[:, 1]], axis=1)
    track = motion.translations[root] + offset / motion.units.metres
    return replace(motion, translations={**motion.translations, root: track})


def _lead(
    motion: Motion, made: Motion, limb: Limb, then: FloatArray, hips: FloatArray, goal: FloatArray
) -> Motion:
    """Move an ankle to its goal; thigh and foot are turned in space as they were at its time.

    ``then`` are the times of the leg, ``hips`` those of the hips.
    """
    parent = int(motion.skeleton.parents[limb.upper])
    local = made.rotations.copy()
    above = cached_rotations(made)[:, parent]
    thigh = turns_at(motion, limb.upper, then)
    busy = np.abs(then - hips) > 1e-9
    local[busy, limb.upper] = quat.multiply(quat.conjugate(above), thigh)[busy]
    made = replace(made, rotations=freeze(local))
    solver = LimbSolver.of(made, limb, hinge=_hinge(motion, limb))
    move = goal - solver.points[:, limb.end]
    move[np.abs(move).max(axis=1) < 1e-7] = 0.0
    wanted = turns_at(motion, limb.end, then)
    turn = quat.multiply(wanted, quat.conjugate(solver.rotations[:, limb.end]))
    turn[~busy & ~np.any(move != 0, axis=1)] = [1.0, 0.0, 0.0, 0.0]
    return solver.reach(limb.end, move, turn)[0]


def _hinge(motion: Motion, limb: Limb) -> FloatArray | None:
    return last(motion, f"hinge of {limb.lower}", limb, lambda: hinge_axis(motion, limb))


def _at(motion: Motion, track: FloatArray, times: FloatArray) -> FloatArray:
    return np.stack([np.interp(times, motion.times, track[:, c]) for c in range(3)], axis=1)


def turns_at(motion: Motion, joint: int, times: FloatArray) -> FloatArray:
    """Sample a joint's rotation in space at other times, (N, 4)."""
    known = cached_rotations(motion)[:, joint]
    frame, share = motion.frame_at(times)
    return quat.slerp(known[frame], known[np.minimum(frame + 1, len(known) - 1)], share)
