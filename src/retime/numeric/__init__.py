"""Numerical methods that commands use: banded systems, filters, peaks and splines.

scipy has all of these, but importing one of its larger modules takes longer than most commands.
"""

from __future__ import annotations

from retime.numeric.banded import BandedCholesky, solve_banded
from retime.numeric.filters import gaussian_filter, low_pass, moving_maximum, moving_mean
from retime.numeric.peaks import Peaks
from retime.numeric.splines import Spline

__all__ = [
    "BandedCholesky",
    "Peaks",
    "Spline",
    "gaussian_filter",
    "low_pass",
    "moving_maximum",
    "moving_mean",
    "solve_banded",
]
