"""The methods: each takes a motion and its parameters and returns a warp, a layer or a fix.

They are independent of one another. A method is a module, and a line in ``METHODS``; its
parameters are one dataclass, and its function's keywords are the same by a test.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from retime.errors import InputError, did_you_mean
from retime.motion import Motion
from retime.motion.edits import Edit
from retime.motion.layers import PoseLayer
from retime.parameters import declared
from retime.timing import TimeWarp

__all__ = ["METHODS", "Method", "method"]


@dataclass(frozen=True)
class Method:
    """One method: where its parts are, loaded on first use.

    Parameters
    ----------
    name : str
        As in recipes and on the command line.
    summary : str
        One line for a person.
    module : str
        Where its parameters and its function are.
    parameters_name, function_name : str
        Their names there.
    needs_poses : bool
        Whether it looks at its input's poses, or only at its joints and its length.
    solver_name : str, optional
        Name of a function of the same keywords that returns an edit with figures, where the
        public one returns less.
    doing : str
        What is said while it works.
    """

    name: str
    summary: str
    module: str
    parameters_name: str
    function_name: str
    needs_poses: bool = True
    solver_name: str | None = None
    doing: str = "Computing"

    @property
    def parameters(self) -> type:
        """The dataclass that declares its parameters."""
        cls: type = getattr(importlib.import_module(self.module), self.parameters_name)
        return cls

    @property
    def function(self) -> Callable[..., Any]:
        """The function; it takes a motion and the parameters as keywords."""
        function: Callable[..., Any] = getattr(
            importlib.import_module(self.module), self.function_name
        )
        return function

    def solve(self, motion: Motion, parameters: Any, weight: float = 1.0) -> Edit:
        """Run the method and wrap what it returns as an edit."""
        values = {p.name: getattr(parameters, p.name) for p in declared(type(parameters))}
        solver = self.function
        if self.solver_name is not None:
            solver = getattr(importlib.import_module(self.module), self.solver_name)
        result = solver(motion, **values)
        if isinstance(result, Edit):
            return replace(result, weight=weight)
        if isinstance(result, TimeWarp):
            return Edit(warp=result, weight=weight)
        if isinstance(result, PoseLayer):
            return Edit(layer=result, weight=weight)
        return Edit(fixes=(result,), weight=weight)


METHODS: dict[str, Method] = {
    m.name: m
    for m in (
        Method(
            "spline",
            "A smooth curve through keytimes, as other tools draw it.",
            "retime.methods.spline",
            "SplineParameters",
            "spline_warp",
            needs_poses=False,
        ),
        Method(
            "warp",
            "A warp that is given.",
            "retime.methods.given",
            "WarpParameters",
            "given_warp",
            needs_poses=False,
        ),
        Method(
            "pose",
            "Changes of pose that are given.",
            "retime.methods.given",
            "PoseParameters",
            "given_layer",
            needs_poses=False,
        ),
        Method(
            "guided",
            "The warp whose local timing is most like a reference's.",
            "retime.methods.guided",
            "GuidedParameters",
            "guided_warp",
            solver_name="guided_edit",
            doing="Finding the best timing",
        ),
        Method(
            "align",
            "The warp that gives a take the timing of another.",
            "retime.methods.align",
            "AlignParameters",
            "align",
            solver_name="align_edit",
            doing="Aligning the takes",
        ),
        Method(
            "physics",
            "The timing that a body could have produced.",
            "retime.methods.physics",
            "PhysicsParameters",
            "physics_warp",
            doing="Finding what a body could do",
        ),
        Method(
            "stagger",
            "Edit a motion as a few poses whose parts arrive at different times.",
            "retime.methods.staggered",
            "StaggerParameters",
            "stagger",
            doing="Finding the poses",
        ),
        Method(
            "surface",
            "Drag a surface to move one joint's action in time; what is near follows.",
            "retime.methods.surface",
            "SurfaceParameters",
            "surface",
            doing="Moving the surface",
        ),
        Method(
            "smooth",
            "Average out the jitter of what plays faster.",
            "retime.methods.smooth",
            "SmoothParameters",
            "smooth",
        ),
        Method(
            "hold",
            "Hold planted feet (and hands) in place, after all else.",
            "retime.methods.hold",
            "HoldParameters",
            "hold",
        ),
    )
}


def method(name: str) -> Method:
    """Look a method up; an unknown name is an error that suggests the nearest."""
    try:
        return METHODS[name]
    except KeyError:
        raise InputError(f"no method named {name!r}{did_you_mean(name, METHODS)}") from None
