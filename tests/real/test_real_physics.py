"""Physics-based retiming on real jumps and walks: what held in trials, as tests."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import retime
from retime import PhysicsModel, TimeWarp
from retime.body.contacts import find_contacts
from retime.body.solve.pelvis import moved

MOCAP = Path(__file__).parents[2].parent / "shared" / "mocap"
pytestmark = pytest.mark.skipif(
    not MOCAP.is_dir(), reason="no folder of real clips beside the project"
)


@cache
def model(name: str) -> PhysicsModel:
    return PhysicsModel(retime.read(MOCAP / f"{name}.bvh"))


def flight_rate(of: PhysicsModel, warp: TimeWarp) -> float:
    """Mean rate in the middle of the longest flight."""
    frames = np.flatnonzero(of.flight)
    runs = np.split(frames, np.flatnonzero(np.diff(frames) > 1) + 1)
    times = of.times[max(runs, key=len)]
    middle = times[np.abs(times - times.mean()) < 0.25 * np.ptp(times)]
    return float(np.mean(warp.rate(warp.inverse(middle))))


def test_the_recorded_timing_stays() -> None:
    warp = model("16_06").warp()
    assert np.abs(warp.rate(warp.output) - 1).max() < 0.02


@pytest.mark.parametrize(("share", "within"), [(0.6, 0.03), (0.5, 0.08)])
def test_a_shorter_jump_keeps_its_flight(share: float, within: float) -> None:
    jump = model("16_06")
    warp = jump.warp(duration=share * jump.motion.duration)
    assert flight_rate(jump, warp) == pytest.approx(1, abs=within)
    assert any("global optimum" in note for note in warp.notes)


@pytest.mark.parametrize("name", ["13_11", "02_04", "16_03"])
@pytest.mark.parametrize("share", [0.75, 0.6])
def test_other_jumps_keep_theirs(name: str, share: float) -> None:
    jump = model(name)
    warp = jump.warp(duration=share * jump.motion.duration)
    assert flight_rate(jump, warp) == pytest.approx(1, abs=0.05)


@pytest.mark.parametrize("duration", ["free", None])
@pytest.mark.parametrize("gravity", [4.9, 19.6])
def test_gravity_shows_in_the_flight(gravity: float, duration: Any) -> None:
    jump = model("16_03").changed(gravity=gravity)
    expected = np.sqrt(gravity / 9.81)
    found = flight_rate(jump, jump.warp(duration=duration))
    assert found / expected == pytest.approx(1, abs=0.03)


def test_a_point_in_flight_half_a_second_earlier() -> None:
    jump = model("16_06")
    moment = float(np.median(jump.times[jump.flight]))
    warp = jump.warp(keytimes=[(moment - 0.5, moment)])
    assert float(warp(moment - 0.5)) == pytest.approx(moment, abs=1e-3)
    assert flight_rate(jump, warp) == pytest.approx(1, abs=0.03)


def shares(of: PhysicsModel, warp: TimeWarp) -> tuple[float, float]:
    """Shares of the time that the left and the right foot stand alone."""
    down = np.any(of._measured.supports.down, axis=2)
    left, right = down[:, 0], down[:, 1]
    time = np.gradient(warp.inverse(of.times))
    alone = (left & ~right, right & ~left)
    return tuple(float(time[a].sum() / time.sum()) for a in alone)  # type: ignore[return-value]


def test_a_heavy_thigh_favours_its_leg() -> None:
    walk = model("16_16")
    plain = shares(walk, TimeWarp.identity(*walk.motion.domain))
    heavy_left = shares(walk, walk.changed(mass_scale={"LeftUpLeg": 10.0}).warp(objective="match"))
    heavy_right = shares(
        walk, walk.changed(mass_scale={"RightUpLeg": 10.0}).warp(objective="match")
    )
    assert heavy_left[0] > plain[0]
    assert heavy_right[1] > plain[1]


def test_gravity_to_one_side_favours_a_leg() -> None:
    walk = model("16_16")
    to_left = shares(walk, walk.changed(gravity="left:9.81").warp())
    to_right = shares(walk, walk.changed(gravity="right:9.81").warp())
    assert to_left[0] > 1.5 * to_left[1]
    assert to_right[1] > 1.5 * to_right[0]


def test_the_minimum_time_is_toppras() -> None:
    pytest.importorskip("toppra", reason="toppra is not installed: it is a part of `make bench`")
    from bench.physics import toppra_minimum

    for name in ("16_06", "16_16"):
        assert model(name).minimum_duration() == pytest.approx(
            toppra_minimum(model(name)), rel=1e-3
        )


@pytest.mark.parametrize("name", ["16_06", "16_03"])
def test_a_speed_up_is_the_conic_optimum(name: str) -> None:
    from bench.physics import conic_optimum

    jump = model(name)
    duration = 0.7 * jump.motion.duration
    _, found = jump.solve(duration=duration)
    assert found.objective <= 1.001 * conic_optimum(jump, duration)
    assert found.certified


def test_a_uniform_speed_up_is_explained() -> None:
    jump = model("16_06")
    end = jump.motion.domain[1]
    told = jump.explain(TimeWarp([0, end / 1.6], [0, end]))
    assert "flight" in {v.cause for v in told.violations}
    best = jump.explain(jump.warp(duration=end / 1.4))
    assert best.share > told.share


MORE = MOCAP.parent / "mocap-more"


def clip(name: str) -> retime.Motion:
    return retime.read(
        next(f / f"{name}.bvh" for f in (MOCAP, MORE) if (f / f"{name}.bvh").exists())
    )


@pytest.mark.parametrize("name", ["13_13", "13_11", "02_04"])
@pytest.mark.parametrize("factor", [1.5, 0.7])
def test_a_jump_of_another_speed_comes_back_to_gravity(name: str, factor: float) -> None:
    motion = clip(name)
    start, end = motion.domain
    slow = retime.apply(motion, TimeWarp([start, start + factor * (end - start)], [start, end]))
    changed = PhysicsModel(slow)
    assert flight_rate(changed, changed.warp()) == pytest.approx(factor, rel=0.1)


@pytest.mark.parametrize("name", ["09_01", "35_17", "16_35"])
def test_runs_need_grip_and_cannot_wait(name: str) -> None:
    run = PhysicsModel(clip(name))
    least, most = run.minimum_duration(), run.maximum_duration()
    assert least is not None
    assert most is not None
    assert least < run.motion.duration < most
    slippery = run.changed(friction=0.1).minimum_duration()
    assert slippery is None or slippery > 1.15 * least
    heavy = run.changed(mass_scale={"left_upper_leg": 2.0}).minimum_duration()
    assert heavy is not None
    assert heavy > 0.97 * least


@pytest.mark.parametrize("name", ["07_01", "35_01", "08_01", "39_01"])
def test_a_load_lengthens_a_walk(name: str) -> None:
    walk = PhysicsModel(clip(name))
    loaded = walk.changed(mass_scale={"chest": 3.0}).warp(duration="free", objective="load")
    assert 1.05 < loaded.duration / walk.motion.duration < 1.15


@pytest.mark.parametrize("name", ["16_01", "07_01", "35_17"])
def test_at_the_minimum_nearly_all_frames_are_feasible(name: str) -> None:
    of = PhysicsModel(clip(name))
    least = of.minimum_duration()
    assert least is not None
    assert of.explain(of.warp(duration=1.001 * least)).share >= 0.98


def test_a_false_frame_rate_is_pointed_out() -> None:
    notes = {getattr(n, "code", ""): n for n in PhysicsModel(clip("75_01")).notes}
    assert notes["gravity-corrected"].values["rate"] == pytest.approx(0.5, rel=0.1)


@pytest.mark.parametrize(
    ("file", "animation", "belt"),
    [
        ("khronos_CesiumMan.glb", None, 0.85),
        ("khronos_Fox.glb", "Walk", 1.3),
        ("makehuman_zombieWalk1.bvh", None, 0.45),
        ("RobotExpressive.glb", "Walking", 1.7),
        ("RobotExpressive.glb", "Running", None),
    ],
)
def test_cycles_in_place_keep_their_length(file: str, animation: Any, belt: float | None) -> None:
    """Their ground moves with the lowest foot, and contacts are in its frame."""
    chosen = {} if animation is None else {"animation": animation}
    motion = retime.read(MOCAP.parent / "samples" / file, **chosen)
    if belt is not None:
        contacts = retime.detect_contacts(motion)
        assert len(contacts) > 0
        speed = np.median([np.linalg.norm(c.velocity) for c in contacts])
        assert speed == pytest.approx(belt, rel=0.15)
    free = PhysicsModel(motion).warp(duration="free")
    assert free.duration == pytest.approx(motion.duration, rel=0.1)


@pytest.mark.parametrize("name", ["16_35", "16_15"])
def test_a_run_and_a_walk_on_a_belt_touch_as_on_the_ground(name: str) -> None:
    """As cycles of games: the mean way is taken out, and the belt is found from the lowest foot."""
    motion = retime.read(MOCAP / f"{name}.bvh")
    hips = retime.positions(motion)[:, 0]
    velocity = (hips[-1] - hips[0]) / motion.duration * [1.0, 0.0, 1.0]
    belted = moved(motion, -velocity * motion.times[:, None])
    own, found = find_contacts(motion), find_contacts(belted)
    assert np.linalg.norm(found.drift + velocity) < 0.1 * np.linalg.norm(velocity)
    points = [f"{side}_{part}" for side in ("left", "right") for part in ("heel", "ball", "toes")]
    before, after = (
        np.any([f.touching[p] for p in points if p in f.touching], axis=0) for f in (own, found)
    )
    assert (before == after).mean() > 0.97
    free = [PhysicsModel(m).warp(duration="free").duration for m in (motion, belted)]
    assert free[1] == pytest.approx(free[0], rel=0.01)
