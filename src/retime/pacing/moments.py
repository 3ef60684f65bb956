"""Whether all constraints can be met at once, found before solving: difference constraints.

Between two named moments of a character the output time lies between the sums of the least and the
largest slowness of the cells. Keys and links fix differences; a moment in a shared span is one node
for all who share it. Shortest paths between these few nodes give the earliest and latest output
time of each, or, where a cycle is negative, exactly the facts that contradict each other. Each cell
belongs to one stretch, so what this test allows, the solver can reach.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field, replace

import numpy as np

from retime.arrays import FloatArray
from retime.errors import InfeasibleError
from retime.pacing.constraints import Key, Link, Speed
from retime.pacing.problem import SAME_TIME_S, Character, IndexArray, Problem
from retime.sentences import Duration, Moment, Sentence, Span

# Rounding errors of sums of output times, seconds.
_ROUNDING_S = 1e-9


@dataclass(frozen=True)
class Stretch:
    """A fact: a stretch of the source takes at least or at most a time, at its limits of speed."""

    character: str
    start: float
    end: float
    seconds: float
    least: bool

    def sentence(self) -> Sentence:
        """Return the fact in words."""
        bound = "at least" if self.least else "at most"
        return Sentence(
            f"{{part:.3f}} of {self.character or 'the source'} takes {bound} {{length:.3f}} "
            "within its limits of speed",
            part=Span(self.start, self.end),
            length=Duration(self.seconds),
        )


@dataclass(frozen=True)
class Placed:
    """A fact: a moment of the source has an output time."""

    character: str
    key: Key

    def sentence(self) -> Sentence:
        """Return the fact in words."""
        return Sentence(
            f"{{source:.3f}} of {self.character or 'the source'} is at {{output:.3f}}",
            source=Moment(self.key.source),
            output=Moment(self.key.output),
        )


@dataclass(frozen=True)
class Linked:
    """A fact: two moments have a given time between them."""

    link: Link
    names: tuple[str, str]

    def sentence(self) -> Sentence:
        """Return the fact in words."""
        one, other = self.names
        return Sentence(
            f"{{length:.3f}} from {{first:.3f}} of {one} to {{second:.3f}} of {other}",
            length=Duration(self.link.seconds),
            first=Moment(self.link.first_source),
            second=Moment(self.link.second_source),
        )


@dataclass(frozen=True)
class Limited:
    """A fact: a stretch of the source plays within limits of speed."""

    character: str
    speed: Speed

    def sentence(self) -> Sentence:
        """Return the fact in words."""
        slow, fast = self.speed.slowest, self.speed.fastest
        rates = "at {slow:g} to {fast:g} times its speed"
        if slow < 0.01:
            rates = "no faster than {fast:g} times its speed"
        if not np.isfinite(fast):
            rates = "at {slow:g} times its speed or more"
        if slow == fast:
            rates = "at {fast:g} times its speed" if fast != 1 else "at its recorded speed"
        return Sentence(
            f"{{part:.3f}} of {self.character or 'the source'} plays {rates}",
            part=Span(self.speed.start, self.speed.end),
            slow=slow,
            fast=fast,
        )


Fact = Stretch | Placed | Linked | Limited


class Contradiction(InfeasibleError):
    """Requests that contradict each other: ``facts``, and by how many seconds they do."""

    def __init__(self, facts: tuple[Fact, ...], seconds: float) -> None:
        self.facts, self.seconds = facts, seconds
        told = "; ".join(f"{{f{k}}}" for k in range(len(facts)))
        super().__init__(
            f"these cannot all be true, by {{lack:.3g}}: {told}",
            lack=Duration(seconds),
            **{f"f{k}": fact.sentence() for k, fact in enumerate(facts)},
        )


@dataclass(frozen=True, eq=False)
class Moments:
    """The named moments of a problem, and the shortest paths between their output times."""

    problem: Problem
    narrowest: float = np.inf
    """Rates are also limited to 1 / narrowest and narrowest, where their own limits allow."""
    inside: float = 0.0
    """Share of the limits that is left free beside them."""
    index: dict[tuple[int, int], int] = field(default_factory=dict, init=False)
    """Number of the moment of a character and a node."""
    chains: list[list[int]] = field(default_factory=list, init=False)
    """The nodes of each character's moments, in order."""
    bound: FloatArray = field(init=False)
    """The most that the time of a column can be after that of a row; the last is output time 0."""

    def __post_init__(self) -> None:
        for c in self.problem.characters:
            _must_agree(c, c, c.domain)
        for span in self.problem.shared:
            for i, j in itertools.permutations(span.members, 2):
                one, other = self.problem.characters[i], self.problem.characters[j]
                _must_agree(one, other, (span.start, span.end))
        self._name_moments()
        facts = self._facts()
        count = max(self.index.values()) + 2
        bound, why = np.full((count, count), np.inf), {}
        bound[np.arange(count), np.arange(count)] = 0.0
        for first, second, least, most, fact in facts:
            for a, b, most_after in ((first, second, most), (second, first, -least)):
                if most_after < bound[a, b]:
                    bound[a, b], why[a, b] = most_after, fact
        object.__setattr__(self, "bound", _shortest(bound, why))

    def _name_moments(self) -> None:
        problem = self.problem
        named = [{first, last} for first, last in problem.spans]
        for nodes, c in zip(named, problem.characters, strict=True):
            nodes |= {problem.node(k.source) for k in c.keys}
            nodes |= {problem.node(p.source) for p in c.pauses}
        for link in problem.links:
            named[link.first].add(problem.node(link.first_source))
            named[link.second].add(problem.node(link.second_source))
        shared = [(problem.node(s.start), problem.node(s.end), s.members) for s in problem.shared]
        for first, last, members in shared * len(shared):  # spans that overlap pass moments on
            inside = {first, last}.union(*(named[i] for i in members))
            for i in members:
                low, high = max(first, problem.spans[i][0]), min(last, problem.spans[i][1])
                named[i] |= {k for k in inside if low <= k <= high}
        same = {(i, k): (i, k) for i, nodes in enumerate(named) for k in nodes}
        for first, last, members in shared:
            for k in range(first, last + 1):
                group = [(i, k) for i in members if (i, k) in same]
                for other in group[1:]:
                    same[_root(same, other)] = _root(same, group[0])
        roots = {key: _root(same, key) for key in same}
        number = {root: n for n, root in enumerate(dict.fromkeys(roots.values()))}
        self.index.update({key: number[root] for key, root in roots.items()})
        self.chains.extend(sorted(nodes) for nodes in named)

    def _facts(self) -> list[tuple[int, int, float, float, Fact]]:
        """List what fixes or limits the time from one moment to another."""
        problem, zero = self.problem, max(self.index.values()) + 1
        facts: list[tuple[int, int, float, float, Fact]] = []
        for i, c in enumerate(problem.characters):
            for a, b, least, most in self.stretches(i):
                start, end = problem.nodes[a], problem.nodes[b]
                ends = self.index[i, a], self.index[i, b]
                facts.append((*ends, least, np.inf, Stretch(c.name, start, end, least, True)))
                facts.append((*ends, -np.inf, most, Stretch(c.name, start, end, most, False)))
            for key in c.keys:
                moment = self.index[i, problem.node(key.source)]
                facts.append((zero, moment, key.output, key.output, Placed(c.name, key)))
        for link in problem.links:
            one = self.index[link.first, problem.node(link.first_source)]
            other = self.index[link.second, problem.node(link.second_source)]
            names = (problem.characters[link.first].name, problem.characters[link.second].name)
            facts.append((one, other, link.seconds, link.seconds, Linked(link, names)))
        return facts

    def stretches(self, i: int) -> list[tuple[int, int, float, float]]:
        """Return the nodes between which a character has no moment, and the times possible.

        A pause at the first of two nodes is part of the time between them.
        """
        cells, first = self.problem.cells[i], self.problem.spans[i][0]
        low, high = self.limits(i)
        upto_low = np.r_[0.0, np.cumsum(low * cells.width)]
        upto_high = np.r_[0.0, np.cumsum(high * cells.width)]
        return [
            (
                a,
                b,
                upto_low[b - first] - upto_low[a - first] + self.problem.holds[i].get(a, 0.0),
                upto_high[b - first] - upto_high[a - first] + self.problem.holds[i].get(a, 0.0),
            )
            for a, b in itertools.pairwise(self.chains[i])
        ]

    def limits(self, i: int) -> tuple[FloatArray, FloatArray]:
        """Return the limits of a character's slowness, narrowed."""
        cells = self.problem.cells[i]
        middle = (cells.low + cells.high) / 2
        low = np.minimum(cells.low * (1 + self.inside), middle)
        high = np.maximum(cells.high * (1 - self.inside), middle)
        return np.clip(1 / self.narrowest, low, high), np.clip(self.narrowest, low, high)

    def times(self) -> tuple[FloatArray, FloatArray]:
        """Return the earliest and the latest output time of each moment."""
        return -self.bound[:-1, -1], self.bound[-1, :-1]


def possible_times(problem: Problem, character: int, source: float) -> tuple[float, float]:
    """Return the earliest and the latest output time of a moment, its own key left aside."""
    c = problem.characters[character]
    others = tuple(k for k in c.keys if abs(k.source - source) > SAME_TIME_S)
    characters = list(problem.characters)
    characters[character] = replace(c, keys=others)
    # A link to itself names the moment.
    itself = Link(character, source, character, source, 0.0)
    free = Problem(tuple(characters), problem.shared, (*problem.links, itself))
    moments = Moments(free)
    earliest, latest = moments.times()
    at = moments.index[character, free.node(source)]
    return float(earliest[at]), float(latest[at])


def _must_agree(one: Character, other: Character, span: tuple[float, float]) -> None:
    """Raise if a limit of speed of one excludes one of the other where they overlap in a span."""
    for a, b in itertools.product(one.speeds, other.speeds):
        both = min(a.end, b.end, span[1]) - max(a.start, b.start, span[0])
        if both > SAME_TIME_S and a.slowest > b.fastest * (1 + SAME_TIME_S):
            lack = both * (1 / b.fastest - 1 / a.slowest)
            raise Contradiction((Limited(one.name, a), Limited(other.name, b)), lack)


def _root(same: dict[tuple[int, int], tuple[int, int]], key: tuple[int, int]) -> tuple[int, int]:
    while same[key] != key:
        key = same[key]
    return key


def _shortest(bound: FloatArray, why: dict[tuple[int, int], Fact]) -> FloatArray:
    """Return the shortest paths (Floyd and Warshall); raise on a negative cycle."""
    count = len(bound)
    before = np.tile(np.arange(count)[:, None], (1, count))  # the moment before the last on a path
    for k in range(count):
        through = bound[:, k, None] + bound[None, k]
        shorter = through < bound - _ROUNDING_S
        bound, before = np.where(shorter, through, bound), np.where(shorter, before[k], before)
        if (np.diag(bound) < -_ROUNDING_S).any():
            raise _contradiction(bound, before, why)
    return bound


def _contradiction(
    bound: FloatArray, before: IndexArray, why: dict[tuple[int, int], Fact]
) -> Contradiction:
    start = int(np.diag(bound).argmin())
    facts: list[Fact] = []
    here = start
    for _ in range(len(bound)):
        previous = int(before[start, here])
        facts.insert(0, why[previous, here])
        here = previous
        if here == start:
            break
    return Contradiction(_joined(facts), -float(bound[start, start]))


def _joined(facts: list[Fact]) -> tuple[Fact, ...]:
    """Join stretches of one character that adjoin, and list each fact once."""
    out: list[Fact] = []
    for fact in facts:
        last = out[-1] if out else None
        if (
            isinstance(fact, Stretch)
            and isinstance(last, Stretch)
            and (fact.character, fact.least) == (last.character, last.least)
            and (fact.start == last.end or fact.end == last.start)
        ):
            out[-1] = Stretch(
                fact.character,
                min(fact.start, last.start),
                max(fact.end, last.end),
                fact.seconds + last.seconds,
                fact.least,
            )
        elif fact not in out:
            out.append(fact)
    return tuple(out)
