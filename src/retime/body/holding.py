"""Contacts held after all else: the fix that several methods end with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

import numpy as np

from retime.arrays import FloatArray
from retime.body.body import find_body
from retime.body.contacts import detect_contacts
from retime.body.ik import contact_targets, hold_contacts
from retime.motion import Motion
from retime.motion.contact import Contact
from retime.motion.edits import Fix, FixContext
from retime.motion.kinematics import positions
from retime.motion.memory import memory
from retime.notes import Note, Remedy
from retime.parameters import About

__all__ = ["Constraints", "contact_fix", "contact_fixes"]

Constraints = Annotated[
    Literal["hold", "touched", "free"],
    About(
        "Which contacts to keep in place: all (hold), those of joints that the edit moves "
        "(touched), or none (free)."
    ),
]
# A joint that is this near to where the source had it, in metres, was not moved.
_UNMOVED = 1e-5


def contact_fixes(constraints: Constraints) -> tuple[Fix, ...]:
    """Return the fixes that constraints ask for: all contacts held, those touched, or none."""
    return () if constraints == "free" else (contact_fix(touched=constraints == "touched"),)


def contact_fix(
    joints: Sequence[str] = (),
    *,
    tolerance: float = 0.02,
    min_contact: float = 0.1,
    fade: float = 0.15,
    touched: bool = False,
    note: str | None = None,
) -> Fix:
    """Make the fix that keeps contacts where the source had them.

    Parameters
    ----------
    joints : sequence of str
        What to hold: joint names, roles, or ``feet``, ``toes``, ``hands``; left out, all that
        touches something.
    tolerance : float
        A joint within this distance stands still, metres.
    min_contact : float
        Shortest contact, seconds.
    fade : float
        Seconds over which the correction fades beside a contact.
    touched : bool
        Hold only contacts whose joint the edits have moved; the others keep the source's own way.
    note : str, optional
        What to say of the contacts, with the result.
    """

    def run(retimed: Motion, context: FixContext) -> Motion:
        held = context.contacts
        if held is None:
            held = context.carry(_remembered(context.source, joints, tolerance, min_contact))
        if not held:
            feet = find_body(context.source).ground_joints()
            lacks = not (joints or feet)
            return retimed.with_notes(
                Note(
                    f"no contacts to hold were found{': no feet were found' if lacks else ''}",
                    Remedy("name them by a map", parameter="reading.roles") if lacks else None,
                    code="no-contacts",
                )
            )
        targets = contact_targets(retimed, held, context.source, context.warp)
        if not context.warp.loop:  # later turns of a cycle are moved all
            # Feet stand on what cannot move; all else is left alone where no edit moved it.
            grounded = set(find_body(context.source).ground_joints())
            there, here = positions(context.source), positions(retimed)
            targets = {
                c: t
                for c, t in targets.items()
                if (c.joint in grounded and not touched)
                or _is_moved(c, retimed, context, there, here)
            }
        # While one arm is edited, legs are as they were: the source remembers how they were held.
        known = memory(context.source, "held limbs")
        held_motion = hold_contacts(retimed, targets, fade=fade, known=known)
        return held_motion if note is None else held_motion.with_notes(note)

    return Fix("contact IK", run)


def _remembered(
    source: Motion, joints: Sequence[str], tolerance: float, min_contact: float
) -> tuple[Contact, ...]:
    """Find a motion's contacts once for each way to look for them."""
    kept: dict[object, tuple[Contact, ...]] = memory(source, "contacts")
    key = (tuple(joints), tolerance, min_contact)
    if key not in kept:
        kept[key] = detect_contacts(source, joints, tolerance=tolerance, min_contact=min_contact)
    return kept[key]


def _is_moved(
    contact: Contact, retimed: Motion, context: FixContext, there: FloatArray, here: FloatArray
) -> bool:
    """Return whether a contact's joint is elsewhere than the source has it at the joint's time."""
    j, times = retimed.skeleton.index(contact.joint), retimed.times
    frames = (times >= contact.start - 1e-9) & (times <= contact.end + 1e-9)
    then = context.warp(times[frames], contact.joint)
    track = there[:, j]
    wanted = np.stack(
        [np.interp(then, context.source.times, track[:, c]) for c in range(3)], axis=1
    )
    return bool(np.abs(here[frames, j] - wanted).max(initial=0.0) > _UNMOVED)
