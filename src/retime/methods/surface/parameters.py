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
            "The surfaces: which joint is dragged, when and by how much; their ranges must not "
            "overlap.",
            metavar="FILE",
            widget="data",
        ),
    ] = field(default=(), kw_only=False)
    falloff: Annotated[
        Falloff,
        About(
            "What follows a drag: the whole limb, so that the hand or foot arrives in space, or "
            "each joint by its distance along the bones, as in the paper (joint)."
        ),
    ] = "limb"
    root: Annotated[
        RootMode,
        About(
            "What the root does: follow its weight, follow with its rotation only, or stay (lock), "
            "and the legs that are not dragged with it. 'auto' locks unless the whole body is "
            "dragged."
        ),
    ] = "auto"
    grips: Grips = True
    min_speed: Annotated[
        float,
        About(
            "Minimum playback speed of any joint; ranges widen to keep it, and drags are shortened "
            "where they cannot.",
            minimum=1e-3,
            maximum=0.99,
            advanced=True,
        ),
    ] = 0.1
    mode: Annotated[
        SurfaceMode,
        About(
            "Read a surface at its key pose, so that the drag is exact, or intersect it with the "
            "joints' paths as in the paper.",
            advanced=True,
        ),
    ] = "frozen"
    grid: Annotated[
        tuple[int, int],
        About(
            "Vertices of the surface, across and up, for pictures and intersection.",
            metavar="P,Q",
            advanced=True,
        ),
    ] = (30, 30)
    propagation: Annotated[
        Propagation,
        About(
            "How a drag fades before and after its moment: quintic, septic, or a table of shares.",
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
            "Stretch limbs towards where joints were at their own time, by this share.",
            minimum=0.0,
            maximum=1.0,
        ),
    ] = 0.0
    constraints: Constraints = "hold"
