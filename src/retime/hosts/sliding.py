"""Find sliding feet, for markers in a host."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from retime.body.contacts import detect_contacts
from retime.body.measure.metrics import plant_drift
from retime.motion import Motion

# Distances in metres: within the first a foot counts as standing, beyond the second as sliding.
# Share of a stance that is left out at each end.
_NEARLY_STANDS, _SLIDES, _ENDS = 0.05, 0.025, 0.2


def sliding(motion: Motion) -> list[dict[str, Any]]:
    """List the times in which planted feet slide: start, end and a label for each.

    Stances are detected with a wide tolerance and measured in their middle, because a foot moves on
    the ground while it lands and pushes off, even in good captures.
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
