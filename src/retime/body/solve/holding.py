"""Hold contacts after all other edits; several methods use this fix."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

import numpy as np

from retime.arrays import FloatArray
from retime.body.contacts import detect_contacts
from retime.body.model.body import find_body
from retime.body.solve.ik import contact_targets, hold_contacts
from retime.body.solve.own_paths import Ground, SourceTracks, own_paths
from retime.body.solve.sliding import slide_targets
from retime.body.solve.standing import lifted
from retime.motion import Motion
from retime.motion.contact import Contact, carry_contacts
from retime.motion.fixes import Fix, FixContext
from retime.motion.memory import last, memory
from retime.notes import Note, Remedy
from retime.parameters import About, Choice
from retime.timing import TimeWarp

Constraints = Annotated[
    Literal["hold", "free"],
    About(
        "Contacts to keep on the source's path.",
        label="Hold contacts",
        choices=(
            Choice("hold", "Those of moved joints", "those of joints that the edit moves"),
            Choice("free", "None", "none"),
        ),
    ),
]
# Defaults of the search for contacts: tolerance in metres, shortest contact in seconds.
_USUAL = (0.02, 0.1)
# Corrections fade over this many seconds beside a contact.
_FADE = 0.15


def contact_fixes(constraints: Constraints) -> tuple[Fix, ...]:
    """Return the fixes that constraints ask for: contacts held on the source's paths, or none."""
    return () if constraints == "free" else (contact_fix(),)


def contact_fix(
    joints: Sequence[str] = (),
    *,
    tolerance: float = _USUAL[0],
    min_contact: float = _USUAL[1],
    fade: float = _FADE,
    still: bool = False,
    note: Note | None = None,
) -> Fix:
    """Make the fix that keeps contacts where the source had them.

    A contact is held on the path that its joint has in the source at the joint's own time: a joint
    that no edit moves stays as it is, and a foot that slides a little in the source still does.
    Contacts that are given and those of a loop are held at one point.

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
    still : bool
        Hold feet at one point of the ground while they are in contact, so that they do not slide.
        Toes that the source lifts by more than 1 cm are as high as there.
    note : Note, optional
        What to say of the contacts, with the result.
    """

    def run(retimed: Motion, context: FixContext) -> Motion:
        detected = context.carry(_remembered(context.source, joints, tolerance, min_contact))
        held = detected if context.contacts is None else context.contacts
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
            _Kinds.of(context.source, context.warp, held, detected, still=still),
            fade=fade,
            ground=context.ground,
        )
        return held_motion if note is None else held_motion.with_notes(note)

    return Fix("contact IK", run)


@dataclass(frozen=True)
class _Kinds:
    """Contacts by how they are held."""

    paths: tuple[Contact, ...] = ()
    """On the source's own path."""
    feet: tuple[Contact, ...] = ()
    """Still along the ground."""
    points: tuple[Contact, ...] = ()
    """At one point: given contacts, and those of loops, whose later cycles are moved completely."""

    @classmethod
    def of(
        cls,
        source: Motion,
        warp: TimeWarp,
        held: Sequence[Contact],
        detected: Sequence[Contact],
        *,
        still: bool,
    ) -> _Kinds:
        if warp.loop:
            return cls(points=tuple(held))
        found, feet = frozenset(detected), find_body(source).ground_joints() if still else ()
        given = {c.joint for c in held if c not in found}  # all contacts of a joint are of one kind
        return cls(
            tuple(c for c in held if c.joint not in given and c.joint not in feet),
            tuple(c for c in held if c.joint not in given and c.joint in feet),
            tuple(c for c in held if c.joint in given),
        )


def _held(
    retimed: Motion,
    source: Motion,
    warp: TimeWarp,
    kinds: _Kinds,
    *,
    fade: float,
    ground: Ground | None = None,
) -> Motion:
    """Hold contacts, in the retimed motion's time, where the source has them.

    ``ground`` tells how far they move with the ground.
    """
    key = (retimed, warp, kinds, fade, ground)
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
    kinds: _Kinds,
    fade: float,
    ground: Ground | None,
) -> Motion:
    tracks = SourceTracks(retimed, source, warp, ground)
    points, feet = (contact_targets(retimed, c, tracks) for c in (kinds.points, kinds.feet))
    if not warp.loop:
        points |= slide_targets(points, tracks)
        feet = lifted(feet | slide_targets(feet, tracks), tracks)
    paths = own_paths(kinds.paths, tracks)
    # While one arm is edited, the legs do not change: their held result is cached with the source.
    known = memory(source, "held limbs")
    return hold_contacts(retimed, {**points, **feet, **paths}, fade=fade, known=known)


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
    detected = carried_contacts(source, warp)
    carried = detected if contacts is None else carry_contacts(contacts, warp)
    kinds = _Kinds.of(source, warp, carried, detected, still=False)
    return _held(made, source, warp, kinds, fade=_FADE)


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
