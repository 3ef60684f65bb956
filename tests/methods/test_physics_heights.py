"""Flights that keep their timing and go higher instead."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import retime
from retime import InfeasibleError, Motion, PhysicsModel, Recipe, TimeWarp, apply, samples
from retime.body.solve.flights import flight_offsets
from retime.evaluate import Evaluator, Job
from retime.recipe import Step


def evaluated(motion: Motion, **parameters: Any) -> Any:
    return Evaluator().evaluate(Job(source=motion, recipe=Recipe([Step("physics", parameters)])))


def slowed(factor: float) -> Motion:
    start, end = samples.jump().domain
    return apply(samples.jump(), TimeWarp([start, factor * end], [start, end]))


def test_offsets_are_parabolas_that_begin_and_end_gently() -> None:
    times = np.linspace(0, 3, 3001)
    offset = flight_offsets(times, [(0.5, 1.0), (1.2, 1.6)], [9.81, -2.5])
    bend = np.gradient(np.gradient(offset, times), times)
    assert np.allclose(bend[(times > 0.51) & (times < 0.99)], -9.81, atol=0.05)
    assert np.allclose(bend[(times > 1.21) & (times < 1.59)], 2.5, atol=0.05)
    assert np.abs(offset[(times < 0.19) | (times > 1.91)]).max() == 0
    assert np.abs(np.diff(np.gradient(offset, times))).max() < 0.15  # no jump of the speed


@pytest.mark.parametrize(("factor", "gravity"), [(1.4, 9.81), (1.0, 4.9), (1.0, 16.0)])
def test_a_jump_keeps_its_time_and_changes_its_height(factor: float, gravity: float) -> None:
    motion = slowed(factor)
    found = evaluated(motion, fit_flights="height", gravity=gravity)
    assert found.motion.duration == pytest.approx(motion.duration, abs=1e-9)
    before, after = PhysicsModel(motion), PhysicsModel(found.motion, gravity_from="recording")
    flight = max(after.flights, key=lambda f: f.end - f.start)
    assert flight.gravity == pytest.approx(gravity, rel=0.1)
    high = [retime.positions(m)[:, 0, 1] for m in (motion, found.motion)]
    assert (high[1].max() > high[0].max()) == (gravity > before.flights[0].gravity)
    # Rotations in flight stay, and feet that stood stay.
    middle = slice(flight.first + 12, flight.past - 12)
    assert np.allclose(motion.rotations[middle, 0], found.motion.rotations[middle, 0], atol=1e-9)
    feet = [retime.positions(m)[:, m.skeleton.index("LeftToe")] for m in (motion, found.motion)]
    stands = before.times < flight.start - 0.2
    assert np.abs(feet[1] - feet[0])[stands].max() < 0.03
    assert any(getattr(n, "code", "") == "flight-heights" for n in found.notes)


def test_a_jump_that_travels_keeps_its_speed_over_the_ground() -> None:
    motion = slowed(1.4)
    (flight,) = (f for f in PhysicsModel(motion, gravity_from="recording").flights if f.clear)
    far = []
    for fit in ("height", "travel"):
        found = evaluated(motion, fit_flights=fit).motion
        hips = retime.positions(found)[:, 0][:, [0, 2]]
        inside = (found.times > flight.start) & (found.times < flight.end)
        far.append(float(np.linalg.norm(np.ptp(hips[inside], axis=0))))
        for name in ("LeftToe", "RightToe"):  # planted feet stay where they are
            toe = retime.positions(found)[:, found.skeleton.index(name)]
            for when in (found.times < flight.start - 0.3, found.times > flight.end + 0.5):
                assert np.ptp(toe[when][:, [0, 2]], axis=0).max() < 0.03
    # The clip is 1.4 times as long, so that the true flight was 1.4 times as fast.
    assert far[1] == pytest.approx(1.4 * far[0], rel=0.03)


def test_a_jump_that_no_person_can_make_is_refused() -> None:
    with pytest.raises(InfeasibleError, match=r"would have to rise 2.0 m; a person flies 0.989 s"):
        evaluated(slowed(2.5), fit_flights="height")
    # A weaker gravity makes the same flight a small jump.
    assert evaluated(slowed(2.5), fit_flights="height", gravity="moon").motion.duration > 8


def test_a_motion_without_flights_is_left_as_it_is() -> None:
    found = evaluated(samples.walk(), fit_flights="height")
    assert np.allclose(found.motion.rotations, samples.walk().rotations, atol=1e-6)
