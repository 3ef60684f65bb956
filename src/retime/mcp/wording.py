"""Messages of the library in an assistant's terms: the names in its requests."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from retime.errors import RetimeError
from retime.notes import ROUTINE, Note, Presenter, Remedy, present

# What is said about parameters that are not part of requests.
_READING = "; convert the file first: retime convert IN OUT"


class Assistant(Presenter):
    """Show parameters as the members of a request, and their values as JSON."""

    def parameter(self, name: str, item: str) -> str:
        """Return the name of a member."""
        return f'"{name}"{item}'

    def remedy(self, remedy: Remedy) -> str | None:
        """Return the member to set; options of reading belong to the command line."""
        scope, _, name = remedy.parameter.rpartition(".")
        if scope == "reading":
            value = "" if remedy.value is None else f" {remedy.value}"
            return f"{_READING} --{_FLAGS.get(name, name)}{value}"
        if scope:
            return None
        return f'"{name}"' if remedy.value is None else f'"{name}": {_json(remedy.value)}'


# Options of `retime convert` whose names differ from those of the parameters.
_FLAGS = {"fps": "source-fps", "roles": "map", "rest_frame": "rest-frame"}


def _json(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except TypeError:
        return json.dumps(str(value))


def words_of(text: str) -> str:
    """Return a note or a message in an assistant's terms."""
    return present(text, Assistant())


def error_words(error: RetimeError) -> str:
    """Return the message of an error in an assistant's terms."""
    return words_of(error.note)


def notes_of(notes: Iterable[Note]) -> list[str]:
    """Return notes with their codes, without those that nearly every file has."""
    kept = [n for n in dict.fromkeys(notes) if n.code not in ROUTINE]
    return [f"{words_of(n)} [{n.code}]" for n in kept]
