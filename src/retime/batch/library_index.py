"""Reference folders, indexed once: motions that all workers map into memory.

An index is a folder named after the hash of what it indexes. Each motion in it is a folder of its
own: ``about.json`` and an ``.npy`` for each array. It is made beside its place and then moved
there, so an index that is there is whole.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import io
import json
import os
import shutil
import tempfile
from pathlib import Path

import numpy as np

from retime.batch.clip_files import clip_sha256
from retime.batch.plan import clip_suffixes
from retime.errors import InputError, RetimeError
from retime.io import read
from retime.io.files import write_bytes
from retime.io.json_text import parse_json
from retime.io.npz import motion_from_parts, motion_parts
from retime.motion import Motion
from retime.temporary import remove_left

VERSION = 1


def _motion_files(folder: Path) -> list[Path]:
    suffixes = clip_suffixes()
    return sorted(p for p in folder.rglob("*") if p.suffix.lower() in suffixes and p.is_file())


def folder_digest(folder: Path) -> str:
    """Hash the names and contents of the motions in a folder."""
    whole = hashlib.sha256(f"{VERSION}".encode())
    for path in _motion_files(folder):
        own = clip_sha256(path)
        whole.update(f"\n{path.relative_to(folder).as_posix()}\0{own}".encode())
    return whole.hexdigest()


def index_folder(folder: Path, indices: Path, digest: str) -> Path:
    """Index the motions of a folder, unless an index exists; return the index.

    Unreadable files of the folder are left out. Indices are kept in the
    folder ``indices``; ``digest`` is from :func:`folder_digest`.
    """
    place = indices / digest
    if place.is_dir():
        return place
    indices.mkdir(parents=True, exist_ok=True)
    remove_left(indices, ".making-*")
    beside = Path(tempfile.mkdtemp(dir=indices, prefix=".making-"))
    try:
        count = 0
        for path in _motion_files(folder):
            try:
                motion = read(path)
            except RetimeError:
                continue  # a library may contain other files
            _store(motion, beside / f"{count:06d}")
            count += 1
        if not count:
            raise InputError(f"no readable motion in the folder {folder}")
        with contextlib.suppress(FileExistsError, OSError):
            os.replace(beside, place)  # another run may have finished first with the same index
        if not place.is_dir():
            raise InputError(f"cannot write the index {place}")
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return place


@functools.lru_cache(maxsize=4)
def open_index(index: str) -> tuple[Motion, ...]:
    """Map the motions of an index."""
    places = sorted(p for p in Path(index).iterdir() if p.is_dir())
    return tuple(_open(place) for place in places)


def _store(motion: Motion, place: Path) -> None:
    place.mkdir()
    about, arrays = motion_parts(motion)
    write_bytes(place / "about.json", [json.dumps(about).encode()])
    for name, array in arrays.items():
        buffer = io.BytesIO()
        np.save(buffer, np.ascontiguousarray(array), allow_pickle=False)
        write_bytes(place / f"{name}.npy", [buffer.getvalue()])


def _open(place: Path) -> Motion:
    arrays = {path.stem: np.load(path, mmap_mode="r") for path in place.glob("*.npy")}
    return motion_from_parts(parse_json(place / "about.json"), arrays)
