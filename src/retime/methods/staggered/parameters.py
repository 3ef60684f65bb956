"""Parameters of staggered poses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Literal

from retime.body.contacts.given import ContactParameters
from retime.body.gripping import Grips
from retime.body.holding import Constraints
from retime.body.posing import Help
from retime.methods.staggered.channel import Fit
from retime.methods.staggered.history import PoseEdit
from retime.methods.staggered.value_edits import MOST_WEIGHT
from retime.parameters import About, RangeParameters, TimingParameters
from retime.times import Length, OutputTime, SourceTime

__all__ = ["FindingParameters", "StaggerParameters"]


@dataclass(frozen=True, kw_only=True)
class FindingParameters(ContactParameters, RangeParameters):
    """How the poses of a motion are found."""

    keep: Annotated[
        float | int | Sequence[float],
        About(
            "Poses to keep of those found: a share up to 1.0, a count, or times such as 0.4,1.2. "
            "The first and the last frame are always poses.",
            metavar="SHARE|N|T,T",
        ),
    ] = field(default=1.0, kw_only=False)
    max_turn: Annotated[
        float,
        About(
            "Fastest turn of any joint, relative to its fastest in the clip; staggering that needs "
            "more is eased.",
            minimum=1.0,
            slider=(1, 10),
            advanced=True,
        ),
    ] = 3.0
    max_refinement: Annotated[
        Length,
        About(
            "Largest timing refinement of a pose's part to look for.",
            unit="s",
            minimum=0.0,
            slider=(0, 0.5),
            advanced=True,
        ),
    ] = 0.25
    filter: Annotated[
        Length,
        About(
            "Smooth noisy joints first, by a Gaussian of this standard deviation.",
            unit="s",
            minimum=0.0,
            label="Noise filter",
            slider=(0, 0.5),
            advanced=True,
        ),
    ] = 0.0
    filter_joints: Annotated[
        Sequence[str],
        About(
            "Joints to smooth. Default: the spine's and the fingers'.",
            flag="filter-joint",
            metavar="NAME",
            advanced=True,
        ),
    ] = ()
    fit: Annotated[
        Fit,
        About(
            "How splines are fitted: in the logarithm's space, or by refining that.", advanced=True
        ),
    ] = "log"


@dataclass(frozen=True, kw_only=True)
class StaggerParameters(FindingParameters, TimingParameters):
    """Parameters of editing staggered poses; edits are made in the order of this list."""

    moves: Annotated[
        Sequence[tuple[SourceTime, OutputTime]],
        About(
            "Move the pose at time FROM to time TO, its parts with it.",
            unit="s",
            flag="move",
            metavar="FROM:TO",
        ),
    ] = ()
    succession: Annotated[
        Sequence[tuple[str, Length, float]],
        About(
            "Let each joint below JOINT arrive later, by S seconds times its depth to the POWER.",
            metavar="JOINT:S:POWER",
        ),
    ] = ()
    past_end: Annotated[
        bool,
        About(
            "Let succession run past the end: parts that have arrived hold, and the clip gets "
            "longer.",
            label="Succession past the end",
        ),
    ] = False
    jitter: Annotated[
        Length,
        About("Largest random shift of a pose's parts.", unit="s", minimum=0.0, slider=(0, 0.3)),
    ] = 0.0
    seed: Annotated[int, About("Seed of the random shifts.", minimum=0)] = 0
    overlap: Annotated[
        float,
        About(
            "Scale the timing refinements; 0 makes all parts arrive together.",
            minimum=0.0,
            slider=(0, 2),
        ),
    ] = 1.0
    exaggerate: Annotated[
        float,
        About(
            "Push poses away from what 'relative to' names, by this share.",
            minimum=-MOST_WEIGHT,
            maximum=MOST_WEIGHT,
            slider=(-1, 1),
        ),
    ] = 0.0
    keep_gravity: Annotated[
        bool,
        About("Let exaggerated jumps last longer, so that they fall as before."),
    ] = False
    relative_to: Annotated[
        Literal["average", "neighbours", "previous", "next"],
        About("What poses are exaggerated against."),
    ] = "average"
    relative_pose: Annotated[
        SourceTime | None,
        About(
            "Time of a pose to exaggerate against, in place of 'relative to'.",
            unit="s",
            advanced=True,
        ),
    ] = None
    reach: Annotated[
        Sequence[tuple[SourceTime, str, float, float, float]],
        About(
            "At the pose at TIME, bring JOINT (a hand, foot, head, elbow, knee or finger) to X, Y, "
            "Z in metres, Y up.",
            metavar="TIME:JOINT:X:Y:Z",
        ),
    ] = ()
    reach_help: Annotated[
        Help,
        About(
            "What helps to reach: the limb alone, torso and clavicles too, or the whole body over "
            "planted feet.",
            advanced=True,
        ),
    ] = "body"
    detail: Annotated[
        float, About("Scale the detail that the splines between poses leave out.", slider=(0, 2))
    ] = 1.0
    joints: Annotated[
        Sequence[str],
        About(
            "Joints or roles that jitter, overlap, exaggerate and detail act on. Default: all.",
            flag="joint",
            metavar="NAME",
        ),
    ] = ()
    edits: Annotated[
        Sequence[PoseEdit],
        About(
            "Further edits: a JSON list of objects with 'do' and its arguments.",
            metavar="FILE",
            widget="data",
        ),
    ] = ()
    constraints: Constraints = "hold"
    grips: Grips = True
