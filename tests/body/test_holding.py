"""Contacts held on the source's own path: edits of nothing change nothing, small ones little."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from contact_making import off_path
from retime import (
    Motion,
    PoseLayer,
    Recipe,
    StaggeredPoses,
    Step,
    SurfaceKey,
    TimeWarp,
    detect_contacts,
    positions,
    read,
    samples,
)
from retime.body import find_body
from retime.body.measure.metrics import plant_drift
from retime.body.solve.hinges import half_turns, hinge_axis
from retime.body.solve.ik import hold_contacts
from retime.body.solve.limbs import LimbSolver
from retime.motion import quat
from retime.motion.contact import Contact
from retime.motion.kinematics import cached_positions, cached_rotations, height

SHARED = Path(__file__).parents[3] / "shared" / "mocap"
RECORDED = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared motion files are absent")
RECORDINGS = [pytest.param(name, marks=RECORDED) for name in ("02_01", "13_11", "16_15", "49_02")]


def source(name: str) -> Motion:
    if name in ("walk", "run", "jump"):
        made: Motion = getattr(samples, name)()
        return made
    motion = read(SHARED / f"{name}.bvh")
    return motion.between(0, min(6.0, motion.duration))


def apart(one: Motion, other: Motion) -> float:
    """Return how far joints of two motions are apart: radians or metres."""
    turned = quat.angle(one.rotations, other.rotations).max()
    return max(float(turned), float(np.abs(positions(one) - positions(other)).max()))


def undone(poses: StaggeredPoses, joint: str) -> Motion:
    k = len(poses) // 2
    turned = poses.turn({joint: [30, 0, 0]}, poses=[k])
    assert apart(turned.motion(), poses.source) > 0.05
    return turned.turn({joint: [-30, 0, 0]}, poses=[k]).motion()


def muted(poses: StaggeredPoses, joint: str) -> Motion:
    layer = poses.add_layer().turn({joint: [30, 0, 0]}, poses=[len(poses) // 2], layer=1)
    return layer.weigh_layer(1, 0.0).motion()


def removed(poses: StaggeredPoses, joint: str) -> Motion:
    layer = poses.add_layer().turn({joint: [30, 0, 0]}, poses=[len(poses) // 2], layer=1)
    return layer.remove_layer(1).motion()


def held_alone(poses: StaggeredPoses, joint: str) -> Motion:
    nothing = PoseLayer(poses.source.times, {joint: np.zeros((len(poses.source), 3))})
    hold = Recipe([Step("pose", {"layer": nothing}), Step("stagger", {"exaggerate": 1e-300})])
    return hold.evaluate(poses.source)


@pytest.mark.parametrize("name", ["walk", "run", "jump", *RECORDINGS])
@pytest.mark.parametrize("edit", [undone, muted, removed, held_alone])
def test_an_edit_of_nothing_gives_the_source(
    name: str, edit: Callable[[StaggeredPoses, str], Motion]
) -> None:
    motion = source(name)
    poses, thigh = StaggeredPoses.from_motion(motion), find_body(motion).limbs["left_leg"].upper
    assert apart(edit(poses, motion.skeleton.names[thigh]), motion) < 1e-9


@pytest.mark.parametrize("name", ["walk", "jump", *RECORDINGS])
def test_a_small_edit_moves_feet_little(name: str) -> None:
    motion = source(name)
    contacts = [c for c in detect_contacts(motion) if c.firmness == 1]
    still = TimeWarp.identity(*motion.domain)
    for weight in (0.1, 1e-3, 1e-6):
        made = Recipe([Step("stagger", {"exaggerate": weight})]).evaluate(motion)
        off = off_path(motion, made, still, contacts)
        assert max(np.abs(d).max() for d in off) < max(0.02 * weight, 1e-6)
    assert apart(made, motion) < 0.01


@RECORDED
def test_a_dragged_hand_moves_no_foot() -> None:
    motion = source("16_15")
    body = find_body(motion)
    key = SurfaceKey(time=1.0, joint="RightHand", shift=-0.2)
    made = Recipe([Step("surface", {"keys": [key]})]).evaluate(motion)
    legs = [j for j in range(len(motion.skeleton)) if (body.limb_of(j) or "").endswith("leg")]
    assert apart(made, motion) > 0.05
    assert quat.angle(made.rotations[:, legs], motion.rotations[:, legs]).max() < 1e-9


def test_a_figure_that_is_moved_far_takes_its_contacts_along() -> None:
    """Between 0.2 and 0.3 body heights the share grows continuously."""
    walk = samples.walk()
    tall = height(walk.skeleton) * walk.units.metres
    contact = next(c for c in detect_contacts(walk) if c.start > 1)
    j, frames = walk.skeleton.index(contact.joint), walk.times >= contact.start
    frames &= walk.times <= contact.end
    root = walk.skeleton.names[0]
    moved = []
    for far in np.linspace(0, 0.4, 41):
        way = np.tile([0.0, 0.0, far * tall], (len(walk), 1)) / walk.units.metres
        layer = PoseLayer(walk.times, translations={root: way})
        steps = [Step("pose", {"layer": layer}), Step("stagger", {"exaggerate": 1e-300})]
        made = Recipe(steps).evaluate(walk)
        moved.append((positions(made) - positions(walk))[frames, j].mean(axis=0)[2] / tall)
    shares = np.array(moved)
    assert np.abs(shares[:20]).max() < 1e-6
    assert shares[-2:] == pytest.approx([0.39, 0.4], abs=1e-6)
    assert np.diff(shares).max() < 0.06


def test_a_leg_that_is_straight_in_the_source_stays_so() -> None:
    """A goal that changes nothing bends no knee, and one that changes little bends it little."""
    walk = samples.walk()
    limb = find_body(walk).limbs["left_leg"]
    straight = walk.rotations.copy()
    straight[:, limb.lower] = [1.0, 0.0, 0.0, 0.0]
    motion = replace(walk, rotations=straight)
    solver = LimbSolver.of(motion, limb, hinge=hinge_axis(walk, limb))
    for size, most in ((1e-12, 1e-5), (1e-4, 0.05)):
        move = np.tile([0.0, size, 0.0], (len(motion), 1))
        made, _ = solver.reach(limb.end, move, quat.identity(len(motion)))
        assert apart(made, motion) < most


def test_the_hinge_keeps_its_side_where_a_straight_thigh_turns_over() -> None:
    walk = samples.walk()
    limb = find_body(walk).limbs["left_leg"]
    bone = walk.skeleton.offsets[limb.lower]
    flip = quat.from_axis_angle(bone / np.linalg.norm(bone), np.pi * 179 / 180)
    local = walk.rotations.copy()
    late = slice(20, 40)
    local[late, limb.upper] = quat.multiply(local[late, limb.upper], flip)
    local[late, limb.lower] = quat.multiply(quat.conjugate(flip), local[late, limb.lower])
    turned = replace(walk, rotations=local)
    assert np.abs(positions(turned) - positions(walk)).max() < 1e-9
    above, points = cached_rotations(turned)[:, limb.upper], cached_positions(turned)
    hip, knee, end = (points[:, j] for j in (limb.upper, limb.lower, limb.end))
    sides = half_turns(above, knee - hip, end - knee)
    assert set(np.flatnonzero(np.diff(sides))) == {19, 39}
    one, other = (LimbSolver.of(m, limb, hinge=hinge_axis(m, limb)).hinge for m in (walk, turned))
    assert one is not None
    assert other is not None
    assert (one * other).sum(axis=1).min() > 0.99


def test_the_hinge_turns_with_a_leg_that_jumps() -> None:
    walk = samples.walk()
    limb = find_body(walk).limbs["left_leg"]
    bone = walk.skeleton.offsets[limb.lower]
    local = walk.rotations.copy()
    local[20:, limb.upper] = quat.multiply(
        local[20:, limb.upper], quat.from_axis_angle(bone / np.linalg.norm(bone), np.pi)
    )
    jumped = replace(walk, rotations=local)
    above, points = cached_rotations(jumped)[:, limb.upper], cached_positions(jumped)
    hip, knee, end = (points[:, j] for j in (limb.upper, limb.lower, limb.end))
    assert (half_turns(above, knee - hip, end - knee) == 1).all()


def test_given_contacts_stay_at_one_point() -> None:
    walk = samples.walk()
    found = next(c for c in detect_contacts(walk) if c.start > 1)
    given = Contact(found.joint, found.start + 0.05, found.end - 0.05)
    poses = StaggeredPoses.from_motion(walk)
    made = replace(poses, contacts=(given,)).exaggerate(0.2).motion()
    frames = (made.times >= given.start) & (made.times <= given.end)
    place = positions(made)[frames, walk.skeleton.index(given.joint)]
    assert np.abs(place - place.mean(axis=0)).max() < 1e-6


@RECORDED
@pytest.mark.parametrize("name", ["02_01", "13_11", "16_15", "49_02", "111_32"])
def test_hold_stands_feet_still_along_the_ground(name: str) -> None:
    """Toes are pulled down to where they stand, unless the source lifts them by more than 1 cm."""
    motion = source(name)
    feet = find_body(motion).ground_joints()
    contacts = [c for c in detect_contacts(motion) if c.joint in feet and c.firmness == 1]
    held = Recipe([Step("hold")]).evaluate(motion)
    assert plant_drift(held, contacts).max() < 1e-6
    for contact in contacts:
        frames = (motion.times >= contact.start) & (motion.times <= contact.end)
        j = motion.skeleton.index(contact.joint)
        before, after = (positions(m)[frames, j, 1] for m in (motion, held))
        point = after.min()
        low = before < point + 0.01
        assert np.abs(after[low] - point).max(initial=0.0) < 1e-6
        assert (after[~low] < before[~low]).all()


def test_noise_of_toes_turns_the_foot_of_a_straight_leg() -> None:
    """Half a millimetre would turn a nearly straight knee by degrees in every other frame."""
    walk = samples.walk()
    body = find_body(walk)
    limb = body.limbs["left_leg"]
    local = np.repeat(walk.rotations[:1], 120, axis=0)
    local[:, limb.lower] = quat.exp(0.1 * np.array(quat.log(local[:, limb.lower])))
    rng = np.random.default_rng(3)
    root = walk.skeleton.names[0]
    noise = np.zeros((120, 3))
    noise[:, 1] = 5e-4 * rng.choice([-1.0, 1.0], 120) / walk.units.metres
    still = np.repeat(walk.translations[root][:1], 120, axis=0) + noise
    motion = replace(walk, rotations=local, translations={root: still})
    toe = motion.skeleton.names[limb.tip or limb.end]
    place = positions(motion)[:, motion.skeleton.index(toe)].mean(axis=0)
    held = hold_contacts(motion, {Contact(toe, *motion.domain): place})
    assert plant_drift(held, [Contact(toe, *motion.domain)]).max() < 1e-9
    turned = quat.angle(held.rotations[1:], held.rotations[:-1]).max(axis=0)
    assert turned[limb.lower] < 0.5 * turned[limb.end]
