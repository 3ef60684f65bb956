"""Bring what older versions of retime wrote to the present names of parameters.

Recipes, projects, journals and batch manifests all hold steps; this is the one place that knows how
their parameters were called before.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# The version that recipes, warps, projects, journals and batch manifests are written in.
VERSION = 2

# Names of version 1 that changed, by method.
_RENAMED: dict[str, dict[str, str]] = {
    "guided": {
        "price": "frame_cost",
        "speed_change": "speed_change_cost",
        "limits": "speed_limits",
        "rate": "search_fps",
    },
    "align": {
        "b": "reference",
        "b_roles": "reference_roles",
        "loop_reference": "repeat",
        "rate": "search_fps",
    },
    "physics": {"supports": "contacts", "speeds": "joint_speeds", "smoothing": "cutoff"},
    "stagger": {"bound": "max_refinement"},
    "surface": {"min_slope": "min_speed"},
    "hold": {"minimum": "min_contact"},
}
# In version 1 every method that has "ripple" had "rest", with a word in place of a truth value.
_REST = {"fixed": False, "ripple": True}


def upgrade_name(method: str, name: str, version: int) -> str:
    """Return the present name of a method's parameter."""
    if version >= VERSION:
        return name
    return "ripple" if name == "rest" else _RENAMED.get(method, {}).get(name, name)


def upgrade_parameters(method: str, values: Mapping[str, Any], version: int) -> dict[str, Any]:
    """Return a step's parameters, as a file of some version holds them, under present names."""
    if version >= VERSION:
        return dict(values)
    out = {}
    for name, value in values.items():
        if name == "rest" and isinstance(value, str):
            value = _REST.get(value, value)
        out[upgrade_name(method, name, version)] = value
    return out
