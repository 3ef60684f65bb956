"""Parameters of physics-based retiming."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from retime.body.contacts.given import ContactParameters
from retime.methods.physics.sayings import (
    EARTH,
    parse_load,
    parse_share,
    parse_torque_limits,
)
from retime.motion import Motion
from retime.parameters import (
    About,
    Choice,
    Keytimes,
    LockedSpans,
    LoopParameters,
    Rates,
    TimingParameters,
)
from retime.times import Length, SourceTime
from retime.timing import TimeWarp

TorqueLimits = Literal["observed"] | float | Mapping[str, float] | Callable[[Motion], Any]
Objective = Literal["auto", "match", "effort", "load"] | tuple[Motion, TimeWarp]
Watch = Callable[..., Any]

Infeasible = Annotated[
    Literal["auto", "refuse", "flights", "even"],
    About(
        "What to do if the duration or a keytime is too short or too long for the body.",
        label="If infeasible",
        choices=(
            Choice("auto", "Automatic", "allow down to 85 % of the shortest duration"),
            Choice("refuse", "Refuse", "report an error, with a duration that is feasible"),
            Choice("flights", "Keep flights", "keep flights at their own rate, hurry elsewhere"),
            Choice("even", "Even", "play the best feasible timing faster, like fast motion"),
        ),
        advanced=True,
    ),
]


@dataclass(frozen=True, kw_only=True)
class ModelParameters(ContactParameters):
    """Parameters of a physics model."""

    gravity: Annotated[
        float | tuple[float, float, float] | str,
        About(
            "Gravity as a number or fraction (0.5g). To change its direction, write x,y,z or "
            "a direction of the figure such as left:9.81.",
            unit="m/s²",
            metavar="G",
            presets=(("earth", EARTH), ("moon", 1.62), ("mars", 3.71)),
            form_help=(
                "Gravity that the result follows. To change its direction, write x,y,z or a "
                "direction of the figure such as left:9.81."
            ),
        ),
    ] = EARTH
    gravity_from: Annotated[
        Literal["auto", "recording", "gravity", "flights"],
        About(
            "How to treat recorded flights that do not fall at 9.81 m/s².",
            label="Flights follow",
            choices=(
                Choice("auto", "Automatic", "correct clear cases"),
                Choice("recording", "Recording", "keep the recorded timing"),
                Choice("gravity", "Gravity", "correct all flights and the clip between them"),
                Choice(
                    "flights", "Flights", "correct clear flights only, not the rest of the clip"
                ),
            ),
        ),
    ] = "auto"
    fit_flights: Annotated[
        Literal["timing", "height", "travel"],
        About(
            "How to make flights follow gravity.",
            label="Fit jumps",
            choices=(
                Choice("timing", "Timing", "change when the figure lands"),
                Choice("height", "Height", "keep the timing and change the height of the jump"),
                Choice("travel", "Travel", "also keep the speed over the ground"),
            ),
        ),
    ] = "timing"
    mass: Annotated[
        float | None,
        About(
            "Mass of the whole figure. Default: estimated from the height of a person, or from "
            "the volume of the bones.",
            unit="kg",
            minimum=0.001,
            maximum=1e6,
            step=0.5,
        ),
    ] = None
    mass_scale: Annotated[
        Mapping[str, float] | Sequence[tuple[str, float]],
        About(
            "Scale the mass of one segment, by joint or role.",
            metavar="JOINT=FACTOR",
            label="Heavier parts",
        ),
    ] = ()
    load: Annotated[
        Sequence[tuple[str, float]],
        About(
            "Add a load that the performer did not carry, such as 15kg@backpack. Attach it to "
            "the backpack, the hands, a joint or a role.",
            unit="kg",
            metavar="KG@WHERE",
            parse=parse_load,
        ),
    ] = ()
    centre_shift: Annotated[
        Sequence[tuple[str, tuple[float, float, float]]],
        About(
            "Move the centre of mass of one segment, by joint or role, along the joint's axes.",
            unit="m",
            metavar="JOINT=X,Y,Z",
            widget="data",
            advanced=True,
            label="Shifted balance",
        ),
    ] = ()
    strength: Annotated[
        float,
        About(
            "Strength of all joints relative to the torque limits: 70% or 0.7.",
            unit="×",
            minimum=0.01,
            slider=(0.2, 2),
            metavar="SHARE",
            parse=parse_share,
        ),
    ] = 1.0
    friction: Annotated[
        float,
        About(
            "Friction coefficient between feet and ground.",
            minimum=0.0,
            slider=(0, 1.5),
            metavar="MU",
            presets=(("ice", 0.1), ("wet", 0.3), ("dry", 0.7)),
        ),
    ] = 0.5
    torque_limits: Annotated[
        TorqueLimits,
        About(
            "Maximum torque of every joint (120) or of some (left_lower_leg=20,spine=90). "
            "'observed' is the maximum in the clip times the limit factor.",
            unit="N·m",
            metavar="NM",
            parse=parse_torque_limits,
            step=1,
            advanced=True,
            label="Largest torque",
            choices=(Choice("observed", "As in the clip"),),
            form_help=(
                "Maximum torque of every joint. As in the clip: the maximum in the clip times "
                "the strength reserve."
            ),
        ),
    ] = "observed"
    limit_factor: Annotated[
        float,
        About(
            "Factor applied to the observed torques.",
            unit="×",
            minimum=0.01,
            slider=(1, 4),
            step=0.1,
            advanced=True,
            label="Strength reserve",
        ),
    ] = 1.5
    limit_clips: Annotated[
        Sequence[Any],
        About(
            "Additional clip of the same figure to observe torques in.",
            flag="limit-clip",
            metavar="PATH",
            widget="motions",
            advanced=True,
            label="Strength from clips",
        ),
    ] = ()
    cutoff: Annotated[
        float | None,
        About(
            "Cutoff frequency of the low-pass filter on the recorded motion; 0 disables it.",
            unit="Hz",
            minimum=0,
            slider=(0, 20),
            step=0.1,
            advanced=True,
            label="Noise filter",
        ),
    ] = 8.0
    slack: Annotated[
        float,
        About(
            "Tolerated unexplained force on the root, in body weights, to allow for noise; half "
            "of it sideways.",
            minimum=1e-6,
            advanced=True,
            label="Force tolerance",
        ),
    ] = 0.1
    acceleration_limit: Annotated[
        float | None,
        About(
            "Maximum angular acceleration of a joint about each axis.",
            unit="rad/s²",
            minimum=0.1,
            step=1,
            advanced=True,
        ),
    ] = None
    body_data: Annotated[
        Mapping[str, Any] | None,
        About(
            "Known masses, centres of mass, radii and limits, by joint or role.",
            metavar="FILE",
            widget="data",
            advanced=True,
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class RequestParameters(LoopParameters):
    """Parameters of a requested timing."""

    duration: Annotated[
        Length | Literal["free"] | None,
        About(
            "Length of the result from its first to its last frame (48f writes 49 frames), or "
            "free to let physics decide. Default: the source's length, or free where that is not "
            "feasible.",
            unit="s",
            metavar="TIME|free",
            choices=(Choice("free", "Free"),),
            ends=("", ""),
        ),
    ] = None
    keytimes: Keytimes = ()
    rates: Rates = ()
    locked: LockedSpans = ()
    joint_speeds: Annotated[
        Sequence[tuple[SourceTime, str, float]],
        About(
            "Speed V of a joint at source time SRC, in m/s.",
            flag="joint-speed",
            metavar="SRC:JOINT:V",
            advanced=True,
            form_help="Speed of a joint at a source time, in m/s.",
        ),
    ] = ()
    objective: Annotated[
        Objective,
        About(
            "What to optimize. In Python, a pair of a motion and a warp matches the torques of "
            "that motion.",
            label="Aim",
            choices=(
                Choice(
                    "auto",
                    "Automatic",
                    "match the load if masses are changed, otherwise the recording",
                ),
                Choice("match", "Recorded effort", "match the recorded torques"),
                Choice("effort", "Least effort", "use the least effort"),
                Choice("load", "Carried load", "match the torques of carrying changed masses"),
            ),
            form_help="What to optimize.",
        ),
    ] = "auto"
    alpha: Annotated[
        float,
        About(
            "Weight of feasibility in equation 14.",
            minimum=0.0,
            step=1,
            advanced=True,
            label="Feasibility weight",
            form_help=(
                "Weight of staying within what the body can do, against matching the recorded "
                "timing."
            ),
        ),
    ] = 10000.0
    beta: Annotated[
        float,
        About(
            "Weight of torques in equation 14.",
            minimum=0.0,
            advanced=True,
            label="Effort weight",
            form_help="Weight of joint torques, against matching the recording.",
        ),
    ] = 1.0
    smoothness: Annotated[
        float,
        About(
            "Weight of a constant playback speed.",
            minimum=0.0,
            slider=(0, 4),
            advanced=True,
            label="Even speed",
        ),
    ] = 0.3


@dataclass(frozen=True, kw_only=True)
class SearchParameters(RequestParameters):
    """Parameters of a requested timing and of its search."""

    start: Annotated[
        TimeWarp | None,
        About("Warp to start the search from, such as the previous result during a drag."),
    ] = None
    watch: Annotated[
        Watch | None,
        About(
            "Function called after every step with the step number, p'^2 at the nodes and the "
            "objective. Return True to stop, or an array to continue from."
        ),
    ] = None
    most_change: Annotated[
        float | None,
        About("Maximum change of the playback speed per second of the result.", unit="1/s"),
    ] = None


@dataclass(frozen=True, kw_only=True)
class ModelWarpParameters(SearchParameters):
    """Parameters of a model's warp."""

    infeasible: Infeasible = "auto"


@dataclass(frozen=True, kw_only=True)
class PhysicsParameters(RequestParameters, ModelParameters, TimingParameters):
    """Parameters of physics-based retiming."""

    infeasible: Infeasible = "auto"
