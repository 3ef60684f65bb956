"""The warp file: JSON that a person can read and write."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from retime.errors import FormatError, InputError
from retime.io.json_text import must_be_version, parse_json, write_json
from retime.timing import TimeWarp
from retime.timing.graph import Graph

FORMAT = "retime-warp"
VERSION = 2
_FIELDS = {"format", "version", "output", "source", "channels", "loop", "in_space", "notes"}


def to_document(warp: TimeWarp) -> dict[str, Any]:
    """Convert a warp to the contents of its JSON file."""
    document: dict[str, Any] = {"format": FORMAT, "version": VERSION}
    # The body curve is left out only if reading would restore it.
    if not warp.per_channel or warp.body != TimeWarp(channels=warp.channels).body:
        document |= _knots(warp.body)
    if warp.per_channel:
        document["channels"] = {name: _knots(g) for name, g in warp.channels.items()}
    if warp.loop:
        document["loop"] = True
    if warp.in_space:
        document["in_space"] = sorted(warp.in_space)
    if warp.notes:
        document["notes"] = list(warp.notes)
    return document


def _knots(graph: Graph) -> dict[str, list[float]]:
    return {"output": graph.x.tolist(), "source": graph.y.tolist()}


def from_document(document: Any) -> TimeWarp:
    """Convert the contents of a JSON file to a warp."""
    must_be_version(document, FORMAT, "warp", VERSION)
    unknown = set(document) - _FIELDS
    if unknown:
        raise InputError(f"a warp has no {sorted(unknown)[0]!r}")
    if not isinstance(document.get("loop", False), bool):
        raise InputError(f'"loop" is true or false, not {document["loop"]!r}')
    for name, what in (("notes", "sentences"), ("in_space", "joints")):
        texts = document.get(name, [])
        if not isinstance(texts, list) or not all(isinstance(n, str) for n in texts):
            raise InputError(f'"{name}" must be a list of {what}')
    return TimeWarp(
        document.get("output"),
        document.get("source"),
        channels=_channels(document.get("channels")),
        loop=document.get("loop", False),
        in_space=document.get("in_space", ()),
        notes=document.get("notes", ()),
    )


def _channels(given: Any) -> dict[str, tuple[Any, Any]]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise InputError('"channels" must be an object of channels')
    for name, knots in given.items():
        if not isinstance(knots, Mapping) or not {"output", "source"} <= set(knots):
            raise InputError(f'channel {name!r} needs "output" and "source"')
    return {name: (knots["output"], knots["source"]) for name, knots in given.items()}


def read_warp(path: str | Path) -> TimeWarp:
    """Read a warp file.

    Parameters
    ----------
    path : str or Path
        The JSON file.
    """
    try:
        document = parse_json(path)
    except FormatError:
        if Path(path).suffix.lower() == ".json":
            raise
        raise FormatError("not a JSON file, which a warp of retime is", path=path) from None
    try:
        return from_document(document)
    except InputError as e:
        raise FormatError(str(e), path=path) from None


def write_warp(warp: TimeWarp, path: str | Path) -> None:
    """Write a warp file, completely or not at all, with all digits.

    Parameters
    ----------
    warp : TimeWarp
        What to write.
    path : str or Path
        Where.
    """
    write_json(to_document(warp), path)
