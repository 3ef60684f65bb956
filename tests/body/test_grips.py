"""Hands that hold each other, a prop, or another figure's hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from retime import Motion, samples
from retime.body.contacts.grips import find_grips, find_touches
from retime.motion.kinematics import positions
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


def test_partners_shake_hands() -> None:
    made = samples.sample("handshake")
    assert made.partner is not None
    found = find_touches(made.motion, made.partner)
    assert any(g.start < 1.5 and g.end > 2.4 for g in found)
