"""Parameters by clip: a CSV or TOML table of values that differ from the recipe's."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from retime.batch.vary import checked_value, find_parameter
from retime.bounded_json import parse_toml
from retime.errors import FormatError, InputError, did_you_mean
from retime.io.files import read_bytes
from retime.recipe import Recipe

_CLIP = "clip"
_LISTED = 5


@dataclass(frozen=True)
class Cell:
    """A value of one parameter of one step."""

    column: str
    """As the table names it."""
    step: int
    """Place of the step in the recipe, from 0."""
    parameter: str
    """Name of its parameter."""
    value: Any
    """Its value for the clip, checked."""


@dataclass(frozen=True)
class ClipTable:
    """Cells by clip; clips are named as in the table."""

    path: str = ""
    rows: Mapping[str, tuple[Cell, ...]] = field(default_factory=dict)

    def of(self, clip: str) -> tuple[Cell, ...]:
        """Return the cells of a clip: by its path, its name, or its name without suffix."""
        path = PurePosixPath(clip)
        for name in (clip, str(path.with_suffix("")), path.name, path.stem):
            if name in self.rows:
                return self.rows[name]
        return ()

    def must_name(self, clips: Collection[str]) -> None:
        """Reject rows of clips that are not in the library."""
        known: set[str] = set()
        for clip in clips:
            path = PurePosixPath(clip)
            known |= {clip, str(path.with_suffix("")), path.name, path.stem}
        strange = [name for name in self.rows if name not in known]
        if strange:
            shown = ", ".join(strange[:_LISTED]) + (", ..." if len(strange) > _LISTED else "")
            raise InputError(
                f"{self.path}: the library has no clip {shown}{did_you_mean(strange[0], clips)}"
            )


def read_clip_table(path: str | Path, recipe: Recipe) -> ClipTable:
    """Read parameters by clip; every value is checked against its step.

    A CSV file has a column ``clip`` and one for each parameter, named as for ``--vary``
    (``duration``, ``guided.influence``, ``2.search_fps``); an empty cell leaves the recipe's value.
    A TOML file has a table for each clip. Times are written as on the command line: ``80%``.
    """
    path = Path(path)
    data = read_bytes(path)
    given = _from_toml(data, path) if path.suffix.lower() == ".toml" else _from_csv(data, path)
    rows = {}
    for clip, values in given.items():
        try:
            rows[clip] = tuple(_cell(recipe, name, value) for name, value in values.items())
        except InputError as e:
            raise FormatError(f"{clip}: {e}", path=path) from None
    return ClipTable(str(path), rows)


def _cell(recipe: Recipe, name: str, value: Any) -> Cell:
    step, parameter = find_parameter(recipe, name)
    return Cell(name, step, parameter.name, checked_value(recipe.steps[step], parameter, value))


def _from_csv(data: bytes, path: Path) -> dict[str, dict[str, Any]]:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise FormatError("not a text file in UTF-8", path=path) from None
    heads, lines = _csv_rows(text, path)
    at = heads.index(_CLIP)
    out: dict[str, dict[str, Any]] = {}
    for line, row in lines:
        if len(row) != len(heads):
            raise FormatError(f"{len(row)} cells in place of {len(heads)}", path=path, line=line)
        clip = row[at].strip().replace("\\", "/")
        if not clip or clip in out:
            what = f"{clip!r} occurs twice" if clip else "no clip is named"
            raise FormatError(what, path=path, line=line)
        pairs = zip(heads, row, strict=True)
        out[clip] = {h: c.strip() for h, c in pairs if h and h != _CLIP and c.strip()}
    return out


def _csv_rows(text: str, path: Path) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """Return the names of the columns, and the rows below them with their lines."""
    reader = csv.reader(io.StringIO(text))
    try:
        lines = [(reader.line_num, row) for row in reader if any(c.strip() for c in row)]
    except csv.Error as e:
        raise FormatError(f"not a CSV table: {e}", path=path) from None
    heads = [c.strip() for c in lines[0][1]] if lines else []
    if _CLIP not in heads:
        raise FormatError(
            f"the first line names the columns, and one of them is {_CLIP!r}", path=path
        )
    if len(set(heads)) < len(heads):
        raise FormatError("a column occurs twice", path=path, line=1)
    return heads, lines[1:]


def _from_toml(data: bytes, path: Path) -> dict[str, dict[str, Any]]:
    document = parse_toml(data, path=path)
    for clip, values in document.items():
        if not isinstance(values, dict):
            raise FormatError(
                f'each clip is a table, like ["walk.bvh"]; {clip!r} is not a table', path=path
            )
    return {clip: _flat(values) for clip, values in document.items()}


def _flat(values: Mapping[str, Any], above: str = "") -> dict[str, Any]:
    """Let ``guided.influence = 0.5`` be one name, as TOML would nest it."""
    out: dict[str, Any] = {}
    for name, value in values.items():
        if isinstance(value, dict):
            out |= _flat(value, f"{above}{name}.")
        else:
            out[f"{above}{name}"] = value
    return out
