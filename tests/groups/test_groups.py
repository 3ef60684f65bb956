"""Groups: members meet exactly, one alone is guided, and contradictions are listed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from retime import (
    GroupRecipe,
    InfeasibleError,
    InputError,
    Link,
    Shared,
    apply,
    find_shared,
    find_touches,
    group,
    guided,
    positions,
    read,
    read_group_recipe,
    samples,
    write,
    write_group_recipe,
)
from retime.evaluate import Evaluator, Job
from retime.evaluate.group import GroupJob, evaluate_group
from retime.groups.group import GroupResult
from retime.groups.parameters import GroupParameters
from retime.motion import Motion, quat
from retime.motion.skeleton import Skeleton
from retime.parameters import build
from retime.recipe import Recipe, Step

SPAN = (1.2, 2.7)


@pytest.fixture(scope="module")
def hands() -> dict[str, Motion]:
    one, other = samples.handshake()
    return {"Ann": one, "Ben": other}


def both_in_one(one: Motion, other: Motion) -> Motion:
    """Return a scene: both figures below a common joint that is turned and moved."""
    count = len(one.skeleton)
    names = [*one.skeleton.names, *(f"{n}2" for n in other.skeleton.names)]
    parents = [np.where(m.skeleton.parents < 0, 0, m.skeleton.parents + 1 + k * count)
               for k, m in enumerate((one, other))]  # fmt: skip
    turn = quat.from_axis_angle(np.array([0.0, 1.0, 0.0]), 0.7)
    place = np.array([1.0, 0.0, 2.0])
    rotations = np.concatenate(
        [np.tile(turn, (len(one), 1, 1)), one.rotations, other.rotations], axis=1
    )
    back = quat.conjugate(turn)
    for top in (1, 1 + count):
        rotations[:, top] = quat.multiply(back, rotations[:, top])
    tracks = {
        name: quat.rotate(back, m.root_translation - place)
        for name, m in (("Hips", one), ("Hips2", other))
    }
    skeleton = Skeleton(
        ("scene", *names),
        np.array([-1, *parents[0], *parents[1]]),
        np.concatenate([np.zeros((1, 3)), one.skeleton.offsets, other.skeleton.offsets]),
    )
    scene = {"scene": np.tile(place, (len(one), 1)), **tracks}
    return Motion(skeleton, rotations, scene, fps=one.fps)


@pytest.fixture(scope="module")
def shaken(hands: dict[str, Motion]) -> GroupResult:
    keytimes = {"Ann": [(0.5, 0.9)]}
    return group(hands, duration=3.0, shared=[Shared(*SPAN)], keytimes=keytimes)


def together(**values: Any) -> GroupParameters:
    """Return a common timing from values as in a file."""
    made: GroupParameters = build(GroupParameters, values)
    return made


def apart(result: GroupResult, start: float, end: float, names: str = "Ann Ben") -> float:
    """Return by how much members show a moment of a span at different times, seconds."""
    times = np.linspace(start, end, 300)
    shown = [result.warps[name].inverse(times) for name in names.split()]
    return float(np.ptp(shown, axis=0).max())


def test_a_group_of_one_is_guided(hands: dict[str, Motion]) -> None:
    motion = hands["Ann"]
    alone = group({"Ann": motion}, duration=3.0, keytimes={"Ann": [(1.0, 1.4)]}).warps["Ann"]
    alike = guided(motion, duration=3.0, keytimes=[(1.0, 1.4)]).warp
    times = np.linspace(0, 3, 500)
    assert np.abs(alone(times) - alike(times)).max() < 1e-9


def test_members_meet_exactly_and_go_their_own_ways(shaken: GroupResult) -> None:
    assert apart(shaken, *SPAN) < 1e-9
    assert shaken.warps["Ann"].inverse(0.9) == pytest.approx(0.5, abs=1e-9)
    assert apart(shaken, 0.5, 1.0) > 0.01
    assert {m.duration for m in shaken.motions.values()} == {3.0}


def test_hands_keep_their_distance_in_written_files(
    hands: dict[str, Motion], shaken: GroupResult, tmp_path: Path
) -> None:
    written = {}
    for name, motion in shaken.motions.items():
        path = tmp_path / f"{name}.bvh"
        write(motion, path)
        written[name] = positions(read(path))
    hand = hands["Ann"].skeleton.index("RightHand")
    frames = shaken.motions["Ann"].times
    source = shaken.warps["Ann"](frames)
    inside = (source >= SPAN[0]) & (source <= SPAN[1])
    now = np.linalg.norm(written["Ann"][:, hand] - written["Ben"][:, hand], axis=1)[inside]
    one, other = (positions(apply(m, shaken.warps["Ann"]))[inside, hand] for m in hands.values())
    assert np.abs(now - np.linalg.norm(one - other, axis=1)).max() < 1e-4


def test_a_link_fixes_the_flight_of_a_ball() -> None:
    thrower, catcher, ball = samples.throw()
    result = group(
        {"Ann": thrower, "Ben": catcher, "ball": ball},
        duration=3.2,
        links=[Link("Ann", 1.6, "Ben", 2.3)],
        keytimes={"Ann": [(1.2, 1.6)]},
        follow={"ball": {"Ann": 1, "Ben": 1}},
    )
    thrown, caught = result.warps["Ann"].inverse(1.6), result.warps["Ben"].inverse(2.3)
    assert caught - thrown == pytest.approx(0.7, abs=1e-9)
    assert len({len(m) for m in result.motions.values()}) == 1


def test_a_follower_increases_and_agrees_where_its_leaders_do(
    hands: dict[str, Motion],
) -> None:
    members = {**hands, "camera": hands["Ann"]}
    result = group(
        members, duration=3.0, shared=[Shared(*SPAN)], follow={"camera": {"Ann": 2, "Ben": 1}}
    )
    assert apart(result, *SPAN, "Ann Ben camera") < 1e-9
    assert (np.diff(result.warps["camera"].output) > 0).all()


def test_members_may_enter_later_and_leave_earlier(hands: dict[str, Motion]) -> None:
    ann, ben = hands["Ann"], hands["Ben"].between(0.8, 3.0)
    result = group({"Ann": ann, "Ben": ben}, duration=3.0, shared=[Shared(*SPAN)])
    assert apart(result, *SPAN) < 1e-9
    start, end = result.warps["Ben"].domain
    assert 0 < start < end < 3.0
    # All frames are at the times of the group's frames.
    assert start * ann.rate == pytest.approx(round(start * ann.rate), abs=1e-6)
    assert result.motions["Ben"].start == pytest.approx(start)


def test_a_range_leaves_the_rest_alone(hands: dict[str, Motion]) -> None:
    result = group(hands, range=(0.5, 3.5), duration=2.5, ripple=True, shared=[Shared(*SPAN)])
    for warp in result.warps.values():
        assert warp(0.4) == pytest.approx(0.4)
        assert warp.duration == pytest.approx(3.5)
        assert warp.rate(0.52) == pytest.approx(1.0, abs=0.1)
    assert apart(result, *SPAN) < 1e-9


def test_members_that_loop_keep_one_period() -> None:
    walk = samples.sample("walk").motion
    result = group({"one": walk, "two": walk}, duration=3.2, loop=True)
    assert all(w.loop for w in result.warps.values())


def test_a_pause_holds_all_who_share_the_moment(hands: dict[str, Motion]) -> None:
    plain, held = (
        group(hands, shared=[Shared(*SPAN)], pauses=pauses)
        for pauses in ({}, {"Ann": [(0.4, 0.3)], "Ben": [(2.0, 0.5)]})
    )
    assert plain.motions["Ann"].duration == 4.0
    assert held.motions["Ann"].duration == pytest.approx(4.8)
    assert apart(held, *SPAN) < 1e-9
    for name, moment, seconds in (("Ann", 0.4, 0.3), ("Ann", 2.0, 0.5), ("Ben", 2.0, 0.5)):
        first, last = held.warps[name].preimage(moment, moment + 1e-9) or (0.0, 0.0)
        assert last - first == pytest.approx(seconds, abs=1e-6)


def test_physics_meets_exactly_too(hands: dict[str, Motion]) -> None:
    result = group(hands, duration=4.4, method="physics", shared=[Shared(*SPAN)])
    assert apart(result, *SPAN) < 1e-9
    assert all((np.diff(w.output) > 0).all() for w in result.warps.values())


def test_spans_are_found_in_the_sample(hands: dict[str, Motion]) -> None:
    (span,) = find_shared(*hands.values())
    assert span == pytest.approx((1.3, 2.6), abs=0.2)
    assert all(touch.held for touch in find_touches(*hands.values()))
    result = group(hands, duration=3.0, shared="auto")
    assert [note.code for note in result.notes] == ["shared-found"]


def test_a_recipe_returns_from_its_file(tmp_path: Path) -> None:
    recipe = GroupRecipe(
        {"Ann": Recipe([Step("stagger", {"overlap": 0.5})]), "Ben": Recipe()},
        together(
            duration="75%",
            shared=[{"range": ["1.2s", "162f"], "who": ["Ann", "Ben"]}],
            links=[{"from": ["Ann", 0.4], "to": ["Ben", 0.6], "seconds": 0.3}],
            keytimes={"Ann": [[0.5, 0.9]]},
        ),
    )
    path = tmp_path / "scene.json"
    write_group_recipe(recipe, path)
    again = read_group_recipe(path)
    assert again.to_document() == recipe.to_document()
    assert again.together == recipe.together


def test_steps_of_a_member_follow_the_common_timing(hands: dict[str, Motion]) -> None:
    recipe = GroupRecipe(
        {"Ann": Recipe([Step("stagger", {"jitter": 0.05})])},
        together(duration="75%", shared=[Shared(*SPAN)]),
    )
    members = {name: Job(source=motion) for name, motion in hands.items()}
    done = evaluate_group(Evaluator(), GroupJob(members=members, recipe=recipe))
    assert [n.code for n in done.notes] == []
    hand = hands["Ann"].skeleton.index("RightHand")
    ann, ben = (done.members[n] for n in ("Ann", "Ben"))
    inside = (ann.warp(ann.motion.times) > 1.35) & (ann.warp(ann.motion.times) < 2.55)
    gap = [np.linalg.norm(a[:, hand] - b[:, hand], axis=1) for a, b in (
        (positions(ann.motion), positions(ben.motion)),
        (positions(ann.source), positions(ben.source)),
    )]  # fmt: skip
    then = np.interp(ann.warp(ann.motion.times)[inside], ann.source.times, gap[1])
    assert np.abs(gap[0][inside] - then).max() < 0.01


def test_own_timing_of_a_member_is_reported(hands: dict[str, Motion]) -> None:
    recipe = GroupRecipe(
        {"Ann": Recipe([Step("spline", {"duration": 2.0})])},
        together(duration="75%", shared=[Shared(*SPAN)]),
    )
    members = {name: Job(source=motion) for name, motion in hands.items()}
    done = evaluate_group(Evaluator(), GroupJob(members=members, recipe=recipe))
    assert [n.code for n in done.notes] == ["members-apart"]


def test_a_contradiction_lists_its_facts(hands: dict[str, Motion]) -> None:
    with pytest.raises(InfeasibleError) as caught:
        group(
            hands,
            shared=[Shared(*SPAN)],
            keytimes={"Ann": [(1.0, 1.5)], "Ben": [(1.4, 1.6)]},
            max_speed=2.0,
            min_speed=0.5,
        )
    assert all(name in str(caught.value) for name in hands)


BALL = samples.toss()
BAD: dict[str, tuple[dict[str, Motion] | None, dict[str, Any], str]] = {
    "no member": ({}, {}, "at least one member"),
    "span outside": (None, {"shared": [Shared(3.0, 5.0)]}, "is not a part of Ann"),
    "span backwards": (None, {"shared": [Shared(2.0, 1.0)]}, "must end after it starts"),
    "span of one": (None, {"shared": [Shared(1.0, 2.0, ["Ann"])]}, "two different members"),
    "span of nobody": (None, {"shared": [Shared(1.0, 2.0, ["Ann", "Bea"])]}, "'Bea'"),
    "link to itself": (None, {"links": [Link("Ann", 1.0, "Ann", 1.0)]}, "to itself"),
    "link outside": (None, {"links": [Link("Ann", 1.0, "Ben", 9.0)]}, "which lasts"),
    "links in a circle": (
        None,
        {"links": [Link("Ann", 1.0, "Ben", 1.0, 0.2), Link("Ben", 1.0, "Ann", 1.0, 0.2)]},
        "cannot all be true",
    ),
    "key of nobody": (None, {"keytimes": {"Bea": [(1, 1)]}}, "'Bea'"),
    "key beyond": (None, {"keytimes": {"Ann": [(1, 9)]}}, "Ann"),
    "pause of nobody": (None, {"pauses": {"Bea": [(1, 1)]}}, "'Bea'"),
    "pause outside": (None, {"pauses": {"Ann": [(9, 1)]}}, "outside"),
    "negative pause": (None, {"pauses": {"Ann": [(1, -1)]}}, "0 s or more"),
    "follows itself": (None, {"follow": {"Ann": "Ann"}}, "cannot follow itself"),
    "follows a follower": (None, {"follow": {"Ann": "Ben", "Ben": "Ann"}}, "a follower"),
    "follows nobody": (None, {"follow": {"Ann": "Bea"}}, "'Bea'"),
    "a share below 0": (None, {"follow": {"Ann": {"Ben": -1}}}, "0 or more"),
    "no duration": (None, {"duration": 0}, "above 0"),
    "a range outside": (None, {"range": (1, 9)}, "is not a part of the group"),
    "a misspelt name": (None, {"shared": [{"rnage": [1, 2]}]}, "range"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_gets_a_sentence(hands: dict[str, Motion], case: str) -> None:
    members, options, told = BAD[case]
    with pytest.raises((InputError, InfeasibleError), match=told):
        group(hands if members is None else members, **options)


def test_spans_that_overlap_and_members_that_are_no_bodies_are_right(
    hands: dict[str, Motion],
) -> None:
    members = {**hands, "ball": BALL}
    spans = [Shared(0.3, 0.9, ["Ann", "ball"]), Shared(0.6, 1.1, ["Ann", "Ben"])]
    result = group(members, duration=3.2, shared=spans)
    assert apart(result, 0.3, 0.9, "Ann ball") < 1e-9
    assert apart(result, 0.6, 1.1) < 1e-9


def test_characters_of_one_file_have_their_own_warps(
    hands: dict[str, Motion], tmp_path: Path
) -> None:
    scene, target = tmp_path / "scene.glb", tmp_path / "retimed.glb"
    write(both_in_one(*hands.values()), scene)
    keytimes = {"Ann": [(0.5, 0.9)]}
    recipe = GroupRecipe({}, together(duration="75%", shared=[Shared(*SPAN)], keytimes=keytimes))
    members = {name: Job(source=scene, target=target) for name in ("Ann", "Ben")}
    job = GroupJob(members=members, recipe=recipe, parts={"Ann": "Hips", "Ben": "Hips2"})
    done = evaluate_group(Evaluator(), job).members
    assert done["Ann"] is done["Ben"]
    alone = group(hands, duration=3.0, shared=[Shared(*SPAN)], keytimes=keytimes)
    write(done["Ann"].motion, target)
    made = read(target)
    for name, mark in (("Ann", ""), ("Ben", "2")):
        own = alone.motions[name]
        joints = [made.skeleton.index(f"{joint}{mark}") for joint in own.skeleton.names]
        assert np.abs(positions(made)[:, joints] - positions(own)).max() < 1e-4
