"""The plan of a batch: the clips of a library, their copies, and the paths of the results."""

from __future__ import annotations

import hashlib
import os
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from retime.errors import InputError
from retime.io import FORMATS, format_of

# At most this many colliding names are listed.
_LISTED = 10


@dataclass(frozen=True)
class Item:
    """One result to be made."""

    name: str
    """Path relative to the folder of results, with forward slashes."""
    clip: str
    """The clip, relative to the library."""
    copy: int
    """Number of the copy, from 1; 0 if there is only one."""


@dataclass(frozen=True)
class Shard:
    """A part of a library: the ``part``-th of ``parts``.

    Clips are distributed by the hash of their relative path, so a new clip does not move others.
    """

    part: int
    parts: int

    def __post_init__(self) -> None:
        if not 1 <= self.part <= self.parts:
            raise InputError(
                f"shard {self.part}/{self.parts}: the first number goes from 1 to the second"
            )

    @classmethod
    def parse(cls, text: str) -> Shard:
        """Read ``K/N``.

        >>> Shard.parse("2/8")
        Shard(part=2, parts=8)
        """
        part, mark, parts = text.partition("/")
        if not mark or not part.strip().isdigit() or not parts.strip().isdigit():
            raise InputError(f"{text!r} is not a shard; write 2/8 for the second of eight")
        return cls(int(part), int(parts))

    def holds(self, clip: str) -> bool:
        """Return whether a clip belongs to this part."""
        digest = hashlib.sha256(_same_everywhere(clip).encode()).digest()
        return int.from_bytes(digest[:8], "big") % self.parts == self.part - 1


@dataclass(frozen=True)
class Plan:
    """The clips of a library and the results to be made of them."""

    library: Path
    """The folder of clips."""
    clips: tuple[str, ...]
    """The clips, relative to it, in order."""
    copies: int = 1
    """Results to be made of each."""
    suffix: str = ""
    """Suffix of the results; empty to keep each clip's own."""

    def __len__(self) -> int:
        return len(self.clips) * self.copies

    def __iter__(self) -> Iterator[Item]:
        for clip in self.clips:
            yield from self._items(clip)

    def _items(self, clip: str) -> Iterator[Item]:
        path = PurePosixPath(clip)
        suffix = self.suffix or path.suffix
        if self.copies == 1:
            yield Item(str(path.with_suffix(suffix)), clip, 0)
            return
        for copy in range(1, self.copies + 1):
            yield Item(str(path.with_suffix(f".{copy}{suffix}")), clip, copy)


def make_plan(
    library: Path,
    out: Path,
    *,
    copies: int = 1,
    suffix: str = "",
    shard: Shard | None = None,
) -> Plan:
    """Find a library's clips and name their results; names that collide are refused.

    Parameters
    ----------
    library : Path
        The folder of clips.
    out : Path
        The folder of results; it may not lie within the library.
    copies : int
        Results to be made of each clip.
    suffix : str
        Suffix of the results; empty to keep each clip's own.
    shard : Shard, optional
        The part of the library to be done.
    """
    if copies < 1:
        raise InputError(f"--copies is {copies}; the minimum is 1")
    if not library.is_dir():
        raise InputError(f"the library {library} is not a folder of motions")
    if out.resolve().is_relative_to(library.resolve()):
        raise InputError(
            f"{out} is within the library {library}: results would count as clips; "
            "give a folder outside it"
        )
    suffix = _written_suffix(suffix) if suffix else ""
    whole = Plan(library.resolve(), tuple(_find_clips(library)), copies, suffix)
    if not whole.clips:
        known = ", ".join(sorted(clip_suffixes()))
        raise InputError(f"no motion in {library}; known suffixes: {known}")
    _must_be_writable(whole)
    _must_not_collide(whole)
    if shard is None:
        return whole
    own = tuple(clip for clip in whole.clips if shard.holds(clip))
    return Plan(whole.library, own, copies, suffix)


def _written_suffix(text: str) -> str:
    """Return the suffix of results in a format; raise if motions cannot be written in it."""
    suffix = "." + text.lstrip(".").lower()
    form = format_of(f"clip{suffix}")
    if not form.writes:
        raise InputError(f"{form.name} files can be read but not written")
    if suffix not in clip_suffixes() | set(form.suffixes[:1]):
        raise InputError(f"--to {suffix[1:]} is not a motion; use {form.suffixes[0][1:]}")
    return suffix


def clip_suffixes() -> set[str]:
    """List the suffixes of motion files, without those of separate skeletons."""
    out = set()
    for form in FORMATS.values():
        if form.reads:
            out |= set(form.suffixes[:1] if form.skeleton_apart else form.suffixes)
    return out


def _find_clips(library: Path) -> list[str]:
    suffixes = clip_suffixes()
    found = []

    def unreadable(e: OSError) -> None:
        raise InputError(f"cannot open {e.filename}: {e.strerror}")

    for folder, below, files in os.walk(library, onerror=unreadable):
        below[:] = [name for name in below if not name.startswith(".")]
        for name in files:
            path = Path(folder) / name
            if name.startswith(".") or path.suffix.lower() not in suffixes:
                continue
            if path.is_file() or not path.exists():  # no pipes: reading them would block
                found.append(path.relative_to(library).as_posix())
    return sorted(found)


def _must_be_writable(plan: Plan) -> None:
    """Reject, before any work, a format to which the clips cannot be written."""
    if not plan.suffix:
        return
    form = format_of(f"clip{plan.suffix}")
    if form.fresh:
        return
    others = [clip for clip in plan.clips if format_of(clip).name != form.name]
    if others:
        raise InputError(
            f"--to {plan.suffix[1:]}: only clips read from {form.name} can be written as "
            f"{form.name}, and {len(others)} of {len(plan.clips)} clips have another format, such "
            f"as {others[0]}; use bvh, glb, usda or npz"
        )


def _must_not_collide(plan: Plan) -> None:
    """Reject, before any work, two clips whose results would have the same name.

    Names are compared without case and with composed accents, because results may be copied to
    other file systems.
    """
    seen: dict[str, Item] = {}
    pairs = []
    for item in plan:
        key = _same_everywhere(item.name).casefold()
        first = seen.setdefault(key, item)
        if first is not item:
            pairs.append(f"{first.clip} and {item.clip} -> {item.name}")
    if pairs:
        more = f"; and {len(pairs) - _LISTED} more" if len(pairs) > _LISTED else ""
        raise InputError(
            "results would overwrite each other, as some file systems ignore letter case; rename "
            f"these clips: {'; '.join(pairs[:_LISTED])}{more}"
        )


def _same_everywhere(name: str) -> str:
    return unicodedata.normalize("NFC", name)
