"""Parameters of guided time warping."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from retime.errors import InputError
from retime.notes import Note, Remedy
from retime.parameters import (
    About,
    Choice,
    Keytimes,
    LockedSpans,
    LoopParameters,
    Rates,
    TimingParameters,
)
from retime.times import Length, ReferenceTime, SourceTime
from retime.timing import TimeWarp

MOST_UPSAMPLING = 16
MOST_SPEED = 64.0
# (start s, end s, slowest, fastest): playback speeds allowed between two source times.
Limit = tuple[SourceTime, SourceTime, float, float]
FreeLength = Annotated[
    Length | Literal["free"] | None,
    About(
        "Length of the result from its first to its last frame (48f writes 49 frames), or "
        "free to let the reference decide. Default: the source's length.",
        unit="s",
        metavar="TIME|free",
        choices=(Choice("free", "Free"),),
        ends=("", ""),
    ),
]
Strength = Annotated[
    float,
    About(
        "How unevenly the change in length is spread: 0 is uniform speed, except that flights "
        "keep their speed; 1 trims idle time and keeps actions.",
        minimum=0.0,
        maximum=1.0,
        slider=(0, 1),
        step=0.05,
        ends=("Uniform", "Keep actions"),
    ),
]
MaxSpeed = Annotated[
    float,
    About(
        "Maximum playback speed relative to the source.",
        minimum=1.0,
        maximum=MOST_SPEED,
        unit="×",
        slider=(1, 8),
        step=0.1,
    ),
]
MinSpeed = Annotated[
    float | None,
    About(
        "Minimum playback speed relative to the source.",
        minimum=0.0,
        maximum=64.0,
        unit="×",
        slider=(0, 1),
        advanced=True,
    ),
]
SpeedLimits = Annotated[
    Sequence[Limit],
    About(
        "Between source times A and B, allow only playback speeds from SLOW to FAST.",
        flag="speed-limit",
        metavar="A:B:SLOW:FAST",
        advanced=True,
        label="Speed limits by part",
        form_help="Slowest and fastest playback speed allowed in a part of the source.",
    ),
]


@dataclass(frozen=True, kw_only=True)
class WarpParameters(LoopParameters):
    """Parameters of the warp, for motions and other signals."""

    duration: FreeLength = None
    keytimes: Keytimes = ()
    strength: Strength = 0.4
    locked: LockedSpans = ()
    rates: Rates = ()
    max_speed: MaxSpeed = 8.0
    min_speed: MinSpeed = None
    speed_limits: SpeedLimits = ()
    influence: Annotated[
        float,
        About(
            "Blend from the spline through the keytimes (0) to the guided warp (1).",
            minimum=0.0,
            maximum=1.0,
            ends=("Spline", "Guided"),
            advanced=True,
        ),
    ] = 1.0
    backwards: Annotated[bool, About("Play the clip backwards.", advanced=True)] = False
    similarity: Annotated[
        float,
        About(
            "Distance below which two poses count as similar, in body heights: an edited part is "
            "copied to moments with such poses.",
            minimum=0.001,
            maximum=1.0,
            slider=(0.02, 0.2),
            step=0.01,
            advanced=True,
        ),
    ] = 0.1
    formulation: Annotated[
        Literal["smooth", "paper"],
        About(
            "How playback speeds are chosen.",
            advanced=True,
            choices=(
                Choice("smooth", "Gradual speed changes", "change speed gradually"),
                Choice(
                    "paper",
                    "Whole frames, as in the paper",
                    "choose whole frames and average them, as in the paper",
                ),
            ),
        ),
    ] = "smooth"
    neighbours: Annotated[
        int,
        About(
            "Paper's formulation: number of reference frames to compare each frame with.",
            minimum=1,
            maximum=3,
            advanced=True,
            label="Poses compared",
        ),
    ] = 3
    upsample: Annotated[
        int | None,
        About(
            "Paper's formulation: input frames per output frame; 4 allows a quarter of the speed. "
            "Default: chosen from the change in length.",
            minimum=1,
            maximum=MOST_UPSAMPLING,
            advanced=True,
        ),
    ] = None
    frame_cost: Annotated[
        float,
        About(
            "Paper's formulation: cost of each frame if the duration is free. Higher values give "
            "a shorter result.",
            advanced=True,
            slider=(0, 2),
            label="Cost of each frame",
        ),
    ] = 0.0

    def __post_init__(self) -> None:
        of_paper = self.formulation == "paper"
        for name in _OF_ONE["smooth" if of_paper else "paper"]:
            if getattr(self, name) != getattr(type(self), name):
                paper, other = "the paper's formulation", "gradual speed changes"
                raise InputError(
                    Note(
                        f"{name} belongs to {other if of_paper else paper}",
                        Remedy(
                            "leave it out, or choose that formulation",
                            parameter="formulation",
                            value="smooth" if of_paper else "paper",
                        ),
                        code="other-formulation",
                        name=name,
                    )
                )


# Parameters of one formulation only.
_OF_ONE = {
    "smooth": ("strength", "rates", "locked", "speed_limits"),
    "paper": ("neighbours", "upsample", "frame_cost"),
}


@dataclass(frozen=True, kw_only=True)
class GuidedParameters(WarpParameters, TimingParameters):
    """Parameters of guided time warping of a motion."""

    reference: Annotated[
        Any,
        About(
            "Reference clip or folder to copy timing from. Default: the clip itself.",
            metavar="PATH",
            widget="motions",
        ),
    ] = None
    reference_range: Annotated[
        tuple[ReferenceTime, ReferenceTime] | None,
        About(
            "Use only this part of the reference, from A to B.",
            unit="s",
            metavar="A:B",
            advanced=True,
            label="Part of the reference",
            form_help="Use only this part of the reference.",
        ),
    ] = None
    reference_warp: Annotated[
        TimeWarp | None,
        About(
            "Warp to apply to the reference first. Without a reference it is an edit of the clip "
            "by hand, and all similar parts copy it.",
            metavar="FILE",
            widget="data",
            advanced=True,
            label="Warp of the reference",
        ),
    ] = None
    except_flights: Annotated[
        Sequence[SourceTime],
        About(
            "Time in a flight that does not copy the edited flight.",
            unit="s",
            flag="except-flight",
            metavar="TIME",
            advanced=True,
            label="Flights left alone",
        ),
    ] = ()


@dataclass(frozen=True, kw_only=True)
class SignalParameters(WarpParameters):
    """Parameters of guided time warping of any signal."""

    fps: Annotated[float, About("Samples per second of signal and reference.", unit="Hz")]
    reference: Annotated[
        Any,
        About("Array (R, D) to copy timing from. Default: the signal itself.", widget="data"),
    ] = None
    start: Annotated[float, About("Time of the first sample.", unit="s")] = 0.0
