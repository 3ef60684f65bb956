"""The contact detector on motions whose contacts are known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from contact_making import balls_right, on_ground, sliding, slope, stairs, with_noise
from retime import Motion, TimeWarp, Units, apply, samples
from retime.body.contacts import find_contacts
from retime.body.contacts.detector import Detector
from retime.body.contacts.found import found_notes

AHEAD = np.array([0.0, 1.0])
WALKS = ("walk", "run", "jump", "punches")


def truth(name: str) -> dict[str, list[tuple[float, float]]]:
    made = samples.sample(name)
    return {
        side: [(c.start, c.end) for c in made.contacts if c.joint.startswith(side.title())]
        for side in ("left", "right")
    }


def ran(detector: Detector) -> Detector:
    detector.run()
    return detector


@pytest.mark.parametrize("name", WALKS)
def test_known_contacts_are_found(name: str) -> None:
    motion = samples.sample(name).motion
    assert balls_right(ran(Detector.of(motion)), truth(name)) > 0.95


@pytest.mark.parametrize("fps", [24, 30, 60, 120, 240])
def test_any_frame_rate_gives_the_same(fps: float) -> None:
    motion = samples.walk(fps=fps)
    assert balls_right(ran(Detector.of(motion)), truth("walk")) > 0.94


@pytest.mark.parametrize("what", ["stairs", "slope", "noise", "slide"])
def test_the_ground_need_not_be_level_nor_the_capture_clean(what: str) -> None:
    motion = samples.walk(fps=120)
    made = {
        "stairs": lambda: on_ground(motion, stairs(AHEAD)),
        "slope": lambda: on_ground(motion, slope(AHEAD)),
        "noise": lambda: with_noise(motion, 0.005),
        "slide": lambda: sliding(motion, 0.1),
    }[what]()
    assert balls_right(ran(made), truth("walk")) > 0.95
    assert made.outcome.unknown() < 0.01


def test_units_up_axis_place_and_sampling_change_nothing() -> None:
    walk = samples.walk(fps=120)
    plain = find_contacts(walk)
    centimetres = replace(
        walk,
        units=Units(0.01),
        skeleton=replace(
            walk.skeleton,
            offsets=100 * walk.skeleton.offsets,
            end_sites=tuple(
                replace(s, offset=(100 * s.offset[0], 100 * s.offset[1], 100 * s.offset[2]))
                for s in walk.skeleton.end_sites
            ),
        ),
        translations={n: 100 * t + [300.0, 0, 50] for n, t in walk.translations.items()},
    )
    same = find_contacts(centimetres)
    assert [(c.point, c.start, c.end) for c in same.contacts] == [
        (c.point, c.start, c.end) for c in plain.contacts
    ]
    uneven = thinned(walk)
    shown = find_contacts(uneven)
    assert len(shown.contacts) == len(plain.contacts)
    for a, b in zip(shown.contacts, plain.contacts, strict=True):
        assert a.point == b.point
        assert abs(a.start - b.start) < 0.03
        assert abs(a.end - b.end) < 0.03


def thinned(motion: Motion) -> Motion:
    """Leave out every third frame."""
    keep = np.arange(len(motion)) % 3 != 1
    return replace(
        motion,
        rotations=motion.rotations[keep],
        translations={n: t[keep] for n, t in motion.translations.items()},
        sample_times=motion.times[keep],
    )


def test_a_body_that_walks_on_the_spot_has_a_moving_ground() -> None:
    walk = samples.walk(fps=60)
    root = walk.root_translation.copy()
    root[:, 2] -= np.linspace(root[0, 2], root[-1, 2], len(root))
    spot = replace(walk, translations={"Hips": root})
    found = find_contacts(spot)
    gone = (walk.root_translation[-1, 2] - walk.root_translation[0, 2]) / walk.duration
    assert found.drift[2] == pytest.approx(-gone, rel=0.1)
    assert {c.point for c in found.contacts} >= {"left_ball", "right_ball"}
    assert any("on the spot" in n for n in found_notes(spot, found))


def test_another_frame_rate_is_suggested_where_it_explains_the_motion() -> None:
    walk = samples.run(fps=120)
    fast = replace(walk, fps=240.0)
    found = find_contacts(fast)
    assert found.rate in (0.0, 120.0)


def test_a_figure_of_another_size_is_judged_as_its_like() -> None:
    walk = samples.walk()
    giant = replace(walk, units=Units(100.0))
    found = find_contacts(giant)
    assert [(c.point, c.start) for c in found.contacts] == [
        (c.point, c.start) for c in find_contacts(walk).contacts
    ]
    assert any("computed for a height" in n for n in found_notes(giant, found))
    given = replace(walk, units=Units(100.0, how="given"))
    assert not any("computed for a height" in n for n in found_notes(given, find_contacts(given)))


@pytest.mark.parametrize("factor", [1.3, 1.5, 1.8])
def test_the_top_of_a_slowed_leap_is_no_ground(factor: float) -> None:
    jump = samples.jump(fps=120)
    ((start, end),) = find_contacts(jump).flights
    slow = apply(jump, TimeWarp([0, factor * jump.duration], [0, jump.duration]))
    found = find_contacts(slow)
    middle = factor * (start + end) / 2
    assert any(a < middle < b for a, b in [*found.flights, *found.airborne])
