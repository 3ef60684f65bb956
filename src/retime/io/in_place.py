"""Shared by formats whose files contain several animations and are retimed in place."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from retime.arrays import FloatArray
from retime.coercion import is_whole
from retime.errors import InputError, did_you_mean
from retime.io.as_read import kept_of, warp_of
from retime.motion import Motion
from retime.notes import Note, Remedy
from retime.timing import TimeWarp

# Tracks of a joint, in the order used to record which were edited.
PATHS = ("rotation", "translation", "scale")
# A cycle may show this much more than the clip, seconds: rounding, not another turn.
_ROUNDING = 1e-6
# Tracks that move a joint; an animation of only morphs does not move the skeleton.
_PLACING = {"translation", "rotation", "scale"}
# A track that changes by less than this, relative to its size, does not move.
_STILL = 1e-6


class _Kept(Protocol):
    @property
    def motion(self) -> Motion: ...
    @property
    def scales(self) -> FloatArray: ...
    @property
    def own_scales(self) -> FloatArray: ...


Kept = TypeVar("Kept", bound=_Kept)


def choose(
    names: Sequence[str], wanted: str | int, path: str | Path, *, short: Sequence[str] = ()
) -> int:
    """Find an animation by its name or number.

    ``short`` are shorter names, which are valid if they are not ambiguous.
    """
    name = str(wanted)
    if is_whole(wanted):
        if 0 <= wanted < len(names):
            return wanted
    elif name in names:
        return names.index(name)
    elif list(short).count(name) == 1:
        return list(short).index(name)
    elif re.fullmatch(r"[0-9]{1,9}", name) and int(name) < len(names):
        return int(name)
    listed = ", ".join(names[:20]) + (", ..." if len(names) > 20 else "")
    raise InputError(
        f"no animation {wanted!r} in {path}{did_you_mean(name, names)}; there are: {listed}"
    )


def choose_default(count: int, look: Callable[[int], Mapping[str, Any]]) -> tuple[int, list[str]]:
    """Choose the animation to read by default: the first that has a duration and moves.

    Parameters
    ----------
    count : int
        Number of animations.
    look : callable
        Describes an animation by number, as ``contents`` lists it. Called in order, and no further
        than needed.

    Returns
    -------
    index : int
        The animation; if none moves, the first with a duration; otherwise the first.
    skipped : list of str
        Why those before one that moves were not chosen.
    """
    skipped: list[str] = []
    lasting = None
    for index in range(count):
        entry = look(index)
        why = _unfit(entry)
        if not why:
            return index, skipped
        skipped.append(f"{str(entry['name'])!r} {why}")
        if lasting is None and lasts(entry):
            lasting = index
    return lasting or 0, []


def lasts(entry: Mapping[str, Any]) -> bool:
    """Return whether an animation, as ``contents`` lists it, has a length."""
    return bool(entry["duration_s"] > 0)


def _unfit(entry: Mapping[str, Any]) -> str:
    """Return why an animation is not read by default; empty if it has a duration and moves."""
    if not entry["channels"]:
        return "is empty"
    if not lasts(entry):
        return "is a single pose"
    return "" if _PLACING & set(entry["moves"]) else "does not move"


def summary(entry: Mapping[str, Any]) -> str:
    """Describe an animation in a line: name, length, channels, and whether it moves."""
    channels = f"{entry['channels']} channel{'s' if entry['channels'] != 1 else ''}"
    length = f"{entry['duration_s']:.3g} s at {entry['fps']:g} fps"
    return f"{entry['name']}: {length}, {channels}, {_unfit(entry) or 'moves'}"


def moving_paths(tracks: Iterable[tuple[str, FloatArray]]) -> list[str]:
    """List the kinds of tracks (K, ...) that change in time: of pairs of path and values."""
    moving: set[str] = set()
    for path, values in tracks:
        if path not in moving and len(values) > 1:
            change = float(np.ptp(values, axis=0).max(initial=0.0))
            if change > _STILL * max(1.0, float(np.abs(values).max(initial=0.0))):
                moving.add(path)
    return sorted(moving)


def others_note(names: Sequence[str], index: int, skipped: Sequence[str] = ()) -> list[Note]:
    """Return a note on which animation was read and why, if there are others."""
    others = [name for n, name in enumerate(names) if n != index]
    if not others:
        return []
    listed = ", ".join(others[:5]) + (", ..." if len(others) > 5 else "")
    why = ""
    if skipped:
        more = f" and {len(skipped) - 3} more" if len(skipped) > 3 else ""
        why = f", the first that moves ({', '.join(skipped[:3])}{more})"
    return [
        Note(
            f"read the animation {names[index]!r} of several{why}; the others: {listed}",
            Remedy(parameter="animation"),
            code="animation-chosen",
            animation=names[index],
        )
    ]


@dataclass(frozen=True, eq=False)
class Retimed(Generic[Kept]):
    """A motion that is being written back to its file."""

    motion: Motion
    """As it is now."""
    kept: Kept
    """Data that the format kept of the file; its ``motion`` is the animation as it was read."""
    warp: TimeWarp
    """From its time to that of the file."""
    times: FloatArray
    """Of its frames; the end pose is on the last one, however the duration was rounded. Shape (F,).
    """
    beyond: bool
    """It is a cycle that goes beyond the clip: a key has no single place there, and is sampled."""

    def channel(self, joint: int | None, path: str) -> str:
        """Return the channel that a joint's track follows; none without a joint above."""
        skeleton = self.motion.skeleton
        if joint is None:
            return f"{skeleton.names[skeleton.roots[0]]}:translation"
        name = skeleton.names[joint]
        is_root = skeleton.parents[joint] < 0
        return f"{name}:translation" if is_root and path == "translation" else name

    def wrapped(self, channel: str) -> FloatArray:
        """Return the source times of its frames, wrapped into the clip; (F,)."""
        low, high = self.kept.motion.domain
        found: FloatArray = low + np.mod(
            self.warp(self.times, channel) - low, max(high - low, 1e-9)
        )
        return found

    @property
    def is_as_read(self) -> bool:
        """Whether the times are those of the file."""
        ends = np.array(self.warp.domain) - np.array(self.kept.motion.domain)
        return self.warp.is_identity and float(np.abs(ends).max()) < _ROUNDING

    def edited(self) -> dict[str, set[int]]:
        """Find the joints whose values are not just retimed, by path."""
        skeleton = self.motion.skeleton
        if self.beyond:
            return {path: set(range(len(skeleton))) for path in PATHS}
        return dict(zip(PATHS, self.motion.touched.indices(skeleton), strict=True))

    def translation(self, joint: int) -> FloatArray:
        """Return a joint's translations in the file's numbers, (F, 3)."""
        track = self._track(self.motion.translations, self.motion.skeleton.offsets, joint)
        own: FloatArray = track / self.kept.scales[joint]
        return own

    def scale(self, joint: int) -> FloatArray:
        """Return a joint's scales in the file's numbers, (F, 3)."""
        track = self._track(self.motion.scales, self.motion.skeleton.rest_scales, joint)
        own: FloatArray = track * self.kept.own_scales[joint]
        return own

    def _track(self, tracks: Mapping[str, FloatArray], rest: FloatArray, joint: int) -> FloatArray:
        found = tracks.get(self.motion.skeleton.names[joint])
        return np.tile(rest[joint], (len(self.motion), 1)) if found is None else found


def retimed_together(
    motions: Sequence[Motion], kind: type[Kept], file_of: Callable[[Kept], Any]
) -> list[Retimed[Kept]]:
    """Check motions that are written back into one file, which ``file_of`` identifies."""
    found = [(m, kept) for m in motions if (kept := kept_of(m, kind)) is not None]
    files = [file_of(kept) for _, kept in found]
    if not found or len(found) < len(motions) or any(f != files[0] for f in files):
        raise InputError("animations that are written together must come from one file")
    return [_retimed(motion, kept) for motion, kept in found]


def timing_of(motion: Motion, kind: type[Kept], form: str, instead: str) -> Retimed[Kept]:
    """Return what is written of a motion whose file takes other times, but no other poses.

    ``instead`` says what else to do.
    """
    kept = kept_of(motion, kind)
    if kept is None:
        raise InputError(
            f"{form} files are retimed in place, and this motion does not come from one: {instead}"
        )
    retimed = _retimed(motion, kept)
    if retimed.beyond:
        raise InputError(f"a {form} file cannot be repeated in place; repeat it where it is played")
    edited = {j for joints in retimed.edited().values() for j in joints}
    if edited:
        raise InputError(
            f"the pose of {motion.skeleton.names[min(edited)]!r} was edited; only the timing of a "
            f"{form} file can be written: edit poses in the program that made it"
        )
    return retimed


def no_model(why: str) -> Note:
    """Return a note on a motion whose file has no model."""
    return Note(
        f"{why}; timing can be moved, positions in space are approximate or not known",
        code="no-model",
    )


def _retimed(motion: Motion, kept: Kept) -> Retimed[Kept]:
    if not motion.skeleton.same_joints(kept.motion.skeleton):
        raise InputError("the motion's joints are no longer those of its file")
    if not len(motion):
        raise InputError("the motion has no frames")
    low, high = kept.motion.domain
    warp = warp_of(motion) or TimeWarp.identity(low, high)
    times = motion.times.copy()
    if len(motion) > 1 and abs(times[-1] - warp.domain[1]) < 1 / motion.rate:
        times[-1] = warp.domain[1]
    first, last = warp.source_range
    beyond = warp.loop and (first < low - _ROUNDING or last > high + _ROUNDING)
    return Retimed(motion, kept, warp, times, beyond)
