"""Contacts as bars over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from retime.body.contacts import FoundContacts
from retime.motion import Motion
from retime.motion.contact import Contact
from retime.plot.strips import HEIGHT_INCHES, STEP_INCHES, StripRow
from retime.plot.style import INK, KEY, ORIGINAL, RETIMED, canvas, plain, save

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Number of poses in the film strip, and the colour of flights.
_POSES = 14
_FLIGHT = "#f4f0e4"


def draw_contacts(motion: Motion, found: FoundContacts, path: str | Path) -> None:
    """Draw a film strip with marks on contacts, above bars of all contacts; flights are shaded.

    The opacity of a bar is the confidence of the contact.
    """
    points = list(dict.fromkeys(c.point for c in found.contacts))
    start, length = motion.domain[0], max(motion.duration, 1e-3)
    step = length / (_POSES - 1)
    row = StripRow.of(motion, step)
    top = max(1.1, row.flat[..., 1].max() + 0.05)
    strip, bars = HEIGHT_INCHES * (top - row.bottom), 0.26 * max(len(points), 1) + 0.4
    figure = canvas(STEP_INCHES * (_POSES + 0.4) + 1.2, strip + bars)
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=[strip, bars])
    above.set_xlim(-0.7 * step, length + 0.7 * step)
    above.set_ylim(row.bottom, top)
    row.draw(above, step, ORIGINAL)
    _mark(above, row, motion, found.contacts, step)
    for k, point in enumerate(points):
        for contact in (c for c in found.contacts if c.point == point):
            span = [(contact.start - start, contact.duration)]
            sure = 0.25 + 0.75 * contact.confidence
            below.broken_barh(span, (k - 0.36, 0.72), color=RETIMED, alpha=sure, linewidth=0)
    for first, last in found.flights:
        below.axvspan(first - start, last - start, color=_FLIGHT, zorder=0)
    below.set_yticks(range(len(points)), [p.replace("_", " ") for p in points])
    below.set_ylim(len(points) - 0.4, -0.6)
    below.set_xlabel("time (s)", color=INK)
    plain(below)
    above.tick_params(labelbottom=False, bottom=False)
    save(figure, path)


def _mark(
    axes: Axes, row: StripRow, motion: Motion, contacts: Sequence[Contact], step: float
) -> None:
    """Draw a dot on every joint in contact in a pose of a film strip."""
    across = step * HEIGHT_INCHES / STEP_INCHES
    for t, pose in zip(row.times, row.flat, strict=True):
        now = motion.domain[0] + t
        for contact in contacts:
            if contact.start <= now <= contact.end:
                x, y, _ = pose[motion.skeleton.index(contact.joint)]
                axes.plot(t + across * x, y, "o", color=KEY, markersize=5, zorder=9)


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
