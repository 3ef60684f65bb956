"""Notes: sentences about a result, with a code, values and a remedy.

A note is a string, so that it can be printed, compared and stored. Its code and values are for
programs. Its remedy names a parameter, which each front end shows in its own way (``--source-fps``,
or the field "Search rate"); no sentence below a front end contains a command-line flag.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from retime.sentences import Speaker, StepName, after, plain, sentence, spoken

ROUTINE = frozenset({"unit-inferred", "up-axis-inferred", "rest-frame-set-aside"})
"""Codes of notes that nearly every file has and that need no action."""


class Remedy:
    """Words, and the parameter to change.

    The words are the end of a sentence, and may be empty; with times or names of parameters among
    ``terms`` they are a template. Parameters of reading a file start with ``reading.``. ``value``
    is the suggested value, if known.
    """

    __slots__ = ("parameter", "value", "words")

    def __init__(
        self, words: str = "", *, parameter: str = "", value: Any = None, **terms: Any
    ) -> None:
        self.words, self.parameter, self.value = sentence(words, terms), parameter, value

    def __reduce__(self) -> tuple[Any, ...]:
        return _remedy, (self.words, self.parameter, self.value)


def _remedy(words: str, parameter: str, value: Any) -> Remedy:
    return Remedy(words, parameter=parameter, value=value)


class Note(str):
    """A sentence about a result.

    ``fact`` is the finding, ``remedy`` how to change it, ``code`` identifies the kind of note, and
    ``values`` are the numbers and names in the sentence. With times or names of parameters among
    the values (:mod:`retime.sentences`), the fact is a template.

    Examples
    --------
    >>> give = Remedy("give it", parameter="reading.fps")
    >>> note = Note("the file has no frame rate", give, code="no-frame-rate")
    >>> note
    'the file has no frame rate; give it'
    >>> class CommandLine(Presenter):
    ...     def remedy(self, remedy):
    ...         return "--source-fps"
    >>> present(note, CommandLine())
    'the file has no frame rate; give it (--source-fps)'
    """

    fact: str
    remedy: Remedy | None
    code: str
    values: Mapping[str, Any]

    def __new__(cls, fact: str, remedy: Remedy | None = None, *, code: str, **values: Any) -> Note:
        """Make a note; its text is the fact and the words of the remedy."""
        words = remedy.words if remedy is not None else ""
        fact = sentence(fact, values)
        note = super().__new__(cls, f"{fact}; {words}" if words else fact)
        note.fact, note.remedy, note.code, note.values = fact, remedy, code, plain(values)
        return note

    def within(self, name: str | StepName) -> Note:
        """Return the note with the name of its subject, or the step, before it."""
        return Note(after(name, self.fact), self.remedy, code=self.code, **self.values)

    def __reduce__(self) -> tuple[Any, ...]:
        return _note, (self.fact, self.remedy, self.code, dict(self.values))


def _note(fact: str, remedy: Remedy | None, code: str, values: dict[str, Any]) -> Note:
    return Note(fact, remedy, code=code, **values)


def as_notes(given: Iterable[str]) -> tuple[Note, ...]:
    """Return sentences as notes; plain text from users and files gets the code ``told``."""
    return tuple(n if isinstance(n, Note) else Note(n, code="told") for n in given)


class Presenter(Speaker):
    """Show notes and errors as a front end does."""

    def remedy(self, remedy: Remedy) -> str | None:
        """Return how the front end shows the parameter of a remedy, such as ``--fps 30``.

        Text that starts with ``;`` replaces the remedy. Return ``None`` if the front end does not
        have the parameter.
        """
        return None


def present(text: str, presenter: Presenter) -> str:
    """Return a note or an error message in the terms of a front end."""
    if not isinstance(text, Note):
        return spoken(text, presenter)
    fact = spoken(text.fact, presenter)
    if text.remedy is None:
        return fact
    shown = presenter.remedy(text.remedy) if text.remedy.parameter else None
    if shown is not None and shown.startswith(";"):
        return f"{fact}{shown}"
    words = spoken(text.remedy.words, presenter)
    return f"{fact}{f'; {words}' if words else ''}{f' ({shown})' if shown else ''}"
