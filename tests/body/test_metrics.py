"""Measures, each on a motion whose value is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from motion_making import under_a_node
from retime import Contact, InputError, Motion, TimeWarp, apply, metrics, quat, samples, spline
from retime.body import find_body
from retime.motion.skeleton import Skeleton


def sliding(speed: float, height: float) -> Motion:
    """Slide the bundled figure, all still but for its way along the ground."""
    stands = samples.swing()
    frames = np.arange(61)
    root = np.tile(stands.root_translation[:1], (61, 1))
    root[:, 2] += speed * frames / 60
    root[30:, 1] += height
    return replace(
        stands, rotations=np.repeat(stands.rotations[:1], 61, axis=0), translations={"Hips": root}
    )


def test_foot_skate_of_a_slide_is_its_way() -> None:
    assert metrics.foot_skate(sliding(0.3, 0.0)) == pytest.approx(2 * 0.3)  # both feet


def test_feet_in_the_air_do_not_skate() -> None:
    walk = samples.walk()
    assert metrics.foot_skate(walk) < 0.02  # each swings at 2 m/s, a few centimetres up
    known = [Contact("LeftToe", 0.0, 0.5, "left_ball")]
    slid = metrics.skate_by_frame(sliding(0.3, 0.0), contacts=known)
    assert slid[:31].sum() == pytest.approx(0.15)
    assert slid[31:].sum() == 0


def test_plant_drift_is_the_farthest_stray() -> None:
    drift = metrics.plant_drift(sliding(0.3, 0.0), [Contact("LeftToe", 0.0, 1.0)])
    assert drift == pytest.approx([0.15])


@pytest.mark.parametrize("name", ["jump", "run", "toss"])
def test_known_flights_fall_freely(name: str) -> None:
    made = samples.sample(name)
    error = metrics.flight_error(made.motion)
    assert error.seconds > 0.8 * sum(b - a for a, b in made.flights) - 0.2
    assert error.mean < 0.02
    for start, end in metrics.flights(made.motion):
        assert any(a - 1 / 60 <= start and end <= b + 1 / 60 for a, b in made.flights)


def test_a_flight_at_double_speed_falls_four_times_as_fast() -> None:
    jump = samples.jump(fps=240)
    fast = apply(jump, TimeWarp([0, jump.duration / 2], [0, jump.duration]))
    assert metrics.flight_error(fast).mean == pytest.approx(3.0, abs=0.15)


def test_who_stands_is_not_in_flight() -> None:
    assert metrics.flights(samples.walk()) == []
    assert metrics.flight_error(samples.swing()) == metrics.FlightError(0.0, 0.0, 0.0)


def test_jerk_of_a_minimum_jerk_move_is_the_known_least() -> None:
    """Its squared jerk integrates to 720 L^2 / T^5, and its speed peaks at 1.875 L/T."""
    u = np.linspace(0, 1, 2001)
    place = np.zeros((2001, 3))
    place[:, 0] = u**3 * (10 - 15 * u + 6 * u**2)
    point = Skeleton(("Point",), np.array([-1]), np.zeros((1, 3)))
    move = Motion(point, quat.identity(2001, 1), {"Point": place}, fps=2000.0)
    assert metrics.jerk(move) == pytest.approx(-np.log(720 / 1.875**2), abs=1e-2)


def test_jerk_does_not_depend_on_size_or_speed() -> None:
    walk = samples.walk()
    larger = replace(walk, units=replace(walk.units, metres=3.0))
    slower = replace(walk, fps=30.0)
    assert metrics.jerk(larger) == pytest.approx(metrics.jerk(walk))
    assert metrics.jerk(slower) == pytest.approx(metrics.jerk(walk))


def test_noise_is_jerkier() -> None:
    walk = samples.walk()
    noise = quat.exp(0.01 * np.random.default_rng(1).normal(size=(*walk.rotations.shape[:2], 3)))
    shaken = replace(walk, rotations=quat.multiply(noise, walk.rotations))
    assert metrics.jerk(shaken) < metrics.jerk(walk) - 2


def test_warp_quality_of_known_warps() -> None:
    straight = metrics.warp_quality(TimeWarp([0, 4], [0, 2]))
    assert straight.largest_rate_change == pytest.approx(np.log(2))
    assert straight.bending == pytest.approx(0, abs=1e-12)
    assert straight.slope_change == pytest.approx(0, abs=1e-9)
    kink = metrics.warp_quality(TimeWarp([0, 1, 2], [0, 1, 3]))
    assert kink.slope_change == pytest.approx(1.0)
    # Within h = 1/60 s of the kink, p'' is (1 - |t|/h)/h: its square integrates to 2/(3h) = 40.
    assert kink.bending == pytest.approx(40, rel=0.05)
    held = metrics.warp_quality(TimeWarp([0, 1, 2], [0, 0, 1]))
    assert held.largest_rate_change == pytest.approx(np.log(1000))


def test_the_worst_channel_counts() -> None:
    warp = TimeWarp([0, 1], [0, 1], channels={"Hand": ([0, 1], [0, 3])})
    assert metrics.warp_quality(warp).largest_rate_change == pytest.approx(np.log(3))


def test_contacts_of_a_body_warp_are_kept() -> None:
    walk = samples.walk()
    warp = spline(walk, duration=5.5).warp
    timing = metrics.contact_timing(walk, apply(walk, warp), warp)
    assert timing.kept == 1
    assert timing.mean < 2 / 60


def test_deviation_from_the_truth() -> None:
    truth = TimeWarp([0, 2], [0, 2])
    late = TimeWarp([0, 2], [-0.1, 1.9])
    off = metrics.deviation(late, truth)
    assert (off.mean, off.worst, off.unnoticed) == pytest.approx((0.1, 0.1, 1.0))
    far = metrics.deviation(TimeWarp([0, 1, 2], [0, 1, 2.4]), truth)
    assert far.worst == pytest.approx(0.4)
    assert far.unnoticed == pytest.approx(1 - 0.625 / 2, abs=0.01)
    with pytest.raises(InputError, match="no times"):
        metrics.deviation(truth, truth, times=[])


def test_all_measures_are_explained() -> None:
    made = samples.sample("punches-slow")
    assert made.reference is not None
    found = metrics.measure(made.motion, source=made.reference, warp=made.warp, truth=made.warp)
    assert set(found) <= set(metrics.MEASURES)
    assert found["deviation_worst"] == 0
    assert found["unnoticed"] == 1


def test_a_figure_without_feet_is_judged_by_the_rest() -> None:
    found = metrics.measure(samples.chain())
    assert "foot_skate" not in found
    assert found["jerk"] < 0


def test_masses_sum_to_one_and_the_centre_is_inside() -> None:
    for name in ("walk", "toss", "chain"):
        motion = samples.sample(name).motion
        assert find_body(motion).mass_weights.sum() == pytest.approx(1)
    stands = samples.swing()
    height = find_body(stands).centre_of_mass(stands)[0, 1]
    assert 0.85 < height < 1.1


def test_contacts_of_every_turn_of_a_cycle_are_promised() -> None:
    walk = samples.walk()
    twice = TimeWarp([0, 2 * walk.duration], [0, 2 * walk.duration], loop=True)
    made = apply(walk, twice)
    # Short stances at the seam are two halves of one: only long ones are counted.
    with_warp = metrics.measure(made, source=walk, warp=twice, min_contact=0.25)
    assert with_warp["contacts"] == metrics.measure(made, min_contact=0.25)["contacts"]


def test_a_node_on_the_floor_is_no_foot() -> None:
    jump = samples.jump()
    assert metrics.flights(under_a_node(jump)) == metrics.flights(jump)
