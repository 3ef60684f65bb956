"""Variations of copies: values chosen by the hash of the clip, not by the order of work."""

from __future__ import annotations

import hashlib
import json
import math
import re
import typing
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from retime.bounded_json import TOO_DEEP, parse
from retime.coercion import is_number
from retime.errors import FormatError, InputError, did_you_mean
from retime.parameters import Parameter, declared, values_of
from retime.recipe import Recipe, Step

_RANGE = re.compile(r"^\s*+([^.\s|]*+(?:\.\d++)?[^.\s|]*+)\s*+\.\.\s*+(\S++)\s*+$")


@dataclass(frozen=True)
class Variation:
    """One parameter of one step that varies."""

    text: str
    """The text as given; draws depend on the part before ``=``."""
    step: int
    """Place of the step in the recipe, from 0."""
    parameter: str
    """Name of its parameter."""
    factor: bool = False
    """Whether values multiply the clip's own duration."""
    low: float = 0.0
    high: float = 0.0
    """Ends of a range; with ``choices`` they mean nothing."""
    whole: bool = False
    """Whether only whole numbers of the range are drawn."""
    choices: tuple[Any, ...] = ()
    """Values to choose from, instead of a range."""

    def draw(self, clip_sha256: str, copy: int, seed: int) -> Any:
        """Draw a value for a copy of a clip: the same on any machine, in any order."""
        name = self.text.partition("=")[0].strip()
        text = json.dumps([clip_sha256, copy, seed, name])
        drawn = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
        if self.choices:
            return self.choices[drawn % len(self.choices)]
        if self.whole:
            return int(self.low) + drawn % (int(self.high) - int(self.low) + 1)
        share = (drawn >> 11) / (1 << 53)
        return self.low + share * (self.high - self.low)


def parse_variations(texts: Sequence[str], recipe: Recipe) -> list[Variation]:
    """Parse variations; two of the same parameter are an error."""
    found: list[Variation] = []
    for text in texts:
        one = parse_variation(text, recipe)
        for other in found:
            if (one.step, one.parameter) == (other.step, other.parameter):
                raise InputError(
                    f"--vary {text!r}: {other.text!r} varies the same parameter; give one of them"
                )
        found.append(one)
    return found


def parse_variation(text: str, recipe: Recipe) -> Variation:
    """Read ``STEP.PARAMETER=A..B`` or ``=A|B|C``; all values are checked here.

    STEP is a step's number, method or label; it may be left out where one step alone has the
    parameter. ``duration`` without a step multiplies the clip's own duration.

    >>> recipe = Recipe([Step("spline")])
    >>> parse_variation("duration=0.8..1.25", recipe).high
    1.25
    >>> parse_variation("1.keytimes=[[1, 1.5]]|[]", recipe).choices
    ([[1, 1.5]], [])
    """
    target, mark, values = text.partition("=")
    if not mark or not target.strip() or not values.strip():
        raise InputError(f"--vary {text!r}: write duration=0.8..1.25 or guided.rate=30|60")
    try:
        return _parsed(text, target.strip(), values.strip(), recipe)
    except InputError as e:
        raise InputError(f"--vary {text!r}: {e}") from None


def _parsed(text: str, target: str, values: str, recipe: Recipe) -> Variation:
    factor = target == "duration"
    step, p = find_parameter(recipe, target)
    between = _RANGE.match(values)
    choices = tuple(map(_value, values.split("|") if between is None else between.groups()))
    if between is not None:
        _must_rise(choices)
    for value in choices:
        _check(recipe.steps[step], p, value, factor)
    if between is None:
        return Variation(text, step, p.name, factor, choices=choices)
    kinds = typing.get_args(p.type) or (p.type,)
    whole = int in kinds and float not in kinds
    low, high = choices
    return Variation(text, step, p.name, factor, low, high, whole)


def _must_rise(ends: tuple[Any, ...]) -> None:
    """Reject the ends of a range that are not numbers, or not in order."""
    for value in ends:
        if not is_number(value):
            raise InputError(f"{value!r} is not a number; a range is like 0.8..1.25")
    low, high = ends
    if low > high:
        raise InputError(f"the range decreases, from {low:g} to {high:g}")


def find_parameter(recipe: Recipe, target: str) -> tuple[int, Parameter]:
    """Find ``STEP.PARAMETER`` or ``PARAMETER`` in a recipe: the step's index, and the parameter."""
    where, dot, name = target.strip().rpartition(".")
    return _find(recipe, where if dot else None, name)


def checked_value(step: Step, p: Parameter, given: Any) -> Any:
    """Return a value as in a recipe file; text may be JSON, or a time with its unit."""
    value = given
    if isinstance(given, str):
        value = _value(given)
    _check(step, p, value, factor=False)
    return value


def _find(recipe: Recipe, where: str | None, name: str) -> tuple[int, Parameter]:
    """Find a parameter: the index of its step, and its declaration."""
    if where is None:
        return _find_anywhere(recipe, name)
    names = {str(k + 1): k for k in range(len(recipe.steps))}
    for key in ("method", "label"):
        for k, step in enumerate(recipe.steps):
            names.setdefault(getattr(step, key) or str(k + 1), k)
    if where not in names:
        raise InputError(f"no step {where!r} in the recipe{did_you_mean(where, names)}")
    chosen = recipe.steps[names[where]]
    known = _parameters(chosen)
    if name not in known:
        raise InputError(f"{chosen.method} has no parameter {name!r}{did_you_mean(name, known)}")
    return names[where], known[name]


def _find_anywhere(recipe: Recipe, name: str) -> tuple[int, Parameter]:
    known = [_parameters(step) for step in recipe.steps]
    having = [k for k, step in enumerate(recipe.steps) if name in known[k] and not step.mute]
    if not having:
        every = set().union(*known)
        raise InputError(f"no step has a parameter {name!r}{did_you_mean(name, every)}")
    if len(having) > 1 and name != "duration":
        steps = ", ".join(f"{k + 1}.{name}" for k in having)
        raise InputError(f"several steps have {name!r}; name one: {steps}")
    last = having[-1]  # the last step that sets a duration decides the result's
    return last, known[last][name]


def _parameters(step: Step) -> dict[str, Parameter]:
    return {p.name: p for p in declared(type(step.parameters))}


def _value(text: str) -> Any:
    try:
        return parse(text, constants=True)
    except FormatError as e:
        if TOO_DEEP in str(e):
            raise InputError(f"a varied value: {TOO_DEEP}") from None
        return text.strip()


def _check(step: Step, p: Parameter, value: Any, factor: bool) -> None:
    """Check a value against the declared type and range of the parameter."""
    if factor:
        if not is_number(value) or not value > 0:
            raise InputError(f"{value!r} is not a factor of a duration; it must be above 0")
        if not math.isfinite(value):
            raise InputError("a factor of a duration must be finite")
        return
    own = values_of(step.parameters)
    Step(step.method, {**own, p.name: value}, step.weight, step.mute, step.label)
