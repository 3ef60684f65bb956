"""Generalised forces of figures of few joints, and arguments that do not fit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from retime import _native

motion_forces = _native.physics_figure.motion_forces


def arguments(joints: int = 1, frames: int = 1) -> dict[str, Any]:
    """Return a chain at the origin that does not move, of solids of 2 kg."""
    solids = np.zeros((joints, 10))
    solids[:, 0] = 2.0
    return {
        "parents": np.arange(-1, joints - 1),
        "turns": np.tile(np.eye(3), (frames, joints, 1, 1)),
        "places": np.zeros((frames, joints, 3)),
        "solids": solids,
        "velocity": np.zeros((frames, 3 + 3 * joints)),
        "acceleration": np.zeros((frames, 3 + 3 * joints)),
        "pull": np.array([0.0, -10.0, 0.0]),
        "centres": np.zeros((frames, 3)),
        "headings": np.zeros(frames),
    }


def test_weight_is_held_and_does_not_depend_on_speed() -> None:
    at_rest, by_speed, by_change = motion_forces(**arguments(joints=3))
    assert np.allclose(at_rest[0, :6], [0, 60, 0, 0, 0, 0])
    assert not by_speed.any()
    assert not by_change.any()


def test_a_turning_arm_pulls_inwards_and_is_turned_by_its_inertia() -> None:
    given = arguments(joints=2)
    given["places"][0, 1] = [0.0, 1.0, 0.0]
    given["solids"][0] = 0.0
    # 2 kg at 0.5 m along x: first moment 1, second moments 0.5.
    given["solids"][1] = [2.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.5]
    given["velocity"][0, 6:9] = [0.0, 3.0, 0.0]
    at_rest, by_speed, by_change = motion_forces(**given)
    assert np.allclose(at_rest[0, 6:], [0.0, 0.0, 10.0])
    assert np.allclose(by_speed[0, :3], [-9.0, 0.0, 0.0])
    assert np.allclose(by_change[0, :3], [0.0, 0.0, -3.0])
    assert np.allclose(by_change[0, 6:], [0.0, 1.5, 0.0])


def test_axes_of_the_root_turn_with_the_heading() -> None:
    given = arguments()
    given["pull"][:] = [-10.0, 0.0, 0.0]
    given["headings"][:] = np.pi / 2
    assert np.allclose(motion_forces(**given)[0][0, :3], [0.0, 0.0, 20.0])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("parents", np.array([-1, 2])),
        ("parents", np.array([-2, 0])),
        ("velocity", np.zeros((1, 6))),
        ("turns", np.zeros((1, 2, 3, 4))),
        ("headings", np.zeros(2)),
    ],
)
def test_shapes_and_parents_are_checked(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=name):
        motion_forces(**{**arguments(joints=2), name: value})


def test_an_array_with_gaps_is_refused() -> None:
    with pytest.raises(TypeError):
        motion_forces(**{**arguments(), "velocity": np.zeros((1, 12))[:, ::2]})


def test_parents_in_any_order_stay_within_the_arrays() -> None:
    given = arguments(joints=3)
    given["parents"] = np.array([2, 1, 0])
    assert motion_forces(**given)[0].shape == (1, 12)
