"""Fastest and slowest timings of simple regions, and arguments that do not fit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from retime import _native

timing = _native.physics_timing
# |y| <= 1 and 0.25 <= x <= 4 in every frame; with this step and unit, b changes by at most 1.
BOX = np.array([[-1.0, 0.25], [1.0, 0.25], [1.0, 4.0], [-1.0, 4.0]])
STEP, UNIT = 0.1, 5.0


def boxes(frames: int) -> tuple[Any, Any]:
    """Return a box for every frame."""
    return 4 * np.arange(frames + 1), np.tile(BOX, (frames, 1))


def ends(frames: int, first: float, last: float) -> tuple[Any, Any]:
    """Return bounds of the squared speed: 16, and others at the ends."""
    high = np.full(frames, 16.0)
    high[-1], high[0] = last, first
    return np.zeros(frames), high


def test_the_fastest_timing_accelerates_and_brakes() -> None:
    starts, corners = boxes(8)
    low, high = ends(8, 1.0, 2.0)
    b, sets, stuck = timing.fastest(starts, corners, STEP, UNIT, low, high, 12.0)
    assert stuck == -1
    assert np.allclose(b, [1, 2, 3, 4, 4, 4, 3, 2])
    assert np.allclose(sets[5:], [[0.25, 4.0], [0.25, 3.0], [0.0, 2.0]])
    slow = timing.slowest(starts, corners, STEP, UNIT, sets, 12.0)
    assert np.allclose(slow[:-1], 0.25)
    assert slow[-1] == 0.0


def test_given_speeds_are_left_no_faster_than_the_bound_of_their_change() -> None:
    starts, corners = boxes(8)
    low, high = ends(8, 16.0, 16.0)
    low[[0, 7]] = high[[0, 7]] = 1.0
    b, sets, stuck = timing.fastest(starts, corners, STEP, UNIT, low, high, 0.5)
    assert stuck == -1
    assert np.allclose(b, [1, 1.5, 2, 2.5, 2.5, 2, 1.5, 1])
    slow = timing.slowest(starts, corners, STEP, UNIT, sets, 0.5)
    assert np.allclose(slow, [1, 0.5, 0.25, 0.25, 0.25, 0.25, 0.5, 1])


def test_a_timing_that_cannot_end_is_reported() -> None:
    starts, corners = boxes(4)
    *_, stuck = timing.fastest(starts, corners, STEP, UNIT, *ends(4, 1.0, -1.0), 12.0)
    assert stuck == 2


def test_regions_of_neighbours_are_intersected_and_sheared() -> None:
    starts = np.array([0, 4, 8])
    corners = np.r_[BOX, BOX + np.array([0.5, 1.0])]
    begins, found, stuck = timing.intervals(starts, corners, STEP, UNIT)
    assert stuck == -1
    assert begins.tolist() == [0, 4, 8]
    straight = found[:4] + np.c_[np.zeros(4), STEP * UNIT * found[:4, 0]]
    assert np.allclose(straight.min(axis=0), [-0.5, 1.25])
    assert np.allclose(straight.max(axis=0), [1.0, 4.0])
    assert np.array_equal(found[4:], corners[4:])


@pytest.mark.parametrize(("starts", "stuck"), [([0, 4, 8], 0), ([0, 4, 4], 0), ([0, 0, 0], 0)])
def test_an_empty_interval_is_reported(starts: list[int], stuck: int) -> None:
    corners = np.r_[BOX, BOX + np.array([9.0, 0.0])]
    assert timing.intervals(np.array(starts), corners, STEP, UNIT)[2] == stuck


@pytest.mark.parametrize("starts", [[], [0]])
def test_no_frames_have_no_timing(starts: list[int]) -> None:
    given = np.array(starts, np.int64), np.zeros((0, 2))
    if starts:
        b, sets, stuck = timing.fastest(*given, STEP, UNIT, np.zeros(0), np.zeros(0), 1.0)
        assert (b.shape, sets.shape, stuck) == ((0,), (0, 2), -1)
    assert timing.intervals(*given, STEP, UNIT)[1].shape == (0, 2)


def test_the_objective_counts_distances_for_as_long_as_they_last() -> None:
    starts, corners = boxes(3)
    steps, ones = np.full(2, STEP), np.ones(3)
    given = starts, corners, np.zeros((3, 6)), ones, 1.0, np.zeros(2), ones, np.zeros(2)
    values = timing.objective_terms(np.full(3, 9.0), steps, UNIT, *given)
    # 5 above the box, at speed 3; half of both nodes.
    assert np.allclose(values, 25.0 * STEP / 3)
    assert not timing.objective_terms(ones, steps, UNIT, *given).any()
    # An interval that counts for given seconds costs the same at any speed.
    seconds = *given[:5], np.array([0.0, 0.7]), *given[6:]
    values = timing.objective_terms(np.full(3, 9.0), steps, UNIT, *seconds)
    assert np.allclose(values, [25.0 * STEP / 3, 25.0 * 0.7])


@pytest.mark.parametrize("starts", [[0, 4, 13], [-1, 4, 8], [0, 4, 8, 12]])
def test_shapes_and_indices_are_checked(starts: list[int]) -> None:
    ones = np.ones(2)
    with pytest.raises(ValueError, match="starts"):
        timing.objective_terms(
            ones, np.ones(1), UNIT, np.array(starts), np.tile(BOX, (2, 1)), np.zeros((2, 6)), ones,
            1.0, np.ones(1), ones, np.ones(1),
        )  # fmt: skip


def test_regions_in_any_order_stay_within_the_arrays() -> None:
    rng = np.random.default_rng(6)
    for _ in range(200):
        corners = rng.normal(size=(40, 2))
        starts = rng.integers(0, 41, 9)
        timing.intervals(starts, corners, STEP, UNIT)
        _, sets, _ = timing.fastest(starts, corners, STEP, UNIT, *ends(8, 1.0, 1.0), 9.0)
        timing.slowest(starts, corners, STEP, UNIT, sets, 9.0)
    with pytest.raises(ValueError, match="starts"):
        timing.fastest(np.array([0, 41]), corners, STEP, UNIT, *ends(1, 1.0, 1.0), 1.0)
