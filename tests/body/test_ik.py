"""Limbs of two bones, and contacts held by them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retime import Contact, InputError, Motion, PoseLayer, Recipe, Step, Units, quat, samples
from retime.arrays import FloatArray
from retime.body import find_body
from retime.body.contacts import detect_contacts
from retime.body.measure.metrics import plant_drift
from retime.body.solve.hinges import hinge_axis
from retime.body.solve.ik import hold_contacts, two_bone
from retime.motion.contact import carry_contacts
from retime.motion.kinematics import positions

COORDINATES = st.floats(-2, 2)


@given(
    st.tuples(COORDINATES, COORDINATES, COORDINATES),
    st.floats(0.1, 1),
    st.floats(0.1, 1),
    st.tuples(COORDINATES, COORDINATES, COORDINATES),
)
def test_bones_keep_their_lengths_and_reach_what_is_in_reach(
    target: tuple[float, float, float], upper: float, lower: float, pole: tuple[float, float, float]
) -> None:
    base, goal = np.zeros((1, 3)), np.array([target])
    middle, end = two_bone(base, goal, upper, lower, np.array([pole]))
    if np.linalg.norm(goal) < 1e-6:
        return  # a limb folded onto itself has no direction
    out_of_line = np.linalg.norm(np.cross(goal[0], pole)) > 1e-3 * np.linalg.norm(goal)
    if out_of_line:
        assert np.linalg.norm(middle) == pytest.approx(upper, abs=1e-9)
        assert np.linalg.norm(end - middle) == pytest.approx(lower, abs=1e-9)
    distance = float(np.linalg.norm(goal))
    if abs(upper - lower) * 1.01 + 1e-3 < distance < 0.99 * (upper + lower):
        np.testing.assert_allclose(end, goal, atol=1e-9)


@pytest.mark.parametrize(
    "base, target, upper, lower, pole, shape",
    [
        ((), (), (4,), (), (), (4,)),
        ((), (), (4, 1), (3,), (), (4, 3)),
        ((3,), (2, 1), (), (), (), (2, 3)),
        ((), (), (), (), (5,), (5,)),
        ((), (), (), (), (), ()),
        ((0,), (), (), (), (), (0,)),
    ],
)
def test_limbs_are_broadcast(
    base: tuple[int, ...],
    target: tuple[int, ...],
    upper: tuple[int, ...],
    lower: tuple[int, ...],
    pole: tuple[int, ...],
    shape: tuple[int, ...],
) -> None:
    draw = np.random.default_rng(0).uniform
    vectors = [draw(0.2, 0.5, (*s, 3)) for s in (base, target, pole)]
    bones = [draw(0.4, 0.8, s) for s in (upper, lower)]
    start, goal, out = (np.broadcast_to(v, (*shape, 3)) for v in vectors)
    first, second = (np.broadcast_to(b, shape) for b in bones)
    middle, end = two_bone(vectors[0], vectors[1], bones[0], bones[1], vectors[2])
    assert middle.shape == end.shape == (*shape, 3)
    for at in np.ndindex(shape):
        one = two_bone(start[at], goal[at], first[at], second[at], out[at])
        np.testing.assert_array_equal((middle[at], end[at]), one)


def bumps(motion: Motion, *, turn: float = 0.0, move: float = 0.0) -> PoseLayer:
    """Shake a pelvis: turned and moved to and fro, at rest at both ends."""
    t = np.linspace(*motion.domain, 9)
    wave = np.sin(np.linspace(0, 4 * np.pi, 9))[:, None]
    return PoseLayer(
        t,
        rotations={"Hips": turn * wave * [1.0, 0.7, -0.4]},
        translations={"Hips": move * wave * [1.0, -0.6, 0.8]},
    )


EDITS = {
    "faster": [Step("spline", {"duration": 2.9, "keytimes": [(1.0, 1.7)]})],
    "pelvis": [Step("pose", {"layer": bumps(samples.walk(), turn=0.15, move=0.04)})],
    "both": [
        Step("pose", {"layer": bumps(samples.walk(), turn=0.1, move=0.03)}),
        Step("spline", {"duration": 5.0}),
    ],
}


def on_a_treadmill(speed: float = 0.0) -> tuple[Motion, float]:
    """Return a walk on the spot, or one on a belt of a given speed, and the ground's velocity."""
    walk = samples.walk()
    gone = (walk.root_translation[-1, 2] - walk.root_translation[0, 2]) / walk.duration
    root = walk.root_translation.copy()
    root[:, 2] += (speed or -gone) * walk.times
    return replace(walk, translations={"Hips": root}), speed or -gone


def test_feet_on_a_belt_move_with_it() -> None:
    motion, belt = on_a_treadmill()
    steps = EDITS["both"]
    held = Recipe([*steps, Step("hold")]).evaluate(motion)
    found = detect_contacts(motion, min_contact=0.25)
    assert found
    assert all(c.velocity[2] == pytest.approx(belt, rel=0.1) for c in found)
    contacts = carry_contacts(found, Recipe(steps).warp(motion))
    assert plant_drift(held, contacts).max() < 1e-3
    assert plant_drift(Recipe(steps).evaluate(motion), contacts).max() > 0.02


def test_a_moving_support_may_be_given() -> None:
    walk = samples.walk()
    stances = [c for c in detect_contacts(walk, min_contact=0.25) if c.start > 0.2]
    deck = 0.6
    boat, _ = on_a_treadmill(deck)  # walks forward on a deck that drifts forward
    given = tuple(replace(c, velocity=(0.0, 0.0, deck)) for c in stances)
    hold = Step("hold", {"contacts": given, "contacts_only": True})
    held = Recipe([hold, *EDITS["both"]]).evaluate(boat)
    contacts = carry_contacts(given, Recipe(EDITS["both"]).warp(boat))
    assert plant_drift(held, contacts).max() < 1e-3
    assert Contact.from_document(given[0].to_document()) == given[0]


@pytest.mark.parametrize("velocity", [[1.0], "fast", [0.0, 0.0, float("nan")], None])
def test_a_velocity_that_is_none_is_refused(velocity: object) -> None:
    with pytest.raises(InputError, match="velocity"):
        Contact.from_document({"joint": "Hips", "start": 0, "end": 1, "velocity": velocity})


@pytest.mark.parametrize("edit", EDITS)
def test_planted_feet_stay_where_the_source_had_them(edit: str) -> None:
    made = samples.sample("walk")
    steps = EDITS[edit]
    held = Recipe([*steps, Step("hold")]).evaluate(made.motion)
    # A stance that is cut off by the clip's start leaves the leg too short where the hips move.
    found = detect_contacts(made.motion, min_contact=0.25)
    contacts = carry_contacts(found, Recipe(steps).warp(made.motion))
    assert plant_drift(held, contacts).max() < 1e-3
    for contact in contacts:
        j = held.skeleton.index(contact.joint)
        inside = (held.times >= contact.start) & (held.times <= contact.end)
        place = positions(held)[inside, j].mean(axis=0)
        shown = Recipe(steps).warp(made.motion)(held.times[inside], contact.joint)
        frame, _ = made.motion.frame_at(shown)
        there = positions(made.motion)[frame, j].mean(axis=0)
        assert np.linalg.norm(place - there) < 5e-3


def test_only_the_limbs_of_contacts_move() -> None:
    motion = samples.walk()
    layer = bumps(motion, turn=0.1)
    loose = Recipe([Step("pose", {"layer": layer})]).evaluate(motion)
    held = Recipe([Step("pose", {"layer": layer}), Step("hold")]).evaluate(motion)
    moved = quat.angle(loose.rotations, held.rotations).max(axis=0) > 1e-9
    names = {n for n, m in zip(motion.skeleton.names, moved, strict=True) if m}
    assert names <= {f"{s}{j}" for s in ("Left", "Right") for j in ("UpLeg", "Leg", "Foot")}
    assert names


def test_bones_keep_their_lengths() -> None:
    motion = samples.walk()
    held = Recipe([Step("pose", {"layer": bumps(motion, move=0.05)}), Step("hold")]).evaluate(
        motion
    )
    for a, b in (("LeftUpLeg", "LeftLeg"), ("LeftLeg", "LeftFoot"), ("LeftFoot", "LeftToe")):
        bone = [positions(m)[:, [m.skeleton.index(a), m.skeleton.index(b)]] for m in (motion, held)]
        length = [np.linalg.norm(x[:, 0] - x[:, 1], axis=1) for x in bone]
        np.testing.assert_allclose(length[0], length[1], atol=1e-9)


def test_a_motion_whose_contacts_hold_is_left_as_it_is() -> None:
    motion = samples.punches()
    held = Recipe([Step("hold")]).evaluate(motion)
    assert quat.angle(motion.rotations, held.rotations).max() < 1e-5


def test_the_correction_fades_beside_a_contact() -> None:
    motion = samples.walk()
    contact = Contact("LeftToe", 1.25, 1.6)
    j = motion.skeleton.index("LeftToe")
    target = positions(motion)[90, j] + [0.0, 0.0, 0.04]
    held = hold_contacts(motion, {contact: target}, fade=0.2)
    away = np.linalg.norm(positions(held)[:, j] - positions(motion)[:, j], axis=1)
    inside = (motion.times >= 1.25 - 1e-9) & (motion.times <= 1.6 + 1e-9)
    far = (motion.times < 1.05 - 1e-9) | (motion.times > 1.8 + 1e-9)
    assert away[inside] == pytest.approx(0.04, abs=1e-6)
    assert (away[far] == 0).all()
    assert np.abs(np.diff(away)).max() < 0.04 * 1.875 / (0.2 * 60) + 1e-3  # the fade's own slope


def test_a_weight_moves_part_of_the_way() -> None:
    motion = samples.walk()
    layer = Step("pose", {"layer": bumps(motion, move=0.04)})
    none, half, full = (
        Recipe([layer, Step("hold", weight=w)]).evaluate(motion) for w in (0.0, 0.5, 1.0)
    )
    whole = quat.angle(none.rotations, full.rotations)
    part = quat.angle(none.rotations, half.rotations)
    np.testing.assert_allclose(part, whole / 2, atol=1e-6)


def test_hands_are_held_by_their_arms() -> None:
    made = samples.sample("handshake")
    contact = Contact("RightHand", 1.5, 2.4)
    target = positions(made.motion)[105, made.motion.skeleton.index("RightHand")]
    held = hold_contacts(made.motion, {contact: target})
    assert plant_drift(held, [contact]).max() < 1e-6


@pytest.mark.parametrize("only", [False, True])
def test_given_contacts_replace_those_found_for_their_joints(only: bool) -> None:
    motion = samples.walk()
    given = (Contact("LeftToe", 1.3, 1.5),)
    layer = Step("pose", {"layer": bumps(motion, move=0.04)})
    slower = Step("spline", {"duration": 2 * motion.duration})
    hold = Step("hold", {"contacts": given, "contacts_only": only})
    held = Recipe([layer, hold, slower]).evaluate(motion)
    assert plant_drift(held, [Contact("LeftToe", 2.6, 3.0)])[0] < 1e-6
    whole = detect_contacts(motion, min_contact=0.25)
    found = carry_contacts(whole, Recipe([slower]).warp(motion))
    drift = dict(zip(found, plant_drift(held, found), strict=True))
    left, right = (
        min(d for c, d in drift.items() if c.joint == f"{side}Toe") for side in ("Left", "Right")
    )
    assert left > 0.01  # not held where the given contacts leave it out
    assert right > 0.01 if only else right < 1e-6
    assert any("RightToe are dropped" in n for n in held.notes) == only


def test_a_leg_too_short_is_said() -> None:
    motion = samples.walk()
    up = PoseLayer(np.array([0.0, 4.0]), translations={"Hips": np.full((2, 3), [0.0, 0.6, 0.0])})
    held = Recipe([Step("pose", {"layer": up}), Step("hold")]).evaluate(motion)
    assert any("too short for a contact" in n for n in held.notes)


def test_what_no_limb_holds_is_said_and_left() -> None:
    motion = samples.walk()
    held = hold_contacts(motion, {Contact("Head", 1.0, 2.0): np.zeros(3)})
    assert any("no limb holds the contacts of Head" in n for n in held.notes)
    assert held.rotations is motion.rotations


def test_a_figure_without_contacts_says_so() -> None:
    out = Recipe([Step("hold")]).evaluate(samples.chain())
    assert any("no contacts to hold were found: no feet" in n for n in out.notes)


def test_a_figure_in_z_up_centimetres_is_held_too() -> None:
    """Turned and scaled, the same motion must be mended the same way."""
    motion = samples.walk()
    layer = bumps(motion, move=0.04)
    upright = Recipe([Step("pose", {"layer": layer}), Step("hold")]).evaluate(motion)
    turn = quat.from_axis_angle([1.0, 0, 0], np.pi / 2)
    skeleton = replace(motion.skeleton, offsets=100 * motion.skeleton.offsets)
    rotations = motion.rotations.copy()
    rotations[:, 0] = quat.multiply(turn, rotations[:, 0])
    moved = replace(
        motion,
        skeleton=skeleton,
        rotations=rotations,
        translations={"Hips": 100 * quat.rotate(turn, motion.root_translation)},
        units=replace(motion.units, metres=0.01, up="Z"),
    )
    shake = PoseLayer(
        layer.times, translations={"Hips": 100 * quat.rotate(turn, layer.translations["Hips"])}
    )
    other = Recipe([Step("pose", {"layer": shake}), Step("hold")]).evaluate(moved)
    np.testing.assert_allclose(positions(other), positions(upright), atol=1e-6)


@pytest.mark.parametrize("fade", [-0.1, np.nan])
def test_a_bad_fade_gets_a_sentence(fade: float) -> None:
    with pytest.raises(InputError, match="fade"):
        hold_contacts(samples.walk(), {}, fade=fade)


def t_pose(seconds: float = 1.0) -> Motion:
    """Stand with straight arms and legs: no limb tells where it bends."""
    stands = samples.swing()
    frames = round(60 * seconds) + 1
    root = np.tile(stands.skeleton.offsets[0], (frames, 1))
    rotations = quat.identity(frames, len(stands.skeleton))
    return replace(stands, rotations=rotations, translations={"Hips": root})


@pytest.mark.parametrize("joint", ["LeftHand", "RightHand", "LeftToe", "RightToe"])
def test_straight_limbs_bend_either_side(joint: str) -> None:
    """An arm along -X is half a turn from +X, which has no axis of its own."""
    motion = t_pose()
    contact = Contact(joint, 0.3, 0.6)
    place = positions(motion)[0, motion.skeleton.index(joint)]
    target = place + np.array([-0.05 * np.sign(place[0]), 0.03, 0.02])
    held = hold_contacts(motion, {contact: target})
    inside = (held.times >= 0.3) & (held.times <= 0.6)
    reached = positions(held)[inside, held.skeleton.index(joint)]
    assert np.abs(reached - target).max() < 1e-6
    assert not any("too short" in note for note in held.notes)


def test_a_limb_with_a_bone_of_no_length_is_left() -> None:
    motion = t_pose()
    offsets = motion.skeleton.offsets.copy()
    offsets[motion.skeleton.index("LeftLeg")] = 0.0
    flat = replace(motion, skeleton=replace(motion.skeleton, offsets=offsets))
    held = hold_contacts(flat, {Contact("LeftToe", 0.2, 0.5): np.zeros(3)})
    assert any("bone of no length" in note for note in held.notes)


def test_contacts_that_follow_at_once_do_not_tear_a_foot() -> None:
    walk = samples.walk()
    body = find_body(walk)
    toe = body.name("left_toe") or body.name("left_foot")
    assert toe is not None
    j = walk.skeleton.index(toe)
    place = positions(walk)[:, j]
    step = 1 / walk.rate
    one, other = Contact(toe, 1.0, 1.5), Contact(toe, 1.5 + step, 2.0)
    targets = {c: place[int(1.5 * walk.rate)] + s for c, s in ((one, 0.0), (other, [0.03, 0, 0]))}
    held = hold_contacts(walk, targets)
    way = np.linalg.norm(np.diff(positions(held)[:, j], axis=0), axis=1)
    inside = slice(int(1.1 * walk.rate), int(1.9 * walk.rate))
    assert way[inside].max() * walk.rate < 1.0  # m/s; at once it would be 1.8 and more
    early, late = (positions(held)[int(t * walk.rate), j] for t in (1.2, 1.8))
    np.testing.assert_allclose(early, targets[one], atol=1e-4)
    np.testing.assert_allclose(late, targets[other], atol=1e-4)


def bend_of(motion: Motion, upper: str, lower: str, end: str) -> FloatArray:
    """Return by how much a limb is bent, degrees, (F,)."""
    hip, knee, ankle = (
        positions(motion)[:, motion.skeleton.index(name)] for name in (upper, lower, end)
    )
    thigh, shin = knee - hip, ankle - knee
    lengths = np.linalg.norm(thigh, axis=1) * np.linalg.norm(shin, axis=1)
    out: FloatArray = np.degrees(np.arccos(np.clip((thigh * shin).sum(1) / lengths, -1, 1)))
    return out


def test_a_leg_that_is_pulled_straight_does_not_snap() -> None:
    stands = t_pose()
    half = np.radians(np.interp(stands.times, [0, 0.2, 0.8, 1], [20, 20, 6, 6]))
    rotations = stands.rotations.copy()
    for name, turn in (("LeftUpLeg", -half), ("LeftLeg", 2 * half), ("LeftFoot", -half)):
        j = stands.skeleton.index(name)
        rotations[:, j] = quat.from_axis_angle([1, 0, 0], turn)
    motion = replace(stands, rotations=rotations)
    contact = Contact("LeftToe", 0.3, 0.7)
    inside = (motion.times >= 0.3) & (motion.times <= 0.7)
    target = positions(motion)[inside, motion.skeleton.index("LeftToe")].mean(axis=0)
    target[1] -= 0.05  # more than the leg has left
    held = hold_contacts(motion, {contact: target})
    reached = positions(held)[inside, held.skeleton.index("LeftToe")]
    np.testing.assert_allclose(reached, np.broadcast_to(target, reached.shape), atol=1e-6)
    leg = ("LeftUpLeg", "LeftLeg", "LeftFoot")
    before, after = bend_of(motion, *leg), bend_of(held, *leg)
    assert (after[inside] < 0.95 * before[inside]).any()  # it does give way
    assert (after > 0.45 * np.minimum(before, 22)).all()  # but keeps half of its last bend


@pytest.mark.parametrize("up", ["Y", "Z"])
def test_a_seat_is_held_by_the_whole_body(up: str) -> None:
    motion = samples.swing()
    if up == "Z":
        turn = quat.from_axis_angle([1, 0, 0], np.pi / 2)
        rotations = motion.rotations.copy()
        rotations[:, 0] = quat.multiply(turn, rotations[:, 0])
        root = quat.rotate(turn, motion.root_translation)
        motion = replace(
            motion, rotations=rotations, translations={"Hips": root}, units=Units(1.0, "Z")
        )
    layer = Step("pose", {"layer": bumps(motion, move=0.04)})
    hold = Step("hold", {"contacts": [Contact("Hips", 0.5, 1.5)], "contacts_only": True})
    moved = Recipe([layer]).evaluate(motion)
    held = Recipe([hold, layer]).evaluate(motion)
    contact = [Contact("Hips", 0.5, 1.5)]
    assert plant_drift(moved, contact)[0] > 0.01
    assert plant_drift(held, contact)[0] < 1e-9


def test_a_held_foot_does_not_jump_when_its_contact_passes_a_frame() -> None:
    walk = samples.walk()
    frame = float(walk.times[40])
    made = []
    for end in (frame - 1e-6, frame + 1e-6):
        contact = Contact("LeftFoot", float(walk.times[20]), end)
        place = positions(walk)[30, walk.skeleton.index("LeftFoot")] + [0.02, 0.0, 0.05]
        made.append(positions(hold_contacts(walk, {contact: place})))
    assert np.abs(made[1] - positions(walk)).max() > 0.03
    assert np.abs(made[1] - made[0]).max() < 1e-4


def test_an_elbow_a_hair_past_straight_bends_as_usual_when_its_hand_is_held() -> None:
    walk = samples.walk()
    body, j = find_body(walk), walk.skeleton.index("LeftForeArm")
    limb = body.limbs["left_arm"]
    axis = hinge_axis(walk, limb)
    assert axis is not None
    # The upper arm's frame is the parent's: 4 degrees of bend, then 2 past straight.
    bend = np.radians(np.linspace(4, -2, len(walk)))
    rotations = walk.rotations.copy()
    rotations[:, limb.lower] = quat.exp(bend[:, None] * axis)
    straight = replace(walk, rotations=rotations)
    near = positions(straight)[:, limb.upper] + 0.8 * (
        positions(straight)[:, limb.end] - positions(straight)[:, limb.upper]
    )
    contact = Contact("LeftHand", *walk.domain)
    held = hold_contacts(straight, {contact: near})
    turned = quat.angle(held.rotations[:-1, j], held.rotations[1:, j])
    assert np.degrees(turned.max()) < 2
