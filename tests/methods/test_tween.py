"""Tween tools: poses go where they are led, eases do what they are called, and undo is exact."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from retime import (
    InputError,
    Motion,
    Recipe,
    StaggeredPoses,
    Step,
    TimeWarp,
    Units,
    positions,
    quat,
    samples,
)
from retime.body.model.mirror import mirror_pairs, mirrored_rotations

K = 4


@pytest.fixture(scope="module")
def walk() -> Motion:
    return samples.walk()


@pytest.fixture(scope="module")
def poses(walk: Motion) -> StaggeredPoses:
    return StaggeredPoses.from_motion(walk)


def between(a: Any, b: Any, share: float) -> Any:
    """Rotations on the arc from one to another, and past it."""
    return quat.multiply(quat.exp(share * quat.log(quat.multiply(b, quat.conjugate(a)))), a)


@pytest.mark.parametrize("share", [-0.3, 0.5, 1.0, 1.3])
@pytest.mark.parametrize("toward", ["previous", "next", "rest", 2])
def test_a_pose_is_led_toward_another(poses: StaggeredPoses, toward: Any, share: float) -> None:
    out = poses.tween(share, toward=toward, poses=[K], joints=["LeftArm", "Head"])
    others = {
        "previous": poses.extreme(K - 1).rotations,
        "next": poses.extreme(K + 1).rotations,
        "rest": poses.source.skeleton.rest_rotations,
        2: poses.extreme(2).rotations,
    }
    before, after = poses.extreme(K).rotations, out.extreme(K).rotations
    for j, name in enumerate(poses.source.skeleton.names):
        if name in ("LeftArm", "Head"):
            wanted = between(before[j], others[toward][j], share)
            assert quat.angle(after[j], wanted) < 1e-9, name
        else:
            assert np.array_equal(after[j], before[j]), name


def test_neighbours_are_their_mean(poses: StaggeredPoses) -> None:
    out = poses.tween(1.0, toward="neighbours", poses=[K], joints=["LeftArm"])
    j = poses.source.skeleton.index("LeftArm")
    a, b = (poses.extreme(k).rotations[j] for k in (K - 1, K + 1))
    assert quat.angle(out.extreme(K).rotations[j], quat.slerp(a, b, 0.5)) < 1e-9


def test_a_tween_of_0_changes_nothing(poses: StaggeredPoses) -> None:
    out = poses.tween(0.0, toward="next")
    assert np.array_equal(out.motion().rotations, poses.motion().rotations)


def test_nothing_changes_past_the_neighbours(poses: StaggeredPoses) -> None:
    out = poses.tween(0.5, toward="next", poses=[K], joints=["LeftArm"])
    made, source = out.motion(constraints="free"), poses.source
    moved = source.times[(made.rotations != source.rotations).any(axis=(1, 2))]
    knots = poses.timing.knots[:, poses.channels.index("LeftArm")]
    assert knots[K - 1] - 1e-9 <= moved.min()
    assert moved.max() <= knots[K + 1] + 1e-9


def mirrored_places(motion: Motion, frame: int) -> Any:
    """Places in the mirror of the body's own plane, each under its other side's joint."""
    from retime.body import find_body

    _, heading = find_body(motion).frame(motion)
    turn = quat.from_axis_angle([0, 1, 0], -heading[frame])
    own = quat.rotate(turn, positions(motion)[frame] - positions(motion)[frame, 0])
    out = np.empty_like(own)
    out[mirror_pairs(motion)] = own * [-1.0, 1.0, 1.0]
    return out


def frame_of(motion: Motion, frame: int) -> Motion:
    return replace(
        motion,
        rotations=motion.rotations[[frame]],
        translations={n: t[[frame]] for n, t in motion.translations.items()},
        sample_times=None,
    )


@pytest.mark.parametrize("heading", [0.0, 1.3])
@pytest.mark.parametrize("up", ["Y", "Z"])
def test_a_mirrored_pose_is_mirrored_in_space(walk: Motion, heading: float, up: Any) -> None:
    turn = quat.from_axis_angle([0, 1, 0], heading)
    if up == "Z":
        turn = quat.multiply(quat.from_axis_angle([1, 0, 0], np.pi / 2), turn)
    rotations = walk.rotations.copy()
    rotations[:, 0] = quat.multiply(turn, rotations[:, 0])
    turned = replace(
        walk,
        rotations=rotations,
        translations={"Hips": quat.rotate(turn, walk.translations["Hips"])},
        units=Units(walk.units.metres, up, "declared"),
    )
    one = frame_of(turned, 37)
    other = replace(one, rotations=mirrored_rotations(one)[None])
    from retime.body import find_body

    _, now = find_body(other).frame(other)
    back = quat.from_axis_angle([0, 1, 0], -now[0])
    places = quat.rotate(back, positions(other)[0] - positions(other)[0, 0])
    np.testing.assert_allclose(places, mirrored_places(one, 0), atol=1e-9)


def test_mirroring_twice_gives_the_pose_back(poses: StaggeredPoses) -> None:
    twice = poses.mirror(K).mirror(K)
    assert quat.angle(twice.extreme(K).rotations, poses.extreme(K).rotations).max() < 1e-9
    assert quat.angle(poses.mirror(K).extreme(K).rotations, poses.extreme(K).rotations).max() > 0.3


ARM = ["LeftArm", "LeftForeArm"]


def speed(motion: Motion, joint: str) -> Any:
    """How fast a joint turns between frames, and the middle times."""
    track = motion.rotations[:, motion.skeleton.index(joint)]
    turned = quat.angle(track[1:], track[:-1]) * motion.rate
    return turned, (motion.times[1:] + motion.times[:-1]) / 2


def test_a_hold_stands_still(poses: StaggeredPoses) -> None:
    out = poses.ease(K, "hold", seconds=0.12, joints=ARM)
    knots = out.timing.knots[[K, K + 1], poses.channels.index("LeftArm")]
    turned, times = speed(out.motion(constraints="free"), "LeftArm")
    inside = (times > knots[0] + 0.02) & (times < knots[1] - 0.02)
    assert inside.any()
    assert turned[inside].max() < 1e-6
    assert len(out) == len(poses) + 1


@pytest.mark.parametrize(("limits", "hurries"), [("on", 1.05), ("off", 1.5)])
def test_a_snap_waits_and_hurries(poses: StaggeredPoses, limits: str, hurries: float) -> None:
    poses = replace(poses, limits=limits)
    out = poses.ease(K, "snap", joints=ARM)
    start, end = poses.timing.knots[[K - 1, K], poses.channels.index("LeftArm")]
    before, times = speed(poses.source, "LeftArm")
    after, _ = speed(out.motion(constraints="free"), "LeftArm")
    early = (times > start) & (times < start + 0.6 * (end - start))
    late = (times > start + 0.88 * (end - start)) & (times < end)
    assert after[early].mean() < 0.6 * before[early].mean()
    assert after[late].max() > hurries * before[late].max()


def test_an_anticipation_goes_back_first(poses: StaggeredPoses) -> None:
    out = poses.ease(K, "anticipate", joints=ARM)
    j = poses.source.skeleton.index("LeftArm")
    own, goal = (poses.extreme(k).rotations[j] for k in (K, K + 1))
    assert quat.angle(out.extreme(K + 1).rotations[j], between(own, goal, -0.2)) < 1e-9
    assert quat.angle(out.extreme(K).rotations[j], own) < 1e-12


def test_a_settling_goes_past_and_comes_back(poses: StaggeredPoses) -> None:
    out = poses.ease(K, "settle", joints=ARM)
    j = poses.source.skeleton.index("LeftArm")
    before, own = (poses.extreme(k).rotations[j] for k in (K - 1, K))
    assert quat.angle(out.extreme(K).rotations[j], between(own, before, -0.2)) < 1e-9
    assert quat.angle(out.extreme(K + 1).rotations[j], own) < 1e-9


@pytest.mark.parametrize("preset", ["hold", "snap", "anticipate", "settle"])
def test_an_amount_of_0_changes_nothing(poses: StaggeredPoses, preset: Any) -> None:
    assert len(poses.ease(K, preset, 0.0)) == len(poses)
    whole = poses.ease(K, preset, 0.5)
    again = poses.replay(whole.edits)
    assert np.array_equal(again.motion().rotations, whole.motion().rotations)
    assert [e.do for e in whole.edits] == ["ease"]


OTHERS: dict[str, dict[str, Any]] = {
    "guided": {"duration": 1.8},
    "physics": {"duration": 2.4},
    "stagger": {"exaggerate": 0.2},
    "surface": {"keys": [{"time": 1.0, "joint": "RightHand", "shift": -0.1}]},
    "align": {"reference": Recipe([Step("spline", {"duration": 1.7})]).evaluate(samples.punches())},
}


@pytest.mark.parametrize("name", OTHERS)
def test_it_composes_and_is_undone_exactly(name: str) -> None:
    source = samples.jump() if name == "physics" else samples.punches()
    other = Step(name, OTHERS[name])
    own = Step("tween", {"tweens": [(1.0, "rest", 0.3)], "joints": ["RightArm"]})
    alone = Recipe([other]).evaluate(source)
    both = Recipe([other, own]).evaluate(source)
    assert quat.angle(both.rotations, alone.rotations).max() > 0.01
    back = Recipe([other, replace(own, mute=True)]).evaluate(source)
    assert np.array_equal(back.rotations, alone.rotations)
    assert np.isfinite(Recipe([own, other]).evaluate(source).rotations).all()


def test_a_step_without_tweens_changes_nothing(walk: Motion) -> None:
    out = Recipe([Step("tween")]).evaluate(walk)
    assert np.array_equal(out.rotations, walk.rotations)


def test_a_pose_is_inserted_where_none_is_near(walk: Motion) -> None:
    step = Step("tween", {"tweens": [(2.2, "rest", 1.0)], "keep": [0.5], "joints": ["LeftArm"]})
    out = Recipe([step]).evaluate(walk)
    frame = round(2.2 * walk.rate)
    j = walk.skeleton.index("LeftArm")
    assert quat.angle(out.rotations[frame, j], walk.skeleton.rest_rotations[j]) < 1e-6


def test_the_command_line_tweens(run: Any, tmp_path: Any, walk: Motion) -> None:
    import retime

    retime.write(walk, tmp_path / "walk.bvh")
    words = ["--tween", "1.1:next:0.4", "--ease", "1.1:hold:1", "--joint", "RightArm"]
    status, _, err = run("tween", tmp_path / "walk.bvh", tmp_path / "out.bvh", *words)
    assert status == 0, err
    out = retime.read(tmp_path / "out.bvh")
    assert quat.angle(out.rotations, walk.rotations).max() > 0.05
    status, _, err = run("tween", tmp_path / "walk.bvh", tmp_path / "o.bvh", "--tween", "1:over:1")
    assert status == 2
    assert "over" in err


@pytest.mark.parametrize(
    ("edit", "sentence"),
    [
        (lambda p: p.tween(9, toward="next"), "at most 3"),
        (lambda p: p.tween(0.5, toward="nxt"), "toward is 'nxt'"),
        (lambda p: p.tween(0.5, poses=[99]), "there is no pose 99"),
        (lambda p: p.ease(K, "bounce"), "the preset is 'bounce'"),
        (lambda p: p.ease(K, "hold", 7), "0 to 2"),
        (lambda p: p.ease(K, "hold", seconds=0), "longer than 0 s"),
        (lambda p: p.ease(0, "snap"), "needs a pose before"),
        (lambda p: p.ease(len(p) - 1, "hold"), "needs a pose after"),
    ],
)
def test_bad_input_gets_a_sentence(poses: StaggeredPoses, edit: Any, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        edit(poses)


def test_who_has_no_legs_has_no_mirror() -> None:
    chain = StaggeredPoses.from_motion(samples.chain())
    with pytest.raises(InputError, match="no legs were found"):
        chain.tween(1.0, toward="mirror", poses=[1])


def test_warps_and_values_stay_apart(poses: StaggeredPoses) -> None:
    """A tween changes no time, and a snap no value."""
    led = poses.tween(0.5, toward="next", poses=[K])
    assert led.warp().is_identity
    snapped = poses.ease(K, "snap", joints=ARM)
    assert snapped.layer() is None
    assert isinstance(snapped.warp(), TimeWarp)
    assert not snapped.warp().is_identity


# ---- poses from scratch, tangents, groups of joints


def test_a_clip_starts_over_from_one_pose(poses: StaggeredPoses) -> None:
    out = poses.blank(K)
    made, held = out.motion(), poses.extreme(K)
    assert len(out) == 2
    assert quat.angle(made.rotations, held.rotations).max() < 1e-9
    assert np.abs(made.root_translation - held.translations["Hips"]).max() < 1e-12
    turned = out.insert(2.0).turn({"LeftArm": [0, 0, 50]}, poses=[1])
    again = turned.motion()
    frame = round(2.0 * again.rate)
    j = poses.source.skeleton.index("LeftArm")
    assert np.degrees(quat.angle(again.rotations[frame, j], held.rotations[j])) == pytest.approx(50)
    assert quat.angle(again.rotations[0], held.rotations).max() < 1e-9
    back = poses.replay(turned.edits)
    assert np.array_equal(back.motion().rotations, again.rotations)
    muted = poses.replay([replace(e, mute=True) for e in turned.edits])
    assert np.array_equal(muted.motion().rotations, poses.motion().rotations)


@pytest.mark.parametrize("shape", ["flat", "smooth", "linear"])
def test_tangents_have_a_shape(poses: StaggeredPoses, shape: Any) -> None:
    i = poses.channels.index("LeftArm")
    number = int(poses.timing.numbers[K])
    out = poses.shape_tangents(shape, joints=["LeftArm"], poses=[K])
    arrive, leave = out.curves[i].tangents(number)
    before, after = poses.curves[i].chords(number)
    wanted = {
        "flat": (0 * before, 0 * after),
        "smooth": ((before + after) / 2, (before + after) / 2),
        "linear": (before, after),
    }[shape]
    np.testing.assert_allclose(arrive, wanted[0], atol=1e-9)
    np.testing.assert_allclose(leave, wanted[1], atol=1e-9)
    j = poses.source.skeleton.index("LeftArm")
    assert quat.angle(out.extreme(K).rotations[j], poses.extreme(K).rotations[j]) < 1e-9
    every = poses.curves[i].extreme_tangents()
    knot = poses.curves[i].knot_of(number)
    np.testing.assert_allclose(every[0][knot], poses.curves[i].tangents(number)[0], atol=1e-12)


def test_groups_name_whole_parts(walk: Motion) -> None:
    from retime.body import find_body

    body = find_body(walk)
    arm = ("LeftArm", "LeftForeArm", "LeftHand")
    assert body.find_joints(["left_arm"]) == arm
    assert set(body.find_joints(["arms"])) == {*arm, "RightArm", "RightForeArm", "RightHand"}
    assert body.find_joints(["trunk"]) == ("Spine", "Chest", "Neck")
    assert len(body.find_joints(["legs"])) == 8
    with pytest.raises(InputError, match="the figure has no left arm"):
        find_body(samples.chain()).find_joints(["left_arm"])
