"""Parameters of secondary motion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated

from retime.body.solve.holding import Constraints
from retime.parameters import About, RangeParameters
from retime.times import Length


@dataclass(frozen=True, kw_only=True)
class SecondaryParameters(RangeParameters):
    """Parameters of secondary motion."""

    strength: Annotated[
        float,
        About(
            "Amount of lag, overshoot and settling; 0 keeps the motion unchanged.",
            minimum=0.0,
            maximum=5.0,
            slider=(0, 2),
            ends=("Stiff", "Loose"),
        ),
    ] = field(default=1.0, kw_only=False)
    joints: Annotated[
        Sequence[str],
        About(
            "Joint or role that follows, with all joints below it. Default: arms, tails, hair and "
            "other loose parts.",
            flag="joint",
            metavar="NAME",
        ),
    ] = ()
    frequency: Annotated[
        float,
        About(
            "Natural frequency of a part; lower values look heavier and lag more.",
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
            "Damping ratio: below 1 a part overshoots, from 1 on it only lags.",
            minimum=0.01,
            maximum=10.0,
            slider=(0.05, 1.5),
        ),
    ] = 0.4
    drag: Annotated[
        float,
        About(
            "Decrease of the frequency with each joint down a chain, so that the tip arrives last.",
            label="Tip lag",
            minimum=0.0,
            maximum=0.9,
            slider=(0, 0.5),
        ),
    ] = 0.15
    chains: Annotated[
        Sequence[tuple[str, float, float]],
        About(
            "Frequency in Hz and damping of the chain that starts at JOINT.",
            flag="chain",
            metavar="JOINT:HZ:DAMPING",
            form_help="Frequency and damping of the chain that starts at a joint.",
        ),
    ] = ()
    fade: Annotated[
        Length,
        About(
            "Fade-in and fade-out time at the ends of a range.",
            unit="s",
            minimum=0.0,
            slider=(0, 0.5),
            advanced=True,
        ),
    ] = 0.2
    constraints: Constraints = "hold"
