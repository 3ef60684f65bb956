"""Joined motions go on as one body would, and cycles close."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations

import numpy as np
import pytest
from bench.census import ARCHIVE, clips

from limits import beyond, extremes
from retime import InputError, detect_contacts, join, loop, positions, read, samples
from retime.motion import Motion

WALK, JUMP = samples.walk(), samples.jump()


@pytest.mark.parametrize("pair", [(WALK, WALK), (JUMP, WALK), (WALK, JUMP)], ids=str)
def test_the_body_goes_on(pair: tuple[Motion, Motion]) -> None:
    made = join(*pair)
    turn, acceleration, low = beyond(made, *pair)
    assert turn < 1.5
    assert acceleration < 1.5
    assert low > -0.01
    fastest, *own = (np.abs(np.diff(m.root_translation, axis=0)).max() for m in (made, *pair))
    assert fastest < 1.3 * max(own)


def test_before_and_after_the_seam_each_is_itself() -> None:
    made = join(WALK, JUMP, at=(2.0, 0.6))
    assert np.abs(made.rotations[:40] - WALK.rotations[:40]).max() < 1e-9
    # After it, the jump stands elsewhere, with the same joints below the hips.
    assert np.abs(made.rotations[-60:, 1:] - JUMP.rotations[-60:, 1:]).max() < 0.01


def test_feet_that_stand_in_both_stand_still() -> None:
    made = join(JUMP, JUMP, at=(2.9, 0.3))
    for contact in detect_contacts(made):
        if contact.start < 2.9 < contact.end:
            joint = made.skeleton.index(contact.joint)
            inside = (made.times > contact.start + 0.05) & (made.times < contact.end - 0.05)
            assert np.ptp(positions(made)[inside, joint], axis=0).max() < 0.01
            return
    pytest.fail("no foot stands at the seam")


@pytest.mark.skipif(not ARCHIVE.is_file(), reason="the census's clips are absent")
def test_recorded_clips_change_over_within_their_limits() -> None:
    takes = [read(path) for path in clips(5, seed=3)]
    takes = [take.between(0, min(take.duration, 6)) for take in takes if take.duration > 2]
    judged = []
    for one, other in permutations(takes, 2):
        try:
            judged.append(beyond(join(one, other), one, other))
        except InputError as error:
            assert "no similar moments" in str(error)  # noqa: PT017
    assert len(judged) > 3
    turn, acceleration, low = np.array(judged).T
    failed = (turn > 3) | (acceleration > 4) | (low < -0.02)
    assert failed.sum() <= 1  # a leg that is straight in both bends between them


@pytest.mark.parametrize(("take", "period"), [(WALK, 1.1), (samples.run(), 0.7)], ids=str)
def test_a_cycle_closes(take: Motion, period: float) -> None:
    cycle = loop(take)
    assert cycle.duration == pytest.approx(period, abs=1e-6)
    points = positions(cycle)
    way = (points[-1] - points[0]).mean(axis=0)
    assert np.abs(points[-1] - points[0] - way).max() < 1e-9
    again = np.concatenate([points, points[1:] + way])
    seam = np.linalg.norm(np.diff(again, 2, axis=0), axis=-1)[len(points) - 4 : len(points) + 2]
    assert (seam.max(axis=0) * cycle.rate**2 <= 1.2 * np.maximum(extremes(take)[1], 1.0)).all()


BAD: dict[str, tuple[Callable[[], object], str]] = {
    "no blend": (lambda: join(WALK, JUMP, blend=0.0), "longer than 0 s"),
    "a blend longer than the clip": (lambda: join(WALK, JUMP.between(0, 0.3)), "shorten the blend"),
    "a moment outside": (lambda: join(WALK, JUMP, at=(9.0, 0.5)), "has no"),
    "another skeleton": (lambda: join(WALK, samples.toss()), "differs"),
    "a stagger of 2": (lambda: join(WALK, JUMP, stagger=2.0), "between 0 and 0.8"),
    "no cycle": (lambda: loop(JUMP), "no cycle"),
    "a take that is too short": (lambda: loop(WALK.between(0, 0.5)), "longer take"),
    "a period that is too long": (lambda: loop(WALK, period=(9.0, 12.0)), "no period"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_gets_a_sentence(case: str) -> None:
    call, told = BAD[case]
    with pytest.raises(InputError, match=told):
        call()
