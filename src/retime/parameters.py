"""Declare each parameter in one place.

The parameters of a method are the fields of a frozen dataclass. An :class:`About` in the field's
``Annotated`` type describes it::

    duration: Annotated[float | None, About("Length of the result.", unit="s")] = None

Recipe validation, command-line options, the studio's forms, Blender's panel, docstrings and the
reference pages are generated from it; :mod:`retime.keywords` makes functions with these keywords.
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
from retime.sentences import ParameterName, Span
from retime.times import Clock, OutputTime, SourceTime, in_seconds, needs_clip

Range = tuple[float, float]
Widget = Literal["motion", "motions", "data", ""]
# Tolerance for times computed from frames, seconds.
_SAME_TIME = 1e-9


@dataclass(frozen=True)
class Choice:
    """A value that a parameter can have, with its label and description."""

    value: str
    label: str
    """Its name in menus."""
    help: str = ""
    """Its effect, as a phrase without a full stop."""


@dataclass(frozen=True)
class About:
    """Description of a parameter for people."""

    help: str
    """Effect of the parameter, as a sentence; unit and default are added automatically."""
    unit: str = ""
    """Unit symbol: ``"s"``, ``"Hz"``, ``"m"``."""
    minimum: float | None = None
    maximum: float | None = None
    """Bounds, inclusive."""
    label: str = ""
    """Name in forms. Default: the parameter's name."""
    flag: str = ""
    """Name on the command line (``keytime`` for ``keytimes``). Default: the parameter's name."""
    metavar: str | None = None
    """Placeholder after the flag in the help."""
    argument: bool = False
    """Whether it is a word of a command, without a flag."""
    panel: str = ""
    """Title of its part of the complete help; an everyday option has none."""
    widget: Widget = ""
    """Control of the form, if the type does not determine it: ``"motion"`` and ``"motions"`` are
    paths of motion files, ``"data"`` is edited elsewhere.
    """
    advanced: bool = False
    """Whether it is shown after the others, in a collapsed section."""
    slider: tuple[float, float] | None = None
    """Range of the form's slider. Default: the bounds."""
    step: float = 0.01
    """Step of the form's number field; it also determines the digits shown."""
    ends: tuple[str, str] | None = None
    """Words under the ends of the slider."""
    presets: tuple[tuple[str, Any], ...] = ()
    """Words that may be given in place of a value, with their values."""
    parse: Callable[[str], Any] | None = None
    """Convert text with a special syntax (``15kg@chest``) to a value."""
    choices: tuple[Choice, ...] = ()
    """The words that it takes."""
    form_help: str = ""
    """Effect, for forms that have a field for each part of the value. Default: ``help``."""

    def help_with_choices(self, name: Callable[[Choice], str], *, form: bool = False) -> str:
        """Return the help with the effect of each choice, which ``name`` names."""
        text = (self.form_help or self.help) if form else self.help
        listed = "; ".join(f"{name(c)}: {c.help}" for c in self.choices if c.help)
        return f"{text} {listed}." if listed else text

    def word_for(self, value: Any) -> str | None:
        """Return the preset word of a value."""
        return next((word for word, preset in self.presets if preset == value), None)


@dataclass(frozen=True)
class Parameter:
    """One declared parameter: its name, type, default and metadata.

    ``type`` has plain numbers for times; ``declared_type`` marks which numbers are times.
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
        """Whether it is or contains a time, which may be written as ``48f`` or ``80%``."""
        return bool(self.declared_type != self.type)

    @property
    def is_path(self) -> bool:
        """Whether its text is the path of a file, relative to the recipe."""
        is_file = self.about.widget == "data" and str in options_of(self.type)
        return is_file or self.about.widget in ("motion", "motions")

    def names_files(self, value: Any) -> bool:
        """Return whether a value names files; other data may be the contents of one."""
        return self.is_path and value is not None and (
            self.about.widget != "data" or isinstance(value, str)
        )  # fmt: skip

    @property
    def repeatable(self) -> bool:
        """Whether several values may be given."""
        if self.about.widget:
            return self.about.widget == "motions"
        # A type that may also be a single number is given once.
        plain = [t for t in options_of(self.type) if typing.get_origin(t) is not Mapping]
        return bool(plain) and all(is_sequence(t) for t in plain)

    @property
    def full_help(self) -> str:
        """The help with unit and default, as docstrings show it."""
        return self.help_with(times="s, 48f, 80% or 1:02.5")

    def help_with(self, *, times: str) -> str:
        """Return the help with unit and default; ``times`` describes how to write a time."""
        text = self.about.help_with_choices(lambda choice: choice.value)
        timed = self.takes_times and self.about.unit == "s"
        words = ", ".join(f"{w} {_shown(v)}" for w, v in self.about.presets)
        given = not self.required and self.default not in (None, (), False, "")
        further = [
            times if timed else self.about.unit.removesuffix("×"),
            "repeatable" if self.repeatable else "",
            f"or {words}" if words else "",
            f"default {_shown(self.default)}" if given else "",
        ]
        if not any(further):
            return text
        first, mark, more = text.removesuffix(".").partition(". ")
        opening = f"{first[:-1]}, " if first.endswith(")") else f"{first} ("
        return f"{opening}{', '.join(filter(None, further))}){mark}{more}."


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.3g}"
    if isinstance(value, tuple):
        return ",".join(map(_shown, value))
    return "on" if value is True else str(value)


def declared(cls: Any) -> tuple[Parameter, ...]:
    """List the parameters that a dataclass declares; those shared by all methods come last."""
    return _declared(cls)


@functools.cache
def _declared(cls: Any) -> tuple[Parameter, ...]:
    hints = typing.get_type_hints(cls, include_extras=True)
    shared = {f.name for f in dataclasses.fields(TimingParameters)}
    found = [
        replace(
            parameter(field.name, hints[field.name], field.default),
            positional=field.kw_only is False,
            shared=field.name in shared,
        )
        for field in dataclasses.fields(cls)
    ]
    return tuple(sorted(found, key=lambda p: p.shared))


def parameter(name: str, annotation: Any, default: Any) -> Parameter:
    """Return the parameter that an ``Annotated`` type with an ``About`` declares."""
    kind, *marks = typing.get_args(annotation)
    about = marks.pop()
    if marks:  # a time: typing merged its mark with this one
        kind = Annotated[kind, marks[0]]
    return Parameter(name, plain_type(kind), default, about, declared_type=kind)


def values_of(parameters: Any, declaration: Any = None) -> dict[str, Any]:
    """Return the values of a parameter dataclass by name, or only those of a declaration."""
    wanted = declared(type(parameters) if declaration is None else declaration)
    return {p.name: getattr(parameters, p.name) for p in wanted}


def same(one: Any, other: Any) -> bool:
    """Return whether two parameter dataclasses are equal, types included: 1 is not 1.0."""
    if type(one) is not type(other):
        return False
    pairs = zip(values_of(one).values(), values_of(other).values(), strict=True)
    return all(type(a) is type(b) and bool(a == b) for a, b in pairs)


def build(cls: type, values: Mapping[str, Any]) -> Any:
    """Make a parameter dataclass from untyped values; raise on unknown names and bad values."""
    known = {p.name: p for p in declared(cls)}
    for name in values:
        if name not in known:
            raise InputError(f"no parameter named {name!r}{did_you_mean(name, known)}")
    missing = [p for p in known.values() if p.required and p.name not in values]
    if missing:
        raise InputError(f"missing parameter {missing[0].name!r}: {missing[0].about.help}")
    return cls(**{n: checked(known[n], v) for n, v in values.items()})


def checked(p: Parameter, value: Any) -> Any:
    """Convert a value to the type of its parameter; raise if it cannot be one."""
    if p.about.widget == "motions" and value is not None:
        value = tuple(value) if isinstance(value, list | tuple) else (value,)
    try:
        made = coerce(_parsed(p, value), p.declared_type, ParameterName(p.name))
    except InputError as e:
        raise _with_syntax(p, value, e) from None
    if is_number(made):
        _must_be_within_bounds(p, made)
    return made


def _with_syntax(p: Parameter, value: Any, error: InputError) -> InputError:
    """Add to an error how the value is written as text, if it is text of several parts."""
    syntax, words = p.about.metavar or "", value if isinstance(value, list | tuple) else (value,)
    if not any(isinstance(w, str) for w in words) or not any(mark in syntax for mark in ":=@"):
        return error
    effect = p.about.help.partition(". ")[0].removesuffix(".")
    message = "{error}; the form is {syntax}: {effect}"
    return InputError(message, error=error.note, syntax=syntax, effect=effect)


def _must_be_within_bounds(p: Parameter, value: float) -> None:
    low, high = p.about.minimum, p.about.maximum
    unit = f" {p.about.unit}" if p.about.unit else ""
    message = "{name} is {value:g}{unit}; the {which} is {bound:g}{unit}"
    terms: dict[str, Any] = {"name": ParameterName(p.name), "value": value, "unit": unit}
    if low is not None and value < low:
        raise InputError(message, **terms, which="minimum", bound=low)
    if high is not None and value > high:
        raise InputError(message, **terms, which="maximum", bound=high)


def _parsed(p: Parameter, value: Any) -> Any:
    """Replace preset words and text with a special syntax by their values."""
    about = p.about
    if isinstance(value, str):
        word = value.strip().lower()
        for known, preset in about.presets:
            if word == known:
                return preset
    if about.parse is None:
        return value
    if isinstance(value, str):
        return (about.parse(value),) if p.repeatable else about.parse(value)
    if isinstance(value, list | tuple):
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
    whole = clock.domain[1] - clock.domain[0]
    # Percentages of a length depend on the range, and those of the output on both.
    if values.get("range") is not None:
        a, b = in_seconds(values["range"], clock, ParameterName("range"))
        clock = replace(clock, length=b - a)
    if values.get("duration") is not None:
        duration = in_seconds(values["duration"], clock, ParameterName("duration"))
        part = whole if clock.length is None else clock.length
        total = duration if duration == "free" else whole + duration - part
        clock = replace(clock, output_length=total)
    found = {n: in_seconds(v, clock, ParameterName(n)) for n, v in values.items()}
    return build(type(parameters), found)


# ---- shared by several methods


def part_of_clip(span: Range, domain: Range, what: str = "range") -> Range:
    """Return a range; raise if it does not run forwards or is not a part of the clip."""
    (a, b), (first, last) = span, domain
    nearest = Span(max(min(a, b), first), min(max(a, b), last))
    remedy = "; the part that is: {nearest}" if nearest.start < nearest.end else ""
    told = ""
    if a >= b:
        told = (
            "the {what} {range} ends before it starts" if a > b else "the {what} {range} is empty"
        )
        remedy = "; give {nearest}" if remedy else "; it runs from an earlier to a later time"
    elif not first - _SAME_TIME <= a < b <= last + _SAME_TIME:
        told = "the {what} {range} is not a part of the clip, {clip}"
    if told:
        raise InputError(
            told + remedy, what=what, range=Span(a, b), clip=Span(first, last), nearest=nearest
        )
    return max(a, first), min(b, last)


Keytimes = Annotated[
    Sequence[tuple[OutputTime, SourceTime]],
    About(
        "Show source time SRC at output time OUT.",
        unit="s",
        flag="keytime",
        metavar="OUT=SRC",
        form_help="Source time to show at an output time.",
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
        form_help="Playback speed at a source time, relative to the source.",
    ),
]
LockedSpans = Annotated[
    Sequence[tuple[SourceTime, SourceTime]],
    About(
        "Play the source from A to B at its recorded speed.",
        unit="s",
        flag="lock",
        metavar="A:B",
        label="Locked spans",
        form_help="Play this part of the source at its recorded speed.",
    ),
]


ClipRange = Annotated[
    tuple[SourceTime, SourceTime] | None,
    About(
        "Edit only the part of the clip from A to B.",
        unit="s",
        metavar="A:B",
        form_help="Edit only this part of the clip.",
    ),
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
