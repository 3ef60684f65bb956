"""Retime partners, cameras and props with a result."""

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
    """Retime a motion by the warp of a result; return it and notes about it.

    If the two motions overlap in time, they share one timeline; otherwise the start of the partner
    is moved to that of the source. ``name`` is the partner's name for notes; the other options are
    those of :class:`Job`.
    """
    source = found.source
    notes = _start_notes(name, source, partner) + _length_notes(name, source, partner)
    apart = partner.start - source.start if _starts_apart(source, partner) else 0.0
    edits = [Edit(_followed(found.warp, source, partner).shifted(apart, apart))]
    if hold and find_body(partner).is_biped:
        edits.append(Step("hold").solve(partner))
    return apply_edits(partner, edits, fps=fps, exact=exact or found.in_place), notes


def _start_notes(name: str, source: Motion, partner: Motion) -> list[Note]:
    if not _starts_apart(source, partner):
        return []
    return [
        Note(
            f"{name} starts at {partner.start:.4g} s and the source at {source.start:.4g} s: "
            "their starts were lined up",
            code="starts-lined-up",
            start=partner.start,
            source=source.start,
        )
    ]


def _length_notes(name: str, source: Motion, partner: Motion) -> list[Note]:
    if abs(partner.duration - source.duration) <= 1 / source.rate:
        return []
    return [
        Note(
            f"{name} is {partner.duration:.3g} s long and the source {source.duration:.3g} s; only "
            "the part that both have is retimed",
            code="lengths-differ",
            duration=partner.duration,
            source=source.duration,
        )
    ]


def _starts_apart(motion: Motion, partner: Motion) -> bool:
    """Return whether two motions start at different times and hardly overlap."""
    (a, b), (c, d) = motion.domain, partner.domain
    overlap = min(b, d) - max(a, c) > 0.5 * min(b - a, d - c)
    return bool(abs(c - a) > 1 / motion.rate and not overlap)


def _followed(warp: TimeWarp, motion: Motion, partner: Motion) -> TimeWarp:
    """Return the warp for a partner: per joint if it has these joints, or that of the root."""
    if not warp.per_channel or any(c in partner.channels for c in warp.channels):
        return warp
    root = motion.skeleton.names[motion.skeleton.roots[0]]
    graph = warp.channel(f"{root}:translation")
    return TimeWarp(graph.x, graph.y, loop=warp.loop)
