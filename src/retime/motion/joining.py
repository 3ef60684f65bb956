"""Join motions of one skeleton, one after another."""

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
from retime.motion.origin import Origin
from retime.motion.skeleton import Skeleton
from retime.motion.touched import Touched, TouchedLater
from retime.notes import Note, Remedy
from retime.timing import TimeWarp

# Relative tolerance for equal frame rates and lengths.
_SAME = 1e-6
# Number of names in a message.
_LISTED = 5


def concatenate(*motions: Motion | Iterable[Motion], fps: float | None = None) -> Motion:
    """Join motions of one skeleton; each starts one frame after the end of the previous one.

    Parameters
    ----------
    *motions : Motion
        The motions in order, or one list of them. They need the same joints, units and frame rate.
    fps : float, optional
        Frame rate to resample all motions to. Default: their common frame rate.

    Returns
    -------
    Motion
        The joined motion, with the start time and rest pose of the first. Joined parts of one file
        can be written in place; a missing part becomes a cut.

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
        must_fit(clips[0], other, k)
    if fps is not None:
        clips = [apply_edits(m, [], fps=fps) for m in clips]
    notes = [n for m in given for n in m.notes]
    if len(clips) == 1:
        return clips[0].with_notes(*notes)
    _must_share_a_rate(clips)
    placed = _one_after_another(clips)
    return _with_origin(_joined(placed), placed).with_notes(*notes, *_bone_notes(clips))


def _joined(clips: Sequence[Motion]) -> Motion:
    """Join clips that already follow each other in time."""
    first = clips[0]
    uneven = any(m.sample_times is not None for m in clips)
    return replace(
        first,
        rotations=np.concatenate([m.rotations for m in clips]),
        translations=_tracks([m.translations for m in clips], clips, first.skeleton.offsets),
        scales=_tracks([m.scales for m in clips], clips, first.skeleton.rest_scales),
        sample_times=np.concatenate([m.times for m in clips]) if uneven else None,
        roles={name: joint for m in reversed(clips) for name, joint in m.roles.items()},
        origin=None,
    )


def _listed(motions: Sequence[Motion | Iterable[Motion]]) -> list[Motion]:
    if len(motions) == 1 and not isinstance(motions[0], Motion):
        motions = tuple(motions[0])
    if not motions:
        raise InputError("give the motions to join")
    for motion in motions:
        if not isinstance(motion, Motion):
            raise InputError(f"motions are joined, not {type(motion).__name__}")
    return [m for m in motions if isinstance(m, Motion)]


def must_fit(first: Motion, other: Motion, number: int) -> None:
    """Raise where the skeleton or the units of a clip are not those of the first."""
    if not first.skeleton.same_joints(other.skeleton):
        raise InputError(
            f"clip {number} differs from clip 1 in its skeleton: "
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
    """Describe how the joints of another skeleton differ."""
    missing = [n for n in one.names if n not in other]
    added = [n for n in other.names if n not in one]
    moved_on = [n for n in one.names if n in other and _parent(one, n) != _parent(other, n)]
    found = {
        f"it lacks {len(missing)} joints ({_some(missing)})": missing,
        f"it has {len(added)} more ({_some(added)})": added,
        f"{len(moved_on)} have another parent ({_some(moved_on)})": moved_on,
    }
    return [words for words, names in found.items() if names] or ["its joints are in another order"]


def _some(names: Sequence[object]) -> str:
    return ", ".join(map(str, names[:_LISTED])) + (", ..." if len(names) > _LISTED else "")


def _parent(skeleton: Skeleton, name: str) -> str:
    above = skeleton.parents[skeleton.index(name)]
    return "" if above < 0 else skeleton.names[above]


def _must_share_a_rate(clips: Sequence[Motion]) -> None:
    rate = clips[0].rate
    for k, (before, clip) in enumerate(pairwise(clips), 2):
        if abs(clip.rate - rate) > _SAME * rate and not _follows(before, clip):
            raise InputError(
                Note(
                    f"clip {k} has {clip.rate:g} fps and clip 1 {rate:g}",
                    Remedy("give the rate of the result", parameter="fps"),
                    code="rates-differ",
                )
            )


def _follows(one: Motion, other: Motion) -> bool:
    """Return whether two motions are adjacent slices of one motion."""
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
        # The times of slices of one clip stay exactly the same.
        same = abs(start - clip.start) < 1e-9 * max(1.0, abs(start))
        placed.append(clip if same else moved(clip, start))
    return placed


def _tracks(
    tracks: Sequence[Mapping[str, FloatArray]], motions: Sequence[Motion], rest: FloatArray
) -> dict[str, FloatArray]:
    """Join tracks; a clip without a track keeps the rest value."""
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
    return [
        Note(
            f"bone lengths differ in clip {_some(off)}: those of clip 1 are used; feet may slide",
            code="bone-lengths-differ",
            clips=off,
        )
    ]


def _with_origin(joined: Motion, pieces: Sequence[Motion]) -> Motion:
    """Link a motion joined from parts of one file to that file, if a single warp is enough."""
    first = pieces[0].origin
    if first is None or not all(_same_file(m.origin, first) for m in pieces):
        return joined
    warp = _joined_warp([_to_file(m) for m in pieces])
    if warp is None:
        return joined
    origin = replace(first, warp=warp)
    if first.delivered is not None:
        touched = TouchedLater(lambda: _all_touched(pieces))
        origin = replace(origin, delivered=joined.tracks, touched=touched)
    return replace(joined, origin=origin)


def _same_file(one: Origin | None, other: Origin) -> bool:
    return one is not None and one.kept is other.kept and one.sha256 == other.sha256


def _all_touched(pieces: Iterable[Motion]) -> Touched:
    found = Touched()
    for piece in pieces:
        found |= piece.touched
    return found


def _to_file(motion: Motion) -> TimeWarp:
    warp = None if motion.origin is None else motion.origin.warp
    return TimeWarp.identity(*motion.domain) if warp is None else warp


def _joined_warp(warps: Sequence[TimeWarp]) -> TimeWarp | None:
    """Join warps one after another; return ``None`` if time would change direction."""
    if any(w.loop for w in warps):
        return None
    names = dict.fromkeys(n for w in warps for n in w.channels)
    notes = tuple(dict.fromkeys(n for w in warps for n in w.notes))
    channels = {n: _joined_channel(warps, n) for n in names}
    in_space = frozenset().union(*(w.in_space for w in warps))
    try:
        return TimeWarp(
            *_joined_channel(warps, None), channels=channels, in_space=in_space, notes=notes
        )
    except InputError:
        return None


def _joined_channel(warps: Sequence[TimeWarp], name: str | None) -> tuple[FloatArray, FloatArray]:
    x = y = np.zeros(0)
    for w in warps:
        g = w.channel(name).pad(*w.domain)
        if len(x) and abs((g.x[0] - x[-1]) - (g.y[0] - y[-1])) > 1e-9:
            # Jump halfway between the last and the next frame, so that both keep their pose.
            jump = (x[-1] + g.x[0]) / 2
            x, y = np.r_[x, jump, jump], np.r_[y, y[-1], g.y[0]]
        x, y = np.r_[x, g.x], np.r_[y, g.y]
    return x, y
