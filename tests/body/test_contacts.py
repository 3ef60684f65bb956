"""Contacts: found, carried, given."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from retime import Contact, InputError, Motion, TimeWarp, apply, detect_contacts, find_body, samples
from retime.body.contacts import contacts_from_events
from retime.motion import quat
from retime.motion.contact import carry_contacts, parse_contacts


@pytest.mark.parametrize("name", ["jump", "walk", "run", "punches", "punches-slow", "swing"])
def test_known_contacts_are_found_within_a_frame(name: str) -> None:
    made = samples.sample(name)
    found = detect_contacts(made.motion, min_contact=0.1)
    frame = 1 / made.motion.fps
    lasting = [c for c in made.contacts if c.duration > 0.15]
    assert len([f for f in found if f.duration > 0.15]) == len(lasting)
    for true in lasting:
        near = [f for f in found if f.joint == true.joint and f.start < true.end > 0]
        near = [f for f in near if f.end > true.start]
        assert len(near) == 1, true
        assert abs(near[0].start - true.start) <= frame + 1e-9, true
        assert abs(near[0].end - true.end) <= frame + 1e-9, true


def test_touching_hands_are_a_contact_when_asked_for() -> None:
    made = samples.sample("handshake")
    moved = detect_contacts(made.motion, ["right_hand"], tolerance=0.06)
    assert any(c.start <= 1.4 and c.end >= 2.5 for c in moved)


def test_short_stances_are_found_and_can_be_left_out() -> None:
    run = samples.run()
    assert len(detect_contacts(run)) == 6
    assert detect_contacts(run, min_contact=0.25) == ()


def test_a_foot_held_in_the_air_is_no_contact() -> None:
    """A fifth of a metre up and quite still, in balance: not standing on anything."""
    motion = samples.swing()
    turned = np.repeat(motion.rotations[:1], len(motion), axis=0)
    for name, turn in (
        ("LeftUpLeg", [np.cos(0.45), -np.sin(0.45), 0, 0]),
        ("LeftLeg", [np.cos(0.9), np.sin(0.9), 0, 0]),
    ):
        turned[:, motion.skeleton.index(name)] = turn
    leg = motion.skeleton.index("RightUpLeg")  # this foot comes under the middle of the body
    turned[:, leg] = quat.multiply(np.array([np.cos(0.13), 0, 0, np.sin(0.13)]), turned[:, leg])
    found = detect_contacts(replace(motion, rotations=turned), ["toes"])
    assert {c.joint for c in found} == {"RightToe"}


def test_a_joint_that_never_moves_is_in_contact_throughout() -> None:
    still = samples.swing()
    still = replace(
        still,
        rotations=np.repeat(still.rotations[:1], len(still), axis=0),
        translations={"Hips": np.repeat(still.root_translation[:1], len(still), axis=0)},
    )
    assert all((c.start, c.end) == still.domain for c in detect_contacts(still))


def test_contacts_follow_their_own_joints_channel() -> None:
    contacts = (Contact("LeftToe", 0.5, 1.0), Contact("RightToe", 0.5, 1.0))
    warp = TimeWarp([0, 2], [0, 2], channels={"RightToe": ([0, 4], [0, 2])})
    assert carry_contacts(contacts, warp) == (
        Contact("LeftToe", 0.5, 1.0),
        Contact("RightToe", 1.0, 2.0),
    )


def test_a_contact_that_is_not_shown_vanishes_and_a_hold_lengthens_it() -> None:
    trim = TimeWarp([0, 1], [2, 3])
    assert carry_contacts([Contact("a", 0.5, 1.0)], trim) == ()
    hold = TimeWarp([0, 1, 2, 3], [0, 1, 1, 2])
    assert carry_contacts([Contact("a", 0.5, 1.0)], hold) == (Contact("a", 0.5, 2.0),)


def test_gait_events_become_contacts() -> None:
    body = find_body(samples.walk())
    events = [
        (1.1, "Right", "Foot Strike"),
        (0.2, "Left", "Foot Off"),
        (0.8, "Left", "Foot Strike"),
        (1.5, "Left", "Foot Off"),
    ]
    assert contacts_from_events(events, body, end=2.0) == (
        Contact("LeftToe", 0.0, 0.2),
        Contact("LeftToe", 0.8, 1.5),
        Contact("RightToe", 1.1, 2.0),
    )


@pytest.mark.parametrize("event", [(0.1, "Top", "Foot Off"), (0.1, "Left", "Sneeze")])
def test_other_events_get_a_sentence(event: tuple[float, str, str]) -> None:
    with pytest.raises(InputError, match=r"the event at 0\.1 s"):
        contacts_from_events([event], find_body(samples.walk()), end=1.0)


@pytest.mark.parametrize(
    ("document", "sentence"),
    [
        ({}, "contacts are a list"),
        ([{"joint": "LeftToe"}], "contact 1: a contact needs"),
        ([{"joint": 7, "start": 0, "end": 1}], "is not a joint's name"),
        ([{"joint": "LeftToe", "start": 1, "end": 1}], "must end after it starts"),
        ([{"joint": "LeftToe", "start": "soon", "end": 1}], "contact 1"),
    ],
)
def test_bad_contacts_get_a_sentence(document: Any, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        parse_contacts(document)


@pytest.mark.parametrize("options", [{"tolerance": 0}, {"min_contact": -1}, {"tolerance": np.nan}])
def test_bad_options_get_a_sentence(options: dict[str, float]) -> None:
    with pytest.raises(InputError, match="must be above 0"):
        detect_contacts(samples.walk(), **options)  # type: ignore[arg-type]


def test_what_has_no_feet_has_no_contacts_unless_joints_are_named() -> None:
    chain: Motion = samples.chain()
    assert detect_contacts(chain) == ()
    assert [c.joint for c in detect_contacts(chain, ["Link1"])] == ["Link1"]
    with pytest.raises(InputError, match="Link"):
        detect_contacts(chain, ["Lnk1"])


def test_uneven_samples_count_by_their_time() -> None:
    walk = samples.walk()
    half = len(walk) // 2
    times = np.r_[walk.times[:half], walk.times[half::8]]
    uneven = apply(walk, TimeWarp.identity(*walk.domain), times=times)
    assert uneven.sample_times is not None
    found, wanted = detect_contacts(uneven), detect_contacts(walk)
    assert [c.joint for c in found] == [c.joint for c in wanted]
    assert [c.start for c in found] == pytest.approx([c.start for c in wanted], abs=0.14)


def test_a_body_that_nothing_bears_and_that_does_not_fall_is_found() -> None:
    from retime.body.contacts.flights import implausible_flights

    walk, jump = samples.walk(), samples.jump()
    assert implausible_flights(walk) == ()
    assert implausible_flights(jump) == ()  # its flight falls
    ((start, end),) = implausible_flights(walk, [], only=True)
    assert (start, end) == walk.domain
    # A foot that is said to touch nothing leaves the other foot's swing without support.
    given = [Contact("LeftToe", 0.0, 0.01)]
    left_out = implausible_flights(walk, given)
    assert left_out
    assert all(0.2 < b - a < 0.8 for a, b in left_out)
