"""A recipe's result and how it came about."""

from __future__ import annotations

from dataclasses import dataclass

from retime.motion import Motion
from retime.recipe import Solved
from retime.timing import TimeWarp

__all__ = ["Evaluated"]


@dataclass(frozen=True, eq=False)
class Evaluated:
    """A source, what each step of a recipe did to it, and what came out.

    Parameters
    ----------
    source : Motion
        What the recipe started from.
    solved : tuple of Solved
        The steps that are not muted.
    motion : Motion
        The result.
    warp : TimeWarp
        From the result's time to the source's.
    """

    source: Motion
    solved: tuple[Solved, ...]
    motion: Motion
    warp: TimeWarp
