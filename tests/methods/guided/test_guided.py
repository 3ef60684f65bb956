"""Guided time warping: what matters keeps its speed, requests are met exactly or refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

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
    guided,
    guided_signal_warp,
    positions,
    quat,
    samples,
    suggest_keytimes,
)
from retime.body.measure.metrics import flights
from retime.methods.guided import guide
from retime.methods.guided.activity import falling_flights


def test_a_jump_keeps_its_flight_and_loses_its_idle_time() -> None:
    made = samples.sample("jump")
    warp = guided(made.motion, duration=2.0).warp
    (start, end) = made.flights[0]
    shown = warp.preimage(start + 0.03, end - 0.03)
    assert shown is not None
    rate = warp.rate(np.linspace(*shown, 40))
    assert rate.min() > 0.95
    assert rate.max() < 1.05
    assert float(warp(0.2)) > 0.35  # idle time runs at nearly twice its speed


def test_a_jump_made_longer_keeps_its_flight() -> None:
    made = samples.sample("jump")
    warp = guided(made.motion, duration=5.0).warp
    (start, end) = made.flights[0]
    shown = warp.preimage(start + 0.03, end - 0.03)
    assert shown is not None
    rate = warp.rate(np.linspace(*shown, 40))
    assert np.abs(rate - 1).max() < 0.05


def test_the_same_length_is_no_change() -> None:
    jump = samples.jump()
    warp = guided(jump).warp
    t = np.linspace(0, jump.duration, 50)
    np.testing.assert_allclose(warp(t), t, atol=1e-9)


def test_keytimes_and_ends_are_exact() -> None:
    jump = samples.jump()
    keys = [(0.517, 0.9), (1.333, 1.871)]
    warp = guided(jump, duration=2.013, keytimes=keys).warp
    assert warp.domain == (0.0, 2.013)
    for output, source in keys:
        assert float(warp(output)) == source
    assert (np.diff(warp.source) > 0).all()
    for influence in (0.0, 0.4):
        mixed = guided(jump, duration=2.013, keytimes=keys, influence=influence).warp
        for output, source in keys:
            assert float(mixed(output)) == pytest.approx(source, abs=1e-9)


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
    here = guided(jump, duration=2.0).warp(t)
    np.testing.assert_allclose(
        guided(moved(jump, 2.1, 100.0), duration=2.0).warp(t), here, atol=1e-6
    )


def test_a_known_warp_is_undone_by_the_timing_of_another_stretch() -> None:
    """Slow punches, guided by the fast ones of the same boxer, come nearer to the fast ones."""
    made = samples.sample("punches-slow")
    assert made.reference is not None
    assert made.warp is not None
    end = made.reference.duration
    warp = guided(made.motion, reference=made.reference, duration=end).warp
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
    by_self, by_other = (guided(jump, duration=2.0, reference=r).warp(t) for r in (jump, other))
    assert np.abs(by_self - by_other).max() < 0.15
    with pytest.raises(InputError, match="shares too few joints"):
        guided(jump, duration=2.0, reference=samples.chain())


def test_references_may_be_files_and_folders(tmp_path: Path) -> None:
    jump = samples.jump()
    retime.write(jump, tmp_path / "one.npz")
    (tmp_path / "notes.txt").write_text("not a motion")
    (tmp_path / "broken.bvh").write_text("neither")
    t = np.linspace(0, 2, 40)
    expected = guided(jump, duration=2.0, reference=jump).warp(t)
    for reference in (tmp_path, str(tmp_path / "one.npz"), [tmp_path / "one.npz"]):
        np.testing.assert_allclose(
            guided(jump, duration=2.0, reference=reference).warp(t), expected
        )
    with pytest.raises(RetimeError, match="no such file"):
        guided(jump, reference=tmp_path / "absent.bvh")


def test_what_was_done_to_one_jump_by_hand_follows_in_the_rest() -> None:
    """Slow motion of one swing's reference range makes the same moves slow elsewhere (V7, V8)."""
    chain = samples.chain(duration=6.0)
    slow = TimeWarp([1.0, 2.5], [1.0, 2.0])  # 45 frames, as short as the paper's
    free = guided(chain, duration="free", reference_range=(1.0, 2.0), reference_warp=slow).warp
    # Fewer frames sum to less where none fits quite: a free length comes out somewhat short.
    assert free.duration == pytest.approx(9.0, rel=0.15)
    fixed = guided(chain, duration=9.0, reference_range=(1.0, 2.0), reference_warp=slow).warp
    assert np.median(fixed.rate(np.linspace(1, 8, 50))) == pytest.approx(2 / 3, abs=0.1)


def test_limits_of_speed_hold() -> None:
    jump = samples.jump()
    warp = guided(jump, duration=2.2, speed_limits=[(0.0, 0.7, 1.0, 1.0)]).warp
    shown = warp.preimage(0.05, 0.6)
    assert shown is not None
    assert np.abs(warp.rate(np.linspace(*shown, 30)) - 1).max() < 0.05
    limits: Any = {"duration": 4.5, "min_speed": 0.6, "max_speed": 1.2}
    slow = guided(jump, **limits).warp.rate(np.linspace(0.1, 4.4, 99))
    assert 0.58 < slow.min() <= slow.max() < 1.22
    other = guided(jump, reference=apply(jump, TimeWarp([0, 6.5], [0, 3.25])), **limits).warp
    slow = other.rate(np.linspace(0.1, 4.4, 99))
    assert 0.58 < slow.min() <= slow.max() < 1.22


def test_backwards_and_ranges_and_loops() -> None:
    jump = samples.jump()
    back = guided(jump, duration=2.0, backwards=True).warp
    assert (float(back(0.0)), float(back(2.0))) == (jump.duration, 0.0)
    part = guided(jump, range=(0.0, 0.8), duration=0.4, ripple=True).warp
    assert part.duration == pytest.approx(jump.duration - 0.4)
    t = np.linspace(0.5, 2.8, 20)
    np.testing.assert_allclose(part(t), t + 0.4, atol=1e-9)
    cycle = guided(samples.chain(duration=1.0), duration=1.5, loop=True).warp
    assert cycle.loop
    ends = cycle.rate([1e-3, 1.5 - 1e-3])
    assert ends[0] == pytest.approx(ends[1], abs=0.15)


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


def test_short_clips_get_a_sentence() -> None:
    jump = samples.jump()
    for frames in (1, 2):
        short = replace(
            jump,
            rotations=jump.rotations[:frames],
            translations={"Hips": jump.root_translation[:frames]},
        )
        with pytest.raises(InputError, match="too short"):
            guided(short, duration=1.0)


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
    first = guided(jump, duration=2.0, reference=str(place)).warp
    again = guided(jump, duration=2.0, reference=str(place)).warp
    assert again.output.tolist() == first.output.tolist()
    slow = retime.apply(jump, TimeWarp([0, 1.5, 4.75], [0, 1.5, 3.25]))
    retime.write(slow, place)
    second = guided(jump, duration=2.0, reference=str(place)).warp
    fresh = guided(samples.jump(), duration=2.0, reference=str(place)).warp
    np.testing.assert_allclose(second.output, fresh.output, atol=1e-9)
    assert np.abs(second.output - first.output).max() > 0.05


def test_a_signal_has_a_rate() -> None:
    with pytest.raises(InputError, match="samples per second"):
        retime.guided_signal_warp(np.zeros((9, 2)), fps=0)


def test_a_reference_may_stand_on_another_floor() -> None:
    jump = samples.jump()
    slow = apply(jump, TimeWarp([0, 1.3 * jump.duration], [0, jump.duration]))
    there = retime.guided(jump, duration=3.0, reference=slow).warp
    above = retime.guided(jump, duration=3.0, reference=raised(slow, 0.5)).warp
    times = np.linspace(0, 3, 61)
    np.testing.assert_allclose(above(times), there(times), atol=1e-9)


def test_a_reference_may_be_stored_with_other_axes() -> None:
    jump = samples.jump()
    slow = apply(jump, TimeWarp([0, 1.3 * jump.duration], [0, jump.duration]))
    turned = with_other_axes(slow, quat.from_axis_angle(np.array([1.0, 0, 0]), np.pi / 2))
    np.testing.assert_allclose(positions(turned), positions(slow), atol=1e-9)
    one, other = (retime.guided(jump, duration=3.0, reference=r).warp for r in (slow, turned))
    times = np.linspace(0, 3, 61)
    np.testing.assert_allclose(other(times), one(times), atol=0.02)


def test_a_node_above_the_hips_changes_nothing() -> None:
    jump = samples.jump()
    times = np.linspace(0, 2, 41)
    one, other = (retime.guided(m, duration=2.0).warp(times) for m in (jump, under_a_node(jump)))
    np.testing.assert_allclose(other, one, atol=1e-9)


def test_limits_hold_in_the_curve_too() -> None:
    jump = samples.jump()
    for slowest, fastest in ((1.0, 1.0), (2.0, 3.0)):
        limits = [(1.0, 1.8, slowest, fastest)]
        warp = retime.guided(jump, duration=0.7 * jump.duration, speed_limits=limits).warp
        times = np.linspace(*warp.domain, 400)
        inside = (warp(times) > 1.05) & (warp(times) < 1.75)
        rates = warp.rate(times)[inside]
        assert slowest - 0.05 < rates.min() <= rates.max() < fastest + 0.05


# ---- foreign references


def slowed(motion: retime.Motion, share: float) -> retime.Motion:
    return apply(motion, TimeWarp([0, motion.duration / share], [0, motion.duration]))


@pytest.mark.parametrize("share", [0.6, 0.8, 1.25, 1.6])
def test_a_clip_takes_the_pace_of_a_reference(share: float) -> None:
    walk = samples.walk()
    found = guide(walk, duration="free", reference=slowed(walk, share))
    assert found.warp.duration == pytest.approx(walk.duration / share, rel=0.05)
    assert "same-recording" in [n.code for n in found.warp.notes]


def test_its_own_timing_of_any_length_is_no_change() -> None:
    for motion in (samples.walk(), samples.jump()):
        assert guided(motion, duration="free").warp.duration == pytest.approx(
            motion.duration, rel=0.01
        )


def test_foreign_timing_goes_through_keytimes() -> None:
    jump = samples.jump()
    slow = slowed(jump, 0.7)
    keys = [(0.517, 0.9), (1.333, 1.471)]
    for length in (None, 3.013, "free"):
        warp = guided(jump, duration=length, keytimes=keys, reference=slow).warp
        assert [float(warp(o)) for o, _ in keys] == [s for _, s in keys]
        assert warp.source[-1] == jump.duration
        assert (np.diff(warp.source) > 0).all()
        if isinstance(length, float):
            assert warp.duration == pytest.approx(length, abs=1e-12)
    with pytest.raises(InfeasibleError, match="these cannot all be true"):
        guided(jump, duration=3.0, speed_limits=[(0.0, 3.25, 2.0, 3.0)], reference=slow)
    with pytest.raises(InfeasibleError, match="choose a duration of"):
        guided(jump, duration=0.3, reference=slow)


def test_foreign_timing_of_ranges_loops_and_backwards() -> None:
    jump = samples.jump()
    slow = slowed(jump, 0.7)
    part = guided(jump, range=(0.5, 2.5), duration="free", ripple=True, reference=slow).warp
    assert part.duration > jump.duration + 0.3
    assert float(part(0.4)) == pytest.approx(0.4)
    back = guide(jump, duration="free", backwards=True, reference=slow)
    ahead = guide(jump, duration="free", reference=slow)
    assert back.warp.duration == pytest.approx(ahead.warp.duration, rel=0.02)
    assert float(back.warp(0.0)) == jump.duration
    assert back.pace is not None
    assert ahead.pace is not None
    np.testing.assert_allclose(back.pace.likeness, ahead.pace.likeness)
    chain = samples.chain(duration=1.0)
    cycle = guided(chain, duration="free", loop=True, reference=slowed(chain, 0.8)).warp
    ends = cycle.rate([1e-3, cycle.duration - 1e-3])
    assert ends[0] == pytest.approx(ends[1], abs=0.1)


@pytest.mark.parametrize(
    "asked",
    [
        {"duration": 3.0, "max_speed": 1.6},
        {"duration": 3.4, "max_speed": 1.4, "keytimes": [(1.5, 1.9)]},
        {"duration": 3.3, "min_speed": 1.1, "max_speed": 1.5},
    ],
)
def test_the_delivered_curve_keeps_the_limits_between_its_knots_too(asked: dict[str, Any]) -> None:
    warp = guided(samples.walk(), **asked).warp
    times = np.linspace(*warp.domain, 5001)
    rate = np.diff(warp(times)) / np.diff(times)
    assert rate.max() < 1.01 * asked["max_speed"]
    assert rate.min() > 0.99 * asked.get("min_speed", 0.0)


# ---- what the formulation promises


@pytest.mark.parametrize("share", [0.5, 0.8, 1.4, 3.0])
@pytest.mark.parametrize("strength", [0.0, 0.4, 1.0])
def test_speed_changes_gradually_and_costs_no_more_than_uniform_speed(
    share: float, strength: float
) -> None:
    walk = samples.walk()
    found = guide(walk, duration=share * walk.duration, strength=strength)
    assert found.costs["guided"] <= 1.05 * found.costs["uniform"]
    times = np.arange(*found.warp.domain, 1 / 30)
    assert np.abs(np.diff(found.warp.rate(times))).max() < 0.2 / share


def test_strength_goes_from_uniform_speed_to_keeping_actions() -> None:
    walk = samples.walk()
    uniform = guided(walk, duration=3.0, strength=0.0).warp
    np.testing.assert_allclose(uniform.rate(uniform.output[:-1]), walk.duration / 3.0, atol=1e-6)
    jump = samples.jump()
    kept = []
    for strength in (0.1, 0.4, 1.0):
        warp = guided(jump, duration=2.0, strength=strength).warp
        idle, crouch = (warp.inverse(b) - warp.inverse(a) for a, b in ((0.0, 0.6), (1.0, 1.4)))
        kept.append(crouch / idle)
    assert kept == sorted(kept)


def test_the_middle_influence_is_the_mean_of_spline_and_guided() -> None:
    jump = samples.jump()
    spline = retime.spline(jump, duration=2.0, keytimes=[(0.6, 0.9)]).warp
    made = [
        guided(jump, duration=2.0, keytimes=[(0.6, 0.9)], influence=w).warp for w in (0, 0.5, 1.0)
    ]
    source = np.linspace(0, jump.duration, 60)
    np.testing.assert_allclose(made[0].inverse(source), spline.inverse(source), atol=1e-9)
    mean = (made[0].inverse(source) + made[2].inverse(source)) / 2
    np.testing.assert_allclose(made[1].inverse(source), mean, atol=1e-9)


def test_backwards_is_the_exact_mirror() -> None:
    jump = samples.jump()
    end = jump.duration
    mirrored = apply(jump, TimeWarp([0, end], [end, 0]))
    back = guided(jump, duration=2.0, backwards=True, keytimes=[(0.5, 2.0)]).warp
    ahead = guided(mirrored, duration=2.0, keytimes=[(0.5, end - 2.0)]).warp
    t = np.linspace(0, 2, 100)
    np.testing.assert_allclose(back(t), end - ahead(t), atol=2e-3)


def test_locked_spans_and_rates_are_exact() -> None:
    jump = samples.jump()
    for influence in (0.0, 0.5):
        warp = guided(jump, duration=2.5, locked=[(0.3, 0.6)], influence=influence).warp
        assert float(warp.inverse(0.6) - warp.inverse(0.3)) == pytest.approx(0.3, abs=1e-9)
    warp = guided(jump, duration=2.5, locked=[(0.3, 0.6)], rates=[(2.8, 1.5)]).warp
    inside = warp.inverse(np.linspace(0.3, 0.6, 20))
    np.testing.assert_allclose(np.diff(inside), 0.3 / 19, atol=1e-12)
    assert float(warp.rate(warp.inverse(2.8))) == pytest.approx(1.5, abs=1e-9)


def test_seams_of_a_range_go_on_at_the_recorded_speed() -> None:
    walk = samples.walk()
    warp = guided(walk, range=(0.8, 2.4), duration=1.1, ripple=True).warp
    for moment, side in ((0.8, 1), (2.4, -1)):
        at = float(warp.inverse(moment))
        near = warp.rate(np.linspace(at, at + side * 0.033, 20))
        assert np.abs(near[1:] - 1).mean() < 0.1


def test_hurried_flights_are_said() -> None:
    warp = guided(samples.jump(), duration=0.6).warp
    (note,) = (n for n in warp.notes if n.code == "flights-hurried")
    assert note.values["worst"] > 1.05


def test_an_edited_flight_is_copied_to_flights_like_it() -> None:
    one = samples.sample("jump")
    twice = retime.concatenate([one.motion, one.motion])
    (start, end), shift = one.flights[0], one.motion.duration + 1 / one.motion.rate
    slow = TimeWarp(
        [0, start, end + (end - start), twice.duration + end - start],
        [0, start, end, twice.duration],
    )
    options: Any = {"reference_warp": slow, "reference_range": (start - 0.05, end + 0.05)}
    warp = guided(twice, duration="free", **options).warp

    def lasts(a: float, b: float) -> float:
        return float(warp.inverse(b) - warp.inverse(a)) / (b - a)

    assert lasts(start, end) == pytest.approx(2.0, rel=0.1)
    assert lasts(start + shift, end + shift) == pytest.approx(2.0, rel=0.1)
    (note,) = (n for n in warp.notes if n.code == "like-flights")
    ((moment, like),) = note.values["flights"]
    assert start + shift < moment < end + shift
    assert like > 0.9
    warp = guided(twice, duration="free", except_flights=[moment], **options).warp
    assert lasts(start + shift, end + shift) == pytest.approx(1.0, rel=0.02)
    (note,) = (n for n in warp.notes if n.code == "like-flights")
    assert "copied to 0 of 1 other flights; left alone:" in note
    assert "flights-hurried" not in [n.code for n in warp.notes]  # the edit asked for it


def test_another_take_does_not_change_the_time_of_flights() -> None:
    made = samples.sample("jump")
    warp = guided(made.motion, duration="free", reference=slowed(samples.punches(), 0.6)).warp
    start, end = made.flights[0]
    assert float(warp.inverse(end) - warp.inverse(start)) == pytest.approx(end - start, rel=0.05)


def test_a_body_that_hangs_has_no_flights() -> None:
    """Its feet touch nothing, but it does not fall."""
    made = samples.sample("jump")
    assert falling_flights(made.motion) == flights(made.motion)
    (start, end) = made.flights[0]
    air = made.motion.between(start + 0.05, end - 0.05)
    place = np.repeat(air.root_translation[:1], len(air), axis=0)
    assert falling_flights(replace(air, translations={"Hips": place})) == []


def test_a_short_reference_is_doubtful() -> None:
    walk = samples.walk()
    warp = guided(samples.punches(), duration="free", reference=walk).warp
    assert "doubtful-reference" in [n.code for n in warp.notes]
