"""Exceptions: one family of errors with messages that explain how to fix them."""

from __future__ import annotations

import contextlib
import difflib
import itertools
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from retime.notes import Note
from retime.sentences import Sentence, StepName, after

# Limits on the names that an unknown name is compared with: their number and length.
_MOST_KNOWN, _LONGEST = 500, 100


# Longest error message, and longest word in it that is not shortened; characters.
MOST_SENTENCE, _MOST_WORD = 300, 80
_LONG_WORD = re.compile(rf"\S{{{_MOST_WORD + 1},}}+")


def bounded(sentence: str) -> str:
    """Shorten a sentence to 300 characters, by leaving out the middle of long names.

    >>> len(bounded("no joint named " + "A" * 5000 + "; known: Hips"))
    106
    """
    if len(sentence) <= MOST_SENTENCE:
        return sentence
    half = _MOST_WORD // 2 - 2
    told = _LONG_WORD.sub(lambda m: f"{m[0][:half]}...{m[0][-half:]}", sentence)
    if len(told) <= MOST_SENTENCE:
        return told
    # A message starts with the problem and ends with the remedy.
    return f"{told[: MOST_SENTENCE - 83]}...{told[-80:]}"


class RetimeError(Exception):
    """An error of the input, not of the program.

    Parameters
    ----------
    message : str or Note
        What is wrong, and how to fix it. A note also has a code, values and a remedy.
    **values
        Values of the fields of the message, which is then a template. Times and names of parameters
        (:mod:`retime.sentences`) are shown by each front end in its own terms.

    Attributes
    ----------
    step : int or None
        Number of the recipe's step with the error, if any.
    """

    step: int | None = None

    def __init__(self, message: str = "", **values: Any) -> None:
        super().__init__(Sentence(message, **values) if values else message)

    def __str__(self) -> str:
        return bounded(super().__str__())

    @property
    def note(self) -> str:
        """The message as a note, for front ends that format its remedy."""
        message = self.args[0] if self.args else ""
        if isinstance(message, Note):
            fact = bounded(message.fact)
            return Note(fact, message.remedy, code=message.code, **message.values)
        return bounded(message if isinstance(message, str) else str(message))

    def within(self, where: str | StepName) -> RetimeError:
        """Put a location or a step before the message; return the error."""
        text = self.note
        self.args = (text.within(where) if isinstance(text, Note) else after(where, text),)
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
        super().__init__(message)
        if self.path and line is not None:
            self.within(f"{self.path}:{line}")
        elif self.path or line is not None:
            self.within(self.path or f"line {line}")

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
        The extra of this package that installs it.
    """

    def __init__(self, feature: str, extra: str) -> None:
        self.extra = extra
        super().__init__(f"{feature} needs an optional part: {install_command(extra)}")

    def __reduce__(self) -> tuple[Any, ...]:
        return _same_error, (type(self), self.args, self.__dict__)


def install_command(extra: str) -> str:
    """Return the command that installs an extra: from the clone that runs, or from the index."""
    clone = Path(__file__).parents[2]
    if (clone / "pyproject.toml").is_file():
        python = Path(sys.executable)
        with contextlib.suppress(ValueError):
            python = python.relative_to(clone)
        return f"{python} -m pip install -e '.[{extra}]' in {clone}"
    return f"pip install 'retime[{extra}]'"


def _same_error(kind: type[Exception], args: tuple[Any, ...], state: dict[str, Any]) -> Exception:
    """Restore an error in another process with an unchanged message."""
    error = kind.__new__(kind)
    error.args = args
    error.__dict__.update(state)
    return error


class FormatWarning(UserWarning):
    """A file was read, but parts of it contradict each other."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return the most similar known names, as the end of an error message.

    >>> did_you_mean("RightHnad", ["RightHand", "LeftFoot"])
    "; did you mean 'RightHand'?"
    """
    # The time of a comparison is the product of the lengths.
    folded = {k.casefold(): k for k in itertools.islice(known, _MOST_KNOWN) if len(k) <= _LONGEST}
    near = difflib.get_close_matches(name.casefold()[:_LONGEST], list(folded), n=3, cutoff=0.5)
    if near:
        return "; did you mean " + " or ".join(repr(folded[n]) for n in near) + "?"
    listed = [*folded.values()][:12] + ["…"] * (len(folded) > 12)
    return "; known: " + ", ".join(listed) if listed else ""
