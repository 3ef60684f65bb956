"""Change over from one motion to another, each part of the body at its own time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from retime.arrays import FloatArray
from retime.body import find_body
from retime.body.contacts.plants import detect_contacts
from retime.body.model.body import Limb
from retime.body.solve.hinges import hinge_axis
from retime.body.solve.limbs import LimbSolver
from retime.motion import Motion, quat
from retime.motion.kinematics import cached_positions, cached_rotations, upright

# Parts of the body that change over after the hips and legs, relative to the longest delay.
_LATER = {
    "spine": 0.2, "chest": 0.4, "upper_chest": 0.4, "neck": 0.8, "head": 1.0, "shoulder": 0.5,
    "upper_arm": 0.6, "lower_arm": 0.8, "hand": 1.0,
}  # fmt: skip
# A foot that swings goes to its place in the second motion within this time at most, seconds, and
# in shorter swings stays where it was.
_SWING_S, _STEP_S = 0.5, 0.2
# Steps of Newton's method for the hips, and how much they rather stay than meet both legs.
_STEPS, _SOFT = 4, 0.15


def change_over(
    one: Motion,
    other: Motion,
    start: float,
    end: float,
    stagger: float,
    *,
    stand: bool = True,
) -> Motion:
    """Return a motion that is one before and another after a span of time.

    Parameters
    ----------
    one, other : Motion
        Motions of one skeleton with the same frames.
    start, end : float
        The span, seconds.
    stagger : float
        Share of the span by which hands and head change over after the hips, 0 to 0.8.
    stand : bool
        Keep feet that stand in both in the middle of the span where the first has them, until they
        swing in the second.
    """
    delay = (end - start) * stagger * _delays(one)
    length = (end - start) * (1 - stagger)
    share = (one.times[:, None] - start - delay) / length
    share = _eased(np.clip(share, 0.0, 1.0))
    plants = _plants(one, other, start, end) if stand else {}
    made = replace(
        one,
        rotations=quat.continuous(quat.slerp(one.rotations, other.rotations, share)),
        translations=_tracks(one, other, "translations", share),
        scales=_tracks(one, other, "scales", share),
        origin=None,
    )
    return _with_feet(made, one, other, share, plants)


def _eased(u: FloatArray) -> FloatArray:
    return np.asarray(u**3 * (10 - 15 * u + 6 * u**2))


def _delays(motion: Motion) -> FloatArray:
    """Return how much later each joint (J,) changes over, relative to the longest delay."""
    parts = {joint: role for role, joint in find_body(motion).roles.items()}
    out = np.zeros(len(motion.skeleton))
    for joint, parent in enumerate(motion.skeleton.parents):
        role = parts.get(joint, "").removeprefix("left_").removeprefix("right_")
        above = out[parent] if parent >= 0 else 0.0
        out[joint] = _LATER.get(role, 0.0 if role else above)
    return out


def _tracks(one: Motion, other: Motion, kind: str, share: FloatArray) -> dict[str, FloatArray]:
    own, theirs, skeleton = getattr(one, kind), getattr(other, kind), one.skeleton
    rest = skeleton.offsets if kind == "translations" else skeleton.rest_scales
    out = {}
    for name in dict.fromkeys([*own, *theirs]):
        joint = skeleton.index(name)
        a, b = own.get(name, rest[joint]), theirs.get(name, rest[joint])
        out[name] = a + share[:, joint, None] * (b - a)
    return out


@dataclass(frozen=True)
class _Plant:
    """A foot that stands in both motions when they meet, and stays where the first has it."""

    joint: int
    weight: FloatArray
    """Share (F,) of the second motion in its path: it changes while the foot stands in both."""
    shift: FloatArray
    """Where the first has it, seen from the second (F, 3), until it swings in the second."""


def _plants(one: Motion, other: Motion, start: float, end: float) -> dict[str, _Plant]:
    """Return the foot of each leg that stands in both motions in the middle of a span."""
    contacts = [detect_contacts(m) for m in (one, other)]
    out: dict[str, _Plant] = {}
    for name, limb in find_body(one).limbs.items():
        for joint in (limb.tip, limb.end) if name.endswith("leg") else ():
            if joint is not None and name not in out:
                on = one.skeleton.names[joint]
                own = [[(c.start, c.end) for c in found if c.joint == on] for found in contacts]
                plant = _plant(one, other, joint, own, start, end)
                out |= {} if plant is None else {name: plant}
    return out


def _plant(
    one: Motion,
    other: Motion,
    joint: int,
    contacts: Sequence[Sequence[tuple[float, float]]],
    start: float,
    end: float,
) -> _Plant | None:
    """Return how a joint stays, if it stands in both in the middle of a span."""
    times, middle = one.times, (start + end) / 2
    now = [next((c for c in cs if c[0] <= middle <= c[1]), None) for cs in contacts]
    if now[0] is None or now[1] is None:
        return None
    first, last = max(now[0][0], now[1][0], start), min(now[0][1], now[1][1], end)
    weight = _eased(np.clip((times - first) / max(last - first, 1e-9), 0.0, 1.0))
    lifts, lands = now[1][1], np.inf
    for begins, ends in contacts[1]:
        if begins > lifts:
            lands = begins
            if lands - lifts > _STEP_S:
                break
            lifts, lands = ends, np.inf
    swing = min(lands - lifts, _SWING_S)
    stays = 1 - _eased(np.clip((times - lifts) / swing, 0.0, 1.0))
    frame = int(np.clip(np.searchsorted(times, middle), 0, len(times) - 1))
    places = [cached_positions(m)[frame, joint] for m in (one, other)]
    return _Plant(joint, weight, stays[:, None] * (places[0] - places[1]))


def _with_feet(
    made: Motion, one: Motion, other: Motion, share: FloatArray, plants: Mapping[str, _Plant]
) -> Motion:
    """Put feet where they are between those of both; one that stands in both stands still."""
    body, root = find_body(made), made.skeleton.roots[0]
    legs: dict[str, Limb] = {n: limb for n, limb in body.limbs.items() if n.endswith("leg")}
    nowhere = np.zeros((len(made), 3))
    goals = {
        n: _Goal.of(
            made, one, other, limb, share[:, limb.end],
            plants.get(n, _Plant(limb.end, share[:, limb.end], nowhere)),
        )
        for n, limb in legs.items()
    }  # fmt: skip
    standing = [goals[n] for n in plants]
    if standing:
        back = quat.conjugate(upright(made.units))
        name, down = made.skeleton.names[root], _hips(standing)
        track = made.translations[name] + quat.rotate(back, down) / made.units.metres
        made = replace(made, translations={**made.translations, name: track})
    for n, limb in legs.items():
        solver = LimbSolver.of(made, limb, hinge=hinge_axis(one, limb))
        if not solver.can_bend:
            continue
        move = goals[n].place - solver.points[:, goals[n].joint]
        by = quat.multiply(goals[n].turn, quat.conjugate(solver.rotations[:, limb.end]))
        as_made = (np.abs(move).max(axis=1) < 1e-9) & (np.abs(by[:, 0]) > 1 - 1e-12)
        move[as_made], by[as_made] = 0.0, [1.0, 0.0, 0.0, 0.0]
        made, _ = solver.reach(goals[n].joint, move, by)
    return made


@dataclass(frozen=True)
class _Goal:
    """Where a foot goes, and how long its leg is there."""

    joint: int
    place: FloatArray
    """Where the joint is (F, 3)."""
    turn: FloatArray
    """How the foot is turned (F, 4)."""
    leg: FloatArray
    """From the ankle at its goal to the hip joint (F, 3), before the hips move."""
    length: FloatArray
    """The length of the leg between those of both (F,)."""

    @classmethod
    def of(
        cls, made: Motion, one: Motion, other: Motion, limb: Limb, mix: FloatArray, plant: _Plant
    ) -> _Goal:
        """Return the goal of a leg's foot."""
        here, *both = (cached_positions(m) for m in (made, one, other))
        now, first, second = (cached_rotations(m)[:, limb.end] for m in (made, one, other))
        a, b = (points[:, plant.joint] for points in both)
        place = a + plant.weight[:, None] * (b + plant.shift - a)
        turn = quat.slerp(first, second, mix)
        by = quat.multiply(turn, quat.conjugate(now))
        ankle = place + quat.rotate(by, here[:, limb.end] - here[:, plant.joint])
        stretched = [_stretched(points, limb) for points in both]
        length = _bones(here, limb) * (stretched[0] + mix * (stretched[1] - stretched[0]))
        return cls(plant.joint, place, turn, here[:, limb.upper] - ankle, length)


def _bones(points: FloatArray, limb: Limb) -> FloatArray:
    """Return the length of a straight leg (F,)."""
    upper, lower, end = (points[:, j] for j in (limb.upper, limb.lower, limb.end))
    out: FloatArray = np.linalg.norm(lower - upper, axis=1) + np.linalg.norm(end - lower, axis=1)
    return out


def _stretched(points: FloatArray, limb: Limb) -> FloatArray:
    """Return how straight a leg is (F,): the share of its bones' length that it spans."""
    span = np.linalg.norm(points[:, limb.end] - points[:, limb.upper], axis=1)
    return np.asarray(span / np.maximum(_bones(points, limb), 1e-9))


def _hips(standing: Sequence[_Goal]) -> FloatArray:
    """Return by how much the hips move (F, 3), so that legs that stand are as long as in both.

    A knee that is nearly straight would magnify the difference.
    """
    move = np.zeros_like(standing[0].leg)
    for _ in range(_STEPS):
        ways = np.stack([g.leg + move for g in standing], axis=1)
        sizes = np.linalg.norm(ways, axis=2)
        ways /= sizes[..., None]
        off = np.stack([g.length for g in standing], axis=1) - sizes
        square = ways @ ways.transpose(0, 2, 1) + _SOFT * np.eye(len(standing))
        move += np.einsum("fkc,fk->fc", ways, np.linalg.solve(square, off[..., None])[..., 0])
    return move
