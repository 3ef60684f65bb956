"""Parameters of staggered poses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Literal

from retime.body.contacts.given import ContactParameters
from retime.body.solve.gripping import Grips
from retime.body.solve.holding import Constraints
from retime.body.solve.posing import Help
from retime.methods.staggered.channel import Fit
from retime.methods.staggered.edits.history import PoseEdit
from retime.methods.staggered.edits.timing_edits import Lead
from retime.methods.staggered.edits.value_edits import MOST_WEIGHT
from retime.parameters import About, Choice, RangeParameters, TimingParameters
from retime.times import Length, OutputTime, SourceTime

__all__ = ["FindingParameters", "StaggerParameters"]

Limited = Literal["on", "off"]


@dataclass(frozen=True, kw_only=True)
class FindingParameters(ContactParameters, RangeParameters):
    """Parameters of finding the poses of a motion."""

    keep: Annotated[
        float | int | Sequence[float],
        About(
            "Key poses to keep: a fraction up to 1.0, a count, or times such as 0.4,1.2. "
            "The first and the last frame are always kept.",
            metavar="SHARE|N|T,T",
            label="Keep poses",
            form_help=(
                "Poses to keep, as a fraction up to 1 or as a number. The first and the last "
                "frame are always kept."
            ),
        ),
    ] = field(default=1.0, kw_only=False)
    limits: Annotated[
        Limited,
        About(
            "Keep body parts within limits of speed, and near enough in time to their neighbours; "
            "off gives exactly what is asked, as loose as it looks.",
            advanced=True,
            choices=(
                Choice("on", "On", "keep them"),
                Choice("off", "Off", "give what is asked"),
            ),
        ),
    ] = "on"
    max_refinement: Annotated[
        Length,
        About(
            "Largest timing offset of a body part to detect at a pose.",
            unit="s",
            minimum=0.0,
            slider=(0, 0.5),
            advanced=True,
        ),
    ] = 0.25
    filter: Annotated[
        Length,
        About(
            "Smooth noisy joints first, with a Gaussian of this standard deviation.",
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
            "Joint to smooth. Default: spine and fingers.",
            flag="filter-joint",
            metavar="NAME",
            advanced=True,
        ),
    ] = ()
    fit: Annotated[
        Fit,
        About(
            "How splines are fitted to the motion.",
            label="Spline fit",
            advanced=True,
            choices=(
                Choice("log", "Fast", "fit the logarithms of rotations"),
                Choice("levenberg-marquardt", "Precise", "also refine the fit; slower"),
            ),
        ),
    ] = "log"


@dataclass(frozen=True, kw_only=True)
class StaggerParameters(FindingParameters, TimingParameters):
    """Parameters of editing staggered poses; edits are made in the order of this list."""

    moves: Annotated[
        Sequence[tuple[SourceTime, OutputTime]],
        About(
            "Move the pose at time FROM to time TO.",
            unit="s",
            flag="move",
            metavar="FROM:TO",
            form_help="Move the pose at one time to another.",
        ),
    ] = ()
    succession: Annotated[
        Sequence[tuple[str, Length, float]],
        About(
            "Delay each joint below JOINT by S seconds times its depth to the POWER.",
            metavar="JOINT:S:POWER",
            form_help=(
                "Delay each joint below a joint: by the delay times its depth, raised to the "
                "growth."
            ),
        ),
    ] = ()
    lead: Annotated[
        Lead,
        About(
            "Joints that lead a succession from the hips. With hips, the root and the hips arrive "
            "one step before the legs, and planted feet stay in place.",
            advanced=True,
            choices=(
                Choice("none", "Nothing", "hips and legs have one time"),
                Choice("hips", "Hips", "root and hips arrive first"),
            ),
        ),
    ] = "none"
    past_end: Annotated[
        bool,
        About(
            "Let succession run past the end: parts that have arrived hold, and the clip gets "
            "longer.",
            label="Past the end",
            advanced=True,
        ),
    ] = False
    jitter: Annotated[
        Length,
        About("Maximum random time shift of body parts.", unit="s", minimum=0.0, slider=(0, 0.3)),
    ] = 0.0
    seed: Annotated[int, About("Seed of the random shifts.", minimum=0)] = 0
    overlap: Annotated[
        float,
        About(
            "Scale the timing offsets of body parts; 0 makes all parts arrive together.",
            minimum=0.0,
            slider=(0, 2),
        ),
    ] = 1.0
    exaggerate: Annotated[
        float,
        About(
            "Exaggerate poses by this fraction, relative to the pose chosen by 'relative to'.",
            minimum=-MOST_WEIGHT,
            maximum=MOST_WEIGHT,
            slider=(-1, 1),
        ),
    ] = 0.0
    travel: Annotated[
        float,
        About(
            "Exaggerate the path over the ground by this fraction; -1 stays in place. Feet are "
            "planted along the new path.",
            minimum=-1.0,
            maximum=MOST_WEIGHT,
            slider=(-1, 1),
            advanced=True,
        ),
    ] = 0.0
    keep_gravity: Annotated[
        bool,
        About("Make exaggerated jumps longer, so that they still fall with gravity."),
    ] = False
    relative_to: Annotated[
        Literal["average", "neighbours", "previous", "next"],
        About(
            "Pose to exaggerate away from.",
            choices=(
                Choice("average", "Average pose"),
                Choice("neighbours", "Neighbouring poses"),
                Choice("previous", "Previous pose"),
                Choice("next", "Next pose"),
            ),
        ),
    ] = "average"
    relative_pose: Annotated[
        SourceTime | None,
        About(
            "Time of a pose to exaggerate away from, in place of 'relative to'.",
            unit="s",
            advanced=True,
        ),
    ] = None
    reach: Annotated[
        Sequence[tuple[SourceTime, str, float, float, float]],
        About(
            "Move JOINT to X, Y, Z at the pose at TIME, in metres with Y up. JOINT is a hand, "
            "foot, head, elbow, knee or finger.",
            metavar="TIME:JOINT:X:Y:Z",
            form_help=(
                "Move a hand, foot, head, elbow, knee or finger to a place at a pose, in metres "
                "with Y up."
            ),
        ),
    ] = ()
    reach_help: Annotated[
        Help,
        About(
            "Joints that move to reach the target.",
            advanced=True,
            choices=(
                Choice("limb", "Limb", "the limb alone"),
                Choice("torso", "Torso", "the limb and the torso"),
                Choice("body", "Whole body", "the whole body with planted feet"),
            ),
        ),
    ] = "body"
    detail: Annotated[
        float, About("Scale the detail between poses; 0 removes it.", slider=(0, 2))
    ] = 1.0
    joints: Annotated[
        Sequence[str],
        About(
            "Joint or role to edit with jitter, overlap, exaggerate and detail. Default: all.",
            flag="joint",
            metavar="NAME",
        ),
    ] = ()
    edits: Annotated[
        Sequence[PoseEdit],
        About(
            "JSON list of further edits: objects with 'do' and its arguments.",
            metavar="FILE",
            widget="data",
            form_help="Further edits, in the order in which they are made.",
        ),
    ] = ()
    constraints: Constraints = "hold"
    grips: Grips = True
