"""Falloff of a drag in time: a bump from 0 to 1 and back to 0 (section 3.4)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.coercion import coerce
from retime.errors import InputError
from retime.methods.surface.parameters import Propagation
from retime.timing.monotone import monotone_values

__all__ = ["Bump", "bump"]


@dataclass(frozen=True, eq=False)
class Bump:
    """A bump over u from -1 to 1, with value 1 in the middle, and its slopes.

    Parameters
    ----------
    value : callable
        From u (N,) to the fraction of the drag.
    rises, falls : (float, float)
        The steepest rise and the steepest fall, before the peak and after it.
    """

    value: Callable[[FloatArray], FloatArray]
    rises: tuple[float, float]
    falls: tuple[float, float]

    def room(self, shift: FloatArray, least: float, most: float, side: int) -> FloatArray:
        """Return the seconds that shifts need before (0) or after (1) their peak.

        Time t - shift b(t) then runs at rates from ``least`` to ``most``.
        """
        slow, fast = 1 - least, most - 1
        later = max(self.rises[side] / slow, self.falls[side] / fast)
        earlier = max(self.falls[side] / slow, self.rises[side] / fast)
        out: FloatArray = np.abs(shift) * np.where(shift > 0, later, earlier)
        return out

    def at(self, t: FloatArray, peak: npt.ArrayLike, start: float, end: float) -> FloatArray:
        """Evaluate it at times, stretched from its start over its peak to its end."""
        peak = np.asarray(peak, dtype=float)
        before, after = np.maximum(peak - start, 1e-12), np.maximum(end - peak, 1e-12)
        u = np.where(t < peak, (t - peak) / before, (t - peak) / after)
        return np.where(np.abs(u) < 1, self.value(np.clip(u, -1, 1)), 0.0)


def _quintic(u: FloatArray) -> FloatArray:
    v = 1 - np.abs(u)
    out: FloatArray = v**3 * (10 - 15 * v + 6 * v**2)
    return out


def _septic(u: FloatArray) -> FloatArray:
    v = 1 - np.abs(u)
    out: FloatArray = v**4 * (35 - 84 * v + 70 * v**2 - 20 * v**3)
    return out


# Both have no slope and no curvature at the ends and at the peak, so that halves of unequal length
# still join with two continuous derivatives.
_KNOWN = {
    "quintic": Bump(_quintic, (15 / 8, 0.0), (0.0, 15 / 8)),
    "septic": Bump(_septic, (35 / 16, 0.0), (0.0, 35 / 16)),
}
# A steeper slope counts as a jump.
_JUMP = 100.0


def bump(propagation: Propagation) -> Bump:
    """Return a bump by its name, from a table over -1 to 1, or from a function of u."""
    if isinstance(propagation, str) and "," in propagation:
        propagation = [coerce(v, float, "propagation") for v in propagation.split(",")]
    if isinstance(propagation, str):
        if propagation not in _KNOWN:
            raise InputError(
                f"the propagation is {propagation!r}; it can be "
                + ", ".join(map(repr, _KNOWN))
                + ", a table or a function"
            )
        return _KNOWN[propagation]
    value = _from_function(propagation) if callable(propagation) else _from_table(propagation)
    u = np.linspace(-1, 1, 4001)
    try:
        shares = value(u)
        good = shares.shape == u.shape and bool(np.isfinite(shares).all())
    except Exception as e:
        raise InputError(f"the propagation function fails: {e}") from None
    if not good:
        raise InputError("a propagation function takes an array of u and returns as many numbers")
    if abs(shares[2000] - 1) > 1e-6 or max(abs(shares[0]), abs(shares[-1])) > 1e-6:
        raise InputError("a propagation is 1 in the middle (u = 0) and 0 at its ends (u = -1, 1)")
    slopes = np.diff(shares) / np.diff(u)
    if np.abs(slopes).max() > _JUMP:
        raise InputError("the propagation is not continuous; it must fade to 0")
    halves = slopes[:2000], slopes[2000:]
    rises, falls = ([float(max((sign * h).max(), 0.0)) for h in halves] for sign in (1, -1))
    return Bump(value, (rises[0], rises[1]), (falls[0], falls[1]))


def _from_function(function: Callable[..., Any]) -> Callable[[FloatArray], FloatArray]:
    return lambda u: np.asarray(function(u), dtype=float)


def _from_table(table: Any) -> Callable[[FloatArray], FloatArray]:
    try:
        values = np.array(table, dtype=float)
    except (TypeError, ValueError):
        raise InputError("a propagation table must be a list of numbers") from None
    if values.ndim != 1 or len(values) < 5 or not len(values) % 2 or not np.isfinite(values).all():
        raise InputError("a propagation table needs an odd number, 5 or more, of finite numbers")
    # Unlike a cubic spline, it does not overshoot between its values.
    return lambda u: monotone_values(np.linspace(-1, 1, len(values)), values, u)
