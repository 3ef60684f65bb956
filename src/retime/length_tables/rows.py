"""Solve the rows of a table by the clip's own timing, each beside the row before."""

from __future__ import annotations

import itertools
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
# Shares of the length that differ by less are one.
SAME_SHARE = 1e-12
# A window is solved for more, so that neither the solver's room (a factor) nor the rounding of both
# ends in the file (seconds) makes it short.
_MORE, _ROUNDED_S = 1 + 1e-5, 1e-6


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
        return self._problem(self.windows)

    def _problem(self, windows: Sequence[Window]) -> Problem:
        """Return the problem without pins; only ``windows`` are required to last."""
        start, end = self.domain
        limits = (Speed(start, end, SLOWEST, FASTEST),)
        characters = [Character(self.domain, self.terms, (), limits, self.loop)]
        ties = []
        for w in self.windows:
            # A window is a second character, as slow as its least time requires, tied to the clip
            # at both ends. Ends of all windows have a name, so that all rows have the same cells.
            tied = len(characters) if w in windows else 0
            ties += [Link(0, time, tied, time, 0.0) for time in (w.start, w.end)]
            if w in windows:
                least = (Speed(w.start, w.end, SLOWEST, _fastest(w)),)
                characters.append(Character((w.start, w.end), (), (), least))
        return Problem(tuple(characters), links=tuple(ties))

    def _shrinking(self, window: Window) -> bool:
        """Return whether a part of a window gets shorter in a longer clip."""
        return any(
            b.share < a.share - SAME_SHARE and a.source < window.end and window.start < b.source
            for a, b in itertools.pairwise(self.pins)
        )

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
        # What the shorter row has, the longer one keeps, unless a part of it shrinks.
        required = [w for w in self.windows if before is None or self._shrinking(w)]
        free = self._problem(required)
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
        grows = np.where(np.abs(share) < SAME_SHARE, 0.0, share) * (1 if longer else -1)

        def limits(times: FloatArray) -> tuple[FloatArray, FloatArray]:
            u = slowness[np.clip(np.searchsorted(source, times) - 1, 0, len(slowness) - 1)]
            way = grows[np.clip(np.searchsorted(sources, times) - 1, 0, len(grows) - 1)]
            return np.where(way < 0, 0.0, u), np.where(way > 0, np.inf, u)

        return Beside(lambda times: limits(times)[0], lambda times: limits(times)[1])


def _fastest(window: Window) -> float:
    return (window.end - window.start) / max(window.least * _MORE + _ROUNDED_S, 1e-9)
