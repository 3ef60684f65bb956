"""Retime what follows a result: partners, cameras and props."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from retime.body import find_body
from retime.body.contacts.grips import find_touches
from retime.body.solve.touching import keep_touches
from retime.evaluate.job import Evaluated
from retime.groups.followers import Followers
from retime.motion import Motion
from retime.motion.edits import Edit, apply, apply_edits
from retime.motion.kinematics import positions
from retime.notes import Note
from retime.recipe import Recipe, Step
from retime.sentences import Duration, Moment
from retime.timing import TimeWarp

# Median distance between the hips of two figures above which they are different figures, metres.
_ANOTHER = 0.1
# Hands that miss each other by more than this, in metres, are reported.
_APART = 0.01


def follow(
    followers: Followers,
    name: str,
    motion: Motion,
    done: Mapping[str, Evaluated],
    *,
    fps: float | None = None,
    exact: bool = False,
    hold: bool = False,
) -> Evaluated:
    """Return the result of a follower: with one leader joint by joint, otherwise as a whole.

    Parameters
    ----------
    followers : Followers
        Whom ``name`` follows.
    name : str
        The follower, also in notes.
    motion : Motion
        Its motion.
    done : mapping of str to Evaluated
        The results of its leaders.
    fps, exact, hold
        Those of :class:`Job`.
    """
    shares = followers.leaders[name]
    if len(shares) == 1:
        (leader,) = (done[n] for n in shares)
        moved, notes = carry_along(leader, motion, name=name, fps=fps, exact=exact, hold=hold)
        return Evaluated(motion, Recipe(), (), moved, leader.warp, False, tuple(notes))
    warp = followers.warp(name, motion.domain, {n: done[n].warp for n in shares})
    moved = apply(motion, warp, fps=fps, exact=exact)
    return Evaluated(motion, Recipe(), (), moved, warp, False, moved.notes)


def carry_along(
    found: Evaluated,
    partner: Motion,
    *,
    name: str,
    fps: float | None = None,
    exact: bool = False,
    hold: bool = False,
) -> tuple[Motion, list[Note]]:
    """Retime a motion by the warp of a result; return it and notes about it.

    If the two overlap in time, they share a time line; otherwise their starts are lined up. A face,
    or another part of the same figure, follows joint by joint. Another figure follows the source's
    root, and its hands stay in the hands that they hold. ``name`` is the partner's name in notes;
    the other options are those of :class:`Job`.
    """
    source = found.source
    notes = _start_notes(name, source, partner) + _length_notes(name, source, partner)
    apart = partner.start - source.start if _starts_apart(source, partner) else 0.0
    edits = [Edit(_followed(found.warp, source, partner).shifted(apart, apart))]
    if hold and find_body(partner).is_biped:
        edits.append(Step("hold").solve(partner))
    moved = apply_edits(partner, edits, fps=fps, exact=exact or found.in_place)
    if found.warp.per_channel and not apart and _is_another_figure(source, partner):
        touches = find_touches(source, partner)
        moved, missed = keep_touches(source, found.motion, found.warp, partner, moved, touches)
        if missed > _APART:
            notes.append(
                Note(
                    f"an arm of {name} is {100 * missed:.0f} cm too short to keep hold of the hand",
                    code="touch-missed",
                    distance=missed,
                )
            )
    return moved, notes


def _start_notes(name: str, source: Motion, partner: Motion) -> list[Note]:
    if not _starts_apart(source, partner):
        return []
    return [
        Note(
            "{name} starts at {start:.4g} and the source at {source:.4g}: their starts were lined "
            "up",
            code="starts-lined-up",
            name=name,
            start=Moment(partner.start),
            source=Moment(source.start),
        )
    ]


def _length_notes(name: str, source: Motion, partner: Motion) -> list[Note]:
    if abs(partner.duration - source.duration) <= 1 / source.rate:
        return []
    return [
        Note(
            "{name} is {duration:.3g} long and the source {source:.3g}; only the part that both "
            "have is retimed",
            code="lengths-differ",
            name=name,
            duration=Duration(partner.duration),
            source=Duration(source.duration),
        )
    ]


def _starts_apart(motion: Motion, partner: Motion) -> bool:
    """Return whether two motions start at different times and hardly overlap."""
    (a, b), (c, d) = motion.domain, partner.domain
    overlap = min(b, d) - max(a, c) > 0.5 * min(b - a, d - c)
    return bool(abs(c - a) > 1 / motion.rate and not overlap)


def _is_another_figure(motion: Motion, partner: Motion) -> bool:
    """Return whether a partner is a separate figure, not a part of the source's figure."""
    hips = [find_body(m).roles.get("hips") for m in (motion, partner)]
    if hips[0] is None or hips[1] is None:
        return False
    times = motion.times[(motion.times >= partner.start) & (motion.times <= partner.domain[1])]
    tracks = [
        np.stack([np.interp(times, m.times, p) for p in positions(m)[:, h].T], axis=1)
        for m, h in zip((motion, partner), hips, strict=True)
    ]
    apart = np.linalg.norm(tracks[0] - tracks[1], axis=1)
    return bool(len(apart)) and bool(np.median(apart) > _ANOTHER)


def _followed(warp: TimeWarp, motion: Motion, partner: Motion) -> TimeWarp:
    """Return the warp of a partner: joint by joint, or that of the source's first root."""
    if not warp.per_channel:
        return warp
    shared = any(c in partner.channels for c in warp.channels)
    if shared and not _is_another_figure(motion, partner):
        return warp
    root = motion.skeleton.names[motion.skeleton.roots[0]]
    graph = warp.channel(f"{root}:translation")
    return TimeWarp(graph.x, graph.y, loop=warp.loop)
