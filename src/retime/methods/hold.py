"""Holding contacts: feet that stood stay where they stood, whatever the steps before did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from retime.body import find_body
from retime.body.holding import contact_fix
from retime.motion import Motion
from retime.motion.contact import Contact
from retime.motion.edits import Edit
from retime.parameters import parameter

__all__ = ["HoldParameters", "hold"]


@dataclass(frozen=True, kw_only=True)
class HoldParameters:
    """Parameters of holding contacts."""

    joints: tuple[str, ...] = parameter(
        (),
        help="What to hold: joints, roles, or feet, toes, hands. Else what meets the ground.",
        flag="--joint",
        metavar="NAME",
    )
    contacts: tuple[Contact, ...] | None = parameter(
        None, help="Contacts that are known; else they are found in the source."
    )
    tolerance: float = parameter(
        0.02, help="A joint within this distance stands still.", unit="m", minimum=1e-6
    )
    minimum: float = parameter(
        0.25, help="Shortest contact; 0.1 suits running.", unit="s", minimum=1e-3
    )
    fade: float = parameter(
        0.15, help="Time over which the correction fades beside a contact.", unit="s", minimum=0
    )


def hold(
    motion: Motion,
    *,
    joints: Sequence[str] = (),
    contacts: Sequence[Contact] | None = None,
    tolerance: float = 0.02,
    minimum: float = 0.25,
    fade: float = 0.15,
) -> Edit:
    """Hold contacts by inverse kinematics, once all steps are done.

    Parameters
    ----------
    motion : Motion
        The step's input.
    joints : sequence of str
        What to hold: joint names, roles, or ``feet``, ``toes``, ``hands``; left out, what meets
        the ground.
    contacts : sequence of Contact, optional
        Contacts that are known, in the step's input time; else they are found in the source.
    tolerance : float
        A joint within this distance stands still, metres.
    minimum : float
        Shortest contact in seconds; 0.1 suits running.
    fade : float
        Seconds over which the correction fades beside a contact.
    """
    find_body(motion).find_joints(joints)  # a wrong name is this step's fault, and said here
    for contact in contacts or ():
        motion.skeleton.index(contact.joint)
    known = None if contacts is None else tuple(contacts)
    fix = contact_fix(joints, tolerance=tolerance, minimum=minimum, fade=fade)
    return Edit(fixes=(fix,), contacts=known)
