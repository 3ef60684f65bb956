"""Polygons with known corners, and inputs that have none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from retime import _native
from retime.arrays import FloatArray

polygons = _native.physics_polygons
SQUARE = np.array([[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]])
# |y| <= 1 and 0 <= x <= 2, as rows of limits.
BOX = np.array([0.0, -1.0]), np.array([0.0, 1.0]), np.array([1.0, 0.0])


def rounded(corners: FloatArray) -> set[tuple[float, ...]]:
    """Return corners without an order."""
    return {tuple(float(v) + 0.0 for v in c) for c in corners.round(9)}


def test_limits_without_contacts_are_a_rectangle() -> None:
    corners, forces = polygons.polygon(*BOX, np.zeros((2, 0)), 60.0, 16.0, 20.0)
    assert rounded(corners) == {(-1.0, 0.0), (-1.0, 2.0), (1.0, 0.0), (1.0, 2.0)}
    assert forces.shape == (4, 0)
    y, x = corners.T
    area = (y * np.roll(x, -1) - np.roll(y, -1) * x).sum() / 2
    assert np.isclose(area, 4.0)  # against the clock


def test_a_force_moves_an_edge_as_far_as_it_may_grow() -> None:
    push = np.array([[1.0], [0.0]])
    corners, forces = polygons.polygon(*BOX, push, 60.0, 16.0, 3.0)
    kept = polygons.fewer_vertices(corners, 1.0, 1e-4)
    assert rounded(corners[kept]) == {(-1.0, 0.0), (-1.0, 2.0), (4.0, 0.0), (4.0, 2.0)}
    assert np.allclose(forces[corners[:, 0] == 4.0], 3.0)


def test_an_infeasible_frame_has_no_corners() -> None:
    gravity = np.array([5.0, 0.0])
    nothing = np.zeros(2)
    corners, forces = polygons.polygon(gravity, nothing, nothing, np.zeros((2, 3)), 60.0, 16.0, 9.0)
    assert corners.shape == (0, 2)
    assert forces.shape == (0, 3)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e308])
def test_values_that_are_no_numbers_end(bad: float) -> None:
    rng = np.random.default_rng(0)
    for place in range(4):
        given: Any = [*rng.normal(size=(3, 9)), rng.normal(size=(9, 5))]
        given[place].flat[4] = bad
        a, b, c, d = given
        corners, forces = polygons.polygon(a, b, c, d, 60.0, 16.0, 20.0)
        assert len(corners) == len(forces)
    polygons.polygon(*BOX, np.ones((2, 2)), bad, bad, bad)


def test_distances_of_all_frames() -> None:
    square = np.array([[-1.0, 0.0], [1.0, 0.0], [1.0, 2.0], [-1.0, 2.0]])
    starts = np.array([0, 4, 4, 8])
    timing = np.array([[4.0, 6.0], [0.0, 1.0], [0.5, 1.0]])
    found = polygons.distances(starts, np.tile(square, (2, 1)), timing)
    assert found.tolist() == [5.0, np.inf, 0.0]
    with pytest.raises(ValueError, match="starts"):
        polygons.distances(np.array([0, 4, 4, 9]), np.tile(square, (2, 1)), timing)


def test_shapes_are_checked() -> None:
    with pytest.raises(ValueError, match="speed"):
        polygons.polygon(BOX[0], np.zeros(3), BOX[2], np.zeros((2, 0)), 60.0, 16.0, 20.0)
    with pytest.raises(ValueError, match="corners"):
        polygons.nearest_point(np.zeros((4, 3)), 0.0, 0.0)


def test_vertices_on_edges_and_repeated_ones_are_dropped() -> None:
    corners = np.insert(SQUARE, [1, 2], [[1.0, 0.0], [2.0, 0.0]], axis=0)
    kept = polygons.fewer_vertices(corners, 1.0, 1e-4)
    assert rounded(corners[kept]) == rounded(SQUARE)
    for count in range(4):
        assert polygons.fewer_vertices(SQUARE[:count], 1.0, 1e-4).tolist() == list(range(count))


def test_the_nearest_point_is_on_the_edge() -> None:
    assert polygons.nearest_point(SQUARE, 1.0, 1.5) == (True, 1.0, 2.0)
    assert polygons.nearest_point(SQUARE, 1.0, -3.0) == (False, 1.0, 0.0)
    assert polygons.nearest_point(SQUARE, 5.0, 4.0) == (False, 2.0, 2.0)
