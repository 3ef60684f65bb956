"""Scores of contacts on small arrays, and arguments that do not fit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from retime import _native

contacts = _native.contacts
INF = np.inf


def test_a_window_of_weights() -> None:
    track = np.array([[1.0, 0], [2, 0], [4, 1], [8, 0], [16, 0]])
    found = contacts.windowed_sums(track, np.array([-1.0, 0, 1]))
    assert found.tolist() == [[3, 1], [3, 1], [6, 0], [12, -1], [12, -1]]
    assert np.array_equal(contacts.windowed_sums(track, np.array([2.0])), 2 * track)
    assert contacts.windowed_sums(np.zeros((0, 3)), np.zeros(0)).shape == (0, 3)


def test_states_are_the_best_of_all() -> None:
    random = np.random.default_rng(1)
    for _ in range(50):
        score, price = random.normal(size=9), float(random.uniform(0, 2))
        best = max(
            range(512), key=lambda n: worth([bool(n >> k & 1) for k in range(9)], score, price)
        )
        found = contacts.likeliest_states(score, price).tolist()
        assert worth(found, score, price) == pytest.approx(
            worth([bool(best >> k & 1) for k in range(9)], score, price)
        )
    assert contacts.likeliest_states(np.zeros(0), 1.0).shape == (0,)


def worth(states: list[bool], score: np.ndarray, price: float) -> float:
    on = np.array(states)
    return float(np.where(on, score, -score).sum() - price * np.count_nonzero(on[1:] != on[:-1]))


def test_height_above_the_nearest_surface() -> None:
    place = np.array([[0.0, 1.0, 0.0], [0.0, 1.0, 0.0], [5.0, 1.0, 0.0], [0.0, -2.0, 0.0]])
    spots = np.array([[0.0, 0.0, 0.1], [0.0, 0.5, 0.0]])
    able = np.array([True, False, True, True])
    grips = np.array([False, True])
    found = contacts.surface_gaps(place, 0.25, able, spots, grips, 0.5, 0.1)
    assert found.tolist() == [0.25, 0.75, INF, INF]
    assert (
        contacts.surface_gaps(place, 0.0, able, spots[:0], grips[:0], 1.0, 1.0).tolist()
        == [INF] * 4
    )


def test_ground_continues_from_the_supports_before_and_after() -> None:
    supports = np.array([[0.0, 1, 0.0], [3, 4, 1.0]])
    found = contacts.continued_gaps(np.array([0.0, 0.5, 2.0, 2, 2, 2]), supports, 0.25, 0.125)
    assert found.tolist() == [0.125, 0.625, 1.125, 1.125, 1.125, 1.125]
    assert contacts.continued_gaps(np.zeros(2), supports[:0], 0.1, 0.1).tolist() == [INF, INF]


def test_distance_of_the_pressure_from_the_contacts() -> None:
    places = np.array([[[0.0, 0, 0]] * 3, [[1.0, 0, 0]] * 3])
    down = np.array([[True, True, False], [False, True, False]])
    ways = np.array([[1.0, 0], [-1, 0], [0, 1], [0, -1]])
    pressure = np.full((3, 2), [0.75, 0.0])
    found = contacts.outside_hull(pressure, places, down, np.array([0.25, 0.0]), ways)
    assert found.tolist() == [0.5, -0.25, 1.0]


def test_distance_to_the_nearest_bone() -> None:
    at = np.array([[[0.0, 0, 0], [2, 0, 0], [2, 0, 0]]] * 3)
    place = np.array([[1.0, 1, 0], [3, 0, 0], [-3, 4, 0]])
    found = contacts.bone_gaps(place, at, np.array([[0, 1], [1, 2]]))
    assert np.allclose(found, [1, 1, 5])
    assert contacts.bone_gaps(place, at, np.zeros((0, 2), np.int64)).tolist() == [INF] * 3


@pytest.mark.parametrize(
    ("x", "runs"),
    [
        ([0, 0, 0, 0], [[0, 3]]),
        ([9, 0, 0, 0, 5, 7, 7, 7, 7, 9], [[1, 3], [5, 8]]),
        ([0, 0, 5, 5, 9, 9], []),
        ([0.75, 0, 0, 0, 0.75, 2], [[0, 4]]),
        ([0, 0], []),
        ([], []),
    ],
)
def test_stretches_in_which_a_point_is_still(x: list[float], runs: list[list[int]]) -> None:
    place = np.zeros((len(x), 3))
    place[:, 1] = x
    found = contacts.still_runs(place, 3, 0.8)
    assert found.shape == (len(runs), 2)
    assert found.tolist() == runs


FLAGS = np.ones(2, dtype=bool)
PLACES = np.zeros((2, 3))


@pytest.mark.parametrize(
    ("kernel", "given"),
    [
        ("windowed_sums", (PLACES, np.ones(3))),
        ("surface_gaps", (PLACES, 0.0, FLAGS[:1], PLACES, FLAGS, 1.0, 1.0)),
        ("surface_gaps", (PLACES, 0.0, FLAGS, PLACES, FLAGS[:1], 1.0, 1.0)),
        ("continued_gaps", (np.zeros(2), np.zeros((1, 2)), 1.0, 1.0)),
        ("outside_hull", (PLACES[:, :2].copy(), np.zeros((1, 2, 3)), np.ones((2, 2), bool),
                          np.ones(1), np.ones((4, 2)))),
        ("bone_gaps", (PLACES, np.zeros((2, 4, 3)), np.array([[0, 4]]))),
        ("bone_gaps", (PLACES, np.zeros((3, 4, 3)), np.array([[0, 1]]))),
        ("still_runs", (PLACES, 0, 1.0)),
        ("still_runs", (np.zeros((2, 2)), 1, 1.0)),
    ],
)  # fmt: skip
def test_arguments_that_do_not_fit(kernel: str, given: tuple[Any, ...]) -> None:
    with pytest.raises(ValueError, match=kernel):
        getattr(contacts, kernel)(*given)


def test_a_length_beyond_the_clip_has_no_stretch() -> None:
    assert len(contacts.still_runs(PLACES, (1 << 63) - 1, 1.0)) == 0
