"""What a warp refuses and says, and its plain facts."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from retime import InputError, TimeWarp
from retime.notes import as_notes


@pytest.mark.parametrize(
    ("output", "source", "sentence"),
    [
        ([0, 1], [0], "as many source as output times: 2 and 1"),
        ([], [], "at least one knot"),
        ([0, 2, 1], [0, 1, 2], "output times fall from 2 s to 1 s at knot 2"),
        ([0, 1, 2], [0, 2, 1], r"changes direction at output 1 s \(source 2 to 1 s\)"),
        ([0, 1, 2], [2, 0, 1], r"changes direction at output 1 s \(source 0 to 1 s\)"),
        ([0, 1, 2], [0, 2, 0], "changes direction at output 1 s"),
        ([0, 1, 1, 2], [0, 1, 0.5, 2], "changes direction at output 1 s"),
        ([0, np.nan], [0, 1], "output time 1 is not finite"),
        ([0, 1], [-np.inf, 1], "source time 0 is not finite"),
        ([0, None], [0, 1], "output time 1 is not finite"),
        (["a", "b"], [0, 1], "output times must be numbers"),
        ([[0, 1]], [[0, 1]], r"output times must be a list of numbers, not of shape \(1, 2\)"),
        (0.0, 1.0, "output times must be a list of numbers"),
        ([[0, 1], [2]], [0, 1], "output times must be"),
        ([0, 10**400], [0, 1], "output time"),
        ([0, 1], None, "both output and source"),
        (None, [0, 1], "both output and source"),
        (None, None, "output and source times, or channels"),
    ],
)
def test_bad_knots_get_a_sentence(output: Any, source: Any, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        TimeWarp(output, source)


@pytest.mark.parametrize(
    "knots",
    [([0, 1], [0]), ([0, 2, 1], [0, 1, 2]), (["a"], [0]), 5, ([0, 1],), ([[0, 1], [2]], [0, 1])],
)
def test_bad_knots_of_a_channel_name_it(knots: Any) -> None:
    with pytest.raises(InputError, match="channel 'Hand'"):
        TimeWarp([0, 1], [0, 1], channels={"Hand": knots})


def test_knots_are_copied_and_read_only() -> None:
    x, y = np.array([0.0, 1.0]), np.array([0.0, 2.0])
    w = TimeWarp(x, y)
    x[1] = y[1] = 9
    assert w(1.0) == 2
    with pytest.raises(ValueError, match="read-only"):
        w.output[0] = 5
    with pytest.raises(TypeError):
        w.channels["Hand"] = w.body  # type: ignore[index]
    with pytest.raises(AttributeError):
        w.loop = True  # type: ignore[misc]


@pytest.mark.parametrize(
    "again", [copy.copy, copy.deepcopy, lambda w: pickle.loads(pickle.dumps(w))]
)
def test_copies_are_equal_and_still_read_only(again: Any) -> None:
    w = TimeWarp([0, 1], [0, 2], channels={"Hand": ([0, 1], [1, 2])}, loop=True)
    w = w.with_notes(*as_notes(["said"]))
    other = again(w)
    assert other == w
    assert other.notes == ("said",)
    assert not other.output.flags.writeable


def test_equality_looks_at_every_channel_and_the_loop() -> None:
    w = TimeWarp([0, 1], [0, 2], channels={"Hand": ([0, 1], [1, 2])})
    assert w == TimeWarp(
        [0, 1], [0, 2], channels={"Hand": ([0, 1], [1, 2])}, notes=as_notes(["aside"])
    )
    assert w != w.looped()
    assert w != TimeWarp([0, 1], [0, 2])
    assert w != TimeWarp([0, 1], [0, 2], channels={"Hand": ([0, 1], [1, 3])})


def test_domain_and_source_range_span_all_channels() -> None:
    w = TimeWarp([0, 1], [5, 6], channels={"Hand": ([-1, 0.5], [7, 4])})
    assert w.domain == (-1.0, 1.0)
    assert w.source_range == (4.0, 7.0)
    assert w.duration == 2
    assert w.per_channel
    assert not TimeWarp([0, 1], [5, 6]).per_channel


def test_identity_is_known_as_such() -> None:
    assert TimeWarp.identity(1, 2).is_identity
    assert not TimeWarp([1, 2], [1, 3]).is_identity
    assert not TimeWarp([1, 2], [1, 2], channels={"Hand": ([1, 2], [1, 1.5])}).is_identity


def test_notes_add_up_without_repetition() -> None:
    a, b = (TimeWarp([0, 1], [0, 1], notes=as_notes(said)) for said in (["one"], ["one", "two"]))
    assert (a @ b).notes == ("one", "two")
    assert a.with_notes(*as_notes(["three"])).notes == ("one", "three")


def test_evaluation_keeps_the_shape_of_its_times() -> None:
    w = TimeWarp([0, 2], [0, 4])
    assert w(0.5).shape == ()
    assert w(np.zeros((2, 3))).shape == (2, 3)
    assert w([]).shape == (0,)
    assert w.looped()([]).shape == (0,)
    assert w.rate(np.zeros((2, 3))).shape == (2, 3)


def test_a_decreasing_hold_inverts_to_a_cut() -> None:
    w = TimeWarp([0, 1, 2, 3], [3, 2, 2, 0])
    assert w.inverse.output.tolist() == [0, 2, 2, 3]
    assert w.inverse.source.tolist() == [3, 2, 1, 0]


def test_a_cycle_has_no_place_without_end() -> None:
    around = TimeWarp([0, 1], [0, 1], loop=True)
    for time in (np.inf, np.nan):
        with pytest.raises(InputError, match="not finite"):
            around(time)
    with pytest.raises(InputError, match="more than fit"):
        TimeWarp([0, 1e-6], [0, 1e-6], loop=True)([0.0, 100.0])


@pytest.mark.parametrize("lag", [-0.7, -0.1, 0.3, 1.9])
def test_a_channel_that_lags_in_a_cycle_is_inverted_exactly(lag: float) -> None:
    knots = np.array([0.0, 1, 2]), np.array([0.0, 0.5, 2])
    warp = TimeWarp(*knots, channels={"A": (knots[0], knots[1] + lag)}, loop=True)
    t = np.array([-3.3, -0.1, 0.0, 0.5, 1.7, 2.9, 4.4, 7.7])
    for channel in (None, "A"):
        np.testing.assert_allclose(warp.inverse.inverse(t, channel), warp(t, channel), atol=1e-12)
        np.testing.assert_allclose(warp.inverse(warp(t, channel), channel), t, atol=1e-12)
    assert warp.inverse.domain == (0.0, 2.0)


def test_only_whole_turns_make_a_cycle_of_cycles() -> None:
    cycle = TimeWarp([0, 1, 2], [0, 0.5, 2], loop=True)
    t = np.linspace(-5, 9, 57)
    for turns in (1, 3):
        other = TimeWarp([0, 1, 3], [0, turns, 2 * turns], loop=True)
        assert (cycle @ other).loop
        np.testing.assert_allclose((cycle @ other)(t), cycle(other(t)), atol=1e-12)
    part = TimeWarp([0, 3], [0, 1.5], loop=True)
    assert not (cycle @ part).loop
    inside = np.linspace(0, 3, 31)
    np.testing.assert_allclose((cycle @ part)(inside), cycle(part(inside)), atol=1e-12)
