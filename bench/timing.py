"""How a figure is measured: the least of a few runs."""

from __future__ import annotations

import functools
import resource
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

__all__ = ["Figure", "cpu_seconds", "cpu_seconds_of_children", "in_turns", "seconds"]


@dataclass(frozen=True)
class Figure:
    """One line of a table: what was measured, against whom."""

    what: str
    ours: float
    peer: str
    theirs: float
    unit: str = "s"

    @property
    def ratio(self) -> float:
        return self.theirs / self.ours


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


def cpu_seconds(command: Sequence[str], *, env: Mapping[str, str] | None = None) -> float:
    """Run a command, and return the CPU time that it and the processes below it took."""
    run = functools.partial(subprocess.run, command, check=True, env=env, stdout=-3)
    return cpu_seconds_of_children(run)


def cpu_seconds_of_children(run: Callable[[], object]) -> float:
    """Return the CPU time of processes that begin and end during a call."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
