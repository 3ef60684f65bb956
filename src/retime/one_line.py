"""Representations of one line, without the contents of arrays."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

Class = TypeVar("Class", bound=type)
# Longest text of one value, and of all values; characters.
_MOST_VALUE, _MOST = 60, 200
# Longer lists and mappings are shown by their length.
_MOST_LISTED = 4


def one_line(facts: Callable[[Any], Sequence[str]] | None = None) -> Callable[[Class], Class]:
    """Give a class a ``repr`` of one line.

    Parameters
    ----------
    facts : callable, optional
        Returns the texts to show for an object. Default: the fields of a dataclass that differ from
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
    shown = [(f, getattr(thing, f.name)) for f in dataclasses.fields(thing) if f.repr]
    return [f"{f.name}={shortened(value)}" for f, value in shown if not _is_default(value, f)]


def _is_default(value: Any, field: dataclasses.Field[Any]) -> bool:
    if field.default_factory is not dataclasses.MISSING:
        return isinstance(value, Mapping | list | tuple) and not value
    default = field.default
    return value is default or (
        isinstance(value, str | int | float | tuple) and type(value) is type(default)
        and bool(value == default)
    )  # fmt: skip


def shortened(value: Any) -> str:
    """Represent a value briefly: arrays by their shape, long lists by their length."""
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
