"""A BVH file that is still being written: its head first, then rows as they come."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from retime.arrays import FloatArray
from retime.errors import FormatError, InputError
from retime.io.bvh.reader import BvhFile, bvh_transforms
from retime.motion import Motion, trust
from retime.motion.skeleton import MOST_LENGTH

_MOST_HEAD = 8 << 20
_MOST_LINE = 1 << 20
_BLOCK = 1 << 16
_FRAMES = re.compile(rb"[ \t]*frames[ \t]*:", re.IGNORECASE)


class ComingBvh:
    """A BVH file of which only the beginning is there.

    Parameters
    ----------
    read : callable
        Returns up to the given number of bytes as soon as there are some, and none at the end.
    begun : bytes
        Bytes that were read before.
    name : str
        What it is called in error messages.
    """

    def __init__(
        self, read: Callable[[int], bytes], begun: bytes = b"", name: str = "standard input"
    ) -> None:
        self._read, self._part, self._whole = read, b"", deque[bytes]()
        self._over = False
        self._name = name
        self._take(begun)
        self.first = self._beginning()
        """A whole file, with the first row alone."""

    def _beginning(self) -> bytes:
        head: list[bytes] = []
        size, in_motion, is_told = 0, False, False
        while (line := self._line()) is not None:
            word = line.strip().lower()
            if is_told and word:
                return b"\n".join([*head, line, b""])
            in_motion = in_motion or word == b"motion"
            is_told = is_told or (in_motion and word.startswith(b"frame time"))
            head.append(b"Frames: 1" if in_motion and _FRAMES.match(line) else line)
            size += len(line) + 1
            if size > _MOST_HEAD:
                raise FormatError("no frame comes: this is no BVH file", path=self._name)
        raise FormatError("ends before its first frame", path=self._name)

    def rows(self) -> Iterator[FloatArray | None]:
        """Yield rows of numbers as they come; of a line that is none, ``None``.

        A last line without its end is left out where it is cut off: see :func:`posed`.
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
            raise FormatError("a line is too long: this is no BVH file", path=self._name)


def posed(first: Motion, row: FloatArray) -> Motion:
    """Return one frame of a figure that was read from BVH: a row of its file.

    A row with another number of values, or with positions that are too large, is an
    ``InputError``.
    """
    kept = None if first.origin is None else first.origin.kept
    if not isinstance(kept, BvhFile):
        raise InputError("the figure was not read from BVH, so rows of BVH do not pose it")
    columns = kept.hierarchy.columns
    if row.shape != (columns,):
        raise InputError(f"expected {columns} values in a row, found {len(row)}")
    rotations, translations = bvh_transforms(kept.hierarchy, row[None], first.skeleton)
    if any((np.abs(track) > MOST_LENGTH).any() for track in translations.values()):
        raise InputError("positions are too large to be lengths")
    return replace(
        first, rotations=trust(rotations), translations=translations, origin=None, notes=()
    )
