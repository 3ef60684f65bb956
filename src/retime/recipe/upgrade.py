"""Convert steps of older versions of retime to the current names of parameters.

Recipes, projects, journals and batch manifests all contain steps.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from retime.notes import Note, Remedy

# Version of written recipes, warps, projects, journals and batch manifests.
VERSION = 2

# Parameters of version 1 that were renamed.
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
# Parameters of guided time warping that only the paper's formulation uses now, and that none uses.
_OF_THE_PAPER = {"upsample", "frame_cost"}
_DROPPED = {"average", "search", "search_fps", "speed_change_cost", "precision"}
# Values of "rest" in version 1, which is "ripple" now.
_REST = {"fixed": False, "ripple": True}


def upgrade_name(method: str, name: str, version: int) -> str:
    """Return the current name of a parameter."""
    if version >= VERSION:
        return name
    return "ripple" if name == "rest" else _RENAMED.get(method, {}).get(name, name)


def upgrade_parameters(method: str, values: Mapping[str, Any], version: int) -> dict[str, Any]:
    """Return the parameters of a step in a file of some version, with current names."""
    out = _renamed(method, values, version)
    dropped = _dropped(method, out)
    return {name: value for name, value in out.items() if name not in dropped}


def upgrade_notes(method: str, values: Mapping[str, Any], version: int) -> list[Note]:
    """Return a note on parameters of a step that no longer apply."""
    dropped = _dropped(method, _renamed(method, values, version))
    if not dropped:
        return []
    return [
        Note(
            f"parameters of {method} that only its former formulation used were left out: "
            f"{', '.join(sorted(dropped))}",
            Remedy(parameter="formulation", value="paper"),
            code="recipe-upgraded",
            names=sorted(dropped),
        )
    ]


def _renamed(method: str, values: Mapping[str, Any], version: int) -> dict[str, Any]:
    if version >= VERSION:
        return dict(values)
    return {
        upgrade_name(method, name, version): _upgraded(method, name, value)
        for name, value in values.items()
    }


def _upgraded(method: str, name: str, value: Any) -> Any:
    if name == "rest" and isinstance(value, str):
        return _REST.get(value, value)
    if (method, name) == ("stagger", "edits") and isinstance(value, list):
        return [_edit(e) for e in value]
    return value


def _edit(edit: Any) -> Any:
    """Return an edit of version 1, in which only the limb moved, with current parameters."""
    if isinstance(edit, Mapping) and edit.get("do") == "reach":
        return {"help": "limb", **edit}
    return edit


def _dropped(method: str, values: Mapping[str, Any]) -> set[str]:
    if method != "guided":
        return set()
    paper = values.get("formulation") == "paper"
    return set(values) & (_DROPPED if paper else _DROPPED | _OF_THE_PAPER)
