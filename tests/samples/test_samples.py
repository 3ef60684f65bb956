"""Bundled motions: what is said of them is true."""

from __future__ import annotations

import numpy as np
import pytest

from retime import InputError, apply, find_body, metrics, positions, quat, samples


@pytest.mark.parametrize("name", samples.SAMPLES)
def test_a_sample_is_smooth_and_on_the_ground(name: str) -> None:
    motion = samples.sample(name).motion
    step = np.degrees(quat.angle(motion.rotations[1:], motion.rotations[:-1]))
    assert step.max() < 35  # degrees a frame: nothing flips
    if find_body(motion).is_biped:
        lowest = positions(motion, end_sites=True)[..., 1].min()
        assert -0.03 < lowest < 0.03


@pytest.mark.parametrize("name", ["jump", "walk", "run", "punches", "swing", "handshake"])
def test_known_contacts_do_not_slide(name: str) -> None:
    made = samples.sample(name)
    feet = [c for c in made.contacts if c.joint.endswith("Toe")]
    assert metrics.plant_drift(made.motion, feet).max() < 1e-3


def test_the_warp_between_slow_and_fast_punches_is_the_true_one() -> None:
    made = samples.sample("punches-slow")
    assert made.reference is not None
    assert made.warp is not None
    by_warp = apply(made.reference, made.warp)
    assert len(by_warp) == len(made.motion)
    off = positions(by_warp) - positions(made.motion)
    assert np.linalg.norm(off, axis=-1).max() < 0.012  # sampling of a fast hand at 60 fps
    assert np.linalg.norm(off, axis=-1).mean() < 1e-3


def test_hands_meet_in_the_handshake() -> None:
    made = samples.sample("handshake")
    assert made.partner is not None
    hand = made.motion.skeleton.index("RightHand")
    apart = positions(made.motion)[:, hand] - positions(made.partner)[:, hand]
    meeting = (made.motion.times > 1.35) & (made.motion.times < 2.55)
    # A hand's length between the wrists.
    assert np.linalg.norm(apart[meeting], axis=1) == pytest.approx(0.2, abs=0.03)


def test_an_unknown_sample_suggests_the_nearest() -> None:
    with pytest.raises(InputError, match="did you mean 'jump'"):
        samples.sample("jmp")


def test_any_frame_rate_gives_the_same_jump() -> None:
    slow, fast = samples.jump(fps=40), samples.jump(fps=120)
    assert slow.duration == fast.duration
    # The landing falls between frames, so the air is left for the ground a frame apart.
    assert np.abs(positions(slow) - positions(fast)[::3]).max() < 0.03
