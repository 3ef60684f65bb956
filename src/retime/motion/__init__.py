"""What: poses over time, and edits of them."""

from __future__ import annotations

from retime.motion import kinematics, quat
from retime.motion.cutting import trim
from retime.motion.joining import concatenate
from retime.motion.motion import Motion, Pose, trust
from retime.motion.origin import Origin
from retime.motion.units import Units, UpAxis

__all__ = [
    "Motion",
    "Origin",
    "Pose",
    "Units",
    "UpAxis",
    "concatenate",
    "kinematics",
    "quat",
    "trim",
    "trust",
]
