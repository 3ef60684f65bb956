"""Beats of short activations, chains of a few nodes, and arguments that do not fit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from retime import _native

beats = _native.beats
STEADY = np.log([[0.9, 0.1], [0.1, 0.9]])


def path(strong: list[float], tempi: list[int], **changed: Any) -> list[int]:
    on = np.log(np.array(strong) * 0.8 + 0.1)
    off = np.log(0.9 - np.array(strong) * 0.8)
    count = len(tempi)
    values: dict[str, Any] = {
        "on": on, "off": off, "periods": np.array(tempi, np.int64),
        "change": STEADY[:count, :count].copy(), "prior": np.zeros(count), "width": 1,
    }  # fmt: skip
    found: list[int] = beats.beat_path(**(values | changed)).tolist()
    return found


@pytest.mark.parametrize("periods", [[4], [3, 4], [4, 5]])
def test_beats_of_one_tempo(periods: list[int]) -> None:
    strong = [float(k % 4 == 2) for k in range(24)]
    assert path(strong, periods) == list(range(2, 24, 4))


def test_a_tempo_that_changes() -> None:
    at = [*range(0, 20, 4), *range(20, 45, 6)]
    strong = [float(k in at) for k in range(45)]
    assert path(strong, [4, 6]) == at


@pytest.mark.parametrize(("strong", "periods"), [([], [4]), ([1.0, 0.0], []), ([], [])])
def test_no_frames_or_no_tempi_have_no_beats(strong: list[float], periods: list[int]) -> None:
    assert path(strong, periods) == []


@pytest.mark.parametrize("width", [0, 4, 99])
def test_a_beat_of_any_width(width: int) -> None:
    assert np.all(np.diff(path([1.0, 0, 0] * 5, [3], width=width)) == 3)


def chain(**changed: Any) -> tuple[float, list[int]]:
    """Two accents at 1 and 2 s, and beats at 1.1 and 2.2 s, for a motion of 3 s."""
    values: dict[str, Any] = {
        "times": np.array([1.0, 2.0]), "weights": np.ones(2), "forced": np.zeros(2, bool),
        "accent": np.array([0, 0, 1]), "output": np.array([1.1, 2.2, 2.2]),
        "place": np.array([0.0, 1, 1]), "beats": np.array([1.1, 2.2]),
        "ends": np.array([0.0, 0.0, np.nan, 3.0]), "uniform": 1.0, "limits": np.array([0.5, 2.0]),
        "prices": np.array([1.0, 1.0, 0.15, 1.0]), "sigma": 0.05, "gap": 0.12,
    }  # fmt: skip
    cost, nodes = beats.cheapest_chain(**(values | changed))
    return cost, nodes.tolist()


def test_both_accents_come_to_their_beats() -> None:
    cost, nodes = chain()
    assert nodes == [0, 2]
    assert cost == pytest.approx(-2 + 2.2 * np.log(1 / 1.1) ** 2)


@pytest.mark.parametrize(
    ("changed", "nodes"),
    [
        ({"limits": np.array([1.2, 2.0])}, []),  # no rate is allowed
        ({"weights": np.array([1.0, 0.0])}, [0]),
        ({"limits": np.array([0.99, 2.0])}, []),
        ({"prices": np.array([1.0, 0.0, 0.0, -1.0])}, []),
        ({"ends": np.array([0.0, 0.0, 3.3, 3.0])}, [0, 2]),
        ({"beats": np.zeros(0)}, [0, 2]),
    ],
)
def test_what_a_chain_depends_on(changed: dict[str, Any], nodes: list[int]) -> None:
    assert chain(**changed)[1] == nodes


def test_a_forced_accent_that_cannot_be_met_costs_infinitely_much() -> None:
    cost, nodes = chain(forced=np.array([False, True]), limits=np.array([1.2, 2.0]))
    assert cost == np.inf
    assert nodes == []


def test_nodes_in_any_order_stay_within_the_arrays() -> None:
    rng = np.random.default_rng(4)
    for _ in range(100):
        chain(accent=rng.integers(0, 2, 3), output=rng.uniform(0, 3, 3), place=rng.normal(size=3))


@pytest.mark.parametrize(
    "changed",
    [
        {"periods": np.array([0])},
        {"periods": np.array([1 << 40])},
        {"periods": np.array([3, 4])},
        {"width": -1},
        {"off": np.zeros(3)},
    ],
)
def test_beats_of_arguments_that_do_not_fit(changed: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="beat_path"):
        path([1.0, 0.0], [3], **changed)


@pytest.mark.parametrize(
    "changed",
    [
        {"accent": np.array([0, 0, 2])},
        {"accent": np.array([-1, 0, 1])},
        {"forced": np.zeros(3, bool)},
        {"output": np.zeros(2)},
        {"ends": np.zeros(3)},
        {"prices": np.zeros(3)},
    ],
)
def test_chains_of_arguments_that_do_not_fit(changed: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="cheapest_chain"):
        chain(**changed)
