"""Files: read whole with a clear sentence, written beside and then replaced."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from retime.errors import FormatError, InputError

__all__ = ["read_bytes", "write_bytes"]

# Larger files are not read into memory.
MOST_BYTES = 4 << 30


def read_bytes(path: str | Path) -> bytes:
    """Read a whole file; a missing, unreadable or oversized one is a ``RetimeError``."""
    path = Path(path)
    try:
        if path.is_dir():
            raise InputError(f"{path} is a folder, not a file")
        size = path.stat().st_size
        if size > MOST_BYTES:
            raise FormatError(f"{size >> 30} GB are more than retime reads into memory", path=path)
        return path.read_bytes()
    except FileNotFoundError:
        raise InputError(f"no such file: {path}") from None
    except OSError as e:
        raise InputError(f"cannot read {path}: {e.strerror or e}") from None


def write_bytes(path: str | Path, chunks: Iterable[bytes]) -> None:
    """Write a file whole or not at all: beside its place first, then moved over it."""
    path = Path(path)
    if path.is_dir():
        raise InputError(f"{path} is a folder; give a file's name")
    if not path.parent.is_dir():
        raise InputError(f"the folder {path.parent} does not exist; make it first")
    beside: str | None = None
    try:
        # A link is written through, not replaced.
        target = path.resolve()
        handle, beside = tempfile.mkstemp(dir=target.parent, prefix=f".{path.name}.", suffix="~")
        with os.fdopen(handle, "wb") as f:
            f.writelines(chunks)
            f.flush()
            os.fsync(f.fileno())
        os.chmod(beside, target.stat().st_mode & 0o777 if target.exists() else _default_mode())
        os.replace(beside, target)
        beside = None
    except OSError as e:
        raise InputError(f"cannot write {path}: {e.strerror or e}") from None
    finally:
        if beside is not None:
            Path(beside).unlink(missing_ok=True)


def _default_mode() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
