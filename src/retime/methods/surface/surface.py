"""Time control surfaces as a warp, and as a step with its fixes."""

from __future__ import annotations

from dataclasses import replace

from retime.body.solve.holding import contact_fixes
from retime.keywords import takes
from retime.methods.surface.cartoon import cartoon_fix
from retime.methods.surface.parameters import (
    ControlParameters,
    SurfaceParameters,
    SurfaceWarpParameters,
)
from retime.methods.surface.surfaces import ControlSurfaces
from retime.motion import Motion
from retime.motion.edits import Edit
from retime.motion.memory import last
from retime.parameters import same, values_of
from retime.timing import TimeWarp

__all__ = ["control_surfaces", "surface", "surface_warp"]


@takes(SurfaceWarpParameters)
def surface_warp(motion: Motion, p: SurfaceWarpParameters) -> TimeWarp:
    """Return the warp that moves actions of joints in time; neighbouring joints follow.

    Parameters
    ----------
    motion : Motion
        The motion.

    Examples
    --------
    >>> from retime import SurfaceKey, samples
    >>> from retime.methods.surface import surface_warp
    >>> key = SurfaceKey(time=1.0, joint="RightHand", shift=-0.1)
    >>> warp = surface_warp(samples.punches(), [key])
    >>> round(float(warp(0.9, "RightHand")), 9)  # the hand's pose of 1.0 s arrives at 0.9 s
    1.0
    """
    return control_surfaces(motion, p).warp().looped(p.loop)


def control_surfaces(motion: Motion, p: ControlParameters) -> ControlSurfaces:
    """Return the surfaces of the parameters; the last ones are cached with the motion."""
    own = ControlParameters(**values_of(p, ControlParameters))
    return last(
        motion,
        "control surfaces",
        own,
        lambda: ControlSurfaces(motion, **values_of(own)),
        same=same,
    )


@takes(SurfaceParameters)
def surface(motion: Motion, p: SurfaceParameters) -> Edit:
    """Move actions of joints by dragging surfaces, as a step of a recipe with its fixes.

    Parameters
    ----------
    motion : Motion
        The motion.
    """
    if p.cartoon:  # joints stretch toward their positions, each at its own time
        p = replace(p, falloff="joint")
    surfaces = control_surfaces(motion, p)
    stretch = (cartoon_fix(p.cartoon),) if p.cartoon else ()
    arrivals = surfaces.arrivals(stretch, held=p.constraints != "free")
    warp = surfaces.warp().looped(p.loop).with_notes(*(a.note() for a in arrivals))
    return Edit(
        warp=warp,
        correction=surfaces.correction(),
        fixes=(*stretch, *contact_fixes(p.constraints)),
    )
