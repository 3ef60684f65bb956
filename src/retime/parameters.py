"""Parameters, each declared in exactly one place.

A method's parameters are the fields of a frozen dataclass. What a person needs to know about each
is :class:`About` in the field's ``Annotated`` type::

    duration: Annotated[float | None, About("Length of the result.", unit="s")] = None

Recipe validation, command-line options, the studio's forms, Blender's panel, docstrings and the
reference pages follow from that; :mod:`retime.keywords` makes functions that take them.
"""

from __future__ import annotations

import dataclasses
import functools
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

from retime.coercion import coerce, is_number, is_sequence, options_of, plain_type
from retime.errors import InputError, did_you_mean
from retime.times import Clock, OutputTime, SourceTime, in_seconds, needs_clip

Range = tuple[float, float]
Widget = Literal["motion", "motions", "data", ""]
# Ends of ranges are compared in seconds; times come from arithmetic on frames.
_SAME_TIME = 1e-9


@dataclass(frozen=True)
class About:
    """Description of a parameter for people."""

    help: str
    """What it does, as a sentence; unit and default are added where it is shown."""
    unit: str = ""
    """As a person writes it: ``"s"``, ``"Hz"``, ``"m"``."""
    minimum: float | None = None
    maximum: float | None = None
    """Bounds that are still allowed."""
    label: str = ""
    """Its name in forms, where the parameter's own name would not do."""
    flag: str = ""
    """Name on the command line, where it differs (``keytime`` for ``keytimes``)."""
    metavar: str | None = None
    """What stands behind the flag in the help."""
    widget: Widget = ""
    """The form's control, where the type does not tell: ``"motion"`` and ``"motions"`` are paths of
    motion files, ``"data"`` is edited elsewhere.
    """
    advanced: bool = False
    """Whether most people never need it: it is shown after the others, behind a fold."""
    slider: tuple[float, float] | None = None
    """Ends of a form's slider, where the bounds are open or far wider than what people use."""
    step: float = 0.01
    """Step of a form's number; it also tells how many digits are shown."""
    ends: tuple[str, str] | None = None
    """Words under the ends of the slider, which then has a line of its own."""
    presets: tuple[tuple[str, Any], ...] = ()
    """Words that may be given in place of a value, and the values that they stand for."""
    parse: Callable[[str], Any] | None = None
    """Brings text to a value, where people write it in a way of its own (``15kg@chest``)."""

    def word_for(self, value: Any) -> str | None:
        """Return the preset that stands for a value."""
        return next((word for word, preset in self.presets if preset == value), None)


@dataclass(frozen=True)
class Parameter:
    """One declared parameter: its name, type, default and metadata.

    ``type`` has times as plain numbers; ``declared_type`` tells which numbers are times.
    """

    name: str
    type: Any
    default: Any
    about: About
    positional: bool = False
    shared: bool = False
    declared_type: Any = None

    @property
    def required(self) -> bool:
        """Whether it must be given."""
        return self.default is dataclasses.MISSING

    @property
    def flag(self) -> str:
        """Its name on the command line, without dashes."""
        return self.about.flag or self.name.replace("_", "-")

    @property
    def label(self) -> str:
        """Its name in forms."""
        return self.about.label or self.name.replace("_", " ").capitalize()

    @property
    def takes_times(self) -> bool:
        """Whether it is a time or holds some, which may be written as ``48f`` or ``80%``."""
        return bool(self.declared_type != self.type)

    @property
    def is_path(self) -> bool:
        """Whether it names motion files, which a recipe finds relative to itself."""
        return self.about.widget in ("motion", "motions")

    @property
    def repeatable(self) -> bool:
        """Whether several values may be given."""
        if self.about.widget:
            return self.about.widget == "motions"
        # A number that may also be a list, such as a share or times, is given once.
        plain = [t for t in options_of(self.type) if typing.get_origin(t) is not Mapping]
        return bool(plain) and all(is_sequence(t) for t in plain)

    @property
    def full_help(self) -> str:
        """The help with unit and default, as docstrings show it."""
        return self.help_with(times="s, 48f, 80% or 1:02.5")

    def help_with(self, *, times: str) -> str:
        """Return the help with unit and default; ``times`` says how a time is written."""
        further = [self.about.unit] if self.about.unit not in ("", "×") else []
        if self.takes_times and further == ["s"]:
            further = [times]
        if self.repeatable:
            further.append("repeatable")
        if self.about.presets:
            words = ", ".join(f"{w} {_shown(v)}" for w, v in self.about.presets)
            further.append(f"or {words}")
        if not self.required and self.default not in (None, (), False, ""):
            further.append(f"default {_shown(self.default)}")
        if not further:
            return self.about.help
        first, mark, more = self.about.help.removesuffix(".").partition(". ")
        return f"{first} ({', '.join(further)}){mark}{more}."


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.3g}"
    if isinstance(value, tuple):
        return ",".join(map(_shown, value))
    return "on" if value is True else str(value)


def declared(cls: Any) -> tuple[Parameter, ...]:
    """List the parameters that a dataclass declares; what methods share comes last."""
    return _declared(cls)


@functools.cache
def _declared(cls: Any) -> tuple[Parameter, ...]:
    hints = typing.get_type_hints(cls, include_extras=True)
    shared = {f.name for f in dataclasses.fields(TimingParameters)}
    out = []
    for field in dataclasses.fields(cls):
        kind, *marks = typing.get_args(hints[field.name])
        about = marks.pop()
        if marks:  # a time: its own mark was merged with this one
            kind = Annotated[kind, marks[0]]
        positional, common = field.kw_only is False, field.name in shared
        out.append(
            Parameter(field.name, plain_type(kind), field.default, about, positional, common, kind)
        )
    return tuple(sorted(out, key=lambda p: p.shared))


def values_of(parameters: Any, declaration: Any = None) -> dict[str, Any]:
    """Return the values of a parameter dataclass by name; of those that another declares too."""
    wanted = declared(type(parameters) if declaration is None else declaration)
    return {p.name: getattr(parameters, p.name) for p in wanted}


def same(one: Any, other: Any) -> bool:
    """Return whether two parameter dataclasses are equal; a count of 1 is not a fraction of 1.0."""
    if type(one) is not type(other):
        return False
    pairs = zip(values_of(one).values(), values_of(other).values(), strict=True)
    return all(type(a) is type(b) and bool(a == b) for a, b in pairs)


def build(cls: type, values: Mapping[str, Any]) -> Any:
    """Make a parameter dataclass from loose values; unknown names and bad values are errors."""
    known = {p.name: p for p in declared(cls)}
    for name in values:
        if name not in known:
            raise InputError(f"no parameter named {name!r}{did_you_mean(name, known)}")
    missing = [p for p in known.values() if p.required and p.name not in values]
    if missing:
        raise InputError(f"missing parameter {missing[0].name!r}: {missing[0].about.help}")
    return cls(**{n: _checked(known[n], v) for n, v in values.items()})


def _checked(p: Parameter, value: Any) -> Any:
    if p.about.widget == "motions" and value is not None:
        value = tuple(value) if isinstance(value, list | tuple) else (value,)
    value = coerce(_said(p, value), p.declared_type, p.name)
    if is_number(value):
        unit = f" {p.about.unit}" if p.about.unit else ""
        low, high = p.about.minimum, p.about.maximum
        if low is not None and value < low:
            raise InputError(f"{p.name} is {value:g}{unit}; the minimum is {low:g}{unit}")
        if high is not None and value > high:
            raise InputError(f"{p.name} is {value:g}{unit}; the maximum is {high:g}{unit}")
    return value


def _said(p: Parameter, value: Any) -> Any:
    """Bring words and texts of a parameter's own kind to values."""
    about = p.about
    if isinstance(value, str):
        word = value.strip().lower()
        for known, preset in about.presets:
            if word == known:
                return preset
        if about.parse is not None:
            return (about.parse(value),) if p.repeatable else about.parse(value)
    elif about.parse is not None and isinstance(value, list | tuple):
        return tuple(about.parse(v) if isinstance(v, str) else v for v in value)
    return value


def resolved(parameters: Any, clock: Clock) -> Any:
    """Return a parameter dataclass with its times in seconds.

    Parameters
    ----------
    parameters : dataclass
        Its times may be frames and percentages.
    clock : Clock
        Reference for frames and percentages. A duration in percent is relative to the range, if
        any.
    """
    values = values_of(parameters)
    if not any(map(needs_clip, values.values())):
        return parameters
    start, end = clock.domain
    for name in ("range", "duration"):  # the others depend on these two
        if values.get(name) is None:
            continue
        values[name] = in_seconds(values[name], clock, name)
        if name == "range":
            a, b = values[name]
            clock = replace(clock, length=b - a)
        else:
            part = end - start if clock.length is None else clock.length
            asked = values[name]
            total = asked if asked == "free" else end - start + asked - part
            clock = replace(clock, output_length=total)
    found = {n: in_seconds(v, clock, n) for n, v in values.items()}
    return build(type(parameters), found)


# ---- what several methods take


def part_of_clip(span: Range, domain: Range) -> Range:
    """Return a range that is a part of a clip, or say that it is none."""
    (a, b), (first, last) = span, domain
    if not first - _SAME_TIME <= a < b <= last + _SAME_TIME:
        raise InputError(
            f"the range {a:g} to {b:g} s is not a part of the clip, {first:g} to {last:g} s"
        )
    return a, b


Keytimes = Annotated[
    Sequence[tuple[OutputTime, SourceTime]],
    About(
        "Show source time SRC at output time OUT.",
        unit="s",
        flag="keytime",
        metavar="OUT=SRC",
    ),
]
Rates = Annotated[
    Sequence[tuple[SourceTime, float]],
    About(
        "Playback speed at source time SRC, relative to the source.",
        flag="rate",
        metavar="SRC=RATE",
        label="Speeds",
        advanced=True,
    ),
]


ClipRange = Annotated[
    tuple[SourceTime, SourceTime] | None,
    About("Edit only the part of the clip from A to B.", unit="s", metavar="A:B"),
]
Ripple = Annotated[
    bool,
    About(
        "Shift what follows the range if its length changes. Without it, the range must keep its "
        "length."
    ),
]


@dataclass(frozen=True, kw_only=True)
class LoopParameters:
    """Whether the clip is a cycle."""

    loop: Annotated[
        bool, About("Treat the clip as a cycle, with equal pose and speed at the seam.")
    ] = False


@dataclass(frozen=True, kw_only=True)
class RangeParameters(LoopParameters):
    """Parameters of every method: its range, and whether the clip is a cycle."""

    range: ClipRange = None


@dataclass(frozen=True, kw_only=True)
class TimingParameters(RangeParameters):
    """Parameters of methods that may change the length of a range."""

    ripple: Ripple = False
