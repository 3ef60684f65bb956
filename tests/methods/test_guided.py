"""Guided time warping: optimal by brute force, exact where it says so, clear where it cannot."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import retime
from motion_making import raised, under_a_node, with_other_axes
from retime import (
    InfeasibleError,
    InputError,
    Recipe,
    RetimeError,
    Step,
    TimeWarp,
    apply,
    guided_signal_warp,
    guided_warp,
    positions,
    quat,
    samples,
    suggest_keytimes,
)
from retime.methods.guided import guide, solve
from retime.methods.guided.costs import (
    FeatureWeights,
    ReferenceFrames,
    cost_table,
    reference_features,
)
from retime.methods.guided.features import pose_signals
from retime.methods.guided.library import INDEX
from retime.methods.guided.moving_average import moving_average
from retime.methods.guided.polish import Polish, Pricing
from retime.methods.guided.pose_curve import FINE, PoseCurve
from retime.methods.guided.problem import Found, Problem
from retime.methods.guided.search import cost_of, find_free_path, find_path, find_priced_path
from retime.methods.guided.windows import RATES, _distances, _offsets

WEIGHTS = FeatureWeights.of(0.1, 1 / 30)


def random_walks(seed: int, n: int, r: int, d: int = 3) -> tuple[np.ndarray[Any, Any], ...]:
    rng = np.random.default_rng(seed)
    return tuple(np.cumsum(rng.normal(0, 0.1, (k, d)), axis=0) for k in (n, r))


def plain_table(x: Any, z: Any, steps: int, k: int) -> Any:
    """The objective (2), triple by triple, as the paper writes it."""
    features = reference_features([z], WEIGHTS)
    table = np.full((steps, steps, len(x)), np.inf)
    for j in range(1, len(x) - 1):
        for a, b in itertools.product(range(steps), repeat=2):
            if j - 1 - a >= 0 and j + 1 + b < len(x):
                triple = WEIGHTS.features(x[j - 1 - a], x[j], x[j + 1 + b])
                distance = np.sort(np.linalg.norm(features - triple, axis=1))
                table[a, b, j] = distance[:k].mean()
    return table


def all_paths(
    n: int, steps: int, m: int | None, keys: dict[int, int], reach: int = 99
) -> list[tuple[int, ...]]:
    out = []
    for count in range(n - 1) if m is None else [m - 2]:
        for inner in itertools.combinations(range(1, n - 1), count):
            path = (0, *inner, n - 1)
            fits = all(path[t] == q for t, q in keys.items() if t < len(path))
            step = np.diff(path)
            gradual = len(step) < 2 or np.abs(np.diff(step)).max() <= reach
            if max(step) <= steps and gradual and fits:
                out.append(path)
    return out


# ---- step_costs


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize(("n", "r", "steps"), [(7, 5, 2), (40, 30, 4), (300, 600, 3)])
def test_scores_equal_a_plain_evaluation(n: int, r: int, steps: int, k: int) -> None:
    x, z = random_walks(n, n, r)
    exact = plain_table(x, z, steps, k)
    np.testing.assert_allclose(
        cost_table(x, [z], steps, WEIGHTS, neighbours=k), exact, rtol=1e-6, atol=1e-6
    )
    single = cost_table(x, [z], steps, WEIGHTS, neighbours=k, precision="single")
    scale = exact[np.isfinite(exact)].max()
    np.testing.assert_allclose(single, exact, atol=2e-3 * scale)


def test_references_do_not_join_where_one_ends_and_the_next_begins() -> None:
    x, z = random_walks(3, 20, 24)
    parts = cost_table(x, [z[:12], z[12:]], 3, WEIGHTS)
    features = reference_features([z[:12], z[12:]], WEIGHTS)
    assert len(features) == 20
    path = np.arange(20)
    whole = ReferenceFrames.of([z[:12], z[12:]], WEIGHTS)
    assert cost_of(path, parts) == pytest.approx(whole.score(x, 3), abs=1e-6)


# ---- search


def random_table(seed: int, n: int, steps: int, reach: int) -> Any:
    width = min(2 * reach + 1, steps)
    return np.random.default_rng(seed).uniform(0, 1, (steps, width, n))


@given(st.integers(0, 10**6), st.integers(4, 9), st.integers(2, 9), st.data())
def test_the_path_is_the_best_of_all(seed: int, n: int, steps: int, data: st.DataObject) -> None:
    """Of all whose steps differ by at most a bound, through a key frame or none."""
    reach = data.draw(st.integers(1, steps - 1))
    table = random_table(seed, n, steps, reach)
    shortest = -(-(n - 1) // steps) + 1
    m = data.draw(st.integers(shortest, n))
    keys = {0: 0, m - 1: n - 1}
    if m > 2 and data.draw(st.booleans()):
        paths = all_paths(n, steps, m, {})
        path = data.draw(st.sampled_from(paths))
        t = data.draw(st.integers(1, m - 2))
        keys[t] = path[t]
    listed = all_paths(n, steps, m, keys, reach)
    room = data.draw(st.sampled_from([0, 1 << 28]))  # with and without checkpoints
    with patch("retime.methods.guided.search._COST_BYTES", room):
        if not listed:
            with pytest.raises(InfeasibleError):
                find_path(table, m, sorted(keys.items()), reach=reach)
            return
        found = find_path(table, m, sorted(keys.items()), reach=reach)
    best = min(cost_of(np.array(p), table, reach) for p in listed)
    assert found.cost == pytest.approx(best, abs=1e-9)
    assert tuple(found.frames) in listed


@pytest.mark.parametrize("reach", [1, 2, 5])
def test_a_table_of_gradual_steps_is_a_part_of_the_whole(reach: int) -> None:
    x, z = random_walks(8, 60, 40)
    whole = cost_table(x, [z], 6, WEIGHTS)
    part = cost_table(x, [z], 6, WEIGHTS, reach=reach)
    for a, b in itertools.product(range(6), repeat=2):
        if abs(a - b) <= reach:
            np.testing.assert_allclose(part[a, b - max(a - reach, 0)], whole[a, b])


@given(st.integers(0, 10**6), st.integers(4, 8), st.integers(2, 4), st.floats(-0.5, 0.5))
def test_the_free_path_is_the_best_of_any_length(
    seed: int, n: int, steps: int, price: float
) -> None:
    table = np.random.default_rng(seed).uniform(0, 1, (steps, steps, n))
    paths = all_paths(n, steps, None, {})
    best = min(cost_of(np.array(p), table) + price * (len(p) - 2) for p in paths)
    found = find_free_path(table, price)
    assert found.cost + price * (len(found.frames) - 2) == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("reach", [1, 3])
@pytest.mark.parametrize("m", [40, 60, 77, 100])
def test_checkpoints_and_prices_find_the_same(
    m: int, reach: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    x, z = random_walks(5, 120, 80)
    table = cost_table(x, [z], 4, WEIGHTS, reach=reach)
    for keys in ([(0, 0), (m - 1, 119)], [(0, 0), (m // 2, 55), (m - 1, 119)]):
        full = find_path(table, m, keys, reach=reach)
        with monkeypatch.context() as patched:
            patched.setattr("retime.methods.guided.search._COST_BYTES", 1000)
            assert find_path(table, m, keys, reach=reach).cost == pytest.approx(full.cost)
        priced = find_priced_path(table, m, keys, reach=reach)
        assert priced is not None
        assert all(priced.frames[t] == q for t, q in keys)
        assert full.cost * (1 - 1e-9) <= priced.cost
        assert priced.cost * (1 - priced.gap) <= full.cost * (1 + 1e-9)  # the bound is one


@given(st.integers(0, 10**6))
def test_more_freedom_never_costs_and_keytimes_always_do(seed: int) -> None:
    x, z = random_walks(seed, 24, 20)
    less, more = (cost_table(x, [z], s, WEIGHTS) for s in (3, 4))
    keys = [(0, 0), (11, 23)]
    free = find_path(more, 12, keys)
    assert free.cost <= find_path(less, 12, keys).cost + 1e-9
    bound = find_path(more, 12, [(0, 0), (5, 9), (11, 23)])
    assert free.cost <= bound.cost + 1e-9
    richer = cost_table(x, [z, x], 4, WEIGHTS)
    assert find_path(richer, 12, keys).cost <= free.cost + 1e-9


def test_the_only_path_is_found() -> None:
    table = np.ones((8, 8, 97))
    path = find_path(table, 13, [(0, 0), (12, 96)])
    assert (np.diff(path.frames) == 8).all()


# ---- the polish


@pytest.mark.parametrize("case", ["plain", "pins", "limits", "loop"])
def test_the_slope_of_the_polish_is_that_of_its_objective(case: str) -> None:
    signals = pose_signals(samples.jump(), [samples.jump()], rate=30.0)
    curve = signals.curve
    m = 60
    x = np.linspace(0, curve.frames, m)
    x[1:-1] += np.random.default_rng(4).uniform(-0.3, 0.3, m - 2)
    polish = Polish(
        curve,
        ReferenceFrames.of(signals.references, WEIGHTS),
        3,
        Pricing(0.4, 20.0, 0.2),
        pins=[(20.3, 33.0), (41.0, 66.5)] if case == "pins" else (),
        bounds=(lambda x: (np.full(m - 1, 1.5), np.full(m - 1, 1.7))) if case == "limits" else None,
        loop=case == "loop",
    )
    slope = polish.gradient(x)
    for k in (1, 2, 15, 20, 21, 41, 57, 58):
        step = np.zeros(m)
        step[k] = 1e-6
        numeric = (polish.cost(x + step) - polish.cost(x - step)) / 2e-6
        assert slope[k] == pytest.approx(numeric, rel=1e-4, abs=1e-5 * np.abs(slope).max())
    done = polish.run(x)
    assert polish.cost(done) < polish.cost(x)
    assert (done[0], done[-1]) == (0, curve.frames)
    assert np.diff(done).min() > 0


def test_a_curve_of_poses_is_smooth_between_its_samples() -> None:
    t = np.linspace(0, 3, 30 * 3 * FINE + 1)
    curve = PoseCurve(np.c_[np.sin(4 * t), t])
    x = np.linspace(0, curve.frames, 77)
    value, slope = curve.with_slope(x)
    np.testing.assert_allclose(value, np.c_[np.sin(4 * x / 30), x / 30], atol=1e-4)
    np.testing.assert_allclose(slope[:, 0], 4 / 30 * np.cos(4 * x / 30), atol=2e-3)
    np.testing.assert_allclose(curve.cells(8)[::2], curve.poses, atol=1e-12)


# ---- the curve


@given(
    st.lists(st.integers(1, 8), min_size=4, max_size=40),
    st.integers(0, 6).map(lambda k: 2 * k + 1),
    st.data(),
)
def test_averages_rise_and_keep_their_fixed_points(
    steps: list[int], window: int, data: st.DataObject
) -> None:
    values = np.r_[0, np.cumsum(steps)].astype(float)
    inner = data.draw(st.sets(st.integers(1, len(values) - 2), max_size=3))
    fixed = sorted({0, len(values) - 1, *inner})
    out = moving_average(values, fixed, window)
    assert (out[fixed] == values[fixed]).all()
    assert (np.diff(out) > 0).all()


def test_a_jump_keeps_its_flight_and_loses_its_idle_time() -> None:
    made = samples.sample("jump")
    warp = guided_warp(made.motion, duration=2.0)
    (start, end) = made.flights[0]
    shown = warp.preimage(start + 0.03, end - 0.03)
    assert shown is not None
    rate = warp.rate(np.linspace(*shown, 40))
    assert rate.min() > 0.95
    assert rate.max() < 1.05
    assert float(warp(0.2)) > 0.35  # idle time runs at nearly twice its speed


def test_a_jump_made_longer_keeps_its_flight() -> None:
    made = samples.sample("jump")
    warp = guided_warp(made.motion, duration=5.0)
    (start, end) = made.flights[0]
    shown = warp.preimage(start + 0.03, end - 0.03)
    assert shown is not None
    rate = warp.rate(np.linspace(*shown, 40))
    assert np.abs(rate - 1).max() < 0.05


def test_the_same_length_is_no_change() -> None:
    jump = samples.jump()
    warp = guided_warp(jump)
    t = np.linspace(0, jump.duration, 50)
    np.testing.assert_allclose(warp(t), t, atol=1e-9)


def test_keytimes_and_ends_are_exact() -> None:
    jump = samples.jump()
    keys = [(0.517, 0.9), (1.333, 1.871)]
    warp = guided_warp(jump, duration=2.013, keytimes=keys)
    assert warp.domain == (0.0, 2.013)
    for output, source in keys:
        assert float(warp(output)) == source
    assert (np.diff(warp.source) > 0).all()
    for influence in (0.0, 0.4):
        mixed = guided_warp(jump, duration=2.013, keytimes=keys, influence=influence)
        for output, source in keys:
            assert float(mixed(output)) == pytest.approx(source, abs=1e-9)


def test_influence_goes_from_the_spline_to_the_guided_warp() -> None:
    jump = samples.jump()
    spline = retime.spline_warp(jump, duration=2.0)
    t = np.linspace(0, 2, 40)
    np.testing.assert_allclose(guided_warp(jump, duration=2.0, influence=0.0)(t), spline(t))
    away = [
        np.abs(guided_warp(jump, duration=2.0, influence=w)(t) - spline(t)).max()
        for w in (0.25, 0.5, 1.0)
    ]
    assert away == sorted(away)


@pytest.mark.parametrize("share", [0.5, 0.75, 0.9, 1.4, 3.0])
@pytest.mark.parametrize("keytimes", [(), ((0.4, 0.5),), ((0.62, 0.9), (1.13, 1.43))])
def test_no_warp_costs_more_than_the_spline(share: float, keytimes: Any) -> None:
    walk = samples.walk()
    keys = [(o * share, s) for o, s in keytimes]
    found = guide(walk, duration=share * walk.duration, keytimes=keys)
    assert found.costs["guided"] <= found.costs["spline"] * (1 + 1e-9)
    again = guide(walk, duration=share * walk.duration, keytimes=keys, formulation="paper")
    for name in ("spline", "uniform"):  # judged alike, whatever the search
        assert again.costs[name] == pytest.approx(found.costs[name], rel=1e-9)
    assert not any("costs less" in note for note in found.warp.notes)
    times = np.arange(*found.warp.domain, 1 / 30)
    most = np.abs(np.diff(found.warp.rate(times))).max()
    if not keytimes:
        assert most < 0.5 / share


def test_costs_are_honest() -> None:
    found = guide(samples.jump(), duration=2.0)
    assert found.costs["guided"] < found.costs["spline"]
    assert found.costs["uniform"] == pytest.approx(found.costs["spline"], rel=0.02)
    assert any("uniform speed" in note for note in found.warp.notes)
    assert found.gap == 0


def moved(motion: retime.Motion, yaw: float, scale: float) -> retime.Motion:
    turn = quat.from_axis_angle([0, 1, 0], yaw)
    rotations = motion.rotations.copy()
    rotations[:, 0] = quat.multiply(turn, rotations[:, 0])
    away = np.array([3.0, 0.0, -7.0])
    place = scale * (quat.rotate(turn, motion.root_translation) + away)
    skeleton = replace(motion.skeleton, offsets=scale * motion.skeleton.offsets)
    units = replace(motion.units, metres=1 / scale)
    return replace(
        motion,
        skeleton=skeleton,
        rotations=rotations,
        translations={"Hips": place},
        units=units,
    )


def test_place_heading_and_units_change_nothing() -> None:
    jump = samples.jump()
    t = np.linspace(0, 2, 50)
    here = guided_warp(jump, duration=2.0)(t)
    np.testing.assert_allclose(
        guided_warp(moved(jump, 2.1, 100.0), duration=2.0)(t), here, atol=1e-6
    )


def test_a_known_warp_is_undone_by_the_timing_of_another_stretch() -> None:
    """Slow punches, guided by the fast ones of the same boxer, come nearer to the fast ones."""
    made = samples.sample("punches-slow")
    assert made.reference is not None
    assert made.warp is not None
    end = made.reference.duration
    warp = guided_warp(made.motion, reference=made.reference, duration=end)
    t = np.linspace(0, end, 200)
    truth = made.warp.inverse(t)
    nothing = t * made.motion.duration / end
    error = np.sqrt(np.mean((warp(t) - truth) ** 2))
    assert error < 0.6 * np.sqrt(np.mean((nothing - truth) ** 2))


def test_a_reference_on_other_bones_and_names_is_matched_by_roles() -> None:
    jump = samples.jump()
    renamed = {
        n: n.replace("UpLeg", "Thigh").replace("Leg", "Shin").replace("Hips", "pelvis")
        for n in jump.skeleton.names
    }
    other = replace(
        jump,
        skeleton=replace(
            jump.skeleton,
            names=tuple(renamed.values()),
            file_names=tuple(renamed.values()),
            offsets=1.2 * jump.skeleton.offsets,
            end_sites=tuple(
                replace(
                    site, offset=(1.2 * site.offset[0], 1.2 * site.offset[1], 1.2 * site.offset[2])
                )
                for site in jump.skeleton.end_sites
            ),
        ),
        translations={"pelvis": 1.2 * jump.root_translation},
    )
    t = np.linspace(0, 2, 40)
    by_self, by_other = (guided_warp(jump, duration=2.0, reference=r)(t) for r in (jump, other))
    assert np.abs(by_self - by_other).max() < 0.15
    with pytest.raises(InputError, match="shares too few joints"):
        guided_warp(jump, duration=2.0, reference=samples.chain())


def test_references_may_be_files_and_folders(tmp_path: Path) -> None:
    jump = samples.jump()
    retime.write(jump, tmp_path / "one.npz")
    (tmp_path / "notes.txt").write_text("not a motion")
    (tmp_path / "broken.bvh").write_text("neither")
    t = np.linspace(0, 2, 40)
    expected = guided_warp(jump, duration=2.0, reference=jump)(t)
    for reference in (tmp_path, str(tmp_path / "one.npz"), [tmp_path / "one.npz"]):
        np.testing.assert_allclose(
            guided_warp(jump, duration=2.0, reference=reference)(t), expected
        )
    with pytest.raises(RetimeError, match="no such file"):
        guided_warp(jump, reference=tmp_path / "absent.bvh")


def test_a_library_is_indexed_once(tmp_path: Path) -> None:
    walk = samples.walk()
    for k in range(8):
        retime.write(slowed(walk, 0.6 + 0.01 * k), tmp_path / f"{k}.npz")
    (tmp_path / "broken.bvh").write_text("none")
    first = guide(walk, duration="free", reference=tmp_path)
    index = tmp_path / INDEX
    assert len(list(index.glob("joints-*"))) == 1
    with patch("retime.methods.guided.library.read", side_effect=AssertionError):
        again = guide(samples.walk(), duration="free", reference=tmp_path)
        other = guide(samples.walk(seconds=2.0), duration="free", reference=tmp_path)
    np.testing.assert_allclose(again.warp.source, first.warp.source)
    assert first.warp.duration == pytest.approx(walk.duration / 0.67, rel=0.08)
    assert other.warp.duration == pytest.approx(2.0 / 0.67, rel=0.08)
    files = [tmp_path / f"{k}.npz" for k in range(8)]
    listed = guide(walk, duration="free", reference=files)  # the same without an index
    assert listed.warp.duration == pytest.approx(first.warp.duration, rel=1e-3)
    # A file that changes is read again, and only that.
    retime.write(slowed(walk, 0.5), tmp_path / "3.npz")
    with patch("retime.methods.guided.library.read", side_effect=retime.read) as reads:
        guide(samples.walk(), duration="free", reference=tmp_path)
    assert [c.args[0].name for c in reads.call_args_list] == ["3.npz"]
    assert len([p for p in index.iterdir() if len(p.name) == 32]) == 9


def test_a_library_that_cannot_be_written_to_is_read(tmp_path: Path) -> None:
    walk = samples.walk()
    for k in range(8):
        retime.write(slowed(walk, 0.6 + 0.01 * k), tmp_path / f"{k}.npz")
    with patch("retime.methods.guided.library.tempfile.mkdtemp", side_effect=PermissionError):
        warp = guided_warp(walk, duration="free", reference=tmp_path)
    assert warp.duration == pytest.approx(walk.duration / 0.67, rel=0.08)


def test_what_was_done_to_one_jump_by_hand_follows_in_the_rest() -> None:
    """Slow motion of one swing's reference range makes the same moves slow elsewhere (V7, V8)."""
    chain = samples.chain(duration=6.0)
    slow = TimeWarp([1.0, 2.5], [1.0, 2.0])  # 45 frames, as short as the paper's
    free = guided_warp(chain, duration="free", reference_range=(1.0, 2.0), reference_warp=slow)
    # Fewer frames sum to less where none fits quite: a free length comes out somewhat short.
    assert free.duration == pytest.approx(9.0, rel=0.15)
    fixed = guided_warp(chain, duration=9.0, reference_range=(1.0, 2.0), reference_warp=slow)
    assert np.median(fixed.rate(np.linspace(1, 8, 50))) == pytest.approx(2 / 3, abs=0.1)


def test_a_price_makes_the_papers_free_duration_shorter() -> None:
    jump = samples.jump()
    lengths = [
        guided_warp(jump, duration="free", formulation="paper", frame_cost=p).duration
        for p in (-0.05, 0.0, 0.5)
    ]
    assert lengths == sorted(lengths, reverse=True)
    assert lengths[0] > lengths[2]


def test_limits_of_speed_hold() -> None:
    jump = samples.jump()
    warp = guided_warp(jump, duration=2.2, speed_limits=[(0.0, 0.7, 1.0, 1.0)])
    shown = warp.preimage(0.05, 0.6)
    assert shown is not None
    assert np.abs(warp.rate(np.linspace(*shown, 30)) - 1).max() < 0.05
    limits: Any = {"duration": 4.5, "min_speed": 0.6, "max_speed": 1.2}
    slow = guided_warp(jump, **limits).rate(np.linspace(0.1, 4.4, 99))
    assert 0.58 < slow.min() <= slow.max() < 1.22
    other = guided_warp(jump, reference=apply(jump, TimeWarp([0, 6.5], [0, 3.25])), **limits)
    slow = other.rate(np.linspace(0.1, 4.4, 99))
    assert 0.58 < slow.min() <= slow.max() < 1.22


def test_backwards_and_ranges_and_loops() -> None:
    jump = samples.jump()
    back = guided_warp(jump, duration=2.0, backwards=True)
    assert (float(back(0.0)), float(back(2.0))) == (jump.duration, 0.0)
    part = guided_warp(jump, range=(0.0, 0.8), duration=0.4, ripple=True)
    assert part.duration == pytest.approx(jump.duration - 0.4)
    t = np.linspace(0.5, 2.8, 20)
    np.testing.assert_allclose(part(t), t + 0.4, atol=1e-9)
    cycle = guided_warp(samples.chain(duration=1.0), duration=1.5, loop=True)
    assert cycle.loop
    ends = cycle.rate([1e-3, 1.5 - 1e-3])
    assert ends[0] == pytest.approx(ends[1], abs=0.15)


@pytest.mark.parametrize("upsample", [None, 1, 3, 4])
def test_the_papers_formulation_is_a_warp(upsample: int | None) -> None:
    jump = samples.jump()
    found = guide(jump, duration=2.0, formulation="paper", upsample=upsample)
    best = guide(jump, duration=2.0)
    assert found.warp.duration == 2.0
    assert found.costs["guided"] > best.costs["guided"]
    rate = found.warp.rate(found.warp.inverse(np.linspace(1.5, 1.8, 9)))
    assert np.abs(rate - 1).max() < 0.05


def test_signals_of_any_kind_are_warped() -> None:
    t = np.linspace(0, 4, 121)
    place = np.where(t < 2, 0.0, np.sin(3 * (t - 2)))
    warp = guided_signal_warp(np.c_[place, place], fps=30, duration=3.0)
    rate = warp.rate(warp.inverse(np.array([1.0, 3.0])))
    assert rate[0] > 1.5
    assert abs(rate[1] - 1) < 0.1
    with pytest.raises(InputError, match="columns"):
        guided_signal_warp(np.zeros((9, 2)), fps=30, reference=np.zeros((9, 3)))
    with pytest.raises(InputError, match="three finite frames"):
        guided_signal_warp(np.zeros((2, 2)), fps=30)


def test_moments_of_a_jump_are_suggested() -> None:
    found = suggest_keytimes(samples.jump())
    assert found
    assert max(s.weight for s in found) == 1
    assert all(0.7 < s.time < 2.7 for s in found)
    still = samples.swing()
    still = replace(still, rotations=np.repeat(still.rotations[:1], len(still), axis=0))
    still = replace(
        still, translations={"Hips": np.repeat(still.root_translation[:1], len(still), 0)}
    )
    assert suggest_keytimes(still) == []


def test_smoothing_leaves_what_keeps_its_speed() -> None:
    jump = samples.jump()
    noise = quat.exp(0.01 * np.random.default_rng(3).normal(size=(*jump.rotations.shape[:2], 3)))
    noisy = replace(jump, rotations=quat.multiply(noise, jump.rotations))
    warp = TimeWarp([0, 1, 1.5], [0, 1, 3.25])
    steps = [Step("warp", {"warp": warp})]
    plain = Recipe(steps).evaluate(noisy)
    smooth = Recipe([*steps, Step("smooth")]).evaluate(noisy)
    moved_by = quat.angle(plain.rotations, smooth.rotations).max(axis=1)
    assert moved_by[plain.times < 0.99].max() < 1e-12
    assert moved_by[(plain.times > 1.1) & (plain.times < 1.4)].min() > 0


# ---- bad input


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"duration": 0.0}, "above 0,"),
        ({"duration": 0.2}, "raise max_speed to"),
        ({"duration": 9.0, "upsample": 2}, "upsample belongs to the paper's formulation"),
        ({"duration": 9.0, "frame_cost": 2.0}, "frame_cost belongs to the paper's formulation"),
        ({"duration": 9.0, "upsample": 2, "formulation": "paper"}, "slower than 1/2 of its speed"),
        ({"duration": 2.0, "keytimes": [(0.1, 2.0)]}, "above 8; raise max_speed to 20"),
        ({"duration": 2.0, "keytimes": [(1.0, 1.0), (1.001, 1.01)]}, "have to be 10 times"),
        (
            {"duration": 2.0, "keytimes": [(1.0, 1.0), (1.5, 1.05)], "min_speed": 0.2},
            "below 0.2; lower min_speed to 0.1",
        ),
        ({"duration": 2.0, "keytimes": [(1.0, 2.0), (1.5, 1.0)]}, "must rise"),
        (
            {"duration": "free", "keytimes": [(1.0, 1.0)], "formulation": "paper"},
            "has no keytimes",
        ),
        (
            {"reference_range": (0.0, 0.1), "formulation": "paper"},
            "neighbours need at least 5 frames",
        ),
        ({"reference_range": (0.0, 0.1)}, "needs at least 7 frames of it"),
        ({"reference_range": (3.0, 9.0)}, "not a part of"),
        ({"speed_limits": [(0.0, 3.0, 5.0, 6.0)], "duration": 2.0}, "no timing meets all limits"),
        ({"speed_limits": [(2.0, 1.0, 1.0, 2.0)]}, "both ranges must rise"),
        ({"reference": [3]}, "a motion or a path"),
        ({"range": (0.0, 1.0), "backwards": True}, "only a whole clip"),
    ],
)
def test_bad_input_gets_a_sentence(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(RetimeError, match=sentence):
        guided_warp(samples.jump(), **options)


def test_short_clips_get_a_sentence() -> None:
    jump = samples.jump()
    for frames in (1, 2):
        short = replace(
            jump,
            rotations=jump.rotations[:frames],
            translations={"Hips": jump.root_translation[:frames]},
        )
        with pytest.raises(InputError, match="too short"):
            guided_warp(short, duration=1.0)


def test_infeasible_requests_name_a_feasible_duration() -> None:
    with pytest.raises(InfeasibleError, match=r"choose a duration of 0\.4") as caught:
        guided_warp(samples.jump(), duration=0.2)
    assert "max_speed" in str(caught.value)


def test_a_recipe_keeps_its_reference_by_hash(tmp_path: Path) -> None:
    jump = samples.jump()
    retime.write(jump, tmp_path / "ref.npz")
    reference = retime.read(tmp_path / "ref.npz")
    recipe = Recipe([Step("guided", {"duration": 2.0, "reference": (reference,)})])
    retime.write_recipe(recipe, tmp_path / "r.json")
    again = retime.read_recipe(tmp_path / "r.json")
    t = np.linspace(0, 2, 30)
    np.testing.assert_allclose(again.warp(jump)(t), recipe.warp(jump)(t))
    retime.write(samples.walk(), tmp_path / "ref.npz")
    with pytest.raises(InputError, match="has changed since"):
        again.warp(jump)


def test_a_reference_file_that_changes_is_read_again(tmp_path: Path) -> None:
    jump, place = samples.jump(), tmp_path / "reference.bvh"
    retime.write(jump, place)
    first = guided_warp(jump, duration=2.0, reference=str(place))
    assert guided_warp(jump, duration=2.0, reference=str(place)).source.tolist() == (
        first.source.tolist()
    )
    slow = retime.apply(jump, TimeWarp([0, 6.5], [0, 3.25]))
    retime.write(slow, place)
    second = guided_warp(jump, duration=2.0, reference=str(place))
    fresh = guided_warp(samples.jump(), duration=2.0, reference=str(place))
    assert second.source.tolist() == fresh.source.tolist()
    assert second.source.tolist() != first.source.tolist()


def test_a_signal_has_a_rate() -> None:
    with pytest.raises(InputError, match="samples per second"):
        retime.guided_signal_warp(np.zeros((9, 2)), fps=0)


def test_a_reference_may_stand_on_another_floor() -> None:
    jump = samples.jump()
    slow = apply(jump, TimeWarp([0, 1.3 * jump.duration], [0, jump.duration]))
    there = retime.guided_warp(jump, duration=3.0, reference=slow)
    above = retime.guided_warp(jump, duration=3.0, reference=raised(slow, 0.5))
    times = np.linspace(0, 3, 61)
    np.testing.assert_allclose(above(times), there(times), atol=1e-9)


def test_a_reference_may_be_stored_with_other_axes() -> None:
    jump = samples.jump()
    slow = apply(jump, TimeWarp([0, 1.3 * jump.duration], [0, jump.duration]))
    turned = with_other_axes(slow, quat.from_axis_angle(np.array([1.0, 0, 0]), np.pi / 2))
    np.testing.assert_allclose(positions(turned), positions(slow), atol=1e-9)
    one, other = (retime.guided_warp(jump, duration=3.0, reference=r) for r in (slow, turned))
    times = np.linspace(0, 3, 61)
    np.testing.assert_allclose(other(times), one(times), atol=0.02)


def test_a_node_above_the_hips_changes_nothing() -> None:
    jump = samples.jump()
    times = np.linspace(0, 2, 41)
    one, other = (retime.guided_warp(m, duration=2.0)(times) for m in (jump, under_a_node(jump)))
    np.testing.assert_allclose(other, one, atol=1e-9)


def test_limits_hold_in_the_curve_too() -> None:
    jump = samples.jump()
    for slowest, fastest in ((1.0, 1.0), (2.0, 3.0)):
        limits = [(1.0, 1.8, slowest, fastest)]
        warp = retime.guided_warp(jump, duration=0.7 * jump.duration, speed_limits=limits)
        times = np.linspace(*warp.domain, 400)
        inside = (warp(times) > 1.05) & (warp(times) < 1.75)
        rates = warp.rate(times)[inside]
        assert slowest - 0.05 < rates.min() <= rates.max() < fastest + 0.05


def test_keytimes_of_a_backward_warp_choose_the_upsampling() -> None:
    jump = samples.jump()
    end = jump.duration
    warp = retime.guided_warp(
        jump, duration=0.7 * end, backwards=True, keytimes=[(0.2 * end, 0.27 * end)]
    )
    assert warp(0.2 * end) == pytest.approx(0.27 * end)


def test_a_blended_warp_tells_its_own_cost() -> None:
    jump = samples.jump()
    figures = [
        Recipe([Step("guided", {"duration": 2.0, "influence": share})]).solve(jump)[0].figures
        for share in (0.0, 0.5, 1.0)
    ]
    assert figures[0]["blended"] == pytest.approx(figures[0]["spline"])
    assert figures[1]["blended"] < figures[0]["blended"]
    assert "blended" not in figures[2]


def test_a_spline_that_breaks_a_limit_is_not_taken() -> None:
    jump = samples.jump()
    found = guide(jump, duration=2.275, speed_limits=[(1.0, 1.8, 2.0, 3.0)])
    assert found.costs["guided"] > found.costs["spline"]
    assert any("exceeds a speed limit" in note for note in found.warp.notes)


# ---- foreign references


def slowed(motion: retime.Motion, share: float) -> retime.Motion:
    return apply(motion, TimeWarp([0, motion.duration / share], [0, motion.duration]))


@pytest.mark.parametrize("share", [0.6, 0.8, 1.25, 1.6])
def test_a_clip_takes_the_pace_of_a_reference(share: float) -> None:
    walk = samples.walk()
    found = guide(walk, duration="free", reference=slowed(walk, share))
    assert found.warp.duration == pytest.approx(walk.duration / share, rel=0.05)
    assert found.evidence is not None
    assert found.evidence[:, 1].min() > 0.9
    assert any(note.startswith("100 % of the clip resembles") for note in found.warp.notes)


def test_what_is_unlike_the_reference_stays_as_it_was() -> None:
    walk, jump = samples.walk(), samples.jump()
    lone = guide(jump, duration="free", reference=slowed(walk, 0.5), similarity=0.02)
    assert lone.evidence is not None
    assert lone.warp.duration == pytest.approx(jump.duration, rel=0.05)
    note = next(n for n in lone.warp.notes if "resembles" in n)
    assert "the rest keeps its timing" in note


def test_its_own_timing_of_any_length_is_no_change() -> None:
    for motion in (samples.walk(), samples.jump()):
        assert guided_warp(motion, duration="free").duration == pytest.approx(
            motion.duration, rel=0.01
        )


def test_foreign_timing_goes_through_keytimes() -> None:
    jump = samples.jump()
    slow = slowed(jump, 0.7)
    keys = [(0.517, 0.9), (1.333, 1.471)]
    for length in (None, 3.013, "free"):
        warp = guided_warp(jump, duration=length, keytimes=keys, reference=slow)
        assert [float(warp(o)) for o, _ in keys] == [s for _, s in keys]
        assert warp.source[-1] == jump.duration
        assert (np.diff(warp.source) > 0).all()
        if isinstance(length, float):
            assert warp.duration == pytest.approx(length, abs=1e-12)
    with pytest.raises(InfeasibleError, match="no timing meets all limits"):
        guided_warp(jump, duration=3.0, speed_limits=[(0.0, 3.25, 2.0, 3.0)], reference=slow)
    with pytest.raises(InfeasibleError, match="raise max_speed"):
        guided_warp(jump, duration=0.3, reference=slow)


def test_foreign_timing_of_ranges_loops_and_backwards() -> None:
    jump = samples.jump()
    slow = slowed(jump, 0.7)
    part = guided_warp(jump, range=(0.5, 2.5), duration="free", ripple=True, reference=slow)
    assert part.duration > jump.duration + 0.3
    assert float(part(0.4)) == pytest.approx(0.4)
    back = guide(jump, duration="free", backwards=True, reference=slow)
    ahead = guide(jump, duration="free", reference=slow)
    assert back.warp.duration == pytest.approx(ahead.warp.duration, rel=0.02)
    assert float(back.warp(0.0)) == jump.duration
    assert back.evidence is not None
    assert ahead.evidence is not None
    np.testing.assert_allclose(back.evidence, ahead.evidence, atol=0.05)
    chain = samples.chain(duration=1.0)
    cycle = guided_warp(chain, duration="free", loop=True, reference=slowed(chain, 0.8))
    ends = cycle.rate([1e-3, cycle.duration - 1e-3])
    assert ends[0] == pytest.approx(ends[1], abs=0.1)


def plain_windows(poses: Any, references: Any, rate: float) -> Any:
    """Distances of windows, one by one, as their definition says."""
    near, far = _offsets(rate, len(poses))
    n = (len(poses) - 1) // FINE + 1
    out = np.full((n, len(RATES)), np.inf)
    for i, g in itertools.product(range(n), range(len(RATES))):
        middle = np.clip(i * FINE, near[g, -1], len(poses) - 1 - near[g, -1])
        own = poses[middle + near[g]]
        for z in references:
            for q in np.arange(0, len(z), 0.5):
                place = q + far[g]
                inside = (place > -1e-6) & (place < len(z) - 1 + 1e-6)
                if 2 * inside.sum() <= len(place):
                    continue
                other = np.stack(
                    [np.interp(place[inside], np.arange(len(z)), c) for c in z.T], axis=1
                )
                square = ((own[inside] - other) ** 2).sum() / (poses.shape[1] / 3)
                out[i, g] = min(out[i, g], square * len(place) / inside.sum() ** 2)
    return out


def test_windows_equal_a_plain_evaluation(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    poses = np.cumsum(rng.normal(0, 0.02, (14 * FINE + 1, 3)), axis=0)
    references = [np.cumsum(rng.normal(0, 0.05, (k, 3)), axis=0) for k in (30, 9)]
    exact = plain_windows(poses, references, 30.0)
    np.testing.assert_allclose(
        _distances(poses, references, 30.0, 1e9, 1e9), exact, rtol=1e-3, atol=1e-5
    )
    # In small pieces, and pruned: exact as far as it matters.
    monkeypatch.setattr("retime.methods.guided.windows._REFERENCE_BLOCK", 11)
    monkeypatch.setattr("retime.methods.guided.windows._INPUT_BLOCK", 7)
    pruned = _distances(poses, references, 30.0, 0.01, 1e9)
    cap = exact.min(axis=1, keepdims=True) + 0.01
    np.testing.assert_allclose(
        np.minimum(pruned, cap), np.minimum(exact, cap), rtol=1e-3, atol=1e-5
    )


def test_a_length_of_two_frames_is_too_fast() -> None:
    walk = samples.walk()
    with pytest.raises(InfeasibleError, match="the speed would have to be"):
        guided_warp(walk, duration=2 / walk.rate)


@pytest.mark.parametrize(
    "asked",
    [
        {"duration": 3.0, "max_speed": 1.6},
        {"duration": 3.4, "max_speed": 1.4, "keytimes": [(1.5, 1.9)]},
        {"duration": 3.3, "min_speed": 1.1, "max_speed": 1.5},
    ],
)
def test_the_delivered_curve_keeps_the_limits_between_its_knots_too(asked: dict[str, Any]) -> None:
    warp = guided_warp(samples.walk(), **asked)
    times = np.linspace(*warp.domain, 5001)
    rate = np.diff(warp(times)) / np.diff(times)
    assert rate.max() < 1.01 * asked["max_speed"]
    assert rate.min() > 0.99 * asked.get("min_speed", 0.0)


def test_a_length_that_leaves_no_room_is_said_without_keytimes() -> None:
    """Costs are plain numbers, also large ones."""
    notes = guided_warp(samples.walk(), duration=1000.0).notes
    (told,) = (n for n in notes if n.code == "guided-unsearched")
    assert told == (
        "the duration leaves the search no room: the warp was refined from uniform speed"
    )
    (costs,) = (n for n in notes if n.code == "guided-costs")
    assert re.match(r"cost \d\d,\d{3} \(", costs)


@pytest.mark.parametrize(
    ("ours", "theirs", "text"),
    [
        (3.0, 0.0, "more than uniform speed (0)"),
        (1e-12, 1e-13, "the same as uniform speed"),
        (9999.4, 24284.0, "59 % less than uniform speed (24,280)"),
        (3.0, 4.0, "25 % less than uniform speed (4)"),
    ],
)
def test_costs_are_compared_in_words(ours: float, theirs: float, text: str) -> None:
    costs = {"guided": ours, "uniform": theirs}
    assert solve._compared(costs, "uniform", "uniform speed") == text


@pytest.mark.parametrize(("cost", "said"), [(5e-10, False), (5e-3, True)])
def test_a_rounding_error_is_no_cost_above_the_spline_s(cost: float, said: bool) -> None:
    def found(problem: Problem) -> Found:
        warp = problem.uniform(1.5)
        return Found(warp, lambda _: 0.0, {"guided": cost, "spline": 0.0})

    with patch.object(solve, "_found", found):
        notes = guided_signal_warp(np.ones((60, 3)), duration=1.5, fps=30.0).notes
    assert ("spline-costs-less" in [n.code for n in notes]) == said
