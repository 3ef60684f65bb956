"""Forces at contacts against plain numpy and scipy, and arguments that do not fit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import nnls

from retime import _native

contacts = _native.physics_contacts


def touches() -> dict[str, Any]:
    """Return two touches of a chain of three joints, in the second of two frames."""
    rng = np.random.default_rng(1)
    turns = np.linalg.qr(rng.normal(size=(2, 3, 3, 3)))[0]
    return {
        "parents": np.array([-1, 0, 1]),
        "turns": np.ascontiguousarray(turns),
        "places": rng.normal(size=(2, 3, 3)),
        "centres": rng.normal(size=(2, 3)),
        "headings": np.array([0.1, 0.7]),
        "starts": np.array([0, 0, 2]),
        "joints": np.array([2, 0]),
        "points": rng.normal(size=(2, 3)),
        "bases": rng.normal(size=(2, 6, 3)),
        "sizes": np.array([4, 1]),
    }


def test_maps_are_moments_about_each_joint() -> None:
    given = touches()
    out, at = contacts.touch_maps(**given)
    assert at.tolist() == [0, 0, 12 * 5]
    found = out.reshape(12, 5)
    force, point = given["bases"][0, 2], given["points"][0]
    c, s = np.cos(0.7), np.sin(0.7)
    back = np.array([[c, 0, -s], [0, 1, 0], [s, 0, c]])
    assert np.allclose(found[:3, 2], back @ force)
    assert np.allclose(found[3:6, 2], back @ np.cross(point - given["centres"][1], force))
    for j in (1, 2):
        moment = np.cross(point - given["places"][1, j], force)
        assert np.allclose(found[3 + 3 * j : 6 + 3 * j, 2], given["turns"][1, j].T @ moment)
    # The other touch is of the root: it turns no joint.
    assert not found[6:, 4].any()
    assert found[:3, 4].any()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("joints", np.array([3, 0])),
        ("joints", np.array([-1, 0])),
        ("sizes", np.array([7, 1])),
        ("sizes", np.array([-1, 1])),
        ("starts", np.array([0, 1, 3])),
        ("starts", np.array([0, 2])),
        ("parents", np.array([-1, 3, 1])),
    ],
)
def test_indices_of_touches_are_checked(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=name):
        contacts.touch_maps(**{**touches(), name: value})


def test_parents_in_a_circle_end() -> None:
    out, _ = contacts.touch_maps(**{**touches(), "parents": np.array([1, 2, 2])})
    assert np.isfinite(out).all()


def test_given_forces_are_the_nearest() -> None:
    rng = np.random.default_rng(2)
    for _ in range(20):
        support, needed = rng.normal(size=(9, 8)), 700 * rng.normal(size=6)
        rows = rng.uniform(0.5, 2.0, 6)
        found = contacts.given_forces(support, needed, rows, 700.0)
        forces, _ = nnls(rows[:, None] * 700 * support[:6], rows * needed)
        assert np.allclose(found, 700 * support[:6] @ forces, rtol=1e-6, atol=1e-3)


def least(rows: int = 18, count: int = 16) -> dict[str, Any]:
    """Return a problem with random contacts."""
    rng = np.random.default_rng(rows + count)
    return {
        "support": rng.normal(size=(rows, count)),
        "unit": 700.0,
        "must": np.full(6, 1.0),
        "scale": rng.uniform(50, 200, rows - 6),
        "cost": 0.02,
        "torque": 300 * rng.normal(size=rows),
        "target": 10 * rng.normal(size=rows - 6),
    }


@pytest.mark.parametrize("count", [0, 1, 5, 16])
def test_least_contact_forces_match_another_solver(count: int) -> None:
    given = least(count=count)
    found = contacts.least_contact_forces(**given)
    weights = np.r_[given["must"], 1 / given["scale"]]
    wanted = weights * (given["torque"] - np.r_[np.zeros(6), given["target"]])
    square = np.r_[weights[:, None] * 700 * given["support"], 0.02 * np.eye(count)]
    expected = nnls(square, np.r_[wanted, np.zeros(count)])[0] if count else np.zeros(0)
    assert np.allclose(found, expected, atol=1e-6)


def test_efforts_are_linear_and_hold_at_the_centre() -> None:
    given = least()
    rng = np.random.default_rng(3)
    gravity, speed, change = rng.normal(size=(3, 18))
    centre, forces = np.array([0.5, 1.2]), rng.uniform(size=16)
    named = {k: given[k] for k in ("support", "unit", "must", "scale", "cost")}
    still, by_speed, by_change = contacts.effort_maps(
        **named, gravity=gravity, speed=speed, change=change, centre=centre, forces=forces
    )
    there = (gravity + 1.2 * speed + 0.5 * change)[6:]
    held = 700 * given["support"][6:] @ forces
    assert np.allclose(still + 1.2 * by_speed + 0.5 * by_change, there - held)


@pytest.mark.parametrize(("name", "length"), [("scale", 11), ("torque", 6), ("must", 5)])
def test_shapes_of_fits_are_checked(name: str, length: int) -> None:
    with pytest.raises(ValueError, match=name):
        contacts.least_contact_forces(**{**least(), name: np.ones(length)})


def test_values_that_are_no_numbers_end() -> None:
    given = least()
    given["support"][3, 4] = np.nan
    assert contacts.least_contact_forces(**given).shape == (16,)
