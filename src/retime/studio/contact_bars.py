"""Contacts and flights as bars over the time of a result."""

from __future__ import annotations

from collections.abc import Sequence

from retime.body.contacts.flights import implausible_flights
from retime.evaluate import Evaluated
from retime.evaluate.evaluator import warp_between
from retime.motion import Motion
from retime.motion.contact import Contact, carry_contacts
from retime.motion.memory import last
from retime.recipe import Solved
from retime.studio import frame_headers


def carried(contacts: tuple[Contact, ...], found: Evaluated) -> tuple[Contact, ...]:
    """Carry contacts of the source to the result's time."""
    period = found.source.duration if found.warp.loop else None
    return carry_contacts(contacts, found.warp, period=period)


def bars_of(
    motion: Motion, contacts: Sequence[tuple[Contact, Sequence[Contact]]]
) -> list[frame_headers.ContactBar]:
    """Return contacts as bars, each with the given contacts that it comes from."""
    return [
        frame_headers.ContactBar(
            c.joint, motion.skeleton.index(c.joint), c.start, c.end,
            (given.start, given.end), given.confidence,
        )
        for given, shown in contacts
        for c in shown
    ]  # fmt: skip


def flights_of(found: Evaluated, step: Solved | None) -> list[tuple[float, float]]:
    """List parts of the result in which nothing touches although the body does not fall."""
    start, given, only = found.source, None, False
    warp = found.warp.of_body()
    if step is not None and len(step.given) > 2:
        start, p = step.given, step.step.parameters
        given, only = p.contacts, p.contacts_only
        warp = warp_between(found, found.solved.index(step))
    flights = last(start, "implausible flights", (given, only), lambda: implausible_flights(
        start, given, only=only
    ))  # fmt: skip
    shown = [warp.preimage(a, b) for a, b in flights]
    return [stretch for stretch in shown if stretch is not None]
