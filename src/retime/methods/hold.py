"""Hold contacts: planted feet and hands stay in place after all other steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from retime.body import find_body
from retime.body.contacts import detect_contacts
from retime.body.contacts.given import ContactParameters, dropped_note, with_given
from retime.body.solve.holding import contact_fix
from retime.keywords import takes
from retime.motion import Motion
from retime.motion.edits import Edit
from retime.parameters import About
from retime.times import Length


@dataclass(frozen=True, kw_only=True)
class HoldParameters(ContactParameters):
    """Parameters of holding contacts."""

    joints: Annotated[
        Sequence[str],
        About(
            "Joints, roles, or feet, toes, hands to hold. Default: all that have contacts.",
            flag="joint",
            metavar="NAME",
        ),
    ] = ()
    tolerance: Annotated[
        float,
        About(
            "Distance within which a joint counts as still.",
            unit="m",
            minimum=1e-6,
            slider=(0, 0.1),
            step=0.001,
        ),
    ] = 0.02
    min_contact: Annotated[
        Length, About("Shortest contact to hold.", unit="s", minimum=1e-3, slider=(0, 1))
    ] = 0.1
    fade: Annotated[
        Length,
        About(
            "Time over which the correction fades beside a contact.",
            unit="s",
            minimum=0,
            slider=(0, 0.5),
        ),
    ] = 0.15


@takes(HoldParameters)
def hold(motion: Motion, p: HoldParameters) -> Edit:
    """Hold contacts by inverse kinematics, once all steps are done.

    Parameters
    ----------
    motion : Motion
        The step's input.
    """
    find_body(motion).find_joints(p.joints)  # raise on wrong names here, in this step
    known, note = None, None
    if p.contacts is not None:
        for contact in p.contacts:
            motion.skeleton.index(contact.joint)
        found = detect_contacts(motion, p.joints, tolerance=p.tolerance, min_contact=p.min_contact)
        known = with_given(found, p.contacts, only=p.contacts_only)
        note = dropped_note(found, p.contacts) if p.contacts_only else None
    fix = contact_fix(
        p.joints,
        tolerance=p.tolerance,
        min_contact=p.min_contact,
        fade=p.fade,
        still=True,
        note=note,
    )
    return Edit(fixes=(fix,), contacts=known)
