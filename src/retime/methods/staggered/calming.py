"""Exaggeration within bounds: less of it where joints would turn too fast."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray, freeze
from retime.body import find_body
from retime.methods.staggered.rushing import delivered_ratios
from retime.motion import Motion, quat
from retime.motion.contact import Contact
from retime.motion.edits import Edit, apply_edits, correction_between
from retime.motion.layers import PoseLayer
from retime.motion.memory import last
from retime.timing import TimeWarp

__all__ = ["calmed"]

Mask = npt.NDArray[np.bool_]

# Seconds over which less is exaggerated before and after a turn that is too fast.
_BESIDE = 0.4
# Rounds at most; they aim at this share below the bound.
_ROUNDS, _AIM = 8, 0.02


def calmed(
    source: Motion,
    base: Motion,
    plain: Motion,
    made: Motion,
    warp: TimeWarp,
    most: float,
    contacts: tuple[Contact, ...] | None,
) -> tuple[PoseLayer | None, FloatArray]:
    """Return the correction of an exaggeration within a bound, and the share (F,) that is kept.

    The bound applies to the delivered motion: joints in space, with contacts held. A hand that is
    held where an exaggerated body cannot reach it would pull its elbow straight at once.

    Parameters
    ----------
    source : Motion
        The motion.
    base, plain, made : Motion
        The motion in its new timing, with its changed poses, and with their correction, on the same
        frames.
    warp : TimeWarp
        From their time to the source's.
    most : float
        How many times as fast as in the source a joint may turn at most.
    contacts : tuple of Contact, optional
        The contacts to hold, in the source's time. Default: those found.
    """
    share, correction = np.ones(len(base)), correction_between(plain, made)
    if len(base) < 3 or not np.isfinite(most):
        return correction, share
    aim = max((1 - _AIM) * most, 1 + _AIM)
    joints = last(source, "joints without fingers", None, lambda: _without_fingers(source))
    for _ in range(_ROUNDS):
        # Made by the same edit as the delivered motion, so that it equals it to the last digit, and
        # its contacts are not held a second time.
        found = apply_edits(plain, [Edit(correction=correction)])
        ratios = delivered_ratios(source, found, warp, most, contacts)
        ratio = ratios[:, np.tile(joints, 2)].max(axis=1, initial=0.0)
        if ratio.max(initial=0.0) <= most:
            break
        # A turn is about 1 in the source and grows with the exaggeration.
        over = np.where(ratio > aim, 1 - (aim - 1) / np.maximum(ratio - 1, aim - 1), 0.0)
        share = share * (1 - _spread(over, base.rate))
        correction = correction_between(plain, _blended(base, made, share, joints))
    return correction, share


def _without_fingers(motion: Motion) -> Mask:
    """Mark the joints (J,) that are not below a hand: fingers of captures flip by themselves."""
    hands = {limb.end for name, limb in find_body(motion).limbs.items() if name.endswith("arm")}
    chains = [motion.skeleton.chain(j) for j in range(len(motion.skeleton))]
    return np.array([not hands.intersection(chain) - {j} for j, chain in enumerate(chains)])


def _spread(lack: FloatArray, rate: float) -> FloatArray:
    """Spread what lacks between frames, (F - 1,), smoothly to the frames beside them, (F,)."""
    reach = max(round(_BESIDE * rate), 1)
    out = np.zeros(len(lack) + 1)
    for frame in np.flatnonzero(lack).tolist():
        near = np.arange(max(frame - reach, 0), min(frame + reach + 2, len(out)))
        away = np.maximum(np.abs(near - frame - 0.5) - 0.5, 0.0) / reach
        window = np.cos(np.minimum(away, 1.0) * np.pi / 2) ** 2
        out[near] = np.maximum(out[near], lack[frame] * window)
    return out


def _blended(base: Motion, made: Motion, share: FloatArray, joints: Mask) -> Motion:
    """Return a share (F,) of what was made of a motion's joints (J,)."""
    tracks = {
        n: t
        if n not in base.translations
        else (base.translations[n] + share[:, None] * (t - base.translations[n]))
        for n, t in made.translations.items()
    }
    rotations = made.rotations.copy()
    less = np.ix_(share < 1, joints)
    rotations[less] = quat.slerp(
        base.rotations[less], made.rotations[less], share[share < 1][:, None]
    )
    return replace(made, rotations=freeze(rotations), translations=tracks)
