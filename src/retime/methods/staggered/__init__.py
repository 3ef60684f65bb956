"""Staggered poses: motion as a few poses whose parts arrive at different times."""

from __future__ import annotations

from retime.methods.staggered.edits.history import PoseEdit
from retime.methods.staggered.parameters import StaggerParameters
from retime.methods.staggered.poses import StaggeredPoses
from retime.methods.staggered.search.evidence import Evidence
from retime.methods.staggered.stagger import edited_poses, stagger
from retime.methods.staggered.tween import TweenParameters, tween, tweened_poses

__all__ = [
    "Evidence",
    "PoseEdit",
    "StaggerParameters",
    "StaggeredPoses",
    "TweenParameters",
    "edited_poses",
    "stagger",
    "tween",
    "tweened_poses",
]
