"""Parameters of physics-based retiming."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from retime.body.contacts.given import ContactParameters
from retime.methods.physics.sayings import EARTH, parse_load, parse_share
from retime.motion import Motion
from retime.parameters import About, Keytimes, LoopParameters, Rates, TimingParameters
from retime.times import Length, SourceTime
from retime.timing import TimeWarp

__all__ = [
    "ModelParameters",
    "ModelWarpParameters",
    "PhysicsParameters",
    "RequestParameters",
    "SearchParameters",
    "TorqueLimits",
    "Watch",
]

TorqueLimits = Literal["observed"] | float | Mapping[str, float] | Callable[[Motion], Any]
Objective = Literal["auto", "match", "effort", "load"] | tuple[Motion, TimeWarp]
Watch = Callable[..., Any]

Strict = Annotated[
    bool,
    About(
        "Refuse a duration that is not feasible, instead of taking the best there is.",
        advanced=True,
    ),
]


@dataclass(frozen=True, kw_only=True)
class ModelParameters(ContactParameters):
    """What a figure's physics is made of."""

    gravity: Annotated[
        float | tuple[float, float, float] | str,
        About(
            "Gravity: a size, a share such as 0.5g, x,y,z, or a direction of the figure such as "
            "left:9.81.",
            unit="m/s²",
            metavar="G",
            presets=(("earth", EARTH), ("moon", 1.62), ("mars", 3.71)),
        ),
    ] = EARTH
    gravity_from: Annotated[
        Literal["auto", "recording", "gravity"],
        About(
            "What to believe where a recorded flight does not fall with 9.81 m/s²: auto brings "
            "clear cases to gravity, recording keeps its timing, gravity corrects all flights.",
            label="Trust recording or gravity",
        ),
    ] = "auto"
    fit_flights: Annotated[
        Literal["timing", "height"],
        About(
            "Let flights fall with gravity by their timing, or keep the timing and change how "
            "high they go.",
            label="Fit jumps by",
        ),
    ] = "timing"
    mass: Annotated[
        float | None,
        About(
            "Mass of the whole figure. Default: by height for a person, else by the bones' "
            "volume as water.",
            unit="kg",
            minimum=0.001,
            step=0.5,
        ),
    ] = None
    mass_scale: Annotated[
        Mapping[str, float] | Sequence[tuple[str, float]],
        About(
            "Scale a segment's mass, by joint or role.",
            metavar="JOINT=FACTOR",
            label="Heavier parts",
        ),
    ] = ()
    load: Annotated[
        Sequence[tuple[str, float]],
        About(
            "Carry a load that the recording did not: kilograms and where, as 15kg@chest "
            "(backpack, hands, a joint or a role).",
            unit="kg",
            metavar="KG@WHERE",
            parse=parse_load,
        ),
    ] = ()
    centre_shift: Annotated[
        Sequence[tuple[str, tuple[float, float, float]]],
        About(
            "Move a segment's centre of mass, by joint or role, along its joint's axes.",
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
            "Strength of all joints relative to the torque limits, as 70% or 0.7.",
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
            "Largest torque of all joints, or 'observed': the largest that the clip needs, times "
            "the limit factor.",
            unit="N·m",
            metavar="NM",
            step=1,
            advanced=True,
            label="Largest torque",
        ),
    ] = "observed"
    limit_factor: Annotated[
        float,
        About(
            "Factor on the torques that the clip needs.",
            unit="×",
            minimum=0.01,
            slider=(1, 4),
            step=0.1,
            advanced=True,
            label="Reserve of strength",
        ),
    ] = 1.5
    limit_clips: Annotated[
        Sequence[Any],
        About(
            "Further clip of the same figure whose torques count as observed.",
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
            "Force on the root that needs no source, in body weights (half of it sideways): "
            "tolerance for noise.",
            minimum=1e-6,
            advanced=True,
            label="Tolerance of forces",
        ),
    ] = 0.1
    acceleration_limit: Annotated[
        float | None,
        About(
            "Largest angular acceleration of a joint about each axis.",
            unit="rad/s²",
            minimum=0.1,
            step=1,
            advanced=True,
        ),
    ] = None
    body_data: Annotated[
        Mapping[str, Any] | None,
        About(
            "Known masses, centres, radii and limits, by joint or role.",
            metavar="FILE",
            widget="data",
            advanced=True,
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class RequestParameters(LoopParameters):
    """What is asked of a timing."""

    duration: Annotated[
        Length | Literal["free"] | None,
        About(
            "Length of the result; 'free' lets physics decide. Default: the clip's own.",
            unit="s",
            metavar="TIME|free",
            ends=("", ""),
        ),
    ] = None
    keytimes: Keytimes = ()
    rates: Rates = ()
    joint_speeds: Annotated[
        Sequence[tuple[SourceTime, str, float]],
        About(
            "Give a joint the speed V, in m/s, at the source's moment SRC.",
            flag="joint-speed",
            metavar="SRC:JOINT:V",
            advanced=True,
        ),
    ] = ()
    objective: Annotated[
        Objective,
        About(
            "Match the recorded torques (match), use as little effort as possible (effort), bear "
            "changed masses and match the torque of moving (load), or take over the torques of "
            "another motion by a warp from this one's time to its; auto matches, or bears a load "
            "where there is one.",
            label="Aim",
        ),
    ] = "auto"
    alpha: Annotated[
        float,
        About(
            "Weight of feasibility (14).",
            minimum=0.0,
            step=1,
            advanced=True,
            label="Weight of the possible",
        ),
    ] = 10000.0
    beta: Annotated[
        float,
        About("Weight of torques (14).", minimum=0.0, advanced=True, label="Weight of the effort"),
    ] = 1.0
    smoothness: Annotated[
        float,
        About(
            "Weight of an even playback speed.",
            minimum=0.0,
            slider=(0, 4),
            advanced=True,
            label="Even speed",
        ),
    ] = 0.3


@dataclass(frozen=True, kw_only=True)
class SearchParameters(RequestParameters):
    """What is asked of a timing, and how it is looked for."""

    start: Annotated[
        TimeWarp | None,
        About("Timing to start from, such as the last one before a keytime was dragged."),
    ] = None
    watch: Annotated[
        Watch | None,
        About(
            "Called after every step with its number, p'^2 at the nodes and the objective; true "
            "ends the search, and an array goes on from there."
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class ModelWarpParameters(SearchParameters):
    """Parameters of a model's warp."""

    strict: Strict = False


@dataclass(frozen=True, kw_only=True)
class PhysicsParameters(RequestParameters, ModelParameters, TimingParameters):
    """Parameters of physics-based retiming."""

    strict: Strict = False
