"""Free lengths, lengths that are too short, and clips with one flight that is off."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retime import (
    InfeasibleError,
    InputError,
    Motion,
    PhysicsModel,
    TimeWarp,
    apply,
    physics,
    samples,
)
from retime.methods.physics import PhysicsParameters, feasible_durations
from retime.notes import Note
from retime.parameters import build

HEAVIER: dict[str, dict[str, Any]] = {
    "leg": {"mass_scale": {"left_upper_leg": 3.0, "left_lower_leg": 3.0}},
    "arm": {"mass_scale": {"left_upper_arm": 3.0, "left_lower_arm": 3.0}},
    "backpack": {"load": [("backpack", 15.0)]},
    "heavy backpack": {"load": [("backpack", 30.0)]},
}


@cache
def model(name: str) -> PhysicsModel:
    return PhysicsModel(samples.sample(name).motion)


def rates(warp: TimeWarp) -> Any:
    start, end = warp.domain
    return warp.rate(np.linspace(start + 1e-6, end - 1e-6, 400))


def change(warp: TimeWarp) -> float:
    """Return the largest change of the playback speed in 33 ms of the result."""
    times = np.arange(warp.domain[0] + 1e-6, warp.domain[1] - 1e-6, 1 / 120)
    rate = warp.rate(times)
    return float(np.abs(rate[4:] - rate[:-4]).max())


def refusal(call: Callable[[], Any]) -> Note:
    with pytest.raises(InfeasibleError) as told:
        call()
    note = told.value.args[0]
    assert isinstance(note, Note)
    return note


# ---- recorded truth and free lengths


@pytest.mark.parametrize("name", ["jump", "walk", "toss", "chain"])
@pytest.mark.parametrize("length", [None, "free", "own"])
def test_the_recorded_timing_is_the_answer_where_nothing_changes(name: str, length: Any) -> None:
    own = model(name)
    duration = own.motion.duration if length == "own" else length
    assert np.abs(rates(own.warp(duration=duration)) - 1).max() < 0.01


@pytest.mark.parametrize(
    ("part", "objective"),
    [
        (part, objective)
        for part in HEAVIER
        for objective in ("auto", "match", "load")
        # Matching the recorded torques, a heavy leg may also swing faster.
        if (part, objective) != ("leg", "match")
    ],
)
@pytest.mark.parametrize("name", ["jump", "walk"])
def test_heavier_is_slower(name: str, part: str, objective: Any) -> None:
    plain = model(name).warp(duration="free").duration
    heavier = model(name).changed(**HEAVIER[part])
    assert heavier.warp(duration="free", objective=objective).duration > plain * 1.001


@pytest.mark.parametrize("name", ["jump", "walk"])
@pytest.mark.parametrize("world", [{"friction": 0.1}, {"friction": 0.3}, {"strength": 0.5}])
def test_ice_and_weakness_never_make_a_clip_faster(name: str, world: dict[str, Any]) -> None:
    plain = model(name).warp(duration="free").duration
    assert model(name).changed(**world).warp(duration="free").duration > plain * 0.9995


def test_the_least_effort_is_not_above_the_recorded() -> None:
    walk = model("walk")
    nodes, easy = walk.solve(duration="free", objective="effort")

    def cost(b: Any) -> float:
        y, x = np.diff(b) / (2 * np.diff(nodes)), (b[1:] + b[:-1]) / 2
        total = 0.0
        for at in (slice(None, -1), slice(1, None)):
            e = walk.effort()
            torque = e.still[at] + e.speed[at] * x[:, None] + e.change[at] * y[:, None]
            total += float(((torque / walk.limits[at, 6:]) ** 2).sum(axis=1) @ (1 / np.sqrt(x)))
        return total

    assert cost(easy.square_speed) < cost(np.ones(len(nodes)))


def test_a_clip_whose_length_is_not_feasible_gets_one_that_is() -> None:
    moon = model("jump").changed(gravity=1.62)
    least = moon.minimum_duration()
    assert least is not None
    warp = moon.warp()
    assert warp.duration > least > samples.jump().duration
    assert any(n.code == "length-from-gravity" for n in warp.notes)


# ---- keytimes


@given(st.sampled_from(["jump", "walk"]), st.floats(0.2, 0.8), st.floats(-0.1, 0.1), st.data())
@settings(max_examples=15)
def test_a_keytime_never_lowers_the_optimum(name: str, at: float, by: float, data: Any) -> None:
    own = model(name)
    length = data.draw(st.sampled_from(["free", 0.9 * own.motion.duration]))
    nodes, best = own.solve(duration=length)
    frame = int(at * len(nodes))
    moment = best.times[frame] + by * best.times[-1]
    try:
        _, found = own.solve(duration=length, keytimes=[(moment, nodes[frame])])
    except InfeasibleError:
        return
    assert found.objective >= best.bound * (1 - 1e-6) - 1e-9


def test_a_locked_span_keeps_its_speed() -> None:
    walk = model("walk")
    warp = walk.warp(duration=0.9 * walk.motion.duration, locked=[(1.0, 2.0)])
    assert np.ptp(warp.inverse(np.array([1.0, 2.0]))) == pytest.approx(1.0, abs=1e-6)
    assert warp.duration == pytest.approx(0.9 * walk.motion.duration)
    with pytest.raises(InputError, match="locked span"):
        walk.warp(locked=[(3.0, 99.0)])


# ---- too short


def test_a_length_that_is_too_short_is_refused_with_one_that_is_not() -> None:
    jump = model("jump")
    note = refusal(lambda: jump.warp(duration=1.5))
    assert note.code == "shorter-than-possible"
    assert note.remedy is not None
    assert note.remedy.parameter == "duration"
    warp = jump.warp(duration=note.remedy.value)
    assert jump.distances(jump.timing_of(warp)).max() <= 0.05


def test_a_little_too_short_is_solved_with_flights_as_they_are() -> None:
    jump = model("jump")
    least = jump.minimum_duration()
    assert least is not None
    warp = jump.warp(duration=0.86 * least)
    assert warp.duration == pytest.approx(0.86 * least)
    assert change(warp) < 0.4
    flight = jump.timing_of(warp)[jump.flight, 1]
    assert np.abs(np.sqrt(flight[3:-3]) - 1).max() < 0.03
    (told,) = (n for n in warp.notes if n.code == "beyond-feasible")
    assert told.values["size"] > 0
    assert "slightly" not in told


def test_what_to_do_beyond_the_limits_can_be_chosen() -> None:
    jump = model("jump")
    least = jump.minimum_duration()
    assert least is not None
    refusal(lambda: jump.warp(duration=0.95 * least, infeasible="refuse"))
    even = jump.warp(duration=0.6 * least, infeasible="even")
    (fast,) = (n for n in even.notes if n.code == "fast-motion")
    assert fast.values["factor"] == pytest.approx(1.1 / 0.6)
    assert change(even) < 0.4
    fall = np.median(jump.timing_of(even)[jump.flight, 1])
    assert fall == pytest.approx((1.1 / 0.6) ** 2, rel=0.05)
    flights = jump.warp(duration=0.8 * least, infeasible="flights")
    assert change(flights) < 0.4
    middle = jump.timing_of(flights)[jump.flight, 1][5:-5]
    assert np.abs(np.sqrt(middle) - 1).max() < 0.1


def test_a_keytime_that_is_too_early_is_refused_with_a_later_one() -> None:
    jump = model("jump")
    note = refusal(lambda: jump.warp(keytimes=[(0.5, 1.5)]))
    assert note.remedy is not None
    assert note.remedy.parameter == "keytimes"
    assert note.values["end"] == pytest.approx(1.5)
    # The same for the part after it, whose remedy is the duration.
    note = refusal(lambda: jump.warp(keytimes=[(2.9, 1.5)]))
    assert note.remedy is not None
    assert note.remedy.parameter == "duration"
    warp = jump.warp(keytimes=[(2.9, 1.5)], duration=note.remedy.value)
    assert float(warp(2.9)) == pytest.approx(1.5)


def test_a_range_is_refused_by_what_its_seams_leave() -> None:
    motion = samples.jump()
    part: dict[str, Any] = {"range": (0.5, 2.5), "ripple": True}
    note = refusal(lambda: physics(motion, duration=0.8, **part).warp)
    least = note.values["least"]
    alone = PhysicsModel(
        apply(motion, TimeWarp.identity(*motion.domain), times=np.arange(0.5, 2.5, 1 / 60))
    ).minimum_duration()
    assert alone is not None
    assert least > alone * 1.02
    assert physics(motion, duration=1.02 * least, **part).warp.duration < motion.duration


@pytest.mark.parametrize("span", [(0.4, 1.9), (0.5, 2.5), (0.1, 0.9)])
def test_the_rate_changes_little_in_a_range(span: tuple[float, float]) -> None:
    motion = samples.jump()
    part: dict[str, Any] = {"range": span, "ripple": True}
    note = refusal(lambda: physics(motion, duration=0.2, infeasible="refuse", **part).warp)
    least, _ = feasible_durations(motion, build(PhysicsParameters, part))
    assert note.values["least"] == pytest.approx(least)
    assert change(physics(motion, duration=1.1 * note.values["least"], **part).warp) <= 0.25


def test_a_locked_span_bounds_the_shortest_length() -> None:
    jump = model("jump")
    plain = jump.minimum_duration()
    assert plain is not None
    note = refusal(lambda: jump.warp(duration=1.0, locked=[(0.2, 1.2)]))
    assert note.values["least"] > plain * 1.1
    assert note.remedy is not None
    jump.warp(duration=note.remedy.value, locked=[(0.2, 1.2)], infeasible="refuse")


@pytest.mark.parametrize("name", ["jump", "walk", "toss", "chain"])
@pytest.mark.parametrize("length", [0.01, 1000.0])
def test_a_length_that_is_offered_is_possible(name: str, length: float) -> None:
    note = refusal(lambda: model(name).warp(duration=length, infeasible="refuse"))
    assert note.remedy is not None
    model(name).warp(duration=note.remedy.value, infeasible="refuse")


@pytest.mark.parametrize(("moment", "rate"), [(1.65, 2.0), (1.65, 0.3), (1.0, 5.0)])
def test_a_speed_that_is_offered_is_possible(moment: float, rate: float) -> None:
    jump = model("jump")
    note = refusal(lambda: jump.warp(duration="free", rates=[(moment, rate)], infeasible="refuse"))
    assert note.code == "rate-not-possible"
    nearest = float(np.clip(rate, note.values["least"], note.values["most"]))
    jump.warp(duration="free", rates=[(moment, nearest)], infeasible="refuse")


def test_limits_that_nothing_meets_are_named() -> None:
    weak = PhysicsModel(samples.jump(), torque_limits={"left_lower_leg": 8.0})
    (told,) = (n for n in weak.warp().notes if n.code == "nothing-feasible")
    assert "LeftLeg would need" in told
    refusal(lambda: weak.warp(infeasible="refuse"))


# ---- one flight


def slowed(motion: Motion, factor: float, start: float, end: float) -> Motion:
    """Return a motion with a part that lasts longer by a factor, with ramps of 40 ms."""
    times = np.linspace(*motion.domain, 2000)
    inside = np.clip((times - start) / 0.04 + 0.5, 0, 1) * np.clip((end - times) / 0.04 + 0.5, 0, 1)
    rate = 1 + (factor - 1) * inside**2 * (3 - 2 * inside)
    spent = np.diff(times) * (rate[1:] + rate[:-1]) / 2
    return apply(motion, TimeWarp(np.r_[0.0, np.cumsum(spent)], times))


def test_one_flight_corrects_a_clip_that_was_slowed() -> None:
    motion = samples.jump()
    own = motion.duration
    slow = apply(motion, TimeWarp([0, 1.5 * own], motion.domain))
    warp = physics(slow).warp
    assert warp.duration == pytest.approx(own, rel=0.05)
    (told,) = (n for n in warp.notes if n.code == "gravity-corrected")
    assert told.remedy is not None
    assert told.remedy.value == "flights"
    near = physics(slow, gravity_from="flights").warp.duration
    assert near > 1.25 * own


def test_one_fast_flight_leaves_the_rest_of_the_clip() -> None:
    motion = samples.jump()
    (flight,) = (f for f in model("jump").flights if f.clear)
    fast = slowed(motion, 0.65, flight.start, flight.end)
    warp = physics(fast).warp
    assert warp.duration == pytest.approx(motion.duration, rel=0.08)
    (told,) = (n for n in warp.notes if n.code == "gravity-corrected")
    assert told.remedy is not None
    assert told.remedy.value == "gravity"
    assert physics(fast, gravity_from="gravity").warp.duration > 1.2 * motion.duration


# ---- parts of the world


def test_a_shifted_centre_still_falls() -> None:
    shifted = PhysicsModel(samples.jump(), centre_shift=[("chest", (0.0, 0.1, 0.0))])
    assert shifted.minimum_duration() is not None
    assert not any(n.code == "nothing-feasible" for n in shifted.warp(duration="free").notes)
