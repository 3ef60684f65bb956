"""Forms for the methods, made from the parameters that they declare."""

from __future__ import annotations

import typing
from typing import Any, Literal

from retime.coercion import is_sequence, options_of
from retime.methods import METHODS, Method
from retime.parameters import Parameter, Range, declared
from retime.studio.messages import FormField, MethodForm

__all__ = ["method_forms"]


def method_forms() -> list[MethodForm]:
    """List the methods with their forms."""
    return [_form(m) for m in METHODS.values()]


def _form(method: Method) -> MethodForm:
    fields = [_field(p) for p in declared(method.parameters)]
    return MethodForm(method.name, method.title, method.summary, fields)


def _field(p: Parameter) -> FormField:
    kind, choices = _kind(p)
    default = None if p.required or not _plain(p.default) else p.default
    about = p.about
    return FormField(
        name=p.name,
        label=p.label,
        help=about.help,
        kind=kind,
        unit=about.unit,
        default=default,
        required=p.required,
        minimum=about.minimum,
        maximum=about.maximum,
        choices=choices,
        metavar=about.metavar,
        advanced=about.advanced,
        shared=p.shared,
        slider=about.slider,
        step=about.step,
        ends=about.ends,
    )


def _plain(value: Any) -> bool:
    """Whether JSON can hold it."""
    if isinstance(value, tuple | list):
        return all(_plain(v) for v in value)
    return value is None or isinstance(value, str | int | float | bool)


def _kind(p: Parameter) -> tuple[Any, list[str]]:
    """Tell what a form shows for a type: its kind, and words that may stand in its place."""
    options = options_of(p.type)
    words = [w for t in options if typing.get_origin(t) is Literal for w in typing.get_args(t)]
    words += [word for word, _ in p.about.presets]
    others = [t for t in options if typing.get_origin(t) is not Literal]
    if p.about.widget:
        return p.about.widget, words
    if not others:
        return "choice", words
    if Range in others:
        return "range", words
    plain = {bool: "flag", int: "integer", float: "number", str: "text"}
    for t in (bool, float, int, str):
        if t in others:
            return plain[t], words
    lists = [typing.get_args(t)[0] for t in others if is_sequence(t)]
    if p.name == "keytimes":
        return "keytimes", words
    if lists and lists[0] is str:
        return "joints", words
    if lists and all(t in (str, float, int) for t in typing.get_args(lists[0]) or (None,)):
        return ("pairs" if len(typing.get_args(lists[0])) == 2 else "rows"), words
    return "data", words
