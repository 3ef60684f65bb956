"""Parameters of time control surfaces."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from retime.body.solve.gripping import Grips
from retime.body.solve.holding import Constraints
from retime.methods.surface.keys import SurfaceKey
from retime.parameters import About, Choice, ClipRange, LoopParameters

__all__ = [
    "ControlParameters",
    "Falloff",
    "Propagation",
    "RootMode",
    "SurfaceMode",
    "SurfaceParameters",
    "SurfaceWarpParameters",
]

SurfaceMode = Literal["frozen", "intersection"]
Falloff = Literal["limb", "arm", "joint"]
RootMode = Literal["auto", "follow", "rotations", "lock"]
Propagation = str | Callable[..., Any] | Sequence[float]


@dataclass(frozen=True, kw_only=True)
class ControlParameters:
    """Parameters of a set of surfaces."""

    keys: Annotated[
        Sequence[SurfaceKey],
        About(
            "Drags: which joint, at what time and by how much. Their ranges must not overlap.",
            metavar="FILE",
            widget="data",
        ),
    ] = field(default=(), kw_only=False)
    falloff: Annotated[
        Falloff,
        About(
            "Joints that follow a drag.",
            choices=(
                Choice(
                    "limb",
                    "From the waist",
                    "all segments from the waist on; the joint arrives exactly",
                ),
                Choice("arm", "Arm only", "the limb alone; the trunk keeps its time"),
                Choice(
                    "joint", "By distance", "each by its distance along the bones, as in the paper"
                ),
            ),
        ),
    ] = "limb"
    root: Annotated[
        RootMode,
        About(
            "How the root follows a drag.",
            choices=(
                Choice("auto", "Automatic", "not at all, unless the whole body is dragged"),
                Choice("follow", "Follow", "fully"),
                Choice("rotations", "Rotation only", "with its rotation only"),
                Choice("lock", "Lock feet", "not at all, nor do legs that are not dragged"),
            ),
        ),
    ] = "auto"
    grips: Grips = True
    min_speed: Annotated[
        float,
        About(
            "Minimum playback speed of any joint. The range of a drag is widened, or the drag "
            "shortened, to keep it. The trunk may stop to be in time for two drags.",
            minimum=1e-3,
            maximum=0.99,
            advanced=True,
        ),
    ] = 0.1
    mode: Annotated[
        SurfaceMode,
        About(
            "How a surface shifts joints.",
            advanced=True,
            label="Evaluation",
            choices=(
                Choice(
                    "frozen", "Exact", "by its value at the key pose, so that the drag is exact"
                ),
                Choice(
                    "intersection",
                    "Intersection, as in the paper",
                    "by its intersection with the paths of joints, as in the paper",
                ),
            ),
        ),
    ] = "frozen"
    grid: Annotated[
        tuple[int, int],
        About(
            "Number of vertices of the surface, across and up, for pictures and intersection.",
            metavar="P,Q",
            advanced=True,
        ),
    ] = (30, 30)
    propagation: Annotated[
        Propagation,
        About(
            "Falloff of a drag in time. In Python, a table of weights also works.",
            metavar="quintic|septic",
            advanced=True,
            label="Falloff in time",
            choices=(
                Choice("quintic", "Smooth", "a polynomial of degree 5"),
                Choice("septic", "Smoother", "a polynomial of degree 7"),
            ),
            form_help="Falloff of a drag in time.",
        ),
    ] = "quintic"
    range: ClipRange = None


@dataclass(frozen=True, kw_only=True)
class SurfaceWarpParameters(ControlParameters, LoopParameters):
    """Parameters of the warp that surfaces make."""


@dataclass(frozen=True, kw_only=True)
class SurfaceParameters(SurfaceWarpParameters):
    """Parameters of surfaces as a step."""

    cartoon: Annotated[
        float,
        About(
            "Stretch limbs toward the source positions of their joints by this fraction.",
            minimum=0.0,
            maximum=1.0,
        ),
    ] = 0.0
    constraints: Constraints = "hold"
