"""Notes: sentences about a result, with a code, values and a remedy.

A note is a string, so that it can be printed, compared and stored. Its code and values are for
programs. Its remedy names a parameter, which each front end shows in its own way (``--source-fps``,
or the field "Search rate"); no sentence below a front end contains a command-line flag.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any


class Remedy:
    """Words, and the parameter to change.

    The words are the end of a sentence, and may be empty. Parameters of reading a file start with
    ``reading.``. ``value`` is the suggested value, if known.
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

    ``fact`` is the finding, ``remedy`` how to change it, ``code`` identifies the kind of note, and
    ``values`` are the numbers and names in the sentence.

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
        """Make a note; its text is the fact and the words of the remedy."""
        words = remedy.words if remedy is not None else ""
        note = super().__new__(cls, f"{fact}; {words}" if words else fact)
        note.fact, note.remedy, note.code, note.values = fact, remedy, code, values
        return note

    def within(self, name: str) -> Note:
        """Return the note with the name of its subject before it."""
        return Note(f"{name}: {self.fact}", self.remedy, code=self.code, **self.values)

    def __reduce__(self) -> tuple[Any, ...]:
        return _note, (self.fact, self.remedy, self.code, dict(self.values))


def _note(fact: str, remedy: Remedy | None, code: str, values: dict[str, Any]) -> Note:
    return Note(fact, remedy, code=code, **values)


def as_notes(given: Iterable[str]) -> tuple[Note, ...]:
    """Return sentences as notes; plain text from users and files gets the code ``told``."""
    return tuple(n if isinstance(n, Note) else Note(n, code="told") for n in given)


def present(text: str, named: Callable[[Remedy], str | None]) -> str:
    """Return a note or an error message with its remedy named by a front end.

    Plain text is returned unchanged. ``named`` returns how the front end shows the parameter of a
    remedy, such as ``--fps 30``; text that starts with ``;`` to replace the remedy; or ``None`` if
    the front end does not have the parameter.
    """
    if not isinstance(text, Note) or text.remedy is None or not text.remedy.parameter:
        return str(text)
    shown = named(text.remedy)
    if shown is None:
        return str(text)
    return f"{text.fact}{shown}" if shown.startswith(";") else f"{text} ({shown})"
