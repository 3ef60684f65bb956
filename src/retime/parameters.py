"""Parameters, each declared in exactly one place.

A method's parameters are the fields of a frozen dataclass. What a person needs to know about each
is :class:`About` in the field's ``Annotated`` type::

    duration: Annotated[float | None, About("Length of the result.", unit="s")] = None

Recipe validation, command-line options, the studio's forms, Blender's panel, docstrings and the
reference pages follow from that. :func:`takes` makes a function with these keywords of one that
takes the dataclass; type checkers know the keywords from the dataclass's own ``__init__``.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Concatenate, Generic, Literal, ParamSpec, TypeVar, overload

from retime.coercion import coerce, is_sequence, options_of
from retime.errors import InputError, did_you_mean

__all__ = [
    "About",
    "ClipRange",
    "Keytimes",
    "LoopParameters",
    "Parameter",
    "Range",
    "RangeParameters",
    "Rates",
    "Ripple",
    "TimingParameters",
    "build",
    "coerce",
    "declared",
    "describes",
    "documented",
    "part_of_clip",
    "same",
    "takes",
    "values_of",
]

Range = tuple[float, float]
Widget = Literal["motion", "motions", "data", ""]
# Ends of ranges are compared in seconds; times come from arithmetic on frames.
_SAME_TIME = 1e-9

P = ParamSpec("P")
Declaration = TypeVar("Declaration")
First = TypeVar("First")
Second = TypeVar("Second")
Returned = TypeVar("Returned")


@dataclass(frozen=True)
class About:
    """What a person needs to know about a parameter.

    Parameters
    ----------
    help : str
        What it does, as a sentence; unit and default are added where it is shown.
    unit : str
        As a person writes it: ``"s"``, ``"Hz"``, ``"m"``.
    minimum, maximum : float, optional
        Bounds that are still allowed.
    label : str
        Its name in forms, where the parameter's own name would not do.
    flag : str
        Name on the command line, where it differs (``keytime`` for ``keytimes``).
    metavar : str, optional
        What stands behind the flag in the help.
    widget : str
        The form's control, where the type does not tell: ``"motion"`` and ``"motions"`` are paths
        of motion files, ``"data"`` is edited elsewhere.
    advanced : bool
        Whether most people never need it: it is shown after the others, behind a fold.
    slider : (float, float), optional
        Ends of a form's slider, where the bounds are open or far wider than what people use.
    step : float
        Step of a form's number; it also tells how many digits are shown.
    ends : (str, str), optional
        Words under the ends of the slider, which then has a line of its own.
    presets : tuple of (str, object)
        Words that may be given in place of a value, and the values that they stand for.
    parse : callable, optional
        Brings text to a value, where people write it in a way of its own (``15kg@chest``).
    """

    help: str
    unit: str = ""
    minimum: float | None = None
    maximum: float | None = None
    label: str = ""
    flag: str = ""
    metavar: str | None = None
    widget: Widget = ""
    advanced: bool = False
    slider: tuple[float, float] | None = None
    step: float = 0.01
    ends: tuple[str, str] | None = None
    presets: tuple[tuple[str, Any], ...] = ()
    parse: Callable[[str], Any] | None = None

    def word_for(self, value: Any) -> str | None:
        """Return the preset that stands for a value."""
        return next((word for word, preset in self.presets if preset == value), None)


@dataclass(frozen=True)
class Parameter:
    """One declared parameter: its name, type, default and metadata."""

    name: str
    type: Any
    default: Any
    about: About
    positional: bool = False
    shared: bool = False

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
        """The help with unit and default, as command line and pages show it."""
        further = [self.about.unit] if self.about.unit not in ("", "×") else []
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
        kind, about = typing.get_args(hints[field.name])
        positional, common = field.kw_only is False, field.name in shared
        out.append(Parameter(field.name, kind, field.default, about, positional, common))
    return tuple(sorted(out, key=lambda p: p.shared))


def values_of(parameters: Any, declaration: Any = None) -> dict[str, Any]:
    """Return the values of a parameter dataclass by name; of those that another declares too."""
    wanted = declared(type(parameters) if declaration is None else declaration)
    return {p.name: getattr(parameters, p.name) for p in wanted}


def same(one: Any, other: Any) -> bool:
    """Whether two parameter dataclasses say the same; a count of 1 is not a share of 1.0."""
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
    value = coerce(_said(p, value), p.type, p.name)
    if isinstance(value, int | float) and not isinstance(value, bool):
        unit = f" {p.about.unit}" if p.about.unit else ""
        low, high = p.about.minimum, p.about.maximum
        if low is not None and value < low:
            raise InputError(f"{p.name} is {value:g}{unit}; the least is {low:g}{unit}")
        if high is not None and value > high:
            raise InputError(f"{p.name} is {value:g}{unit}; the most is {high:g}{unit}")
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


# ---- functions that take declared parameters as keywords


class _Takes(Generic[P, Declaration]):
    def __init__(self, cls: Any) -> None:
        self.cls = cls

    @overload
    def __call__(
        self, function: Callable[[First, Declaration], Returned]
    ) -> Callable[Concatenate[First, P], Returned]: ...
    @overload
    def __call__(
        self, function: Callable[[First, Second, Declaration], Returned]
    ) -> Callable[Concatenate[First, Second, P], Returned]: ...

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        cls = self.cls
        first = list(inspect.signature(function).parameters.values())[:-1]
        leading = [p.name for p in first]
        known = declared(cls)
        order = [*leading, *(p.name for p in known if p.positional)]

        @functools.wraps(function)
        def call(*arguments: Any, **keywords: Any) -> Any:
            if len(arguments) > len(order):
                raise TypeError(f"{function.__name__}() takes {len(order)} positional arguments")
            values = dict(zip(order, arguments, strict=False))
            for name, value in keywords.items():
                if name in values:
                    raise TypeError(f"{function.__name__}() got two values for {name!r}")
                values[name] = value
            for name in values:
                if name not in leading and name not in names:
                    hint = did_you_mean(name, names)
                    raise TypeError(f"{function.__name__}() has no argument {name!r}{hint}")
            lead = [values.pop(name) for name in leading if name in values]
            if len(lead) < len(leading):
                raise TypeError(f"{function.__name__}() needs {leading[len(lead)]!r}")
            return function(*lead, build(cls, values))

        names = [p.name for p in known]
        call.__signature__ = _signature(first, known)  # type: ignore[attr-defined]
        call.__doc__ = documented(function.__doc__ or "", known)
        call.parameters = cls  # type: ignore[attr-defined]
        call.implementation = function  # type: ignore[attr-defined]
        return call


def takes(declaration: Callable[P, Declaration]) -> _Takes[P, Declaration]:
    """Let a function take a dataclass's parameters as keywords.

    The function is written with the dataclass as its last argument. What it is called with is
    checked as a recipe's values are; ``parameters`` and ``implementation`` of the result are the
    dataclass and the function itself.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True, kw_only=True)
    ... class Growth:
    ...     factor: Annotated[float, About("What to multiply by.", minimum=0.0)] = 2.0
    >>> @takes(Growth)
    ... def grow(number: float, p: Growth) -> float:
    ...     return number * p.factor
    >>> grow(3.0), grow(3.0, factor="1.5")
    (6.0, 4.5)
    """
    return _Takes(declaration)


def describes(declaration: Any) -> Callable[[type[First]], type[First]]:
    """Add to a class's docstring the parameters that its ``__init__`` takes."""

    def describe(cls: type[First]) -> type[First]:
        cls.__doc__ = documented(cls.__doc__ or "", declared(declaration))
        return cls

    return describe


def _signature(first: list[inspect.Parameter], known: Sequence[Parameter]) -> inspect.Signature:
    listed = list(first)
    for p in sorted(known, key=lambda p: not p.positional):
        kinds = inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD
        default = inspect.Parameter.empty if p.required else p.default
        listed.append(
            inspect.Parameter(p.name, kinds[p.positional], default=default, annotation=p.type)
        )
    return inspect.Signature(listed)


def documented(doc: str, known: Sequence[Parameter]) -> str:
    """Add parameters to a numpydoc docstring, after those that it explains itself."""
    text = inspect.cleandoc(doc)
    listed = sorted(known, key=lambda p: not p.positional)
    lines = "\n".join(f"{p.name} : {_type_text(p)}\n    {p.full_help}" for p in listed)
    head, mark, own = text.partition("\nParameters\n----------\n")
    if not mark:
        head, own = text, ""
    # The section ends where the next one begins: at a line over dashes.
    rows = (own if mark else head).split("\n")
    end = next((i - 1 for i, row in enumerate(rows) if i and row and set(row) == {"-"}), len(rows))
    before, after = "\n".join(rows[:end]).rstrip(), "\n".join(rows[end:])
    tail = f"\n\n{after}" if after else ""
    if mark:
        return f"{head.rstrip()}\n\nParameters\n----------\n{before}\n{lines}{tail}"
    return f"{before}\n\nParameters\n----------\n{lines}{tail}"


def _type_text(p: Parameter) -> str:
    words = []
    for kind in options_of(p.type):
        if typing.get_origin(kind) is Literal:
            choices = ", ".join(repr(w).replace("'", '"') for w in typing.get_args(kind))
            words.append("{" + choices + "}")
        elif is_sequence(kind):
            words.append("sequence")
        elif kind is Any:
            words.append("object")
        else:
            words.append(getattr(typing.get_origin(kind) or kind, "__name__", str(kind)))
    optional = ", optional" if not p.required and p.default is None else ""
    return " or ".join(dict.fromkeys(words)) + optional


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
    Sequence[tuple[float, float]],
    About(
        "Show the source's moment SRC at output time OUT.",
        unit="s",
        flag="keytime",
        metavar="OUT=SRC",
    ),
]
Rates = Annotated[
    Sequence[tuple[float, float]],
    About(
        "Playback speed at the source's moment SRC, relative to the source.",
        flag="rate",
        metavar="SRC=RATE",
        label="Speeds",
        advanced=True,
    ),
]


ClipRange = Annotated[
    Range | None,
    About("Change only this part of the clip, from A to B.", unit="s", metavar="A:B"),
]
Ripple = Annotated[
    bool,
    About(
        "Shift what follows the range when the range changes its length; otherwise the range must "
        "keep its length."
    ),
]


@dataclass(frozen=True, kw_only=True)
class LoopParameters:
    """Whether the clip is a cycle."""

    loop: Annotated[
        bool, About("Treat the clip as a cycle: pose and playback speed match at the seam.")
    ] = False


@dataclass(frozen=True, kw_only=True)
class RangeParameters(LoopParameters):
    """What every method takes: where it acts, and whether the clip is a cycle."""

    range: ClipRange = None


@dataclass(frozen=True, kw_only=True)
class TimingParameters(RangeParameters):
    """What methods take that may change a range's length."""

    ripple: Ripple = False
