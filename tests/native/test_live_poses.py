"""Poses of a live performer: turned, sized and compared, and arguments that do not fit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from retime import _native
from retime.arrays import FloatArray

poses = _native.live_poses
JOINTS = 6
EVERY = np.ones(JOINTS, bool)
BONES = np.array([[0, 1], [1, 2], [1, 3], [3, 4], [4, 5]])


def pose(seed: int) -> FloatArray:
    """Return joints that are centred on the ground."""
    out: FloatArray = np.random.default_rng(seed).normal(size=(JOINTS, 3))
    out[:, [0, 2]] -= out[:, [0, 2]].mean(axis=0)
    return out


def turned(points: FloatArray, angle: float) -> FloatArray:
    c, s = np.cos(angle), np.sin(angle)
    out: FloatArray = points @ np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
    return out


def test_a_pose_equals_itself_turned_and_moved() -> None:
    recorded = turned(pose(0), 1.1) + np.array([3.0, 0.0, -2.0])
    assert np.allclose(poses.pose_difference(recorded, pose(0), EVERY), 0.0)
    seen = np.arange(JOINTS) != 2
    live = pose(0) - np.append(pose(0)[seen].mean(axis=0)[[0, 2]], 0.0)[[0, 2, 1]]
    live[2] = 9.0  # what is not seen does not count
    assert np.allclose(poses.pose_difference(recorded, live, seen), 0.0)


def test_the_nearest_point_of_a_path_lies_between_its_places() -> None:
    path = np.stack([pose(0) + share * (pose(1) - pose(0)) for share in np.linspace(0, 1, 6)])
    live = 0.4 * path[2] + 0.6 * path[3]
    place, square = poses.nearest_on_path(path, live, EVERY, 0, 5)
    assert place == pytest.approx(2.6, abs=0.1)
    assert square < 0.01
    assert poses.nearest_on_path(path, live, EVERY, 4, 4)[0] == 4.0


def test_belief_tells_places_apart_where_a_path_comes_back() -> None:
    way = [pose(0) + share * (pose(1) - pose(0)) for share in (0.0, 0.2, 0.4, 0.2, 0.0)]
    path, live = np.stack(way), 0.5 * (way[3] + way[4])
    sure = np.array([0.0, 0.0, 0.1, 0.4, 0.5])
    assert poses.mean_on_path(path, sure, live, EVERY, 0, 4, 1e-6) == pytest.approx(3.5, abs=0.01)
    even = np.full(5, 0.2)
    assert poses.mean_on_path(path, even, live, EVERY, 0, 4, 1e-6) == pytest.approx(2.0, abs=0.01)
    # Of a pose that tells little, belief tells the place.
    assert poses.mean_on_path(path, even, live, EVERY, 2, 4, 1e6) == pytest.approx(3.0, abs=0.01)
    assert poses.mean_on_path(path, even, live, EVERY, 3, 3, 1e-6) == 3.0


@pytest.mark.parametrize("rise", [0.05, -0.9, 2.0])
def test_a_pose_from_another_floor_is_the_same_within_ten_centimetres(rise: float) -> None:
    seen = np.ones(JOINTS, bool)
    off = poses.pose_difference(pose(0), pose(0) + np.array([0.0, rise, 0.0]), seen)
    np.testing.assert_allclose(off[:, 1], np.clip(rise, -0.1, 0.1), atol=1e-12)


def test_velocities_are_without_the_travel_and_rotation_of_the_body() -> None:
    now = turned(pose(0), 0.3) + np.array([1.0, 0.2, 0.5])
    assert np.allclose(poses.pose_velocity(now, pose(0), EVERY, 0.5), [0.0, 0.4, 0.0])
    assert poses.mean_travel(now, pose(0), EVERY) == pytest.approx(0.2)
    nobody = np.zeros(JOINTS, bool)
    assert not poses.pose_velocity(now, pose(0), nobody, 0.5).any()
    assert poses.mean_travel(now, pose(0), nobody) == 0.0


def state() -> dict[str, Any]:
    """Return what `measure_bones` learns, before the first pose."""
    count = len(BONES)
    return {
        "lengths": np.zeros(count),
        "spread": np.zeros(count),
        "seen": np.zeros(count, np.int64),
        "odd": np.zeros(count, np.int64),
        "first": np.zeros((count, 7)),
    }


def measure(points: FloatArray, known: dict[str, Any], **changed: Any) -> Any:
    visible = EVERY.copy()
    given = {"points": points, "visible": visible, "bones": BONES, **known, "most": 250}
    poses.measure_bones(**(given | changed))
    return visible


def test_bones_are_measured_and_impossible_joints_are_hidden() -> None:
    known = state()
    rng = np.random.default_rng(0)
    for _ in range(100):
        assert measure(pose(0) + 0.01 * rng.normal(size=(JOINTS, 3)), known).all()
    right = np.linalg.norm(pose(0)[BONES[:, 1]] - pose(0)[BONES[:, 0]], axis=1)
    assert np.allclose(known["lengths"], right, atol=0.01)
    assert (known["seen"] == 100).all()
    broken = pose(0)
    broken[5] = 100.0
    assert measure(broken, known).tolist() == [True] * 5 + [False]
    assert known["odd"].tolist() == [0, 0, 0, 0, 1]
    for _ in range(28):  # as many outliers in a row are another body
        measure(broken, known)
    assert known["seen"].tolist() == [129, 129, 129, 129, 0]


def put(points: FloatArray, **changed: Any) -> FloatArray:
    lengths = np.linalg.norm(pose(0)[BONES[:, 1]] - pose(0)[BONES[:, 0]], axis=1)
    given = {
        "points": points,
        "visible": EVERY,
        "bones": BONES,
        "lengths": 1.5 * lengths,
        "spread": np.zeros(len(BONES)),
        "seen": np.full(len(BONES), 9),
        "recorded": lengths,
        "is_leg": BONES[:, 1] > 3,
        "same": 0.0003,
        "least": 3,
        "overall": 1.0,
        "scale": 2.0,
    }
    out: FloatArray = poses.put_on_bones(**(given | changed))
    return out


def test_a_larger_performer_is_put_on_the_recorded_bones() -> None:
    placed = put(1.5 * pose(0) + [4.0, 0.0, 4.0])
    assert np.allclose(placed, 2.0 * pose(0))
    # Nobody was measured yet: the given ratio counts.
    none = np.zeros(len(BONES))
    assert np.allclose(put(1.5 * pose(0), lengths=none, overall=0.5), 1.5 * pose(0))
    seen = np.arange(JOINTS) != 3
    assert not put(pose(0), visible=seen)[3].any()


@pytest.mark.parametrize(("low", "high"), [(-1, 2), (0, 5), (5, 5), (2**62, 2)])
def test_ranges_of_places_are_checked(low: int, high: int) -> None:
    with pytest.raises(ValueError, match=r"low|high"):
        poses.nearest_on_path(np.zeros((5, JOINTS, 3)), pose(0), EVERY, low, high)


@pytest.mark.parametrize(
    "changed",
    [
        {"bones": BONES + 1},
        {"bones": BONES[:3]},
        {"seen": np.full(5, -1)},
        {"first": np.zeros((4, 7))},
        {"visible": np.ones(JOINTS + 1, bool)},
    ],
)
def test_shapes_and_indices_of_bones_are_checked(changed: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="measure_bones"):
        measure(pose(0), state(), **changed)
    with pytest.raises(TypeError):
        measure(pose(0), state(), visible=np.ones(JOINTS))
