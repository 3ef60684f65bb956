"""JSON schemas of declared parameters."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

from retime.coercion import is_sequence, is_time
from retime.parameters import Parameter, declared

Schema = dict[str, Any]
_PLAIN: dict[Any, str] = {
    bool: "boolean",
    float: "number",
    int: "integer",
    str: "string",
    Path: "string",
    type(None): "null",
}


def schema_of(declaration: type, *, brief: bool = False) -> Schema:
    """Return the schema of a parameter dataclass; a ``brief`` one is for what is read often."""
    known = [p for p in declared(declaration) if _possible(p.type)]
    made: Schema = {
        "type": "object",
        "properties": {p.name: _described(p, brief=brief) for p in known},
    }
    required = [p.name for p in known if p.required]
    made |= {"required": required} if required else {}
    return made if brief else made | {"additionalProperties": False}


def recipe_schema() -> Schema:
    """Return the schema of recipes, whose steps are those of all methods."""
    from retime.methods import METHODS

    steps = [
        {
            "type": "object",
            "description": method.summary,
            "properties": {
                "method": {"const": name},
                "parameters": schema_of(method.parameters),
                "weight": {"type": "number", "minimum": 0, "maximum": 1},
                "mute": {"type": "boolean"},
                "label": {"type": "string"},
            },
            "required": ["method"],
            "additionalProperties": False,
        }
        for name, method in METHODS.items()
    ]
    return {
        "type": "object",
        "properties": {"steps": {"type": "array", "items": {"oneOf": steps}}},
        "required": ["steps"],
    }


def _described(p: Parameter, *, brief: bool) -> Schema:
    known = p.declared_type or p.type
    schema: Schema = {"type": ["string", "array"]} if p.is_path else _schema(known)
    words = [word for word, _ in p.about.presets]
    if words:
        schema = _either([schema, {"enum": words}])
    if p.about.minimum is not None:
        schema["minimum"] = p.about.minimum
    if p.about.maximum is not None:
        schema["maximum"] = p.about.maximum
    text = p.about.help if brief else p.full_help
    schema |= {"description": text} if text else {}
    if not brief and _plain(p.default) and p.default not in (None, ()):
        schema["default"] = p.default
    return schema


def _plain(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(map(_plain, value))
    return value is not dataclasses.MISSING and isinstance(value, str | int | float | bool)


def _possible(kind: Any) -> bool:
    """Return whether JSON can hold a value of a type: a function is for Python alone."""
    return typing.get_origin(kind) is not Callable and kind is not Callable


def _schema(kind: Any) -> Schema:
    if is_time(kind):
        return {"type": ["number", "string"]}
    if kind in _PLAIN:
        return {"type": _PLAIN[kind]}
    origin, members = typing.get_origin(kind), typing.get_args(kind)
    if origin is Literal:
        return {"enum": list(members)}
    if origin in (typing.Union, types.UnionType):
        return _either([_schema(m) for m in members if m is not type(None) and _possible(m)])
    if origin is Mapping or origin is dict:
        return {"type": "object"}
    if is_sequence(kind):
        return {"type": "array", "items": _schema(members[0])}
    if origin is tuple:
        return {"type": "array", "minItems": len(members), "maxItems": len(members)}
    return {} if kind is Any else {"type": ["object", "string"]}


def _either(options: list[Schema]) -> Schema:
    """Join schemas: types alone become a list of types."""
    if len(options) == 1:
        return options[0]
    if all(o.keys() == {"type"} for o in options):
        each = [o["type"] if isinstance(o["type"], list) else [o["type"]] for o in options]
        return {"type": list(dict.fromkeys(t for named in each for t in named))}
    return {"anyOf": options}
