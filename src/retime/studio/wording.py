"""The library's sentences in the studio's words.

What the library says names the command line's options, such as ``(--filter)``. In a window there
are fields instead, or another way to do it: nobody there has a command line before them.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable

__all__ = ["studio_notes", "studio_words"]

_SCHEME = "in its file as a usual scheme does, such as Mixamo's"
# What only the command line can do, and what a person at a window does in its place.
_ELSEWHERE = {
    "give both a map of roles (--map)": "name the joints of both in their files as a usual scheme "
    "does, such as Mixamo's",
    "by a map (--map)": _SCHEME,
    "with --map": _SCHEME,
    "give the scale in metres per unit if that is wrong (--scale)": "if that is wrong, write the "
    "file in metres",
    "give the frame rate (--source-fps)": "write a frame time into the file",
    "give a frame rate (--fps)": "export npz, which keeps uneven ones",
    "--animation chooses another:": "the others are motions of their own:",
    "start it with --root to widen that": "move it there, or start the studio in a folder above",
    "start the studio with a wider --root": "start the studio in a folder above",
}
_OPTION = r"--[a-z][a-z-]*"
_IN_BRACKETS = re.compile(rf" ?\(({_OPTION})((?: (?!--)[\w.]+)?)((?:, {_OPTION})*)\)")


def studio_words(text: str) -> str:
    """Say a sentence of the library's as a person at a window can follow it."""
    if "--" not in text:
        return text
    for said, meant in _ELSEWHERE.items():
        text = text.replace(said, meant)
    text = _IN_BRACKETS.sub(_field_in_brackets, text)
    return re.sub(rf"(?<![\w-]){_OPTION}", lambda found: _field(found[0]) or found[0][2:], text)


def studio_notes(notes: Iterable[str]) -> list[str]:
    """Say notes so."""
    return [studio_words(note) for note in notes]


def _field_in_brackets(found: re.Match[str]) -> str:
    """Name the field, with the value to give it; options that are none were only an aid."""
    field = _field(found[1])
    if field is None or found[3]:
        return ""
    return f" (the field {field}{f': {found[2].strip()}' if found[2] else ''})"


def _field(option: str) -> str | None:
    return _labels().get(option[2:].replace("-", "_"))


@functools.cache
def _labels() -> dict[str, str]:
    """Labels of all forms' fields by the name that their option has."""
    from retime.studio.forms import method_forms

    return {field.name: field.label for form in method_forms() for field in form.fields}
