"""A timing problem: characters on one line of source time, cut into cells."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.errors import InputError
from retime.pacing.constraints import Beside, Key, Link, Pause, Shared, Speed
from retime.pacing.terms import Elastic, Pace, Points, Smooth, Term

IndexArray = npt.NDArray[np.int64]

# Length of a cell of source time; the rate is constant in a cell. Smooth results are sampled at
# 120 Hz or finer.
CELL_S = 1 / 120
# Slowest and fastest rate where nothing else limits it.
_SLOWEST, _FASTEST = 1e-4, 1e4
# Relative room beyond the limits, so that a request exactly at them has a solution inside.
ROOM = 1e-6
# Moments closer than this are one, seconds.
SAME_TIME_S = 1e-9
# A node of the even grid makes way for a named moment that is closer, in cells.
_CROWDED = 0.3


@dataclass(frozen=True, eq=False)
class Character:
    """One body's time: what it prefers, and what it must do.

    Parameters
    ----------
    domain : (float, float)
        First and last source time.
    terms : tuple of Term
        The objective.
    keys : tuple of Key
        Moments with an output time, ends included. An end without one is free.
    speeds : tuple of Speed
        Limits of the rate.
    loop : bool
        The clip is a cycle: its rate changes across the seam as smoothly as within.
    name : str
        For explanations.
    pauses : tuple of Pause
        Moments that are held.
    beside : Beside, optional
        Further limits of the slowness.
    """

    domain: tuple[float, float]
    terms: tuple[Term, ...]
    keys: tuple[Key, ...]
    speeds: tuple[Speed, ...] = ()
    loop: bool = False
    name: str = ""
    pauses: tuple[Pause, ...] = ()
    beside: Beside | None = None

    @property
    def ratio(self) -> float:
        """Length of the output relative to the source, at most 1; 1 if it is free.

        In a shorter clip a change of rate counts relative to the mean rate.
        """
        start, end = self.domain
        ends = {k.source: k.output for k in self.keys}
        if start not in ends or end not in ends:
            return 1.0
        held = sum(p.seconds for p in self.pauses if start <= p.source < end)
        return float(np.clip((ends[end] - ends[start] - held) / (end - start), _SLOWEST, 1.0))


@dataclass(frozen=True, eq=False)
class Problem:
    """Characters, the spans of time that they share, and links between their moments."""

    characters: tuple[Character, ...]
    shared: tuple[Shared, ...] = ()
    links: tuple[Link, ...] = ()

    def named_times(self) -> FloatArray:
        """Return the source times that anybody names, in order: each is a node."""
        named: list[float] = []
        for c in self.characters:
            named += [*c.domain, *(k.source for k in c.keys)]
            named += [t for s in c.speeds for t in (s.start, s.end)]
            named += [p.source for p in c.pauses]
        named += [t for s in self.shared for t in (s.start, s.end)]
        named += [t for k in self.links for t in (k.first_source, k.second_source)]
        return distinct(named)

    @cached_property
    def nodes(self) -> FloatArray:
        """Source times of all nodes: an even grid, and every named moment."""
        named = self.named_times()
        first, last = named[0], named[-1]
        count = max(int(np.ceil((last - first) / CELL_S - 1e-6)), 4)
        even = np.linspace(first, last, count + 1)
        after = np.clip(np.searchsorted(named, even), 1, len(named) - 1)
        away = np.minimum(np.abs(even - named[after - 1]), np.abs(even - named[after]))
        return np.sort(np.r_[even[away > _CROWDED * (even[1] - even[0])], named])

    def node(self, time: float) -> int:
        """Return the number of the node at a named moment."""
        after = int(np.searchsorted(self.nodes, time - SAME_TIME_S))
        return min(after, len(self.nodes) - 1)

    @cached_property
    def spans(self) -> list[tuple[int, int]]:
        """First and last node of each character."""
        return [(self.node(c.domain[0]), self.node(c.domain[1])) for c in self.characters]

    @cached_property
    def holds(self) -> list[dict[int, float]]:
        """Seconds for which each character's nodes are held; shared spans pass pauses on."""
        holds: list[dict[int, float]] = []
        for c, (first, last) in zip(self.characters, self.spans, strict=True):
            held = {self.node(p.source): p.seconds for p in c.pauses}
            if any(not first <= k <= last or not s >= 0 for k, s in held.items()):
                raise InputError("a pause is a moment of the clip, held for 0 seconds or more")
            holds.append(held)
        for span in self.shared * len(self.shared):
            first, last = self.node(span.start), self.node(span.end)
            together = {
                k: max(holds[j].get(k, 0.0) for j in span.members)
                for i in span.members
                for k in holds[i]
                if first <= k < last
            }
            for i in span.members:
                begin, stop = self.spans[i]
                holds[i] |= {k: s for k, s in together.items() if begin <= k <= stop}
        return holds

    def held(self, character: int) -> FloatArray:
        """Return how long a character was held before each of its nodes."""
        first, last = self.spans[character]
        seconds = np.zeros(last - first + 2)
        for node, held in self.holds[character].items():
            seconds[node - first + 1] = held
        return np.cumsum(seconds)[:-1]

    @cached_property
    def cells(self) -> list[Cells]:
        """The cells of each character; where time is shared, so are the limits of speed."""
        cells = [
            Cells.of(c, self.nodes[first : last + 1])
            for c, (first, last) in zip(self.characters, self.spans, strict=True)
        ]
        for span in self.shared * len(self.shared):  # spans that overlap pass limits on
            first, last = self.node(span.start), self.node(span.end)
            low, high = np.zeros(last - first), np.full(last - first, np.inf)
            places = []
            for i in span.members:
                begin, stop = self.spans[i]
                a, b = max(first, begin), max(min(last, stop), first, begin)
                own, common = slice(a - begin, b - begin), slice(a - first, b - first)
                low[common] = np.maximum(low[common], cells[i].low[own])
                high[common] = np.minimum(high[common], cells[i].high[own])
                places.append((i, own, common))
            for i, own, common in places:
                cells[i].low[own], cells[i].high[own] = low[common], high[common]
        return cells


@dataclass(frozen=True, eq=False)
class Cells:
    """The cells of a character between its nodes (n + 1,), and its terms on them."""

    nodes: FloatArray
    low: FloatArray
    """Least slowness (n,)."""
    high: FloatArray
    """Largest slowness (n,)."""
    weight: FloatArray
    """Elastic weight of a cell's slowness, times its width (n,)."""
    pull: FloatArray
    """Sum of the weights of wishes times the logarithm of the slowness they ask for (n,)."""
    bends: IndexArray
    """Pairs of cells whose change of rate has a cost (B, 2)."""
    stiffness: FloatArray
    """Cost of each (B,)."""

    @property
    def width(self) -> FloatArray:
        """Length of each cell in source time."""
        return np.diff(self.nodes)

    @property
    def fixed(self) -> npt.NDArray[np.bool_]:
        """Whether the slowness of a cell is given."""
        return np.asarray(self.low == self.high)

    @classmethod
    def of(cls, character: Character, nodes: FloatArray) -> Cells:
        """Lay the terms and limits of a character onto its nodes."""
        width, middle = np.diff(nodes), (nodes[1:] + nodes[:-1]) / 2
        weight, pull = np.zeros(len(width)), np.zeros(len(width))
        seconds = 0.0
        for term in character.terms:
            if isinstance(term, Elastic):
                weight += width * term.weight(middle)
            elif isinstance(term, Pace):
                part = width * term.weight(middle)
                weight += part
                pull += part * np.log(term.slowness(middle))
            elif isinstance(term, Smooth):
                seconds = term.seconds
        low, high = slowness_limits(character.speeds, middle)
        if character.beside is not None:
            low = np.maximum(low, character.beside.low(middle))
            high = np.maximum(np.minimum(high, character.beside.high(middle)), low)
        bends = np.c_[np.arange(len(width) - 1), np.arange(1, len(width))]
        if character.loop:
            bends = np.r_[bends, [[len(width) - 1, 0]]]
        apart = (width[bends[:, 0]] + width[bends[:, 1]]) / 2
        stiffness = seconds**2 * character.ratio**3 / apart
        return cls(nodes, low, high, weight, pull, bends, stiffness)


def slowness_limits(speeds: Iterable[Speed], times: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the least and the largest slowness at source times, with a little room."""
    low, high = np.full(len(times), 1 / _FASTEST), np.full(len(times), 1 / _SLOWEST)
    for s in speeds:
        inside = (times > s.start) & (times < s.end)
        low[inside] = np.maximum(low[inside], 1 / s.fastest if s.fastest else np.inf)
        high[inside] = np.minimum(high[inside], 1 / max(s.slowest, _SLOWEST))
    same = low >= high * (1 - SAME_TIME_S)
    low, high = np.where(same, low, low * (1 - ROOM)), np.where(same, low, high * (1 + ROOM))
    return low, high


def points_of(character: Character) -> Iterable[Points]:
    """Return the terms of a character that are points."""
    return (term for term in character.terms if isinstance(term, Points))


def distinct(times: Iterable[float]) -> FloatArray:
    """Return times in order, each once."""
    ordered = np.sort(np.fromiter(times, float))
    return ordered[np.r_[True, np.diff(ordered) > SAME_TIME_S]]
