"""Joining: motions of one skeleton after one another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from retime.arrays import FloatArray
from retime.errors import InputError
from retime.motion.cutting import moved
from retime.motion.edits import apply_edits
from retime.motion.motion import Motion
from retime.motion.skeleton import Skeleton
from retime.motion.touched import Touched, TouchedLater
from retime.notes import Note, Remedy
from retime.timing import TimeWarp

# Frame rates and lengths that differ by less, relative to their size, are the same.
_SAME = 1e-6
# Names that a list of differences shows.
_LISTED = 5


def concatenate(*motions: Motion | Iterable[Motion], fps: float | None = None) -> Motion:
    """Join motions of one skeleton; each starts one frame after the end of the previous one.

    Parameters
    ----------
    *motions : Motion
        The motions in their order, or one list of them. They need the same joints, units and frame
        rate.
    fps : float, optional
        Frame rate to resample all of them to. Default: their common one.

    Returns
    -------
    Motion
        It has the start time and the rest pose of the first one. Joined parts of one file can be
        written in place; a missing part becomes a cut.

    Examples
    --------
    >>> from retime import concatenate, samples
    >>> jump = samples.jump()
    >>> whole = concatenate(jump[:40], jump[40:])
    >>> len(whole) == len(jump) and bool((whole.times == jump.times).all())
    True
    """
    given = _listed(motions)
    clips = [m for m in given if len(m)] or given[:1]
    for k, other in enumerate(clips[1:], 2):
        _must_fit(clips[0], other, k)
    if fps is not None:
        clips = [apply_edits(m, [], fps=fps) for m in clips]
    if len(clips) == 1:
        return clips[0].with_notes(*(n for m in given for n in m.notes))
    _must_share_a_rate(clips)
    placed = _one_after_another(clips)
    first = placed[0]
    uneven = any(m.sample_times is not None for m in placed)
    joined = replace(
        first,
        rotations=np.concatenate([m.rotations for m in placed]),
        translations=_tracks([m.translations for m in placed], placed, first.skeleton.offsets),
        scales=_tracks([m.scales for m in placed], placed, first.skeleton.rest_scales),
        sample_times=np.concatenate([m.times for m in placed]) if uneven else None,
        roles={name: joint for m in reversed(placed) for name, joint in m.roles.items()},
        origin=None,
    )
    notes = [n for m in given for n in m.notes] + _bone_notes(clips)
    return _with_origin(joined, placed).with_notes(*notes)


def _listed(motions: Sequence[Motion | Iterable[Motion]]) -> list[Motion]:
    if len(motions) == 1 and not isinstance(motions[0], Motion):
        motions = tuple(motions[0])
    if not motions:
        raise InputError("give the motions to join")
    for motion in motions:
        if not isinstance(motion, Motion):
            raise InputError(f"motions are joined, not {type(motion).__name__}")
    return [m for m in motions if isinstance(m, Motion)]


def _must_fit(first: Motion, other: Motion, number: int) -> None:
    if not first.skeleton.same_joints(other.skeleton):
        raise InputError(
            f"clip {number} has another skeleton than clip 1: "
            + "; ".join(differences(first.skeleton, other.skeleton))
        )
    one, two = first.units, other.units
    if one.up != two.up or abs(one.metres - two.metres) > _SAME * one.metres:
        raise InputError(
            Note(
                f"clip {number} is in units of {two.metres:g} m with {two.up} up, clip 1 in units "
                f"of {one.metres:g} m with {one.up} up",
                Remedy("read all clips with one scale", parameter="reading.scale"),
                code="units-differ",
            )
        )


def differences(one: Skeleton, other: Skeleton) -> list[str]:
    """List in words what is different in another skeleton's joints."""

    def some(names: Sequence[str]) -> str:
        return ", ".join(names[:_LISTED]) + (", ..." if len(names) > _LISTED else "")

    def parent(skeleton: Skeleton, name: str) -> str:
        above = skeleton.parents[skeleton.index(name)]
        return "" if above < 0 else skeleton.names[above]

    out = []
    missing = [n for n in one.names if n not in other]
    added = [n for n in other.names if n not in one]
    if missing:
        out.append(f"it lacks {len(missing)} joints ({some(missing)})")
    if added:
        out.append(f"it has {len(added)} more ({some(added)})")
    common = [n for n in one.names if n in other]
    moved_on = [n for n in common if parent(one, n) != parent(other, n)]
    if moved_on:
        out.append(f"{len(moved_on)} have another parent ({some(moved_on)})")
    if not out:
        out.append("its joints are in another order")
    return out


def _must_share_a_rate(clips: Sequence[Motion]) -> None:
    for k, other in enumerate(clips[1:], 2):
        if abs(other.rate - clips[0].rate) > _SAME * clips[0].rate and not _follows(
            clips[k - 2], other
        ):
            raise InputError(
                Note(
                    f"clip {k} has {other.rate:g} fps and clip 1 {clips[0].rate:g}",
                    Remedy("give the rate of the result", parameter="fps"),
                    code="rates-differ",
                )
            )


def _follows(one: Motion, other: Motion) -> bool:
    """Return whether two motions were cut from one, the second where the first ended."""
    a, b = one.rotations, other.rotations
    return (
        a.base is not None
        and a.base is b.base
        and a.ctypes.data + a.nbytes == b.ctypes.data
        and other.start > one.domain[1]
    )


def _one_after_another(clips: Sequence[Motion]) -> list[Motion]:
    placed = [clips[0]]
    for before, clip in pairwise(clips):
        end = placed[-1].domain[1]
        gap = 1 / clips[0].rate
        if clip.sample_times is not None and _follows(before, clip):
            gap = clip.start - before.domain[1]
        start = end + gap
        # Times of the pieces of one clip stay as they are, to the last digit.
        same = abs(start - clip.start) < 1e-9 * max(1.0, abs(start))
        placed.append(clip if same else moved(clip, start))
    return placed


def _tracks(
    tracks: Sequence[Mapping[str, FloatArray]], motions: Sequence[Motion], rest: FloatArray
) -> dict[str, FloatArray]:
    """Join tracks; a clip that lacks one rests there."""
    skeleton = motions[0].skeleton
    out = {}
    for name in dict.fromkeys(n for t in tracks for n in t):
        still = rest[skeleton.index(name)]
        parts = [
            t.get(name, np.broadcast_to(still, (len(m), 3)))
            for t, m in zip(tracks, motions, strict=True)
        ]
        out[name] = np.concatenate(parts)
    return out


def _bone_notes(clips: Sequence[Motion]) -> list[Note]:
    offsets = clips[0].skeleton.offsets
    size = max(float(np.abs(offsets).max()), 1e-9)
    off = [
        k
        for k, m in enumerate(clips, 1)
        if np.abs(m.skeleton.offsets - offsets).max() > 1e-3 * size
    ]
    if not off:
        return []
    listed = ", ".join(map(str, off[:_LISTED])) + (", ..." if len(off) > _LISTED else "")
    return [
        Note(
            f"bone lengths differ in clip {listed}: those of clip 1 are used, so feet may slide",
            code="bone-lengths-differ",
            clips=off,
        )
    ]


def _with_origin(joined: Motion, pieces: Sequence[Motion]) -> Motion:
    """Link a motion joined from parts of one file to that file, if one warp leads to it."""
    origins = [m.origin for m in pieces]
    first = origins[0]
    if first is None or any(
        o is None or o.kept is not first.kept or o.sha256 != first.sha256 for o in origins
    ):
        return joined
    warp = _joined_warp([_to_file(m) for m in pieces])
    if warp is None:
        return joined
    delivered, touched = first.delivered, first.touched
    if delivered is not None:
        delivered = joined.tracks
        touched = TouchedLater(lambda: _all_touched(pieces))
    return replace(joined, origin=replace(first, warp=warp, delivered=delivered, touched=touched))


def _all_touched(pieces: Iterable[Motion]) -> Touched:
    found = Touched()
    for piece in pieces:
        found |= piece.touched
    return found


def _to_file(motion: Motion) -> TimeWarp:
    warp = None if motion.origin is None else motion.origin.warp
    return TimeWarp.identity(*motion.domain) if warp is None else warp


def _joined_warp(warps: Sequence[TimeWarp]) -> TimeWarp | None:
    """Put warps after one another; none where time would go back."""
    if any(w.loop for w in warps):
        return None
    names = dict.fromkeys(n for w in warps for n in w.channels)

    def joined(name: str | None) -> tuple[FloatArray, FloatArray]:
        x = y = np.zeros(0)
        for w in warps:
            g = w.channel(name).pad(*w.domain)
            if len(x) and abs((g.x[0] - x[-1]) - (g.y[0] - y[-1])) > 1e-9:
                # Jump half a frame before the next one starts: both frames show their own pose.
                jump = (x[-1] + g.x[0]) / 2
                x, y = np.r_[x, jump, jump], np.r_[y, y[-1], g.y[0]]
            x, y = np.r_[x, g.x], np.r_[y, g.y]
        return x, y

    try:
        x, y = joined(None)
        notes = tuple(dict.fromkeys(n for w in warps for n in w.notes))
        return TimeWarp(x, y, channels={n: joined(n) for n in names}, notes=notes)
    except InputError:  # time may not go back and forth
        return None
