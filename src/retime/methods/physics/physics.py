"""Physics-based retiming (McCann, Pollard and Srinivasa 2006) as a step: a warp from a motion."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from retime.errors import InputError
from retime.methods.physics.model import PhysicsModel, TorqueLimits
from retime.motion import Motion
from retime.motion.contact import Contact
from retime.motion.edits import apply
from retime.motion.memory import memory
from retime.parameters import Range, TimingParameters, coerce, parameter
from retime.timing import TimeWarp

__all__ = ["PhysicsParameters", "physics_warp"]


@dataclass(frozen=True, kw_only=True)
class PhysicsParameters(TimingParameters):
    """Parameters of physics-based retiming."""

    duration: float | Literal["free"] | None = parameter(
        None,
        help="Length of the result in seconds; free lets physics decide; else it is kept.",
        metavar="S|free",
    )
    keytimes: tuple[tuple[float, float], ...] = parameter(
        (),
        help="Show the source's moment SRC at output time OUT; repeatable.",
        unit="s",
        flag="--keytime",
        metavar="OUT=SRC",
    )
    rates: tuple[tuple[float, float], ...] = parameter(
        (),
        help="Let time run at RATE at the source's moment SRC; repeatable.",
        flag="--rate",
        metavar="SRC=RATE",
    )
    speeds: tuple[tuple[float, str, float], ...] = parameter(
        (),
        help="Give a joint a speed in m/s at the source's moment SRC; repeatable.",
        flag="--speed",
        metavar="SRC:JOINT:V",
    )
    gravity: float | tuple[float, float, float] | str = parameter(
        9.81,
        help="Gravity in m/s^2: a size, x,y,z, or a direction of the figure as left:9.81.",
        metavar="G",
    )
    mass: float | None = parameter(None, help="Mass of the whole; else as water.", unit="kg")
    mass_scale: tuple[tuple[str, float], ...] = parameter(
        (), help="Scale a segment's mass, by joint or role; repeatable.", metavar="JOINT=FACTOR"
    )
    friction: float = parameter(0.5, help="Of the feet on the ground.", minimum=0.0)
    torque_limits: Literal["observed"] | float = parameter(
        "observed", help="Most torque of all joints in Nm; else by what the motion shows.",
        metavar="NM",
    )  # fmt: skip
    limit_factor: float = parameter(
        1.5, help="Times the torques that the motion shows.", minimum=0.01
    )
    limit_clips: tuple[Any, ...] = parameter(
        (), help="A further clip that shows torques; repeatable.", flag="--limit-clip",
        metavar="PATH",
    )  # fmt: skip
    smoothing: float = parameter(
        8.0, help="Cutoff of the low-pass on the recorded motion; 0 for none.", unit="Hz", minimum=0
    )
    slack: float = parameter(
        0.2, help="Force that needs no source, in weights: what noise is forgiven.", minimum=1e-6
    )
    supports: tuple[Contact, ...] | None = parameter(
        None, help="When which joints touch; else the feet are looked at.", flag="--support",
        metavar="FILE",
    )  # fmt: skip
    acceleration_limit: float | None = parameter(
        None, help="Most angular acceleration of a joint, rad/s^2.", minimum=0.1
    )
    body_data: Any = parameter(
        None, help="Masses, centres, radii and limits that are known better.", flag="--body",
        metavar="FILE",
    )  # fmt: skip
    objective: Literal["match", "effort"] = parameter(
        "match", help="Keep the recorded effort, or use as little as possible."
    )
    alpha: float = parameter(100.0, help="Weight of feasibility.", minimum=0.0)
    beta: float = parameter(1.0, help="Weight of torques.", minimum=0.0)
    strict: bool = parameter(
        False, help="Refuse a duration that is not feasible, instead of the best there is."
    )


def physics_warp(
    motion: Motion,
    *,
    duration: float | Literal["free"] | None = None,
    keytimes: Sequence[tuple[float, float]] = (),
    rates: Sequence[tuple[float, float]] = (),
    speeds: Sequence[tuple[float, str, float]] = (),
    gravity: Any = 9.81,
    mass: float | None = None,
    mass_scale: Mapping[str, float] | Sequence[tuple[str, float]] = (),
    friction: float = 0.5,
    torque_limits: TorqueLimits = "observed",
    limit_factor: float = 1.5,
    limit_clips: Iterable[Any] = (),
    smoothing: float = 8.0,
    slack: float = 0.2,
    supports: Iterable[Contact] | None = None,
    acceleration_limit: float | None = None,
    body_data: Mapping[str, Any] | None = None,
    objective: Any = "match",
    alpha: float = 100.0,
    beta: float = 1.0,
    strict: bool = False,
    range: Range | None = None,
    rest: Literal["fixed", "ripple"] = "fixed",
    loop: bool = False,
) -> TimeWarp:
    """Find the timing that a body could have produced, nearest to the recorded effort.

    Parameters
    ----------
    motion : Motion
        The clip.
    duration : float or "free", optional
        Length of the result in seconds; ``"free"`` lets physics decide; left out, it is kept.
    keytimes : sequence of (output s, source s)
        Moments that must be met, exactly.
    rates : sequence of (source s, rate)
        Speeds of time at moments of the source.
    speeds : sequence of (source s, joint, m/s)
        Speeds of joints at moments of the source.
    gravity : float, (float, float, float) or str
        In m/s^2: a size, a vector, or a direction of the figure such as ``"left:9.81"``.
    mass : float, optional
        Kilograms of the whole; left out, what its segments weigh as water.
    mass_scale : mapping of str to float
        Factors of segments' masses, by joint or role.
    friction : float
        Coefficient between feet and ground.
    torque_limits : "observed", float or mapping of str to float
        Most torque of the joints, newton metres.
    limit_factor : float
        Observed torques are multiplied by this.
    limit_clips : iterable of Motion or path
        Further clips whose torques count as observed.
    smoothing : float
        Cutoff in hertz of the low-pass on the recorded motion; 0 for none.
    slack : float
        Force and moment on the root that need no source, in weights.
    supports : iterable of Contact, optional
        When which joints touch; left out, the feet are looked at.
    acceleration_limit : float, optional
        Most angular acceleration of every joint, rad/s^2.
    body_data : mapping, optional
        Masses, centres, radii and limits that are known better, by joint or role.
    objective : "match", "effort" or (Motion, TimeWarp)
        Keep the recorded torques, use as little as possible, or take over another motion's.
    alpha, beta : float
        Weights of feasibility and of torques.
    strict : bool
        Refuse a duration below the feasible minimum.
    range : (float, float), optional
        Change only this part of the clip, in seconds.
    rest : {"fixed", "ripple"}
        What follows the range stays where it is, or moves with the range's end.
    loop : bool
        The clip is a cycle: the rate agrees at the seam.

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
    model = model_of(
        motion,
        gravity=gravity,
        mass=mass,
        mass_scale=mass_scale,
        friction=friction,
        torque_limits=torque_limits,
        limit_factor=limit_factor,
        limit_clips=limit_clips,
        smoothing=smoothing,
        slack=slack,
        supports=supports,
        acceleration_limit=acceleration_limit,
        body_data=body_data,
        range=range,
    )
    warp = model.warp(
        duration=duration, keytimes=keytimes, rates=rates, speeds=speeds, objective=objective,
        alpha=alpha, beta=beta, loop=loop, strict=strict,
    )  # fmt: skip
    if range is None:
        return warp
    return warp.within(motion.domain, range, rest).with_notes(*warp.notes)


def model_of(
    motion: Motion,
    *,
    gravity: Any = 9.81,
    mass_scale: Mapping[str, float] | Sequence[tuple[str, float]] = (),
    friction: float = 0.5,
    supports: Iterable[Contact] | None = None,
    limit_clips: Iterable[Any] = (),
    smoothing: float = 8.0,
    range: Range | None = None,
    **body: Any,
) -> PhysicsModel:
    """Return the model that a step works with; keywords are :func:`physics_warp`'s that shape it.

    The last models stay with the motion: a dragged keytime waits for the search alone, and a
    turned gravity for the regions alone.
    """
    if isinstance(mass_scale, Mapping):
        mass_scale = tuple(mass_scale.items())
    mass_scale = coerce(mass_scale, tuple[tuple[str, float], ...], "mass_scale")
    clips = tuple(limit_clips)
    # What is no list at all is left for the model to refuse.
    contacts = tuple(supports) if isinstance(supports, Iterable) else supports
    world = (gravity, mass_scale, friction)
    key = (range, contacts, clips, smoothing, tuple(sorted(body.items())))
    kept: dict[Any, dict[Any, PhysicsModel]] = memory(motion, "physics models")
    try:
        known = kept.get(key, {})
        if world in known:
            return known[world]
    except TypeError:  # a mapping or an array among the keywords: nothing to remember it by
        known, kept = {}, {}
    try:
        same_friction = next(m for w, m in known.items() if w[2] == friction)
        model = same_friction.changed(gravity=gravity, mass_scale=dict(mass_scale))
    except StopIteration:
        model = PhysicsModel(
            motion if range is None else _part(motion, range),
            gravity=gravity,
            mass_scale=mass_scale,
            friction=friction,
            limit_clips=[_clip(c) for c in clips],
            smoothing=smoothing or None,
            contacts=contacts,
            **body,
        )
    if kept is memory(motion, "physics models"):
        # The first model of a kind stays: it is what others are changed from.
        for old in list(known)[1:]:
            del known[old]
        kept.clear()
        kept[key] = known | {world: model}
    return model


def _part(motion: Motion, span: Range) -> Motion:
    start, end = motion.domain
    if not start - 1e-9 <= span[0] < span[1] <= end + 1e-9:
        raise InputError(
            f"the range {span[0]:g} to {span[1]:g} s is not a part of {start:g} to {end:g} s"
        )
    steps = max(round((span[1] - span[0]) * motion.rate), 2)
    times = np.linspace(*span, steps + 1)
    return apply(motion, TimeWarp.identity(start, end), times=times)


def _clip(given: Any) -> Motion:
    if isinstance(given, Motion):
        return given
    from retime.io import read

    if not isinstance(given, str | Path):
        raise InputError(f"a clip is a motion or a path, not {type(given).__name__}")
    return read(given)
