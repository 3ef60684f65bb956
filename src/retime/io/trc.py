"""Markers of motion capture and OpenSim (.trc): points, retimed in a copy of the file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from retime.arrays import FloatArray
from retime.errors import FormatError, InputError
from retime.io.as_read import (
    is_as_read,
    kept_of,
    must_be_even,
    no_frame_rate,
    with_origin,
)
from retime.io.files import read_bytes, write_bytes
from retime.io.gaps import Gaps
from retime.io.parameters import RestFrame
from retime.io.text_table import (
    TextTable,
    lines_of,
    parse_table,
    rising_times,
    rows_note,
    source_rows,
)
from retime.motion import Motion, Units, quat, trust
from retime.motion.skeleton import Skeleton, unique_names
from retime.notes import Note, Remedy

_UNITS = {"mm": 0.001, "cm": 0.01, "m": 1.0, "in": 0.0254, "ft": 0.3048}
_MOST_MARKERS = 5000


@dataclass(frozen=True, eq=False)
class TrcFile:
    """Data of a file, kept to write it back."""

    data: bytes
    table: TextTable
    rate: float
    """The frame rate in the file."""
    columns: tuple[int, ...]
    """The first column of each joint's marker. Shape (J,)."""
    motion: Motion
    """The motion as read."""


def read_motion(
    path: str | Path, *, rest_frame: RestFrame = "auto", fps: float | None = None
) -> Motion:
    """Read markers as joints without rotation. Options are those of ``retime.read``."""
    if rest_frame == "first":
        raise InputError(f"{path}: captured points have no rest pose to set aside")
    path, data = Path(path), read_bytes(path)
    lines = lines_of(data, path)
    if len(lines) < 6 or not lines[0].startswith("PathFileType"):
        raise FormatError("this is not a TRC file: it does not begin with PathFileType", path=path)
    keys, told = lines[1].split(), lines[2].split()
    settings = dict(zip(keys, told, strict=False))
    labels = [s.strip() for s in lines[3].rstrip("\r\n").split("\t")[2:] if s.strip()]
    if not 0 < len(labels) <= _MOST_MARKERS:
        raise FormatError(f"it has {len(labels)} markers", path=path, line=4)
    table = parse_table(lines, 5, 2 + 3 * len(labels), path)
    start = rising_times(table, 1)[0]
    rate = _rate(settings, path) if fps is None else fps
    points = table.values[:, 2:].reshape(len(table.values), -1, 3)
    shown = np.flatnonzero(np.isfinite(points).all(axis=2).any(axis=0))
    if not len(shown):
        raise FormatError("no marker is seen in any frame", path=path)
    names = unique_names([labels[k] for k in shown])
    gaps = Gaps(path)
    tracks = {n: gaps.places(n, points[:, k]) for n, k in zip(names, shown, strict=True)}
    skeleton = Skeleton(names, np.full(len(shown), -1), np.zeros((len(shown), 3)))
    unit = settings.get("Units", "").strip("'\"").lower()
    notes = [_up_note()] + ([] if unit in _UNITS else [_unit_note(unit)])
    motion = Motion(
        skeleton,
        trust(quat.identity(len(points), len(shown))),
        tracks,
        fps=rate,
        start=float(start),
        units=Units(_UNITS.get(unit, 0.001), "Y", "declared" if unit in _UNITS else "assumed"),
        notes=(*notes, *rows_note(table, settings.get("NumFrames", "")), *gaps.notes()),
    )
    kept = TrcFile(data, table, rate, tuple(int(2 + 3 * k) for k in shown), motion)
    return with_origin(motion, "trc", path, data, kept)


def _rate(settings: dict[str, str], path: Path) -> float:
    try:
        rate = float(settings.get("DataRate", ""))
    except ValueError:
        rate = 0.0
    if not 0 < rate < 1e6:
        raise no_frame_rate(path)
    return rate


def _up_note() -> Note:
    return Note(
        "the file has no up axis; Y is assumed, as OpenSim has it",
        Remedy(parameter="reading.up"),
        code="up-axis-assumed",
    )


def _unit_note(unit: str) -> Note:
    return Note(
        f"{unit[:20]!r} is not a known unit; millimetres are assumed",
        Remedy(parameter="reading.scale"),
        code="unit-assumed",
    )


def write_motion(motion: Motion, path: str | Path, *, drop_rest: bool = False) -> None:
    """Write a motion back into a copy of its file. Options are those of ``retime.write``."""
    kept = kept_of(motion, TrcFile)
    if kept is None:
        raise InputError(
            f"{path}: only markers that were read from a TRC file can be written as TRC; write a "
            "skeleton's joints as .csv"
        )
    if not motion.skeleton.same_joints(kept.motion.skeleton):
        raise InputError(f"{path}: the markers are no longer those of the file")
    must_be_even(motion, "TRC")
    if is_as_read(motion, kept.motion) and motion.fps == kept.rate:
        write_bytes(path, [kept.data])
        return
    table = kept.table
    values, rows = _values(motion, kept)
    lines = _head(kept, len(values), motion.fps)
    lines += [table.row(own, like) for own, like in zip(values, rows.tolist(), strict=True)]
    write_bytes(path, ["".join(lines).encode()])


def _values(motion: Motion, kept: TrcFile) -> tuple[FloatArray, np.ndarray]:
    """Return the rows of the file to write, and the row of the source that each is nearest to."""
    source = kept.table.values
    values = np.full((len(motion), source.shape[1]), np.nan)
    values[:, 0] = source[0, 0] + np.arange(len(motion))
    values[:, 1] = motion.times
    for name, c in zip(motion.skeleton.names, kept.columns, strict=True):
        position = source_rows(motion, kept.motion, f"{name}:translation")
        beside = np.floor(position).astype(int), np.ceil(position).astype(int)
        known = np.asarray(np.isfinite(source[:, c : c + 3]).all(axis=1))
        seen = known[beside[0]] & known[beside[1]]
        values[seen, c : c + 3] = motion.translations[name][seen]
    position = source_rows(motion, kept.motion, f"{motion.skeleton.names[0]}:translation")
    return values, np.round(position).astype(int)


def _head(kept: TrcFile, count: int, rate: float) -> list[str]:
    """Return the lines before the table, with the number of frames and the rate."""
    lines = list(kept.table.head)
    keys = lines[1].split()
    parts = lines[2].rstrip("\r\n").split("\t" if "\t" in lines[2] else None)
    for key, value in (("NumFrames", str(count)), ("DataRate", f"{rate:.10g}")):
        at = keys.index(key) if key in keys else len(parts)
        if at < len(parts) and (key == "NumFrames" or rate != kept.rate):
            parts[at] = value
    ending = lines[2][len(lines[2].rstrip("\r\n")) :]
    lines[2] = "\t".join(parts) + ending
    return lines
