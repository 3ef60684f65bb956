"""Write retime_parameters.json from the methods' own declarations; ``--check`` only compares.

It runs where retime is installed, not in Blender: ``make blender`` calls it.
"""

import json
import sys
import types
import typing
from pathlib import Path

from retime.methods import METHODS
from retime.parameters import declared
from retime.times import TimeKind

PAGE = Path(__file__).with_name("retime_parameters.json")
# The methods that panels offer.
OFFERED = (
    "spline", "guided", "physics", "align", "sync", "stagger", "tween", "surface", "secondary",
    "smooth", "hold",
)  # fmt: skip
_PLAIN = {float: "float", int: "int", bool: "bool", str: "text"}


def _kind(kind):
    """Name what a panel's property can hold: its kind, and choices."""
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        return _kind(next(t for t in inner if t is not type(None)))
    if origin is typing.Literal:
        return "choice", list(inner)
    return _PLAIN.get(kind, "other"), None


def _is_moment(kind):
    """Whether a type is a moment of the motion, not a length of time."""
    own = [a for a in getattr(kind, "__metadata__", ()) if isinstance(a, TimeKind)]
    return any(a.kind != "length" for a in own) or any(map(_is_moment, typing.get_args(kind)))


def _holds(kind, default):
    """Return whether a field of a kind can show a default."""
    if kind in ("float", "int"):
        return default is None or isinstance(default, int | float)
    return kind != "choice" or isinstance(default, str)


def _entry(p):
    """Describe a parameter as a panel needs it."""
    kind, choices = _kind(p.type)
    default = None if p.required else p.default
    if not _holds(kind, default):
        kind = "other"
    about = p.about
    entry = {"name": p.name, "label": p.label, "kind": kind, "unit": about.unit}
    entry |= {"help": about.form_help or about.help, "advanced": about.advanced}
    if kind == "float" and _is_moment(p.declared_type):
        entry["moment"] = True
    if about.presets:
        entry["presets"] = dict(about.presets)
    if about.choices:
        entry["words"] = {c.value: [c.label, c.help] for c in about.choices}
        if kind == "text":  # a panel has menus, no free text
            kind = entry["kind"] = "choice"
            choices = list(entry["words"])
    if kind != "other":
        entry |= {"default": default, "optional": default is None}
        entry |= {"minimum": about.minimum, "maximum": about.maximum, "choices": choices}
    return entry


def page():
    """Make the page's text."""
    out = {
        name: {
            "summary": METHODS[name].summary,
            "parameters": [_entry(p) for p in declared(METHODS[name].parameters)],
        }
        for name in OFFERED
    }
    return json.dumps(out, indent=1) + "\n"


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit(0 if PAGE.read_text() == page() else f"{PAGE.name} is old; run make blender")
    PAGE.write_text(page())
