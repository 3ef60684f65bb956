"""Where timing comes from: motions, files, folders, and parts of them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from retime.errors import InputError
from retime.methods.guided.features import sampled
from retime.methods.guided.library import Library, library_files
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
) -> list[Motion | Library]:
    """Gather the references: paths read, folders opened, spans cut, warps applied."""
    if given is None:
        listed: list[Motion | Library] = [motion]
    elif isinstance(given, Motion | str | Path | Mapping):
        listed = _read_reference(given, rate)
    else:
        listed = [m for item in given for m in _read_reference(item, rate)]
    if not listed:
        raise InputError("the reference contains no motion")
    if span is None and warp is None:
        return listed
    found = [m for r in listed for m in (r.motions() if isinstance(r, Library) else [r])]
    if span is not None:
        found = [cut(m, _own_span(m, span), "reference range") for m in found]
    if warp is not None:
        found = [sampled(apply(m, warp), rate) for m in found]
    return list(found)


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
                    files = library_files(files[0])
                out += [(str(p), p.stat().st_mtime_ns, p.stat().st_size) for p in files]
            except (OSError, ValueError):
                return None  # whoever reads it says what is wrong
    return tuple(out)


def _read_reference(item: Reference, rate: float) -> list[Motion | Library]:
    from retime.io import read

    if isinstance(item, Motion):
        return [item]
    sha256 = None
    if isinstance(item, Mapping):
        item, sha256 = item.get("path"), item.get("sha256")
    if not isinstance(item, str | Path):
        raise InputError(f"a reference is a motion or a path, not {type(item).__name__}")
    path = Path(item)
    if path.is_dir():
        return [Library(path, rate, sampled)]
    motion = read(path)
    if sha256 is not None and motion.origin is not None and motion.origin.sha256 != sha256:
        raise InputError(
            f"the reference {path} is no longer the file that the recipe was made with"
        )
    return [motion]
