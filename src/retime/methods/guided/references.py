"""Where timing comes from: motions, files, folders, and parts of them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from retime.errors import InputError, RetimeError
from retime.methods.guided.features import sampled
from retime.motion import Motion
from retime.motion.edits import apply
from retime.parameters import Range
from retime.times import Clock, in_seconds
from retime.timing import TimeWarp

__all__ = ["Reference", "cut", "gather", "signature"]

# What a reference may be in Python; in a recipe or on the command line it is a path.
Reference = Any


def cut(motion: Motion, span: Range, what: str) -> Motion:
    """Cut a part out of a motion; its times stay."""
    start, end = motion.domain
    a, b = span
    if not start - 1e-9 <= a < b <= end + 1e-9:
        raise InputError(f"the {what} {a:g} to {b:g} s is not a part of {start:g} to {end:g} s")
    steps = max(round((b - a) * motion.rate), 2)
    return apply(motion, TimeWarp.identity(start, end), times=np.linspace(a, b, steps + 1))


def _own_span(reference: Motion, span: Range) -> Range:
    """Return a range of a reference in seconds: frames and percentages are its own."""
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
    """Gather the reference motions: paths read, folders searched, spans cut, warps applied."""
    if given is None:
        found = [motion]
    elif isinstance(given, Motion | str | Path | Mapping):
        found = _read_reference(given)
    else:
        found = [m for item in given for m in _read_reference(item)]
    if not found:
        raise InputError("the reference holds no motion")
    if span is not None:
        found = [cut(m, _own_span(m, span), "reference range") for m in found]
    if warp is not None:
        found = [sampled(apply(m, warp), rate) for m in found]
    return found


def signature(given: Reference) -> tuple[Any, ...] | None:
    """Return what tells whether a reference is still the same: motions, and files as they lie."""
    listed = [given] if given is None or isinstance(given, Motion | str | Path | Mapping) else given
    out: list[Any] = []
    for item in listed:
        if isinstance(item, Mapping):
            out.append(item.get("sha256"))
            item = item.get("path")
        out.append(item)
        if isinstance(item, str | Path):
            try:
                files = [Path(item)]
                if files[0].is_dir():
                    files += sorted(p for p in files[0].rglob("*") if p.is_file())
                out += [(str(p), p.stat().st_mtime_ns, p.stat().st_size) for p in files]
            except (OSError, ValueError):
                return None  # whoever reads it says what is wrong
    return tuple(out)


def _read_reference(item: Reference) -> list[Motion]:
    from retime.io import FORMATS, read

    if isinstance(item, Motion):
        return [item]
    sha256 = None
    if isinstance(item, Mapping):
        item, sha256 = item.get("path"), item.get("sha256")
    if not isinstance(item, str | Path):
        raise InputError(f"a reference is a motion or a path, not {type(item).__name__}")
    path = Path(item)
    if path.is_dir():
        suffixes = {s for f in FORMATS.values() if f.reads for s in f.suffixes}
        files = sorted(p for p in path.rglob("*") if p.suffix.lower() in suffixes)
        out = []
        for file in files:
            try:
                out.append(read(file))
            except RetimeError:
                continue  # a library may hold files that are none of ours
        if not out:
            raise InputError(f"no readable motion in the folder {path}")
        return out
    motion = read(path)
    if sha256 is not None and motion.origin is not None and motion.origin.sha256 != sha256:
        raise InputError(
            f"the reference {path} is no longer the file that the recipe was made with"
        )
    return [motion]
