"""Scenes of many takes: words with ``*`` name the files of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from retime.errors import InputError

Words = tuple[list[str], list[str]]


def scenes(members: Sequence[str], followers: Sequence[str]) -> dict[str, Words]:
    """Return the words of the members and followers of each scene, by what ``*`` stands for.

    ``takes/ann_*.bvh=out/ann_*.bvh`` is a member ``ann`` of each scene. A scene has a file of one
    member at least: what lacks is found missing when the scene is read.
    """
    named = [_named(text) for text in members]
    names = sorted({name for text in members for name in _takes(text)})
    if not names:
        raise InputError(f"no file is named like {_file(members[0])}")
    return {
        name: ([t.replace("*", name) for t in named], [t.replace("*", name) for t in followers])
        for name in names
    }


def _file(text: str) -> Path:
    """Return the file of ``NAME:FILE=OUT``."""
    source = text.partition("=")[0]
    head, mark, rest = source.partition(":")
    return Path(rest if mark and len(head) > 1 else source)  # one letter is a Windows drive


def _named(text: str) -> str:
    """Return a word with the name of its member, which all scenes share."""
    source, _, target = text.partition("=")
    file = _file(text)
    if "*" not in target or str(file).count("*") != 1 or "*" not in file.name:
        raise InputError(
            f"{text!r}: with takes, the name of each FILE has one * and its OUT too, such as "
            "takes/ann_*.bvh=out/ann_*.bvh"
        )
    if source != str(file) and source.partition(":")[2] == str(file):
        return text
    name = file.stem.replace("*", "").strip(" ._-")
    if not name:
        raise InputError(f"{text!r} has no name but *; write NAME:FILE=OUT")
    return f"{name}:{text}"


def _takes(text: str) -> Iterator[str]:
    """Yield what ``*`` stands for in the files of a word's folder."""
    file = _file(text)
    before, _, after = file.name.partition("*")
    for path in file.parent.glob(file.name) if file.parent.is_dir() else ():
        yield path.name[len(before) : len(path.name) - len(after)]
