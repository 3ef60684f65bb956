"""A confidence of 0.9 and more is right, for any performer and any start."""

from __future__ import annotations

import numpy as np
import pytest

from live_stage import SHARED, Body, Stage, scene, stream
from retime.live_server.follower import Part

SCENES = ("18_01", "18_04", "20_01", "20_05", "22_04", "22_11", "22_17", "18_09", "13_17", "49_02")


@pytest.mark.skipif(
    not (SHARED / "pairs").is_dir(), reason="no folder of real clips beside the project"
)
@pytest.mark.parametrize(("start", "least", "sure_right"), [(0.0, 0.8, 0.97), (0.4, 0.6, 0.97)])
def test_who_is_sure_is_right(start: float, least: float, sure_right: float) -> None:
    """Another body from the beginning, or from two fifths on while the beginning is expected.

    Who starts elsewhere is not surely at the beginning, even before poses have told.
    """
    sure, right = [], []
    for name in SCENES:
        motion, partner = scene(name, 5.0)
        first = motion.start + start * motion.duration
        stage = Stage(Part(name, motion, partner))
        body = Body(motion, size=0.95, legs=1.03, degrees=6, noise=0.1, seed=1)
        for s in stage.play(stream(body, lambda t: first + t, motion.domain[1] - first)):  # noqa: B023
            sure.append(s.cue.confidence >= 0.9)
            right.append(abs(s.cue.heard - first - s.now) < 0.15)
    assert np.mean(sure) > least
    assert np.mean(np.array(right)[sure]) > sure_right
