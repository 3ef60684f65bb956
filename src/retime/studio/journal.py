"""The journal: every committed edit as a line, written to disk before it is confirmed.

The first line holds the project that the journal starts from (as long as nothing was done, another
such line may follow and take its place); each further one a command, an undo
or a redo, and the hash of the project after it. Replaying them gives the project with its history.
A line that a crash cut short was never reported as done, and is dropped.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, BinaryIO

from retime.bounded_json import parse
from retime.errors import FormatError, InputError
from retime.io.files import lock_file, must_be_ordinary

_MOST_BYTES = 512 << 20


class Journal:
    """An append-only file of JSON lines, held by one process at a time.

    Its folder must exist.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.damaged: int | None = None
        must_be_ordinary(path)
        try:
            path.touch(mode=0o600)
            self._file: BinaryIO = path.open("r+b", buffering=0)
        except OSError as e:
            raise InputError(f"cannot open {path}: {e.strerror}") from None
        taken = f"{path.parent} is open in another studio; use that one, or close it first"
        lock_file(self._file, taken)

    def read(self) -> list[dict[str, Any]]:
        """Return the valid lines before the first invalid one, whose number is ``damaged``.

        A last one that a crash cut short is cut off.
        """
        size = self._file.seek(0, os.SEEK_END)
        if size > _MOST_BYTES:
            raise InputError(f"{self.path} has grown to {size >> 20} MB; move it away to continue")
        data = self._all()
        whole = data[: data.rfind(b"\n") + 1]
        lines: list[dict[str, Any]] = []
        for number, raw in enumerate(whole.splitlines(), 1):
            try:
                line = parse(raw)
            except FormatError:
                line = None
            if not isinstance(line, dict):
                self.damaged = number
                return lines
            lines.append(line)
        self._file.truncate(len(whole))
        return lines

    def append(self, *lines: dict[str, Any]) -> None:
        """Add lines; they are on disk when this returns."""
        texts = [json.dumps(line, separators=(",", ":"), allow_nan=False) for line in lines]
        data = "".join(f"{text}\n" for text in texts).encode()
        place = self._file.seek(0, os.SEEK_END)
        try:
            if not os.fstat(self._file.fileno()).st_nlink:
                raise OSError(2, "the project's folder is gone")
            while data:
                data = data[self._file.write(data) :]
            os.fsync(self._file.fileno())
        except OSError as e:  # a full disk: no half line may stay before the next one
            self._file.truncate(place)
            raise InputError(
                f"cannot write {self.path}: {e.strerror}; nothing was changed"
            ) from None

    def restart(self, *lines: dict[str, Any]) -> None:
        """Start a new journal with other lines; the old one is kept under another name."""
        if self._file.seek(0, os.SEEK_END):
            kept = free_name(self.path)
            kept.touch(mode=0o600)
            kept.write_bytes(self._all())
            self._file.truncate(0)
        self.append(*lines)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _all(self) -> bytes:
        self._file.seek(0)
        return self._file.read()


def free_name(path: Path) -> Path:
    """Return a free name next to a file to keep it under: ``journal-1.jsonl``."""
    number = 1
    while (kept := path.with_stem(f"{path.stem}-{number}")).exists():
        number += 1
    return kept
