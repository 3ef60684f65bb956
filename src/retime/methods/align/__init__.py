"""Live alignment: follow a recorded motion while it is being performed."""

from __future__ import annotations

from retime.methods.align.joints import PAPER_JOINTS, Recording, record, tracked_points
from retime.methods.align.live.aligner import Aligner
from retime.methods.align.live.bayes import BayesAligner
from retime.methods.align.live.partner import Partner
from retime.methods.align.live.predictive import PredictiveAligner
from retime.methods.align.live.start import Start, StartDetector
from retime.methods.align.offline.offline import (
    Alignment,
    AlignParameters,
    align,
    alignment,
    find_alignment,
)
from retime.methods.align.score import Moment, TimingScore, follow, score, score_times

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
    "alignment",
    "find_alignment",
    "follow",
    "record",
    "score",
    "score_times",
    "tracked_points",
]
