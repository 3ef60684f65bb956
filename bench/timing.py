"""How a figure is measured: the best of a few runs, after a first that warms caches."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["Figure", "in_turns", "seconds"]


@dataclass(frozen=True)
class Figure:
    """One line of a table: what was measured, against whom."""

    what: str
    ours_s: float
    peer: str
    peer_s: float

    @property
    def ratio(self) -> float:
        return self.peer_s / self.ours_s


def seconds(run: Callable[[], object], *, repeats: int = 5, budget: float = 20.0) -> float:
    """Time a call: the least of some repeats, fewer where a budget of seconds is used up."""
    begun = time.perf_counter()
    run()
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        best = min(best, time.perf_counter() - start)
        if time.perf_counter() - begun > budget:
            break
    return best


def in_turns(*runs: Callable[[], object], rounds: int = 6, turn: float = 0.05) -> list[float]:
    """Time calls in turns, so that a slow moment of the machine falls on all: the least of each.

    In its turn a call is repeated for some seconds, so that a short one does not begin with the
    caches that a long one left.
    """
    best = [float("inf")] * len(runs)
    for _ in range(rounds):
        for i, run in enumerate(runs):
            begun = time.perf_counter()
            while (start := time.perf_counter()) - begun < turn:
                run()
                best[i] = min(best[i], time.perf_counter() - start)
    return best
