"""Physics-based retiming: timings that a body could have produced."""

from __future__ import annotations

from retime.methods.physics.explain import Explanation, Violation
from retime.methods.physics.judging import Judgement, judge, judged_by
from retime.methods.physics.limits.regions import Region
from retime.methods.physics.model import PhysicsModel
from retime.methods.physics.parameters import ModelParameters, PhysicsParameters
from retime.methods.physics.physics import feasible_durations, model_of, physics

__all__ = [
    "Explanation",
    "Judgement",
    "ModelParameters",
    "PhysicsModel",
    "PhysicsParameters",
    "Region",
    "Violation",
    "feasible_durations",
    "judge",
    "judged_by",
    "model_of",
    "physics",
]
