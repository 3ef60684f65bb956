"""A damped spring, y'' + 2 d w y' + w^2 y = w^2 x, integrated exactly.

The input is interpolated by a quintic spline, for which the response has a closed form. The result
does not depend on the frame rate.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from retime.arrays import FloatArray
from retime.numeric import Spline

_DEGREE = 5
# The speed of the input at its ends is that of a polynomial of this degree through this many
# seconds, because differences of frames are too noisy to start a spring with.
_END, _END_DEGREE = 0.3, 7
# Dampings this close to 1 are critical.
_CRITICAL = 1e-6


@dataclass(frozen=True)
class Follower:
    """A damped spring that follows its input."""

    frequency: float
    """Undamped natural frequency, Hz."""
    damping: float
    """Damping ratio: 1 is critical, less overshoots."""

    def lag(self, times: FloatArray, values: FloatArray, *, loop: bool = False) -> FloatArray:
        """Return the distance of the spring from its input, y - x, at the samples.

        The spring starts at its input, with the speed of the input. In a loop, its state at the end
        is that at the start.

        Parameters
        ----------
        times : array (F,)
            Increasing times, seconds.
        values : array (F, D)
            The input.
        loop : bool
            The last sample is the first of the next cycle; values may increase by each cycle.
        """
        out = np.zeros_like(values)
        if len(times) < 2:
            return out
        part = self._particular(self._forcing(times, values, loop))
        last = len(part) - 1
        gaps = np.diff(times)
        powers = gaps[None, :] ** np.arange(last + 1)[:, None]
        ends = np.einsum("kn,knd->nd", powers, part)
        speeds = np.einsum("kn,knd->nd", np.arange(1, last + 1)[:, None] * powers[:-1], part[1:])
        goes_on = self._free(gaps)
        first = np.stack([part[0], part[1] if last else np.zeros_like(part[0])], axis=1)
        after = np.stack([ends, speeds], axis=1)
        state = np.zeros((2, values.shape[1]))
        if loop:
            state = _steady(goes_on, first, after)
            out[0] = state[0]
        for n in range(len(gaps)):
            state = goes_on[n] @ (state - first[n]) + after[n]
            out[n + 1] = state[0]
        if loop:
            out[-1] = out[0]
        return out

    def _particular(self, forcing: FloatArray) -> FloatArray:
        """Return the polynomial p with w^2 p + 2 d w p' + p'' = forcing, as coefficients."""
        omega, own = 2 * np.pi * self.frequency, self.damping
        part = np.zeros_like(forcing)
        last = len(part) - 1
        for k in range(last, -1, -1):
            rest = forcing[k].copy()
            if k + 1 <= last:
                rest -= 2 * own * omega * (k + 1) * part[k + 1]
            if k + 2 <= last:
                rest -= (k + 2) * (k + 1) * part[k + 2]
            part[k] = rest / omega**2
        return part

    def _forcing(self, times: FloatArray, values: FloatArray, loop: bool) -> FloatArray:
        """Return -x'' - 2 d w x' between samples: coefficients (K, F - 1, D), ascending powers."""
        omega = 2 * np.pi * self.frequency
        slope = np.zeros(values.shape[1])
        if loop:
            # Remove the drift of a cycle; the rest is periodic.
            slope = (values[-1] - values[0]) / (times[-1] - times[0])
            values = values - (times - times[0])[:, None] * slope
            values = np.vstack([values[:-1], values[:1]])
        spline = _spline(times, values, loop)
        degree = spline.degree
        # The knots of a spline of odd degree are the samples, so each gap has one polynomial.
        out = np.zeros((degree, len(times) - 1, values.shape[1]))
        scale = 1.0
        for k in range(degree):
            x1 = spline(times[:-1], derivative=k + 1) / scale
            x2 = spline(times[:-1], derivative=k + 2) / scale if k + 2 <= degree else 0.0
            out[k] = -x2 - 2 * self.damping * omega * x1
            scale *= k + 1
        out[0] -= 2 * self.damping * omega * slope
        return out

    def _free(self, gaps: FloatArray) -> FloatArray:
        """Return the free response of (y, y') over gaps (N,), as matrices (N, 2, 2)."""
        omega, own = 2 * np.pi * self.frequency, self.damping
        fade = np.exp(-own * omega * gaps)
        if abs(own - 1) < _CRITICAL:
            even, odd = np.ones_like(gaps), gaps
        elif own < 1:
            swing = omega * np.sqrt(1 - own**2)
            even, odd = np.cos(swing * gaps), np.sin(swing * gaps) / swing
        else:
            swing = omega * np.sqrt(own**2 - 1)
            # Combined with the decay, because cosh alone overflows for stiff springs.
            up, down = np.exp((swing - own * omega) * gaps), np.exp(-(swing + own * omega) * gaps)
            fade, even, odd = np.ones_like(gaps), (up + down) / 2, (up - down) / (2 * swing)
        out = np.empty((len(gaps), 2, 2))
        out[:, 0, 0] = fade * (even + own * omega * odd)
        out[:, 0, 1] = fade * odd
        out[:, 1, 0] = -fade * omega**2 * odd
        out[:, 1, 1] = fade * (even - own * omega * odd)
        return out


def _spline(times: FloatArray, values: FloatArray, loop: bool) -> Spline:
    """Interpolate values (F, D) by a spline of degree 5, or less for few samples."""
    degree = next(k for k in (_DEGREE, 3, 1) if len(times) > k)
    if loop and len(times) > degree + 1:
        return Spline.periodic(times, values, degree)
    if loop or degree < _DEGREE:
        return Spline.through(times, values, degree)
    ends = _end_speeds(times, values), _end_speeds(times[::-1], values[::-1])
    return Spline.with_slopes(times, values, degree, *ends)


def _end_speeds(times: FloatArray, values: FloatArray) -> FloatArray:
    """Return the first and second derivative (2, D) of values (F, D) at the first time."""
    from numpy.polynomial import legendre

    count = int(np.searchsorted(np.abs(times - times[0]), _END, side="right"))
    count = min(max(count, _END_DEGREE + 2), len(times))
    span = (times[count - 1] - times[0]) / 2
    at = (times[:count] - times[0]) / span - 1
    degree = min(_END_DEGREE, count - 1)
    fitted = np.linalg.lstsq(legendre.legvander(at, degree), values[:count], rcond=None)[0]
    return np.array([legendre.legval(-1.0, legendre.legder(fitted, k)) / span**k for k in (1, 2)])


def _steady(goes_on: FloatArray, first: FloatArray, after: FloatArray) -> FloatArray:
    """Return the state that is equal at both ends of a cycle."""
    total, moved = np.eye(2), np.zeros(first.shape[1:])
    for n in range(len(goes_on)):
        moved = goes_on[n] @ (moved - first[n]) + after[n]
        total = goes_on[n] @ total
    return np.asarray(np.linalg.solve(np.eye(2) - total, moved), dtype=float)
