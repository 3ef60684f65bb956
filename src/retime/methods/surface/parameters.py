"""Parameters of time control surfaces."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from retime.body.gripping import Grips
from retime.body.holding import Constraints
from retime.methods.surface.keys import SurfaceKey
from retime.parameters import About, ClipRange, LoopParameters

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
Falloff = Literal["limb", "joint"]
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
            "Joints that follow a drag: the whole limb, or each joint by its distance along the "
            "bones as in the paper (joint). With limb, the hand or foot in space arrives on time."
        ),
    ] = "limb"
    root: Annotated[
        RootMode,
        About(
            "How the root follows a drag: fully, with its rotation only, or not at all (lock). "
            "lock also keeps the legs that are not dragged. auto locks unless the whole body is "
            "dragged."
        ),
    ] = "auto"
    grips: Grips = True
    min_speed: Annotated[
        float,
        About(
            "Minimum playback speed of any joint. The range of a drag is widened, or the drag "
            "shortened, to keep it.",
            minimum=1e-3,
            maximum=0.99,
            advanced=True,
        ),
    ] = 0.1
    mode: Annotated[
        SurfaceMode,
        About(
            "Evaluate a surface at its key pose, so that the drag is exact (frozen), or intersect "
            "it with the paths of the joints as in the paper (intersection).",
            advanced=True,
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
            "Falloff of a drag in time: quintic, septic, or a table of weights.",
            metavar="NAME",
            advanced=True,
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
