"""Performers of another body who stop dead: the partner waits where they stopped."""

from __future__ import annotations

import numpy as np
import pytest

from live_stage import SHARED, Body, Stage, off, scene, stream
from retime.live_server.follower import Part
from retime.live_server.playhead import Playhead

real = pytest.mark.skipif(
    not (SHARED / "pairs").is_dir(), reason="no folder of real clips beside the project"
)
SCENES = ["jump"] + [
    pytest.param(name, marks=real)
    for name in ("18_04", "18_09", "20_01", "20_05", "22_11", "13_17", "02_01", "49_02")
]


@pytest.mark.parametrize("name", SCENES)
def test_the_partner_waits_where_the_performer_stopped(name: str) -> None:
    motion, partner = scene(name, 6.0)
    stop = min(0.45 * motion.duration, 2.5)
    stage = Stage(Part(name, motion, partner))
    body = Body(motion, size=0.95, legs=1.03, degrees=6, noise=0.1, seed=1)

    def source(time: float) -> float:
        return float(motion.start + (time if time < stop else max(stop, time - 3.0)))

    shown = stage.play(stream(body, source, stop + 3.2))
    paused = [s for s in shown if stop + 0.5 < s.now < stop + 3.0]
    assert np.median(np.abs(off(paused, source))) < 0.08
    assert "lost" not in {s.cue.state for s in paused}
    assert (np.diff([s.cue.time for s in shown]) > -0.4 / 80).all()  # back, if at all, slowly


def test_a_playhead_runs_back_slowly_after_an_overshoot() -> None:
    head = Playhead(0.0, 10.0)
    times = []
    for k in range(180):
        now = k / 90
        head.hear(now if now < 1.1 else 1.0, 1.0 if now < 1.1 else 0.0, now)
        times.append(head.at(now))
    assert max(times) > 1.08
    assert times[-1] == pytest.approx(1.0, abs=0.01)
    assert np.diff(times).min() > -0.41 / 90
