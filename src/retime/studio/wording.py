"""Messages of the library in the studio's words: fields in place of command-line options."""

from __future__ import annotations

import functools
from collections.abc import Iterable

from retime.errors import RetimeError
from retime.notes import Remedy, present

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
    """Say a sentence of the library's as a person at a window can follow it."""
    return present(text, _field)


def studio_notes(notes: Iterable[str]) -> list[str]:
    """Say notes so."""
    return [studio_words(note) for note in notes]


def studio_error(error: RetimeError) -> str:
    """Say what went wrong so."""
    return studio_words(error.note)


def _field(remedy: Remedy) -> str | None:
    if remedy.parameter in _ELSEWHERE:
        return _ELSEWHERE[remedy.parameter] or None
    label = _labels().get(remedy.parameter)
    if label is None:
        return None
    return f"the field {label}" if remedy.value is None else f"the field {label}: {remedy.value}"


@functools.cache
def _labels() -> dict[str, str]:
    """Labels of all forms' fields by their parameters' names."""
    from retime.studio.forms import method_forms

    return {field.name: field.label for form in method_forms() for field in form.fields}
