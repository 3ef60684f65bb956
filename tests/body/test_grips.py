"""Hands that hold each other, a prop, or another figure's hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from retime import Evaluator, Job, Motion, Recipe, Step, SurfaceKey, quat, samples
from retime.body.contacts.grips import find_grips, find_touches
from retime.evaluate.partner import carry_along
from retime.motion.kinematics import global_rotations, positions
from retime.motion.skeleton import Skeleton


@pytest.mark.parametrize("name", ["walk", "run", "jump", "punches"])
def test_free_hands_hold_nothing(name: str) -> None:
    assert find_grips(samples.sample(name).motion) == ()


def with_prop(motion: Motion, place: np.ndarray) -> Motion:
    old = motion.skeleton
    skeleton = Skeleton(
        (*old.names, "Ball"),
        np.r_[old.parents, -1],
        np.r_[old.offsets, np.zeros((1, 3))],
        end_sites=old.end_sites,
    )
    turns = np.tile([1.0, 0, 0, 0], (len(motion), 1, 1))
    return replace(
        motion,
        skeleton=skeleton,
        rotations=np.concatenate([motion.rotations, turns], axis=1),
        translations={**motion.translations, "Ball": place},
    )


def test_a_carried_ball_is_held_and_one_on_the_floor_is_not() -> None:
    walk = samples.walk()
    hand = positions(walk)[:, walk.skeleton.index("RightHand")]
    until = len(walk) // 2
    place = hand + np.array([0.0, -0.05, 0.05])
    place[until:] = place[until]  # put down half way
    (grip,) = find_grips(with_prop(walk, place))
    assert (grip.joint, grip.other) == ("RightHand", "Ball")
    assert grip.start == walk.times[0]
    assert abs(grip.end - walk.times[until]) < 0.1
    assert find_grips(with_prop(walk, np.zeros((len(walk), 3)))) == ()


def in_hand(motion: Motion) -> np.ndarray:
    """Return the ball's place as the right hand sees it, (F, 3) metres."""
    hand, ball = (motion.skeleton.index(n) for n in ("RightHand", "Ball"))
    points, turns = positions(motion), global_rotations(motion)
    return quat.rotate(quat.conjugate(turns[:, hand]), points[:, ball] - points[:, hand])


def carried() -> Motion:
    punches = samples.punches()
    hand = punches.skeleton.index("RightHand")
    local = np.broadcast_to([0.02, -0.05, 0.05], (len(punches), 3))
    place = positions(punches)[:, hand] + quat.rotate(global_rotations(punches)[:, hand], local)
    return with_prop(punches, place)


@pytest.mark.parametrize(
    ("method", "parameters"),
    [
        ("surface", {"keys": [SurfaceKey(time=1.2, joint="RightHand", shift=-0.2)]}),
        ("stagger", {"jitter": 0.05}),
        ("stagger", {"overlap": 2.0}),
    ],
)
def test_a_ball_stays_in_the_hand_that_is_moved_in_time(
    method: str, parameters: dict[str, Any]
) -> None:
    motion = carried()
    made = Recipe([Step(method, parameters)]).evaluate(motion)
    assert np.abs(made.rotations - motion.rotations).max() > 0.01
    assert np.abs(in_hand(made) - in_hand(motion)[0]).max() < 1e-3
    loose = Recipe([Step(method, {**parameters, "grips": False})])
    assert np.abs(in_hand(loose.evaluate(motion)) - in_hand(motion)[0]).max() > 0.01


@pytest.mark.parametrize("parameters", [{"jitter": 0.08}, {"overlap": 3.0}])
def test_both_hands_stay_on_a_club(parameters: dict[str, float]) -> None:
    swing = samples.swing()
    (grip,) = find_grips(swing)
    recipe = Recipe([Step("stagger", parameters)])
    made, warp = recipe.evaluate(swing), recipe.warp(swing)
    ends = [swing.skeleton.index(n) for n in (grip.joint, grip.other)]
    before, after = (np.linalg.norm(np.diff(positions(m)[:, ends], axis=1)[:, 0], axis=-1)
                     for m in (swing, made))  # fmt: skip
    then = (warp(made.times, grip.joint) + warp(made.times, grip.other)) / 2
    held = (then >= grip.start) & (then <= grip.end)
    off = np.abs(after - np.interp(then, swing.times, before))[held]
    assert off.max() < 0.01


def test_partners_shake_hands() -> None:
    made = samples.sample("handshake")
    assert made.partner is not None
    found = find_touches(made.motion, made.partner)
    assert any(g.start < 1.5 and g.end > 2.4 for g in found)


def evaluated(motion: Motion, method: str, parameters: dict[str, Any]) -> Any:
    return Evaluator().evaluate(Job(source=motion, recipe=Recipe([Step(method, parameters)])))


@pytest.mark.parametrize("parameters", [{"jitter": 0.05}, {"overlap": 2.0}])
def test_partners_keep_hold_when_one_is_staggered(parameters: dict[str, float]) -> None:
    made = samples.sample("handshake")
    assert made.partner is not None
    (touch,) = find_touches(made.motion, made.partner)
    found = evaluated(made.motion, "stagger", parameters)
    partner, notes = carry_along(found, made.partner, name="partner")
    assert notes == []

    def apart(one: Motion, other: Motion) -> np.ndarray:
        hand, theirs = one.skeleton.index(touch.joint), other.skeleton.index(touch.other)
        way = positions(one)[:, hand] - positions(other)[:, theirs]
        return np.asarray(np.linalg.norm(way, axis=1))

    then = found.warp(found.motion.times, touch.joint)
    held = (then >= touch.start) & (then <= touch.end)
    before = np.interp(then, made.motion.times, apart(made.motion, made.partner))
    assert np.abs(apart(found.motion, partner) - before)[held].max() < 1e-4


def test_a_partner_follows_the_body_and_not_joints_of_the_same_name() -> None:
    made = samples.sample("handshake")
    assert made.partner is not None
    keys = [SurfaceKey(time=1.0, joint="RightHand", shift=-0.2)]
    found = evaluated(made.motion, "surface", {"keys": keys})
    partner, _ = carry_along(found, made.partner, name="partner")
    left = [j for j, n in enumerate(partner.skeleton.names) if n.startswith("Left")]
    assert np.abs(positions(partner) - positions(made.partner))[:, left].max() < 1e-6
    face, _ = carry_along(found, made.motion, name="the same figure")
    assert np.abs(face.rotations - made.motion.rotations).max() > 0.01
