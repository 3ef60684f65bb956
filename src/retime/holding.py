"""Contacts held after all else: the fix that several methods end with."""

from __future__ import annotations

from collections.abc import Sequence

from retime.body import find_body
from retime.contacts import detect_contacts
from retime.edits import Fix, FixContext
from retime.ik import contact_targets, hold_contacts
from retime.motion import Motion

__all__ = ["contact_fix"]


def contact_fix(
    joints: Sequence[str] = (),
    *,
    tolerance: float = 0.02,
    minimum: float = 0.25,
    fade: float = 0.15,
) -> Fix:
    """Make the fix that keeps contacts where the source had them.

    Parameters
    ----------
    joints : sequence of str
        What to hold: joint names, roles, or ``feet``, ``toes``, ``hands``; left out, what meets
        the ground.
    tolerance : float
        A joint within this distance stands still, metres.
    minimum : float
        Shortest contact in seconds; 0.1 suits running.
    fade : float
        Seconds over which the correction fades beside a contact.
    """

    def run(retimed: Motion, context: FixContext) -> Motion:
        held = context.contacts
        if held is None:
            found = detect_contacts(context.source, joints, tolerance=tolerance, minimum=minimum)
            held = context.carry(found)
        if not held:
            feet = find_body(context.source).ground_joints()
            lack = "" if joints or feet else ": no feet were found; name them with --map"
            return retimed.with_notes(f"no contacts to hold were found{lack}")
        targets = contact_targets(retimed, held, context.source, context.warp)
        return hold_contacts(retimed, targets, fade=fade)

    return Fix("contact IK", run)
