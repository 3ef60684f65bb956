"""Physics-based retiming (McCann, Pollard and Srinivasa 2006) as a step: a warp from a motion."""

from __future__ import annotations

from typing import Any

import numpy as np

from retime.keywords import takes
from retime.methods.physics.model import PhysicsModel
from retime.methods.physics.parameters import ModelParameters, PhysicsParameters, RequestParameters
from retime.motion import Motion
from retime.motion.edits import apply
from retime.motion.memory import memory
from retime.parameters import Range, part_of_clip, values_of
from retime.timing import TimeWarp

__all__ = ["model_of", "physics_warp"]


@takes(PhysicsParameters)
def physics_warp(motion: Motion, p: PhysicsParameters) -> TimeWarp:
    """Find the timing that a body could have produced, nearest to the recorded effort.

    Parameters
    ----------
    motion : Motion
        The clip.

    Returns
    -------
    TimeWarp
        Its notes say whether it is the global optimum, and what is not feasible.

    Examples
    --------
    >>> from retime import physics_warp, samples
    >>> warp = physics_warp(samples.jump(), duration=2.4)
    >>> bool(abs(warp.rate(warp.inverse(1.65)) - 1) < 0.1)      # a fall takes its time
    True
    """
    warp = model_of(motion, p).warp(**values_of(p, RequestParameters), strict=p.strict)
    if p.range is None:
        return warp
    return warp.within(motion.domain, p.range, ripple=p.ripple).with_notes(*warp.notes)


def model_of(motion: Motion, p: PhysicsParameters) -> PhysicsModel:
    """Return the model that a step works with.

    The last models stay with the motion: a dragged keytime waits for the search alone, and a
    turned gravity for the regions alone.
    """
    values = values_of(p, ModelParameters)
    world = (p.gravity, p.mass_scale, p.friction)
    others = tuple(v for n, v in values.items() if n not in ("gravity", "mass_scale", "friction"))
    key = (p.range, *others)
    kept: dict[Any, dict[Any, PhysicsModel]] = memory(motion, "physics models")
    try:
        known = kept.get(key, {})
        if world in known:
            return known[world]
    except TypeError:  # a mapping or an array among the parameters: nothing to remember it by
        known, kept = {}, {}
    try:
        same_friction = next(m for w, m in known.items() if w[2] == p.friction)
        model = same_friction.changed(gravity=p.gravity, mass_scale=dict(p.mass_scale))
    except StopIteration:
        clip = motion if p.range is None else _part(motion, p.range)
        model = PhysicsModel(clip, **values)
    if kept is memory(motion, "physics models"):
        # The first model of a kind stays: it is what others are changed from.
        for old in list(known)[1:]:
            del known[old]
        kept.clear()
        kept[key] = known | {world: model}
    return model


def _part(motion: Motion, span: Range) -> Motion:
    part_of_clip(span, motion.domain)
    steps = max(round((span[1] - span[0]) * motion.rate), 2)
    times = np.linspace(*span, steps + 1)
    return apply(motion, TimeWarp.identity(*motion.domain), times=times)
