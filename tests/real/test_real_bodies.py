"""Roles, contacts and foot locking on real clips."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import retime
from retime import Motion, PoseLayer, Recipe, Step, detect_contacts, find_body
from retime.body.measure.metrics import flight_error, flights, plant_drift
from retime.motion.contact import carry_contacts

SHARED = Path(__file__).parents[2].parent / "shared"
pytestmark = pytest.mark.skipif(
    not (SHARED / "mocap").is_dir(), reason="no folder of real clips beside the project"
)
CLIPS = sorted(p.stem for p in (SHARED / "mocap").glob("*.bvh"))
CMU = {
    "hips": "Hips",
    "head": "Head",
    "left_upper_leg": "LeftUpLeg",
    "left_lower_leg": "LeftLeg",
    "left_foot": "LeftFoot",
    "left_toe": "LeftToeBase",
    "right_upper_arm": "RightArm",
    "right_lower_arm": "RightForeArm",
    "right_hand": "RightHand",
}


def clip(name: str) -> Motion:
    return retime.read(SHARED / "mocap" / f"{name}.bvh")


@pytest.mark.parametrize("name", CLIPS)
def test_roles_of_every_clip(name: str) -> None:
    motion = clip(name)
    body = find_body(motion)
    assert {role: body.name(role) for role in CMU} == CMU
    assert 1.2 < body.height * motion.units.metres < 1.9


@pytest.mark.parametrize(
    ("name", "feet"),
    [
        ("makehuman_zombieWalk1", ("Foot_L", "Foot_R")),
        ("three_pirouette", ("lFoot", "rFoot")),
    ],
)
def test_roles_of_other_makers(name: str, feet: tuple[str, str]) -> None:
    body = find_body(retime.read(SHARED / "samples" / f"{name}.bvh"))
    assert (body.name("left_foot"), body.name("right_foot")) == feet
    assert len(body.limbs) == 4


def test_a_walk_has_its_seven_stances() -> None:
    contacts = detect_contacts(clip("16_16"), min_contact=0.25)  # one is cut off by the end
    assert [c.joint for c in contacts] == ["LeftToeBase"] * 4 + ["RightToeBase"] * 3
    inner = [c.duration for c in contacts if c.start > 0]
    assert min(inner) > 0.4
    assert max(inner) < 0.7


def test_a_run_has_its_short_stances_with_the_running_setting() -> None:
    contacts = detect_contacts(clip("16_35"), min_contact=0.1)
    assert len(contacts) == 4
    whole = [c.duration for c in contacts if c.end < clip("16_35").domain[1]]
    assert np.allclose(whole, 0.2, atol=0.05)


def shaken(motion: Motion, joint: str) -> Step:
    t = np.linspace(*motion.domain, 9)
    wave = np.sin(np.linspace(0, 4 * np.pi, 9))[:, None]
    unit = 0.05 / motion.units.metres
    moves = {joint: unit * wave * [1.0, -0.5, 0.8]} if joint == "Hips" else {}
    turns = {joint: 0.3 * wave * [1.0, 0.5, -0.5]}
    return Step("pose", {"layer": PoseLayer(t, rotations=turns, translations=moves)})


@pytest.mark.parametrize("joint", [None, "Hips", "LeftArm", "Spine"])
@pytest.mark.parametrize("name", ["16_16", "16_15", "02_01"])
def test_feet_do_not_slip_after_any_edit(name: str, joint: str | None) -> None:
    motion = clip(name)
    length = round(0.7 * motion.duration * motion.rate) / motion.rate
    steps = [Step("spline", {"duration": length})]
    if joint is not None:
        steps.insert(0, shaken(motion, joint))
    held = Recipe([*steps, Step("hold")]).evaluate(motion)
    contacts = carry_contacts(detect_contacts(motion), Recipe(steps).warp(motion))
    assert len(contacts) >= 5
    assert plant_drift(held, contacts).max() < 1e-3


@pytest.mark.parametrize("name", ["16_03", "16_06", "13_11", "02_04"])
def test_real_jumps_fly(name: str) -> None:
    motion = clip(name)
    assert len(flights(motion)) == 1
    assert flight_error(motion).mean < 0.2


@pytest.mark.parametrize("name", ["16_15", "16_16", "02_01", "64_01", "111_32"])
def test_who_walks_or_stands_does_not_fly(name: str) -> None:
    assert flights(clip(name)) == []
