"""Corrections after a staggered warp: bodies that rise higher, hands that keep what they hold."""

from __future__ import annotations

import numpy as np

from retime.body.contacts import find_contacts
from retime.body.gripping import keep_grips
from retime.body.rising import flight_stretch, raised, within_hinges
from retime.motion import Motion
from retime.motion.edits import Edit, apply, apply_edits, correction_between
from retime.motion.layers import PoseLayer
from retime.timing import TimeWarp

__all__ = ["corrected"]


def corrected(
    source: Motion,
    warp: TimeWarp,
    layer: PoseLayer | None,
    weight: float,
    span: tuple[float, float] | None,
    *,
    keep_gravity: bool,
    grips: bool,
) -> tuple[TimeWarp, PoseLayer | None]:
    """Return the warp, longer where flights are to fall by gravity, and what corrects its poses.

    Parameters
    ----------
    source : Motion
        The motion.
    warp : TimeWarp
        Its staggering.
    layer : PoseLayer, optional
        Its changed poses.
    weight : float
        By what share the whole body is exaggerated: how high it jumps and how it leans.
    span : (float, float), optional
        Outside of these times nothing changes, seconds.
    keep_gravity : bool
        Let exaggerated jumps last longer, so that they fall as before.
    grips : bool
        Lead hands to what they hold.
    """
    rate = source.rate
    if not weight:
        plain = made = apply_edits(source, [Edit(warp=warp, layer=layer)], fps=rate)
    else:
        base = apply(source, warp, fps=rate)
        flights = find_contacts(base).flights if keep_gravity and weight > -1 else ()
        if flights:
            warp = warp @ flight_stretch(base, float(np.sqrt(1 + weight)), flights)
            base = apply(source, warp, fps=rate)
        plain = apply_edits(source, [Edit(warp=warp, layer=layer)], times=base.times)
        bent = plain if span is not None else within_hinges(base, plain)
        made = raised(base, bent, weight, span)
    if grips:
        made = keep_grips(source, made, warp)
    return warp, correction_between(plain, made)
