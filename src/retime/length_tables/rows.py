"""Solve the rows of a table by the clip's own timing, each beside the row before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from retime.arrays import FloatArray
from retime.length_tables.pins import Pin
from retime.pacing import Beside, Character, Key, Link, Problem, Speed, solve
from retime.pacing.terms import Term
from retime.timing.table import Window

Row = tuple[FloatArray, FloatArray]
"""Output and source times of a solved length."""
# Limits of the playback rate.
SLOWEST, FASTEST = 0.01, 8.0
# A window is solved for this much more, so that the solver's room does not make it short.
_MORE = 1 + 1e-5


@dataclass(frozen=True, eq=False)
class OwnRows:
    """The timing of a clip at any length, by its own terms.

    In each stretch between two pins the time grows, shrinks or stays with the length; so does the
    slowness of every moment from one row to the next. Then no moment is earlier in a longer clip.
    """

    domain: tuple[float, float]
    terms: tuple[Term, ...]
    pins: tuple[Pin, ...]
    """Pins in order, ends of the clip included."""
    windows: tuple[Window, ...] = ()
    loop: bool = False

    @property
    def free(self) -> Problem:
        """The problem without pins."""
        start, end = self.domain
        own = Character(
            self.domain, self.terms, (), (Speed(start, end, SLOWEST, FASTEST),), self.loop
        )
        # A window is a second character, as slow as its least time requires, tied to the clip at
        # both ends.
        spans = [
            Character((w.start, w.end), (), (), (Speed(w.start, w.end, SLOWEST, _fastest(w)),))
            for w in self.windows
        ]
        ties = [
            Link(0, time, k, time, 0.0)
            for k, w in enumerate(self.windows, 1)
            for time in (w.start, w.end)
        ]
        return Problem((own, *spans), links=tuple(ties))

    def solved(self, lengths: Sequence[float]) -> list[Row]:
        """Return rows of all lengths, which increase.

        They are solved outward from the clip's own length. With windows they are solved from the
        shortest, where windows bind: a longer row keeps what a shorter one has.
        """
        start, end = self.domain
        away = [abs(np.log(length / (end - start))) for length in lengths]
        first = 0 if self.windows else int(np.argmin(away))
        rows: dict[int, Row] = {first: self.alone(lengths[first])}
        for order in (range(first + 1, len(lengths)), range(first - 1, -1, -1)):
            before = first
            for k in order:
                rows[k] = self._row(lengths[k], rows[before], lengths[before])
                before = k
        return [rows[k] for k in range(len(lengths))]

    def alone(self, length: float) -> Row:
        """Return the row of a length that is solved by itself."""
        return self._row(length, None, length)

    def _row(self, length: float, before: Row | None, other: float) -> Row:
        start = self.domain[0]
        free = self.free
        own = replace(
            free.characters[0],
            keys=tuple(Key(start + pin.at(length), pin.source) for pin in self.pins),
            beside=None if before is None else self._beside(before, length > other),
        )
        problem = Problem((own, *free.characters[1:]), links=free.links)
        return solve(problem).curves[0]

    def _beside(self, before: Row, longer: bool) -> Beside:
        output, source = before
        slowness = np.diff(output) / np.diff(source)
        sources = np.array([pin.source for pin in self.pins])
        share = np.diff([pin.share for pin in self.pins])
        grows = np.where(np.abs(share) < 1e-12, 0.0, share) * (1 if longer else -1)

        def limits(times: FloatArray) -> tuple[FloatArray, FloatArray]:
            u = slowness[np.clip(np.searchsorted(source, times) - 1, 0, len(slowness) - 1)]
            way = grows[np.clip(np.searchsorted(sources, times) - 1, 0, len(grows) - 1)]
            return np.where(way < 0, 0.0, u), np.where(way > 0, np.inf, u)

        return Beside(lambda times: limits(times)[0], lambda times: limits(times)[1])


def _fastest(window: Window) -> float:
    return (window.end - window.start) / max(window.least * _MORE, 1e-9)
