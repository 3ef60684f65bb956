"""Links between files: paths as they are written into files."""

from __future__ import annotations

import os
from pathlib import Path


def path_from(place: str | Path, folder: str | Path) -> str:
    """Return the path of a file from a folder, with forward slashes.

    It is absolute where no relative one exists: on Windows, between two drives.
    """
    try:
        return Path(os.path.relpath(place, folder)).as_posix()
    except ValueError:
        return Path(place).absolute().as_posix()
