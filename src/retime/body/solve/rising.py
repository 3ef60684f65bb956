"""Higher jumps and deeper crouches: scale vertical motion, and keep the path on the ground.

The height of the hips is scaled relative to the height at which feet leave and meet the ground, so
that height and speed are continuous there. Feet in the air are lifted with the hips; on the ground
they keep the source's path. If legs are too short, the hips are lowered to their reach.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray, freeze
from retime.body.contacts import find_contacts
from retime.body.model.body import LimbName, find_body
from retime.body.solve.flights import flight_offsets, in_air
from retime.body.solve.hinges import hinge_axis
from retime.body.solve.limbs import LimbSolver
from retime.body.solve.pelvis import frames_away, moved, smooth_track
from retime.motion import Motion, quat
from retime.motion.kinematics import cached_positions, cached_rotations, upright
from retime.motion.memory import last as remembered
from retime.numeric import gaussian_filter

__all__ = ["lifted", "raised", "too_high"]

Mask = npt.NDArray[np.bool_]
# The reference is that of a flight this long beside it, and of standing this long away; seconds.
_NEAR, _FAR = 0.1, 0.5
# Changes ease in and out over this long at the clip's ends, and feet over that long beside flights.
_ENDS, _BESIDE, _CORNER = 0.3, 0.15, 0.1
# A hand below this fraction of the usual hip height supports the body. After other parts than the
# feet have carried it, changes ease in again over this many seconds.
_ON_HANDS, _GETTING_UP = 0.3, 0.6
# Standard deviation of the filter against noise, seconds. The gravity of flights stays as it is.
_NOISE = 0.04
# Who stands is slower than this, m/s, and not lower than this below the reference, metres.
_STILL, _LOW = 0.1, 0.25
# A flight that falls by less than this, m/s^2, is none: its height is scaled as it is.
_FALLS = 2.0
# A body that leans farther than this, radians, is upside down: no lean of it is scaled, and less
# and less of it within the second angle before that.
_OVER, _UPSIDE = np.radians(120), np.radians(60)
# A leg is at most this share of its bones.
_STRAIGHT = 0.999
_LEGS: tuple[LimbName, ...] = ("left_leg", "right_leg")


def raised(
    base: Motion, made: Motion, weight: float, span: tuple[float, float] | None = None
) -> Motion:
    """Scale the vertical motion of a body and its lean.

    Parameters
    ----------
    base : Motion
        The motion.
    made : Motion
        It with other changes of pose, on the same frames: what is returned is this one, raised.
    weight : float
        By what fraction; 0.4 makes a jump 1.4 times as high and its crouch as deep.
    span : (float, float), optional
        Outside of these times nothing changes, seconds.
    """
    body = find_body(base)
    if not set(_LEGS) <= set(body.limbs) or "hips" not in body.roles or len(base) < 8:
        return made
    hips = body.roles["hips"]
    first, last = base.domain if span is None else span
    ease = _smoothstep(np.minimum(base.times - first, last - base.times) / _ENDS)
    stance = remembered(base, "stance", None, lambda: _Stance.of(base, hips))
    ease = ease * stance.on_feet
    higher = _without_noise(weight * ease * stance.above, base.rate)
    out = lifted(base, _leaning(made, hips, weight * ease), higher, stance.air)
    return out if span is None else _inside(made, out, (base.times > first) & (base.times < last))


def lifted(base: Motion, made: Motion, higher: FloatArray, air: Mask) -> Motion:
    """Move a body up and down, with its feet in flight, and without them on the ground.

    Parameters
    ----------
    base, made : Motion
        The motion, and it with other changes of pose, on the same frames; this one is moved.
    higher : array (F,)
        By how much, metres.
    air : array (F,) of bool
        Frames in flight.
    """
    out = moved(made, higher[:, None] * np.array([0.0, 1.0, 0.0]))
    if not set(_LEGS) <= set(find_body(base).limbs):
        return out
    goals = cached_positions(base).copy()
    goals[..., 1] += _lift(higher, air, base.rate)[:, None]
    held = _on_ground(air, base.rate)
    # Arms before legs: both see the same positions, which are measured once.
    out = _hands_above(_lowered(base, out, goals, air, held), base)
    return _grounded(base, out, goals, held)


@dataclass(frozen=True, eq=False)
class _Stance:
    """Parts of a body's height that can be scaled; they do not depend on the amount."""

    air: Mask
    """Frames in which it flies, (F,)."""
    on_feet: FloatArray
    """How much its feet alone carry it, 0 to 1, (F,)."""
    above: FloatArray
    """Height of the hips above the reference, (F,) metres."""

    @classmethod
    def of(cls, motion: Motion, hips: int) -> _Stance:
        flights = find_contacts(motion).flights
        air, height = in_air(motion, flights), cached_positions(motion)[:, hips, 1]
        # A body that lies, kneels or crawls does not crouch: lower, it would sink into the floor.
        on_feet = _smoothstep(frames_away(_off_feet(motion, hips), motion.rate) / _GETTING_UP)
        above = _about_reference(motion, height, air)
        return cls(air, on_feet, _in_flight(motion.times, height, above, flights))


def _inside(before: Motion, after: Motion, when: Mask) -> Motion:
    """Return one motion in some frames, and another in all others."""
    return replace(
        after,
        rotations=np.where(when[:, None, None], after.rotations, before.rotations),
        translations={
            n: np.where(when[:, None], t, before.translations.get(n, t))
            for n, t in after.translations.items()
        },
    )


def _smoothstep(u: FloatArray) -> FloatArray:
    u = np.clip(u, 0.0, 1.0)
    out: FloatArray = u**3 * (10 - 15 * u + 6 * u**2)
    return out


def _in_flight(
    times: FloatArray,
    height: FloatArray,
    above: FloatArray,
    flights: Sequence[tuple[float, float]],
) -> FloatArray:
    """Return heights above the reference (F,) with the parabolas that flights fall on."""
    out = above.copy()
    for start, end in flights:
        inside = (times >= start) & (times <= end)
        if inside.sum() < 4:
            continue
        fall = -2.0 * float(np.polyfit(times[inside] - start, height[inside], 2)[0])
        if fall > _FALLS:
            out[inside] = flight_offsets(times[inside], [(start, end)], [fall], ease=0.0)
    return out


def _off_feet(motion: Motion, hips: int) -> Mask:
    """Mark the frames (F,) in which more than the feet carries a body: knees, hands, its trunk."""
    body, found, points = find_body(motion), find_contacts(motion), cached_positions(motion)[..., 1]
    chains = motion.skeleton.chain
    feet = {body.limbs[leg].end for leg in _LEGS}
    arms = {limb.upper for name, limb in body.limbs.items() if name not in _LEGS}
    low = found.floor.level + _ON_HANDS * (np.percentile(points[:, hips], 95) - found.floor.level)
    out = np.zeros(len(motion), dtype=bool)
    for contact in found.contacts:
        j = motion.skeleton.index(contact.joint)
        frames = (motion.times >= contact.start) & (motion.times <= contact.end)
        if feet.intersection(chains(j)) or not frames.any():
            continue
        # Hands on a table carry little.
        if not arms.intersection(chains(j)) or np.median(points[frames, j]) < low:
            out |= frames
    return out


def _about_reference(motion: Motion, height: FloatArray, air: Mask) -> FloatArray:
    """Return the hips' height above where they are at toe-off, or where the body stands."""
    edges = np.flatnonzero(np.diff(np.r_[False, air, False]))
    frames = np.sort(np.r_[edges[::2], edges[1::2] - 1])
    level = np.interp(np.arange(len(height)), frames, height[frames]) if len(frames) else None
    top = np.full(len(height), np.percentile(height, 95)) if level is None else level
    speed = np.gradient(height, 1 / motion.rate)
    still = ~air & (np.abs(speed) < _STILL) & (height > top - _LOW)
    stands = np.median(height[still]) if still.sum() > 0.2 * motion.rate else top
    standing = np.minimum(stands, top)
    if level is None:
        return np.asarray(np.minimum(height - standing, 0.0))  # nothing flies: only crouches
    share = _smoothstep(1 - (frames_away(air, motion.rate) - _NEAR) / (_FAR - _NEAR))
    out: FloatArray = height - (standing + (top - standing) * share)
    return out


def _leaning(made: Motion, hips: int, share: FloatArray) -> Motion:
    """Scale how the hips lean about their mean lean; their heading stays."""
    in_space = cached_rotations(made)
    own_turns = in_space[:, hips]
    up = np.array([0.0, 1.0, 0.0])
    # The axis of the hips that points up on the mean tells the lean.
    own_up = quat.rotate(quat.conjugate(own_turns), np.broadcast_to(up, (len(made), 3))).mean(
        axis=0
    )
    own_up /= max(float(np.linalg.norm(own_up)), 1e-9)
    axis = quat.rotate(own_turns, np.broadcast_to(own_up, (len(made), 3)))
    lean = quat.log(quat.between(np.broadcast_to(up, axis.shape), axis))
    heading = quat.twist(own_turns, up)
    yaw = quat.from_axis_angle(up, heading)
    own = _without_noise(quat.rotate(quat.conjugate(yaw), lean), made.rate)
    share = share * _smoothstep((_OVER - np.linalg.norm(lean, axis=1)) / _UPSIDE)
    extra = quat.exp(quat.rotate(yaw, share[:, None] * (own - own.mean(axis=0))))
    parent = int(made.skeleton.parents[hips])
    above = in_space[:, parent] if parent >= 0 else upright(made.units)
    local = made.rotations.copy()
    local[:, hips] = quat.multiply(quat.conjugate(above), quat.multiply(extra, own_turns))
    return replace(made, rotations=freeze(local))


def _without_noise(values: FloatArray, rate: float) -> FloatArray:
    """Smooth what is added to a body, (F, ...): scaled noise of its hips bends straight knees."""
    return gaussian_filter(values, _NOISE * rate, ends="nearest")


def _on_ground(air: Mask, rate: float) -> FloatArray:
    """Return how much feet are on the ground, (F,): 1 there, and less beside it on either side.

    The fades of both sides are united, because the nearer of two has a cusp in a short flight.
    """
    frame, never = np.arange(len(air)), np.inf
    since = frame - np.maximum.accumulate(np.where(air, -never, frame))
    until = np.minimum.accumulate(np.where(air, never, frame)[::-1])[::-1] - frame
    before, after = (_smoothstep(1 - away / (_BESIDE * rate)) for away in (since, until))
    return np.asarray(1 - (1 - before) * (1 - after))


def _lift(higher: FloatArray, air: Mask, rate: float) -> FloatArray:
    """Return how much higher feet go, (F,): as the hips in flight, with rounded corners."""
    half = max(int(_CORNER * rate / 2), 1)
    window = np.hanning(2 * half + 3)[1:-1]
    padded = np.pad(np.where(air, higher, 0.0), half, mode="edge")
    out: FloatArray = np.convolve(padded, window / window.sum(), "valid")
    return out


def _lowered(base: Motion, made: Motion, goals: FloatArray, air: Mask, held: FloatArray) -> Motion:
    """Bring the hips down until legs reach their goals, and bend legs on the ground as before."""
    down = too_high(base, made, goals, air)
    if down.any():
        made = moved(made, -down[:, None] * np.array([0.0, 1.0, 0.0]))
    legs, local = [find_body(base).limbs[name] for name in _LEGS], made.rotations.copy()
    bent = [j for limb in legs for j in (limb.upper, limb.lower)]
    # An exaggerated knee may be past straight.
    local[:, bent] = _toward(local[:, bent], base.rotations[:, bent], held)
    return replace(made, rotations=freeze(local))


def _grounded(base: Motion, made: Motion, goals: FloatArray, held: FloatArray) -> Motion:
    """Move feet the source's way while they are on the ground, lifted in flight.

    ``goals`` (F, J, 3) are where ankles belong, and ``held`` (F,) is how much they are on the
    ground.
    """
    legs = [find_body(base).limbs[name] for name in _LEGS]
    seen = cached_positions(made), cached_rotations(made)
    for limb in legs:  # none hangs on the other, unless its foot is below another joint
        # A knee a hair past straight would change sides where its leg gets shorter.
        hinge = hinge_axis(base, limb)
        solver = LimbSolver.of(made, limb, hinge=hinge, known=None if limb.linked else seen)
        move = held[:, None] * (goals[:, limb.end] - solver.points[:, limb.end])
        move[np.abs(move).max(axis=1) < 1e-9] = 0.0
        back = quat.multiply(
            cached_rotations(base)[:, limb.end], quat.conjugate(solver.rotations[:, limb.end])
        )
        made, _ = solver.reach(limb.end, move, _toward(quat.identity(len(base)), back, held))
    return made


def _toward(a: FloatArray, b: FloatArray, share: FloatArray) -> FloatArray:
    """Interpolate rotations (F, ..., 4) by a share of each frame, which is mostly 0 or 1."""
    out = np.where(share.reshape(-1, *[1] * (a.ndim - 1)) < 1, a, b)
    part = (share > 0) & (share < 1)
    shares = np.broadcast_to(share[part].reshape(-1, *[1] * (a.ndim - 2)), a[part].shape[:-1])
    out[part] = quat.slerp(a[part], b[part], shares)
    return out


def _hands_above(made: Motion, base: Motion) -> Motion:
    """Keep hands and fingers from sinking lower than the lowest point of the source."""
    body, skeleton = find_body(base), base.skeleton
    floor, heights = float(cached_positions(base)[..., 1].min()), cached_positions(made)[..., 1]
    for name, limb in body.limbs.items():
        if not name.endswith("arm"):
            continue
        tips = [j for j in range(len(skeleton)) if limb.end in skeleton.chain(j)]
        sunk = np.maximum(floor - heights[:, tips].min(axis=1), 0.0)
        if sunk.any() and (solver := LimbSolver.of(made, limb)).can_bend:
            up = sunk[:, None] * np.array([0.0, 1.0, 0.0])
            made, _ = solver.reach(limb.end, up, quat.identity(len(base)))
    return made


def too_high(
    base: Motion, made: Motion, goals: FloatArray, air: Mask, *, wider: bool = False
) -> FloatArray:
    """Return by how much the hips must come down so that legs reach their feet, (F,) metres.

    Parameters
    ----------
    base, made : Motion
        The motion, and what was made of it.
    goals : array (F, J, 3)
        Where its ankles belong, metres.
    air : array (F,) of bool
        Frames in which no foot is on the ground.
    wider : bool
        Steps are longer, so that hips may have to be lower than the motion has them.
    """
    body, points, before = find_body(base), cached_positions(made), cached_positions(base)
    need = np.zeros(len(base))
    for name in _LEGS:
        limb = body.limbs[name]
        upper, lower, end = (before[:, j] for j in (limb.upper, limb.lower, limb.end))
        bones = np.linalg.norm(lower[0] - upper[0]) + np.linalg.norm(end[0] - lower[0])
        length = np.full(len(base), _STRAIGHT * bones)
        if wider:  # a leg that the source stretches stays stretched
            length = np.maximum(length, np.linalg.norm(end - upper, axis=1))
        way = goals[:, limb.end] - points[:, limb.upper]
        across = np.hypot(way[:, 0], way[:, 2])
        most = np.sqrt(np.maximum(length**2 - across**2, (0.3 * bones) ** 2))
        if not wider:
            most = np.maximum(most, (upper - goals[:, limb.end])[:, 1])
        over = -way[:, 1] - most
        need = np.maximum(need, np.where(air, 0.0, np.maximum(over, 0.0)))
    pad = round(_ENDS * base.rate) if wider else 0  # the track below is at rest at its ends
    found = _smooth_over(np.pad(need, pad, mode="edge"), base.rate)
    return found[pad : len(found) - pad]


def _smooth_over(need: FloatArray, rate: float) -> FloatArray:
    """Return a smooth track (N,) that is nowhere much below another."""
    if need.max(initial=0.0) < 1e-4:
        return np.zeros(len(need))
    cost, top = np.full(len(need), 0.02), need.copy()
    down = need
    for _ in range(8):
        down = smooth_track(cost, (cost * top)[:, None], rate, stay=0.0, smooth=3e-6)[:, 0]
        short = need - down
        if short.max() < 1e-3:
            break
        top, cost = np.where(short > 0, top + short, top), np.where(short > 0, cost + 1.0, cost)
    return np.maximum(down, 0.0)
