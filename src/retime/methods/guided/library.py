"""Folders of reference clips, read once and indexed as arrays.

The index is the folder ``.retime-index`` beside the clips. It contains every clip at the search
rate, in a folder named after the path, size and modification time of the file. For each character
it contains the joints of all clips on its bones, as one memory-mapped array. If the index cannot be
written, it is made again the next time.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import io
import itertools
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from retime.arrays import FloatArray
from retime.errors import InputError, RetimeError
from retime.io import FORMATS, read
from retime.io.files import write_bytes
from retime.io.json_text import parse_json
from retime.io.npz import motion_from_parts, motion_parts
from retime.motion import Motion
from retime.temporary import remove_left

INDEX = ".retime-index"
VERSION = 1
# Folders of fewer clips are not indexed.
_FEWEST = 8
_UNREADABLE = "unreadable"


def library_files(folder: Path) -> list[Path]:
    """Return the files of a folder that may contain motions."""
    suffixes = {s for f in FORMATS.values() if f.reads for s in f.suffixes}
    out = []
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name != INDEX]
        out += [Path(place, n) for n in names if os.path.splitext(n)[1].lower() in suffixes]
    return sorted(out)


def store_motion(motion: Motion, place: Path) -> None:
    """Write a motion as a folder: ``about.json`` and a file for each array."""
    place.mkdir()
    about, arrays = motion_parts(motion)
    write_bytes(place / "about.json", [json.dumps(about).encode()])
    for name, array in arrays.items():
        write_bytes(place / f"{name}.npy", [as_npy(array)])


def open_motion(place: Path) -> Motion:
    """Memory-map a motion that :func:`store_motion` wrote."""
    about = parse_json(place / "about.json")
    arrays = {
        path.stem: np.load(path, mmap_mode="r")
        for path in place.glob("*.npy")
        if not path.stem.startswith("features-")
    }
    return motion_from_parts(about, arrays)


def as_npy(array: Any) -> bytes:
    """Return an array as the bytes of an ``.npy`` file."""
    buffer = io.BytesIO()
    np.save(buffer, np.ascontiguousarray(array), allow_pickle=False)
    return buffer.getvalue()


class Library:
    """A folder of clips at one rate.

    Parameters
    ----------
    folder : Path
        The clips; files that cannot be read are left out.
    rate : float
        Frames per second.
    sampled : callable
        Samples a motion at a rate.
    """

    def __init__(
        self, folder: Path, rate: float, sampled: Callable[[Motion, float], Motion]
    ) -> None:
        self.folder, self.rate, self._sampled = folder, rate, sampled
        files = library_files(folder)
        if not files:
            raise InputError(f"no readable motion in the folder {folder}")
        self._keys = {path: self._key(path) for path in files}
        self.index = folder / INDEX if len(files) >= _FEWEST else None

    def _key(self, path: Path) -> str:
        found = path.stat()
        name = path.relative_to(self.folder).as_posix()
        told = f"{VERSION}\0{name}\0{found.st_size}\0{found.st_mtime_ns}\0{self.rate}"
        return hashlib.sha256(told.encode()).hexdigest()[:32]

    @property
    def digest(self) -> str:
        """Key of the library: paths, sizes and times of its files."""
        return hashlib.sha256("\0".join(self._keys.values()).encode()).hexdigest()[:32]

    def motions(self) -> list[Motion]:
        """Return the clips, from the index if possible."""
        found = [self._motion(path, key) for path, key in self._keys.items()]
        clips = [motion for motion in found if motion is not None]
        if not clips:
            raise InputError(f"no readable motion in the folder {self.folder}")
        self._forget()
        return clips

    def _motion(self, path: Path, key: str) -> Motion | None:
        place = None if self.index is None else self.index / key
        if place is not None and place.is_dir():
            if (place / _UNREADABLE).exists():
                return None
            with contextlib.suppress(OSError, ValueError, KeyError, RetimeError):
                return open_motion(place)
        try:
            motion = read(path)
            motion = self._sampled(motion, self.rate) if len(motion) > 1 else motion
        except RetimeError:
            motion = None  # a folder may contain other files
        if place is not None:
            _keep(place, functools.partial(_store, motion))
        return motion

    def _forget(self) -> None:
        """Remove the index of files that were changed or removed."""
        if self.index is not None and self.index.is_dir():
            for place in self.index.iterdir():
                known = place.name in self._keys.values()
                if place.is_dir() and len(place.name) == 32 and not known:
                    shutil.rmtree(place, ignore_errors=True)

    def kept(self, key: str, make: Callable[[], list[FloatArray]]) -> list[FloatArray]:
        """Return the arrays of a character, memory-mapped if they are in the index.

        The first is of any shape, the others are (F, J, 3).
        """
        if self.index is None:
            return make()
        name = hashlib.sha256(f"{self.digest}\0{key}".encode()).hexdigest()[:24]
        place = self.index / f"joints-{name}"
        if not place.is_dir():
            made = make()
            _keep(place, functools.partial(_store_arrays, made))
            if not place.is_dir():
                return made
        ends = np.load(place / "ends.npy")
        joined = np.asarray(np.load(place / "joined.npy", mmap_mode="r"))
        parts = [joined[a:b] for a, b in itertools.pairwise([0, *ends])]
        return [np.load(place / "first.npy"), *parts]


def _store(motion: Motion | None, place: Path) -> None:
    if motion is None:
        place.mkdir()
        (place / _UNREADABLE).touch()
    else:
        store_motion(motion, place)


def _store_arrays(arrays: list[FloatArray], place: Path) -> None:
    first, *rest = arrays
    place.mkdir()
    write_bytes(place / "first.npy", [as_npy(first)])
    write_bytes(place / "joined.npy", [as_npy(np.concatenate(rest).astype(np.float32))])
    write_bytes(place / "ends.npy", [as_npy(np.cumsum([len(a) for a in rest]))])


def _keep(place: Path, store: Callable[[Path], None]) -> None:
    """Make a folder under a temporary name and rename it, so that it is always complete."""
    try:
        place.parent.mkdir(exist_ok=True)
        remove_left(place.parent, ".making-*")
        beside = Path(tempfile.mkdtemp(dir=place.parent, prefix=".making-"))
    except OSError:
        return  # a read-only folder
    try:
        with contextlib.suppress(OSError, RetimeError):
            store(beside / "made")
            os.replace(beside / "made", place)
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def clips_of(references: Sequence[Motion | Library]) -> list[Motion]:
    """Return the clips of references, with those of libraries."""
    each = (r.motions() if isinstance(r, Library) else [r] for r in references)
    return [clip for clips in each for clip in clips]
