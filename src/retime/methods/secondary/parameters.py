"""Parameters of secondary motion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated

from retime.body.holding import Constraints
from retime.parameters import About, RangeParameters
from retime.times import Length

__all__ = ["SecondaryParameters"]


@dataclass(frozen=True, kw_only=True)
class SecondaryParameters(RangeParameters):
    """Parameters of secondary motion."""

    strength: Annotated[
        float,
        About(
            "How much of the lag, overshoot and settling is added; 0 leaves the motion as it is.",
            minimum=0.0,
            maximum=5.0,
            slider=(0, 2),
            ends=("stiff", "loose"),
        ),
    ] = field(default=1.0, kw_only=False)
    joints: Annotated[
        Sequence[str],
        About(
            "Joints or roles that follow, with all that hangs on them. Default: the arms, and "
            "tails, hair and other parts that are no limb.",
            flag="joint",
            metavar="NAME",
        ),
    ] = ()
    frequency: Annotated[
        float,
        About(
            "How often a part would swing by itself; lower is heavier and later.",
            unit="Hz",
            minimum=0.05,
            maximum=60.0,
            slider=(0.5, 8),
            step=0.1,
        ),
    ] = 2.5
    damping: Annotated[
        float,
        About(
            "How soon it settles: below 1 it overshoots, from 1 on it only lags.",
            minimum=0.01,
            maximum=10.0,
            slider=(0.05, 1.5),
        ),
    ] = 0.4
    drag: Annotated[
        float,
        About(
            "By what share the frequency falls with each joint down a chain; the ends come last.",
            minimum=0.0,
            maximum=0.9,
            slider=(0, 0.5),
        ),
    ] = 0.15
    chains: Annotated[
        Sequence[tuple[str, float, float]],
        About(
            "Give the chain that starts at JOINT a frequency in Hz and a damping of its own.",
            flag="chain",
            metavar="JOINT:HZ:DAMPING",
        ),
    ] = ()
    fade: Annotated[
        Length,
        About(
            "Time over which the change fades in and out at the ends of a range.",
            unit="s",
            minimum=0.0,
            slider=(0, 0.5),
            advanced=True,
        ),
    ] = 0.2
    constraints: Constraints = "touched"
