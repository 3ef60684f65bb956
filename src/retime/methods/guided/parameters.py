"""Parameters of guided time warping."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from retime.parameters import About, Keytimes, LoopParameters, TimingParameters
from retime.times import Length, ReferenceTime, SourceTime
from retime.timing import TimeWarp

__all__ = ["MOST_UPSAMPLING", "GuidedParameters", "Limit", "SearchParameters", "SignalParameters"]

MOST_UPSAMPLING = 16
# (start s, end s, slowest, fastest): playback speeds allowed between two source times.
Limit = tuple[SourceTime, SourceTime, float, float]


@dataclass(frozen=True, kw_only=True)
class SearchParameters(LoopParameters):
    """Parameters of the search, whatever signal it is for."""

    duration: Annotated[
        Length | Literal["free"] | None,
        About(
            "Length of the result; 'free' lets the reference decide. Default: the clip's own.",
            unit="s",
            metavar="TIME|free",
            ends=("", ""),
        ),
    ] = None
    keytimes: Keytimes = ()
    max_speed: Annotated[
        float,
        About(
            "Maximum playback speed relative to the source.",
            minimum=1.0,
            maximum=64.0,
            unit="×",
            slider=(1, 8),
            step=0.1,
        ),
    ] = 8.0
    min_speed: Annotated[
        float | None,
        About(
            "Minimum playback speed relative to the source.",
            minimum=0.0,
            maximum=64.0,
            unit="×",
            slider=(0, 1),
            advanced=True,
        ),
    ] = None
    speed_limits: Annotated[
        Sequence[Limit],
        About(
            "Between source times A and B, allow only playback speeds from SLOW to FAST.",
            flag="speed-limit",
            metavar="A:B:SLOW:FAST",
            advanced=True,
        ),
    ] = ()
    influence: Annotated[
        float,
        About(
            "Blend from the spline through the keytimes (0) to the guided warp (1).",
            minimum=0.0,
            maximum=1.0,
            ends=("Spline", "Guided"),
        ),
    ] = 1.0
    backwards: Annotated[bool, About("Play the clip backwards.", advanced=True)] = False
    speed_change_cost: Annotated[
        float,
        About("Cost of changing speed; 0.3 avoids sudden changes.", minimum=0.0, slider=(0, 1)),
    ] = 0.0
    frame_cost: Annotated[
        float,
        About(
            "Cost of each frame of a free duration; more makes it shorter.",
            advanced=True,
            slider=(0, 2),
        ),
    ] = 0.0
    neighbours: Annotated[
        int,
        About(
            "Reference frames that each frame is compared with.",
            minimum=1,
            maximum=3,
            advanced=True,
        ),
    ] = 3
    upsample: Annotated[
        int | None,
        About(
            "Input frames per output frame; 4 allows a quarter of the speed. Default: chosen by "
            "how much the clip is stretched.",
            minimum=1,
            maximum=MOST_UPSAMPLING,
            advanced=True,
        ),
    ] = None
    search_fps: Annotated[
        float,
        About(
            "Frame rate of the search.",
            unit="Hz",
            minimum=1,
            maximum=480,
            label="Search rate",
            step=1,
            advanced=True,
        ),
    ] = 30.0
    average: Annotated[
        Length,
        About(
            "Window of the moving average over the warp.",
            unit="s",
            minimum=0.0,
            maximum=2.0,
            slider=(0, 1),
            advanced=True,
        ),
    ] = 1 / 6
    search: Annotated[
        Literal["exact", "coarse"],
        About(
            "Find the best warp, or refine what a search at 5 Hz finds (the paper's heuristic).",
            advanced=True,
        ),
    ] = "exact"
    precision: Annotated[
        Literal["double", "single"],
        About(
            "Precision of distance computations; 'single' is faster, accurate to about 0.1 %.",
            advanced=True,
        ),
    ] = "double"


@dataclass(frozen=True, kw_only=True)
class GuidedParameters(SearchParameters, TimingParameters):
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
        ),
    ] = None
    reference_warp: Annotated[
        TimeWarp | None,
        About(
            "Warp the reference first, for example by an edit of one cycle that the others are to "
            "follow.",
            metavar="FILE",
            widget="data",
            advanced=True,
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class SignalParameters(SearchParameters):
    """Parameters of guided time warping of any signal."""

    fps: Annotated[float, About("Samples per second of signal and reference.", unit="Hz")]
    reference: Annotated[
        Any,
        About("Array (R, D) to copy timing from. Default: the signal itself.", widget="data"),
    ] = None
    start: Annotated[float, About("Time of the first sample.", unit="s")] = 0.0
