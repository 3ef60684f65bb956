"""Reference folders, indexed once: motions and features that all workers map into memory.

An index is a folder named after the hash of what it indexes. Each motion in it is a folder of its
own: ``about.json``, an ``.npy`` for each array, and the features that were requested so far. It is
made beside its place and then moved there, so an index that is there is whole.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from retime.arrays import FloatArray
from retime.batch.clip_files import clip_sha256
from retime.batch.plan import clip_suffixes
from retime.errors import InputError, RetimeError
from retime.io import read
from retime.io.files import write_bytes
from retime.methods.guided.features import KEPT_FEATURES
from retime.methods.guided.library import as_npy, open_motion, store_motion
from retime.motion import Motion
from retime.motion.memory import memory
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
            store_motion(motion, beside / f"{count:06d}")
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
    """Map the motions of an index; computed features are stored for all workers."""
    places = sorted(p for p in Path(index).iterdir() if p.is_dir())
    return tuple(_open(place) for place in places)


def _open(place: Path) -> Motion:
    motion = open_motion(place)
    memory(motion, KEPT_FEATURES)["keep"] = functools.partial(_features, place)
    return motion


def _features(place: Path, key: str, make: Callable[[], FloatArray]) -> FloatArray:
    """Map features if a worker has computed them; otherwise compute and store them."""
    path = place / f"features-{hashlib.sha256(key.encode()).hexdigest()[:32]}.npy"
    with contextlib.suppress(OSError, ValueError):
        mapped: FloatArray = np.load(path, mmap_mode="r")
        return mapped
    made = make()
    with contextlib.suppress(RetimeError):  # a full disk: computed again next time
        write_bytes(path, [as_npy(made)])
    return made
