"""How much of a requested edit is delivered, measured on the resulting motion."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from retime import Motion, StaggeredPoses, detect_contacts
from retime.arrays import FloatArray
from retime.body import find_body
from retime.body.metrics import plant_drift
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
    joints: Sequence[int] = (),
) -> float:
    """Return the share of the requested delays with which a result agrees best.

    Each joint of the source is sampled at times between its own (0) and the requested ones (1), as
    a local rotation and relative to the hips; what is nearer to the result counts. ``joints`` are
    by default those of the trunk, arms and head.
    """
    wanted = asked()
    if len(wanted) != len(before):
        return float("nan")
    body, names = find_body(source), source.skeleton.names
    hips = body.roles.get("hips", source.skeleton.roots[0])
    own = [j for j in range(len(names)) if not (body.limb_of(j) or "").endswith("leg")]
    chosen, shares = [j for j in joints or own if j != hips], np.linspace(0.0, 1.5, 31)
    inside = (made.times >= source.start) & (made.times <= source.domain[1])
    times, errors = made.times[inside], np.zeros((2, len(shares)))
    times_of = {}
    for j in [hips, *chosen]:
        channel = before.channels.index(names[j])
        then, now = (p.times + p.refinements[:, channel] for p in (before, wanted))
        times_of[j] = np.interp(times, np.maximum.accumulate(now), then)
    for kind, known in enumerate((_local, _from_hips)):
        for j in chosen:
            track, result = known(source, hips, j), known(made, hips, j)[inside]
            size = float(((track - track.mean(axis=0)) ** 2).mean()) + 1e-9
            for n, share in enumerate(shares):
                at = times + share * (times_of[j] - times)
                off = _at(source.times, track, at) - result
                errors[kind, n] += float((off**2).mean()) / size
    kind = int(errors.min(axis=1).argmin())
    return float(shares[errors[kind].argmin()])


def _local(motion: Motion, hips: int, joint: int) -> FloatArray:
    """Return a joint's local rotation as two axes, (F, 6)."""
    return quat.to_matrix(motion.rotations[:, joint])[..., :2].reshape(len(motion), 6)


def _from_hips(motion: Motion, hips: int, joint: int) -> FloatArray:
    """Return a joint's rotation relative to the hips as two axes, (F, 6)."""
    turns = cached_rotations(motion)
    own = quat.multiply(quat.conjugate(turns[:, hips]), turns[:, joint])
    return quat.to_matrix(own)[..., :2].reshape(len(motion), 6)


def _at(times: FloatArray, track: FloatArray, t: FloatArray) -> FloatArray:
    return np.stack([np.interp(t, times, c) for c in track.T], axis=-1)
