"""Forms for the methods, made from the parameters that they declare."""

from __future__ import annotations

import types
import typing
from typing import Any, Literal

from retime.methods import METHODS, Method
from retime.parameters import Parameter, Range, declared
from retime.studio.messages import FormField, MethodForm

__all__ = ["method_forms"]

_TITLES = {
    "spline": "Spline", "warp": "Given warp", "pose": "Given poses", "guided": "Guided",
    "align": "Align", "physics": "Physics", "stagger": "Staggered poses", "surface": "Surface",
    "smooth": "Smooth", "hold": "Hold contacts",
}  # fmt: skip
_LABELS = {"b": "Other take", "b_roles": "Its roles", "mass": "Mass", "alpha": "Feasibility"}
_SHARED = ("range", "rest", "loop")


def method_forms() -> list[MethodForm]:
    """List the methods with their forms."""
    return [_form(m) for m in METHODS.values()]


def _form(method: Method) -> MethodForm:
    title = _TITLES.get(method.name, method.name.capitalize())
    # What all methods share comes last: a form starts with what is the method's own.
    own = sorted(declared(method.parameters), key=lambda p: p.name in _SHARED)
    fields = [_field(p) for p in own]
    return MethodForm(method.name, title, method.summary, fields)


def _field(p: Parameter) -> FormField:
    kind, choices = _kind(p)
    default = None if p.required or not _plain(p.default) else p.default
    return FormField(
        name=p.name,
        label=_LABELS.get(p.name, p.name.replace("_", " ").capitalize()),
        help=p.help,
        kind=kind,
        unit=p.unit,
        default=default,
        required=p.required,
        minimum=p.minimum,
        maximum=p.maximum,
        choices=choices,
        metavar=p.metavar,
    )


def _plain(value: Any) -> bool:
    """Whether JSON can hold it."""
    if isinstance(value, tuple | list):
        return all(_plain(v) for v in value)
    return value is None or isinstance(value, str | int | float | bool)


def _kind(p: Parameter) -> tuple[Any, list[str]]:
    """Tell what a form shows for a type: its kind, and words that may stand in its place."""
    options = [p.type]
    if typing.get_origin(p.type) in (types.UnionType, typing.Union):
        options = [t for t in typing.get_args(p.type) if t is not type(None)]
    words = [w for t in options if typing.get_origin(t) is Literal for w in typing.get_args(t)]
    rest = [t for t in options if typing.get_origin(t) is not Literal]
    if not rest:
        return "choice", words
    first = rest[0]
    if p.metavar == "PATH":
        return ("motions" if typing.get_origin(first) is tuple else "motion"), words
    if Range in rest:
        return "range", words
    plain = {bool: "flag", int: "integer", float: "number", str: "text"}
    for t in (bool, float, int, str):
        if t in rest:
            return plain[t], words
    if typing.get_origin(first) is tuple:
        item = typing.get_args(first)[0]
        if p.name == "keytimes":
            return "keytimes", words
        if item is str:
            return "joints", words
        if typing.get_origin(item) is tuple and all(
            t in (str, float, int) for t in typing.get_args(item)
        ):
            return ("pairs" if len(typing.get_args(item)) == 2 else "rows"), words
    return "data", words
