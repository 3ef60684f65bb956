"""Live alignment: follow a recorded motion while it is being performed."""

from __future__ import annotations

from retime.methods.live.aligner import Aligner
from retime.methods.live.bayes import BayesAligner
from retime.methods.live.joints import PAPER_JOINTS, Recording, record, tracked_points
from retime.methods.live.offline import (
    Alignment,
    AlignParameters,
    align,
    align_edit,
    find_alignment,
)
from retime.methods.live.partner import Partner
from retime.methods.live.predictive import PredictiveAligner
from retime.methods.live.score import Moment, TimingScore, follow, judge, score
from retime.methods.live.start import Start, StartDetector

__all__ = [
    "PAPER_JOINTS",
    "AlignParameters",
    "Aligner",
    "Alignment",
    "BayesAligner",
    "Moment",
    "Partner",
    "PredictiveAligner",
    "Recording",
    "Start",
    "StartDetector",
    "TimingScore",
    "align",
    "align_edit",
    "find_alignment",
    "follow",
    "judge",
    "record",
    "score",
    "tracked_points",
]
