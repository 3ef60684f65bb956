"""What a motion refuses, and what it keeps."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from motion_making import under_a_node
from retime import InputError, Motion, Skeleton, TimeWarp, Units, apply, positions, quat, samples
from retime.notes import as_notes

TWO = Skeleton(("Hips", "Hand"), np.array([-1, 0]), np.zeros((2, 3)))


def make(**changes: Any) -> Motion:
    values: dict[str, Any] = {
        "skeleton": TWO,
        "rotations": quat.identity(3, 2),
        "translations": {"Hips": np.zeros((3, 3))},
    }
    return Motion(**(values | changes))


def spoiled(frame: int, joint: int, value: float) -> Any:
    q = quat.identity(3, 2)
    q[frame, joint, 0] = value
    return q


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"rotations": np.zeros((3, 2))}, r"rotations has shape \(3, 2\), expected \(any, 2, 4\)"),
        ({"rotations": quat.identity(3, 5)}, r"expected \(any, 2, 4\)"),
        ({"rotations": "turns"}, "rotations must be numbers"),
        (
            {"rotations": spoiled(1, 1, 0.5)},
            "'Hand' at frame 1 is not a unit quaternion",
        ),
        ({"rotations": spoiled(2, 0, np.nan)}, "rotation of 'Hips' at frame 2"),
        ({"rotations": spoiled(0, 0, 0.0)}, "rotation of 'Hips' at frame 0"),
        ({"translations": {}}, "the root 'Hips' has no translation track"),
        ({"translations": {"Hips": np.zeros((2, 3))}}, "translation track of 'Hips' has shape"),
        (
            {"translations": {"Hips": np.full((3, 3), np.inf)}},
            "translation track of 'Hips': the value at frame 0 is not finite",
        ),
        (
            {"translations": {"Hips": np.zeros((3, 3)), "Hnad": np.zeros((3, 3))}},
            "no joint named 'Hnad'; did you mean 'Hand'",
        ),
        ({"scales": {"Hand": np.ones((4, 3))}}, "scale track of 'Hand' has shape"),
        ({"scales": {"Tail": np.ones((3, 3))}}, "no joint named 'Tail'"),
        ({"sample_times": [0, 1]}, "sample times has shape"),
        ({"sample_times": [0, 1, 1]}, "sample times must rise"),
        ({"sample_times": [0, 1, np.nan]}, "sample times: the value at frame 2 is not finite"),
        ({"fps": 0}, "frame rate must be above 0"),
        ({"fps": np.nan}, "frame rate must be above 0"),
        ({"start": np.inf}, "start time must be finite"),
    ],
)
def test_bad_motions_get_a_sentence(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        make(**changes)


@pytest.mark.parametrize(
    ("metres", "up", "sentence"),
    [(0.0, "Y", "above 0"), (np.nan, "Y", "above 0"), (1.0, "X", "'Y' or 'Z', not 'X'")],
)
def test_bad_units_get_a_sentence(metres: float, up: Any, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        Units(metres, up)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"fps": 0.0}, "frame rate must be above 0, not 0"),
        ({"fps": np.inf}, "frame rate must be above 0"),
        ({"times": []}, "output times must be a list"),
        ({"times": [[0.0]]}, "output times must be a list"),
        ({"times": [np.nan]}, "output times must be a list"),
        ({"times": ["soon"]}, "output times must be a list"),
        ({"times": [1.0, 0.5]}, "sample times must rise"),
        ({"fps": 1e9}, "lower the frame rate"),
        ({"range": (0.5, 9.0)}, "not a part of the clip"),
    ],
)
def test_apply_refuses_with_a_sentence(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        apply(samples.chain(), TimeWarp.identity(0, 2), **options)


def test_a_motion_without_frames_has_nothing_to_retime() -> None:
    empty = make(rotations=quat.identity(0, 2), translations={"Hips": np.zeros((0, 3))})
    assert empty.duration == 0
    with pytest.raises(InputError, match="no frames"):
        apply(empty, TimeWarp.identity(0, 1))


def test_rotations_become_unit_and_sign_continuous() -> None:
    q = quat.identity(3, 2) * (1 + 1e-5)
    q[1] *= -1
    made = make(rotations=q).rotations
    np.testing.assert_allclose(made, quat.identity(3, 2), atol=1e-15)


def test_what_fits_the_convention_is_kept_bit_for_bit() -> None:
    turn = quat.from_axis_angle([0, 0, 1], np.linspace(0, 9, 30))
    q = np.stack([turn, turn], axis=1)
    motion = make(rotations=q, translations={"Hips": np.zeros((30, 3))})
    assert motion.rotations.tobytes() == q.tobytes()


def test_values_are_copied_and_read_only() -> None:
    track = np.zeros((3, 3))
    motion = make(translations={"Hips": track})
    track[0] = 9
    assert motion.root_translation[0, 0] == 0
    for values in (motion.rotations, motion.root_translation, motion.times):
        with pytest.raises(ValueError, match="read-only"):
            values[0] = 1
    with pytest.raises(TypeError):
        motion.translations["Hand"] = track  # type: ignore[index]


def test_a_pickled_motion_is_the_same_and_still_read_only() -> None:
    motion = samples.chain()
    back = pickle.loads(pickle.dumps(motion))
    assert back.rotations.tobytes() == motion.rotations.tobytes()
    assert back.skeleton.names == motion.skeleton.names
    assert not back.rotations.flags.writeable
    assert not back.root_translation.flags.writeable


def test_duration_is_last_minus_first_sample_time() -> None:
    assert make(fps=4.0, start=1.0).domain == (1.0, 1.5)
    assert make(fps=4.0).duration == 0.5
    uneven = make(sample_times=[1.0, 1.5, 3.0])
    assert (uneven.duration, uneven.rate) == (2.0, 1.0)


def test_channels_are_joints_and_the_translations_of_roots() -> None:
    two_roots = Skeleton(("A", "B", "C"), np.array([-1, 0, -1]), np.zeros((3, 3)))
    assert two_roots.channels == ("A", "B", "C", "A:translation", "C:translation")


def test_times_are_found_between_samples() -> None:
    motion = make(fps=10.0, start=1.0)
    frame, share = motion.frame_at([0.0, 1.0, 1.05, 1.1 - 1e-10, 1.2, 9.0])
    assert frame.tolist() == [0, 0, 0, 1, 2, 2]
    np.testing.assert_allclose(share, [0, 0, 0.5, 0, 0, 0], atol=1e-9)
    uneven = make(sample_times=[0.0, 1.0, 3.0])
    frame, share = uneven.frame_at([0.5, 2.0])
    assert frame.tolist() == [0, 1]
    assert share.tolist() == [0.5, 0.5]


def test_one_frame_is_a_motion() -> None:
    one = make(rotations=quat.identity(1, 2), translations={"Hips": np.ones((1, 3))})
    assert len(apply(one, TimeWarp.identity(*one.domain))) == 1
    held = apply(one, TimeWarp([0, 1], [0, 0]))
    assert len(held) == 31
    assert (held.root_translation == 1).all()


def test_uneven_samples_are_interpolated_at_their_own_times() -> None:
    track = np.array([[0.0, 0, 0], [1.0, 0, 0], [3.0, 0, 0]])
    uneven = make(translations={"Hips": track}, sample_times=[0.0, 1.0, 3.0])
    out = apply(uneven, TimeWarp([0, 3], [0, 3]), fps=2.0)
    np.testing.assert_allclose(out.root_translation[:, 0], np.arange(7) / 2)


def test_notes_are_said_once() -> None:
    noted = make().with_notes(*as_notes("aa")).with_notes(*as_notes("ab"))
    assert noted.notes == ("a", "b")
    assert {n.code for n in noted.notes} == {"told"}


def test_a_clip_that_ends_between_frames_has_its_frames_rate() -> None:
    walk = samples.walk(fps=24.0)
    end = walk.times[-1] - 0.6 / 24
    times = np.r_[walk.times[:-1], end]
    cut = apply(walk, TimeWarp.identity(*walk.domain), times=times)
    assert cut.sample_times is not None
    assert cut.rate == pytest.approx(24.0)
    uneven = apply(walk, TimeWarp.identity(*walk.domain), times=[0.0, 0.1, 0.5])
    assert uneven.rate == pytest.approx(4.0)


def test_a_cycle_below_a_node_travels_on() -> None:
    walk = samples.walk()
    end = walk.duration
    twice = TimeWarp([0, 2 * end], [0, 2 * end], loop=True)
    tilt = quat.from_axis_angle(np.array([1.0, 0, 0]), -np.pi / 2)  # a node that turns Z up to Y
    for node in (quat.identity(1)[0], tilt):
        below = under_a_node(walk, node)
        np.testing.assert_allclose(positions(below)[:, 1:], positions(walk), atol=1e-9)
        made, plain = apply(below, twice), apply(walk, twice)
        np.testing.assert_allclose(positions(made)[:, 1:], positions(plain), atol=1e-6)


@pytest.mark.parametrize(
    ("name", "cycle"), [("walk", True), ("jump", False), ("punches", False), ("swing", False)]
)
def test_cycles_are_told_from_clips_that_end_as_they_began(name: str, cycle: bool) -> None:
    from retime import samples
    from retime.motion.loops import is_cycle

    assert is_cycle(samples.sample(name).motion) is cycle
