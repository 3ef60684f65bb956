"""Physics-based retiming (McCann, Pollard and Srinivasa 2006) as a step: a warp from a motion."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from retime.keywords import takes
from retime.methods.physics.heights import flight_edit
from retime.methods.physics.model import PhysicsModel
from retime.methods.physics.parameters import ModelParameters, PhysicsParameters, RequestParameters
from retime.methods.physics.search.change import most_change
from retime.methods.physics.world import World
from retime.motion import Motion
from retime.motion.edits import Timing, apply
from retime.motion.memory import memory
from retime.parameters import Range, part_of_clip, values_of
from retime.timing import TimeWarp

_SAME_TIME = 1e-6
# Largest change of the playback speed in 33 ms of a range, whose seams have the recorded speed.
_CHANGE = 0.24


@takes(PhysicsParameters)
def physics(motion: Motion, p: PhysicsParameters) -> Timing:
    """Find a timing within the limits of body, gravity and ground, near the recorded effort.

    Parameters
    ----------
    motion : Motion
        The clip.

    Returns
    -------
    Timing
        Its notes report whether the warp is the global optimum, and infeasible parts. If flights
        are fitted, it also changes poses and holds contacts.

    Examples
    --------
    >>> from retime import physics, samples
    >>> warp = physics(samples.jump(), duration=2.4).warp
    >>> bool(abs(warp.rate(warp.inverse(1.65)) - 1) < 0.1)      # a fall takes its time
    True
    """
    if p.fit_flights == "timing":
        return Timing(warp=_warp(motion, p))
    asked = p.duration is not None or p.keytimes or p.rates or p.locked or p.joint_speeds
    warp = _warp(motion, p) if asked else TimeWarp.identity(*motion.domain, loop=p.loop)
    model = model_of(motion, p)
    warp = warp.with_notes(*(warp.notes if asked else model.notes))
    return flight_edit(model, motion, warp, travel=p.fit_flights == "travel")


def _warp(motion: Motion, p: PhysicsParameters) -> TimeWarp:
    asked = values_of(p, RequestParameters)
    if p.range is None:
        return model_of(motion, p).warp(**asked, infeasible=p.infeasible)
    if p.duration is None and not p.ripple:
        asked["duration"] = p.range[1] - p.range[0]
    model = model_of(motion, p)
    asked |= _of_range(motion, p, model)
    warp = model.warp(**asked, infeasible=p.infeasible)
    return warp.within(motion.domain, p.range, ripple=p.ripple)


def feasible_durations(motion: Motion, p: PhysicsParameters) -> tuple[float | None, float | None]:
    """Return the shortest and the longest duration of a step, of its range where it has one.

    Given speeds, locked spans and seams bound both. ``None`` if no timing is feasible, and if time
    may stop.
    """
    model = model_of(motion, p)
    bound = _of_range(motion, p, model)
    speeds = [*model.given_speeds(p), *bound.get("rates", ())]
    found = model.extremes_with(speeds, bound.get("most_change"))
    return found.minimum(model.times), found.maximum(model.times)


def _of_range(motion: Motion, p: PhysicsParameters, model: PhysicsModel) -> dict[str, Any]:
    """Return what a range adds to a request: speed 1 at ends inside the clip, and its change."""
    if p.range is None:
        return {}
    known = [moment for moment, _ in p.rates]
    seams = [
        (t, 1.0)
        for t, end in zip(p.range, motion.domain, strict=True)
        if abs(t - end) > _SAME_TIME and not np.isclose(known, t, atol=_SAME_TIME).any()
    ]
    return {"rates": (*p.rates, *seams), "most_change": most_change(_CHANGE, model.step)}


def model_of(motion: Motion, p: PhysicsParameters) -> PhysicsModel:
    """Return the model of a step.

    The last models are cached with the motion: a dragged keytime only repeats the search, and a
    changed gravity only the regions.
    """
    values = values_of(p, ModelParameters)
    world = World.of(p)
    named = {f.name for f in dataclasses.fields(World)}
    key = (p.range, *(v for n, v in values.items() if n not in named))
    kept: dict[Any, dict[Any, PhysicsModel]] = memory(motion, "physics models")
    try:
        known = kept.get(key, {})
        if world in known:
            return known[world]
    except TypeError:  # a mapping or an array among the parameters: nothing to remember it by
        known, kept = {}, {}
    first = next(iter(known.values()), None)
    if first is not None:
        model = first._with(world)
    else:
        clip = motion if p.range is None else _part(motion, p.range)
        model = PhysicsModel(clip, **values)
    if kept is memory(motion, "physics models"):
        # Keep the first model of a kind: others are derived from it.
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
