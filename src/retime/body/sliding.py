"""Paths of feet that slide on the ground from one contact to the next."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from retime.arrays import FloatArray
from retime.body.contacts import find_slides
from retime.body.displacement import eased
from retime.body.ik import Ground
from retime.motion import Motion
from retime.motion.contact import Contact
from retime.motion.kinematics import cached_positions
from retime.timing import TimeWarp

__all__ = ["slide_targets"]


def slide_targets(
    motion: Motion,
    targets: Mapping[Contact, FloatArray],
    source: Motion,
    warp: TimeWarp,
    ground: Ground | None = None,
) -> dict[Contact, FloatArray]:
    """Return where feet belong that slide: as in the source, from contact to contact.

    Parameters
    ----------
    motion : Motion
        The retimed motion.
    targets : mapping of Contact to array (3,)
        Its contacts, and where they belong, metres.
    source : Motion
        Its source.
    warp : TimeWarp
        From the retimed motion's time to the source's.
    ground : callable, optional
        How far the ground under a joint moved at times (N,), (N, 3) metres.

    Returns
    -------
    dict of Contact to array (F, 3)
        The slides, each with the path of its joint, metres.
    """
    points = cached_positions(source)
    out = {}
    for slide in find_slides(source, targets, warp):
        name, start, end = slide.contact.joint, slide.contact.start, slide.contact.end
        times = np.clip(np.r_[start, end, motion.times], start, end)
        track = points[:, source.skeleton.index(name)]
        then = warp(times, name)
        place = np.stack([np.interp(then, source.times, c) for c in track.T], axis=1)
        if ground is not None:
            place = place + ground(name, times)
        # What the contacts are moved by changes gradually from one to the other.
        leaving, coming = targets[slide.before] - place[0], targets[slide.after] - place[1]
        share = eased((times - start) / (end - start))[:, None]
        path = place + (1 - share) * leaving + share * coming
        out[slide.contact] = path[2:]
    return out
