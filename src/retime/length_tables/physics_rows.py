"""Solve the rows of a table by physics, over the lengths that the body allows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from retime.errors import InfeasibleError, InputError
from retime.length_tables.pins import Pin
from retime.length_tables.rows import Row
from retime.methods.physics import PhysicsModel
from retime.motion import Motion
from retime.notes import Note
from retime.sentences import Duration, Span
from retime.timing.table import Window


class PhysicsRows:
    """The timing of a clip at any length, by its physics."""

    def __init__(
        self, motion: Motion, pins: tuple[Pin, ...], windows: tuple[Window, ...], *, loop: bool
    ) -> None:
        self.model = PhysicsModel(motion)
        self.start, self.loop = motion.domain[0], loop
        self.pins, self.windows = pins, windows

    def possible(self) -> tuple[float, float]:
        """Return the shortest and the longest length that the body allows, without pins."""
        least, most = self.model.minimum_duration(), self.model.maximum_duration()
        if least is None:
            raise InfeasibleError("physics allows no timing of this clip; use guided timing")
        return least, np.inf if most is None else most

    def solved(self, lengths: Sequence[float]) -> tuple[list[float], list[Row], list[Note]]:
        """Return the lengths that are possible with the pins, their rows, and notes.

        Rows are put in order: at each moment the mean of the latest in shorter rows and the
        earliest in longer ones.
        """
        found: list[tuple[float, Row]] = []
        refused: InfeasibleError | None = None
        for length in lengths:
            try:
                found.append((length, self._row(length)))
            except InfeasibleError as e:
                refused = e
                if found:
                    break
        if len(found) < 2:
            raise refused or InfeasibleError("physics allows one length only; use guided timing")
        rows = _in_order([row for _, row in found])
        notes = []
        if refused is not None:
            first, last = found[0][0], found[-1][0]
            notes.append(
                Note(
                    "with these pins physics allows {lengths:.3f}: {reason}",
                    code="lengths-narrowed",
                    lengths=Span(first, last),
                    reason=str(refused),
                )
            )
        return [length for length, _ in found], rows, notes

    def _row(self, length: float) -> Row:
        keys = [(self.start + p.at(length), p.source) for p in self.pins if p.name]
        warp = self.model.warp(duration=length, keytimes=keys, loop=self.loop, infeasible="refuse")
        for w in self.windows:
            lasts = float(warp.inverse(w.end) - warp.inverse(w.start))
            if lasts < w.least - 1e-9:
                raise InputError(
                    "physics plays {part} in {lasts:.3f} at a length of {length:.3f}, less than "
                    "the window's {least:g}; use guided timing",
                    part=Span(w.start, w.end),
                    lasts=Duration(lasts),
                    length=Duration(length),
                    least=Duration(w.least),
                )
        return warp.output, warp.source


def _in_order(rows: Sequence[Row]) -> list[Row]:
    source = np.unique(np.concatenate([row[1] for row in rows]))
    times = np.array([np.interp(source, row[1], row[0]) for row in rows])
    low = np.minimum.accumulate(times[::-1], axis=0)[::-1]
    ordered = (np.maximum.accumulate(times, axis=0) + low) / 2
    return [(row, source) for row in ordered]
