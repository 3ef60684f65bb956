"""Secondary motion: springs give their analytic response, and all else stays."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from retime import InputError, Motion, Recipe, Skeleton, Step, Units, positions, quat, samples
from retime.arrays import FloatArray
from retime.body import find_body
from retime.body.contacts import detect_contacts
from retime.methods.secondary import Follower, loose_joints

SIZE, OWN = 0.6, 2 * np.pi * 0.8


def swing(fps: float, seconds: float = 4.0) -> Motion:
    """A root that rests and a rod that swings about an axis across it, with a tip."""
    times = np.arange(round(seconds * fps) + 1) / fps
    axis = np.array([0.6, 0.0, 0.8])
    rotations = quat.identity(len(times), 3)
    rotations[:, 1] = quat.from_axis_angle(axis, SIZE * np.sin(OWN * times))
    skeleton = Skeleton(("Root", "Rod", "Tip"), np.array([-1, 0, 1]), np.eye(3))
    return Motion(
        skeleton, rotations, {"Root": np.zeros((len(times), 3))}, fps=fps, units=Units(1.0, "Y", "")
    )


def response(times: FloatArray, frequency: float, damping: float) -> FloatArray:
    """The angle of a spring that starts with the swing, from the transfer function."""
    omega = 2 * np.pi * frequency
    gain = omega**2 / (omega**2 - OWN**2 + 2j * damping * omega * OWN)

    def steady(t: FloatArray) -> FloatArray:
        return np.asarray((SIZE * gain * np.exp(1j * OWN * t)).imag)

    speed = float((SIZE * gain * 1j * OWN).imag)
    # What is left of the start decays by itself: roots of s^2 + 2 d w s + w^2.
    place, rate = -float(steady(np.zeros(1))[0]), SIZE * OWN - speed
    if damping == 1:
        decay = (place + (rate + omega * place) * times) * np.exp(-omega * times)
        return steady(times) + decay
    one, two = np.roots([1, 2 * damping * omega, omega**2]).astype(complex)
    a = (rate - two * place) / (one - two)
    decay = a * np.exp(one * times) + (place - a) * np.exp(two * times)
    return np.asarray(steady(times) + decay.real)


def followed(times: FloatArray, *springs: tuple[float, float]) -> FloatArray:
    """The angle of the last of a chain of springs: its lag beside the one above is below 1 rad."""
    swung = SIZE * np.sin(OWN * times)
    lag = np.zeros(len(times))
    for frequency, damping in springs:
        lag = lag + np.tanh(response(times, frequency, damping) - swung - lag)
    return np.asarray(swung + lag)


def angle_of(motion: Motion, joint: int = 1) -> FloatArray:
    """The rod's angle about the swing's axis; nothing may turn about another."""
    vectors = quat.log(motion.rotations[:, joint])
    along = vectors @ np.array([0.6, 0.0, 0.8])
    across = vectors - along[:, None] * np.array([0.6, 0.0, 0.8])
    assert np.abs(across).max() < 1e-9
    return np.asarray(along)


def evaluated(motion: Motion, *steps: tuple[str, dict[str, Any]]) -> Motion:
    return Recipe([Step(m, p) for m, p in steps]).evaluate(motion)


@pytest.mark.parametrize("fps", [24.0, 30.0, 120.0])
@pytest.mark.parametrize("damping", [0.2, 1.0, 1.8])
def test_a_swing_gets_its_analytic_response(fps: float, damping: float) -> None:
    motion = swing(fps)
    out = evaluated(motion, ("secondary", {"joints": ["Rod"], "frequency": 2, "damping": damping}))
    wanted = followed(motion.times, (2.0, damping))
    assert np.abs(angle_of(out) - wanted).max() < 1e-6
    assert np.abs(wanted - SIZE * np.sin(OWN * motion.times)).max() > 0.1


def test_the_response_does_not_depend_on_the_frame_rate() -> None:
    step = "secondary", {"joints": ["Rod"], "frequency": 1.5, "damping": 0.3}
    one, two = (angle_of(evaluated(swing(fps), step)) for fps in (30.0, 120.0))
    assert np.abs(one - two[::4]).max() < 1e-6


def test_ends_of_a_chain_come_later() -> None:
    motion = swing(60.0)
    values = {"joints": ["Rod"], "frequency": 2.0, "damping": 1.0, "drag": 0.3}
    out = evaluated(motion, ("secondary", values))
    whole = quat.multiply(out.rotations[:, 1], out.rotations[:, 2])
    tip = quat.log(whole) @ np.array([0.6, 0.0, 0.8])
    assert np.abs(tip - followed(motion.times, (2.0, 1.0), (1.4, 1.0))).max() < 1e-6


def test_a_chain_has_numbers_of_its_own() -> None:
    motion = swing(60.0)
    values = {"joints": ["Rod"], "chains": [("Rod", 3.0, 0.5)]}
    out = evaluated(motion, ("secondary", values))
    assert np.abs(angle_of(out) - followed(motion.times, (3.0, 0.5))).max() < 1e-6


@pytest.mark.parametrize("damping", [0.3, 1.0])
def test_parts_overshoot_only_below_critical_damping(damping: float) -> None:
    times = np.linspace(0, 4, 241)
    u = np.clip(times / 0.3, 0, 1)
    ramp = (u**3 * (10 - 15 * u + 6 * u * u))[:, None]
    follows = ramp + Follower(2.0, damping).lag(times, ramp)
    assert (follows.max() > 1.05) == (damping < 1)
    assert abs(follows[-1, 0] - 1) < 1e-2  # it settles


def test_noise_in_the_first_frames_does_not_swing_a_spring() -> None:
    times = np.arange(481) / 120
    noise = np.radians(0.1) * np.random.default_rng(3).standard_normal((481, 40))
    swung = Follower(3.0, 0.3).lag(times, noise)
    assert np.degrees(swung.std(axis=1).max()) < 0.8  # 4.9 with the speed between two frames


@pytest.mark.parametrize("values", [{"strength": 0.0}, {"strength": 0.0, "frequency": 1.0}])
def test_strength_0_changes_nothing(values: dict[str, Any]) -> None:
    walk = samples.walk()
    out = evaluated(walk, ("secondary", values))
    assert np.array_equal(out.rotations, walk.rotations)
    assert np.array_equal(out.root_translation, walk.root_translation)
    off = Recipe([Step("secondary", {"strength": 1.0}, weight=0.0)]).evaluate(walk)
    assert np.array_equal(off.rotations, walk.rotations)


def test_only_what_is_chosen_follows() -> None:
    walk = samples.walk()
    out = evaluated(walk, ("secondary", {"joints": ["RightArm"], "constraints": "free"}))
    moved = (out.rotations != walk.rotations).any(axis=(0, 2))
    below = [walk.skeleton.index(n) for n in ("RightArm", "RightForeArm", "RightHand")]
    assert set(np.flatnonzero(moved)) == set(below)
    body = find_body(walk)
    names = {walk.skeleton.names[j] for j in loose_joints(body)}
    assert names == {"LeftArm", "RightArm"}


def test_heading_and_axes_do_not_matter() -> None:
    walk = samples.walk()
    step = "secondary", {"constraints": "free"}
    turn = quat.from_axis_angle([0, 1, 0], 1.1)
    rotations = walk.rotations.copy()
    rotations[:, 0] = quat.multiply(turn, rotations[:, 0])
    turned = replace(
        walk,
        rotations=rotations,
        translations={"Hips": quat.rotate(turn, walk.translations["Hips"])},
    )
    one, two = evaluated(walk, step), evaluated(turned, step)
    np.testing.assert_allclose(two.rotations[:, 1:], one.rotations[:, 1:], atol=1e-9)
    up = quat.from_axis_angle([1, 0, 0], np.pi / 2)
    rotations = walk.rotations.copy()
    rotations[:, 0] = quat.multiply(up, rotations[:, 0])
    tilted = replace(
        walk,
        rotations=rotations,
        translations={"Hips": quat.rotate(up, walk.translations["Hips"])},
        units=Units(walk.units.metres, "Z", "declared"),
    )
    three = evaluated(tilted, step)
    np.testing.assert_allclose(three.rotations[:, 1:], one.rotations[:, 1:], atol=1e-9)


def test_a_body_that_rolls_over_does_not_swing_its_arms_by_its_heading() -> None:
    """Hips on their side point nowhere: their heading turns by half a turn within a frame."""
    walk = samples.walk().between(0, 1.5)
    hips, turns = walk.skeleton.roots[0], walk.rotations.copy()
    roll = np.linspace(0, np.pi, len(walk))
    over = quat.from_axis_angle([0.0, 0.0, 1.0], roll)
    turns[:, hips] = quat.multiply(over, turns[:1, hips])
    turns[:, [j for j in range(len(walk.skeleton)) if j != hips]] = walk.rotations[:1, 1:]
    rolled = replace(walk, rotations=turns)
    made = evaluated(rolled, ("secondary", {"constraints": "free"}))
    fastest = quat.angle(made.rotations[1:], made.rotations[:-1]).max() * walk.rate
    # Nothing turns against anything in the source; springs lag behind the roll alone.
    assert fastest < 3 * np.pi / walk.duration


def test_loops_stay_loops() -> None:
    walk = samples.walk()
    step = "secondary", {"loop": True, "constraints": "free", "damping": 0.2}
    out = evaluated(walk, step)
    assert quat.angle(out.rotations[0], out.rotations[-1]).max() < 1e-6
    # The steady state: many turns played through from rest end in the same swing.
    period, turns = len(walk) - 1, 8
    frames = np.r_[np.tile(np.arange(period), turns), period]
    root = walk.root_translation[frames]
    many = replace(walk, rotations=walk.rotations[frames], translations={"Hips": root})
    played = evaluated(many, ("secondary", {"constraints": "free", "damping": 0.2}))
    last = played.rotations[-period - 1 :]
    assert quat.angle(last, out.rotations).max() < 1e-3
    half = len(walk) // 3
    cut = replace(
        walk, rotations=walk.rotations[:half], translations={"Hips": walk.root_translation[:half]}
    )
    with pytest.raises(InputError, match="not a cycle"):
        evaluated(cut, step)


def test_a_range_changes_nothing_outside() -> None:
    walk = samples.walk()
    out = evaluated(walk, ("secondary", {"range": (0.5, 1.5), "constraints": "free"}))
    outside = (walk.times <= 0.5) | (walk.times >= 1.5)
    assert np.array_equal(out.rotations[outside], walk.rotations[outside])
    assert quat.angle(out.rotations, walk.rotations).max() > 0.02


def test_contacts_are_kept() -> None:
    walk = samples.walk()
    legs = {"joints": ["left_upper_leg", "right_upper_leg"], "strength": 0.5}

    def slip(motion: Motion) -> float:
        points, before = positions(motion), positions(walk)
        worst = 0.0
        for contact in detect_contacts(walk):
            j = walk.skeleton.index(contact.joint)
            held = (walk.times >= contact.start) & (walk.times <= contact.end)
            worst = max(worst, float(np.abs(points[held, j] - before[held, j]).max()))
        return worst

    assert slip(evaluated(walk, ("secondary", {**legs, "constraints": "free"}))) > 0.02
    assert slip(evaluated(walk, ("secondary", legs))) < 5e-3


KEY = {"time": 1.0, "joint": "RightHand", "shift": -0.1}
OTHERS: dict[str, dict[str, Any]] = {
    "guided": {"duration": 1.8},
    "physics": {"duration": 2.4},
    "stagger": {"exaggerate": 0.2},
    "surface": {"keys": [KEY]},
    "align": {"reference": Recipe([Step("spline", {"duration": 1.7})]).evaluate(samples.punches())},
    "spline": {"duration": 1.5},
}


@pytest.mark.parametrize("name", OTHERS)
def test_it_composes_and_is_undone_exactly(name: str) -> None:
    source = samples.jump() if name == "physics" else samples.punches()
    other, own = Step(name, OTHERS[name]), Step("secondary", {"strength": 1.0})
    alone = Recipe([other]).evaluate(source)
    both = Recipe([other, own]).evaluate(source)
    assert np.array_equal(both.times, alone.times)
    assert quat.angle(both.rotations, alone.rotations).max() > 0.01
    back = Recipe([other, replace(own, mute=True)]).evaluate(source)
    assert np.array_equal(back.rotations, alone.rotations)
    nothing = Recipe([other, Step("secondary", {"strength": 0.0})]).evaluate(source)
    assert np.array_equal(nothing.rotations, alone.rotations)
    first = Recipe([own, other]).evaluate(source)
    assert np.isfinite(first.rotations).all()


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"joints": ["Nowhere"]}, "no joint or role"),
        ({"strength": -1}, "the minimum is 0"),
        ({"frequency": 0}, "the minimum is 0.05"),
        ({"chains": [("LeftArm", 0.0, 1.0)]}, "the frequency of 'LeftArm'"),
        ({"chains": [("LeftArm", 1.0, 99.0)]}, "the damping of 'LeftArm'"),
        ({"range": (5, 9)}, "not a part of the clip"),
        ({"range": (0.5, 1), "loop": True}, "either a range or loop"),
    ],
)
def test_bad_input_gets_a_sentence(values: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        evaluated(samples.walk(), ("secondary", values))


def test_short_clips_are_left_alone() -> None:
    for frames in (1, 2, 3, 5):
        motion = swing(60.0)
        cut = replace(
            motion,
            rotations=motion.rotations[:frames],
            translations={"Root": motion.translations["Root"][:frames]},
        )
        out = evaluated(cut, ("secondary", {"joints": ["Rod"]}))
        assert len(out) == frames
        assert np.isfinite(out.rotations).all()


def test_fingers_go_with_their_hand() -> None:
    """A spring of their own would turn a still finger against a hand that turns fast."""
    punches = samples.punches()
    made = evaluated(punches, ("secondary", {"constraints": "free"}))
    body = find_body(punches)
    hand = body.limbs["right_arm"].end
    below = [j for j in range(len(body.skeleton)) if hand in body.skeleton.chain(j)[1:]]
    assert np.array_equal(made.rotations[:, below], punches.rotations[:, below])
    assert not np.array_equal(made.rotations[:, hand], punches.rotations[:, hand])
