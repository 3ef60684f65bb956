"""A bad second on the way: wrong heights, missing bones, no clock. Truth is known."""

from __future__ import annotations

import math

import numpy as np
import pytest

from live_stage import SHARED, Body, Change, Stage, off, right, scene, stream
from retime.live_server.follower import Part
from retime.live_server.vmc import Bone

REAL = ("18_01", "18_04", "18_08", "18_12", "20_01", "20_05", "20_11", "22_04", "22_11", "22_17")
SCENES = [
    "handshake",
    "punches",
    *(
        pytest.param(
            name,
            marks=pytest.mark.skipif(
                not (SHARED / "pairs").is_dir(), reason="no folder of real clips beside the project"
            ),
        )
        for name in REAL
    ),
]


def raised(way: float, start: float, end: float) -> Change:
    """Raise the hips between two times, in metres."""

    def change(time: float, bones: dict[str, Bone], root: Bone) -> tuple[dict[str, Bone], Bone]:
        if start <= time < end:
            x, y, z, *turn = bones["hips"]
            w, i, j, k = turn
            bones = bones | {"hips": (x, y + way, z, w, i, j, k)}
        return bones, root

    return change


def without(role: str, start: float, end: float) -> Change:
    def change(time: float, bones: dict[str, Bone], root: Bone) -> tuple[dict[str, Bone], Bone]:
        if start <= time < end:
            bones = {r: b for r, b in bones.items() if r != role}
        return bones, root

    return change


# The change, and the time from which on the performer must be followed again.
HEIGHTS: dict[str, tuple[Change, float]] = {
    "0.9 m too low for 0.3 s": (raised(-0.9, 1.0, 1.3), 1.3),
    "0.3 m too low for 0.3 s": (raised(-0.3, 1.0, 1.3), 1.3),
    "0.4 m higher from then on": (raised(0.4, 1.0, math.inf), 1.0),
    "3 poses too low at the start": (raised(-1.0, 0.0, 3 / 60), 0.05),
    "4 poses too low at the start": (raised(-1.0, 0.0, 4 / 60), 0.07),
    "20 poses too low at the start": (raised(-1.0, 0.0, 20 / 60), 0.33),
    "no hips for 0.3 s": (without("hips", 1.0, 1.3), 1.3),
    "no left upper leg for 0.3 s": (without("left_upper_leg", 1.0, 1.3), 1.3),
}


@pytest.mark.parametrize("name", SCENES)
def test_wrong_heights_and_missing_bones_heal_within_a_second(name: str) -> None:
    motion, partner = scene(name, 4.0)
    body, source = Body(motion, size=0.95), lambda time: motion.start + min(time, motion.duration)
    for case, (change, end) in HEIGHTS.items():
        if motion.duration > end + 1.0:
            stage = Stage(Part(name, motion, partner))
            length = min(motion.duration, end + 1.5)
            shown = stage.play(stream(body, source, length, change=change))
            assert right(shown, source, end + 1.0) == 1.0, case


@pytest.mark.parametrize("name", ["handshake", "punches"])
def test_a_copy_is_as_exact_from_another_floor(name: str) -> None:
    motion, _ = scene(name)
    found = []
    for way in (0.0, 0.4):
        stage = Stage(Part(name, motion))
        sent = stream(Body(motion), lambda t: motion.start + t, 2.0, change=raised(way, 0, 9))
        found.append([s.cue.heard for s in stage.play(sent)])
    np.testing.assert_allclose(found[0], found[1], atol=0.002)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 1e30, -3e9])
def test_three_seconds_without_a_clock_are_as_good_as_any(value: float) -> None:
    motion, partner = scene("handshake")
    source = lambda time: motion.start + time  # noqa: E731
    stage = Stage(Part("handshake", motion, partner))
    stamp = lambda time: value if time >= 0.5 else time  # noqa: E731
    shown = stage.play(stream(Body(motion), source, motion.duration, stamp=stamp))
    late = np.abs(off([s for s in shown if s.now > 0.4], source))
    assert np.median(late) < 0.009
    assert late.max() < 0.03


def test_it_does_not_follow_what_it_does_not_see() -> None:
    """Poses that move come without hips: the partner stands, and the state is not following."""
    motion, _ = scene("punches")
    stage = Stage(Part("punches", motion))
    sent = stream(
        Body(motion), lambda t: motion.start + t, 2.0, change=without("hips", 1.0, math.inf)
    )
    shown = stage.play(sent)
    assert {s.cue.state for s in shown if 0.3 < s.now < 1.0} == {"following"}
    assert {s.cue.state for s in shown if s.now > 1.65} == {"lost"}
