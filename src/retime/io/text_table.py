"""Tables of numbers as text, such as those of biomechanics: rows change, the rest is kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from retime.arrays import FloatArray
from retime.errors import FormatError
from retime.io.as_read import warp_of
from retime.io.gaps import means_missing
from retime.motion import Motion
from retime.motion.sampling import MOST_BYTES
from retime.notes import Note

_MOST = 1e12
# Times with six digits, as many programs write them, are off by less, seconds.
_ROUNDED = 2e-6


@dataclass(frozen=True, eq=False)
class TextTable:
    """A file with lines before a table."""

    path: Path
    head: tuple[str, ...]
    """Lines before the table, with their ends."""
    cells: tuple[tuple[str, ...], ...]
    """The table as text; an empty cell is missing."""
    values: FloatArray
    """The table as numbers; missing ones are NaN. Shape (R, C)."""
    tabs: bool
    """Whether cells are separated by tabs, otherwise by blanks."""
    end: str
    """The end of a line."""

    def row(self, values: Sequence[float], like: int | None = None) -> str:
        """Write a row with the digits that each column has.

        A cell whose number is that of row ``like`` keeps its characters.
        """
        out = []
        for c, value in enumerate(values):
            if like is not None and _same(value, self.values[like, c]):
                out.append(self.cells[like][c])
            else:
                out.append("" if np.isnan(value) and self.tabs else _text(value, self.cells[0][c]))
        return ("\t" if self.tabs else " ").join(out) + self.end


def _same(a: float, b: float) -> bool:
    return a == b or bool(np.isnan(a) and np.isnan(b))


def _text(value: float, like: str) -> str:
    """Write a number with as many digits as another has."""
    digits, _, power = like.strip().lower().partition("e")
    places = len(digits.partition(".")[2])
    if np.isnan(value):
        return "nan"
    text = f"{value:.{places}e}" if power else f"{value:.{max(places, 3)}f}"
    return text.rjust(len(like)) if like != like.strip() else text


def lines_of(data: bytes, path: Path) -> list[str]:
    """Return the lines of a file of text, with their ends."""
    if b"\x00" in data[:4096]:
        raise FormatError("this is not a table of text", path=path)
    return data.decode("utf-8-sig", "replace").splitlines(keepends=True)


def parse_table(lines: Sequence[str], start: int, columns: int, path: Path) -> TextTable:
    """Read the rows from a line on; each must have a number in its first two columns."""
    while start < len(lines) and not lines[start].strip():
        start += 1
    tabs = any("\t" in line for line in lines[start : start + 3])
    cells: list[tuple[str, ...]] = []
    if len(lines) * columns * 8 > MOST_BYTES:
        raise FormatError("the table is too large to fit in memory", path=path)
    values = np.empty((len(lines) - start, columns))
    for n, line in enumerate(lines[start:], start):
        bare = line.rstrip("\r\n")
        if not bare.strip():
            continue
        own = bare.split("\t") if tabs else bare.split()
        while len(own) > columns and not own[-1].strip():
            own.pop()
        cut = len(own) < columns and bare == line  # the last row, which does not end its line
        if len(own) > columns or (len(own) < columns and not tabs) or cut:
            more = "; the file may be cut off" if len(own) < columns and n == len(lines) - 1 else ""
            raise FormatError(
                f"expected {columns} values, found {len(own)}{more}", path=path, line=n + 1
            )
        own += [""] * (columns - len(own))
        values[len(cells)] = [_number(cell, path, n) for cell in own]
        cells.append(tuple(own))
    if not cells:
        raise FormatError("the table has no rows", path=path)
    end = lines[start][len(lines[start].rstrip("\r\n")) :] or "\n"
    return TextTable(path, tuple(lines[:start]), tuple(cells), values[: len(cells)], tabs, end)


def _number(cell: str, path: Path, n: int) -> float:
    if not cell.strip() or means_missing(cell):
        return float("nan")
    try:
        found = float(cell)
    except ValueError:
        raise FormatError(f"{cell.strip()[:20]!r} is not a number", path=path, line=n + 1) from None
    if not abs(found) < _MOST:
        raise FormatError("a number is not finite, or too large", path=path, line=n + 1)
    return found


def rising_times(table: TextTable, column: int) -> FloatArray:
    """Return the times of the rows (R,)."""
    times = table.values[:, column]
    if not np.isfinite(times).all() or (np.diff(times) <= 0).any():
        raise FormatError("the times of its rows do not rise", path=table.path)
    out: FloatArray = times
    return out


def rows_note(table: TextTable, told: str) -> list[Note]:
    """Return a note on a table that has fewer rows than its head counts."""
    found = len(table.values)
    if not told.isdigit() or int(told[:9]) <= found:
        return []
    return [
        Note(
            f"the head counts {told[:9]} rows, and the file has {found}: it may be cut off; the "
            f"{found} rows are read",
            code="rows-missing",
            declared=int(told[:9]),
            found=found,
        )
    ]


def even_rate(times: FloatArray) -> float | None:
    """Return the rate of times that are evenly spaced within rounding, or ``None``."""
    if len(times) < 2:
        return None
    step = (times[-1] - times[0]) / (len(times) - 1)
    if step < 1e-6 or np.abs(np.diff(times) - step).max() >= max(2e-3 * step, _ROUNDED):
        return None
    # Rounded times mean a whole rate where one is that near.
    whole = max(round(1 / step), 1)
    off = np.abs(times - times[0] - np.arange(len(times)) / whole).max()
    return float(whole) if off < _ROUNDED else float(f"{1 / step:.6g}")


def source_rows(motion: Motion, read: Motion, channel: str) -> FloatArray:
    """Return the rows of the file that a motion's frames show, between two of them (F,)."""
    warp = warp_of(motion)
    times = motion.times if warp is None else warp(motion.times, channel)
    last = len(read) - 1
    if warp is not None and warp.loop and last > 0:
        times = read.start + np.mod(times - read.start, read.duration)
    position = np.interp(times, read.times, np.arange(len(read)))
    near = np.round(position)
    out: FloatArray = np.where(np.abs(position - near) < 1e-6, near, position)
    return out
