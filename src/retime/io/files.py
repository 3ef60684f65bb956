"""Read whole files with clear errors, and write files by renaming temporary ones."""

from __future__ import annotations

import os
import stat
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import BinaryIO

from retime.errors import FormatError, InputError, RetimeError
from retime.temporary import remove_left

# Larger files are not read into memory.
MOST_BYTES = 4 << 30
# Names of files that are being written.
_BEFORE, _AFTER = ".retime-", "~"
# On Windows, how often and after how many seconds a file that is open elsewhere is tried again.
_TRIES, _BETWEEN = 20, 0.05


def status_of(path: str | Path) -> os.stat_result:
    """Return the size and the times of a file; an inaccessible one is an ``InputError``.

    So is an invalid name, which contains a NUL or half of a Unicode character.
    """
    path = Path(path)
    try:
        return path.stat()
    except FileNotFoundError:
        raise InputError(f"no such file: {path}") from None
    except (OSError, ValueError) as e:
        raise InputError(f"cannot read {_shown(path)}: {_reason(e)}") from None


def must_be_ordinary(path: Path) -> None:
    """Raise an ``InputError`` for a pipe or a device, which may block; no file at all is fine."""
    if path.exists() and not path.is_file():
        raise InputError(f"{path} is not an ordinary file")


def read_bytes(path: str | Path) -> bytes:
    """Read a whole file; a missing, unreadable or oversized one is a ``RetimeError``."""
    path = Path(path)
    about = status_of(path)
    size = about.st_size
    try:
        if stat.S_ISDIR(about.st_mode):
            raise InputError(f"{path} is a folder; give a file's name")
        if not stat.S_ISREG(about.st_mode):  # reading a pipe or a device may never end
            raise InputError(f"{path} is not an ordinary file")
        if size > MOST_BYTES:
            raise FormatError(f"{size >> 30} GB is more than retime reads into memory", path=path)
        return path.read_bytes()
    except FileNotFoundError:
        raise InputError(f"no such file: {path}") from None
    except RetimeError:
        raise
    except OSError as e:
        raise InputError(f"cannot read {_shown(path)}: {_reason(e)}") from None


def write_bytes(path: str | Path, chunks: Iterable[bytes], *, private: bool = False) -> None:
    """Write a file completely or not at all: to a temporary file next to it, which is then renamed.

    A new ``private`` file can be read by its owner only.
    """
    with written_beside(path, private=private) as beside, beside.open("wb") as f:
        f.writelines(chunks)


_passing: ContextVar[bool] = ContextVar("passing", default=False)


@contextmanager
def passed_on() -> Iterator[None]:
    """Write files that another process reads at once, without syncing them to disk."""
    token = _passing.set(True)
    try:
        yield
    finally:
        _passing.reset(token)


@contextmanager
def written_beside(path: str | Path, *, private: bool = False) -> Iterator[Path]:
    """Yield a temporary file next to a path; it replaces the path if no error occurs."""
    path = Path(path)
    beside: str | None = None
    writing = False
    try:
        _must_have_a_place(path)
        target = path.resolve()  # a link is written through, not replaced
        mode = 0o600 if private else _default_mode()
        if target.exists():
            mode = target.stat().st_mode & 0o777
        _tidy(target.parent)
        handle, beside = tempfile.mkstemp(dir=target.parent, prefix=_BEFORE, suffix=_AFTER)
        os.close(handle)
        writing = True
        yield Path(beside)
        writing = False
        if not _passing.get():
            with open(beside, "r+b") as f:
                os.fsync(f.fileno())
        os.chmod(beside, mode)
        _replace(beside, target)
        beside = None
    except RetimeError:
        raise
    except (OSError, ValueError, RuntimeError) as e:  # RuntimeError: circular links
        if writing and not isinstance(e, OSError):
            raise  # the error is in the code that writes, not in the target
        raise InputError(f"cannot write {_shown(path)}: {_reason(e)}") from None
    finally:
        if beside is not None:
            Path(beside).unlink(missing_ok=True)


def _must_have_a_place(path: Path) -> None:
    """Raise an error if no ordinary file can be written at a path."""
    if path.is_dir():
        raise InputError(f"{path} is a folder; give a file's name")
    if not path.parent.is_dir():
        raise InputError(f"the folder {path.parent} does not exist; make it first")
    if path.exists() and not path.is_file():
        raise InputError(f"{path} is not an ordinary file; give another name")


def _replace(beside: str, target: Path) -> None:
    """Move a file over another; on Windows, wait a moment for programs that have it open.

    Virus scanners and indexers open a file for some milliseconds after it was written.
    """
    for _ in range(_TRIES if sys.platform == "win32" else 0):
        try:
            os.replace(beside, target)
        except PermissionError:
            time.sleep(_BETWEEN)
        else:
            return
    os.replace(beside, target)


_tidied: set[Path] = set()


def _tidy(folder: Path) -> None:
    """Remove temporary files of killed runs, once per folder and run.

    A file that was changed within the hour may belong to another run that is still writing it.
    """
    if folder in _tidied:
        return
    _tidied.add(folder)
    remove_left(folder, f"{_BEFORE}*{_AFTER}")


def lock_file(file: BinaryIO, taken: str) -> None:
    """Keep other processes out until the file is closed; ``taken`` is said where one has it."""
    try:
        if sys.platform == "win32":
            import msvcrt

            file.seek(1 << 40)  # a byte beyond the text, so that it can still be read
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        raise InputError(taken) from None


def _shown(path: Path) -> str:
    text = str(path).replace("\0", "\\0")[:200]
    return text.encode("utf-8", "backslashreplace").decode()


def _reason(e: Exception) -> str:
    if isinstance(e, UnicodeEncodeError):
        return "no file can have this name"
    return (e.strerror if isinstance(e, OSError) else None) or str(e)


def _default_mode() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
