"""Secondary motion: parts that lag, overshoot and settle behind the body's own motion."""

from __future__ import annotations

from retime.methods.secondary.follower import Follower
from retime.methods.secondary.parameters import SecondaryParameters
from retime.methods.secondary.secondary import loose_joints, secondary

__all__ = ["Follower", "SecondaryParameters", "loose_joints", "secondary"]
