"""Holding contacts: feet that stood stay where they stood, whatever the steps before did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from retime.body import find_body
from retime.body.holding import contact_fix
from retime.keywords import takes
from retime.motion import Motion
from retime.motion.contact import Contact
from retime.motion.edits import Edit
from retime.parameters import About


@dataclass(frozen=True, kw_only=True)
class HoldParameters:
    """Parameters of holding contacts."""

    joints: Annotated[
        Sequence[str],
        About(
            "What to hold: joints, roles, or feet, toes, hands. Default: what meets the ground.",
            flag="joint",
            metavar="NAME",
        ),
    ] = ()
    contacts: Annotated[
        Sequence[Contact] | None,
        About(
            "Known contacts, in the step's input time. Default: found in the source.", widget="data"
        ),
    ] = None
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
        float, About("Shortest contact; 0.1 suits running.", unit="s", minimum=1e-3, slider=(0, 1))
    ] = 0.25
    fade: Annotated[
        float,
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
    find_body(motion).find_joints(p.joints)  # a wrong name is this step's fault, and said here
    for contact in p.contacts or ():
        motion.skeleton.index(contact.joint)
    known = None if p.contacts is None else tuple(p.contacts)
    fix = contact_fix(p.joints, tolerance=p.tolerance, min_contact=p.min_contact, fade=p.fade)
    return Edit(fixes=(fix,), contacts=known)
