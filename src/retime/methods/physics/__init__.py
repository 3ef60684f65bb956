"""Physics-based retiming: timings that a body could have produced."""

from __future__ import annotations

from retime.methods.physics.explain import Explanation, Violation
from retime.methods.physics.model import PhysicsModel
from retime.methods.physics.parameters import PhysicsParameters
from retime.methods.physics.physics import model_of, physics_warp
from retime.methods.physics.regions import Region

__all__ = [
    "Explanation",
    "PhysicsModel",
    "PhysicsParameters",
    "Region",
    "Violation",
    "model_of",
    "physics_warp",
]
