"""Time control surfaces as a warp, and as a step with its fixes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from retime.body.holding import Constraints, contact_fixes
from retime.methods.surface.cartoon import cartoon_fix
from retime.methods.surface.keys import SurfaceKey
from retime.methods.surface.placing import RootMode
from retime.methods.surface.surfaces import ControlSurfaces, SurfaceMode
from retime.motion import Motion
from retime.motion.edits import Edit
from retime.motion.memory import last
from retime.parameters import Range, RangeParameters, build, parameter, same
from retime.timing import TimeWarp

__all__ = ["SurfaceParameters", "surface", "surface_warp"]


@dataclass(frozen=True, kw_only=True)
class SurfaceParameters(RangeParameters):
    """Parameters of time control surfaces."""

    keys: tuple[SurfaceKey, ...] = parameter(
        (), help="The surfaces: what is dragged, when, by how much.", metavar="FILE"
    )
    mode: Literal["frozen", "intersection"] = parameter(
        "frozen",
        help="Read a surface at its key pose, and the drag is exact; or intersect it with paths.",
    )
    min_slope: float = parameter(
        0.1, help="No part's time runs slower than this.", minimum=1e-3, maximum=0.99
    )
    root: Literal["auto", "follow", "rotations", "lock"] = parameter(
        "auto",
        help="The root follows its weight, by its rotation only, or stays, the legs with it.",
    )
    grid: tuple[int, int] = parameter(
        (30, 30),
        help="Vertices of the surface, across and up: for pictures and intersection.",
        metavar="P,Q",
    )
    propagation: str | Callable[..., Any] | tuple[float, ...] = parameter(
        "quintic", help="How a drag fades: quintic, septic, or a table of shares.", metavar="NAME"
    )
    cartoon: float = parameter(
        0.0,
        help="Stretch limbs to where joints were at their own time, by this share.",
        minimum=0.0,
        maximum=1.0,
    )
    constraints: Constraints = parameter(
        "hold", help="Hold all feet where they stood, those that the edit touches, or none."
    )


def surface_warp(
    motion: Motion,
    keys: Iterable[SurfaceKey],
    *,
    mode: SurfaceMode = "frozen",
    min_slope: float = 0.1,
    root: RootMode = "auto",
    grid: tuple[int, int] = (30, 30),
    propagation: Any = "quintic",
    range: Range | None = None,
    loop: bool = False,
) -> TimeWarp:
    """Move joints' actions in time by dragging surfaces; what is near in the body follows.

    Parameters
    ----------
    motion : Motion
        The motion.
    keys : sequence of SurfaceKey
        The surfaces; their ranges must not overlap.
    mode : {"frozen", "intersection"}
        Read each surface at its key pose, so that the dragged joint arrives exactly; or intersect
        it with the joints' paths, as the paper has it.
    min_slope : float
        No part's time runs slower than this; ranges widen for it, and drags are cut where they
        cannot, which is said.
    root : {"auto", "follow", "rotations", "lock"}
        The root follows its weight, by its rotation only, or stays, and the legs that are not
        dragged with it; auto locks unless the whole body is dragged.
    grid : (int, int)
        Vertices of a surface, across and up.
    propagation : {"quintic", "septic"}, table or callable
        How a drag fades before and after its moment.
    range : (float, float), optional
        The part of the clip that may change, seconds.
    loop : bool
        The clip is a cycle.

    Examples
    --------
    >>> from retime import SurfaceKey, samples, surface_warp
    >>> key = SurfaceKey(time=1.0, joint="RightHand", shift=-0.1)
    >>> warp = surface_warp(samples.punches(), [key])
    >>> round(float(warp(0.9, "RightHand")), 9)  # the hand's pose of 1.0 s arrives at 0.9 s
    1.0
    """
    found = ControlSurfaces(
        motion, keys, mode=mode, min_slope=min_slope, root=root, grid=grid,
        propagation=propagation, range=range,
    )  # fmt: skip
    return found.warp().looped(loop)


def control_surfaces(motion: Motion, p: SurfaceParameters) -> ControlSurfaces:
    """Return the surfaces that a step stands for; the last stay with the motion, to be shown."""
    fading: Any = p.propagation  # what it may be is checked where it is used

    def make() -> ControlSurfaces:
        return ControlSurfaces(
            motion, p.keys, mode=p.mode, min_slope=p.min_slope, root=p.root, grid=p.grid,
            propagation=fading, range=p.range,
        )  # fmt: skip

    return last(motion, "control surfaces", p, make, same=same)


def surface(
    motion: Motion,
    *,
    keys: Sequence[SurfaceKey] = (),
    mode: SurfaceMode = "frozen",
    min_slope: float = 0.1,
    root: RootMode = "auto",
    grid: tuple[int, int] = (30, 30),
    propagation: Any = "quintic",
    cartoon: float = 0.0,
    constraints: Constraints = "hold",
    range: Range | None = None,
    loop: bool = False,
) -> Edit:
    """Move joints' actions as a step; parameters are those of :class:`SurfaceParameters`."""
    values = {name: value for name, value in locals().items() if name != "motion"}
    p = build(SurfaceParameters, values)
    warp = control_surfaces(motion, p).warp().looped(p.loop)
    stretch = (cartoon_fix(p.cartoon),) if p.cartoon else ()
    return Edit(warp=warp, fixes=(*stretch, *contact_fixes(p.constraints)))
