"""Follow a performer in real time, and score the timing of a performance."""

from __future__ import annotations

from retime.methods.align import (
    PAPER_JOINTS,
    Aligner,
    Alignment,
    BayesAligner,
    Moment,
    Partner,
    PredictiveAligner,
    Recording,
    Start,
    StartDetector,
    TimingScore,
    find_alignment,
    follow,
    record,
    score,
    score_times,
    tracked_points,
)

__all__ = [
    "PAPER_JOINTS",
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
    "find_alignment",
    "follow",
    "record",
    "score",
    "score_times",
    "tracked_points",
]
