"""Representations of one line: what a thing is, without the arrays that it holds."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

Class = TypeVar("Class", bound=type)
# Characters of one value, and of all together.
_MOST_VALUE, _MOST = 60, 200
# A longer list or mapping is told by its length.
_MOST_LISTED = 4


def one_line(facts: Callable[[Any], Sequence[str]] | None = None) -> Callable[[Class], Class]:
    """Give a class a ``repr`` of one line.

    Parameters
    ----------
    facts : callable, optional
        Lists what is to be told of an object. Default: the fields of a dataclass that differ from
        their defaults, long values shortened.

    Examples
    --------
    >>> @one_line()
    ... @dataclasses.dataclass
    ... class Pair:
    ...     first: list
    ...     second: int = 2
    >>> Pair([0] * 1000)
    Pair(first=<list of 1000>)
    """

    def decorate(cls: Class) -> Class:
        def represent(self: Any) -> str:
            inside = ", ".join((facts or _fields)(self))
            name = type(self).__name__
            return f"{name}({inside})" if len(inside) <= _MOST else f"{name}({inside[:_MOST]}...)"

        cls.__repr__ = represent  # type: ignore[assignment]
        return cls

    return decorate


def _fields(thing: Any) -> list[str]:
    out = []
    for field in dataclasses.fields(thing):
        value = getattr(thing, field.name)
        if field.repr and not _is_default(value, field):
            out.append(f"{field.name}={shortened(value)}")
    return out


def _is_default(value: Any, field: dataclasses.Field[Any]) -> bool:
    if field.default_factory is not dataclasses.MISSING:
        return isinstance(value, Mapping | list | tuple) and not value
    default = field.default
    return value is default or (
        isinstance(value, str | int | float | tuple) and type(value) is type(default)
        and bool(value == default)
    )  # fmt: skip


def shortened(value: Any) -> str:
    """Represent a value in a few words: arrays by their shape, long lists by their length."""
    shape = getattr(value, "shape", None)
    if isinstance(shape, tuple) and shape:
        return f"<array {' x '.join(map(str, shape))}>"
    if isinstance(value, Mapping | list | tuple) and _is_long(value):
        return f"<{type(value).__name__} of {len(value)}>"
    text = repr(value) if isinstance(value, str) or not callable(value) else _named(value)
    if "\n" in text or len(text) > _MOST_VALUE:
        return f"{text.splitlines()[0][:_MOST_VALUE]}..."
    return text


def _is_long(value: Mapping[Any, Any] | Sequence[Any]) -> bool:
    held = value.values() if isinstance(value, Mapping) else value
    return len(value) > _MOST_LISTED or any(hasattr(v, "shape") for v in held)


def _named(function: Any) -> str:
    return f"<{getattr(function, '__name__', type(function).__name__)}>"
