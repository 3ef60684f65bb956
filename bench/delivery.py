"""How much of a requested edit is delivered, measured on the resulting motion."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from retime import Motion, StaggeredPoses, detect_contacts
from retime.arrays import FloatArray
from retime.body import find_body
from retime.body.measure.metrics import plant_drift
from retime.joint_times import modes_of
from retime.methods.staggered.edits.operators import interpolate
from retime.methods.surface.arrival import arrival
from retime.motion import quat
from retime.motion.kinematics import cached_positions, cached_rotations

# Joints that turn by less than this in the mean, radians, do not show how they are exaggerated.
_TURNS = 0.1
# Smaller slides of the source are none, metres.
_SLIDES = 1e-3


def arrived(source: Motion, made: Motion, *, joint: int, time: float, shift: float) -> float:
    """Return the measured shift of a dragged joint relative to the requested one."""
    return arrival(source, made, joint, time, shift).measured / shift


def exaggerated(source: Motion, made: Motion, *, weight: float) -> float:
    """Return by how much joints of the upper body turn farther from their mean, of the weight."""
    body, shares = find_body(source), []
    for j in range(1, len(source.skeleton)):
        if (body.limb_of(j) or "").endswith("leg"):
            continue
        before, after = (m.rotations[:, j] for m in (source, made))
        signs = np.where((before @ before[0]) < 0, -1.0, 1.0)[:, None]
        mean = (signs * before).mean(axis=0)
        mean /= max(float(np.linalg.norm(mean)), 1e-12)
        away, now = (quat.log(quat.multiply(q, quat.conjugate(mean))) for q in (before, after))
        if len(now) == len(away) and (size := float((away**2).sum())) > _TURNS**2:
            shares.append(float((away * (now - away)).sum()) / (weight * size))
    return float(np.median(shares)) if shares else float("nan")


def hands_moved(source: Motion, made: Motion) -> float:
    """Return how far hands are from the source, in the mean, metres."""
    body = find_body(source)
    hands = [limb.end for name, limb in body.limbs.items() if name.endswith("arm")]
    count = min(len(source), len(made))
    off = (cached_positions(made)[:count] - cached_positions(source)[:count])[:, hands]
    return float(np.linalg.norm(off, axis=-1).mean()) if hands else float("nan")


def stood_still(source: Motion, made: Motion) -> float:
    """Return the share of the slides of feet that is gone."""
    feet = find_body(source).ground_joints()
    contacts = [c for c in detect_contacts(source) if c.joint in feet and c.firmness == 1]
    before, after = (plant_drift(m, contacts) for m in (source, made))
    slides = before > _SLIDES
    return float(1 - (after[slides] / before[slides]).max()) if slides.any() else float("nan")


def delayed(
    source: Motion,
    made: Motion,
    *,
    before: StaggeredPoses,
    asked: Callable[[], StaggeredPoses],
) -> float:
    """Return the share of the requested shifts that joints have in a result, at the median.

    A joint's rotation, in space or relative to its parent as its mode says, is compared at the
    times of the poses with the source's at times between the joint's own (0) and the requested
    one (1); the nearest counts.
    """
    wanted = asked()
    if len(wanted) != len(before):
        return float("nan")
    modes, found = modes_of(source), []
    for j in modes.leaders:
        then, now = (p.times + p.refinements[:, j] for p in (before, wanted))
        moved = np.abs(now - then) > _ASKED
        if moved.any():
            space = modes.modes[j] == "space"
            found += _shares(source, made, j, then[moved], now[moved], space=space)
    return float(np.median(found)) if found else float("nan")


def swung(source: Motion, made: Motion, *, joints: Sequence[int], seconds: float) -> float:
    """Return the share of a delay that a leg, by its joints, has in the middle of its swings."""
    names = {source.skeleton.names[j] for j in joints}
    plants = sorted((c.start, c.end) for c in detect_contacts(source) if c.joint in names)
    middles, last = [], source.start
    for start, end in plants:
        if start - last > _SWING:
            middles.append((last + start) / 2)
        last = max(last, end)
    then = np.array(middles)
    if not middles:
        return float("nan")
    return float(np.median(_shares(source, made, joints[0], then, then + seconds, space=False)))


def _shares(
    source: Motion, made: Motion, joint: int, then: FloatArray, now: FloatArray, *, space: bool
) -> list[float]:
    """Return which shares of the way from ``now`` to ``then`` a joint shows at ``now``."""
    shares = np.linspace(0.0, 1.5, 61)
    track, result = (
        np.ascontiguousarray((cached_rotations(m) if space else m.rotations)[:, joint])
        for m in (source, made)
    )
    error = [
        _away(source, track, now + share * (then - now), made, result, now) for share in shares
    ]
    return list(shares[np.argmin(error, axis=0)])


# A shorter swing is not judged, seconds.
_SWING = 0.25
# A smaller shift is not asked for, seconds; a pose is compared over this many before and after.
_ASKED, _AROUND = 0.01, 0.04


def _away(
    source: Motion, track: FloatArray, then: FloatArray, made: Motion, result: FloatArray,
    now: FloatArray,
) -> FloatArray:  # fmt: skip
    """Return how far rotations around one set of times are from those around another, (K,)."""
    around = np.linspace(-_AROUND, _AROUND, 7)
    turns = [
        interpolate(q, m.times, (at[:, None] + around).ravel())
        for m, q, at in ((source, track, then), (made, result, now))
    ]
    return np.asarray(quat.angle(*turns).reshape(-1, len(around)).mean(axis=1))
