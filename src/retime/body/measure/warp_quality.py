"""How good a warp is, in numbers, and how far it is from the one that is right."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from retime.errors import InputError
from retime.timing import TimeWarp

# A difference in timing below this goes unnoticed.
PERCEIVED = 0.150


@dataclass(frozen=True)
class WarpQuality:
    """How gentle a warp is.

    Parameters
    ----------
    largest_rate_change : float
        The largest |ln rate|: 0.69 is half or double speed. Holds count as 1/1000 of the speed.
    bending : float
        Integral of p''^2 over the output, 1/s.
    slope_change : float
        The largest change of the rate within 1/30 s.
    """

    largest_rate_change: float
    bending: float
    slope_change: float


def warp_quality(warp: TimeWarp) -> WarpQuality:
    """Measure a warp: the worst of its channels."""
    worst = np.zeros(3)
    for name in (None, *warp.channels):
        graph = warp.channel(name)
        a, b = graph.x[0], graph.x[-1]
        if b <= a:
            continue
        t = np.linspace(a, b, max(int(np.ceil((b - a) * 480)), 2) + 1)
        rate = np.abs(warp.rate(np.r_[t, graph.x], name))
        bend = warp.acceleration(t, channel=name)
        shift = np.abs(np.diff(warp.rate(t, name)))
        window = max(round((1 / 30) / (t[1] - t[0])), 1)
        grouped = np.convolve(shift, np.ones(window), mode="same")
        found = (
            np.abs(np.log(np.maximum(rate, 1e-3))).max(),
            float(np.trapezoid(bend**2, t)),
            grouped.max(),
        )
        worst = np.maximum(worst, found)
    return WarpQuality(*map(float, worst))


@dataclass(frozen=True)
class Deviation:
    """How far a warp is from the true one.

    Parameters
    ----------
    mean, worst : float
        Seconds of source time.
    unnoticed : float
        Share of the time in which it is below 150 ms, the limit of perception.
    """

    mean: float
    worst: float
    unnoticed: float


def deviation(warp: TimeWarp, truth: TimeWarp, *, times: npt.ArrayLike | None = None) -> Deviation:
    """Compare a warp with a known true one at output times (default: 120 per second)."""
    if times is None:
        a, b = truth.domain
        times = np.linspace(a, b, max(int(np.ceil((b - a) * 120)), 1) + 1)
    t = np.asarray(times, dtype=float)
    if not t.size:
        raise InputError("no times to compare at")
    names = dict.fromkeys([None, *warp.channels, *truth.channels])
    off = np.stack([np.abs(warp(t, n) - truth(t, n)) for n in names])
    return Deviation(float(off.mean()), float(off.max()), float((off < PERCEIVED).mean()))
