"""Read a BVH file while it is being written: the head first, then rows as they arrive."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from retime.arrays import FloatArray
from retime.errors import FormatError, InputError
from retime.io.as_read import kept_of
from retime.io.bvh.reader import BvhFile, bvh_transforms
from retime.motion import Motion, trust
from retime.motion.skeleton import MOST_LENGTH

_MOST_HEAD = 8 << 20
_MOST_LINE = 1 << 20
_BLOCK = 1 << 16
_FRAMES = re.compile(rb"[ \t]*frames[ \t]*:", re.IGNORECASE)


class ComingBvh:
    """A BVH file of which only the beginning is available.

    Parameters
    ----------
    read : callable
        Returns up to the given number of bytes as soon as any are available, and none at the end.
    begun : bytes
        Bytes that were already read.
    name : str
        Name of the file in error messages.
    """

    def __init__(
        self, read: Callable[[int], bytes], begun: bytes = b"", name: str = "standard input"
    ) -> None:
        self._read, self._part, self._whole = read, b"", deque[bytes]()
        self._over = False
        self._name = name
        self._take(begun)
        self.first = self._beginning()
        """A complete file with only the first row."""

    def _beginning(self) -> bytes:
        """Read up to the first row, and return it as a file of one frame."""
        head = self._lines_until(lambda word: word == b"motion")
        header = self._lines_until(lambda word: word.startswith(b"frame time"))
        row = self._lines_until(bool)
        header = [b"Frames: 1" if _FRAMES.match(line) else line for line in header]
        return b"\n".join([*head, *header, *row, b""])

    def _lines_until(self, is_last: Callable[[bytes], bool]) -> list[bytes]:
        """Read lines up to one whose stripped, lower-case text passes a test."""
        lines: list[bytes] = []
        size = 0
        while (line := self._line()) is not None:
            lines.append(line)
            if is_last(line.strip().lower()):
                return lines
            size += len(line) + 1
            if size > _MOST_HEAD:
                raise FormatError("found no frame; this is not a BVH file", path=self._name)
        raise FormatError("ends before its first frame", path=self._name)

    def rows(self) -> Iterator[FloatArray | None]:
        """Yield rows of numbers as they arrive, and ``None`` for a line that is not a row.

        The last row may be cut off; :func:`posed` rejects it.
        """
        while (line := self._line()) is not None:
            if not line.strip():
                continue
            try:
                row = np.array([float(word) for word in line.split()])
            except ValueError:
                yield None
            else:
                yield row if np.isfinite(row).all() else None

    def _line(self) -> bytes | None:
        while not self._whole:
            if self._over:
                return None
            data = self._read(_BLOCK)
            if data:
                self._take(data)
            else:
                self._over = True
                self._whole.append(self._part)
        return self._whole.popleft()

    def _take(self, data: bytes) -> None:
        *whole, self._part = (self._part + data).replace(b"\r", b"\n").split(b"\n")
        self._whole.extend(whole)
        if len(self._part) > _MOST_LINE:
            raise FormatError("a line is too long; this is not a BVH file", path=self._name)


def posed(first: Motion, row: FloatArray) -> Motion:
    """Return a motion of one frame: a row of the BVH file from which ``first`` was read.

    A row with another number of values, or with positions that are too large, is an
    ``InputError``.
    """
    kept = kept_of(first, BvhFile)
    if kept is None:
        raise InputError("the motion was not read from BVH, so a BVH row cannot pose it")
    columns = kept.hierarchy.columns
    if row.shape != (columns,):
        raise InputError(f"expected {columns} values in a row, found {len(row)}")
    rotations, translations = bvh_transforms(kept.hierarchy, row[None], first.skeleton)
    if any((np.abs(track) > MOST_LENGTH).any() for track in translations.values()):
        raise InputError("positions are too large to be lengths")
    return replace(
        first, rotations=trust(rotations), translations=translations, origin=None, notes=()
    )
