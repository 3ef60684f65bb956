"""Splines of rotations and positions: against Bezier curves of angles, and arguments that fail."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from retime import _native, quat
from retime.arrays import FloatArray

splines = _native.splines
KNOTS = np.array([0.0, 1.0, 3.0])
TIMES = np.linspace(-0.5, 3.5, 81)


def cubic(c: FloatArray, t: FloatArray) -> FloatArray:
    """Evaluate cubics (2, 4, D) between KNOTS."""
    s = np.clip(np.searchsorted(KNOTS, t, side="right") - 1, 0, 1)
    u = np.clip((t - KNOTS[s]) / np.diff(KNOTS)[s], 0, 1)[:, None]
    v = 1 - u
    out: FloatArray = (
        v**3 * c[s, 0] + 3 * u * v**2 * c[s, 1] + 3 * u**2 * v * c[s, 2] + u**3 * c[s, 3]
    )
    return out


def about_x(angles: FloatArray) -> FloatArray:
    """Return turns about x, whose splines are those of their angles; signs are kept."""
    half = np.asarray(angles)[..., None] / 2
    return np.concatenate([np.cos(half), np.sin(half), 0 * half, 0 * half], axis=-1)


ANGLES = np.array([[0.0, 0.7, 2.0, 2.5], [2.5, 4.0, 4.2, 6.0]])


def test_splines_are_those_of_angles_and_places() -> None:
    found = splines.evaluate_rotations(about_x(ANGLES), KNOTS, TIMES)
    # De Casteljau's steps on the sphere are not Bernstein's sum but for turns about one axis.
    assert np.allclose(found, about_x(cubic(ANGLES[..., None], TIMES)[:, 0]))
    places = np.random.default_rng(1).normal(size=(2, 4, 3))
    assert np.allclose(splines.evaluate_places(places, KNOTS, TIMES), cubic(places, TIMES))


def test_times_may_come_in_any_order() -> None:
    backwards = np.ascontiguousarray(TIMES[::-1])
    controls = about_x(ANGLES)
    forth = splines.evaluate_rotations(controls, KNOTS, TIMES)
    assert np.array_equal(splines.evaluate_rotations(controls, KNOTS, backwards), forth[::-1])


def test_fits_return_the_splines_that_were_sampled() -> None:
    times = np.linspace(0, 3, 61)
    places = np.random.default_rng(2).normal(size=(2, 4, 3))
    places[1, 0] = places[0, 3]
    ends = np.array([places[0, 0], places[1, 0], places[1, 3]])
    found = splines.fit_places(cubic(places, times), times, KNOTS, ends)
    assert np.allclose(found, places)
    controls = about_x(ANGLES)
    ends = about_x(np.array([0.0, 2.5, 6.0]))
    samples = splines.evaluate_rotations(controls, KNOTS, times)
    assert np.allclose(splines.fit_rotations(samples, times, KNOTS, ends, 0), controls)


def test_refinement_lowers_the_error() -> None:
    rng = np.random.default_rng(3)
    times = np.linspace(0, 3, 61)
    values = quat.exp(np.cumsum(rng.normal(0, 0.15, (61, 3)), axis=0))
    ends = values[[0, 20, 60]]
    errors = []
    for iterations in (0, 1, 15):
        controls = splines.fit_rotations(values, times, KNOTS, ends, iterations)
        there = splines.evaluate_rotations(controls, KNOTS, times)
        errors.append((quat.angle(there, values) ** 2).sum())
    assert errors[0] > errors[1] >= errors[2]


def test_a_transition_with_few_samples_is_an_arc() -> None:
    ends = about_x(np.array([0.0, 0.9, 1.2]))
    few = np.array([0.5, 2.0])
    found = splines.fit_rotations(about_x(np.array([0.1, 0.2])), few, KNOTS, ends, 15)
    assert np.allclose(found[0], about_x(np.array([0.0, 0.3, 0.6, 0.9])))


def test_controls_beside_knots_turn() -> None:
    controls = about_x(ANGLES)
    turns = np.array([[0.0, 0.0, 0.0], [0.5, 0.0, 0.0], [0.0, 0.0, 1.0]])
    found = splines.turn_controls(controls, turns)
    assert np.array_equal(found[0, :2], controls[0, :2])
    assert np.allclose(found[0, 2:], about_x(ANGLES[0, 2:] + 0.5))
    assert np.allclose(found[1, :2], about_x(ANGLES[1, :2] + 0.5))
    last = quat.exp(turns[2])
    assert np.allclose(found[1, 2:], quat.multiply(last, controls[1, 2:]))
    assert np.array_equal(controls, about_x(ANGLES))  # unchanged


def test_changes_do_not_jump_and_end_at_the_floor() -> None:
    angles = np.linspace(0, 5, 40)
    still = quat.identity(40)
    found = splines.rotation_changes(about_x(angles), still, 0.5)
    wanted = np.where(angles > 0.5, angles, 0.0)
    assert np.allclose(found, np.stack([wanted, 0 * angles, 0 * angles], axis=1))


def test_changes_are_none_where_controls_are_the_same() -> None:
    now, before = about_x(ANGLES), about_x(ANGLES)
    now[1, 2] = about_x(np.array(4.5))
    detail, source = quat.identity(81), quat.identity(81)
    found = splines.spline_changes(now, before, KNOTS, TIMES, detail, source, 0.0)
    assert (found[TIMES < 1] == 0).all()
    there = splines.evaluate_rotations(now, KNOTS, TIMES)
    turned = quat.exp(found[TIMES >= 1])
    assert quat.angle(turned, there[TIMES >= 1]).max() < 1e-12


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ([], []),
        ([1.0, 2.0, 2.0], [1.0, 2.0, 2.0]),
        ([3.0, 1.0, 2.0], [2.0, 2.0, 2.0]),
        ([1.0, 5.0, 4.0, 0.0, 9.0], [1.0, 3.0, 3.0, 3.0, 9.0]),
    ],
)
def test_rising_numbers(given: list[float], wanted: list[float]) -> None:
    assert splines.rising(np.array(given)).tolist() == wanted


def test_times_and_knots_that_do_not_rise_end() -> None:
    rng = np.random.default_rng(5)
    values = quat.exp(rng.normal(size=(30, 3)))
    for times in (rng.normal(size=30), np.full(30, np.nan)):
        knots = rng.normal(size=6)
        controls = splines.fit_rotations(values, times, knots, values[:6], 3)
        assert splines.evaluate_rotations(controls, knots, times).shape == (30, 4)


@pytest.mark.parametrize(
    ("controls", "knots"),
    [
        (np.zeros((0, 4, 4)), np.zeros(1)),
        (np.zeros((2, 4, 4)), np.zeros(2)),
        (np.zeros((2, 4, 3)), np.zeros(3)),
        (np.zeros((2, 3, 4)), np.zeros(3)),
    ],
)
def test_shapes_of_splines_are_checked(controls: Any, knots: Any) -> None:
    with pytest.raises(ValueError, match=r"knots|controls"):
        splines.evaluate_rotations(controls, knots, TIMES)


def test_shapes_of_fits_and_turns_are_checked() -> None:
    with pytest.raises(ValueError, match="ends"):
        splines.fit_places(np.zeros((5, 3)), np.arange(5.0), KNOTS, np.zeros((2, 3)))
    with pytest.raises(ValueError, match="times"):
        splines.fit_rotations(np.zeros((5, 4)), np.arange(4.0), KNOTS, np.zeros((3, 4)), 0)
    with pytest.raises(ValueError, match="turns"):
        splines.turn_controls(np.zeros((2, 4, 4)), np.zeros((2, 3)))
    one = splines.fit_places(np.zeros((5, 3)), np.arange(5.0), KNOTS[:1], np.zeros((1, 3)))
    assert one.shape == (0, 4, 3)
