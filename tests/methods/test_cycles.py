"""Honest confidence: cycles that repeat, starts in the middle, skips, and other actions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from bench import following
from bench import performances as trials

from retime import InputError, samples
from retime.live import BayesAligner, PredictiveAligner, Recording, record


@pytest.fixture(scope="module")
def walk() -> Recording:
    return record(samples.walk(seconds=6.0))


def follow(aligner: Any, recording: Recording, source: np.ndarray, noise: float = 0.0) -> Any:
    rng = np.random.default_rng(0)
    for k, at in enumerate(source):
        pose = recording.at(at) + noise * rng.normal(size=(16, 3))
        yield aligner.step(pose, k / 60)


def last(found: Iterator[float]) -> float:
    return list(found)[-1]


def test_in_the_middle_of_a_walk_the_cycle_is_followed_and_the_time_is_not_claimed(
    walk: Recording,
) -> None:
    aligner = BayesAligner(walk, start="anywhere")
    # The gait alone, with noise: nothing tells one cycle from another.
    last(follow(aligner, walk, np.arange(2.2, 3.6, 1 / 60), noise=0.01))
    assert aligner.phase > 0.8
    assert aligner.confidence < 0.7
    assert aligner.state in ("following", "following the cycle")
    # Expected at the beginning, the same walk is followed from there, and surely.
    other = BayesAligner(walk)
    last(follow(other, walk, np.arange(0.0, 1.4, 1 / 60), noise=0.01))
    assert other.state == "following"
    assert other.confidence > 0.8


def test_a_recording_that_begins_on_a_box_is_followed(walk: Recording) -> None:
    """The performer's floor is not known before a foot has touched it."""
    fall = np.interp(walk.times, [1.0, 1.4], [0.3, 0.0])
    boxed = Recording(walk.times, walk.points + fall[:, None, None] * [0, 1, 0], walk.joints)
    aligner = BayesAligner(boxed)
    source = np.arange(0.0, 2.0, 1 / 60)
    found = np.array(list(follow(aligner, boxed, source, noise=0.01)))
    assert np.abs(found - source)[12:].max() < 0.06
    assert aligner.confidence > 0.9


def test_a_fast_recording_does_not_excuse_who_moves_where_it_stands() -> None:
    """Frames that are no motion, at the beginning of a recording, do not hold the performer."""
    walk = record(samples.walk(seconds=3.0))
    points = walk.points.copy()
    points[:2] -= [0, 0.9, 0]
    glitched = Recording(walk.times, points, walk.joints)
    aligner = BayesAligner(glitched)
    source = np.arange(0.0, 1.5, 1 / 60)
    found = np.array(list(follow(aligner, glitched, source, noise=0.01)))
    assert np.abs(found - source)[-20:].max() < 0.05


def test_a_cycle_that_is_not_known_is_said_so(walk: Recording) -> None:
    aligner = BayesAligner(walk, start="anywhere")
    states = []
    for _ in follow(aligner, walk, np.arange(1.5, 2.6, 1 / 60), noise=0.01):
        states.append(aligner.state)
    assert "following the cycle" in states


@pytest.mark.parametrize("back", [False, True])
def test_skips_are_found_and_counted(back: bool) -> None:
    punches = record(samples.punches())
    source = np.r_[np.arange(0.2, 2.2, 1 / 60), np.arange(0.6, 1.8, 1 / 60)]
    if not back:
        source = np.r_[np.arange(0.2, 0.8, 1 / 60), np.arange(2.4, 3.6, 1 / 60)]
    aligner = BayesAligner(punches)
    found = np.array(list(follow(aligner, punches, source, noise=0.005)))
    assert np.abs(found - source)[-20:].max() < 0.1
    assert aligner.relocations >= 1
    warp = aligner.warp
    assert float(warp(warp.domain[1])) == pytest.approx(found[-1], abs=0.01)


def test_another_action_is_not_followed() -> None:
    jump, punches = record(samples.jump()), record(samples.punches())
    aligner = BayesAligner(jump)
    sure = []
    for _ in follow(aligner, punches, np.arange(0.5, 3.5, 1 / 60)):
        sure.append(aligner.confidence)
    assert np.mean(np.array(sure[60:]) > 0.9) < 0.1


def test_an_unknown_start_is_refused(walk: Recording) -> None:
    with pytest.raises(InputError, match="beginning or anywhere"):
        BayesAligner(walk, start="middle")  # type: ignore[arg-type]


def test_an_unknown_period_is_refused(walk: Recording) -> None:
    with pytest.raises(InputError, match="period"):
        PredictiveAligner(walk, period="often")  # type: ignore[arg-type]


@pytest.mark.skipif(not trials.MOCAP.is_dir(), reason="no folder of real clips beside the project")
def test_real_starts_and_skips_are_honest() -> None:
    clips = (("13_17", 0, 6), ("22_17", 0, 4))
    takes = (trials.TAKES[4],)
    found = following.run(
        [*following.copies(clips), *following.takes(takes)],
        lambda r, anywhere: BayesAligner(r, start="anywhere" if anywhere else "beginning"),
    )
    assert following.calibration(list(found.values()))[0] < 0.06
    assert np.median(found["copy"].error) < 0.008
    kinds = [found[k] for k in ("skip", "skip back", "mid-start")]
    sure = np.concatenate([f.confidence for f in kinds]) >= 0.9
    wrong = np.concatenate([f.error for f in kinds]) > 0.15
    assert sure.mean() > 0.5
    assert wrong[sure].mean() < 0.01
    assert np.mean(np.array(found["take"].error) <= 0.15) > 0.8
