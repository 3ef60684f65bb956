"""The MOTION part of a BVH file: frame count, frame time and rows of numbers."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass

import numpy as np

from retime.arrays import FloatArray
from retime.errors import FormatError, FormatWarning
from retime.io.gaps import means_missing
from retime.notes import Note, Remedy

_FRAMES = re.compile(rb"\s*frames[ \t]*:?[ \t]*([^\s]*)", re.IGNORECASE)
_FRAME_TIME = re.compile(rb"\s*frame[ \t]*time[ \t]*:?[ \t]*([^\s]*)", re.IGNORECASE)

# Rates that cameras and programs use, whole ones before the broadcast fractions.
_RATES = (
    *(8, 10, 12, 15, 16, 18, 20, 24, 25, 30, 36, 40, 48, 50, 60, 72, 75, 80, 90, 96, 100, 120, 125),
    *(144, 150, 160, 180, 200, 240, 250, 300, 360, 400, 480, 500, 600, 960, 1000),
    *(24000 / 1001, 30000 / 1001, 48000 / 1001, 60000 / 1001, 120000 / 1001),
)
_FRAME_TIME_ANYWHERE = re.compile(rb"frame[ \t]*time", re.IGNORECASE)
_DIGITS = re.compile(r"[-+]?(\d*+)\.?(\d*+)(?:[eE]([-+]?\d++))?$")
# A frame time with more digits is taken as it is.
_LONGEST = 60
_LEAST_FRAME_TIME = 1e-6
# A declared count that would need more than this, and is not there, is not believed.
_MOST_DECLARED_BYTES = 1 << 30


# The header of the rows is rarely longer.
_HEADER_BYTES = 4096


@dataclass(frozen=True, eq=False)
class Rows:
    """The numbers of a file, and their text."""

    values: FloatArray
    """Every row, a rest frame included; NaN where a value is missing. Shape (F, C)."""
    text: bytes
    """The rows as the file had them."""
    decimals: int
    """Most digits behind a point."""
    fps: float
    """Frames per second as the file has it; NaN if it has none."""
    frame_time: str
    """The frame time as the file had it."""
    notes: tuple[Note, ...]
    """What contradicted itself."""


def nominal_rate(text: str, seconds: float) -> float:
    """Return the rate that a frame time stands for: 120 for ``.0083333``, not 120.00048.

    A rate in use is taken where the frame time is that rate's, rounded to the digits given; at
    least three of them must be significant.

    >>> nominal_rate(".0083333", 0.0083333), nominal_rate("0.04", 0.04)
    (120.0, 25.0)
    """
    digits = _DIGITS.match(text[:_LONGEST])
    if digits is None or len(text) > _LONGEST:
        return 1 / seconds
    decimals = len(digits[2]) - int(digits[3] or 0)
    significant = len((digits[1] + digits[2]).lstrip("0"))
    for rate in _RATES:
        if abs(1 / rate - seconds) < 1e-12:
            return float(rate)
    if significant >= 3:
        for rate in _RATES:
            if abs(1 / rate - seconds) <= 0.5000001 * 10.0**-decimals:
                return float(rate)
    return 1 / seconds


def parse_rows(
    whole: bytes, columns: int, path: str, first_line: int, *, at: int = 0, fps: float | None = None
) -> Rows:
    """Parse what follows the word MOTION, from a byte on; ``first_line`` is its line."""
    # The start is looked at alone, where it holds the header: large files are copied once.
    text = whole[at : at + _HEADER_BYTES]
    try:
        declared, rate, frame_time, begin = _header(text, path, first_line)
        ends = begin < len(text)
    except FormatError:
        ends = False
    if not ends:
        text = whole[at:]
        declared, rate, frame_time, begin = _header(text, path, first_line)
    if fps is None and not np.isfinite(rate):
        where = _FRAME_TIME_ANYWHERE.search(text)
        raise FormatError(
            Note(
                f"the frame time is {frame_time[:40]!r}",
                Remedy("give the frame rate", parameter="reading.fps"),
                code="no-frame-rate",
            ),
            path=path,
            line=first_line + _line_ends(text[: where.start() if where else 0]),
        )
    header_line, header = first_line, text[:begin]
    first_line += _line_ends(text[:begin])
    body = whole[at + begin :]
    if columns == 0:
        raise FormatError("no joint has a channel, so there is no motion", path=path)
    if declared * columns * 8 > max(_MOST_DECLARED_BYTES, 8 * len(body)):
        raise FormatError(
            f"declares {declared} frames of {columns} numbers, far more than the file contains",
            path=path,
            line=header_line + _line_ends(header[: header.lower().find(b"frames")]),
        )
    expected = (declared * columns, declared)
    values, upto, decimals = _numbers(body, path, first_line, expected)
    _must_fill_rows(values, upto, columns, declared, path, first_line)
    rows = values.reshape(-1, columns)
    notes = []
    if len(rows) != declared:
        notes.append(
            Note(
                f"declares {declared} frames but contains {len(rows)}; these are read",
                code="frame-count-differs",
                declared=declared,
                frames=len(rows),
            )
        )
        warnings.warn(f"{path}: {notes[0]}", FormatWarning, stacklevel=2)
    return Rows(rows, body, decimals, rate, frame_time, tuple(notes))


def _line_ends(text: bytes) -> int:
    return text.count(b"\n") + text.count(b"\r") - text.count(b"\r\n")


def _header(text: bytes, path: str, line: int) -> tuple[int, float, str, int]:
    """Parse frame count and frame time, in either order: count, rate, text, where rows begin.

    The rate is NaN where the frame time makes none.
    """
    count, time, begin = None, None, 0
    rate = np.nan
    for _ in range(2):
        if time is None and (match := _FRAME_TIME.match(text, begin)):
            time = match[1].decode("latin-1")
            rate = _rate(time)
        elif count is None and (match := _FRAMES.match(text, begin)):
            here = line + _line_ends(text[: match.start(1)])
            word = match[1].decode("latin-1")
            if not (word.isascii() and word.isdecimal()):
                message = f"the frame count is {word[:40]!r}, not a number"
                raise FormatError(message, path=path, line=here)
            count = int(word[:18])
        else:
            break
        begin = match.end()
    here = line + _line_ends(text[:begin])
    if count is None:
        raise FormatError('no "Frames:" after MOTION', path=path, line=here)
    if time is None:
        raise FormatError('no "Frame Time:" after the frame count', path=path, line=here)
    return count, rate, time, begin


def _rate(word: str) -> float:
    try:
        seconds = float(word) if "_" not in word else np.nan
    except ValueError:
        return np.nan
    return nominal_rate(word, seconds) if _LEAST_FRAME_TIME <= seconds < 3600 else np.nan


def _numbers(
    body: bytes, path: str, first_line: int, expected: tuple[int, int]
) -> tuple[FloatArray, np.ndarray[tuple[int], np.dtype[np.int64]], int]:
    from retime.io.bvh.kernels import count_numbers, parse_numbers

    raw = np.frombuffer(body, dtype=np.uint8)
    # Most files hold what they declare, a row a line: others are counted first.
    enough, values, upto, slow, decimals = parse_numbers(raw, expected[0] + 1, expected[1] + 3, 64)
    if not enough:
        words, lines = count_numbers(raw)
        _, values, upto, slow, decimals = parse_numbers(raw, words, lines, words + 1)
    for word, begin, end in slow.tolist():
        values[word] = _exact(body[begin:end], path, first_line, upto, word)
    return values, upto, int(decimals)


def _exact(
    raw: bytes,
    path: str,
    first_line: int,
    upto: np.ndarray[tuple[int], np.dtype[np.int64]],
    word: int,
) -> float:
    """Parse a number that the fast path left, NaN for a missing one; or say why it is none."""
    text = raw.decode("latin-1")
    if means_missing(text):
        return float("nan")
    try:
        value = float(text) if "_" not in text else float("nan")
    except ValueError:
        value = float("nan")
    if np.isfinite(value):
        return value
    line = first_line + int(np.searchsorted(upto, word, side="right"))
    hint = ""
    if "," in text:
        hint = "; decimals need a point, not a comma"
    elif "inf" in text.lower() or "#" in text:
        hint = "; the program that wrote it failed there"
    raise FormatError(f"{text[:40]!r} is not a finite number{hint}", path=path, line=line)


def _must_fill_rows(
    values: FloatArray,
    upto: np.ndarray[tuple[int], np.dtype[np.int64]],
    columns: int,
    declared: int,
    path: str,
    first_line: int,
) -> None:
    """Refuse numbers that do not fill rows; rows may be wrapped, but each starts a line."""
    rises = np.diff(upto, prepend=0) > 0
    ends = upto[rises]  # they never fall
    whole = np.arange(columns, len(values) + 1, columns)
    if len(values) % columns == 0 and np.array_equal(ends, whole):
        return  # a row a line
    aligned = np.isin(whole, ends)
    if len(values) % columns == 0 and (len(ends) <= 1 or aligned.all()):
        # As many lines as frames were declared, but fewer rows: those lines are short, not wrapped.
        if len(ends) != declared or len(whole) == declared:
            return
        aligned = np.r_[True, np.diff(np.searchsorted(ends, np.r_[0, whole])) == 1][: len(whole)]
        aligned[0] = ends[0] == columns
    row = int(aligned.argmin()) if not aligned.all() else len(whole)
    start = row * columns
    index = int(np.searchsorted(upto, start, side="right"))
    found = int(upto[index]) - start if index < len(upto) else 0
    raise FormatError(
        f"row {row + 1} has {found} of {columns} numbers", path=path, line=first_line + index
    )
