"""Follow a motion like a live stream, for playback in a window."""

from __future__ import annotations

import numpy as np

from retime.arrays import FloatArray
from retime.methods.align import BayesAligner, score
from retime.motion import Motion
from retime.studio import frame_headers, jobs

# The follower's rate is told over this long, seconds: shorter, and its corrections hide it.
_WINDOW = 0.25


def live_frame(job: jobs.Live, reference: Motion, performer: Motion) -> bytes:
    """Follow a performer frame by frame, and return the result."""
    found = score(BayesAligner(reference), performer)
    header = frame_headers.LiveHeader(
        request=job.request,
        performer=job.performer.id,
        reference=job.reference.id,
        method="Bayes",
        score=found.summary,
        moments=[[m.time, m.source, m.late, m.confidence] for m in found.moments()],
        arrays=[],
    )
    return frame_headers.frame(
        header,
        {
            "times": found.times,
            "source": found.source,
            "rate": _rate(found.times, found.source),
            "confidence": found.confidence,
            "late": np.where(found.judged, found.late, np.nan),
        },
    )


def _rate(times: FloatArray, source: FloatArray) -> FloatArray:
    """Return how fast the recording ran, looking back only: as it was known then."""
    before = np.maximum(times - _WINDOW, times[0])
    passed = np.maximum(times - before, 1e-9)
    rate: FloatArray = (source - np.interp(before, times, source)) / passed
    rate[0] = 1.0
    return rate
