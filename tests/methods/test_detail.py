"""Detail brings back the quick movements of a slowed clip, and leaves feet alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.signal import butter, sosfiltfilt

from retime import Recipe, Step, detect_contacts, positions, samples
from retime.arrays import FloatArray
from retime.motion import Motion, quat

ARM = "LeftArm"


def trembling() -> Motion:
    """Return a walk whose arm trembles at 7 to 11 Hz in its second half."""
    walk = samples.walk(seconds=8.8)
    times, joint = walk.times, walk.skeleton.index(ARM)
    phases = np.random.default_rng(3).uniform(0, 2 * np.pi, 23)
    waves = np.sin(2 * np.pi * np.linspace(7, 11, 23) * times[:, None] + phases).sum(axis=1)
    size = np.where(times > times.mean(), 0.006, 0.0) * waves
    rotations = walk.rotations.copy()
    by = quat.from_axis_angle(np.array([0.0, 0.0, 1.0]), size)
    rotations[:, joint] = quat.multiply(rotations[:, joint], by)
    return replace(walk, rotations=rotations)


def quick(motion: Motion) -> FloatArray:
    """Return the turning of the arm (F - 1, 3) between 6 and 12 Hz."""
    q = motion.rotations[:, motion.skeleton.index(ARM)]
    turns = quat.log(quat.multiply(quat.conjugate(q[:-1]), q[1:])) * motion.rate
    band = butter(4, [6.0, 12.0], "band", fs=motion.rate, output="sos")
    return np.asarray(sosfiltfilt(band, turns, axis=0))


@pytest.fixture(scope="module")
def clips() -> tuple[Motion, Motion, Motion]:
    source = trembling()
    slow = Step("spline", {"duration": 2 * source.duration})
    plain, detailed = ([slow], [slow, Step("detail")])
    return source, Recipe(plain).evaluate(source), Recipe(detailed).evaluate(source)


def test_energy_is_back_where_it_was(clips: tuple[Motion, Motion, Motion]) -> None:
    source, slowed, detailed = (np.square(quick(m)).sum(axis=1) for m in clips)
    assert slowed.mean() < 0.2 * source.mean()
    assert detailed.mean() == pytest.approx(source.mean(), rel=0.2)
    half = len(detailed) // 2
    assert detailed[: half - 20].mean() < 0.05 * detailed[half + 20 :].mean()


def test_planted_feet_stay(clips: tuple[Motion, Motion, Motion]) -> None:
    _, slowed, detailed = clips
    before, after = positions(slowed), positions(detailed)
    for contact in detect_contacts(slowed):
        joint = slowed.skeleton.index(contact.joint)
        inside = (slowed.times >= contact.start) & (slowed.times <= contact.end)
        assert np.abs(after[inside, joint] - before[inside, joint]).max() < 1e-9


def test_what_is_not_slowed_gets_no_detail() -> None:
    source = trembling()
    kept = Recipe([Step("spline", {"duration": 1.2 * source.duration}), Step("detail")])
    plain = Recipe([Step("spline", {"duration": 1.2 * source.duration})])
    assert np.array_equal(kept.evaluate(source).rotations, plain.evaluate(source).rotations)
