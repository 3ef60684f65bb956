"""Functions that take declared parameters as keywords.

:func:`takes` turns a function of a parameter dataclass into one with keywords. Type checkers know
the keywords from the ``__init__`` of the dataclass.
"""

from __future__ import annotations

import functools
import inspect
import re
import typing
from collections.abc import Callable, Sequence
from typing import Any, Concatenate, Generic, Literal, ParamSpec, TypeVar, overload

from retime.coercion import is_sequence, options_of
from retime.errors import did_you_mean
from retime.parameters import Parameter, build, declared, resolved, values_of
from retime.times import Clock, needs_clip

P = ParamSpec("P")
Declaration = TypeVar("Declaration")
First = TypeVar("First")
Second = TypeVar("Second")
Returned = TypeVar("Returned")
_SECTION = "Parameters\n----------"


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
        cls, known = self.cls, declared(self.cls)
        first = list(inspect.signature(function).parameters.values())[:-1]
        leading = [p.name for p in first]

        @functools.wraps(function)
        def call(*arguments: Any, **keywords: Any) -> Any:
            values = _by_name(function.__name__, leading, known, arguments, keywords)
            lead = [values.pop(name) for name in leading]
            return function(*lead, _for_clip(build(cls, values), lead))

        call.__signature__ = _signature(first, known)  # type: ignore[attr-defined]
        call.__doc__ = documented(function.__doc__ or "", known)
        call.parameters = cls  # type: ignore[attr-defined]
        call.implementation = function  # type: ignore[attr-defined]
        return call


def _by_name(
    called: str,
    leading: Sequence[str],
    known: Sequence[Parameter],
    arguments: tuple[Any, ...],
    keywords: dict[str, Any],
) -> dict[str, Any]:
    """Return arguments by name; raise a ``TypeError`` if one is missing, unknown or given twice."""
    order = [*leading, *(p.name for p in known if p.positional)]
    if len(arguments) > len(order):
        raise TypeError(f"{called}() takes {len(order)} positional arguments")
    values = dict(zip(order, arguments, strict=False))
    names = [p.name for p in known]
    for name in keywords:
        if name in values:
            raise TypeError(f"{called}() got two values for {name!r}")
        if name not in (*leading, *names):
            raise TypeError(f"{called}() has no argument {name!r}{did_you_mean(name, names)}")
    values |= keywords
    missing = [name for name in leading if name not in values]
    if missing:
        raise TypeError(f"{called}() needs {missing[0]!r}")
    return values


def _for_clip(parameters: Any, given: Sequence[Any]) -> Any:
    """Return parameters with times in seconds if one of the arguments is or has a clip."""
    if not any(map(needs_clip, values_of(parameters).values())):
        return parameters
    for one in given:
        clip = getattr(one, "motion", one)
        if hasattr(clip, "domain") and hasattr(clip, "rate"):
            return resolved(parameters, Clock.of(clip))
    return parameters


def takes(declaration: Callable[P, Declaration]) -> _Takes[P, Declaration]:
    """Give a function the fields of a dataclass as keywords.

    The last argument of the function is the dataclass. Keywords are checked like the values of a
    recipe. ``parameters`` and ``implementation`` of the result are the dataclass and the original
    function.

    Examples
    --------
    >>> from retime.parameters import LoopParameters
    >>> @takes(LoopParameters)
    ... def shown(name: str, p: LoopParameters) -> str:
    ...     return f"{name}, a cycle" if p.loop else name
    >>> shown("walk", loop=True)
    'walk, a cycle'
    """
    return _Takes(declaration)


def describes(declaration: Any) -> Callable[[type[First]], type[First]]:
    """Add declared parameters to the docstring of a class."""

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
    """Add declared parameters to a numpydoc docstring, after those that it already has."""
    listed = sorted(known, key=lambda p: not p.positional)
    lines = "\n".join(f"{p.name} : {_type_text(p)}\n    {p.full_help}" for p in listed)
    # A section starts with a title underlined by dashes.
    head, *sections = re.split(r"(?<!\n)\n++(?=[A-Z]\w+\n-{3,}\n)", inspect.cleandoc(doc))
    own = sections.pop(0) if sections and sections[0].startswith("Parameters\n") else _SECTION
    return "\n\n".join([head.rstrip(), f"{own.rstrip()}\n{lines}", *sections])


def _type_text(p: Parameter) -> str:
    words = dict.fromkeys(map(_type_word, options_of(p.type)))
    return " or ".join(words) + (", optional" if p.default is None else "")


def _type_word(kind: Any) -> str:
    if typing.get_origin(kind) is Literal:
        choices = ", ".join(repr(w).replace("'", '"') for w in typing.get_args(kind))
        return "{" + choices + "}"
    if is_sequence(kind):
        return "sequence"
    if kind is Any:
        return "object"
    return str(getattr(typing.get_origin(kind) or kind, "__name__", kind))
