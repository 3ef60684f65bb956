"""Parameters declared once: the command line, the forms and the reference pages follow.

A method's parameters are one frozen dataclass whose fields are made by :func:`parameter`. Values
that come as text or JSON are brought to the field's type by :func:`coerce`, which names the field
when it cannot.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Union

from retime.errors import InputError, did_you_mean

__all__ = [
    "Parameter",
    "Range",
    "RangeParameters",
    "TimingParameters",
    "build",
    "coerce",
    "declared",
    "parameter",
    "part_of_clip",
    "same",
]

Range = tuple[float, float]
# Ends of ranges are compared in seconds; times come from arithmetic on frames.
_SAME_TIME = 1e-9


def parameter(
    default: Any = dataclasses.MISSING,
    *,
    help: str,
    unit: str = "",
    minimum: float | None = None,
    maximum: float | None = None,
    flag: str | None = None,
    metavar: str | None = None,
) -> Any:
    """Declare one parameter of a method.

    Parameters
    ----------
    default : object
        What it is when not given; without one it must be given.
    help : str
        One line for a person.
    unit : str
        As a person writes it: ``"s"``, ``"Hz"``, ``"m"``.
    minimum, maximum : float, optional
        Bounds that are still allowed.
    flag : str, optional
        Name on the command line, where it differs (``--keytime`` for ``keytimes``).
    metavar : str, optional
        What stands behind the flag in the help.
    """
    meta = {
        "help": help,
        "unit": unit,
        "minimum": minimum,
        "maximum": maximum,
        "flag": flag,
        "metavar": metavar,
    }
    if default is dataclasses.MISSING:
        return dataclasses.field(metadata=meta)
    return dataclasses.field(default=default, metadata=meta)


@dataclass(frozen=True)
class Parameter:
    """One declared parameter, as the command line, a form or a page needs it."""

    name: str
    type: Any
    default: Any
    help: str
    unit: str
    minimum: float | None
    maximum: float | None
    flag: str
    metavar: str | None

    @property
    def required(self) -> bool:
        """Whether it must be given."""
        return self.default is dataclasses.MISSING


def declared(cls: Any) -> tuple[Parameter, ...]:
    """List the parameters that a dataclass declares, in order."""
    return _declared(cls)


@functools.cache
def _declared(cls: Any) -> tuple[Parameter, ...]:
    hints = typing.get_type_hints(cls)
    out = []
    for field in dataclasses.fields(cls):
        meta = dict(field.metadata)
        meta["flag"] = meta["flag"] or "--" + field.name.replace("_", "-")
        out.append(Parameter(field.name, hints[field.name], field.default, **meta))
    return tuple(out)


def same(one: Any, other: Any) -> bool:
    """Whether two parameter dataclasses say the same; a count of 1 is not a share of 1.0."""
    if type(one) is not type(other):
        return False
    pairs = ((getattr(one, p.name), getattr(other, p.name)) for p in declared(type(one)))
    return all(type(a) is type(b) and bool(a == b) for a, b in pairs)


def build(cls: type, values: Mapping[str, Any]) -> Any:
    """Make a parameter dataclass from loose values; unknown names and bad values are errors."""
    known = {p.name: p for p in declared(cls)}
    for name in values:
        if name not in known:
            raise InputError(f"no parameter named {name!r}{did_you_mean(name, known)}")
    missing = [p.name for p in known.values() if p.required and p.name not in values]
    if missing:
        raise InputError(f"missing parameter {missing[0]!r}: {known[missing[0]].help}")
    return cls(**{n: _checked(known[n], v) for n, v in values.items()})


def _checked(p: Parameter, value: Any) -> Any:
    value = coerce(value, p.type, p.name)
    number = value if isinstance(value, int | float) and not isinstance(value, bool) else None
    if number is not None:
        unit = f" {p.unit}" if p.unit else ""
        if p.minimum is not None and number < p.minimum:
            raise InputError(f"{p.name} is {number:g}{unit}; the least is {p.minimum:g}{unit}")
        if p.maximum is not None and number > p.maximum:
            raise InputError(f"{p.name} is {number:g}{unit}; the most is {p.maximum:g}{unit}")
    return value


def coerce(value: Any, kind: Any, name: str) -> Any:
    """Bring a loose value (text, JSON) to a declared type, or say what is wrong with it."""
    origin, args = typing.get_origin(kind), typing.get_args(kind)
    if hasattr(value, "tolist") and not isinstance(value, kind if isinstance(kind, type) else ()):
        value = value.tolist()  # numpy's scalars and arrays
    if kind is Any or (origin is None and isinstance(kind, type) and type(value) is kind):
        return _finite(value, name)
    if origin is Literal:
        if value not in args:
            raise InputError(f"{name} is {value!r}; it can be " + ", ".join(map(repr, args)))
        return value
    if origin in (Union, types.UnionType):
        return _coerce_union(value, args, name)
    if origin is tuple:
        return _coerce_tuple(value, args, name)
    if origin is Callable:
        if callable(value):
            return value
        raise InputError(f"{name} is {value!r}; it should be a function")
    if kind is float and isinstance(value, int | float) and not isinstance(value, bool):
        try:
            return _finite(float(value), name)
        except OverflowError:
            raise InputError(f"{name} is too large; it must be a finite number") from None
    if kind in (float, int) and isinstance(value, str):
        try:
            return _finite(kind(value), name)
        except ValueError:
            raise InputError(f"{name}: {value[:40]!r} is not a number") from None
    if kind is int and isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(kind, type) and isinstance(value, kind) and not isinstance(value, bool):
        return value
    if hasattr(kind, "from_document") and isinstance(value, Mapping):
        try:
            return kind.from_document(value)  # a method's own kind of data, as JSON holds it
        except InputError as e:
            raise InputError(f"{name}: {e}") from None
    wanted = getattr(kind, "__name__", str(kind))
    raise InputError(f"{name} is {value!r}; it should be of type {wanted}")


def _finite(value: Any, name: str) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        raise InputError(f"{name} is {value}; it must be a finite number")
    return value


def _coerce_union(value: Any, options: tuple[Any, ...], name: str) -> Any:
    if value is None and type(None) in options:
        return None
    if type(value) in options:  # 1 stays a count where a share is possible too
        return _finite(value, name)
    errors = []
    for option in options:
        if option is type(None):
            continue
        try:
            return coerce(value, option, name)
        except InputError as e:
            errors.append(e)
    raise errors[0]


def _coerce_tuple(value: Any, items: tuple[Any, ...], name: str) -> tuple[Any, ...]:
    many = len(items) == 2 and items[1] is Ellipsis
    if isinstance(value, str):
        value = _split(value, items, many)
    try:
        values = list(value)
    except TypeError:
        raise InputError(f"{name} is {value!r}; it should be a list") from None
    if many:
        return tuple(coerce(v, items[0], f"{name}[{i}]") for i, v in enumerate(values))
    if len(values) != len(items):
        shown = ", ".join(map(str, values))
        raise InputError(
            f"{name} is {shown}; it takes {len(items)} values, like {_like(len(items))}"
        )
    return tuple(coerce(v, t, name) for v, t in zip(values, items, strict=True))


def _split(text: str, items: tuple[Any, ...], many: bool) -> list[str]:
    """Split a text at its first kind of mark; a name in front may hold that mark itself."""
    if many:
        return text.split(",") if items[0] in (float, int) else [text]
    mark = next((m for m in "=:," if m in text), None)
    if mark is None:
        return [text]
    return text.rsplit(mark, len(items) - 1) if items[0] is str else text.split(mark)


def _like(count: int) -> str:
    return "0.8=1.1" if count == 2 else ":".join(["1"] * count)


def part_of_clip(span: Range, domain: Range) -> Range:
    """Return a range that is a part of a clip, or say that it is none."""
    (a, b), (first, last) = span, domain
    if not first - _SAME_TIME <= a < b <= last + _SAME_TIME:
        raise InputError(
            f"the range {a:g} to {b:g} s is not a part of the clip, {first:g} to {last:g} s"
        )
    return a, b


@dataclass(frozen=True, kw_only=True)
class RangeParameters:
    """What every method takes: where it acts, and whether the clip is a cycle."""

    range: Range | None = parameter(
        None, help="Change only this part of the clip, from A to B.", unit="s", metavar="A:B"
    )
    loop: bool = parameter(False, help="The clip is a cycle: pose and rate agree at the seam.")


@dataclass(frozen=True, kw_only=True)
class TimingParameters(RangeParameters):
    """What methods take that may change a range's length."""

    rest: Literal["fixed", "ripple"] = parameter(
        "fixed", help="What follows the range stays where it is, or moves with the range's end."
    )
