"""Solve a timing problem: name its unknowns, choose a start, and descend."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from retime import _native
from retime.arrays import FloatArray
from retime.errors import InfeasibleError
from retime.pacing.moments import Contradiction, Moments
from retime.pacing.problem import ROOM, IndexArray, Problem, points_of

# Steps of the solver at most; 4 to 20 are usual.
_STEPS = 200
_NONE = "no timing was found; widen the limits of speed"
# Weight of the limits of speed; small, so that they act beside them only.
_WALL = 1e-7
# Ranges of rates from which a start is chosen, and the distance that it keeps from the limits of
# speed: the first that is possible. The last is possible for all requests that are.
_STARTS = [(n, 1e-2) for n in (1.5, 2.5, 5.0, 12.0, 40.0, 200.0, np.inf)]
_STARTS += [(np.inf, 1e-4), (np.inf, ROOM / 2)]


@dataclass(frozen=True, eq=False)
class Solution:
    """The curves of least cost."""

    curves: tuple[tuple[FloatArray, FloatArray], ...]
    """Output and source times of each character; the rate is constant between them."""
    steps: int
    """Steps of the solver."""


def solve(problem: Problem) -> Solution:
    """Find the curves of least cost that meet all constraints.

    Raises
    ------
    Contradiction
        If the constraints cannot all be met; it names those that contradict each other.
    """
    start = _start(problem)
    nodes = _Nodes(problem)
    output, steps = nodes.descend(start)
    curves = []
    for i, (first, last) in enumerate(problem.spans):
        times = output[nodes.first[i] : nodes.first[i] + last - first + 1]
        source, holds = problem.nodes[first : last + 1], sorted(problem.holds[i].items())
        at = np.array([node - first for node, seconds in holds if seconds], dtype=int)
        ends = times[at] + [seconds for _, seconds in holds if seconds]
        curves.append((np.insert(times, at + 1, ends), np.insert(source, at + 1, source[at])))
    return Solution(tuple(curves), steps)


def _start(problem: Problem) -> list[FloatArray]:
    """Return output times of each character's nodes that meet all constraints, with mild rates."""
    Moments(problem)  # raises with the facts as they are, not narrowed
    for narrowest, inside in _STARTS:
        try:
            moments = Moments(problem, narrowest, inside)
        except Contradiction:
            continue
        break
    else:
        raise InfeasibleError(_NONE)
    earliest, latest = moments.times()
    # Both are possible, and so is what lies between.
    middle = (earliest + np.minimum(latest, earliest + 1e4)) / 2
    starts = []
    for i, (first, last) in enumerate(problem.spans):
        cells = problem.cells[i]
        low, high = moments.limits(i)
        times = np.empty(last - first + 1)
        for a, b, least, most in moments.stretches(i):
            begin, end = middle[moments.index[i, a]], middle[moments.index[i, b]]
            part = slice(a - first, b - first)
            share = np.clip((end - begin - least) / max(most - least, 1e-12), 0.0, 1.0)
            u = low[part] + share * (high[part] - low[part])
            moving = begin + problem.holds[i].get(a, 0.0)
            times[part.start + 1 : part.stop + 1] = moving + np.cumsum(u * cells.width[part])
            times[part.start], times[part.stop] = begin, end
        starts.append(times)
    return starts


class _Nodes:
    """Which nodes are unknown, and which are known or follow another at a given distance.

    A key makes a node known. Cells of a fixed rate, shared spans and links tie one node to another.
    Unknown are output times less the pauses before, so that no cell contains a pause.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        counts = [last - first + 1 for first, last in problem.spans]
        self.first = np.r_[0, np.cumsum(counts)]
        self.count = int(self.first[-1])
        self.held = np.concatenate([*(problem.held(i) for i in range(len(counts))), [0.0]])
        # A forest of the tied nodes: what each follows, and at what distance. A number after all
        # nodes stands for output time 0.
        self.followed: dict[int, tuple[int, float]] = {}
        for i, c in enumerate(problem.characters):
            for key in c.keys:
                self._tie(self.count, self.at(i, problem.node(key.source)), key.output)
            cells = problem.cells[i]
            for k in np.flatnonzero(cells.fixed).tolist():
                here = int(self.first[i]) + k
                pause = float(self.held[here + 1] - self.held[here])
                self._tie(here, here + 1, pause + float(cells.low[k] * cells.width[k]))
        for span in problem.shared:
            for k in range(problem.node(span.start), problem.node(span.end) + 1):
                together = [self.at(i, k) for i in span.members if self._has(i, k)]
                for other in together[1:]:
                    self._tie(together[0], other, 0.0)
        for link in problem.links:
            one = self.at(link.first, problem.node(link.first_source))
            other = self.at(link.second, problem.node(link.second_source))
            self._tie(one, other, link.seconds)

    def at(self, character: int, node: int) -> int:
        """Return the number of a character's node."""
        return int(self.first[character]) + node - self.problem.spans[character][0]

    def _has(self, character: int, node: int) -> bool:
        first, last = self.problem.spans[character]
        return first <= node <= last

    def _root(self, node: int) -> tuple[int, float]:
        """Return the node that a node follows in the end, and its distance from it."""
        path, root = [], node
        while root in self.followed:
            path.append(root)
            root = self.followed[root][0]
        away = 0.0
        for k in reversed(path):  # the next time, the way is short
            away += self.followed[k][1]
            self.followed[k] = (root, away)
        return root, away

    def _tie(self, node: int, other: int, seconds: float) -> None:
        """Put a node ``seconds`` after another."""
        seconds += float(self.held[node] - self.held[other])
        (a, before), (b, after) = self._root(node), self._root(other)
        if a == b:
            return  # the moments were found not to contradict each other
        if b == self.count:  # output time 0 stays a root
            self.followed[a] = (b, after - seconds - before)
        else:
            self.followed[b] = (a, before + seconds - after)

    def descend(self, start: list[FloatArray]) -> tuple[FloatArray, int]:
        """Return the output times of all nodes, and the steps of the solver."""
        unknown, offset = np.empty(self.count + 1, np.int64), np.zeros(self.count)
        order = self._order()
        tied = np.fromiter(self.followed, np.int64, len(self.followed))
        own = order[~np.isin(order, tied)]
        unknown[own], unknown[-1] = np.arange(len(own)), len(own)
        for k in tied.tolist():
            root, offset[k] = self._root(k)
            unknown[k] = unknown[root]
        initial = (np.concatenate(start) - self.held[:-1])[own]
        objective, points = self._objective(), self._points()
        output, steps = _native.pacing.solve(
            initial, unknown[:-1], offset, *objective, *points, _STEPS
        )
        if not steps or not np.isfinite(output).all():
            raise InfeasibleError(_NONE)
        return output + self.held[:-1], int(steps)

    def _order(self) -> IndexArray:
        """Return all nodes by source time, so that the system is narrow."""
        node = np.concatenate([np.arange(a, b + 1) for a, b in self.problem.spans])
        return np.argsort(node, kind="stable")

    def _objective(self) -> tuple[IndexArray, FloatArray, IndexArray, FloatArray]:
        """Return the cells of all characters with their terms, and the bends with theirs."""
        cells, terms, bends, stiffness = [], [], [], []
        before = 0
        for first, c in zip(self.first, self.problem.cells, strict=False):
            here = first + np.arange(len(c.width))
            cells.append(np.c_[here, here + 1])
            wall = np.where(c.fixed, 0.0, _WALL * c.width)
            terms.append(np.c_[c.width, c.weight, c.pull, c.low, c.high, wall])
            bends.append(before + c.bends)
            stiffness.append(c.stiffness)
            before += len(here)
        return (
            np.concatenate(cells),
            np.concatenate(terms),
            np.concatenate(bends),
            np.concatenate(stiffness),
        )

    def _points(self) -> tuple[IndexArray, FloatArray]:
        """Return the nodes beside each wanted point, and its share, target and weight."""
        nodes, wanted = [np.empty((0, 2), np.int64)], [np.empty((0, 3))]
        for i, c in enumerate(self.problem.characters):
            times = self.problem.cells[i].nodes
            for term in points_of(c):
                after = np.clip(np.searchsorted(times, term.source), 1, len(times) - 1)
                share = (term.source - times[after - 1]) / (times[after] - times[after - 1])
                nodes.append(self.first[i] + np.c_[after - 1, after])
                held = self.held[self.first[i] + after]
                wanted.append(np.c_[np.clip(share, 0, 1), term.output - held, term.weight])
        return np.concatenate(nodes), np.concatenate(wanted)
