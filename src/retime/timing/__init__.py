"""When: maps from output time to source time, and their algebra."""

from __future__ import annotations

from retime.timing import curves
from retime.timing.table import LengthTable
from retime.timing.warp import TimeWarp

__all__ = ["LengthTable", "TimeWarp", "curves"]
