"""Where surfaces of time meet paths: flat and bent ones, and arguments that do not fit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from retime import _native

surfaces = _native.surfaces


def given() -> dict[str, Any]:
    """Return two joints over a surface that rises along x; the second does not feel it."""
    path = np.zeros((60, 2, 2))
    path[:, :, 0] = np.linspace(0, 4, 60)[:, None]
    path[:, :, 1] = 1.3
    return {
        "times": np.linspace(0.5, 1.5, 21),
        "shares": np.linspace(0, 1, 21),
        "paths": path,
        "start": 0.0,
        "rate": 30.0,
        "grids": np.tile(np.linspace(0, 0.4, 5)[None, :, None], (1, 1, 3)),
        "weights": np.array([[1.0], [0.0]]),
    }


def test_paths_meet_a_rising_surface() -> None:
    case = given()
    found = surfaces.intersect(**case)
    # The shift at source time s is 0.1 x = 0.1 * 4 s 30 / 59, so s + share * shift(s) = t.
    slope = 0.1 * 4 * 30 / 59
    assert np.allclose(found[:, 0], case["times"] / (1 + case["shares"] * slope), atol=1e-8)
    assert np.array_equal(found[:, 1], case["times"])


def test_paths_outside_the_grid_take_its_edge() -> None:
    case = given()
    case["paths"] += 100.0
    found = surfaces.intersect(**case)
    assert np.allclose(found[:, 0], case["times"] - 0.4 * case["shares"], atol=1e-8)


@pytest.mark.parametrize("name", ["times", "shares", "paths", "grids", "weights"])
@pytest.mark.parametrize("value", [np.nan, np.inf, 1e300])
def test_values_that_are_no_numbers_end(name: str, value: float) -> None:
    case = given()
    case[name][-1] = value
    assert surfaces.intersect(**case).shape == (21, 2)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("paths", np.zeros((1, 2, 2))),
        ("paths", np.zeros((60, 3, 2))),
        ("grids", np.zeros((1, 1, 3))),
        ("grids", np.zeros((1, 3, 1))),
        ("weights", np.zeros((2, 2))),
        ("shares", np.zeros(20)),
    ],
)
def test_arguments_are_checked(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match="intersect"):
        surfaces.intersect(**{**given(), name: value})
