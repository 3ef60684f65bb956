"""Find slides: a foot that touches the ground from one contact to the next, without standing."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from retime.body.contacts.plants import touching_joints
from retime.body.contacts.standing import mean_speeds
from retime.body.model.body import find_body
from retime.motion import Motion
from retime.motion.contact import Contact
from retime.motion.kinematics import cached_positions
from retime.motion.memory import last
from retime.timing import TimeWarp

# Feet in a step are faster than this, m/s.
_STEPPING = 1.5
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Slide:
    """A slide, as a contact, and the contacts before and after it."""

    contact: Contact
    before: Contact
    after: Contact


def find_slides(
    motion: Motion, contacts: Iterable[Contact], warp: TimeWarp | None = None
) -> list[Slide]:
    """Return the slides between contacts of feet.

    Parameters
    ----------
    motion : Motion
        The motion.
    contacts : iterable of Contact
        Its contacts, in the output time of the warp.
    warp : TimeWarp, optional
        From the time of the contacts to that of the motion. Default: it is the same.
    """
    feet = last(motion, "feet that may slide", None, lambda: _may_slide(motion))
    contacts, out = tuple(contacts), []
    for name, frames in feet.items():
        held = sorted((c for c in contacts if c.joint == name), key=lambda c: c.start)
        for one, other in itertools.pairwise(held):
            if one.end >= other.start or any(one.velocity):
                continue
            span = np.array([one.end, other.start])
            first, past = np.sort(span if warp is None else warp(span, name))
            between = (motion.times >= first) & (motion.times <= past)
            if frames[between].all():
                sure = min(one.confidence, other.confidence)
                slide = Contact(name, one.end, other.start, confidence=sure)
                out.append(Slide(slide, one, other))
    return out


def _may_slide(motion: Motion) -> dict[str, Mask]:
    """Return the frames (F,) in which feet touch the ground and do not step, by joint."""
    touching, points, out = touching_joints(motion), cached_positions(motion), {}
    for name in find_body(motion).ground_joints():
        j = motion.skeleton.index(name)
        if j in touching:
            out[name] = touching[j] & (mean_speeds(points[:, j], motion.times) <= _STEPPING)
    return out
