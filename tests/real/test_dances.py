"""Recorded dances that no constant was chosen on, put on beats of three tempi."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import retime
from retime import TimeWarp, apply, beat_alignment, metrics
from retime.methods.music import find_sync
from retime.methods.music.accents import speed_minima
from retime.methods.music.alignment import score
from retime.methods.music.tracks import tracks_of

SHARED = Path(__file__).parents[3] / "shared"
pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared files are absent")
TEMPI = (100.0, 120.0, 140.0)


@pytest.mark.parametrize("name", ["55_01", "61_01"])
def test_dances_gain_at_every_tempo(name: str) -> None:
    motion = retime.read(SHARED / "mocap-more" / f"{name}.bvh")
    gains = []
    for bpm in TEMPI:
        found = find_sync(motion, bpm=bpm)
        start, end = motion.domain
        uniform = TimeWarp([start, start + motion.duration / found.uniform], [start, end])
        plain = speed_minima(tracks_of(motion).warped(uniform))[0]
        # Uniform speed at its best start, of many more than are tried.
        best = max(score(plain, found.beats + q) for q in np.arange(0, 60 / bpm, 0.01))
        made = apply(motion, found.warp)
        gains.append(beat_alignment(made, found.beats) - best)
        assert 0.65 <= found.speeds[0] <= found.speeds[1] <= 1.65
        if bpm == TEMPI[0]:
            assert metrics.foot_skate(made) <= 1.05 * metrics.foot_skate(apply(motion, uniform))
    assert np.mean(gains) >= 0.10
    assert min(gains) >= -0.02
