"""Sentences with times and parameters that each front end shows in its own way.

A sentence is a string in the library's terms: times in seconds, parameters by their Python names.
It keeps these terms, so that Blender can show the same sentence in frames and the command line can
write ``--max-speed`` for ``max_speed``, without searching the text.
"""

from __future__ import annotations

import string
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

_FIELDS = string.Formatter()


class Speaker:
    """Show the terms of sentences as the library does; front ends override some.

    ``form`` is a format specification of a number, such as ``.3g``.
    """

    def moment(self, seconds: float, form: str) -> str:
        """Return a point in time."""
        return f"{seconds:{form}} s"

    def span(self, start: float, end: float, form: str) -> str:
        """Return a stretch of time."""
        return f"{start:{form}} to {end:{form}} s"

    def length(self, seconds: float, form: str) -> str:
        """Return a length of time."""
        return f"{seconds:{form}} s"

    def parameter(self, name: str, item: str) -> str:
        """Return the name of a parameter; ``item`` is the place in a list, such as ``[0]``."""
        return f"{name}{item}"

    def step(self, word: str, number: int, name: str) -> str:
        """Return the step or edit that a sentence is about, to be put before it."""
        if not number:
            return f"{name}: "
        return f"{word} {number}{f' ({name})' if name else ''}: "


@dataclass(frozen=True)
class Moment:
    """A point in time, in seconds."""

    seconds: float

    @property
    def plain(self) -> float:
        """Its value for programs."""
        return self.seconds

    def shown(self, speaker: Speaker, form: str) -> str:
        """Return the moment in a speaker's terms."""
        return speaker.moment(self.seconds, form)


@dataclass(frozen=True)
class Span:
    """A stretch of time, in seconds."""

    start: float
    end: float

    @property
    def plain(self) -> tuple[float, float]:
        """Its value for programs."""
        return (self.start, self.end)

    def shown(self, speaker: Speaker, form: str) -> str:
        """Return the stretch in a speaker's terms."""
        return speaker.span(self.start, self.end, form)


@dataclass(frozen=True)
class Duration:
    """A length of time, in seconds."""

    seconds: float

    @property
    def plain(self) -> float:
        """Its value for programs."""
        return self.seconds

    def shown(self, speaker: Speaker, form: str) -> str:
        """Return the length in a speaker's terms."""
        return speaker.length(self.seconds, form)


@dataclass(frozen=True)
class ParameterName:
    """A parameter by its Python name, and the place in it, such as ``[0]``."""

    parameter: str
    item: str = ""

    @property
    def plain(self) -> str:
        """Its value for programs."""
        return f"{self.parameter}{self.item}"

    def shown(self, speaker: Speaker, form: str) -> str:
        """Return the name in a speaker's terms."""
        return speaker.parameter(self.parameter, self.item)


@dataclass(frozen=True)
class StepName:
    """A step or an edit that a sentence is about: its word, number from 1, and name.

    The number is 0 where only the name is known.
    """

    word: str
    number: int
    name: str = ""

    @property
    def plain(self) -> int:
        """Its value for programs."""
        return self.number

    def shown(self, speaker: Speaker, form: str) -> str:
        """Return the step in a speaker's terms."""
        return speaker.step(self.word, self.number, self.name)


# Words for a value, or the parameter that it is the value of.
Name = str | ParameterName
Term = Moment | Span | Duration | ParameterName | StepName
_TERMS = (Moment, Span, Duration, ParameterName, StepName)
_LIBRARY = Speaker()


class Sentence(str):
    """A string that keeps its terms.

    Parameters
    ----------
    template : str
        Text with a field in braces for each value; times are formatted as ``g`` by default.
    **values
        Terms and other values by the names of their fields.

    Examples
    --------
    >>> said = Sentence("the key at {at} is outside {clip}", at=Moment(2.0), clip=Span(0, 1.5))
    >>> said
    'the key at 2 s is outside 0 to 1.5 s'
    >>> class InFrames(Speaker):
    ...     def moment(self, seconds, form):
    ...         return f"frame {24 * seconds:g}"
    ...     def span(self, start, end, form):
    ...         return f"frames {24 * start:g} to {24 * end:g}"
    >>> spoken(said, InFrames())
    'the key at frame 48 is outside frames 0 to 36'
    """

    parts: tuple[str | tuple[Term, str], ...]

    def __new__(cls, template: str, **values: Any) -> Sentence:
        """Fill a template; other values than terms become text at once."""
        return cls.of_parts(_parts(template, values))

    @classmethod
    def of_parts(cls, parts: tuple[str | tuple[Term, str], ...]) -> Sentence:
        """Make a sentence of text and of terms with their formats."""
        made = str.__new__(cls, _joined(parts, _LIBRARY))
        made.parts = parts
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return Sentence.of_parts, (self.parts,)


def _parts(template: str, values: Mapping[str, Any]) -> tuple[str | tuple[Term, str], ...]:
    parts: list[str | tuple[Term, str]] = []
    for text, field, form, conversion in _FIELDS.parse(template):
        parts.append(text)
        if field is not None:
            value = _FIELDS.convert_field(values[field], conversion)
            if isinstance(value, _TERMS):
                parts.append((value, form or "g"))
            elif isinstance(value, Sentence):
                parts.extend(value.parts)
            else:
                parts.append(format(value, form or ""))
    return tuple(parts)


def _joined(parts: tuple[str | tuple[Term, str], ...], speaker: Speaker) -> str:
    return "".join(p if isinstance(p, str) else p[0].shown(speaker, p[1]) for p in parts)


def sentence(text: str, values: Mapping[str, Any]) -> str:
    """Return text as a sentence if a term is among its values; otherwise unchanged.

    Text without terms is not a template: names in it may contain braces.
    """
    if isinstance(text, Sentence):
        return text
    if any(isinstance(v, (*_TERMS, Sentence)) for v in values.values()):
        return Sentence(text, **values)
    return text


def listed(sentences: Iterable[str]) -> Sentence:
    """Return sentences with commas between them."""
    parts: list[str | tuple[Term, str]] = []
    for text in sentences:
        parts += [", "] if parts else []
        parts += text.parts if isinstance(text, Sentence) else [text]
    return Sentence.of_parts(tuple(parts))


def plain(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values with terms as numbers and names, for programs."""
    return {n: _plain(v) for n, v in values.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, Sentence):
        return str(value)
    return value.plain if isinstance(value, _TERMS) else value


def after(where: str | StepName, text: str) -> str:
    """Return a sentence with the place that it is about before it: ``where: text``."""
    if isinstance(where, str) and not isinstance(text, Sentence):
        return f"{where}: {text}"
    before = f"{where}: " if isinstance(where, str) else (where, "")
    return Sentence.of_parts((before, *(text.parts if isinstance(text, Sentence) else (text,))))


def spoken(text: str, speaker: Speaker) -> str:
    """Return a sentence in a speaker's terms, and any other text unchanged."""
    return _joined(text.parts, speaker) if isinstance(text, Sentence) else str(text)
