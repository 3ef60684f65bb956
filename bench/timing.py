"""How a figure is measured: the best of a few runs, after a first that warms caches."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["Figure", "seconds"]


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
