"""Terms of the objective: weights and wishes over source time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from retime.arrays import FloatArray

Track = Callable[[FloatArray], FloatArray]
"""A value at each source time: a function from times (N,) to values (N,)."""


@dataclass(frozen=True, eq=False)
class Elastic:
    """Prefer the source's own rate: the integral of w (u ln u - u + 1) over source time.

    Alone, and with a length, it gives ln u = c / w: each moment yields by 1 / w of a common amount,
    whatever the length, and time never stands still.
    """

    weight: Track


@dataclass(frozen=True, eq=False)
class Pace:
    """Prefer a given slowness: the integral of w (u ln(u / u*) - u + u*) over source time."""

    slowness: Track
    weight: Track


@dataclass(frozen=True)
class Smooth:
    """Prefer few changes of rate: L^2 times the integral of (dr/ds)^2 over output time, r = 1 / u.

    L is ``seconds``: about how long a change of rate takes where the elastic weight is 1.
    """

    seconds: float


@dataclass(frozen=True, eq=False)
class Points:
    """Prefer output times at source times: the sum of w (T(source) - output)^2."""

    output: FloatArray
    source: FloatArray
    weight: FloatArray


Term = Elastic | Pace | Smooth | Points
