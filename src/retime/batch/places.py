"""Folders of a batch's results: staged until they are sorted, then accepted or rejected."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import shutil
from pathlib import Path, PurePosixPath
from typing import Literal

from retime.batch.manifest import Row
from retime.errors import InputError
from retime.io import format_of

PLACES: tuple[Literal["accepted"], Literal["rejected"]] = ("accepted", "rejected")
# Maximum bytes of a file name, and of a result's stem, to which a key is appended until results are
# sorted.
_LONGEST_NAME, _LONGEST_STEM = 255, 200


class Places:
    """The folders of a batch.

    Parameters
    ----------
    out : Path
        The batch's folder.
    part : str
        Name of this part of the batch, for the folder of its work.
    """

    def __init__(self, out: Path, part: str) -> None:
        self.out, self.work = out, out / f".work{part}"

    def make(self) -> None:
        """Make the folders of results."""
        for place in PLACES:
            (self.out / place).mkdir(parents=True, exist_ok=True)

    def end(self) -> None:
        """Remove the folder of work."""
        shutil.rmtree(self.work, ignore_errors=True)

    def staged(self, row: Row) -> Path:
        """Return the path of a result until it is sorted; its depth keeps relative links valid.

        The name contains a hash of the inputs, so that a worker left by a killed run cannot
        overwrite the result of another recipe.
        """
        path = self.work / row.name
        key = f"{row.clip_sha256[:8]}-{row.recipe_sha256[:8]}"
        stem = path.stem
        if len(stem.encode()) > _LONGEST_STEM:
            stem = hashlib.sha256(stem.encode()).hexdigest()[:16]
        return path.with_name(f"{stem}.{key}{path.suffix}")

    def placed(self, row: Row) -> bool:
        """Move a result to the folder of its verdict; return false if it is not complete."""
        place = self.out / row.verdict / row.name
        other = self.out / PLACES[row.verdict == "accepted"] / row.name
        # Results that a killed run had not sorted yet come first: their names contain their keys.
        for path in (self.staged(row), place, other):
            with contextlib.suppress(FileNotFoundError, NotADirectoryError):
                if path.stat().st_size == row.size:
                    if path != place:
                        _move(path, place)
                    _remove(other)
                    return True
        return False

    def settle(self, row: Row) -> None:
        """Move a new result to its folder; remove older files of it."""
        stale = [self.out / place / row.name for place in PLACES]
        if row.state == "done":
            place = self.out / row.verdict / row.name
            _move(self.staged(row), place)
            stale.remove(place)
        for path in stale:  # results of another recipe or gate
            _remove(path)


def must_fit(name: str) -> None:
    """Reject a result whose name is not a valid file name."""
    long = max(PurePosixPath(name).parts, key=lambda part: len(part.encode()))
    if len(long.encode()) > _LONGEST_NAME:
        raise InputError(
            f"the result's name {long[:40]}... is too long for a file; rename the clip"
        )


def _files(path: Path) -> list[Path]:
    """Return a result's files: a separate skeleton first, then the motion."""
    form = format_of(path)
    apart = form.suffixes[1:] if form.skeleton_apart else ()
    return [*(path.with_suffix(s) for s in apart), path]


def _move(path: Path, place: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    for source, target in zip(_files(path), _files(place), strict=True):
        if source == path or source.exists():
            os.replace(source, target)


def _remove(path: Path) -> None:
    for file in _files(path):
        try:
            file.unlink(missing_ok=True)
        except OSError as e:
            if e.errno != errno.ENAMETOOLONG:  # such a file was never written
                raise
