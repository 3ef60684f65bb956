"""Forms of the methods, made from their declared parameters."""

from __future__ import annotations

import typing
from typing import Any, Literal

from retime.coercion import is_sequence, options_of
from retime.methods import METHODS, Method
from retime.parameters import About, Parameter, Range, declared
from retime.studio.messages import FieldChoice, FormField, MethodForm


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
        help=_help(about),
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


def _help(about: About) -> str:
    """Return the help of a field, which names choices by their labels."""
    return about.help_with_choices(lambda choice: choice.label, form=True)


def _plain(value: Any) -> bool:
    """Return whether JSON can hold it."""
    if isinstance(value, tuple | list):
        return all(_plain(v) for v in value)
    return value is None or isinstance(value, str | int | float | bool)


# What a form shows for a plain type; of several the first counts.
_PLAIN = {bool: "flag", float: "number", int: "integer", str: "text"}


def _kind(p: Parameter) -> tuple[Any, list[FieldChoice]]:
    """Return what a form shows for a type: its kind, and words that may stand in its place."""
    options = options_of(p.type)
    choices = [FieldChoice(c.value, c.label, c.help) for c in p.about.choices]
    presets = [FieldChoice(word, word.capitalize(), "") for word, _ in p.about.presets]
    others = [t for t in options if typing.get_origin(t) is not Literal]
    kind = p.about.widget or _kind_of(others, p.name)
    # Tables and functions in place of a word are for recipes and Python.
    return "choice" if choices and kind in ("data", "text") else kind, choices + presets


def _kind_of(types: list[Any], name: str) -> str:
    if not types:
        return "choice"
    if Range in types:
        return "range"
    plain = next((kind for t, kind in _PLAIN.items() if t in types), None)
    if plain is not None:
        return plain
    if name == "keytimes":
        return "keytimes"
    return _kind_of_list([typing.get_args(t)[0] for t in types if is_sequence(t)])


def _kind_of_list(members: list[Any]) -> str:
    """Return what a form shows for a list, by what its members are."""
    if not members:
        return "data"
    if members[0] is str:
        return "joints"
    parts = typing.get_args(members[0])
    if not parts or any(t not in (str, float, int) for t in parts):
        return "data"
    return "pairs" if len(parts) == 2 else "rows"
