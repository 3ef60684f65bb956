"""Feet that slide where they should stand, as a host marks them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from retime.body.contacts import detect_contacts
from retime.body.metrics import plant_drift
from retime.motion import Motion

# Distances in metres: within the first a foot counts as standing, beyond the second as sliding.
# Share of a stance that is left out at each end.
_NEARLY_STANDS, _SLIDES, _ENDS = 0.05, 0.025, 0.2


def sliding(motion: Motion) -> list[dict[str, Any]]:
    """List when feet slide that should stand: start, end and a word for each.

    Stances are looked for with a wide tolerance, and judged by their middle: a foot that lands and
    pushes off moves on the ground in the best of captures.
    """
    stances = detect_contacts(motion, tolerance=_NEARLY_STANDS)
    aside = [_ENDS * (c.end - c.start) for c in stances]
    middles = [
        replace(c, start=c.start + d, end=c.end - d) for c, d in zip(stances, aside, strict=True)
    ]
    return [
        {"start": c.start, "end": c.end, "what": f"{c.joint} slides by {100 * off:.1f} cm"}
        for c, off in zip(stances, plant_drift(motion, middles), strict=True)
        if off > _SLIDES
    ]
