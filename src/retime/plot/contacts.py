"""Contacts as bars over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from retime.motion.contact import Contact
from retime.plot.style import INK, ORIGINAL, RETIMED, canvas, plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def contact_figure(rows: Mapping[str, Sequence[Contact]], end: float) -> Figure:
    """Draw contacts: a row per motion and joint, a bar per contact.

    Rows are contacts by the name of their motion; the first is drawn as the original. ``end`` is
    the last time of the axis, seconds.
    """
    lines = [
        (f"{name}: {joint}", [c for c in contacts if c.joint == joint], colour)
        for (name, contacts), colour in zip(rows.items(), (ORIGINAL, RETIMED), strict=False)
        for joint in dict.fromkeys(c.joint for c in contacts)
    ]
    figure = canvas(9.0, 0.6 + 0.32 * max(len(lines), 1))
    axes = figure.subplots()
    for k, (_, contacts, colour) in enumerate(lines):
        spans = [(c.start, c.duration) for c in contacts]
        axes.broken_barh(spans, (k - 0.36, 0.72), color=colour)
    axes.set_yticks(range(len(lines)), [label for label, _, _ in lines])
    axes.set_ylim(len(lines) - 0.4, -0.6)
    first = min([0.0, *(c.start for contacts in rows.values() for c in contacts)])
    axes.set_xlim(first, max(end, first + 1e-3))
    axes.set_xlabel("time (s)", color=INK)
    plain(axes)
    return figure
