"""Tables of OpenSim (.mot, .sto): coordinates, forces and other columns, retimed in a copy.

A table has no skeleton. The coordinates of the pelvis, where they are, become a joint, so that
methods that look at movement have one; all columns follow the same timing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from retime.arrays import FloatArray
from retime.errors import FormatError, InputError
from retime.io.as_read import is_as_read, kept_of, with_origin
from retime.io.fbx.rotations import euler
from retime.io.files import read_bytes, write_bytes
from retime.io.gaps import Gaps
from retime.io.in_place import no_model
from retime.io.parameters import RestFrame
from retime.io.text_table import (
    TextTable,
    even_rate,
    lines_of,
    parse_table,
    rising_times,
    rows_note,
    source_rows,
)
from retime.motion import Motion, Units
from retime.motion.skeleton import Skeleton
from retime.notes import Note

_ROOT = "pelvis"
# OpenSim turns a pelvis about Z, X and Y, each axis in the frame that the one before made.
_PLACE = ("pelvis_tx", "pelvis_ty", "pelvis_tz")
_TURN = ("pelvis_list", "pelvis_rotation", "pelvis_tilt")
_COUNT = re.compile(r"^(\s*(?:nRows|datarows)[=\s]+)(\d+)", re.IGNORECASE)
_RANGE = re.compile(r"^(\s*range\s+)\S+\s+\S+", re.IGNORECASE)
_MOST_LINES = 1000


@dataclass(frozen=True, eq=False)
class StorageFile:
    """Data of a file, kept to write it back."""

    data: bytes
    table: TextTable
    motion: Motion
    """The motion as read."""


def read_motion(
    path: str | Path, *, rest_frame: RestFrame = "auto", fps: float | None = None
) -> Motion:
    """Read a table as a motion of one joint. Options are those of ``retime.read``."""
    path, data = Path(path), read_bytes(path)
    lines = lines_of(data, path)
    head = [line.strip().lower() for line in lines[:_MOST_LINES]]
    if "endheader" not in head:
        raise FormatError("this is not a table of OpenSim: it has no endheader", path=path)
    at = head.index("endheader") + 1
    while at < len(lines) and not lines[at].strip():
        at += 1
    labels = lines[at].split() if at < len(lines) else []
    if not labels or labels[0].lower() != "time":
        raise FormatError("the first column is not the time", path=path, line=at + 1)
    table = parse_table(lines, at + 1, len(labels), path)
    times = rising_times(table, 0)
    rate = even_rate(times)
    if len(times) < 2 or fps is not None:
        if fps is None:
            raise FormatError("the table has a single row", path=path)
        rate, times = fps, times[0] + np.arange(len(times)) / fps
    gaps = Gaps(path)
    told = [found[2] for line in lines[:at] if (found := _COUNT.match(line))]
    place = _columns(table, labels, _PLACE, gaps)
    turn = _columns(table, labels, _TURN, gaps)
    if "indegrees=no" in "".join(head).replace(" ", ""):
        turn = np.degrees(turn)
    usual = (len(times) - 1) / float(times[-1] - times[0]) if len(times) > 1 else 30.0
    motion = Motion(
        Skeleton((_ROOT,), np.array([-1]), np.zeros((1, 3))),
        euler(turn, "YXZ")[:, None],
        {_ROOT: place},
        fps=usual if rate is None else rate,
        start=float(times[0]),
        sample_times=times if rate is None else None,
        units=Units(1.0, "Y", "declared"),
        notes=(_note(labels), *rows_note(table, told[0] if told else ""), *gaps.notes()),
    )
    return with_origin(
        motion, "storage", path, data, StorageFile(data, table, motion), in_place=True
    )


def _columns(
    table: TextTable, labels: list[str], wanted: tuple[str, ...], gaps: Gaps
) -> FloatArray:
    """Return columns by the end of their names (R, 3), 0 where there is none."""
    out = np.zeros((len(table.values), len(wanted)))
    for k, name in enumerate(wanted):
        # Newer files have paths, such as /jointset/ground_pelvis/pelvis_tx/value.
        parts = [c for c, label in enumerate(labels) if name in label.split("/")[-2:]]
        if parts:
            out[:, k] = gaps.places(name, table.values[:, parts[0] : parts[0] + 1])[:, 0]
    return out


def _note(labels: list[str]) -> Note:
    return no_model(f"a table of {len(labels) - 1} columns has no skeleton")


def write_motion(motion: Motion, path: str | Path, *, drop_rest: bool = False) -> None:
    """Write a motion back into a copy of its file. Options are those of ``retime.write``."""
    kept = kept_of(motion, StorageFile)
    if kept is None:
        raise InputError(f"{path}: only a table that was read can be written as one; write .csv")
    if any(motion.touched.indices(motion.skeleton)):
        raise InputError(
            f"{path}: the pelvis was edited; only the timing of a table can be written"
        )
    if is_as_read(motion, kept.motion) and np.array_equal(motion.times, kept.motion.times):
        write_bytes(path, [kept.data])
        return
    table = kept.table
    position = source_rows(motion, kept.motion, f"{_ROOT}:translation")
    before = np.floor(position).astype(int)
    after, share = np.ceil(position).astype(int), (position % 1)[:, None]
    values = table.values[before] * (1 - share) + table.values[after] * share
    values[share[:, 0] == 0] = table.values[before[share[:, 0] == 0]]
    values[:, 0] = motion.times
    ends = (table.cells[0][0], motion.times[0], motion.times[-1])
    lines = [_with_count(line, len(values), ends) for line in table.head]
    lines += [table.row(own, like) for own, like in zip(values, before.tolist(), strict=True)]
    write_bytes(path, ["".join(lines).encode()])


def _with_count(line: str, count: int, ends: tuple[str, float, float]) -> str:
    """Return a line of the head with the number of rows, or the first and last time."""
    line = _COUNT.sub(lambda m: f"{m[1]}{count}", line) if _COUNT.match(line) else line
    found = _RANGE.match(line)
    return f"{found[1]}{ends[1]:.8g} {ends[2]:.8g}{line[found.end() :]}" if found else line
