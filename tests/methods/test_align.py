"""Off-line alignment: the path is the best there is, and the warp is the known one."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import retime
from motion_making import raised
from retime import InfeasibleError, InputError, Motion, TimeWarp, align, apply, samples
from retime.live import BayesAligner, find_alignment, follow
from retime.methods.align.offline.offline import _search
from retime.recipe import Recipe, Step
from retime.recipe.json import read_recipe, write_recipe


def test_a_long_search_stays_in_a_corridor_and_finds_the_same() -> None:
    rng = np.random.default_rng(1)
    poses = np.cumsum(rng.normal(0, 0.05, (2600, 2, 3)), axis=0)
    frames = np.cumsum(rng.integers(0, 3, 2400))
    live = poses[frames[frames < 2600]]
    weights = np.ones(2)
    costs, low, path = _search(poses, live, weights, 4, 60, True)
    assert costs.shape[1] < 2600
    right = frames[frames < 2600]
    assert np.mean(np.abs(path.mean(axis=1) - right) <= 1) > 0.99
    assert (low >= 0).all()


def slow_punches() -> tuple[Motion, Motion, TimeWarp]:
    slow = samples.sample("punches-slow")
    assert slow.warp is not None
    assert slow.warp is not None
    return samples.punches(), slow.motion, slow.warp


def test_a_known_warp_is_found() -> None:
    fast, slow, truth = slow_punches()
    warp = align(fast, slow).warp
    assert warp.domain == pytest.approx(slow.domain)
    assert np.abs(warp(slow.times) - truth(slow.times)).mean() < 0.01
    moved = apply(fast, warp)
    assert len(moved) == len(slow)
    off = np.linalg.norm(retime.positions(moved) - retime.positions(slow), axis=2)
    assert off.mean() < 0.01
    assert any("mean distance" in note for note in warp.notes)


@pytest.mark.parametrize("name", ["punches", "walk", "jump"])
def test_a_motion_to_itself_is_the_identity(name: str) -> None:
    motion = getattr(samples, name)()
    assert np.abs(align(motion, motion).warp(motion.times) - motion.times).max() < 1e-6


def test_both_ways_are_each_others_inverse() -> None:
    fast, slow, _ = slow_punches()
    there, back = align(fast, slow).warp, align(slow, fast).warp
    assert np.abs(back(there(slow.times)) - slow.times).mean() < 0.03


def test_place_and_heading_change_nothing() -> None:
    fast, slow, _ = slow_punches()
    turn = retime.quat.from_axis_angle([0, 1, 0], 2.0)
    root = slow.skeleton.names[0]
    rotations = slow.rotations.copy()
    rotations[:, 0] = retime.quat.multiply(turn, rotations[:, 0])
    places = {n: t.copy() for n, t in slow.translations.items()}
    places[root] = retime.quat.rotate(turn, places[root]) + np.array([3.0, 0, -1.0])
    elsewhere = replace(slow, rotations=rotations, translations=places, origin=None)
    plain, moved = align(fast, slow).warp, align(fast, elsewhere).warp
    assert np.abs(plain(slow.times) - moved(slow.times)).max() < 1e-6


def test_an_open_end_stops_where_the_other_does() -> None:
    fast, slow, truth = slow_punches()
    part = apply(slow, TimeWarp.identity(0, 2.5))
    warp = align(fast, part, open_end=True).warp
    assert float(warp(2.5)) == pytest.approx(float(truth(2.5)), abs=0.05)
    assert float(align(fast, part).warp(2.5)) == pytest.approx(fast.domain[1])


def test_a_cycle_goes_round_as_long_as_it_must() -> None:
    walk = samples.walk()
    frames = walk.times[: len(walk) // 4 + 1]
    stride = apply(walk, TimeWarp.identity(*walk.domain), times=frames)
    warp = align(stride, walk, repeat=True).warp
    assert warp.loop
    assert float(warp(walk.duration)) == pytest.approx(walk.duration, abs=0.1)
    out = apply(stride, warp)
    assert len(out) == len(walk)


def test_limits_are_kept() -> None:
    fast, slow, _ = slow_punches()
    found = find_alignment(fast, slow, max_step=2, max_stall=0.1)
    steps = found.path[1:, 1] - found.path[:-1, 1]
    assert steps.max() <= 2
    runs = [len(list(g)) for stalls, g in itertools.groupby(steps == 0) if stalls]
    assert max(runs, default=0) <= round(0.1 * 60)
    with pytest.raises(InfeasibleError, match="larger max_step"):
        align(slow, apply(slow, TimeWarp([0, 0.5], [0, slow.duration])), max_step=1)


def test_weights_choose_what_is_compared() -> None:
    fast, slow, truth = slow_punches()
    hands = {"left_hand": 5.0, "right_hand": 5.0, "head": 0.0}
    assert (
        np.abs(align(fast, slow, weights=hands).warp(slow.times) - truth(slow.times)).mean() < 0.02
    )
    with pytest.raises(InputError, match="no joint 'tail' is compared"):
        align(fast, slow, weights={"tail": 1.0})
    with pytest.raises(InputError, match="0 or more"):
        align(fast, slow, weights={"head": -1.0})


def test_a_range_ripples() -> None:
    fast, slow, _ = slow_punches()
    part = apply(slow, TimeWarp.identity(0, 2.0))
    warp = align(fast, part, range=(0.5, 2.0), open_end=False).warp
    assert float(warp(0.25)) == pytest.approx(0.25)
    assert float(warp(2.5)) == pytest.approx(2.0, abs=1e-6)
    assert warp.domain[1] == pytest.approx(fast.duration + 0.5)
    with pytest.raises(InputError, match="not a part"):
        align(fast, part, range=(3.0, 9.0))


@pytest.mark.parametrize("start", np.linspace(0.1, 1.7, 9))
def test_any_range_keeps_its_ends(start: float) -> None:
    fast, slow, _ = slow_punches()
    part = apply(slow, TimeWarp.identity(0, 2.0))
    warp = align(fast, part, range=(start, start + 1.3)).warp
    assert float(warp(start)) == pytest.approx(start)
    assert float(warp(start + 2.0)) == pytest.approx(start + 1.3)
    assert any("mean distance" in note for note in warp.notes)


@pytest.mark.parametrize("speed", [0.5, 1.0, 2.0, 3.0])
def test_an_open_end_favours_no_speed(speed: float) -> None:
    fast = samples.punches()
    part = apply(fast, TimeWarp([0, 2.4 / speed], [0, 2.4]))
    warp = align(fast, part, open_end=True).warp
    assert float(warp(2.4 / speed)) == pytest.approx(2.4, abs=0.1)


@pytest.mark.parametrize("speed", [0.5, 1.5, 3.0])
def test_a_cycle_at_other_speeds(speed: float) -> None:
    walk = samples.walk()
    frames = walk.times[: len(walk) // 4 + 1]
    stride = apply(walk, TimeWarp.identity(*walk.domain), times=frames)
    performed = apply(walk, TimeWarp([0, walk.duration / speed], [0, walk.duration]))
    warp = align(stride, performed, repeat=True).warp
    assert float(warp(performed.domain[1])) == pytest.approx(walk.duration, abs=0.15)


def test_what_has_no_common_joint_is_listed() -> None:
    with pytest.raises(InputError, match="no joint in common"):
        align(samples.walk(), samples.toss())
    with pytest.raises(InputError, match="9 frames is too short"):
        align(samples.walk(), apply(samples.walk(), TimeWarp.identity(0, 8 / 60)))


def test_a_recipe_remembers_the_other_take(tmp_path: Path) -> None:
    fast, slow, _ = slow_punches()
    for name, motion in (("fast.bvh", fast), ("slow.bvh", slow)):
        retime.write(motion, tmp_path / name)
    other = retime.read(tmp_path / "slow.bvh")
    recipe = Recipe([Step("align", {"reference": other})])
    write_recipe(recipe, tmp_path / "recipe.json")
    document = json.loads((tmp_path / "recipe.json").read_text())
    assert document["steps"][0]["parameters"]["reference"]["sha256"] == other.origin.sha256  # type: ignore[union-attr]
    motion = retime.read(tmp_path / "fast.bvh")
    one = recipe.evaluate(motion)
    two = read_recipe(tmp_path / "recipe.json").evaluate(motion)
    assert np.array_equal(one.rotations, two.rotations)
    retime.write(fast, tmp_path / "slow.bvh")
    with pytest.raises(InputError, match="no longer the file"):
        read_recipe(tmp_path / "recipe.json").evaluate(motion)


# ---- commands


def test_align_and_score_from_the_command_line(run: Any, tmp_path: Path) -> None:
    fast, slow, truth = slow_punches()
    retime.write(fast, tmp_path / "fast.bvh")
    retime.write(slow, tmp_path / "slow.bvh")
    a, b = str(tmp_path / "fast.bvh"), str(tmp_path / "slow.bvh")
    _, out, _ = run(
        "align", a, b, str(tmp_path / "out.bvh"), "--warp", str(tmp_path / "w.json"),
        "--plot", str(tmp_path / "costs.png"), "--json",
    )  # fmt: skip
    assert json.loads(out)["frames"] == len(slow)
    warp = retime.read_warp(tmp_path / "w.json")
    assert np.abs(warp(slow.times) - truth(slow.times)).mean() < 0.02
    assert (tmp_path / "costs.png").stat().st_size > 1000
    _, out, _ = run("score", a, b, "--plot", str(tmp_path / "late.svg"), "--json")
    found = json.loads(out)
    assert found["summary"]["rate"] < 0.9
    assert len(found["frames"]) == len(slow)
    assert len(found["moments"]) <= 5
    assert run("align", a, b, b)[0] == 2
    assert run("align", a, b, str(tmp_path / "x.bvh"), "--plot", b)[0] == 2
    assert "late ms" in run("score", a, b, "--aligner", "predictive")[1]


def test_a_step_leaves_the_start_where_it_was() -> None:
    late = replace(samples.punches(), start=41.0)
    other = samples.sample("punches-slow").motion
    made = Recipe([Step("align", {"reference": other})]).evaluate(late)
    assert made.start == pytest.approx(41.0)
    assert made.duration == pytest.approx(other.duration, abs=0.02)
    assert align(late, other).warp.domain[0] == pytest.approx(41.0)
    assert find_alignment(late, other).warp.domain[0] == pytest.approx(other.start)


@pytest.mark.parametrize("height", [0.1, -0.9])
def test_takes_may_stand_on_floors_of_any_height(height: float) -> None:
    slow = samples.sample("punches-slow")
    assert slow.warp is not None
    times = slow.motion.times
    one, other = (
        align(samples.punches(), m).warp for m in (slow.motion, raised(slow.motion, height))
    )
    np.testing.assert_allclose(other(times), one(times), atol=1e-6)
    live, found, _ = follow(BayesAligner(samples.punches()), raised(slow.motion, height))
    assert np.abs(found - slow.warp(live)).mean() < 0.03


@pytest.mark.parametrize("speed", [2.0, 3.0])
def test_a_faster_take_is_not_met_ahead_of_time(speed: float) -> None:
    walk = samples.walk()  # it never stands: every moment tells its time
    end = walk.duration
    fast = apply(walk, TimeWarp([0, end / speed], [0, end]))
    warp = align(walk, fast).warp
    times = np.linspace(0.1, 0.9, 50) * end / speed
    assert abs(float((warp(times) - speed * times).mean())) < 0.004
