"""Motions that go along with a result: a partner, a camera, a prop."""

from __future__ import annotations

from retime.body import find_body
from retime.evaluate.job import Evaluated
from retime.motion import Motion
from retime.motion.edits import Edit, apply_edits
from retime.notes import Note
from retime.recipe import Step
from retime.timing import TimeWarp


def carry_along(
    found: Evaluated,
    partner: Motion,
    *,
    name: str,
    fps: float | None = None,
    exact: bool = False,
    hold: bool = False,
) -> tuple[Motion, list[Note]]:
    """Retime a motion by the warp of a result; return it and what is to be known about it.

    The partner is on the same time line where the two overlap; otherwise their starts are lined up.
    ``name`` is its name, for the notes; the other options are as of :class:`Job`.
    """
    source, notes = found.source, []
    apart = partner.start - source.start
    if abs(apart) > 1 / source.rate and not _overlap(source, partner):
        notes.append(
            Note(
                f"{name} starts at {partner.start:.4g} s and the source at {source.start:.4g} s: "
                "their starts were lined up",
                code="starts-lined-up",
                start=partner.start,
                source=source.start,
            )
        )
    else:
        apart = 0.0
    if abs(partner.duration - source.duration) > 1 / source.rate:
        notes.append(
            Note(
                f"{name} lasts {partner.duration:.3g} s beside {source.duration:.3g} s; the warp "
                "shows what the two have in common",
                code="lengths-differ",
                duration=partner.duration,
                source=source.duration,
            )
        )
    edits = [Edit(_followed(found.warp, source, partner).shifted(apart, apart))]
    if hold and find_body(partner).is_biped:
        edits.append(Step("hold").solve(partner))
    return apply_edits(partner, edits, fps=fps, exact=exact or found.in_place), notes


def _overlap(motion: Motion, partner: Motion) -> bool:
    """Return whether two motions share most of their time: then they stand on one time line."""
    (a, b), (c, d) = motion.domain, partner.domain
    return bool(min(b, d) - max(a, c) > 0.5 * min(b - a, d - c))


def _followed(warp: TimeWarp, motion: Motion, partner: Motion) -> TimeWarp:
    """Return the warp as a partner follows it: by its own joints; otherwise by the first root's."""
    if not warp.per_channel or any(c in partner.channels for c in warp.channels):
        return warp
    root = motion.skeleton.names[motion.skeleton.roots[0]]
    graph = warp.channel(f"{root}:translation")
    return TimeWarp(graph.x, graph.y, loop=warp.loop)
