"""Temporary files: named after their process, so that the next run removes what a kill left."""

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
# Nothing younger is removed: another machine or container may be writing it.
_SECONDS = 3600.0


def temporary_folder() -> tempfile.TemporaryDirectory[str]:
    """Return a private folder that is removed with its context, or by the next run after a kill."""
    tidy()
    return tempfile.TemporaryDirectory(prefix=f"{_NAME}{os.getpid()}-", ignore_cleanup_errors=True)


def temporary_file(suffix: str) -> tuple[int, str]:
    """Return the handle and the path of a private file, as ``tempfile.mkstemp`` does."""
    tidy()
    return tempfile.mkstemp(prefix=f"{_NAME}{os.getpid()}-", suffix=suffix)


@functools.cache
def tidy() -> None:
    """Remove temporary files of processes that have ended; once a process."""
    remove_left(Path(tempfile.gettempdir()), f"{_NAME}*", by_process=True)


def remove_left(
    folder: Path, pattern: str, *, by_process: bool = False, seconds: float = _SECONDS
) -> None:
    """Remove own files and folders of a pattern that nobody has changed for some time.

    With ``by_process`` their names hold the number of a process, which must have ended.
    """
    with contextlib.suppress(OSError):
        for path in list(folder.glob(pattern)):
            with contextlib.suppress(OSError):
                found = path.lstat()
                own = not hasattr(os, "getuid") or found.st_uid == os.getuid()
                if not own or time.time() - found.st_mtime < seconds:
                    continue
                if by_process and _runs(path.name):
                    continue
                if path.is_dir() and not path.is_symlink():
                    shutil.rmtree(path, ignore_errors=True)
                else:
                    path.unlink()


def _runs(name: str) -> bool:
    """Return whether the process in a file's name still runs, as far as this system tells."""
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
