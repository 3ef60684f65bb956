"""Guided time warping: change a motion's length or feel, guided by a reference."""

from retime.methods.guided.guided import (
    GuidedParameters,
    Suggestion,
    guide,
    guided_signal_warp,
    guided_warp,
    suggest_keytimes,
)
from retime.methods.guided.solve import Guidance

__all__ = [
    "Guidance",
    "GuidedParameters",
    "Suggestion",
    "guide",
    "guided_signal_warp",
    "guided_warp",
    "suggest_keytimes",
]
