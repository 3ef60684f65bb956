"""Paths of feet that slide on the ground from one fixed point to the next."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from retime.arrays import FloatArray
from retime.body.contacts import find_slides
from retime.body.solve.own_paths import SourceTracks, between_contacts
from retime.motion.contact import Contact

__all__ = ["slide_targets"]


def slide_targets(
    targets: Mapping[Contact, FloatArray], tracks: SourceTracks
) -> dict[Contact, FloatArray]:
    """Return where feet belong that slide: as in the source, from contact to contact.

    Parameters
    ----------
    targets : mapping of Contact to array (3,)
        Contacts of the retimed motion, and where they belong, metres.
    tracks : SourceTracks
        Where the source has its joints.

    Returns
    -------
    dict of Contact to array (F, 3)
        The slides, each with the path of its joint, metres.
    """
    out, times = {}, tracks.motion.times
    for slide in find_slides(tracks.source, targets, tracks.warp):
        track, ends = tracks.of(slide.contact.joint), (slide.contact.start, slide.contact.end)
        place = np.stack([np.interp(ends, times, c) for c in track.T], axis=1)
        # What the contacts are moved by changes gradually from one to the other.
        leaving, coming = targets[slide.before] - place[0], targets[slide.after] - place[1]
        out[slide.contact] = track + between_contacts(times, slide, leaving, coming)
    return out
