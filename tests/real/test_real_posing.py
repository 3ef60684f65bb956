"""Reaching, mirroring and secondary motion on recorded clips."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from posing_making import delivered, farthest, frame_of, past_hinges
from retime import Motion, Recipe, Step, TimeWarp, apply, positions, quat, read
from retime.arrays import FloatArray
from retime.body import find_body
from retime.body.model.mirror import mirror_pairs, mirrored_rotations
from retime.body.solve.posing import planted_joints, pose_figure

MOCAP = Path(__file__).parents[3] / "shared" / "mocap"
pytestmark = pytest.mark.skipif(not MOCAP.exists(), reason="needs the folder shared/mocap")


def clip(name: str) -> Motion:
    motion = read(MOCAP / f"{name}.bvh")
    return apply(motion, TimeWarp([0, 2.5], [0, 2.5]), fps=60)


@pytest.mark.parametrize("name", ["02_01", "49_02"])
def test_a_recorded_figure_reaches(name: str) -> None:
    motion = clip(name)
    assert len(motion.skeleton) == 31
    body = find_body(motion)
    hand = body.roles["right_hand"]
    at = 30
    still = frame_of(motion, at)
    moment = dict.fromkeys(motion.skeleton.names, float(motion.times[at]))
    feet = planted_joints(motion, None, moment, [hand])
    assert feet
    start = positions(still)[0]
    for way in ([0.2, -0.3, 0.9], [-0.8, 0.4, -0.4]):
        unit = np.array(way) / np.linalg.norm(way)
        far = farthest(still, motion, hand, feet, unit)
        target = start[body.roles["right_upper_arm"]] + 0.9 * far * unit
        posed = pose_figure(still, {hand: target}, planted=feet, source=motion)
        after = positions(delivered(still, posed))[0]
        assert np.linalg.norm(after[hand] - target) < 1e-3
        assert np.abs(after[list(feet)] - start[list(feet)]).max() < 1e-6
        assert past_hinges(delivered(still, posed), motion) < 1e-6


def test_a_finger_is_led_to_a_place() -> None:
    motion = clip("49_02")
    still = frame_of(motion, 30)
    tip = motion.skeleton.index("LeftHandIndex1")
    moment = dict.fromkeys(motion.skeleton.names, 0.5)
    feet = planted_joints(motion, None, moment, [tip])
    target = positions(still)[0, tip] + [0.1, 0.2, 0.2]
    posed = pose_figure(still, {tip: target}, planted=feet, source=motion)
    assert np.linalg.norm(positions(delivered(still, posed))[0, tip] - target) < 1e-6


def test_a_recorded_pose_is_mirrored() -> None:
    motion = clip("02_01")
    still = frame_of(motion, 40)
    other = replace(still, rotations=mirrored_rotations(still)[None])
    pairs, body = mirror_pairs(motion), find_body(motion)
    assert pairs[body.roles["left_hand"]] == body.roles["right_hand"]

    def own(one: Motion) -> FloatArray:
        yaw = quat.from_axis_angle([0, 1, 0], -body.frame(one)[1][0])
        return quat.rotate(yaw, positions(one)[0] - positions(one)[0, 0])

    seen = np.empty((len(motion.skeleton), 3))
    seen[pairs] = own(still) * [-1.0, 1.0, 1.0]
    # Bones of the two sides differ by millimetres, and add up along a limb.
    assert np.abs(own(other) - seen).max() < 0.03
    assert np.abs(own(other) - own(still)).max() > 0.1


def test_arms_of_a_recorded_walk_follow() -> None:
    motion = clip("02_01")
    out = Recipe([Step("secondary", {"frequency": 2.0, "damping": 0.3})]).evaluate(motion)
    turned = np.degrees(quat.angle(out.rotations, motion.rotations).max(axis=0))
    arms = [motion.skeleton.index(n) for n in find_body(motion).find_joints(["arms"])]
    assert 3 < turned[arms].max() < 60
    speed = quat.angle(out.rotations[1:], out.rotations[:-1]).max()
    assert speed < 3 * quat.angle(motion.rotations[1:], motion.rotations[:-1]).max()
