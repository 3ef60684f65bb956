"""The published search against plain evaluations, and its warps."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retime import InputError, _native, guided, samples
from retime.methods.guided import guide
from retime.methods.guided.paper import WEIGHTS, corridor, moving_average, score_table


def features(a: Any, b: Any, c: Any) -> Any:
    """The feature (2) of triples of poses."""
    parts = zip(np.sqrt(WEIGHTS), (b, c - a, c - 2 * b + a), strict=True)
    return np.concatenate([weight * part for weight, part in parts], axis=-1)


def plain_table(x: Any, references: Any, steps: int, k: int) -> Any:
    """The scores, triple by triple, as the paper writes them."""
    known = np.concatenate([features(z[:-2], z[1:-1], z[2:]) for z in references])
    table = np.full((len(x), steps, steps), np.inf)
    for j in range(1, len(x) - 1):
        for a, b in itertools.product(range(steps), repeat=2):
            if j - 1 - a >= 0 and j + 1 + b < len(x):
                triple = features(x[j - 1 - a], x[j], x[j + 1 + b])
                table[j, a, b] = np.sort(np.linalg.norm(known - triple, axis=1))[:k].mean()
    return table


def walks(seed: int, *lengths: int) -> list[Any]:
    rng = np.random.default_rng(seed)
    return [np.cumsum(rng.normal(0, 0.1, (n, 3)), axis=0) for n in lengths]


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize(("n", "r", "steps"), [(7, 5, 2), (40, 30, 4), (300, 601, 3), (5, 9, 6)])
def test_scores_equal_a_plain_evaluation(n: int, r: int, steps: int, k: int) -> None:
    x, z = walks(n, n, r)
    plain = plain_table(x, [z], steps, k)
    np.testing.assert_allclose(score_table(x, [z], steps, neighbours=k), plain, rtol=1e-6)


def test_references_do_not_join_where_one_ends_and_the_next_begins() -> None:
    x, z = walks(3, 20, 24)
    parts = [z[:12], z[12:14], z[14:]]  # the second is too short for a triple
    np.testing.assert_allclose(score_table(x, parts, 3), plain_table(x, [z[:12], z[14:]], 3, 3))
    with pytest.raises(InputError, match="2 frames to compare with; 3 neighbours need at least 5"):
        score_table(x, [z[:4]], 3)


def every_path(n: int, steps: int, m: int | None) -> list[tuple[int, ...]]:
    out = []
    for count in range(n - 1) if m is None else [m - 2]:
        for inner in itertools.combinations(range(1, n - 1), count):
            path = (0, *inner, n - 1)
            if max(np.diff(path)) <= steps:
                out.append(path)
    return out


def cost(table: Any, path: Any) -> float:
    step = np.diff(path) - 1
    return float(table[path[1:-1], step[:-1], step[1:]].sum())


@given(st.integers(0, 10**6), st.integers(4, 9), st.integers(1, 9), st.data())
def test_the_path_is_the_best_of_all(seed: int, n: int, steps: int, data: st.DataObject) -> None:
    """Of all through a key frame, or of any length."""
    table = np.random.default_rng(seed).uniform(0, 1, (n, steps, steps))
    m = data.draw(st.integers(-(-(n - 1) // steps) + 1, n))
    key = data.draw(st.sampled_from(every_path(n, steps, m)))
    keys = {0: 0, m - 1: n - 1}
    if m > 2:
        t = data.draw(st.integers(1, m - 2))
        keys[t] = key[t]
    least, found = _native.paper.path(table, *corridor(steps, sorted(keys.items())))
    fits = [p for p in every_path(n, steps, m) if all(p[t] == q for t, q in keys.items())]
    assert least == pytest.approx(min(cost(table, np.array(p)) for p in fits))
    assert cost(table, found) == pytest.approx(least)
    assert all(found[t] == q for t, q in keys.items())
    least, found = _native.paper.free_path(table, 0.1)
    costs = [cost(table, np.array(p)) + 0.1 * (len(p) - 2) for p in every_path(n, steps, None)]
    assert least == pytest.approx(min(costs))
    assert cost(table, found) + 0.1 * (len(found) - 2) == pytest.approx(least)


def test_what_cannot_be_passed_is_infinite() -> None:
    table = np.full((5, 2, 2), np.inf)
    assert np.isinf(_native.paper.path(table, *corridor(2, [(0, 0), (3, 4)]))[0])
    assert np.isinf(_native.paper.free_path(table, 0.0)[0])


def native_scores(references: int, lags: int) -> Any:
    one = np.zeros((references, 5))
    return _native.paper.scores(one, one, one, np.zeros((lags, 5)), WEIGHTS, 2, 3)


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda t: _native.paper.path(t, np.zeros(3, np.int64), np.zeros(3, np.int64)), "the last"),
        (lambda t: _native.paper.path(t, np.zeros(1, np.int64), np.zeros(1, np.int64)), "two fra"),
        (lambda t: _native.paper.free_path(t[:1], 0.0), "two frames"),
        (lambda t: native_scores(3, 5), "fours"),
        (lambda t: native_scores(4, 4), "products"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(call: Any, match: str) -> None:
    with pytest.raises(ValueError, match=match):
        call(np.zeros((5, 2, 2)))


def test_the_moving_average_keeps_fixed_points_and_rises() -> None:
    values = np.cumsum(np.random.default_rng(2).integers(1, 5, 60)).astype(float)
    for loop in (False, True):
        mean = moving_average(values, [0, 20, 21, 59] if not loop else [0, 59], 5, loop=loop)
        np.testing.assert_array_equal(mean[[0, 59]], values[[0, 59]])
        assert (np.diff(mean) > 0).all()
    assert moving_average(values, [0, 20, 59], 5)[20] == values[20]


# ---- warps


@pytest.mark.parametrize("upsample", [None, 1, 3, 4])
def test_a_jump_keeps_its_flight(upsample: int | None) -> None:
    found = guide(samples.jump(), duration=2.0, formulation="paper", upsample=upsample)
    assert found.warp.duration == 2.0
    rate = found.warp.rate(found.warp.inverse(np.linspace(1.5, 1.8, 9)))
    assert np.abs(rate - 1).max() < 0.05
    assert found.costs["guided"] < found.costs["uniform"]


def test_keytimes_are_exact() -> None:
    jump = samples.jump()
    keys = [(0.517, 0.9), (1.333, 1.871)]
    warp = guided(jump, duration=2.013, keytimes=keys, formulation="paper").warp
    assert warp.domain == (0.0, 2.013)
    for output, source in keys:
        assert float(warp(output)) == source
    assert (np.diff(warp.source) > 0).all()


def test_a_price_makes_a_free_duration_shorter() -> None:
    jump = samples.jump()
    lengths = [
        guided(jump, duration="free", formulation="paper", frame_cost=p).warp.duration
        for p in (-0.05, 0.0, 0.5)
    ]
    assert lengths == sorted(lengths, reverse=True)
    assert lengths[0] > lengths[2]


def test_backwards_ranges_and_loops() -> None:
    jump = samples.jump()
    back = guided(jump, duration=2.0, backwards=True, formulation="paper").warp
    assert (float(back(0.0)), float(back(2.0))) == (jump.duration, 0.0)
    part = guided(jump, range=(0.0, 0.8), duration=0.4, ripple=True, formulation="paper").warp
    assert part.duration == pytest.approx(jump.duration - 0.4)
    np.testing.assert_allclose(part(np.linspace(0.5, 2.8, 20)), np.linspace(0.9, 3.2, 20))
    assert guided(samples.walk(), duration=1.5, loop=True, formulation="paper").warp.loop


def test_what_is_too_long_is_refused() -> None:
    with pytest.raises(InputError, match="too many for the paper's formulation"):
        score_table(np.zeros((40_000, 3)), [np.zeros((4_000, 3))], 8)
