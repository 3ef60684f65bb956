"""What: poses over time, and edits of them."""

from __future__ import annotations

from retime.motion import kinematics, quat
from retime.motion.motion import Motion, Origin, Pose, Units, UpAxis, trust

__all__ = ["Motion", "Origin", "Pose", "Units", "UpAxis", "kinematics", "quat", "trust"]
