"""References: motions, files, folders, and parts of them, whose timing is copied."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from retime.errors import InputError, RetimeError
from retime.io import FORMATS, read
from retime.methods.guided.features import sampled
from retime.motion import Motion
from retime.motion.edits import apply
from retime.parameters import Range, part_of_clip
from retime.times import Clock, in_seconds
from retime.timing import TimeWarp

# A motion, a path, a document of a path and its hash, or a sequence of these.
Reference = Any
_SINGLE = (Motion, str, Path, Mapping)


def _own_span(reference: Motion, span: Range) -> Range:
    """Return a range of a reference in seconds, counted in the frames of the reference."""
    clock = Clock.of(reference, of_reference=True)
    own: Range = in_seconds(span, clock, "reference_range")
    return own


def gather(
    motion: Motion,
    given: Reference,
    *,
    rate: float,
    span: Range | None,
    warp: TimeWarp | None,
) -> list[Motion]:
    """Read references, cut them to a range and retime them by a warp; default: the motion."""
    items = [given] if given is None or isinstance(given, _SINGLE) else list(given)
    clips = [motion] if given is None else [clip for item in items for clip in _read(item)]
    if not clips:
        raise InputError("the reference contains no motion")
    if span is None and warp is None:
        return clips
    return [_part(clip, span, warp, rate) for clip in clips]


def _part(clip: Motion, span: Range | None, warp: TimeWarp | None, rate: float) -> Motion:
    """Return a part of a reference, by its own times, after its warp."""
    own = None if span is None else _own_span(clip, span)
    if warp is not None:
        clip = apply(clip, warp)
        if own is not None:
            first, last = warp.inverse(np.array(own))
            own = float(first), float(last)
    if own is not None:
        clip = clip.between(*part_of_clip(own, clip.domain, "reference range"))
    return clip if warp is None else sampled(clip, rate)


def signature(given: Reference) -> tuple[Any, ...] | None:
    """Return a key that changes with the references and their files; ``None`` if one is missing."""
    out: list[Any] = []
    for item in [given] if given is None or isinstance(given, _SINGLE) else given:
        if isinstance(item, Mapping):
            out.append(item.get("sha256"))
            item = item.get("path")
        out.append(item)
        if isinstance(item, str | Path):
            try:
                out += _file_states(Path(item))
            except (OSError, ValueError):
                return None  # reading it raises the error
    return tuple(out)


def _file_states(path: Path) -> list[tuple[str, int, int]]:
    """Return the path, time of change and size of a file or of the files of a folder."""
    files = _files(path) if path.is_dir() else [path]
    return [(str(p), p.stat().st_mtime_ns, p.stat().st_size) for p in files]


def _files(folder: Path) -> list[Path]:
    """Return the files of a folder that may contain motions."""
    suffixes = {s for f in FORMATS.values() if f.reads for s in f.suffixes}
    return sorted(p for p in folder.rglob("*") if p.suffix.lower() in suffixes and p.is_file())


def _read(item: Reference) -> list[Motion]:
    """Return the motions of a reference; a folder may contain other files."""
    if isinstance(item, Motion):
        return [item]
    sha256 = None
    if isinstance(item, Mapping):
        item, sha256 = item.get("path"), item.get("sha256")
    if not isinstance(item, str | Path):
        raise InputError(f"a reference is a motion or a path, not {type(item).__name__}")
    path, clips = Path(item), []
    if path.is_dir():
        for file in _files(path):
            with contextlib.suppress(RetimeError):
                clips.append(read(file))
        if not clips:
            raise InputError(f"no readable motion in the folder {path}")
        return clips
    motion = read(path)
    if sha256 is not None and motion.origin is not None and motion.origin.sha256 != sha256:
        raise InputError(f"the reference {path} has changed since the recipe was written")
    return [motion]
