"""Guided time warping: change a motion's length or feel, guided by a reference."""

from retime.methods.guided.guided import (
    Guidance,
    guide,
    guided,
    guided_signal_warp,
    own_character,
    own_score,
    own_terms,
)
from retime.methods.guided.parameters import GuidedParameters
from retime.methods.guided.suggest import Suggestion, suggest_keytimes

__all__ = [
    "Guidance",
    "GuidedParameters",
    "Suggestion",
    "guide",
    "guided",
    "guided_signal_warp",
    "own_character",
    "own_score",
    "own_terms",
    "suggest_keytimes",
]
