"""Pacing: one timing problem for whole bodies, one character or several.

The unknown is the output time T(s) of each character's source time s; u = dT/ds is its slowness,
1 / u its playback rate. ``terms`` are the preferences and ``constraints`` the conditions; a
``Problem`` is characters with both. ``moments`` finds out whether all constraints can be met at
once, and ``solve`` returns the curves of least cost, which meet them exactly.
"""

from retime.pacing.constraints import Beside, Key, Link, Pause, Shared, Speed, locked
from retime.pacing.moments import Contradiction, possible_times
from retime.pacing.problem import Character, Problem
from retime.pacing.refusing import locked_spans, nearest, refusal
from retime.pacing.solve import Solution, solve
from retime.pacing.terms import Elastic, Pace, Points, Smooth

__all__ = [
    "Beside",
    "Character",
    "Contradiction",
    "Elastic",
    "Key",
    "Link",
    "Pace",
    "Pause",
    "Points",
    "Problem",
    "Shared",
    "Smooth",
    "Solution",
    "Speed",
    "locked",
    "locked_spans",
    "nearest",
    "possible_times",
    "refusal",
    "solve",
]
