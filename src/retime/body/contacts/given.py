"""Contacts given by the user: parameters of methods, and how they replace detected contacts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated

from retime.motion.contact import Contact
from retime.notes import Note, Remedy
from retime.parameters import About


@dataclass(frozen=True, kw_only=True)
class ContactParameters:
    """Known contacts."""

    contacts: Annotated[
        Sequence[Contact] | None,
        About(
            "Known contacts, in the step's input time. They replace the detected contacts of the "
            "joints they name.",
            widget="data",
        ),
    ] = None
    contacts_only: Annotated[
        bool, About("Use only the given contacts and detect no others.", advanced=True)
    ] = False


def with_given(
    found: Iterable[Contact], given: Sequence[Contact], *, only: bool
) -> tuple[Contact, ...]:
    """Replace the detected contacts of joints that have given contacts.

    Parameters
    ----------
    found : iterable of Contact
        Detected contacts.
    given : sequence of Contact
        Contacts given by the user.
    only : bool
        Drop all detected contacts.
    """
    named = {c.joint for c in given}
    kept = [] if only else [c for c in found if c.joint not in named]
    return tuple(sorted([*kept, *given], key=lambda c: (c.joint, c.start)))


def dropped_note(found: Iterable[Contact], given: Sequence[Contact]) -> Note | None:
    """Return a note on joints whose detected contacts are dropped, or ``None``."""
    named = {c.joint for c in given}
    lost = sorted({c.joint for c in found} - named)
    if not lost:
        return None
    return Note(
        f"the given contacts replace all others: those found for {', '.join(lost)} are dropped",
        Remedy("keep them with", parameter="contacts_only", value=False),
        code="contacts-dropped",
        joints=lost,
    )
