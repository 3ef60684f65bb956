"""Messages of the library in the studio's words: fields in place of command-line options.

A window shows times in seconds, frames or timecode, as its user chose. Times in a text are marked
for this: ``OPEN``, the kind (m for a moment, s for a span, l for a length), the seconds, the text
in seconds, ``CLOSE``, separated by ``|``. The page replaces marks (``web/src/words/sentence.ts``).
"""

from __future__ import annotations

import functools
from collections.abc import Iterable

from retime.errors import RetimeError
from retime.notes import Presenter, Remedy, present
from retime.studio.messages import FormField

# Characters of Unicode's private use area: no file name or sentence has them.
OPEN, CLOSE = "\ue000", "\ue001"
_SCHEME = "; name the joints in the file as a usual scheme does, such as Mixamo's"
# What only the command line can do, and what a person at a window does in its place.
_ELSEWHERE = {
    "reading.roles": _SCHEME,
    "reading.scale": "; if that is wrong, write the file in metres",
    "reading.fps": "; write a frame rate into the file",
    "reading.up": "",
    "reading.skeleton": "; open the .asf together with it",
    "animation": "",
    "exact": "",
    "fps": "; export npz, which keeps uneven frames",
}


def studio_words(text: str) -> str:
    """Return a note or message with the labels of fields in place of parameters."""
    return present(text, _Fields())


def studio_notes(notes: Iterable[str]) -> list[str]:
    """Return notes in the words of the studio."""
    return [studio_words(note) for note in notes]


def studio_error(error: RetimeError) -> str:
    """Return an error message in the words of the studio."""
    return studio_words(error.note)


class _Fields(Presenter):
    """Show parameters by the labels of their fields, and mark times."""

    def moment(self, seconds: float, form: str) -> str:
        """Return a marked point in time."""
        return _marked("m", super().moment(seconds, form), seconds)

    def span(self, start: float, end: float, form: str) -> str:
        """Return a marked stretch of time."""
        return _marked("s", super().span(start, end, form), start, end)

    def length(self, seconds: float, form: str) -> str:
        """Return a marked length of time."""
        return _marked("l", super().length(seconds, form), seconds)

    def parameter(self, name: str, item: str) -> str:
        """Return the label of a field."""
        field = _fields().get(name)
        return f"{name}{item}" if field is None else field.label

    def remedy(self, remedy: Remedy) -> str | None:
        """Return the field to change, or what to do instead."""
        if remedy.parameter in _ELSEWHERE:
            return _ELSEWHERE[remedy.parameter] or None
        field = _fields().get(remedy.parameter)
        if field is None:
            return None
        if remedy.value is None:
            return f"the field {field.label}"
        labels = {choice.value: choice.label for choice in field.choices}
        return f"the field {field.label}: {labels.get(str(remedy.value), remedy.value)}"


def _marked(kind: str, text: str, *seconds: float) -> str:
    numbers = "|".join(f"{s:.9g}" for s in seconds)
    return f"{OPEN}{kind}|{numbers}|{text}{CLOSE}"


@functools.cache
def _fields() -> dict[str, FormField]:
    """Fields of all forms by their parameters' names."""
    from retime.studio.forms import method_forms

    return {field.name: field for form in method_forms() for field in form.fields}
