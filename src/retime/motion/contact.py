"""Contacts: joints that stay in place for a while, and how a warp moves them in time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from retime.coercion import listed
from retime.errors import InputError
from retime.pictured import Pictured
from retime.sentences import Span
from retime.timing import TimeWarp


@dataclass(frozen=True)
class Contact:
    """A contact: a joint that stays in place for some time.

    Parameters
    ----------
    joint : str
        Its name.
    start, end : float
        Start and end time, seconds.
    point : str
        Point of the body in contact, such as ``left_heel``; empty for the joint itself.
    confidence : float
        Confidence, 0 to 1; below 0.5 it is only inferred from a force that nothing else explains.
    height : float, optional
        Height of the support, metres. Default: that of the joint.
    velocity : (float, float, float)
        Velocity of the support, m/s with Y up, such as that of a treadmill.
    """

    joint: str
    start: float
    end: float
    point: str = ""
    confidence: float = 1.0
    height: float | None = None
    velocity: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        if not (np.isfinite([self.start, self.end]).all() and self.start < self.end):
            raise InputError(
                "the contact of {joint!r} lasts {span}; it must end after it starts",
                joint=self.joint,
                span=Span(self.start, self.end),
            )
        if len(self.velocity) != 3 or not np.isfinite(self.velocity).all():
            raise InputError(
                f"the velocity under the contact of {self.joint!r} must be three finite numbers "
                f"(x, y, z in m/s), not {self.velocity}"
            )

    @property
    def duration(self) -> float:
        """Its length in seconds."""
        return self.end - self.start

    @property
    def firmness(self) -> float:
        """Strength with which it is held, 0 to 1; full strength from a confidence of 0.5."""
        return min(2 * self.confidence, 1.0)

    def to_document(self) -> dict[str, Any]:
        """Return the contact as a JSON document, without values that are defaults."""
        out: dict[str, Any] = {"joint": self.joint, "start": self.start, "end": self.end}
        plain = {"point": "", "confidence": 1.0, "height": None, "velocity": (0.0, 0.0, 0.0)}
        given = {n: getattr(self, n) for n, v in plain.items() if getattr(self, n) != v}
        return out | {n: list(v) if n == "velocity" else v for n, v in given.items()}

    @classmethod
    def from_document(cls, entry: Any) -> Contact:
        """Make a contact from a JSON document."""
        if not isinstance(entry, Mapping) or not {"joint", "start", "end"} <= set(entry):
            raise InputError('a contact needs "joint", "start" and "end"')
        more = set(entry) - {"joint", "start", "end", "point", "confidence", "height", "velocity"}
        if more:
            raise InputError(f"a contact has no {sorted(more)[0]!r}")
        if not isinstance(entry["joint"], str):
            raise InputError(f"{entry['joint']!r} is not a joint's name")
        height = entry.get("height")
        try:
            return cls(
                entry["joint"],
                float(entry["start"]),
                float(entry["end"]),
                str(entry.get("point", "")),
                float(entry.get("confidence", 1.0)),
                None if height is None else float(height),
                _velocity(entry.get("velocity", (0.0, 0.0, 0.0))),
            )
        except (TypeError, ValueError) as e:
            raise InputError(str(e)) from None


def _velocity(value: Any) -> tuple[float, float, float]:
    try:
        x, y, z = (float(v) for v in value)
    except (TypeError, ValueError):
        raise InputError(
            f"a contact's velocity is three numbers (x, y, z in m/s), not {value!r}"
        ) from None
    return x, y, z


class Contacts(tuple[Contact, ...], Pictured):
    """Several contacts; a tuple that notebooks show as a picture and a table."""

    __slots__ = ()


def carry_contacts(
    contacts: Iterable[Contact], warp: TimeWarp, *, period: float | None = None
) -> tuple[Contact, ...]:
    """Move contacts from the source time of a warp to its output time.

    Each contact follows the channel of its joint. Contacts outside the output are dropped.

    Parameters
    ----------
    contacts : iterable of Contact
        Contacts in source time.
    warp : TimeWarp
        The warp.
    period : float, optional
        Length of the source, for cycles. Default: the length of the warp's source range.
    """
    out = []
    for contact in contacts:
        for turn in _turns(contact, warp, period):
            shown = warp.preimage(contact.start + turn, contact.end + turn, contact.joint)
            if shown is not None:
                moved = replace(contact, start=shown[0], end=shown[1])
                out.append(_with_support_retimed(moved, warp) if any(contact.velocity) else moved)
    return Contacts(out)


def _with_support_retimed(contact: Contact, warp: TimeWarp) -> Contact:
    """Return a contact with the velocity of its support multiplied by the playback speed."""
    start, end = warp(np.array([contact.start, contact.end]), contact.joint)
    speed = float(end - start) / contact.duration
    x, y, z = (speed * v for v in contact.velocity)
    return replace(contact, velocity=(x, y, z))


def _turns(contact: Contact, warp: TimeWarp, period: float | None) -> list[float]:
    """Return the offsets of a contact's copies, in every repetition of a cycle."""
    source = warp.channel(contact.joint).y
    period = abs(float(source[-1] - source[0])) if period is None else period
    if not warp.loop or period <= 0:
        return [0.0]
    first = int(np.floor((source.min() - contact.end) / period))
    last = int(np.ceil((source.max() - contact.start) / period))
    return [k * period for k in range(first, last + 1)]


def parse_contacts(document: Any) -> tuple[Contact, ...]:
    """Make contacts from a JSON list of ``{"joint", "start", "end"}``."""
    members = '"joint", "start" and "end"'
    return Contacts(listed(document, Contact.from_document, "contact", members))
