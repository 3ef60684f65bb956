"""Bilateral time control surfaces: drag a surface to move one joint's action in time."""

from __future__ import annotations

from retime.methods.surface.keys import ControlPoint, SurfaceKey
from retime.methods.surface.parameters import SurfaceParameters
from retime.methods.surface.surface import surface, surface_warp
from retime.methods.surface.surfaces import ControlSurfaces, Grid

__all__ = [
    "ControlPoint",
    "ControlSurfaces",
    "Grid",
    "SurfaceKey",
    "SurfaceParameters",
    "surface",
    "surface_warp",
]
