"""Hold contacts after all other edits; several methods use this fix."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal

import numpy as np

from retime.arrays import FloatArray
from retime.body.body import find_body
from retime.body.contacts import detect_contacts
from retime.body.ik import Ground, contact_targets, hold_contacts
from retime.body.sliding import slide_targets
from retime.motion import Motion
from retime.motion.contact import Contact, carry_contacts
from retime.motion.fixes import Fix, FixContext
from retime.motion.kinematics import cached_positions
from retime.motion.memory import last, memory
from retime.notes import Note, Remedy
from retime.parameters import About, Choice
from retime.timing import TimeWarp

Constraints = Annotated[
    Literal["hold", "touched", "free"],
    About(
        "Contacts to keep in place.",
        label="Hold contacts",
        choices=(
            Choice("hold", "All contacts", "all contacts"),
            Choice("touched", "Those of moved joints", "those of joints that the edit moves"),
            Choice("free", "None", "none"),
        ),
    ),
]
# Distance from the source's position below which a joint counts as unmoved, metres.
_UNMOVED = 1e-5
# Defaults of the search for contacts: tolerance in metres, shortest contact in seconds.
_USUAL = (0.02, 0.1)
# Corrections fade over this many seconds beside a contact.
_FADE = 0.15


def contact_fixes(constraints: Constraints) -> tuple[Fix, ...]:
    """Return the fixes that constraints ask for: all contacts held, those touched, or none."""
    return () if constraints == "free" else (contact_fix(touched=constraints == "touched"),)


def contact_fix(
    joints: Sequence[str] = (),
    *,
    tolerance: float = _USUAL[0],
    min_contact: float = _USUAL[1],
    fade: float = _FADE,
    touched: bool = False,
    note: Note | None = None,
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
    note : Note, optional
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
        held_motion = _held(
            retimed,
            context.source,
            context.warp,
            held,
            fade=fade,
            touched=touched,
            found=context.contacts is None,
            ground=context.ground,
        )
        return held_motion if note is None else held_motion.with_notes(note)

    return Fix("contact IK", run)


def _held(
    retimed: Motion,
    source: Motion,
    warp: TimeWarp,
    contacts: Sequence[Contact],
    *,
    fade: float,
    touched: bool,
    found: bool,
    ground: Ground | None = None,
) -> Motion:
    """Hold contacts, in the retimed motion's time, where the source has them.

    ``found`` tells whether contacts were detected, not given, and ``ground`` how far they move with
    the ground.
    """
    key = (retimed, warp, tuple(contacts), fade, touched, found, ground)
    # What was judged before it is delivered is not held a second time.
    before, held = last(source, "held", key, lambda: (retimed, _solved(source, *key)), same=_same)
    if before is retimed:
        return held
    said = held.notes[len(before.notes) :]
    made = replace(retimed, rotations=held.rotations, translations=held.translations)
    return made.with_notes(*said)


def _same(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    """Return whether all inputs of holding contacts are equal; the first is the motion."""
    (made, *rest), (given, *others) = one, other
    return (
        rest == others
        and made.skeleton is given.skeleton
        and made.units == given.units
        and np.array_equal(made.rotations, given.rotations)
        and np.array_equal(made.times, given.times)
        and _equal(made.translations, given.translations)
        and _equal(made.scales, given.scales)
    )


def _equal(one: Mapping[str, FloatArray], other: Mapping[str, FloatArray]) -> bool:
    return one.keys() == other.keys() and all(np.array_equal(t, other[n]) for n, t in one.items())


def _solved(
    source: Motion,
    retimed: Motion,
    warp: TimeWarp,
    contacts: Sequence[Contact],
    fade: float,
    touched: bool,
    found: bool,
    ground: Ground | None,
) -> Motion:
    here = cached_positions(retimed)
    # Feet are held on the ground. Other joints are corrected only where an edit moved them.
    body = find_body(source)
    grounded = set(body.ground_joints())
    sliding: list[str] = []
    if found:  # a contact that is given stays in place
        parts = {n: body.limb_of(source.skeleton.index(n)) for n in {c.joint for c in contacts}}
        sliding = [n for n, limb in parts.items() if limb is None or limb.endswith("arm")]
    targets = contact_targets(
        retimed, contacts, source, warp, points=here, ground=ground, sliding=sliding
    )
    if not warp.loop:  # later cycles are moved completely
        targets = {
            c: t
            for c, t in targets.items()
            if (c.joint in grounded and not touched)
            or _is_moved(c, retimed, source, warp, here, ground)
        }
    if found and not warp.loop:
        targets |= slide_targets(retimed, targets, source, warp, ground)
    # While one arm is edited, the legs do not change: their held result is cached with the source.
    known = memory(source, "held limbs")
    return hold_contacts(retimed, targets, fade=fade, known=known)


def as_delivered(
    source: Motion, made: Motion, warp: TimeWarp, contacts: Sequence[Contact] | None = None
) -> Motion:
    """Hold the contacts of a retimed motion as in the delivered result, to evaluate it earlier.

    Parameters
    ----------
    source : Motion
        What it was made from.
    made : Motion
        The retimed motion before its contacts are held; all of its frames, or some.
    warp : TimeWarp
        From its time to the source's.
    contacts : sequence of Contact, optional
        In the source's time; left out, those found.
    """
    carried = carried_contacts(source, warp, contacts)
    found = contacts is None
    return _held(made, source, warp, carried, fade=_FADE, touched=False, found=found)


def carried_contacts(
    source: Motion, warp: TimeWarp, contacts: Sequence[Contact] | None = None
) -> tuple[Contact, ...]:
    """Return contacts of a source, those found if none are given, in the time of a warp."""
    found = _remembered(source, (), *_USUAL) if contacts is None else contacts
    return carry_contacts(found, warp)


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
    contact: Contact,
    retimed: Motion,
    source: Motion,
    warp: TimeWarp,
    here: FloatArray,
    ground: Ground | None,
) -> bool:
    """Return whether a contact's joint is elsewhere than the source has it at the joint's time."""
    j, times = retimed.skeleton.index(contact.joint), retimed.times
    frames = (times >= contact.start - 1e-9) & (times <= contact.end + 1e-9)
    then = warp(times[frames], contact.joint)
    track = cached_positions(source)[:, j]
    wanted = np.stack([np.interp(then, source.times, track[:, c]) for c in range(3)], axis=1)
    if ground is not None:
        wanted = wanted + ground(contact.joint, times[frames])
    return bool(np.abs(here[frames, j] - wanted).max(initial=0.0) > _UNMOVED)
