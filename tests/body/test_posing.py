"""Full-body posing: what is asked for is reached, what is planted stays, hinges hold."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize

from retime import Motion, StaggeredPoses, positions, samples
from retime.arrays import FloatArray
from retime.body import find_body
from retime.body.hinges import bones, find_hinges, hinge_angle
from retime.body.posing import _Figure, _Variables, planted_joints, pose_figure
from retime.body.posing_kernels import forward_pose, goal_rows
from retime.motion import Units, quat
from retime.motion.kinematics import global_rotations

FEET = ("LeftFoot", "LeftToe", "RightFoot", "RightToe")


def frame_of(motion: Motion, frame: int) -> Motion:
    return replace(
        motion,
        rotations=motion.rotations[[frame]],
        translations={n: t[[frame]] for n, t in motion.translations.items()},
        sample_times=None,
        start=0.0,
        notes=(),
    )


@pytest.fixture(scope="module")
def clip() -> Motion:
    return samples.jump()


@pytest.fixture(scope="module")
def stand(clip: Motion) -> Motion:
    return frame_of(clip, 0)


@pytest.fixture(scope="module")
def feet(clip: Motion) -> tuple[int, ...]:
    return tuple(clip.skeleton.index(n) for n in FEET)


def delivered(motion: Motion, posed: object) -> Motion:
    """Write a posed figure back as the file holds it."""
    root = motion.skeleton.names[motion.skeleton.roots[0]]
    track = motion.translations[root] + posed.file_move(motion.units)  # type: ignore[attr-defined]
    rotations = posed.rotations[None]  # type: ignore[attr-defined]
    return replace(motion, rotations=rotations, translations={**motion.translations, root: track})


def farthest(
    motion: Motion, clip: Motion, joint: int, feet: tuple[int, ...], way: FloatArray
) -> float:
    """Return how far along a way from the shoulder the whole body reaches, by SLSQP.

    The same joints, axes and bounds; another method, and no stiffness.
    """
    body, figure = find_body(motion), _Figure.of(motion)
    free = _Variables.of(figure, body, {joint: np.zeros(3)}, feet, "body", {}, clip)
    n = len(free.joint)
    goals = [(joint, False)]
    goals += [(f, t) for f in feet for t in (False, True) if t or figure.parents[f] not in feet]
    who, is_turn = (np.array(column) for column in zip(*goals, strict=True))
    wanted = np.array([figure.turns[j] if t else np.r_[figure.places[j], 0] for j, t in goals])
    start = figure.places[body.roles["right_upper_arm"]]
    rows, missing = np.empty((3 * len(who), n)), np.empty(3 * len(who))
    work = np.empty_like(figure.places), np.empty_like(figure.turns), np.empty_like(figure.places)

    def measured(x: FloatArray) -> tuple[FloatArray, FloatArray]:
        wanted[0, :3] = start + x[-1] * way
        forward_pose(
            figure.parents, figure.offsets, figure.rotations, free.joint, free.axis, x[:-1], *work
        )
        goal_rows(
            figure.parents, figure.below, free.joint, free.axis, who, is_turn, wanted, *work,
            rows, missing,
        )  # fmt: skip
        slope = np.column_stack([-rows, np.r_[way, np.zeros(len(missing) - 3)]])
        return missing.copy(), slope

    found = minimize(
        lambda x: -x[-1],
        np.zeros(n + 1),
        jac=lambda _: np.r_[np.zeros(n), -1.0],
        method="SLSQP",
        bounds=[*zip(free.low, free.high, strict=True), (-3.0, 3.0)],
        constraints={
            "type": "eq",
            "fun": lambda x: measured(x)[0],
            "jac": lambda x: measured(x)[1],
        },
        options={"maxiter": 200, "ftol": 1e-8},
    )
    assert np.abs(measured(found.x)[0]).max() < 1e-4
    return float(found.x[-1])


def past_hinges(motion: Motion, clip: Motion) -> float:
    """Return how far the worst knee or elbow is past its hinge, radians."""
    points, turns = positions(motion)[0], global_rotations(motion)[0]
    worst = 0.0
    for j, hinge in find_hinges(clip).items():
        axis = quat.rotate(turns[motion.skeleton.parents[j]], hinge.axis)
        angle = float(hinge_angle(*bones(points, hinge.limb), axis))
        worst = max(worst, hinge.low - angle, angle - hinge.high)
    return worst


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
    from retime import Recipe, Step

    clip = samples.jump()
    poses = StaggeredPoses.from_motion(clip)
    time = float(poses.times[1])
    frame = round(time * clip.rate)
    place = positions(clip)[frame, clip.skeleton.index("Head")] + [0.1, -0.1, 0.1]
    parameters = {"reach": [(time, "head", *place)], "constraints": "free"}
    out = Recipe([Step("stagger", parameters)]).evaluate(clip)
    assert np.linalg.norm(positions(out)[frame, clip.skeleton.index("Head")] - place) < 1e-6
