"""Parameters of a table of lengths."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from retime.parameters import About, LoopParameters
from retime.times import ClipTime, Length, SourceTime


def _window(text: str) -> tuple[str, ...]:
    """Split ``A:B=TIME``; a comma is between times in minutes."""
    span, _, least = text.rpartition("=")
    return (*span.split("," if "," in span else ":"), least)


@dataclass(frozen=True, kw_only=True)
class LengthsParameters(LoopParameters):
    """Parameters of a table of lengths."""

    shortest: Annotated[
        Length | ClipTime, About("Shortest length.", unit="s", flag="from", metavar="TIME")
    ] = ClipTime(40.0, "%")
    longest: Annotated[
        Length | ClipTime, About("Longest length.", unit="s", flag="to", metavar="TIME")
    ] = ClipTime(250.0, "%")
    moments: Annotated[
        Mapping[str, Any] | Sequence[tuple[str, Any]],
        About("Source times with a name, such as hit=0.72s.", flag="moment", metavar="NAME=TIME"),
    ] = ()
    pins: Annotated[
        Mapping[str, Any] | Sequence[tuple[str, Any]],
        About(
            "Where a moment is in the output: a share of the length (hit=35%), a fixed time "
            "(hit=0.45s) or their sum (hit=0.1s+30%).",
            flag="pin",
            metavar="NAME=PLACE",
        ),
    ] = ()
    windows: Annotated[
        Sequence[tuple[SourceTime, SourceTime, Length]],
        About(
            "Let the source from A to B last at least a time at any length.",
            flag="window",
            metavar="A:B=TIME",
            parse=_window,
        ),
    ] = ()
    by: Annotated[
        Literal["guided", "physics"],
        About("Method that chooses the timing of each length.", label="Timing by"),
    ] = "guided"
    strength: Annotated[
        float,
        About(
            "How much more active moments keep their speed than still ones; 0 is uniform speed.",
            minimum=0.0,
            maximum=1.0,
        ),
    ] = 0.5
    rows: Annotated[
        int, About("Number of lengths that are solved.", minimum=2, maximum=64, advanced=True)
    ] = 7
    knots: Annotated[
        int,
        About("Number of intervals of source time.", minimum=4, maximum=512, advanced=True),
    ] = 32
