"""A warp that was made for a motion at another time is noted, with the shift that makes it fit."""

from __future__ import annotations

import pytest

from retime import TimeWarp, apply, samples
from retime.methods.given import given_warp
from retime.notes import Note

LATE = samples.jump().between(0.5, 1.5)


def noted(motion: object) -> list[Note]:
    return [n for n in motion.notes if n.code == "warp-beyond-motion"]  # type: ignore[attr-defined]


def test_a_warp_from_zero_on_a_later_motion_is_noted() -> None:
    length = LATE.duration
    (note,) = noted(apply(LATE, TimeWarp([0, length], [0, length])))
    assert note.values["shift"] == pytest.approx(LATE.domain[0])
    assert "shift the warp's source times by" in note
    fits = TimeWarp([0, length], [0, length]).shifted(0, note.values["shift"])
    assert not noted(apply(LATE, fits))


def test_a_given_warp_has_the_same_note_once() -> None:
    start, end = LATE.domain
    warp = given_warp(LATE, warp=TimeWarp([start, end], [0, end - start]))
    assert [n.code for n in warp.notes] == ["warp-beyond-motion"]


@pytest.mark.parametrize(
    "warp",
    [
        TimeWarp([0, 2], LATE.domain),
        TimeWarp([0, 2], LATE.domain[::-1]),
        TimeWarp([0, 1], [0.6, 1.2]),  # a part, asked for
        TimeWarp([0, 3], [LATE.domain[0] - 1, LATE.domain[1] + 1]),  # all of it, ends held
    ],
)
def test_warps_that_fit_are_not_noted(warp: TimeWarp) -> None:
    assert not noted(apply(LATE, warp))


def test_a_cycle_goes_round() -> None:
    walk = samples.walk()
    assert not noted(apply(walk, TimeWarp([0, 9], [0, 9]), loop=True))
