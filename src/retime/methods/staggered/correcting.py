"""Corrections after the warp of staggered poses: jump height, travel and grips."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from retime.body.contacts import find_contacts
from retime.body.solve.flights import flight_stretch
from retime.body.solve.gripping import keep_grips
from retime.body.solve.hinges import within_hinges
from retime.body.solve.holding import carried_contacts
from retime.body.solve.pelvis import pelvis_follows
from retime.body.solve.rising import raised
from retime.body.solve.travelling import ground_shift, longer_path, travelled
from retime.motion import Motion
from retime.motion.contact import Contact
from retime.motion.edits import Edit, apply, apply_edits, correction_between
from retime.motion.layers import GroundShift, PoseLayer
from retime.motion.memory import last
from retime.timing import TimeWarp

__all__ = ["Corrections", "corrected"]


@dataclass(frozen=True)
class Corrections:
    """What to correct.

    Parameters
    ----------
    weight : float
        Exaggeration of the whole body: the height of its jumps and its lean.
    travel : float
        Exaggeration of its path over the ground.
    span : (float, float), optional
        Times outside which nothing changes, seconds.
    keep_gravity : bool
        Make exaggerated jumps longer, so that they still fall with gravity.
    grips : bool
        Keep hands on what they hold.
    hips_lead : bool
        The hips have a time of their own: move them as far as planted legs need it.
    """

    weight: float = 0.0
    travel: float = 0.0
    span: tuple[float, float] | None = None
    keep_gravity: bool = False
    grips: bool = False
    hips_lead: bool = False

    def __bool__(self) -> bool:
        return bool(self.weight or self.travel or self.grips or self.hips_lead)


def corrected(
    source: Motion,
    warp: TimeWarp,
    layer: PoseLayer | None,
    by: Corrections,
    contacts: Sequence[Contact] | None = None,
) -> tuple[TimeWarp, PoseLayer | None, GroundShift | None]:
    """Return the warp, with longer flights if gravity is kept, and a correction of its poses.

    The third value is the displacement of the ground under a body that travels farther.

    Parameters
    ----------
    source : Motion
        The motion.
    warp : TimeWarp
        Its staggering.
    layer : PoseLayer, optional
        Its changed poses.
    by : Corrections
        What to correct.
    contacts : sequence of Contact, optional
        Contacts in the source's time. Default: those detected.
    """
    rate, ground = source.rate, None
    if not (by.weight or by.travel):
        plain = made = apply_edits(source, [Edit(warp=warp, layer=layer)], fps=rate)
        if by.hips_lead:
            made = _on_feet(source, warp, made)
        if by.grips:
            made = keep_grips(source, made, warp)
        return warp, correction_between(plain, made), None
    base = _retimed(source, warp)
    if by.weight > -1 and by.weight and by.keep_gravity:
        flights = find_contacts(base).flights
        if flights:
            warp = warp @ flight_stretch(base, float(np.sqrt(1 + by.weight)), flights)
            base = apply(source, warp, fps=rate)
    plain = made = apply_edits(source, [Edit(warp=warp, layer=layer)], times=base.times)
    if by.hips_lead:
        made, base = _on_feet(source, warp, made), _on_feet(source, warp, base)
    if by.weight and by.span is None:
        made = within_hinges(base, made)
    if by.travel:
        path = longer_path(base, by.travel)
        ground = ground_shift(base, path, carried_contacts(source, warp, contacts))
        base, made = travelled(base, base, ground), travelled(base, made, ground)
    if by.weight:
        made = raised(base, made, by.weight, by.span)
    if by.grips:
        made = keep_grips(source, made, warp)
    correction = correction_between(plain, made)
    if correction is not None:  # delivered frames may end a fraction of a frame later
        correction = correction.lasting(1 / rate)
    return warp, correction, ground


def _on_feet(source: Motion, warp: TimeWarp, made: Motion) -> Motion:
    """Return a motion with hips that lead moved to where planted legs reach the ground."""
    plain = _retimed(source, warp)
    followed = last(source, "on feet", warp, lambda: pelvis_follows(source, plain, warp))
    return apply_edits(made, [Edit(correction=correction_between(plain, followed))])


def _retimed(source: Motion, warp: TimeWarp) -> Motion:
    """Apply a warp; sliders that change poses only share the result, and what is found in it."""
    return last(source, "retimed", warp, lambda: apply(source, warp, fps=source.rate))
