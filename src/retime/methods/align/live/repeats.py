"""Repetitions in a recording: for each time, the similar times of other cycles."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from retime import _native
from retime.arrays import FloatArray

# Two places are alike within this mean squared tolerance of pose and motion, and repeat each other
# where more than so much travel of the mean joint lies between them, metres.
_ALIKE, _APART = 1.0, 0.15
# Places that are compared with each other at the most; longer recordings are thinned for it.
_MOST = 1500

Indices = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Repeats:
    """Repetitions of each of N places, as ranges of three flat arrays."""

    first: Indices
    """Where the repetitions of a place start in the arrays below (N + 1)."""
    place: Indices
    """The most similar place of each repetition."""
    low: Indices
    high: Indices
    """First and last place around it that are alike, too."""

    def part(self, place: int) -> slice:
        """Return where the repetitions of a place are in the arrays."""
        return slice(int(self.first[place]), int(self.first[place + 1]))

    def of(self, place: int) -> Indices:
        """Return the places that repeat one."""
        return self.place[self.part(place)]

    def are_alike(self, place: int, other: int, within: int) -> bool:
        """Return whether another place is within some places of one of a place's repetitions."""
        part = self.part(place)
        inside = (other >= self.low[part] - within) & (other <= self.high[part] + within)
        return bool(inside.any())


def find_repeats(
    path: FloatArray,
    motion: FloatArray,
    way: FloatArray,
    weights: FloatArray,
    tolerance: FloatArray,
    *,
    cut: float,
    relative: float,
    floor: float,
) -> Repeats:
    """Find the repetitions in poses (N, J, 3) with velocities and travel (N,)."""
    count = len(path)
    every = -(-count // _MOST)
    coarse = slice(None, None, every)
    unlike = _native.live_cycles.likeness(
        np.ascontiguousarray(path[coarse]), np.ascontiguousarray(motion[coarse]), weights,
        tolerance, cut, relative**2, floor**2,
    )  # fmt: skip
    ways = way[coarse]
    found = [_dips(unlike[i], np.abs(ways - ways[i]) > _APART) for i in range(len(unlike))]
    first, rows = np.zeros(count + 1, np.int64), []
    for i in range(count):
        k, more = divmod(i, every)
        rows += [[min(every * p + more, count - 1) for p in dip] for dip in found[k]]
        first[i + 1] = len(rows)
    table = np.array(rows, np.int64).reshape(-1, 3)
    return Repeats(first, *(np.ascontiguousarray(column) for column in table.T))


def _dips(unlike: FloatArray, apart: npt.NDArray[np.bool_]) -> list[tuple[int, int, int]]:
    """Return the best time of each similar part, and the ends of the part."""
    values = np.where(apart, unlike, np.inf)
    alike = values < _ALIKE
    edges = np.flatnonzero(np.diff(np.r_[0, alike.astype(np.int8), 0]))
    return [
        (int(a + np.argmin(values[a:b])), int(a), int(b - 1))
        for a, b in zip(edges[::2], edges[1::2], strict=True)
    ]
