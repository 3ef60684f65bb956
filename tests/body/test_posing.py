"""Full-body posing: what is asked for is reached, what is planted stays, hinges hold."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from posing_making import delivered, farthest, frame_of, past_hinges
from retime import Motion, Recipe, StaggeredPoses, Step, positions, samples
from retime.body import find_body
from retime.body.solve.posing import planted_joints, pose_figure
from retime.motion import Units, quat

FEET = ("LeftFoot", "LeftToe", "RightFoot", "RightToe")


@pytest.fixture(scope="module")
def clip() -> Motion:
    return samples.jump()


@pytest.fixture(scope="module")
def stand(clip: Motion) -> Motion:
    return frame_of(clip, 0)


@pytest.fixture(scope="module")
def feet(clip: Motion) -> tuple[int, ...]:
    return tuple(clip.skeleton.index(n) for n in FEET)


WAYS = [(0.2, -0.2, 1.0), (0.7, 0.5, -0.4), (-0.9, -0.4, 0.1), (-0.3, 0.9, 0.2), (0.1, -0.7, 0.7)]


@pytest.mark.parametrize("way", WAYS)
def test_nine_tenths_of_the_whole_reach_are_met(
    clip: Motion, stand: Motion, feet: tuple[int, ...], way: tuple[float, float, float]
) -> None:
    body = find_body(clip)
    hand = body.roles["right_hand"]
    start, unit = positions(stand)[0], np.array(way) / np.linalg.norm(way)
    target = start[body.roles["right_upper_arm"]]
    target = target + 0.9 * farthest(stand, clip, hand, feet, unit) * unit
    posed = pose_figure(stand, {hand: target}, planted=feet, source=clip)
    result = delivered(stand, posed)
    after = positions(result)[0]
    assert np.linalg.norm(after[hand] - target) < 1e-3
    assert np.abs(after[list(feet)] - start[list(feet)]).max() < 1e-6
    assert past_hinges(result, clip) < 1e-6
    alone = pose_figure(stand, {hand: target}, planted=feet, help="torso", source=clip)
    assert alone.missed[hand] >= posed.missed[hand] - 1e-9


@pytest.mark.parametrize(
    ("role", "by"),
    [
        ("head", (0.15, -0.1, 0.1)),
        ("left_lower_arm", (0.1, 0.1, 0.15)),
        ("left_hand", (0.2, 0.3, 0.4)),
        ("left_lower_leg", (0.0, 0.05, 0.1)),
        ("right_foot", (0.0, 0.2, 0.2)),
        ("chest", (0.1, -0.05, 0.1)),
    ],
)
def test_any_joint_can_be_a_target(
    clip: Motion, stand: Motion, role: str, by: tuple[float, float, float]
) -> None:
    joint = find_body(clip).roles[role]
    before = positions(stand)[0]
    planted = planted_joints(clip, None, dict.fromkeys(clip.skeleton.names, 0.0), [joint])
    assert planted
    posed = pose_figure(stand, {joint: before[joint] + by}, planted=planted, source=clip)
    after = positions(delivered(stand, posed))[0]
    assert np.linalg.norm(after[joint] - before[joint] - by) < 1e-4
    assert np.abs(after[list(planted)] - before[list(planted)]).max() < 1e-6
    assert past_hinges(delivered(stand, posed), clip) < 1e-6


def test_a_target_that_is_met_changes_nothing(
    clip: Motion, stand: Motion, feet: tuple[int, ...]
) -> None:
    hand = find_body(clip).roles["left_hand"]
    posed = pose_figure(stand, {hand: positions(stand)[0, hand]}, planted=feet)
    assert np.array_equal(posed.rotations, stand.rotations[0])
    assert not posed.move.any()


def test_two_hands_on_one_bar(clip: Motion, stand: Motion, feet: tuple[int, ...]) -> None:
    body = find_body(clip)
    bar = {
        body.roles["left_hand"]: np.array([0.2, 0.5, 0.45]),
        body.roles["right_hand"]: np.array([-0.2, 0.5, 0.45]),
    }
    posed = pose_figure(stand, bar, planted=feet, source=clip)
    assert max(posed.missed.values()) < 1e-4
    assert posed.slipped < 1e-9


def test_units_and_axes_do_not_matter(clip: Motion, stand: Motion, feet: tuple[int, ...]) -> None:
    turn = quat.from_axis_angle([1, 0, 0], np.pi / 2)
    rotations = stand.rotations.copy()
    rotations[:, 0] = quat.multiply(turn, rotations[:, 0])
    x, y, z = stand.translations["Hips"].T
    other = replace(
        stand,
        skeleton=replace(stand.skeleton, offsets=100 * stand.skeleton.offsets),
        rotations=rotations,
        translations={"Hips": 100 * np.stack([x, -z, y], axis=1)},
        units=Units(0.01 * stand.units.metres, "Z", "declared"),
    )
    np.testing.assert_allclose(positions(other), positions(stand), atol=1e-12)
    hand = find_body(clip).roles["right_hand"]
    target = {hand: positions(stand)[0, hand] + [0.1, -0.3, 0.4]}
    one = delivered(stand, pose_figure(stand, target, planted=feet))
    two = delivered(other, pose_figure(other, target, planted=feet))
    np.testing.assert_allclose(positions(two), positions(one), atol=1e-6)


def test_a_stiff_joint_helps_less(clip: Motion, stand: Motion, feet: tuple[int, ...]) -> None:
    body = find_body(clip)
    hand, spine = body.roles["right_hand"], clip.skeleton.index("Spine")
    target = {hand: positions(stand)[0, hand] + [0.0, -0.4, 0.5]}
    turned = []
    for factor in (1.0, 20.0):
        posed = pose_figure(stand, target, planted=feet, stiffness={spine: factor})
        turned.append(float(quat.angle(posed.rotations[spine], stand.rotations[0, spine])))
        assert posed.missed[hand] < 1e-4
    assert turned[1] < 0.3 * turned[0]


def test_who_flies_keeps_the_pelvis(clip: Motion) -> None:
    middle = len(clip) // 2
    flying = frame_of(clip, middle)
    body = find_body(clip)
    at = dict.fromkeys(clip.skeleton.names, float(clip.times[middle]))
    assert planted_joints(clip, None, at) == ()
    hand = body.roles["right_hand"]
    posed = pose_figure(flying, {hand: positions(flying)[0, hand] + [0.1, 0.1, 0.1]})
    assert not posed.move.any()
    hips = body.roles["hips"]
    assert np.array_equal(posed.rotations[hips], flying.rotations[0, hips])


def test_reach_is_delivered_with_planted_feet(clip: Motion) -> None:
    poses = StaggeredPoses.from_motion(clip)
    k = 1
    frame = round((poses.times[k] - clip.start) * clip.rate)
    hand = clip.skeleton.index("RightHand")
    before = positions(clip)[frame]
    target = before[hand] + [0.1, -0.45, 0.45]
    limb = poses.reach(k, {"right_hand": target}, help="limb").motion(constraints="free")
    assert np.linalg.norm(positions(limb)[frame, hand] - target) > 0.1
    edited = poses.reach(k, {"right_hand": target})
    after = positions(edited.motion(constraints="free"))[frame]
    assert np.linalg.norm(after[hand] - target) < 1e-6
    feet = [clip.skeleton.index(n) for n in FEET]
    assert np.abs(after[feet] - before[feet]).max() < 1e-6
    # Between poses the contact fix holds the toes; heels may rise by what a straight leg lacks.
    off = np.abs(positions(edited.motion()) - positions(clip))[clip.times <= clip.times[frame]]
    assert off[:, feet[1::2]].max() < 1e-6
    assert off[:, feet[::2]].max() < 6e-3
    far = poses.reach(k, {"right_hand": before[hand] + [0, 0, 5]})
    assert any("the body does not reach it" in n for n in far.notes)


def test_reach_is_a_parameter() -> None:
    clip = samples.jump()
    poses = StaggeredPoses.from_motion(clip)
    time = float(poses.times[1])
    frame = round(time * clip.rate)
    place = positions(clip)[frame, clip.skeleton.index("Head")] + [0.1, -0.1, 0.1]
    parameters = {"reach": [(time, "head", *place)], "constraints": "free"}
    out = Recipe([Step("stagger", parameters)]).evaluate(clip)
    assert np.linalg.norm(positions(out)[frame, clip.skeleton.index("Head")] - place) < 1e-6


OTHERS: dict[str, dict[str, Any]] = {
    "guided": {"duration": 2.9},
    "surface": {"keys": [{"time": 1.0, "joint": "LeftHand", "shift": -0.05}]},
    "align": {"reference": Recipe([Step("spline", {"duration": 2.9})]).evaluate(samples.jump())},
}


@pytest.mark.parametrize("name", OTHERS)
def test_reach_composes_and_is_undone_exactly(clip: Motion, name: str) -> None:
    other = Step(name, OTHERS[name])
    alone = Recipe([other]).evaluate(clip)
    poses = StaggeredPoses.from_motion(alone)
    frame = round((poses.times[1] - alone.start) * alone.rate)
    hand = clip.skeleton.index("RightHand")
    place = positions(alone)[frame, hand] + [0.05, -0.3, 0.3]
    reach = {"do": "reach", "pose": 1, "targets": {"right_hand": place.tolist()}}
    own = Step("stagger", {"edits": [reach], "constraints": "free"})
    both = Recipe([other, own]).evaluate(clip)
    assert np.linalg.norm(positions(both)[frame, hand] - place) < 2e-2
    back = Recipe([other, replace(own, mute=True)]).evaluate(clip)
    assert np.array_equal(back.rotations, alone.rotations)
    muted = Step("stagger", {"edits": [{**reach, "mute": True}], "constraints": "free"})
    assert np.array_equal(Recipe([other, muted]).evaluate(clip).rotations, alone.rotations)
