"""Exceptions: one family of errors with messages that explain how to fix them."""

from __future__ import annotations

import difflib
import itertools
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from retime.notes import Note

# Names that a wrong one is compared with, and their length.
_MOST_KNOWN, _LONGEST = 500, 100


# Characters of an error's sentence, and of one word in it before its middle is left out.
MOST_SENTENCE, _MOST_WORD = 300, 80
_LONG_WORD = re.compile(rf"\S{{{_MOST_WORD + 1},}}+")


def bounded(sentence: str) -> str:
    """Return a sentence of at most 300 characters, the middle of long names left out.

    >>> len(bounded("no joint named " + "A" * 5000 + "; known: Hips"))
    106
    """
    if len(sentence) <= MOST_SENTENCE:
        return sentence
    half = _MOST_WORD // 2 - 2
    told = _LONG_WORD.sub(lambda m: f"{m[0][:half]}...{m[0][-half:]}", sentence)
    if len(told) <= MOST_SENTENCE:
        return told
    # What is wrong stands at the beginning, what to do about it at the end.
    return f"{told[: MOST_SENTENCE - 83]}...{told[-80:]}"


class RetimeError(Exception):
    """An error of the input, not of the program.

    Parameters
    ----------
    message : str or Note
        What is wrong, and how to fix it. A note also has a code, values and a remedy.

    Attributes
    ----------
    step : int or None
        Number of the recipe's step with the error, if any.
    """

    step: int | None = None

    def __str__(self) -> str:
        return bounded(super().__str__())

    @property
    def note(self) -> str:
        """The message as a note, for front ends that name its remedy in their own way."""
        message = self.args[0] if self.args else ""
        if isinstance(message, Note):
            fact = bounded(message.fact)
            return Note(fact, message.remedy, code=message.code, **message.values)
        return bounded(str(message))

    def within(self, where: str) -> RetimeError:
        """Say where it happened, before the message; the remedy stays."""
        text = self.note
        if isinstance(text, Note):
            self.args = (Note(f"{where}: {text.fact}", text.remedy, code=text.code, **text.values),)
        else:
            self.args = (f"{where}: {text}",)
        return self


class InputError(RetimeError, ValueError):
    """A wrong value."""


class FormatError(RetimeError):
    """A file that is damaged or does not have its declared format.

    Parameters
    ----------
    message : str
        What is wrong and what to do.
    path : str or Path, optional
        The file.
    line : int, optional
        The line in the file, counted from 1.
    """

    def __init__(
        self, message: str, *, path: str | Path | None = None, line: int | None = None
    ) -> None:
        self.path = None if path is None else str(path)
        self.line = line
        where = self.path or ""
        if line is not None:
            where += f":{line}" if where else f"line {line}"
        super().__init__(message)
        if where:
            self.within(where)

    def __reduce__(self) -> tuple[Any, ...]:
        return _same_error, (type(self), self.args, self.__dict__)


class InfeasibleError(RetimeError):
    """A request that cannot be satisfied; the message suggests one that can."""


class MissingDependencyError(RetimeError):
    """An optional package that a feature needs is not installed.

    Parameters
    ----------
    feature : str
        The requested feature.
    extra : str
        The extra of this package that installs what is missing.
    """

    def __init__(self, feature: str, extra: str) -> None:
        self.extra = extra
        super().__init__(f"{feature} needs an optional part: pip install 'retime[{extra}]'")

    def __reduce__(self) -> tuple[Any, ...]:
        return _same_error, (type(self), self.args, self.__dict__)


def _same_error(kind: type[Exception], args: tuple[Any, ...], state: dict[str, Any]) -> Exception:
    """Make an error again in another process, its sentence as it was."""
    error = kind.__new__(kind)
    error.args = args
    error.__dict__.update(state)
    return error


class FormatWarning(UserWarning):
    """A file was read, but parts of it contradict each other."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Name the nearest known names, as the end of an error sentence.

    >>> did_you_mean("RightHnad", ["RightHand", "LeftFoot"])
    "; did you mean 'RightHand'?"
    """
    # Comparing takes the product of the lengths: no long name, and no name of thousands.
    folded = {k.casefold(): k for k in itertools.islice(known, _MOST_KNOWN) if len(k) <= _LONGEST}
    near = difflib.get_close_matches(name.casefold()[:_LONGEST], list(folded), n=3, cutoff=0.5)
    if near:
        return "; did you mean " + " or ".join(repr(folded[n]) for n in near) + "?"
    listed = list(folded.values())
    if not listed:
        return ""
    shown = ", ".join(listed[:12]) + (", …" if len(listed) > 12 else "")
    return f"; known: {shown}"
