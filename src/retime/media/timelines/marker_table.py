"""Markers in a table (.csv): a column of frames or seconds, and any other cells."""

from __future__ import annotations

import re
from pathlib import Path

from retime.errors import FormatError, InputError
from retime.media.timelines.blocks import Block, EventText
from retime.media.timelines.carrying import Carrier
from retime.notes import Note, Remedy

# Columns by content, and whether they count frames.
_STARTS = {"time": False, "seconds": False, "start": False, "frame": True, "start_frame": True}
_ENDS = {"end": False, "end_time": False, "end_frame": True}
_LENGTHS = {"duration": False, "length": False, "duration_frames": True}
_NUMBER = re.compile(r"^-?\d{1,12}(?:\.\d{0,12})?$")


def parse_table(lines: list[str], path: Path, fps: float | None) -> EventText:
    """Parse a table with a row of names; the time column is named time, start or frame."""
    rows = _rows(lines, path)
    if not rows:
        raise FormatError("the table is empty", path=path)
    (number, first), *rest = rows
    mark = max(",;\t", key=lambda m: len(_cells(first, m)))
    names = [_plain(c).lower().replace(" ", "_") for c in _cells(first, mark)]
    columns = _Columns(names, path, number, fps)
    blocks: list[Block] = []
    gap = ""
    for number, row in rest:
        if not row.strip():
            gap += row
            continue
        blocks.append(_block(row, mark, columns, path, number, gap))
        gap = ""
    if not blocks:
        raise FormatError("there is no event in the table", path=path)
    return EventText(first, tuple(blocks), gap)


class _Columns:
    """The columns with the times of an event."""

    def __init__(self, names: list[str], path: Path, line: int, fps: float | None) -> None:
        self.count = len(names)
        self.fps = fps
        self.start = self._find(names, _STARTS)
        self.end = self._find(names, _ENDS)
        self.length = self._find(names, _LENGTHS)
        if self.start is None:
            known = ", ".join(_STARTS)
            raise FormatError(f"no column of the table is named {known}", path=path, line=line)
        if fps is None and any(c is not None and c[1] for c in (self.start, self.end, self.length)):
            raise InputError(
                Note(
                    f"{path} counts frames",
                    Remedy("give their rate", parameter="fps"),
                    code="no-frame-rate",
                )
            )

    @staticmethod
    def _find(names: list[str], known: dict[str, bool]) -> tuple[int, bool] | None:
        return next(((names.index(n), frames) for n, frames in known.items() if n in names), None)

    def scale(self, column: tuple[int, bool]) -> float:
        """Seconds of one unit of a column."""
        return 1 / self.fps if column[1] and self.fps else 1.0


def _rows(lines: list[str], path: Path) -> list[tuple[int, str]]:
    """Join lines inside quotes to rows; return each row with the number of its first line."""
    rows: list[tuple[int, str]] = []
    open_quote = False
    for n, line in enumerate(lines):
        if open_quote:
            rows[-1] = (rows[-1][0], rows[-1][1] + line)
        else:
            rows.append((n + 1, line))
        open_quote ^= line.count('"') % 2 == 1
    if open_quote:
        raise FormatError("a quote is not closed", path=path, line=rows[-1][0])
    return rows


def _cells(row: str, mark: str) -> list[str]:
    """Split a row at separators outside quotes; texts are unchanged."""
    pieces, cells = row.rstrip("\r\n").split(mark), []
    held = ""
    for piece in pieces:
        held = f"{held}{mark}{piece}" if held else piece
        if held.count('"') % 2 == 0:
            cells.append(held)
            held = ""
    return cells


def _plain(cell: str) -> str:
    return cell.strip().strip('"').strip()


def _number(cells: list[str], column: tuple[int, bool], path: Path, line: int) -> float:
    text = _plain(cells[column[0]])
    if not _NUMBER.match(text):
        what = "a frame" if column[1] else "a time in seconds"
        raise FormatError(f"{text[:40]!r} is not {what}", path=path, line=line)
    return float(text)


def _block(row: str, mark: str, columns: _Columns, path: Path, line: int, before: str) -> Block:
    cells = _cells(row, mark)
    if len(cells) < columns.count:
        raise FormatError(
            f"{len(cells)} cells where the first row has {columns.count}", path=path, line=line
        )
    assert columns.start is not None
    start = _number(cells, columns.start, path, line) * columns.scale(columns.start)
    end: float | None = None
    for column, origin in ((columns.end, 0.0), (columns.length, start)):
        if column is not None and end is None and _plain(cells[column[0]]):
            end = origin + _number(cells, column, path, line) * columns.scale(column)
    if end is not None and end < start:
        raise FormatError("the event ends before it begins", path=path, line=line)

    def put(out: list[str], column: tuple[int, bool] | None, time: float) -> None:
        if column is None or not _plain(out[column[0]]):
            return
        old = out[column[0]]
        text = _plain(old)
        digits = len(text.partition(".")[2])
        # Frame numbers stay integers; seconds get enough digits to identify a frame.
        digits = digits if column[1] else max(digits, 6)
        out[column[0]] = old.replace(text, f"{time / columns.scale(column):.{digits}f}", 1)

    def write(number: int, start: float, end: float, carrier: Carrier) -> str:
        out = list(cells)
        put(out, columns.start, start)
        put(out, columns.end, end)
        put(out, columns.length, end - start)
        return mark.join(out)

    return Block(before, start, end, row[len(row.rstrip("\r\n")) :], write)
