"""One timing problem: constraints are met exactly or refused, and the curve is the cheapest."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.sparse import coo_array

from convex_timing import convex_output
from retime import _native
from retime.pacing import (
    Character,
    Contradiction,
    Elastic,
    Key,
    Link,
    Pace,
    Pause,
    Points,
    Problem,
    Shared,
    Smooth,
    Speed,
    locked,
    possible_times,
    solve,
)

GROUPS = 1000 if os.environ.get("RETIME_STRESS") else 60


def bumps(seed: int, length: float) -> Callable[[Any], Any]:
    values = np.exp(np.random.default_rng(seed).normal(0, 1, 9))
    return lambda t: np.interp(t, np.linspace(0, length, 9), values)


def character(
    length: float = 3.0, *, seed: int = 0, keys: Any = (), speeds: Any = (), **more: Any
) -> Character:
    """Return a character that starts at 0, with an uneven weight."""
    terms = (Elastic(bumps(seed, length)), Smooth(0.14))
    return Character((0.0, length), terms, (Key(0.0, 0.0), *keys), tuple(speeds), **more)


def rates(curve: Any) -> Any:
    output, source = curve
    return np.diff(source) / np.diff(output)


def at(curve: Any, source: Any) -> Any:
    return np.interp(source, curve[1], curve[0])


# ---- constraints


def test_keys_limits_and_locked_spans_are_exact() -> None:
    speeds = [Speed(0.0, 3.0, 0.3, 2.5), locked(0.731, 1.2), Speed(2.0, 2.4, 1.3, 1.5)]
    keys = [Key(0.9, 1.517), Key(2.1, 3.0)]
    (curve,) = solve(Problem((character(keys=keys, speeds=speeds),))).curves
    assert [float(at(curve, k.source)) for k in keys] == [0.9, 2.1]
    rate, middle = rates(curve), (curve[1][1:] + curve[1][:-1]) / 2
    inside = (middle > 0.731) & (middle < 1.2)
    np.testing.assert_allclose(rate[inside], 1.0, atol=1e-12)
    assert 0.3 - 1e-5 <= rate.min() <= rate.max() <= 2.5 + 1e-5
    inside = (middle > 2.0) & (middle < 2.4)
    assert 1.3 - 1e-5 <= rate[inside].min() <= rate[inside].max() <= 1.5 + 1e-5


def test_a_free_length_is_the_source_s_own() -> None:
    (curve,) = solve(Problem((character(),))).curves
    np.testing.assert_allclose(*curve, atol=1e-6)


def test_a_pace_is_followed_and_points_are_approached() -> None:
    pace = Pace(lambda t: 1 + 0.3 * np.sin(t), lambda t: np.full(len(t), 1e3))
    (curve,) = solve(Problem((Character((0.0, 3.0), (pace,), (Key(5.0, 0.0),)),))).curves
    np.testing.assert_allclose(curve[0], 5.0 + curve[1] + 0.3 * (1 - np.cos(curve[1])), atol=1e-4)
    source = np.array([1.0, 2.0])
    for weight, near in ((1e6, 1e-4), (1e-6, 0.2)):
        points = Points(np.array([1.2, 1.8]), source, np.full(2, weight))
        one = Character((0.0, 3.0), (points, Smooth(0.5), Elastic(np.ones_like)), (Key(0, 0),))
        (curve,) = solve(Problem((one,))).curves
        off = np.abs(at(curve, source) - [1.2, 1.8]).max()
        assert off <= near * 1.01
        assert off >= near / 100


def test_a_cycle_changes_its_rate_across_the_seam_as_elsewhere() -> None:
    steps = []
    for loop in (False, True):
        (curve,) = solve(Problem((character(keys=[Key(2.0, 3.0)], loop=loop),))).curves
        rate = rates(curve)
        steps.append((abs(rate[0] - rate[-1]), np.abs(np.diff(rate)).max()))
    assert steps[0][0] > 10 * steps[1][0]
    assert steps[1][0] <= 1.01 * steps[1][1]


def test_shared_spans_and_links_hold_to_the_digit() -> None:
    people = (
        character(3.0, seed=1, keys=[Key(2.2, 3.0)], name="Ann"),
        character(3.4, seed=2, name="Ben"),
        character(2.6, seed=3, name="Cas"),
    )
    shared = (Shared(0.81, 1.37, (0, 1)), Shared(2.0, 2.2, (0, 1, 2)))
    link = Link(0, 1.6, 2, 1.9, 0.41)
    curves = solve(Problem(people, shared, (link,))).curves
    for span in shared:
        times = np.linspace(span.start, span.end, 77)
        for other in span.members[1:]:
            np.testing.assert_allclose(
                at(curves[span.members[0]], times), at(curves[other], times), atol=1e-12
            )
    assert at(curves[2], 1.9) - at(curves[0], 1.6) == pytest.approx(0.41, abs=1e-12)
    # A group of one is the character alone.
    (alone,) = solve(Problem(people[:1])).curves
    (again,) = solve(Problem((people[0],), (Shared(0.81, 1.37, (0,)),))).curves
    times = np.linspace(0, 3, 50)
    np.testing.assert_allclose(at(alone, times), at(again, times), atol=2e-4)


# ---- pauses, ranges, cycles and starts, for one and for several


def holds(curve: Any, source: float) -> float:
    """Return for how long a curve stands still at a source time."""
    shown = curve[0][np.abs(curve[1] - source) < 1e-9]
    return float(np.ptp(shown))


def test_a_pause_is_a_flat_piece_and_changes_nothing_else() -> None:
    keys, pauses = [Key(0.9, 1.2), Key(3.1, 3.0)], (Pause(1.2, 0.4), Pause(2.0, 0.25))
    (curve,) = solve(Problem((character(keys=keys, pauses=pauses),))).curves
    assert holds(curve, 1.2) == pytest.approx(0.4, abs=1e-12)
    assert holds(curve, 2.0) == pytest.approx(0.25, abs=1e-12)
    assert [at(curve, 1.2 - 1e-12), at(curve, 3.0)] == pytest.approx([0.9, 3.1], abs=1e-9)
    # Without the flat pieces it is the curve of a shorter request: a key is where a pause begins.
    named = (Speed(2.0, 2.0, 1e-4, 1e4),)  # the same nodes
    shorter = character(keys=[Key(0.9, 1.2), Key(2.45, 3.0)], speeds=named)
    (plain,) = solve(Problem((shorter,))).curves
    times = np.linspace(0.01, 2.99, 77)
    held = 0.4 * (times > 1.2) + 0.25 * (times > 2.0)
    np.testing.assert_allclose(at(curve, times) - held, at(plain, times), atol=1e-9)


@pytest.mark.parametrize("moment", [0.5, 1.1])
def test_a_pause_before_a_shared_span_moves_one_and_in_it_all(moment: float) -> None:
    ann = character(3.0, seed=1, keys=[Key(3.0, 3.0)], pauses=(Pause(moment, 0.3),))
    people = (ann, character(3.4, seed=2))
    curves = solve(Problem(people, (Shared(0.8, 1.6, (0, 1)),))).curves
    assert holds(curves[0], moment) == pytest.approx(0.3, abs=1e-12)
    assert holds(curves[1], moment) == pytest.approx(0.3 if moment > 0.8 else 0.0, abs=1e-12)
    times = np.linspace(0.8, 1.6, 41)
    times = times[np.abs(times - moment) > 1e-6]
    np.testing.assert_allclose(at(curves[0], times), at(curves[1], times), atol=1e-9)


def test_ranges_and_cycles_are_solved_together() -> None:
    seams = (locked(0.5, 0.51), locked(2.49, 2.5))
    ends = [Key(2.0, 2.5)]
    one = Character((0.5, 2.5), character(seed=1).terms, (Key(0.5, 0.5), *ends), seams)
    cycle = character(3.0, seed=2, loop=True)
    curves = solve(Problem((one, cycle), (Shared(1.0, 1.5, (0, 1)),))).curves
    times = np.linspace(1.0, 1.5, 30)
    np.testing.assert_allclose(at(curves[0], times), at(curves[1], times), atol=1e-12)
    np.testing.assert_allclose(rates(curves[0])[[0, -1]], 1.0, atol=1e-12)
    rate = rates(curves[1])
    assert abs(rate[0] - rate[-1]) <= 1.01 * np.abs(np.diff(rate)).max()


@pytest.mark.parametrize("start", [-0.7, 0.013, 0.6])
def test_clips_may_start_at_different_times(start: float) -> None:
    """A clip that starts elsewhere on the line of time shares what they have in common."""
    terms = (Elastic(np.ones_like), Smooth(0.14))
    late = Character((start, 3.0), terms, (), name="Ben")
    curves = solve(Problem((character(keys=[Key(2.2, 3.0)]), late), (Shared(1, 2, (0, 1)),))).curves
    assert curves[1][1][0] == start
    times = np.linspace(1, 2, 30)
    np.testing.assert_allclose(at(curves[0], times), at(curves[1], times), atol=1e-12)
    # Nothing asks for another speed before, so only the ramp into the span differs from it.
    assert abs(rates(curves[1])[0] - 1) < 0.25
    earliest, latest = possible_times(Problem((character(keys=[Key(2.2, 3.0)]), late)), 1, 1.0)
    assert earliest < -1e3
    assert latest > 1e3


# ---- what cannot be met


def test_a_contradiction_names_its_facts() -> None:
    one = character(name="Ann", keys=[Key(0.1, 2.0), Key(2.0, 3.0)], speeds=[Speed(0, 3, 0.2, 8)])
    with pytest.raises(Contradiction, match=r"at least 0\.250 s") as caught:
        solve(Problem((one,)))
    assert caught.value.seconds == pytest.approx(0.15, abs=1e-5)
    assert "0.000 to 2.000 s of Ann takes at least" in str(caught.value)
    assert "2.000 s of Ann is at 0.100 s" in str(caught.value)
    earliest, latest = possible_times(Problem((one,)), 0, 2.0)
    assert (earliest, latest) == pytest.approx((0.25, 1.875), abs=1e-4)


def test_who_shares_time_shares_limits_of_speed() -> None:
    """Ann's locked span, and Ben's slowest speed, hold for both; a contradiction names both."""
    ann = character(3.0, seed=1, keys=[Key(2.2, 3.0)], speeds=[locked(0.7, 1.1)], name="Ann")
    ben = character(3.0, seed=2, speeds=[Speed(1.0, 1.6, 0.9, 1.2)], name="Ben")
    curves = solve(Problem((ann, ben), (Shared(0.5, 1.5, (0, 1)),))).curves
    for curve in curves:
        middle = (curve[1][1:] + curve[1][:-1]) / 2
        inside = (middle > 0.7) & (middle < 1.1)
        np.testing.assert_allclose(rates(curve)[inside], 1.0, atol=1e-12)
        inside = (middle > 1.1) & (middle < 1.5)
        assert 0.9 - 1e-5 < rates(curve)[inside].min() <= rates(curve)[inside].max() < 1.2 + 1e-5
    fast = character(3.0, speeds=[Speed(0.9, 1.6, 2.0, 3.0)], name="Cas")
    with pytest.raises(Contradiction, match=r"1.600 s of Cas plays at 2 to 3 times.*of Ann plays"):
        solve(Problem((ann, fast), (Shared(0.5, 1.5, (0, 1)),)))


def test_a_request_at_its_limits_has_a_solution() -> None:
    """Nothing but the room that rounding needs is left."""
    at_limit = character(3.0, keys=[Key(1.5, 3.0)], speeds=[Speed(0, 3, 0.5, 2.0)])
    (curve,) = solve(Problem((at_limit,))).curves
    np.testing.assert_allclose(rates(curve), 2.0, atol=1e-3)


def random_group(rng: np.random.Generator) -> Problem:
    count, length = int(rng.integers(1, 5)), rng.uniform(1, 4)
    people = []
    for _ in range(count):
        end = length * rng.uniform(0.8, 1)
        marks = sorted(rng.uniform(0.1, 0.9, int(rng.integers(0, 3))))
        keys = [Key(m * end * rng.uniform(0.6, 1.5), m * end) for m in marks]
        if rng.random() < 0.7:
            keys.append(Key(end * rng.uniform(0.4, 2.2), end))
        speeds = [Speed(0, end, 0.25, 4)]
        if rng.random() < 0.3:
            a = rng.uniform(0, 0.8 * end)
            speeds.append(locked(a, a + rng.uniform(0, 0.2 * end)))
        pauses = (Pause(rng.uniform(0, end), rng.uniform(0, 0.3)),) * int(rng.random() < 0.3)
        seed = int(rng.integers(1 << 30))
        people.append(character(end, seed=seed, keys=keys, speeds=speeds, pauses=pauses))
    spans, links = [], []
    for _ in range(int(rng.integers(0, 4)) if count > 1 else 0):
        who = sorted(rng.choice(count, int(rng.integers(2, count + 1)), replace=False).tolist())
        a = rng.uniform(0, 0.7 * length)
        spans.append(Shared(a, min(a + rng.uniform(0, 0.3 * length), 0.8 * length), tuple(who)))
    if rng.random() < 0.5:
        x, y = sorted(rng.uniform(0.05, 0.75, 2) * length)
        links.append(Link(0, x, count - 1, y, (y - x) * rng.uniform(0.4, 1.6)))
    return Problem(tuple(people), tuple(spans), tuple(links))


def feasible(problem: Problem) -> bool:
    """Whether output times of all nodes exist that meet everything, by a linear program."""
    first = np.r_[0, np.cumsum([b - a + 1 for a, b in problem.spans])]

    def node(i: int, source: float) -> int:
        return int(first[i]) + problem.node(source) - problem.spans[i][0]

    equal: list[tuple[int, int, float]] = []
    upper, most = [], []
    for i, c in enumerate(problem.characters):
        equal += [(-1, node(i, k.source), k.output) for k in c.keys]
        cells, pauses = problem.cells[i], np.diff(problem.held(i))
        for k, (low, high, pause) in enumerate(
            zip(cells.low * cells.width, cells.high * cells.width, pauses, strict=True)
        ):
            a = int(first[i]) + k
            upper += [(a, a + 1), (a + 1, a)]
            most += [high + pause, -low - pause]
    for span in problem.shared:
        for k in range(problem.node(span.start), problem.node(span.end) + 1):
            inside = [i for i in span.members if problem.spans[i][0] <= k <= problem.spans[i][1]]
            nodes = [int(first[i]) + k - problem.spans[i][0] for i in inside]
            equal += [(nodes[0], other, 0.0) for other in nodes[1:]]
    for link in problem.links:
        equal.append(
            (
                node(link.first, link.first_source),
                node(link.second, link.second_source),
                link.seconds,
            )
        )

    def rows(pairs: Any) -> Any:
        row = np.repeat(np.arange(len(pairs)), 2)
        column = np.array([p[:2] for p in pairs]).ravel()
        value = np.tile([-1.0, 1.0], len(pairs))
        used = column >= 0
        shape = (len(pairs), int(first[-1]))
        return coo_array((value[used], (row[used], column[used])), shape).tocsr()

    answer = linprog(
        np.zeros(first[-1]), A_ub=rows(upper), b_ub=most, A_eq=rows(equal),
        b_eq=[e[2] for e in equal], bounds=(None, None), method="highs",
    )  # fmt: skip
    return bool(answer.status == 0)


def test_random_groups_are_solved_exactly_where_a_linear_program_can() -> None:
    rng = np.random.default_rng(7)
    solved = 0
    for _ in range(GROUPS):
        problem = random_group(rng)
        try:
            found = solve(problem)
        except Contradiction:
            assert not feasible(problem)
            continue
        solved += 1
        assert feasible(problem)
        assert 0 < found.steps < 200
        for i, (c, curve) in enumerate(zip(problem.characters, found.curves, strict=True)):
            begins = [curve[0][np.abs(curve[1] - k.source).argmin()] for k in c.keys]
            np.testing.assert_allclose(begins, [k.output for k in c.keys], atol=1e-9)
            assert all(abs(holds(curve, p.source) - p.seconds) < 1e-9 for p in c.pauses)
            moving = np.diff(curve[1]) > 0
            u, cells = 1 / rates(curve)[moving], problem.cells[i]
            assert (u >= cells.low * (1 - 1e-9)).all()
            assert (u <= cells.high * (1 + 1e-9)).all()
        for span in problem.shared:
            times = np.linspace(span.start, span.end, 22)[1:-1]
            shown = [at(found.curves[i], times) for i in span.members]
            np.testing.assert_allclose(shown, np.tile(shown[0], (len(shown), 1)), atol=1e-9)
    assert GROUPS / 4 < solved < GROUPS


# ---- the optimum


def objective(problem: Problem, outputs: list[Any]) -> float:
    """The objective as it is written in the terms, apart from the solver."""
    total = 0.0
    for i, (c, output) in enumerate(zip(problem.characters, outputs, strict=True)):
        cells = problem.cells[i]
        u = np.diff(output) / cells.width
        total += (cells.weight * (u * np.log(u) - u) - cells.pull * u).sum()
        a, b = u[cells.bends[:, 0]], u[cells.bends[:, 1]]
        total += (cells.stiffness * (b - a) ** 2 * ((a + b) / 2) ** -3).sum()
        for term in c.terms:
            if isinstance(term, Points):
                off = np.interp(term.source, cells.nodes, output) - term.output
                total += (term.weight * off**2).sum()
    return total


@pytest.mark.parametrize("seed", range(4))
def test_no_nearby_curve_is_cheaper(seed: int) -> None:
    rng = np.random.default_rng(seed)
    points = Points(np.array([0.5, 1.4]), np.array([0.7, 1.5]), np.array([3.0, 20.0]))
    one = character(seed=seed, keys=[Key(2.2, 3.0)])
    problem = Problem((Character(one.domain, (*one.terms, points), one.keys),))
    (curve,) = solve(problem).curves
    least = objective(problem, [curve[0]])
    for size in (1e-2, 1e-3, 1e-4):
        for _ in range(50):
            waves = rng.normal(size=6)
            phase = np.outer(np.arange(1, 7), np.pi * curve[1] / 3)
            moved = curve[0] + size * (waves @ np.sin(phase))
            if (np.diff(moved) > 0).all():
                assert objective(problem, [moved]) >= least - 1e-9


@pytest.mark.parametrize("seed", range(4))
def test_the_convex_part_has_the_optimum_of_an_independent_solver(seed: int) -> None:
    rng = np.random.default_rng(seed)
    points = Points(
        np.sort(rng.uniform(0, 2.2, 5)), np.linspace(0.2, 2.9, 5), rng.uniform(1, 50, 5)
    )
    terms: Any = (
        Elastic(bumps(seed, 3.0)),
        Pace(bumps(seed + 9, 3.0), bumps(seed + 99, 3.0)),
        *([points] if seed % 2 else []),
    )
    keys = (Key(0.0, 0.0), Key(1.4, 1.6), Key(2.2, 3.0))
    speeds = (Speed(0, 3, 0.5, 3.0), Speed(1.0, 2.0, 0.9, 1.5))
    problem = Problem((Character((0.0, 3.0), terms, keys, speeds if seed > 1 else ()),))
    (curve,) = solve(problem).curves
    oracle = convex_output(problem)
    assert objective(problem, [curve[0]]) == pytest.approx(objective(problem, [oracle]), abs=1e-6)
    np.testing.assert_allclose(curve[0], oracle, atol=1e-4)


@pytest.mark.parametrize("ratio", [0.5, 0.8, 1.5])
def test_all_starts_end_at_one_curve(ratio: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """The change of rate is not convex, yet descends to one curve from anywhere."""
    problem = Problem(
        (character(seed=5, keys=[Key(3 * ratio, 3.0)], speeds=[Speed(0, 3, 0.1, 8)]),)
    )
    (curve,) = solve(problem).curves
    rng = np.random.default_rng(1)

    def anywhere(_: Problem) -> list[Any]:
        rough = np.interp(curve[1][1:], np.linspace(0, 3, 16), rng.normal(0, 1, 16))
        u = np.exp(np.clip(rough, -1, 1))
        for _round in range(60):  # the right length, within the limits
            u = np.clip(u * 3 * ratio / (u * np.diff(curve[1])).sum(), 0.13, 9)
        return [np.r_[0.0, np.cumsum(u * np.diff(curve[1]))]]

    module: Any = importlib.import_module("retime.pacing.solve")
    monkeypatch.setattr(module, "_start", anywhere)
    for _ in range(70):  # 210 with all lengths
        (again,) = solve(problem).curves
        np.testing.assert_allclose(again[0], curve[0], atol=1e-6)


def test_wrong_arrays_are_refused() -> None:
    arguments: dict[str, Any] = {
        "start": np.zeros(1), "unknown": np.array([0, 1]), "offset": np.zeros(2),
        "cells": np.array([[0, 1]]), "terms": np.ones((1, 6)), "bends": np.zeros((0, 2), np.int64),
        "stiffness": np.zeros(0), "points": np.zeros((0, 2), np.int64), "wanted": np.zeros((0, 3)),
        "most_steps": 9,
    }  # fmt: skip
    assert _native.pacing.solve(**arguments)[0].shape == (2,)
    for name, value in (
        ("unknown", np.array([0, 2])),
        ("cells", np.array([[0, 2]])),
        ("bends", np.array([[0, 1]])),
        ("points", np.array([[-1, 0]])),
        ("terms", np.ones((1, 5))),
        ("terms", np.full((1, 6), np.nan)[:, ::-1]),
    ):
        with pytest.raises((ValueError, TypeError)):
            _native.pacing.solve(**{**arguments, name: value})
