"""retime: edit when things happen in a character's motion.

Every timing edit is a :class:`TimeWarp`, a map from output time to source time, for the whole
body or per joint; warps compose, and the motion is resampled once, at the end.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from retime import contacts, curves, errors, ik, io, kinematics, live, metrics, quat, samples
    from retime.body import Body, find_body
    from retime.contacts import Contact, detect_contacts
    from retime.curves import BezierCurve, fit_bezier
    from retime.edits import apply
    from retime.errors import (
        FormatError,
        FormatWarning,
        InfeasibleError,
        InputError,
        MissingDependencyError,
        RetimeError,
    )
    from retime.io import read, write
    from retime.io.warp_json import read_warp, write_warp
    from retime.kinematics import positions
    from retime.layers import PoseLayer
    from retime.methods.guided import guided_signal_warp, guided_warp, suggest_keytimes
    from retime.methods.live import align
    from retime.methods.physics import PhysicsModel, physics_warp
    from retime.methods.spline import spline_warp
    from retime.methods.staggered import PoseEdit, StaggeredPoses
    from retime.methods.surface import ControlPoint, ControlSurfaces, SurfaceKey, surface_warp
    from retime.motion import Motion, Pose, Units
    from retime.recipe import Recipe, Step
    from retime.recipe_json import read_recipe, write_recipe
    from retime.skeleton import EndSite, Skeleton
    from retime.warp import TimeWarp

__version__ = "0.1.0"

# Where each public name lives. Nothing is imported before it is used: the package loads at once.
_HOME = {
    "BezierCurve": "retime.curves",
    "Body": "retime.body",
    "Contact": "retime.contacts",
    "ControlPoint": "retime.methods.surface",
    "ControlSurfaces": "retime.methods.surface",
    "EndSite": "retime.skeleton",
    "FormatError": "retime.errors",
    "FormatWarning": "retime.errors",
    "InfeasibleError": "retime.errors",
    "InputError": "retime.errors",
    "MissingDependencyError": "retime.errors",
    "Motion": "retime.motion",
    "PhysicsModel": "retime.methods.physics",
    "Pose": "retime.motion",
    "PoseEdit": "retime.methods.staggered",
    "PoseLayer": "retime.layers",
    "Recipe": "retime.recipe",
    "RetimeError": "retime.errors",
    "Skeleton": "retime.skeleton",
    "StaggeredPoses": "retime.methods.staggered",
    "Step": "retime.recipe",
    "SurfaceKey": "retime.methods.surface",
    "TimeWarp": "retime.warp",
    "Units": "retime.motion",
    "align": "retime.methods.live",
    "apply": "retime.edits",
    "contacts": "",
    "curves": "",
    "detect_contacts": "retime.contacts",
    "errors": "",
    "find_body": "retime.body",
    "guided_signal_warp": "retime.methods.guided",
    "guided_warp": "retime.methods.guided",
    "fit_bezier": "retime.curves",
    "ik": "",
    "io": "",
    "kinematics": "",
    "live": "",
    "metrics": "",
    "physics_warp": "retime.methods.physics",
    "positions": "retime.kinematics",
    "quat": "",
    "read": "retime.io",
    "read_recipe": "retime.recipe_json",
    "read_warp": "retime.io.warp_json",
    "samples": "",
    "spline_warp": "retime.methods.spline",
    "suggest_keytimes": "retime.methods.guided",
    "surface_warp": "retime.methods.surface",
    "write": "retime.io",
    "write_recipe": "retime.recipe_json",
    "write_warp": "retime.io.warp_json",
}

__all__ = [
    "BezierCurve",
    "Body",
    "Contact",
    "ControlPoint",
    "ControlSurfaces",
    "EndSite",
    "FormatError",
    "FormatWarning",
    "InfeasibleError",
    "InputError",
    "MissingDependencyError",
    "Motion",
    "PhysicsModel",
    "Pose",
    "PoseEdit",
    "PoseLayer",
    "Recipe",
    "RetimeError",
    "Skeleton",
    "StaggeredPoses",
    "Step",
    "SurfaceKey",
    "TimeWarp",
    "Units",
    "align",
    "apply",
    "contacts",
    "curves",
    "detect_contacts",
    "errors",
    "find_body",
    "fit_bezier",
    "guided_signal_warp",
    "guided_warp",
    "ik",
    "io",
    "kinematics",
    "live",
    "metrics",
    "physics_warp",
    "positions",
    "quat",
    "read",
    "read_recipe",
    "read_warp",
    "samples",
    "spline_warp",
    "suggest_keytimes",
    "surface_warp",
    "write",
    "write_recipe",
    "write_warp",
]


def __getattr__(name: str) -> Any:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'retime' has no attribute {name!r}")
    if not home:
        return importlib.import_module(f"retime.{name}")
    value = globals()[name] = getattr(importlib.import_module(home), name)
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOME])
