"""Temporary files, named after their process so that the next run can remove leftovers."""

from __future__ import annotations

import contextlib
import functools
import os
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

_NAME = "retime-"
# Newer files are kept, because another machine or container may be writing them.
_SECONDS = 3600.0


def temporary_folder() -> tempfile.TemporaryDirectory[str]:
    """Return a private folder that is removed on exit, or by the next run if this one is killed."""
    tidy()
    return tempfile.TemporaryDirectory(prefix=f"{_NAME}{os.getpid()}-", ignore_cleanup_errors=True)


def temporary_file(suffix: str) -> tuple[int, str]:
    """Return the handle and the path of a private file, as ``tempfile.mkstemp`` does."""
    tidy()
    return tempfile.mkstemp(prefix=f"{_NAME}{os.getpid()}-", suffix=suffix)


@functools.cache
def tidy() -> None:
    """Remove temporary files of processes that have ended; run once per process."""
    remove_left(Path(tempfile.gettempdir()), f"{_NAME}*", by_process=True)


def remove_left(
    folder: Path, pattern: str, *, by_process: bool = False, seconds: float = _SECONDS
) -> None:
    """Remove the user's files and folders of a pattern that have not changed for some time.

    With ``by_process`` their names contain the number of a process, which must have ended.
    """
    with contextlib.suppress(OSError):
        for path in list(folder.glob(pattern)):
            with contextlib.suppress(OSError):
                if _is_left(path, seconds) and not (by_process and _runs(path.name)):
                    _remove(path)


def _is_left(path: Path, seconds: float) -> bool:
    """Return whether a path belongs to the user and has not changed for some time."""
    found = path.lstat()
    own = not hasattr(os, "getuid") or found.st_uid == os.getuid()
    return own and time.time() - found.st_mtime >= seconds


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink()


def _runs(name: str) -> bool:
    """Return whether the process in a file's name still runs, or may run."""
    number: Any = name.removeprefix(_NAME).partition("-")[0]
    if not number.isdecimal() or os.name == "nt":
        return True
    try:
        os.kill(int(number[:9]), 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
