"""Skeletons in files of their own, which stand beside their motions."""

from __future__ import annotations

from pathlib import Path

from retime.errors import InputError
from retime.notes import Note, Remedy


def find_beside(path: Path, suffix: str) -> Path | None:
    """Find the skeleton of a motion: with its name, its name up to a ``_``, or the only one."""
    beside = _all_beside(path, suffix)
    by_stem = {p.stem.casefold(): p for p in beside}
    stem = path.stem.casefold()
    while stem:
        if stem in by_stem:
            return by_stem[stem]
        stem = stem.rpartition("_")[0]
    return beside[0] if len(beside) == 1 else None


def must_find_beside(path: Path, suffix: str) -> Path:
    """Find a skeleton without which a motion cannot be read."""
    found = find_beside(path, suffix)
    if found is not None:
        return found
    count = len(_all_beside(path, suffix))
    why = f"there are {count} {suffix} files" if count else f"there is no {suffix} file"
    raise InputError(
        Note(
            f"{path} needs its skeleton, and {why} beside it",
            Remedy("name it", parameter="reading.skeleton", value=f"FILE{suffix}"),
            code="no-skeleton",
        )
    )


def _all_beside(path: Path, suffix: str) -> list[Path]:
    if not path.parent.is_dir():
        raise InputError(f"no such folder: {path.parent}")
    return sorted(p for p in path.parent.iterdir() if p.suffix.lower() == suffix and p.is_file())


def skeleton_note(name: str) -> Note:
    """Return a note on the file that a skeleton comes from."""
    return Note(f"its skeleton is {name}", code="skeleton-found", skeleton=name)
