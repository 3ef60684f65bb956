"""Notes: what a result's user should know, as a sentence with the facts behind it.

A note is text, so that it can be printed, compared and stored as it is. It also carries a code, the
values in it, and the parameter that would change what it tells: each front end names that parameter
in its own way (``--source-fps``, the field "Search rate"), so no sentence below a front end holds a
command-line flag.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any


class Remedy:
    """A remedy: words, and the parameter to change.

    The words are the end of a sentence, empty where the parameter says it all; a parameter of
    reading a file has ``reading.`` before its name; ``value`` is what to set it to, where that is
    known.
    """

    __slots__ = ("parameter", "value", "words")

    def __init__(self, words: str = "", *, parameter: str = "", value: Any = None) -> None:
        self.words, self.parameter, self.value = words, parameter, value

    def __reduce__(self) -> tuple[Any, ...]:
        return _remedy, (self.words, self.parameter, self.value)


def _remedy(words: str, parameter: str, value: Any) -> Remedy:
    return Remedy(words, parameter=parameter, value=value)


class Note(str):
    """A sentence about a result.

    ``fact`` is what is so, ``remedy`` what can be done about it, ``code`` a short name of this kind
    of note, for programs; ``values`` are numbers and names in the sentence.

    Examples
    --------
    >>> give = Remedy("give it", parameter="reading.fps")
    >>> note = Note("the file has no frame rate", give, code="no-frame-rate")
    >>> note
    'the file has no frame rate; give it'
    >>> present(note, lambda remedy: "--source-fps")
    'the file has no frame rate; give it (--source-fps)'
    """

    fact: str
    remedy: Remedy | None
    code: str
    values: Mapping[str, Any]

    def __new__(cls, fact: str, remedy: Remedy | None = None, *, code: str, **values: Any) -> Note:
        """Make a note; its text is the fact and the remedy's words."""
        words = remedy.words if remedy is not None else ""
        note = super().__new__(cls, f"{fact}; {words}" if words else fact)
        note.fact, note.remedy, note.code, note.values = fact, remedy, code, values
        return note

    def within(self, name: str) -> Note:
        """Return the same note with the name of what it is about before it."""
        return Note(f"{name}: {self.fact}", self.remedy, code=self.code, **self.values)

    def __reduce__(self) -> tuple[Any, ...]:
        return _note, (self.fact, self.remedy, self.code, dict(self.values))


def _note(fact: str, remedy: Remedy | None, code: str, values: dict[str, Any]) -> Note:
    return Note(fact, remedy, code=code, **values)


def as_notes(given: Iterable[str]) -> tuple[Note, ...]:
    """Return sentences as notes; plain text, which users give and files keep, has the code told."""
    return tuple(n if isinstance(n, Note) else Note(n, code="told") for n in given)


def present(text: str, named: Callable[[Remedy], str | None]) -> str:
    """Say a note, or an error's message, as a front end's user can follow it.

    Plain text is returned unchanged. ``named`` names a remedy's parameter, as ``--fps 30``;
    ``None`` where the front end has no such thing. Text that starts with ``;`` takes the remedy's
    place.
    """
    if not isinstance(text, Note) or text.remedy is None or not text.remedy.parameter:
        return str(text)
    shown = named(text.remedy)
    if shown is None:
        return str(text)
    if shown.startswith(";"):
        return f"{text.fact}{shown}"
    return f"{text} ({shown})"
