"""Feet that stand still: along the ground at one point, and as high as in the source if lifted."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from retime.arrays import FloatArray
from retime.body.solve.own_paths import SourceTracks
from retime.motion.contact import Contact

__all__ = ["lifted"]

# Toes that the source has higher than this above where they stand, metres, roll in from the heel or
# roll off. The second is the distance over which they begin to follow.
_LIFTED, _GRADUALLY = 0.01, 0.005


def lifted(
    targets: Mapping[Contact, FloatArray], tracks: SourceTracks
) -> dict[Contact, FloatArray]:
    """Raise targets to where the source has toes that are off the ground.

    A foot that lands on its heel is in contact before its toes are down. Held down, it would pull
    its leg straight.

    Parameters
    ----------
    targets : mapping of Contact to array (3,) or (F, 3)
        Where contacts of the retimed motion belong, metres.
    tracks : SourceTracks
        Where the source has its joints.
    """
    out = {}
    for contact, target in targets.items():
        track = tracks.of(contact.joint)
        raised = np.broadcast_to(target, track.shape).copy()
        over = np.maximum(track[:, 1] - raised[:, 1] - _LIFTED, 0.0)
        raised[:, 1] += over**2 / (over + _GRADUALLY)
        out[contact] = raised
    return out
