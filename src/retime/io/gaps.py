"""Gaps: missing values of a file (NaN), interpolated from neighbouring frames, with a note."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.errors import FormatError
from retime.motion import quat
from retime.notes import Note

# At most this many gaps, and joints of each, are named.
_LISTED = 3
_MOST = 1e9
_WORDS = ("nan", "nan(ind)", "nan(snan)", "1.#nan", "1.#ind", "1.#qnan", "1.#snan")

BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int64]


def means_missing(word: str) -> bool:
    """Return whether a word means a missing number, as programs write it."""
    bare = word.strip().lower().lstrip("+-")
    return bare in _WORDS or ("#" in bare and bare.rstrip("0") in _WORDS)


def are_usable(values: FloatArray, *, may_miss: bool) -> bool:
    """Return whether numbers are finite and not too large; they may be NaN if they ``may_miss``."""
    bad = ~(np.abs(values) <= _MOST)
    return not bad.any() or (may_miss and bool(np.isnan(values[bad]).all()))


class Gaps:
    """The missing values of a file: each track is interpolated, and one note lists all gaps."""

    def __init__(self, path: str | Path) -> None:
        self._path = path
        self._missing: dict[str, BoolArray] = {}

    def __bool__(self) -> bool:
        return bool(self._missing)

    def places(self, name: str, values: FloatArray) -> FloatArray:
        """Interpolate a track of numbers (F, K) linearly."""
        missing = self._found(name, values)
        if missing is None:
            return values
        before, after, share = _beside(missing)
        out = values.copy()
        out[missing] = values[before] + share[:, None] * (values[after] - values[before])
        return out

    def turns(self, name: str, values: FloatArray) -> FloatArray:
        """Interpolate a track of rotations (F, 4) along the shorter arc."""
        missing = self._found(name, values)
        if missing is None:
            return values
        before, after, share = _beside(missing)
        out = values.copy()
        out[missing] = quat.slerp(
            quat.normalize(values[before]), quat.normalize(values[after]), share
        )
        return out

    def angles(self, name: str, values: FloatArray, half: float) -> FloatArray:
        """Fill angles about one to three different axes (F, K); ``half`` a turn is their unit."""
        missing = self._found(name, values)
        if missing is None:
            return values
        before, after, share = _beside(missing)
        start, ends = values[before], [values[after]]
        if values.shape[1] == 3:  # the other Euler angles of the same rotation
            ends.append(values[after] * [1, -1, 1] + half)
        ends = [end + 2 * half * np.round((start - end) / (2 * half)) for end in ends]
        ways = np.array([np.abs(end - start).sum(axis=1) for end in ends])
        end = np.choose(ways.argmin(axis=0)[:, None], ends)
        out = values.copy()
        out[missing] = start + share[:, None] * (end - start)
        return out

    def _found(self, name: str, values: FloatArray) -> BoolArray | None:
        missing = np.asarray(np.isnan(values).any(axis=1))
        if not missing.any():
            return None
        if missing.all():
            raise FormatError(f"every value of {name!r} is missing (NaN)", path=self._path)
        known = self._missing.setdefault(name, np.zeros(len(missing), dtype=bool))
        known |= missing
        return missing

    def notes(self, aside: int = 0) -> list[Note]:
        """Return a note on missing values, in frames of the motion after the first ``aside``."""
        tracks = {n: m[aside:] for n, m in self._missing.items() if m[aside:].any()}
        if not tracks:
            return []
        any_missing = np.logical_or.reduce(list(tracks.values()))
        stretches = _stretches(any_missing)
        told = []
        for first, last in stretches[:_LISTED]:
            names = [n for n, m in tracks.items() if m[first : last + 1].any()]
            told.append(_told(first, last, names))
        rest = len(stretches) - _LISTED
        count = int(any_missing.sum())
        return [
            Note(
                f"values are missing (NaN) in {count} of {len(any_missing)} frames: "
                f"{', '.join(told)}{f' and {rest} more stretches' if rest > 0 else ''}; "
                "interpolated from the frames beside them, held at the ends",
                code="values-missing",
                frames=count,
                stretches=[list(s) for s in stretches[:20]],
                joints=list(tracks)[:20],
            )
        ]


def _beside(missing: BoolArray) -> tuple[IntArray, IntArray, FloatArray]:
    """Return the known frames before and after each missing one, and how far it is between."""
    at, known = np.flatnonzero(missing), np.flatnonzero(~missing)
    place = np.searchsorted(known, at)
    before = known[np.maximum(place - 1, 0)]
    after = known[np.minimum(place, len(known) - 1)]
    share: FloatArray = np.where(after > before, (at - before) / np.maximum(after - before, 1), 0.0)
    return before, after, share


def _stretches(missing: BoolArray) -> list[tuple[int, int]]:
    """Return the first and last frame of each stretch."""
    edges = np.flatnonzero(np.diff(np.r_[False, missing, False]))
    return [(int(a), int(b) - 1) for a, b in edges.reshape(-1, 2)]


def _told(first: int, last: int, names: list[str]) -> str:
    """Return a stretch of missing values as text."""
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    where = f"frames {first} to {last}" if last > first else f"frame {first}"
    return f"{where} ({', '.join(names[:_LISTED])}{more})"
