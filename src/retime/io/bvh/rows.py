"""The MOTION section of a BVH file: frame count, frame time and rows of numbers."""

from __future__ import annotations

import contextlib
import re
import warnings
from dataclasses import dataclass

import numpy as np

from retime import _native
from retime.arrays import FloatArray
from retime.errors import FormatError, FormatWarning
from retime.io.bvh.numbers import comma_hint, parse_decimal
from retime.io.gaps import IntArray, means_missing
from retime.notes import Note, Remedy

_FRAMES = re.compile(rb"\s*frames[ \t]*:?[ \t]*([^\s]*)", re.IGNORECASE)
_FRAME_TIME = re.compile(rb"\s*frame[ \t]*time[ \t]*:?[ \t]*([^\s]*)", re.IGNORECASE)

# Frame rates of cameras and programs, whole numbers before the broadcast fractions.
_RATES = np.array([
    *(8, 10, 12, 15, 16, 18, 20, 24, 25, 30, 36, 40, 48, 50, 60, 72, 75, 80, 90, 96, 100, 120, 125),
    *(144, 150, 160, 180, 200, 240, 250, 300, 360, 400, 480, 500, 600, 960, 1000),
    *(24000 / 1001, 30000 / 1001, 48000 / 1001, 60000 / 1001, 120000 / 1001),
])  # fmt: skip
_DIGITS = re.compile(r"[-+]?(\d*+)\.?(\d*+)(?:[eE]([-+]?\d++))?$")
# A longer frame time is not matched with the common rates.
_LONGEST = 60
_LEAST_FRAME_TIME = 1e-6
# A declared frame count that needs more memory than this and than the file is an error.
_MOST_DECLARED_BYTES = 1 << 30
# Headers are rarely longer.
_HEADER_BYTES = 4096


@dataclass(frozen=True, eq=False)
class Rows:
    """The numbers of a file, with their text."""

    values: FloatArray
    """Every row, including a rest frame; NaN where a value is missing. Shape (F, C)."""
    text: bytes
    """The rows as text of the file."""
    decimals: int
    """Most digits after a decimal point."""
    fps: float
    """Frames per second of the file; NaN if it has no usable frame time."""
    frame_time: str
    """The frame time as text of the file."""
    notes: tuple[Note, ...]
    """Contradictions in the file."""


@dataclass(frozen=True)
class _Header:
    """The lines between MOTION and the rows."""

    frames: int
    """The declared number of frames."""
    frame_time: str
    text: bytes
    line: int
    """The file's line on which the header begins."""

    @property
    def fps(self) -> float:
        """The nominal frame rate; NaN if the frame time does not give one."""
        seconds = parse_decimal(self.frame_time)
        if not _LEAST_FRAME_TIME <= seconds < 3600:
            return np.nan
        return nominal_rate(self.frame_time, seconds)

    def line_of(self, pattern: bytes) -> int:
        """Return the file's line on which a pattern is found."""
        found = re.search(pattern, self.text, re.IGNORECASE)
        return self.line + _line_ends(self.text[: found.start() if found else 0])

    @property
    def end_line(self) -> int:
        """The file's line on which the header ends."""
        return self.line + _line_ends(self.text)


def nominal_rate(text: str, seconds: float) -> float:
    """Return the frame rate that a frame time stands for: 120 for ``.0083333``, not 120.00048.

    A common rate is chosen if the text is its frame time, rounded to the digits given; at least
    three of them must be significant.

    >>> nominal_rate(".0083333", 0.0083333), nominal_rate("0.04", 0.04)
    (120.0, 25.0)
    """
    digits = _DIGITS.match(text[:_LONGEST])
    if digits is None or len(text) > _LONGEST:
        return 1 / seconds
    decimals = len(digits[2]) - int(digits[3] or 0)
    significant = len((digits[1] + digits[2]).lstrip("0"))
    off = np.abs(1 / _RATES - seconds)
    near = off < 1e-12
    if significant >= 3 and not near.any():
        near = off <= 0.5000001 * 10.0**-decimals
    return float(_RATES[near.argmax()]) if near.any() else 1 / seconds


def parse_rows(
    whole: bytes, columns: int, path: str, first_line: int, *, at: int = 0, fps: float | None = None
) -> Rows:
    """Parse the MOTION section from byte ``at``, behind the word MOTION on line ``first_line``.

    ``fps`` replaces the file's frame rate, which may then be missing.
    """
    header = _find_header(whole, at, path, first_line)
    body = whole[at + len(header.text) :]
    if fps is None and not np.isfinite(header.fps):
        raise _no_rate(header, path)
    if columns == 0:
        raise FormatError("no joint has a channel, so there is no motion", path=path)
    if header.frames * columns * 8 > max(_MOST_DECLARED_BYTES, 8 * len(body)):
        raise FormatError(
            f"declares {header.frames} frames of {columns} numbers, far more than the file "
            "contains",
            path=path,
            line=header.line_of(rb"frames"),
        )
    values, upto, decimals = _numbers(body, columns, header, path)
    _must_fill_rows(values, upto, columns, header, path)
    rows = values.reshape(-1, columns)
    notes = _count_notes(header.frames, len(rows), path)
    return Rows(rows, body, decimals, header.fps, header.frame_time, notes)


def _line_ends(text: bytes) -> int:
    return text.count(b"\n") + text.count(b"\r") - text.count(b"\r\n")


def _find_header(whole: bytes, at: int, path: str, line: int) -> _Header:
    """Parse the header at byte ``at``; copy the rows of a large file only if necessary."""
    start = whole[at : at + _HEADER_BYTES]
    with contextlib.suppress(FormatError):
        header = _parse_header(start, path, line)
        if len(header.text) < len(start):
            return header
    return _parse_header(whole[at:], path, line)


def _parse_header(text: bytes, path: str, line: int) -> _Header:
    """Parse frame count and frame time, in either order."""
    count: int | None = None
    time: str | None = None
    begin = 0
    for _ in range(2):
        if time is None and (match := _FRAME_TIME.match(text, begin)):
            time = match[1].decode("latin-1")
        elif count is None and (match := _FRAMES.match(text, begin)):
            count = _frame_count(match[1], path, line + _line_ends(text[: match.start(1)]))
        else:
            break
        begin = match.end()
    here = line + _line_ends(text[:begin])
    if count is None:
        raise FormatError('no "Frames:" after MOTION', path=path, line=here)
    if time is None:
        raise FormatError('no "Frame Time:" after the frame count', path=path, line=here)
    return _Header(count, time, text[:begin], line)


def _frame_count(word: bytes, path: str, line: int) -> int:
    if not word.isdigit():
        text = word.decode("latin-1")
        raise FormatError(f"the frame count is {text[:40]!r}, not a number", path=path, line=line)
    return int(word[:18])


def _no_rate(header: _Header, path: str) -> FormatError:
    return FormatError(
        Note(
            f"the frame time is {header.frame_time[:40]!r}",
            Remedy("give the frame rate", parameter="reading.fps"),
            code="no-frame-rate",
        ),
        path=path,
        line=header.line_of(rb"frame[ \t]*time"),
    )


def _count_notes(declared: int, found: int, path: str) -> tuple[Note, ...]:
    """Warn and return a note if the number of frames is not the declared one."""
    if found == declared:
        return ()
    note = Note(
        f"declares {declared} frames but contains {found}; these are read",
        code="frame-count-differs",
        declared=declared,
        frames=found,
    )
    warnings.warn(f"{path}: {note}", FormatWarning, stacklevel=3)
    return (note,)


def _numbers(
    body: bytes, columns: int, header: _Header, path: str
) -> tuple[FloatArray, IntArray, int]:
    """Return all numbers, the count of numbers up to each line's end, and the most decimals."""
    # Most files contain the declared frames, one per line.
    values, upto, slow, decimals = _native.bvh.parse_numbers(
        np.frombuffer(body, dtype=np.uint8), header.frames * columns, header.frames + 2
    )
    first_line = header.end_line
    for word, begin, end in slow.tolist():
        line = first_line + int(np.searchsorted(upto, word, side="right"))
        values[word] = _exact(body[begin:end].decode("latin-1"), path, line)
    return values, upto, decimals


def _exact(text: str, path: str, line: int) -> float:
    """Parse a number that the fast parser left; return NaN for a missing value."""
    if means_missing(text):
        return np.nan
    value = parse_decimal(text)
    if np.isfinite(value):
        return value
    hint = comma_hint(text)
    if not hint and ("inf" in text.lower() or "#" in text):
        hint = "; the program that wrote it failed there"
    raise FormatError(f"{text[:40]!r} is not a finite number{hint}", path=path, line=line)


def _must_fill_rows(
    values: FloatArray, upto: IntArray, columns: int, header: _Header, path: str
) -> None:
    """Reject numbers that do not fill rows; rows may be wrapped, but each starts a line."""
    ends = upto[np.diff(upto, prepend=0) > 0]  # of lines with numbers
    whole = np.arange(columns, len(values) + 1, columns)
    if len(values) == len(whole) * columns and np.array_equal(ends, whole):
        return  # one row per line, as in most files
    aligned = np.isin(whole, ends)
    if len(values) == len(whole) * columns and (len(ends) <= 1 or aligned.all()):
        if not len(ends) == header.frames != len(whole):
            return
        # As many lines as frames were declared, but fewer rows: those lines are short, not wrapped.
        aligned = np.r_[True, np.diff(np.searchsorted(ends, np.r_[0, whole])) == 1][: len(whole)]
        aligned[0] = ends[0] == columns
    row = int(np.r_[aligned, False].argmin())
    start = row * columns
    index = int(np.searchsorted(upto, start, side="right"))
    found = int(np.r_[upto, start][index]) - start
    cut_off = "; the file may be cut off" if start + found >= len(values) else ""
    raise FormatError(
        f"expected {columns} values in row {row + 1}, found {found}{cut_off}",
        path=path,
        line=header.end_line + index,
    )
