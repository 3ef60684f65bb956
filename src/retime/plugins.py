"""Find what other packages add, by their entry points."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


def added(group: str) -> dict[str, list[EntryPoint]]:
    """Return the entry points of a group by name; two packages may have chosen the same."""
    out: dict[str, list[EntryPoint]] = {}
    # Reading all packages' metadata takes as long as the rest of `retime --help`.
    if any(f"[{group}]".encode() in text for text in _texts()):
        from importlib.metadata import entry_points

        for entry in entry_points(group=group):
            out.setdefault(entry.name, []).append(entry)
    return out


def package_of(entry: EntryPoint) -> str:
    """Return the name of the package that an entry point belongs to."""
    return entry.dist.name if entry.dist is not None else entry.value


def summary_of(entry: EntryPoint) -> str:
    """Return the line by which the package of an entry point describes itself."""
    return (entry.dist.metadata["Summary"] if entry.dist is not None else "") or "a method"


def _texts() -> Iterator[bytes]:
    """Return the files of entry points of all installed packages."""
    for folder in dict.fromkeys(sys.path):
        try:
            names = os.listdir(folder or ".")
        except OSError:
            continue
        for name in names:
            if name.endswith((".dist-info", ".egg-info")):
                with (
                    contextlib.suppress(OSError),
                    open(os.path.join(folder, name, "entry_points.txt"), "rb") as file,
                ):
                    yield file.read()
