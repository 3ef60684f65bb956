"""Convert untyped values from text, JSON or numpy to declared types.

This is not done by pydantic or msgspec, because both reject values from the command line
(``"0.8=1.1"``), and their messages name types instead of explaining what to write.
"""

from __future__ import annotations

import functools
import math
import operator
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, TypeGuard, TypeVar, Union

from retime.errors import InputError
from retime.sentences import Name, ParameterName
from retime.times import ClipTime, TimeKind, parse_time

Made = TypeVar("Made")


def coerce(value: Any, kind: Any, name: Name) -> Any:
    """Convert a value to a type, or raise an ``InputError`` that names the parameter.

    The kind is a class, ``Literal``, a union, a tuple, a sequence or a callable; sequences become
    tuples. ``name`` is for error messages.
    """
    if kind is Any:
        return _finite(value, name)
    if hasattr(value, "tolist") and not isinstance(value, kind if isinstance(kind, type) else ()):
        value = value.tolist()  # numpy's scalars and arrays
    origin = typing.get_origin(kind)
    if origin is None:
        return _plain(value, kind, name)
    # Values of a mapping are checked by the method that takes it.
    return _BY_ORIGIN.get(origin, _of_origin)(value, kind, name)


def _of_origin(value: Any, kind: Any, name: Name) -> Any:
    return _plain(value, typing.get_origin(kind), name)


def listed(document: Any, make: Callable[[Any], Made], noun: str, members: str) -> tuple[Made, ...]:
    """Convert each entry of a JSON list; errors name the number of the entry."""
    if not isinstance(document, list):
        raise InputError(f"{noun}s are a list of objects with {members}")
    out = []
    for number, entry in enumerate(document, 1):
        try:
            out.append(make(entry))
        except InputError as e:
            raise InputError(f"{noun} {number}: {e}") from None
    return tuple(out)


def is_number(value: Any) -> TypeGuard[float]:
    """Return whether a value is a number, but not true or false."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_whole(value: Any) -> TypeGuard[int]:
    """Return whether a value is an integer, but not true or false."""
    return isinstance(value, int) and not isinstance(value, bool)


def options_of(kind: Any) -> tuple[Any, ...]:
    """List the members of a union, without ``None``; for any other type, the type itself."""
    if typing.get_origin(kind) not in (Union, types.UnionType):
        return (kind,)
    return tuple(t for t in typing.get_args(kind) if t is not type(None))


def is_time(kind: Any) -> bool:
    """Return whether a type is a time, which may be written as ``48f`` or ``80%``."""
    return typing.get_origin(kind) is Annotated and isinstance(kind.__metadata__[0], TimeKind)


def plain_type(kind: Any) -> Any:
    """Return a type with plain numbers in place of times."""
    if is_time(kind):
        return kind.__origin__
    origin, args = typing.get_origin(kind), typing.get_args(kind)
    if not any(map(_holds_time, args)):
        return kind
    plain = tuple(map(plain_type, args))
    if origin in (Union, types.UnionType):
        return functools.reduce(operator.or_, plain)
    return origin[plain]


def _holds_time(kind: Any) -> bool:
    return is_time(kind) or any(map(_holds_time, typing.get_args(kind)))


def is_sequence(kind: Any) -> bool:
    """Return whether a type is a sequence of any length."""
    origin, args = typing.get_origin(kind), typing.get_args(kind)
    return origin is Sequence or (origin is tuple and len(args) == 2 and args[1] is Ellipsis)


def _plain(value: Any, kind: Any, name: Name) -> Any:
    if type(value) is kind:
        return _finite(value, name)
    if kind in (float, int):
        return _number(value, kind, name)
    if isinstance(kind, type) and isinstance(value, kind) and not isinstance(value, bool):
        return value
    if kind is Path and isinstance(value, str):
        return Path(value)
    if hasattr(kind, "from_document") and isinstance(value, Mapping):
        try:
            return kind.from_document(value)  # data of a method, as JSON
        except InputError as e:
            raise InputError("{name}: {error}", name=name, error=e.note) from None
    raise _wrong_type(value, kind, name)


def _time(value: Any, kind: Any, name: Name) -> Any:
    of = kind.__metadata__[0].kind
    if isinstance(value, str):
        return parse_time(value, name, of)
    if isinstance(value, ClipTime):
        return ClipTime(value.amount, value.unit, of)
    return _plain(value, float, name)


def _function(value: Any, kind: Any, name: Name) -> Any:
    if not callable(value):
        raise InputError("{name} is {value!r}; it should be a function", name=name, value=value)
    return value


def _number(value: Any, kind: type, name: Name) -> Any:
    if isinstance(value, str):
        return _parsed(value, kind, name)
    if kind is float and is_number(value):
        try:
            return _finite(float(value), name)
        except OverflowError:
            raise InputError("{name} is too large; it must be a finite number", name=name) from None
    if isinstance(value, float) and value.is_integer():
        return int(value)
    raise _wrong_type(value, kind, name)


def _parsed(text: str, kind: type, name: Name) -> Any:
    try:
        return _finite(kind(text), name)
    except ValueError:
        message = "{name}: {text!r} is not a {wanted}"
        wanted = "whole number" if kind is int else "number"
        raise InputError(message, name=name, text=text[:40], wanted=wanted) from None


def _wrong_type(value: Any, kind: Any, name: Name) -> InputError:
    wanted = getattr(kind, "__name__", str(kind))
    message = "{name} is {value!r}; it should be of type {wanted}"
    return InputError(message, name=name, value=value, wanted=wanted)


def _finite(value: Any, name: Name) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        raise InputError("{name} is {value}; it must be a finite number", name=name, value=value)
    return value


def _literal(value: Any, kind: Any, name: Name) -> Any:
    words = typing.get_args(kind)
    if value not in words:
        known = ", ".join(map(repr, words))
        raise InputError(
            "{name} is {value!r}; it can be {known}", name=name, value=value, known=known
        )
    return value


def _union(value: Any, kind: Any, name: Name) -> Any:
    options = typing.get_args(kind)
    if type(value) in options:  # None, and 1 stays a count if a fraction is possible too
        return _finite(value, name)
    pairs = _pairs(options) if isinstance(value, Mapping) else None
    if pairs is not None:
        return coerce(tuple(value.items()), pairs, name)
    errors = []
    for option in options_of(kind):
        try:
            return coerce(value, option, name)
        except InputError as e:
            errors.append(e)
    raise errors[0]


def _pairs(options: tuple[Any, ...]) -> Any:
    """Return the option that is a list of pairs, if a mapping is another option, or ``None``."""
    if not any(typing.get_origin(t) is Mapping for t in options):
        return None
    return next((t for t in options if is_sequence(t)), None)


def _tuple(value: Any, kind: Any, name: Name) -> tuple[Any, ...]:
    items = typing.get_args(kind)
    many = is_sequence(kind)
    if isinstance(value, str):
        value = _split_many(value, items[0]) if many else _split(value, items)
    try:
        values = list(value)
    except TypeError:
        raise InputError(
            "{name} is {value!r}; it should be a list", name=name, value=value
        ) from None
    if many:
        return tuple(coerce(v, items[0], _item(name, i)) for i, v in enumerate(values))
    if len(values) != len(items):
        raise _wrong_count(values, items, name)
    return tuple(coerce(v, t, name) for v, t in zip(values, items, strict=True))


def _item(name: Name, place: int) -> Name:
    """Return the name of an item of a list."""
    if isinstance(name, ParameterName):
        return ParameterName(name.parameter, f"{name.item}[{place}]")
    return f"{name}[{place}]"


def _wrong_count(values: list[Any], items: tuple[Any, ...], name: Name) -> InputError:
    message = "{name} is {shown}; it takes {count} values, not {found}"
    if len(values) > len(items) and is_time(items[0]):
        message += "; put a comma between times in minutes, as in 0:30,1:02.5"
    shown = ", ".join(map(str, values))
    return InputError(message, name=name, shown=shown, count=len(items), found=len(values))


def _split_many(text: str, item: Any) -> list[str]:
    return text.split(",") if plain_type(item) in (float, int) else [text]


def _split(text: str, items: tuple[Any, ...]) -> list[str]:
    """Split text at its separator; a name at the start may contain the separator itself."""
    # A comma separates times before a colon, which also occurs in 1:02.5.
    mark = next((m for m in ("=,:" if is_time(items[0]) else "=:,") if m in text), None)
    if mark is None:
        return [text]
    return text.rsplit(mark, len(items) - 1) if items[0] is str else text.split(mark)


# Conversions by the origin of a generic type.
_BY_ORIGIN: dict[Any, Callable[[Any, Any, Name], Any]] = {
    Annotated: _time,
    Literal: _literal,
    Union: _union,
    types.UnionType: _union,
    tuple: _tuple,
    Sequence: _tuple,
    Callable: _function,
}
