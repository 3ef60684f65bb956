"""Files of a clip: the named file, and the files that are needed to read it."""

from __future__ import annotations

import hashlib
from pathlib import Path

from retime.io import format_of
from retime.io.files import read_bytes


def file_sha256(path: Path) -> str:
    """Hash a file's bytes; an unreadable one raises an ``InputError``."""
    return hashlib.sha256(read_bytes(path)).hexdigest()


def clip_sha256(path: Path) -> str:
    """Hash the contents of a clip; an unreadable one raises an ``InputError``."""
    own = hashlib.sha256(read_bytes(path))
    for beside in format_of(path).companions(path):
        own.update(hashlib.sha256(read_bytes(beside)).digest())
    return own.hexdigest()


def clip_stamp(path: Path) -> tuple[int, int]:
    """Return the total size and the sum of the modification times of a clip's files."""
    found = [p.stat() for p in (path, *format_of(path).companions(path))]
    # SQLite stores signed 64-bit integers.
    return sum(s.st_size for s in found), sum(s.st_mtime_ns for s in found) % (1 << 63)
