"""Detail for slow motion: a stretched clip lacks the quick movements that it had.

A clip that plays at half speed has nothing above half of its frequencies, and looks as if it swam.
Short pieces of the source's own quick movements, above that band, are laid over each other at their
natural speed, each where the source had it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np
from scipy.signal import butter, sosfiltfilt

from retime.arrays import FloatArray
from retime.body import find_body
from retime.body.contacts import detect_contacts
from retime.keywords import takes
from retime.motion import Motion, quat
from retime.motion.contact import Contact
from retime.motion.edits import Edit, apply
from retime.motion.fixes import Fix, FixContext
from retime.parameters import About
from retime.timing import TimeWarp

# Movements of a body reach about this frequency, Hz; what a warp slows lacks what is below it and
# above its share of it.
_TOP_HZ = 12.0
# Playback at two thirds of the speed gets no detail, at half all of it.
_NONE, _ALL = 1 / 1.5, 1 / 2.0
# Length of a piece, seconds; pieces overlap by half.
_PIECE_S = 0.5
# A leg has its detail back this long after its plant, and loses it as long before, seconds.
_BESIDE_S = 0.15
# Periods of the filter's frequency beyond a piece, in which the filter settles.
_MARGIN = 3.0


@dataclass(frozen=True, kw_only=True)
class DetailParameters:
    """Parameters of detail."""

    amount: Annotated[
        float,
        About(
            "Quick movement to add where time is stretched, relative to the clip's own; 0 adds "
            "none.",
            minimum=0.0,
            maximum=2.0,
            step=0.05,
            ends=("None", "Double"),
        ),
    ] = 1.0


@takes(DetailParameters)
def detail(motion: Motion, p: DetailParameters) -> Edit:
    """Add the clip's own quick movements where time is stretched, once all steps are done.

    The hips and planted legs get none, so feet stay where they are.

    Parameters
    ----------
    motion : Motion
        The step's input.
    """

    def run(retimed: Motion, context: FixContext) -> Motion:
        gain = p.amount * _needed(np.abs(context.warp.rate(retimed.times)))
        if not gain.any() or len(retimed) < 3:
            return retimed
        contacts = context.contacts
        if contacts is None:
            contacts = tuple(detect_contacts(retimed))
        share = gain[:, None] * _free(retimed, contacts)
        added = quat.exp(share[..., None] * _quick(retimed, context))
        return replace(retimed, rotations=quat.multiply(retimed.rotations, added))

    return Edit(fixes=(Fix("detail", run),))


def _needed(rate: FloatArray) -> FloatArray:
    """Return how much detail a playback speed needs (F,), 0 to 1."""
    u = np.clip((_NONE - rate) / (_NONE - _ALL), 0.0, 1.0)
    return np.asarray(u * u * (3 - 2 * u))


def _quick(retimed: Motion, context: FixContext) -> FloatArray:
    """Return the quick movements (F, J, 3) at their natural speed, as rotation vectors."""
    times, warp, source = retimed.times, context.warp, context.source
    out = np.zeros((*retimed.rotations.shape[:2], 3))
    half = _PIECE_S / 2
    for middle in np.arange(times[0], times[-1] + half, half):
        frames = np.flatnonzero(np.abs(times - middle) < half)
        rate = float(np.abs(warp.rate(np.clip(middle, *warp.domain))))
        if not len(frames) or _needed(np.array(rate)) == 0:
            continue
        # Pieces that do not belong together add up by their energy: their squares sum to 1.
        window = np.cos(np.pi / 2 * (times[frames] - middle) / half)
        piece = _piece(source, float(warp(middle)), times[frames] - middle, max(rate, 0.05))
        out[frames] += window[:, None, None] * piece
    return out


def _piece(source: Motion, moment: float, around: FloatArray, rate: float) -> FloatArray:
    """Return the source's movement above a share of its band (F, J, 3) around a moment."""
    start, end = source.domain
    step, low = 1 / source.rate, _TOP_HZ * rate
    count = int(np.ceil((_PIECE_S / 2 + _MARGIN / low) / step))
    grid = moment + np.arange(-count, count + 1) * step
    # Beyond its ends a clip goes back the way it came.
    inside = start + np.abs((grid - start + (end - start)) % (2 * (end - start)) - (end - start))
    knots = np.array([start, end])
    shown = apply(source, TimeWarp(knots, knots), times=np.unique(inside))
    rotations = shown.rotations[np.searchsorted(shown.times, inside)]
    # As turns from the mean of the piece, so that they are vectors.
    rotations = quat.continuous(rotations)
    mean = quat.normalize(rotations.mean(axis=0))
    turns = quat.log(quat.continuous(quat.multiply(quat.conjugate(mean), rotations)))
    quick, quickest = _above(turns, low * step), _above(turns, _TOP_HZ * step)
    # What is quicker still is there already, slowed into this band.
    energy, there = (np.square(np.diff(v, axis=0)).sum(axis=(0, 2)) for v in (quick, quickest))
    missing = np.sqrt(np.maximum(1 - rate**2 * there / np.maximum(energy, 1e-30), 0.0))
    flat = (missing[:, None] * quick).reshape(len(grid), -1)
    wanted = moment + around
    columns = [np.interp(wanted, grid, column) for column in flat.T]
    return np.stack(columns, axis=-1).reshape(len(around), -1, 3)


def _above(values: FloatArray, share: float) -> FloatArray:
    """Return values (N, ...) above a frequency, given in periods a sample."""
    band = butter(4, min(2 * share, 0.95), "highpass", output="sos")
    return np.asarray(sosfiltfilt(band, values, axis=0))


def _free(motion: Motion, contacts: tuple[Contact, ...]) -> FloatArray:
    """Return the share of each joint in the detail (F, J): none for hips and planted limbs."""
    skeleton, body = motion.skeleton, find_body(motion)
    out = np.ones((len(motion), len(skeleton)))
    fixed = {body.roles["hips"]} if "hips" in body.roles else set()
    for limb in body.limbs.values():
        fixed |= set(skeleton.chain(limb.upper)[1:]) if limb.tip is not None else set()
    out[:, sorted(fixed | set(skeleton.roots))] = 0.0
    for limb in body.limbs.values():
        below = [j for j in range(len(skeleton)) if limb.upper in skeleton.chain(j)]
        names = {skeleton.names[j] for j in below}
        away = np.full(len(motion), np.inf)
        for contact in contacts:
            if contact.joint in names:
                outside = np.maximum(contact.start - motion.times, motion.times - contact.end)
                away = np.minimum(away, np.maximum(outside, 0.0))
        u = np.clip(away / _BESIDE_S, 0.0, 1.0)
        out[:, below] *= (u * u * (3 - 2 * u))[:, None]
    return out
