"""Judge a table: its moments, and its timing beside uniform speed and each length's solution."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from retime.io.length_json import lengths_text
from retime.length_tables.building import Request, built
from retime.length_tables.parameters import LengthsParameters
from retime.methods.guided import own_score
from retime.motion import Motion
from retime.notes import Note
from retime.timing import TimeWarp
from retime.timing.table import LengthTable


@dataclass(frozen=True)
class LengthReport:
    """The size, the moments and the gain of a table, as data for a front end."""

    table: LengthTable
    span: tuple[float, float]
    """Shortest and longest length of the table."""
    size: int
    """Bytes of its file."""
    moments: dict[str, tuple[float, float, float]]
    """Output time of each moment at the shortest, the own and the longest length."""
    notes: tuple[Note, ...] = ()
    """Sentences on what narrows the lengths."""
    gain: float | None = None
    """Share of the score of uniform speed that the table saves, between its rows."""
    lost: float | None = None
    """Share of that saving that solving each length would keep and the table loses."""


def report(motion: Motion, p: LengthsParameters, *, judge: bool = True) -> LengthReport:
    """Build a table and report on it; to ``judge`` its gain takes a second or two."""
    table, notes = built(motion, p)
    shown = (float(table.lengths[0]), table.duration, float(table.lengths[-1]))
    moments = {
        name: (table.when(time, shown[0]), table.when(time, shown[1]), table.when(time, shown[2]))
        for name, time in table.moments.items()
    }
    size = len(lengths_text(table).encode())
    found = LengthReport(table, (shown[0], shown[2]), size, moments, notes)
    if p.by == "physics" or not judge:
        return found
    gain, lost = _gain(motion, p, table)
    return replace(found, gain=gain, lost=lost)


def _gain(motion: Motion, p: LengthsParameters, table: LengthTable) -> tuple[float, float]:
    """Return the gain over uniform speed, and the share of it that the table loses.

    They are measured between rows: in the first, the middle and the last interval.
    """
    score = own_score(motion)
    middles = np.sqrt(table.lengths[:-1] * table.lengths[1:])
    between = np.unique(middles[[0, (len(middles) - 1) // 2, -1]]).tolist()
    own = Request.of(motion, p).own_rows(motion, p)
    start = motion.domain[0]
    scores = np.array(
        [
            [
                score(TimeWarp([start, start + length], list(motion.domain))),
                score(table.warp(length)),
                score(TimeWarp(*own.alone(length))),
            ]
            for length in between
        ]
    )
    uniform, delivered, solved = scores.sum(axis=0)
    gain = 1 - delivered / uniform
    best = 1 - solved / uniform
    return float(gain), float((best - gain) / best) if best > 0 else 0.0
