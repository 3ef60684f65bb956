"""Gravity, mass, friction and strength change the timing as they would."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.signal import find_peaks

import retime
from retime import InfeasibleError, Motion, PhysicsModel, TimeWarp, apply, physics, samples


def stretched(motion: Motion, factor: float) -> Motion:
    start, end = motion.domain
    return apply(motion, TimeWarp([start, start + factor * (end - start)], [start, end]))


def flight_rate(model: PhysicsModel, warp: TimeWarp) -> float:
    """Mean rate in the middle of the longest flight."""
    longest = max(model.flights, key=lambda f: f.end - f.start)
    quarter = 0.25 * (longest.end - longest.start)
    a, b = warp.inverse([longest.start + quarter, longest.end - quarter])
    return float(2 * quarter / (b - a))


def code_of(notes: Any, code: str) -> Any:
    return next((n for n in notes if getattr(n, "code", "") == code), None)


@pytest.fixture(scope="module")
def jump() -> PhysicsModel:
    return PhysicsModel(samples.jump())


@pytest.mark.parametrize("factor", [1.5, 0.7])
def test_a_jump_of_another_speed_comes_back_to_gravity(factor: float) -> None:
    model = PhysicsModel(stretched(samples.jump(), factor))
    assert model.flights[0].gravity == pytest.approx(9.81 / factor**2, rel=0.1)
    warp = model.warp()
    assert flight_rate(model, warp) == pytest.approx(factor, rel=0.05)
    assert code_of(warp.notes, "gravity-corrected") is not None
    assert code_of(warp.notes, "length-from-gravity") is not None
    kept = PhysicsModel(stretched(samples.jump(), factor), gravity_from="recording")
    assert flight_rate(kept, kept.warp()) == pytest.approx(1.0, abs=0.02)
    assert code_of(kept.notes, "flights-kept") is not None


def test_a_length_that_is_asked_for_is_kept() -> None:
    slow = stretched(samples.jump(), 1.5)
    warp = physics(slow, duration=slow.duration).warp
    assert warp.duration == pytest.approx(slow.duration)


def test_gravity_is_believed_where_that_is_asked(jump: PhysicsModel) -> None:
    slightly = stretched(samples.jump(), 1.05)
    assert PhysicsModel(slightly).usual_speeds == pytest.approx(1.0)
    forced = PhysicsModel(slightly, gravity_from="gravity")
    assert forced.usual_speeds == pytest.approx(1.05**2, rel=0.05)


@pytest.mark.parametrize("part", ["left_upper_leg", "chest"])
def test_a_heavier_body_is_not_quicker_and_falls_alike(jump: PhysicsModel, part: str) -> None:
    heavy = jump.changed(mass_scale={part: 2.0})
    least, own = heavy.minimum_duration(), jump.minimum_duration()
    assert least is not None
    assert own is not None
    assert least > 0.97 * own
    assert flight_rate(heavy, heavy.warp(duration="free")) == pytest.approx(1.0, abs=0.01)
    assert not len(heavy.empty_frames)


def test_less_grip_is_slower_or_impossible() -> None:
    walk = PhysicsModel(samples.walk())
    least = walk.minimum_duration()
    ice = walk.changed(friction=0.05).minimum_duration()
    assert least is not None
    assert ice is None or ice > 1.05 * least


def test_facing_changes_nothing(jump: PhysicsModel) -> None:
    plain = samples.jump()
    for angle in (0.4, 1.1, 2.9):
        turn = retime.quat.from_axis_angle([0, 1, 0], angle)
        rotations = plain.rotations.copy()
        rotations[:, 0] = retime.quat.multiply(turn, rotations[:, 0])
        root = plain.skeleton.names[0]
        places = {root: retime.quat.rotate(turn, plain.translations[root])}
        turned = PhysicsModel(replace(plain, rotations=rotations, translations=places))
        assert turned.minimum_duration() == pytest.approx(jump.minimum_duration(), abs=1e-6)
        one, two = jump.warp(duration=2.4), turned.warp(duration=2.4)
        assert np.abs(one(two.output) - two.source).max() < 1e-6


def test_a_run_has_a_longest_duration_and_then_slow_motion() -> None:
    model = PhysicsModel(samples.toss(), cutoff=0)
    most = model.maximum_duration()
    assert most is not None
    warp = model.warp(duration=1.5 * most)
    assert warp.duration == pytest.approx(1.5 * most)
    assert code_of(warp.notes, "longer-than-possible") is not None
    with pytest.raises(InfeasibleError, match="longest feasible duration"):
        model.warp(duration=1.5 * most, infeasible="refuse")


@pytest.mark.parametrize("factor", [1.3, 2.0, 4.0])
@pytest.mark.parametrize("name", ["jump", "walk"])
def test_slow_downs_are_smooth_and_never_fail(name: str, factor: float) -> None:
    model = PhysicsModel(samples.sample(name).motion)
    warp = model.warp(duration=factor * model.motion.duration)
    assert warp.duration == pytest.approx(factor * model.motion.duration)
    rate = np.log(warp.rate(np.arange(*warp.domain, 1 / 60)))
    turns = sum(len(find_peaks(sign * rate, prominence=0.08)[0]) for sign in (-1, 1))
    assert turns / warp.duration <= 1
    optimum = next(n for n in warp.notes if "objective" in n)
    assert "local optimum" in optimum or "global" in optimum


def test_a_range_starts_and_ends_as_recorded() -> None:
    warp = physics(samples.jump(), range=(0.4, 1.2), duration=0.6, ripple=True).warp
    times = np.arange(*warp.domain, 1 / 60)
    assert np.abs(np.diff(warp.rate(times))).max() < 0.3


def test_steps_and_gap_are_told(jump: PhysicsModel) -> None:
    note = code_of(jump.warp(duration=2.4).notes, "optimum")
    assert note.values["gap"] < 1e-3
    assert f"after {note.values['steps']} iterations" in note


def test_the_objective_load_shows_a_load() -> None:
    walk = PhysicsModel(samples.walk())
    plain = walk.warp(duration="free", objective="load").duration
    loaded = walk.changed(mass_scale={"chest": 3.0}).warp(duration="free", objective="load")
    assert plain == pytest.approx(walk.motion.duration, rel=0.01)
    assert 1.02 < loaded.duration / plain < 1.25


def test_what_is_forgiven_is_told() -> None:
    model = PhysicsModel(samples.jump())
    note = code_of(model.notes, "forgiven")
    assert note is not None
    assert note.values["most"] < 1.0
    assert code_of(model.notes, "flights").values["flights"][0][2] == pytest.approx(9.81, rel=0.05)
