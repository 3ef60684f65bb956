"""Bring what older versions of retime wrote to the present names of parameters.

Recipes, projects, journals and batch manifests all hold steps; this is the one place that knows how
their parameters were called before.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from retime.notes import Note, Remedy

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
# What guided time warping took while it had the paper's formulation alone; it is left out where
# that is not asked for, and what no formulation takes any more is left out in any case.
_OF_THE_PAPER = {"upsample", "frame_cost"}
_DROPPED = {"average", "search", "speed_change_cost", "precision"}
# In version 1 every method that has "ripple" had "rest", with a word in place of a truth value.
_REST = {"fixed": False, "ripple": True}


def upgrade_name(method: str, name: str, version: int) -> str:
    """Return the present name of a method's parameter."""
    if version >= VERSION:
        return name
    return "ripple" if name == "rest" else _RENAMED.get(method, {}).get(name, name)


def upgrade_parameters(method: str, values: Mapping[str, Any], version: int) -> dict[str, Any]:
    """Return a step's parameters, as a file of some version holds them, under present names."""
    out = _renamed(method, values, version)
    dropped = _dropped(method, out)
    return {name: value for name, value in out.items() if name not in dropped}


def upgrade_notes(method: str, values: Mapping[str, Any], version: int) -> list[Note]:
    """Say what of a step's parameters means nothing any more and was left out."""
    dropped = _dropped(method, _renamed(method, values, version))
    if not dropped:
        return []
    return [
        Note(
            f"the recipe's {' and '.join(sorted(dropped))} of {method} belong to its former "
            "formulation and were left out: speed changes gradually by itself now",
            Remedy(parameter="formulation", value="paper"),
            code="recipe-upgraded",
            names=sorted(dropped),
        )
    ]


def _renamed(method: str, values: Mapping[str, Any], version: int) -> dict[str, Any]:
    if version >= VERSION:
        return dict(values)
    out = {}
    for name, value in values.items():
        if name == "rest" and isinstance(value, str):
            value = _REST.get(value, value)
        if method == "stagger" and name == "edits" and isinstance(value, list):
            value = [_edit(e) for e in value]
        out[upgrade_name(method, name, version)] = value
    return out


def _edit(edit: Any) -> Any:
    """Return an edit of poses as it was meant: only limbs reached in version 1."""
    if isinstance(edit, Mapping) and edit.get("do") == "reach":
        return {"help": "limb", **edit}
    return edit


def _dropped(method: str, values: Mapping[str, Any]) -> set[str]:
    if method != "guided":
        return set()
    paper = values.get("formulation") == "paper"
    return set(values) & (_DROPPED if paper else _DROPPED | _OF_THE_PAPER)
