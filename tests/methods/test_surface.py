"""Time control surfaces: a drag is met exactly, fades smoothly, and harms nothing else."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from contact_making import off_path
from retime import (
    Contact,
    ControlPoint,
    ControlSurfaces,
    InputError,
    Motion,
    Recipe,
    Step,
    SurfaceKey,
    TimeWarp,
    apply,
    detect_contacts,
    find_body,
    positions,
    quat,
    read_recipe,
    samples,
    write_recipe,
)
from retime.arrays import FloatArray
from retime.body.solve.ik import hold_contacts
from retime.methods.surface import surface_warp
from retime.methods.surface.arrival import arrival
from retime.methods.surface.projection import seen_at, topological_distances
from retime.methods.surface.propagation import bump
from retime.motion.kinematics import global_rotations

HAND = "RightHand"


@pytest.fixture(scope="module")
def motion() -> Motion:
    return samples.punches()


@pytest.fixture(scope="module")
def walk() -> Motion:
    return samples.walk()


def key(**changes: Any) -> SurfaceKey:
    return SurfaceKey(**{"time": 1.2, "joint": HAND, "shift": -0.2, **changes})


def slopes(warp: TimeWarp) -> FloatArray:
    graphs = warp.channels.values()
    return np.concatenate([np.diff(g.y) / np.diff(g.x) for g in graphs])


# ---- the drag


@pytest.mark.parametrize("shift", [-0.4, -0.2, -0.05, 0.1, 0.35])
def test_a_dragged_joint_arrives_exactly(motion: Motion, shift: float) -> None:
    warp = surface_warp(motion, [key(shift=shift)])
    assert float(warp(1.2 + shift, HAND)) == 1.2
    assert slopes(warp).min() >= 0.0999


def test_each_joint_peaks_at_its_own_time(motion: Motion) -> None:
    surfaces = ControlSurfaces(motion, [key()], falloff="joint")
    warp, shifts = surfaces.warp(), surfaces.shifts[0]
    weights = surfaces.weights()
    assert weights[motion.skeleton.index(HAND)] == 1.0
    for name in ("RightForeArm", "RightArm"):
        j = motion.skeleton.index(name)
        assert 0 < weights[j] < 1
        assert shifts[j] == pytest.approx(weights[j] * -0.2)
        assert float(warp(1.2 + shifts[j], name)) == pytest.approx(1.2, abs=1e-12)
        ahead = warp(np.linspace(0, 2.4, 4001), name) - np.linspace(0, 2.4, 4001)
        assert ahead.max() == pytest.approx(-shifts[j], abs=1e-6)


def test_nothing_moves_outside_the_range(motion: Motion) -> None:
    surfaces = ControlSurfaces(motion, [key()])
    (low, high), warp = surfaces.spans[0], surfaces.warp()
    assert low == pytest.approx(1.0 - 0.2 * 15 / 8 / 0.54)  # dragged parts are at most this fast
    assert high == pytest.approx(1.0 + 0.2 * 15 / 8 / 0.72)
    outside = np.r_[np.linspace(0, low, 50), np.linspace(high, motion.duration, 50)]
    for name in warp.channels:
        assert np.array_equal(warp(outside, name), outside)
    assert surface_warp(motion, [key(shift=0.0)]).is_identity


def test_what_is_far_hardly_moves(motion: Motion) -> None:
    surfaces = ControlSurfaces(motion, [key()], root="follow")
    body = find_body(motion)
    j = motion.skeleton.index(HAND)
    far = topological_distances(body, j, seen_at(motion, [1.2])[0]) > 0.75 * surfaces.height
    assert far.sum() >= 4
    assert np.abs(surfaces.shifts[0][far]).max() < 0.02 * 0.2


def test_the_curve_has_two_derivatives(motion: Motion) -> None:
    fine = replace(motion, fps=960.0)  # the same samples, closer together
    warp = surface_warp(fine, [key(time=0.15, shift=-0.02, gamma=0.05)])
    t = np.arange(40, 230) / 960
    second = np.diff(warp(t, HAND), 2) * 960**2
    # A kink of slope d would show as 960 d; the bump's own curvature is at most 5.8 s / w^2.
    assert np.abs(second).max() < 5.8 * 0.02 / 0.05**2
    assert np.abs(np.diff(second)).max() < 0.2 * np.abs(second).max()
    assert np.abs(second[[0, -1]]).max() < 1e-6


@pytest.mark.parametrize("name", ["quintic", "septic"])
def test_known_propagations_know_their_slopes(name: Any) -> None:
    made = bump(name)
    u = np.linspace(-1, 1, 100_001)
    steepest = np.abs(np.gradient(made.value(u), u)).max()
    assert steepest == pytest.approx(made.rises[0], rel=1e-4)
    assert made.falls == (0.0, made.rises[0])
    assert made.value(np.array([-1.0, 0.0, 1.0])).tolist() == [0.0, 1.0, 0.0]


def test_a_propagation_may_be_made_by_hand(motion: Motion) -> None:
    for made in (lambda u: np.cos(np.pi * u / 2) ** 4, [0, 0.1, 0.5, 0.9, 1, 0.9, 0.5, 0.1, 0]):
        warp = surface_warp(motion, [key()], propagation=made)
        assert float(warp(1.0, HAND)) == 1.2
        assert slopes(warp).min() >= 0.0999


@pytest.mark.parametrize(
    "table", [[0, 0, 1, 0, 0], [0, -0.5, 1, -0.5, 0], [0, 0.9, 0.3, 1, 0.3, 0.9, 0]]
)
def test_a_fade_that_wavers_does_not_turn_time_back(motion: Motion, table: list[float]) -> None:
    warp = surface_warp(motion, [key(gamma=0.01)], propagation=table)
    assert slopes(warp).min() >= 0.0999
    assert slopes(warp).max() <= 10.01
    with pytest.raises(InputError, match="the propagation is not continuous"):
        surface_warp(motion, [key()], propagation=lambda u: np.where(u == 0, 1.0, 0.0))


# ---- room


def test_a_range_widens_to_stay_monotone(motion: Motion) -> None:
    surfaces = ControlSurfaces(motion, [key(shift=0.4, gamma=0.05)])
    assert any("widened" in n for n in surfaces.notes)
    assert slopes(surfaces.warp()).min() >= 0.0999
    assert slopes(surfaces.warp()).max() <= 10.01
    assert float(surfaces.warp()(1.6, HAND)) == 1.2


def test_a_drag_that_does_not_fit_is_cut_and_said(motion: Motion) -> None:
    warp = surface_warp(motion, [key(shift=-5.0)])
    assert any("was reduced from -5" in n for n in warp.notes)
    assert slopes(warp).min() >= 0.0999
    start = surface_warp(motion, [key(time=0.0, shift=0.2)])
    assert any("has no effect: the first and the last frame" in n for n in start.notes)
    early = surface_warp(motion, [key(time=0.1, shift=0.5)])
    assert slopes(early).min() >= 0.0999


def test_keys_must_not_overlap(motion: Motion) -> None:
    with pytest.raises(
        InputError, match=r"keys at 1.2 s and 1.5 s overlap.*0.7 to 1.5.*move the second"
    ):
        surface_warp(motion, [key(), key(time=1.5)])
    far = [key(), key(time=2.2, shift=0.1)]
    warp = surface_warp(motion, far)
    assert float(warp(1.0, HAND)) == 1.2
    assert float(warp(2.3, HAND)) == pytest.approx(2.2, abs=1e-12)
    # The second key's range stops the first from widening.
    tight = [key(shift=-0.2, gamma=0.05), key(time=1.5, shift=0.01, gamma=0.2)]
    assert slopes(surface_warp(motion, tight)).min() >= 0.0999


def test_a_range_bounds_everything(motion: Motion) -> None:
    warp = surface_warp(motion, [key()], range=(1.0, 1.4))
    t = np.r_[np.linspace(0, 1.0, 30), np.linspace(1.4, motion.duration, 30)]
    for name in warp.channels:
        assert np.array_equal(warp(t, name), t)


# ---- shapes


def test_several_drags_are_all_met(motion: Motion) -> None:
    both = key(control_points=[ControlPoint(0.1, "LeftHand"), ControlPoint(-0.05, "Head")])
    warp = surface_warp(motion, [both])
    assert float(warp(1.0, HAND)) == pytest.approx(1.2, abs=1e-9)
    assert float(warp(1.3, "LeftHand")) == pytest.approx(1.2, abs=1e-9)
    assert float(warp(1.15, "Head")) == pytest.approx(1.2, abs=1e-9)


@pytest.mark.parametrize("degree", [1, 2, 3])
def test_a_polynomial_goes_through_its_points(motion: Motion, degree: int) -> None:
    drags = [("LeftHand", 0.1), ("Head", -0.05), ("RightForeArm", -0.12)][:degree]
    made = key(shape="polynomial", degree=degree,
               control_points=[ControlPoint(s, j) for j, s in drags])  # fmt: skip
    warp = surface_warp(motion, [made], root="follow")
    for joint, shift in [(HAND, -0.2), *drags]:
        assert float(warp(1.2 + shift, joint)) == pytest.approx(1.2, abs=1e-6)
    assert slopes(warp).min() >= 0.0999


@pytest.mark.parametrize("count", [0, 1, 2, 9])
def test_a_polynomial_takes_any_number_of_points(motion: Motion, count: int) -> None:
    rng = np.random.default_rng(3)
    names = [n for n in motion.skeleton.names if n != HAND][:count]
    drags = [ControlPoint(float(rng.uniform(-0.1, 0.1)), n) for n in names]
    made = key(shape="polynomial", degree=1, control_points=drags)
    surfaces = ControlSurfaces(motion, [made], root="follow", falloff="joint")
    placed = surfaces.places()[[motion.skeleton.index(n) for n in (HAND, *names)]]
    wanted = np.array([-0.2, *(d.shift for d in drags)])
    off = surfaces.shifts[0][[motion.skeleton.index(n) for n in (HAND, *names)]] - wanted
    if count < 3:
        assert np.abs(off).max() < 1e-9
    else:  # least squares: what is missed is not a plane
        design = np.c_[placed, np.ones(len(placed))]
        fitted = design @ np.linalg.lstsq(design, wanted, rcond=None)[0]
        inner = np.clip(fitted, min(wanted.min(), 0), max(wanted.max(), 0))
        assert np.abs(off - (inner - wanted)).max() < 1e-9
        assert any("misses its control points" in n for n in surfaces.notes)


def test_a_wider_gaussian_takes_more_along(motion: Motion) -> None:
    j = motion.skeleton.index("RightArm")
    narrow, wide = (
        ControlSurfaces(motion, [key(sigma=s, range_sigma=r)], falloff="joint").weights()[j]
        for s, r in (((0.1, 0.1), 0.1), ((1.0, 1.0), 1.0))
    )
    assert narrow < 0.05 < 0.8 < wide
    # Narrow across only: what differs in height alone keeps its weight.
    skeleton, places = motion.skeleton, ControlSurfaces(motion, [key()]).places()
    thin = ControlSurfaces(motion, [key(sigma=(0.05, 5.0), range_sigma=50.0)], root="follow")
    away = np.abs(places[:, 0] - places[skeleton.index(HAND), 0])
    near = away < 0.02 * thin.height
    assert (thin.weights()[away > 0.2 * thin.height] < 0.01).all()
    assert near.sum() >= 3
    assert (thin.weights()[near] > 0.5).all()


def test_a_shape_may_be_made_by_hand(motion: Motion) -> None:
    flat = surface_warp(motion, [key(shape=lambda x, y: np.ones_like(x))])
    assert float(flat(1.0, HAND)) == 1.2
    table = np.ones((4, 5))
    same = surface_warp(motion, [key(shape=table)])
    j = "RightForeArm"
    t = np.linspace(0.7, 1.5, 50)
    assert np.allclose(flat(t, j), same(t, j))
    with pytest.raises(InputError, match="is 0 where it is dragged"):
        surface_warp(motion, [key(shape=lambda x, y: np.zeros_like(x))])
    with pytest.raises(InputError, match="function fails"):
        surface_warp(motion, [key(shape=lambda x, y: 1 / 0)])


def test_a_point_takes_the_nearest_joint(motion: Motion) -> None:
    surfaces = ControlSurfaces(motion, [key()])
    place = surfaces.paths()[round(1.2 * motion.rate), motion.skeleton.index(HAND)]
    near = SurfaceKey(time=1.2, point=tuple(place), shift=-0.2)
    assert float(surface_warp(motion, [near])(1.0, HAND)) == pytest.approx(1.2, abs=1e-9)


def test_a_drag_that_nothing_feels_is_said(motion: Motion) -> None:
    warp = surface_warp(motion, [SurfaceKey(time=1.2, point=(50, 50), shift=-0.2)])
    assert warp.is_identity
    assert any("no joint is near enough" in n for n in warp.notes)


def test_a_fade_of_ones_own_goes_through_a_step(motion: Motion, tmp_path: Path) -> None:
    for fade in ("0,0.1,0.5,0.9,1,0.9,0.5,0.1,0", lambda u: (1 - u**2) ** 3):
        recipe = Recipe([Step("surface", {"keys": [key()], "propagation": fade})])
        assert float(recipe.warp(motion)(1.0, HAND)) == 1.2
    with pytest.raises(InputError, match="works in Python only"):
        write_recipe(recipe, tmp_path / "r.json")


def test_a_direction_turns_the_plane(motion: Motion) -> None:
    front = ControlSurfaces(motion, [key()]).paths()
    side = ControlSurfaces(motion, [key(direction=(1, 0, 0))]).paths()
    top = ControlSurfaces(motion, [key(direction=(0, 1, 0))]).paths()
    assert not np.allclose(front, side)
    points = positions(motion)
    local = points - points[:, :1]
    assert np.allclose(side[..., 1], local[..., 1])
    assert np.allclose(np.abs(top[..., 0]), np.abs(local[..., 0]), atol=1e-9)


# ---- the paper's own way


def test_intersection_follows_the_surface(motion: Motion) -> None:
    surfaces = ControlSurfaces(motion, [key()], mode="intersection")
    warp = surfaces.warp()
    assert slopes(warp).min() >= 0.0999
    assert float(warp(1.0, HAND)) == pytest.approx(1.2, abs=0.005)
    low, high = surfaces.spans[0]
    outside = np.r_[np.linspace(0, low, 20), np.linspace(high, motion.duration, 20)]
    assert np.array_equal(warp(outside, HAND), outside)
    # Each frame lies on its own surface: source time = output time - share * shift there.
    grid = surfaces.surface()
    assert grid.shift.shape == (30, 30)
    assert grid.shift.min() == pytest.approx(-0.2, abs=0.02)
    met = surfaces.intersections(1.0)
    assert met[motion.skeleton.index(HAND), 2] == pytest.approx(1.2, abs=0.005)


def test_intersection_stays_monotone_over_wild_surfaces(motion: Motion) -> None:
    shapes: list[Any] = [[[3, 1], [3, 0]], [[-1, 2], [2, -2]], lambda x, y: 1 + 3 * np.sin(9 * x)]
    for shape in shapes:
        wild = SurfaceKey(time=2.0, joint="Head", shift=-0.1, gamma=0.1, shape=shape, range_sigma=1)
        surfaces = ControlSurfaces(motion, [wild], mode="intersection")
        warp, (low, high) = surfaces.warp(), surfaces.spans[0]
        assert slopes(warp).min() >= 0.0999
        assert slopes(warp).max() <= 10.01
        outside = np.r_[np.linspace(0, low, 20), np.linspace(high, motion.duration, 20)]
        for name in warp.channels:
            assert np.allclose(warp(outside, name), outside, atol=1e-12)


def test_pictures_data_are_in_metres(motion: Motion) -> None:
    surfaces = ControlSurfaces(motion, [key()], grid=(12, 7))
    grid = surfaces.surface()
    assert grid.x.shape == (12,)
    assert grid.shift.shape == (12, 7)
    assert 1.0 < np.ptp(grid.y) < 2.6
    later = surfaces.surface(0, time=surfaces.spans[0][1])
    assert np.abs(later.shift).max() == 0.0


# ---- the root, contacts, cartoon


def moved(warp: TimeWarp, names: list[str]) -> list[str]:
    return [n for n in names if n in warp.channels]


def test_the_root_stays_unless_the_body_is_dragged(walk: Motion) -> None:
    legs = ["Hips", "Hips:translation", "LeftUpLeg", "RightUpLeg"]
    hand = SurfaceKey(time=1.0, joint=HAND, shift=-0.15)
    assert moved(surface_warp(walk, [hand]), legs) == []
    assert moved(surface_warp(walk, [hand], root="follow"), legs) == legs
    rotations = surface_warp(walk, [hand], root="rotations")
    assert moved(rotations, ["Hips", "Hips:translation"]) == ["Hips"]
    whole = SurfaceKey(time=1.0, joint="Hips", shift=-0.15, sigma=(3, 3), range_sigma=3)
    assert moved(surface_warp(walk, [whole]), legs) == legs
    kick = SurfaceKey(time=1.0, joint="RightFoot", shift=-0.15)
    warp = surface_warp(walk, [kick])
    assert moved(warp, ["Hips", "LeftUpLeg", "RightFoot"]) == ["RightFoot"]


@pytest.mark.parametrize("joint", [HAND, "Hips"])
def test_planted_feet_stay_planted(walk: Motion, joint: str) -> None:
    wide: Any = {"sigma": (3, 3), "range_sigma": 3} if joint == "Hips" else {}
    drag = SurfaceKey(time=1.5, joint=joint, shift=-0.2, **wide)
    result = Recipe([Step("surface", {"keys": [drag]})])
    out, warp = result.evaluate(walk), result.warp(walk)
    off = off_path(walk, out, warp, detect_contacts(walk))
    assert max(np.abs(d).max() for d in off) < 1e-6


def test_contacts_are_held_where_the_edit_moves_them(walk: Motion) -> None:
    drag = SurfaceKey(time=1.5, joint=HAND, shift=-0.2)
    held = Recipe([Step("surface", {"keys": [drag]})]).evaluate(walk)
    free = Recipe([Step("surface", {"keys": [drag], "constraints": "free"})]).evaluate(walk)
    assert np.array_equal(held.rotations, free.rotations)  # a hand moves no foot
    whole = SurfaceKey(time=1.5, joint="Hips", shift=-0.2, sigma=(3, 3), range_sigma=3)
    held = Recipe([Step("surface", {"keys": [whole]})]).evaluate(walk)
    slid = Recipe([Step("surface", {"keys": [whole], "constraints": "free"})]).evaluate(walk)
    assert not np.array_equal(held.rotations, slid.rotations)


def test_cartoon_at_another_rate_leaves_the_rest(motion: Motion) -> None:
    slow = samples.punches(fps=24)
    values = {"keys": [key()], "constraints": "free", "falloff": "joint"}
    plain = Recipe([Step("surface", values)]).evaluate(slow, fps=60)
    stretched = Recipe([Step("surface", {**values, "cartoon": 1.0})]).evaluate(slow, fps=60)
    far = (plain.times < 0.69) | (plain.times > 1.51)
    assert np.abs(positions(plain) - positions(stretched))[far].max() < 1e-9
    scaled = replace(motion, scales={"RightForeArm": np.full((len(motion), 3), 2.0)})
    out = Recipe([Step("surface", {**values, "cartoon": 1.0})]).evaluate(scaled)
    t = surface_warp(scaled, [key()], falloff="joint")(out.times, HAND)
    j = motion.skeleton.index(HAND)
    there = positions(apply(scaled, TimeWarp.identity(*scaled.domain), times=np.unique(t)))[:, j]
    assert np.abs(positions(out)[:, j] - there[np.unique(t, return_inverse=True)[1]]).max() < 1e-9


def test_cartoon_keeps_edits_of_pose(walk: Motion) -> None:
    turn = [{"do": "turn", "joints": {"LeftArm": [0, 0, 60]}}]
    stagger = Step("stagger", {"edits": turn, "constraints": "free"})
    drag = SurfaceKey(time=1.5, joint=HAND, shift=-0.2)
    plain_ways = {"constraints": "free", "falloff": "joint"}
    plain, stretched = (
        Recipe([stagger, Step("surface", {"keys": [drag], "cartoon": c, **plain_ways})])
        for c in (0.0, 1.0)
    )
    j = walk.skeleton.index("LeftHand")
    one, other = positions(plain.evaluate(walk))[:, j], positions(stretched.evaluate(walk))[:, j]
    assert np.linalg.norm(one - positions(walk)[:, j], axis=1).max() > 0.1
    assert np.linalg.norm(one - other, axis=1).max() < 0.03


def test_warps_do_not_grow_by_being_asked(motion: Motion) -> None:
    wild = SurfaceKey(time=2.0, joint="Head", shift=-0.1, gamma=0.1, range_sigma=1,
                      shape=[[-1, 2], [2, -2]])  # fmt: skip
    surfaces = ControlSurfaces(motion, [wild], mode="intersection")
    first = surfaces.warp().notes
    surfaces.intersections(2.0)
    assert surfaces.warp().notes == first


def test_cartoon_puts_joints_where_they_were(motion: Motion) -> None:
    step = Step("surface", {"keys": [key()], "cartoon": 1.0, "constraints": "free"})
    out = Recipe([step]).evaluate(motion)
    warp = surface_warp(motion, [key()], falloff="joint")
    then, now = positions(motion), positions(out)
    for name in (HAND, "RightForeArm"):
        j = motion.skeleton.index(name)
        t = warp(out.times, name)
        wanted = np.stack([np.interp(t, motion.times, then[:, j, c]) for c in range(3)], axis=1)
        assert np.abs(now[:, j] - wanted).max() < 2e-3  # here places, there rotations between
    bones = np.linalg.norm(
        now[:, motion.skeleton.index(HAND)] - now[:, motion.skeleton.index("RightForeArm")], axis=1
    )
    assert np.ptp(bones) > 0.01  # it stretches
    below = {
        n
        for n in motion.skeleton.names
        for k in motion.skeleton.chain(motion.skeleton.index(n))
        if motion.skeleton.names[k] in warp.channels
    }
    assert set(out.translations) - {"Hips"} <= below  # nothing else got a track
    joints = {"keys": [key()], "constraints": "free", "falloff": "joint"}
    plain = Recipe([Step("surface", joints)]).evaluate(motion)
    half = Recipe(
        [replace(step, parameters={"keys": [key()], "cartoon": 0.5, "constraints": "free"})]
    )
    j = motion.skeleton.index(HAND)
    middle = (positions(plain)[:, j] + now[:, j]) / 2
    assert np.abs(positions(half.evaluate(motion))[:, j] - middle).max() < 1e-9


# ---- as data


def test_keys_survive_a_recipe(tmp_path: Path, motion: Motion) -> None:
    keys = [
        key(sigma=0.3, gamma=0.25, control_points=[{"joint": "LeftHand", "shift": 0.1}]),
        SurfaceKey(
            time=2.4, point=(0.1, 0.2), shift=0.1, shape=[[1, 1], [1, 0.5]], direction=(0, 0, 1)
        ),
    ]
    recipe = Recipe([Step("surface", {"keys": keys, "mode": "intersection", "root": "lock"})])
    write_recipe(recipe, tmp_path / "r.json")
    again = read_recipe(tmp_path / "r.json")
    assert again.steps[0].parameters == recipe.steps[0].parameters
    one, other = recipe.evaluate(motion), again.evaluate(motion)
    assert np.array_equal(one.rotations, other.rotations)
    made = Recipe([Step("surface", {"keys": [key(shape=lambda x, y: x * 0 + 1)]})])
    with pytest.raises(InputError, match="works in Python only"):
        write_recipe(made, tmp_path / "bad.json")
    assert not (tmp_path / "bad.json").exists()


def test_surfaces_from_the_command_line(run: Any, motion: Motion, tmp_path: Path) -> None:
    import retime

    file = tmp_path / "punches.bvh"
    retime.write(motion, file)
    names = ("out.bvh", "t.png", "s.png", "f.png", "w.json", "r.json")
    out = {n: tmp_path / n for n in names}
    status, _, err = run(
        "surface", file, out["out.bvh"], "--at", "1.2", "--joint", HAND, "--shift", "-0.2",
        "--at", "2.4", "--joint", "left_hand", "--shift", "0.1", "--gamma", "0.3", "--sigma", "0.3",
        "--plot", out["t.png"], "--surface", out["s.png"], "--strip", out["f.png"],
        "--warp", out["w.json"], "--recipe", out["r.json"],
    )  # fmt: skip
    assert status == 0, err
    assert all(path.exists() for path in out.values())
    warp = retime.read_warp(out["w.json"])
    assert float(warp(1.0, HAND)) == pytest.approx(1.2)
    keys = tmp_path / "keys.json"
    keys.write_text(json.dumps([{"time": 1.2, "joint": HAND, "shift": -0.2}]))
    assert run("surface", file, tmp_path / "o.bvh", "--keys", keys, "--cartoon", "0.5")[0] == 0
    assert np.ptp(retime.read(tmp_path / "o.bvh").translations[HAND], axis=0).max() > 0.01


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["o.bvh"], "give what to move"),
        (["o.bvh", "--at", "1"], "each drag needs --at, --joint and --shift"),
        (["--at", "1", "--joint", "RightHand", "--shift", "0.1"], "give an output file"),
        (["o.bvh", "--at", "9", "--joint", "RightHand", "--shift", "0.1"], "outside the clip"),
        (["o.bvh", "--at", "1", "--joint", "RigthHand", "--shift", "0.1"], "did you mean"),
        (
            ["o.bvh", "--at", "1", "--joint", "RightHand", "--shift", "0.1", "--sigma", "0"],
            "above 0",
        ),
        (["o.bvh", "--keys", "none.json"], "no such file"),
        (["o.bvh", "--gamma", "5"], "each drag needs --at"),
    ],
)
def test_the_command_refuses_with_a_sentence(
    run: Any, motion: Motion, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    options: list[str], sentence: str,
) -> None:  # fmt: skip
    import retime

    monkeypatch.chdir(tmp_path)
    retime.write(motion, "punches.bvh")
    status, _, err = run("surface", "punches.bvh", *options)
    assert status == 2
    assert sentence in err
    assert not Path("o.bvh").exists()


UNKNOWN: Any = "other"
NOTHING: Any = None


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda m: key(sigma=(0, 1)), "sigmas are above 0 heights"),
        (lambda m: key(sigma=-1), "sigmas are above 0 heights"),
        (lambda m: key(range_sigma=0), "sigmas are above 0 heights"),
        (lambda m: key(gamma=0), "gamma is above 0 s"),
        (lambda m: key(time=float("nan")), "time is nan"),
        (lambda m: key(shift="soon"), "'soon' is not a time"),
        (lambda m: key(shape="sphere"), "the shape is 'sphere'"),
        (lambda m: key(shape=[[1]]), "at least two rows"),
        (lambda m: key(degree=4), "degree is 1 to 3"),
        (lambda m: key(direction=(0, 0, 0)), "must have a length"),
        (lambda m: SurfaceKey(time=1.0, shift=0.1), "at a joint or at a point"),
        (lambda m: key(point=(0, 0)), "one of the two"),
        (lambda m: SurfaceKey.from_document({"joint": HAND}), 'needs a "time"'),
        (lambda m: SurfaceKey.from_document({"time": 1, "joimt": HAND}), "did you mean 'joint'"),
        (lambda m: surface_warp(m, []), "no key was given"),
        (lambda m: surface_warp(m, NOTHING), "should be a list"),
        (lambda m: key(control_points=5), "control_points are a list"),
        (lambda m: surface_warp(m, [key(), key(shift=0.1)]), "two keys are at 1.2 s"),
        (lambda m: surface_warp(m, [key()], range=(2, 3)), "is outside the range, 2 to 3 s"),
        (lambda m: key(shift=1e300), "which is too large"),
        (lambda m: key(direction=(1e200, 0, 0)), "must have a length"),
        (lambda m: ControlSurfaces(m, [key()]).surface(5), "there is no key 5"),
        (lambda m: ControlSurfaces(m, [key()]).intersections(UNKNOWN), "is not a number"),
        (lambda m: surface_warp(m, [UNKNOWN]), "of type SurfaceKey"),
        (lambda m: surface_warp(m, [key(time=-1)]), "outside the clip"),
        (lambda m: surface_warp(m, [key(joint="hands")]), "is more than one joint"),
        (lambda m: surface_warp(m, [key()], mode=UNKNOWN), "mode is 'other'"),
        (lambda m: surface_warp(m, [key()], root=UNKNOWN), "root is 'other'"),
        (lambda m: surface_warp(m, [key()], min_speed=0), "the minimum is 0.001"),
        (lambda m: surface_warp(m, [key()], grid=(1, 9)), "2 to 1000 vertices"),
        (lambda m: surface_warp(m, [key()], propagation=UNKNOWN), "propagation is 'other'"),
        (lambda m: surface_warp(m, [key()], propagation=lambda u: u), "1 in the middle"),
        (lambda m: surface_warp(m, [key()], propagation=[1, 2]), "an odd number"),
        (lambda m: surface_warp(m, [key()], range=(5, 9)), "not a part of the clip"),
        (lambda m: surface_warp(apply(m, TimeWarp([0], [0])), [key()]), "at least two frames"),
        (lambda m: Recipe([Step("surface", {"keys": [key()], "cartoon": 2})]), "the maximum is 1"),
    ],
)  # fmt: skip
def test_bad_input_gets_a_sentence(motion: Motion, make: Any, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        make(motion)


def test_hands_that_are_dragged_apart_both_arrive(motion: Motion) -> None:
    other = ControlPoint(0.15, "LeftHand")
    recipe = Recipe([Step("surface", {"keys": [key(shift=-0.2, control_points=(other,))]})])
    made = recipe.evaluate(motion)
    for name, shift in ((HAND, -0.2), ("LeftHand", 0.15)):
        assert arrival(motion, made, motion.skeleton.index(name), 1.2, shift).distance < 0.01


def test_a_dragged_hand_that_is_on_the_floor_does_not_sink(motion: Motion) -> None:
    """The body goes down just as the hand is raised: at another time it would be in the floor."""
    j, root = motion.skeleton.index(HAND), motion.skeleton.names[0]
    height = positions(motion)[:, j, 1] / motion.units.metres
    drop = np.zeros((len(motion), 3))
    drop[:, 1] = height - height.min()  # the hand stays at one height
    legs = [motion.skeleton.index(f"{side}UpLeg") for side in ("Left", "Right")]
    rotations = motion.rotations.copy()  # legs are up, out of the way
    rotations[:, legs] = quat.from_axis_angle(np.array([1.0, 0.0, 0.0]), np.pi)
    pushed = replace(
        motion, rotations=rotations, translations={root: motion.translations[root] - drop}
    )
    made = Recipe([Step("surface", {"keys": [key(shift=0.2)]})]).evaluate(pushed)
    assert positions(made)[..., 1].min() > positions(pushed)[..., 1].min() - 0.02


def test_keys_of_different_limbs_may_overlap(motion: Motion) -> None:
    keys = [key(), SurfaceKey(time=1.2, joint="LeftHand", shift=0.15)]
    keys += [SurfaceKey(time=1.3, joint="RightFoot", shift=-0.1)]
    surfaces = ControlSurfaces(motion, keys)
    warp = surfaces.warp()
    assert float(warp(1.0, HAND)) == pytest.approx(1.2, abs=1e-9)
    assert float(warp(1.35, "LeftHand")) == pytest.approx(1.2, abs=1e-9)
    assert float(warp(1.2, "RightFoot")) == pytest.approx(1.3, abs=1e-9)
    for at in (1.0, 1.35):  # the trunk is in time for both arms, and stops between
        assert float(warp(at, "Spine")) == pytest.approx(1.2, abs=1e-3)
    for name, least in ((HAND, 0.0999), ("LeftHand", 0.0999), ("RightFoot", 0.05)):
        graph = warp.channels[name]
        assert (np.diff(graph.y) / np.diff(graph.x)).min() >= least
    assert set(surfaces.limbs) == {"right_arm", "left_arm", "right_leg"}
    with pytest.raises(InputError, match="two keys are at"):
        ControlSurfaces(motion, [key(), key(shift=0.1)])


@pytest.mark.parametrize("shift", [-0.15, 0.1])
def test_a_hand_on_a_stiff_wrist_arrives(shift: float) -> None:
    """Wrists that hardly turn in the source do not keep the arm from its place."""
    key = {"time": 1.8, "joint": "RightHand", "shift": shift}
    made = Recipe([Step("surface", {"keys": [key], "grips": False})]).evaluate(samples.swing())
    source = positions(samples.swing())
    hand, hips = (made.skeleton.index(n) for n in ("RightHand", "Hips"))
    places = positions(made)
    then, now = round((1.8 + shift) * made.rate), round(1.8 * made.rate)
    asked = source[now, hand] - source[now, hips]
    assert np.linalg.norm(places[then, hand] - places[then, hips] - asked) < 0.001


def test_a_foot_that_stands_arrives_when_asked_for() -> None:
    """Seen from hips that go up and down, a planted foot moves; in space it does not."""
    walk = samples.walk()
    still = replace(
        walk,
        rotations=np.repeat(walk.rotations[:1], len(walk), axis=0),
        translations={"Hips": np.repeat(walk.root_translation[:1], len(walk), axis=0)},
    )
    rise = np.zeros((len(walk), 3))
    rise[:, 1] = 0.03 * np.sin(3 * walk.times) - 0.06
    bobbing = replace(still, translations={"Hips": still.root_translation + rise})
    foot = walk.skeleton.index("LeftFoot")
    place = positions(still)[0, foot]
    planted = hold_contacts(bobbing, {Contact("LeftFoot", *walk.domain): place})
    found = arrival(planted, planted, foot, 1.0, -0.1)
    assert found.measured == pytest.approx(-0.1, abs=1e-3)
    assert found.distance < 1e-3


def test_a_jump_of_the_hips_that_the_waist_undoes_is_not_shown(motion: Motion) -> None:
    """Captures have such jumps: hips and waist at different times would show them."""
    jump = quat.from_axis_angle(np.array([0.0, 1.0, 0.0]), np.radians(25))
    rotations = motion.rotations.copy()
    after = motion.times >= 0.95
    hips = motion.skeleton.index("Hips")
    for j in range(len(motion.skeleton)):
        if j == hips:
            rotations[after, j] = quat.multiply(rotations[after, j], jump)
        elif motion.skeleton.parents[j] == hips:
            rotations[after, j] = quat.multiply(quat.conjugate(jump), rotations[after, j])
    jumping = replace(motion, rotations=rotations)
    trunk = motion.skeleton.index("Spine")
    for shift in (-0.15, 0.15):
        step = Step("surface", {"keys": [key(shift=shift)], "constraints": "free"})
        turns = [global_rotations(Recipe([step]).evaluate(m))[:, trunk] for m in (motion, jumping)]
        fastest = [quat.angle(t[:-1], t[1:]).max() * motion.rate for t in turns]
        assert fastest[1] < 1.2 * fastest[0] + np.radians(20)
