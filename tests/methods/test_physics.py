"""Physics-based retiming on bundled motions and by independent oracles."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import retime
from retime import (
    Contact,
    InfeasibleError,
    InputError,
    Motion,
    PhysicsModel,
    TimeWarp,
    physics,
    samples,
)
from retime.methods.physics.figure.segments import Solid, cylinder
from retime.methods.physics.limits.regions import MOST_CHANGE, MOST_SPEED


@pytest.fixture(scope="module")
def jump() -> PhysicsModel:
    return PhysicsModel(samples.jump())


@pytest.fixture(scope="module")
def walk() -> PhysicsModel:
    return PhysicsModel(samples.walk())


def middle_of_flight(model: PhysicsModel) -> Any:
    frames = np.flatnonzero(model.flight)
    times = model.times[frames]
    return times[np.abs(times - np.median(times)) < 0.06]


# ---- mass and torques


def test_a_cylinder_of_water() -> None:
    solid = cylinder(np.zeros(3), np.array([0, 0, 2.0]), 0.5)
    assert solid.mass == pytest.approx(1000 * np.pi * 0.25 * 2)
    assert np.allclose(solid.centre, [0, 0, 1])
    along, across = solid.inertia[2, 2], solid.inertia[0, 0]
    assert along == pytest.approx(solid.mass * 0.125)
    assert across == pytest.approx(solid.mass * (3 * 0.25 + 4) / 12)


def test_two_halves_are_a_whole() -> None:
    whole = cylinder(np.zeros(3), np.array([0, 1.0, 0]), 0.2)
    parts = [cylinder(np.array([0, y, 0]), np.array([0, y + 0.5, 0]), 0.2) for y in (0, 0.5)]
    joined = Solid.joined(parts)
    assert joined.mass == pytest.approx(whole.mass)
    assert np.allclose(joined.centre, whole.centre)
    assert np.allclose(joined.inertia, whole.inertia)


def pose_after(
    model: PhysicsModel, frame: int, seconds: float, velocity: Any, acceleration: Any
) -> tuple[Any, Any]:
    """Return the joints' rotations and places, moved on from a frame at given rates."""
    figure, d = model._measured.figure, model._measured.dynamics
    by = velocity * seconds + 0.5 * acceleration * seconds**2
    turns, places = d.path.turns[frame].copy(), d.path.places[frame].copy()
    root = d.path.turns[frame, 0]
    # The root's velocity is in its own frame, which turns.
    linear = acceleration[:3] + np.cross(velocity[3:6], velocity[:3])
    places[0] += root @ (velocity[:3] * seconds + 0.5 * linear * seconds**2)
    for j, p in enumerate(figure.parents):
        own = Rotation.from_rotvec(by[3 + 3 * j : 6 + 3 * j]).as_matrix()
        if p < 0:
            turns[j] = turns[j] @ own
            continue
        local = d.path.turns[frame, p].T @ d.path.turns[frame, j]
        turns[j] = turns[p] @ local @ own
        places[j] = places[p] + turns[p] @ figure.rest[j].place
    return turns, places


def points_of(solid: Any) -> tuple[Any, Any]:
    """Return six points in a joint's frame, and their masses, that move as its solid."""
    mass, centre = solid[0], solid[1:4] / solid[0]
    about = np.zeros((3, 3))
    about[[0, 0, 1, 0, 1, 2], [0, 1, 1, 2, 2, 2]] = solid[4:]
    about = about + about.T - np.diag(about.diagonal())
    about -= mass * (centre @ centre * np.eye(3) - np.outer(centre, centre))
    moments, axes = np.linalg.eigh(0.5 * np.trace(about) * np.eye(3) - about)
    arms = np.sqrt(np.maximum(3 * moments / mass, 0)) * axes
    return centre + np.r_[arms.T, -arms.T], np.full(6, mass / 6)


@pytest.mark.parametrize("name", ["jump", "walk", "toss", "chain"])
def test_torques_split_exactly(name: str) -> None:
    """G + A x + B y is what the accelerations of small masses need, at any speed and change (6)."""
    motion = samples.sample(name).motion
    gravity = np.array([1.0, -8.0, 2.0])
    model = PhysicsModel(motion, gravity=tuple(gravity), cutoff=0)
    m, torques = model._measured, model.torques
    solids = m.dynamics.solids(np.ones(len(m.figure.bodies)))
    heavy = np.flatnonzero(solids[:, 0] > 1e-9).tolist()
    rng = np.random.default_rng(0)
    step = 1e-4
    for k in range(0, len(model.times), 41):
        x, y = rng.uniform(0, 4), rng.uniform(-20, 20)
        velocity = np.sqrt(x) * m.dynamics.path.velocity[k]
        acceleration = x * m.dynamics.path.acceleration[k] + y * m.dynamics.path.velocity[k]
        poses = [pose_after(model, k, t, velocity, acceleration) for t in (-step, 0.0, step)]
        force = {}
        for j in heavy:
            own, masses = points_of(solids[j])
            before, now, after = (own @ turns[j].T + places[j] for turns, places in poses)
            needed = masses[:, None] * ((before - 2 * now + after) / step**2 - gravity)
            force[j] = now, needed
        found = torques.gravity[k] + x * torques.speed[k] + y * torques.change[k]
        found[:6] += x * model.residual[k] / model.usual_speeds[k]
        turns, places = poses[1]
        expected = np.zeros_like(found)
        for j, p in enumerate(m.figure.parents):
            about = places[j] if p >= 0 else m.dynamics.centre_of_mass[k]
            below = [i for i in heavy if j in chain_of(m.figure.parents, i)]
            moment = sum((np.cross(force[i][0] - about, force[i][1]).sum(axis=0) for i in below),
                         np.zeros(3))  # fmt: skip
            if p >= 0:
                expected[3 + 3 * j : 6 + 3 * j] = turns[j].T @ moment
            else:
                whole = sum((force[i][1].sum(axis=0) for i in below), np.zeros(3))
                expected[:6] = in_body_axes(model, k, whole, moment)
        assert np.abs(found - expected).max() < 1e-4 * max(np.abs(expected).max(), 100.0)


def chain_of(parents: Any, joint: Any) -> list[int]:
    return [] if joint < 0 else [joint, *chain_of(parents, parents[joint])]


def in_body_axes(model: PhysicsModel, frame: int, force: Any, moment: Any) -> Any:
    """Turn a force and a moment back by the heading."""
    angle = model._measured.dynamics.headings[frame]
    back = Rotation.from_rotvec([0, -angle, 0]).as_matrix()
    return np.r_[back @ force, back @ moment]


def test_contacts_do_the_work_of_their_forces(jump: PhysicsModel) -> None:
    """Generalised forces do as much work as the force does at the point that it pushes."""
    from retime.methods.physics.limits.supports import Other, Supports, support_maps

    m = jump._measured
    point = np.tile([0.3, 0.1, -0.2], (len(jump.times), 1))
    always = np.ones(len(jump.times), bool)
    rng = np.random.default_rng(1)
    step = 1e-6
    for joint in (0, m.body.roles["left_foot"], m.body.roles["right_hand"]):
        grip = Other(joint, point, np.zeros_like(point), always, always)
        touching = Supports((), np.zeros((len(always), 0, 2), bool), np.zeros((1, 0)), (grip,))
        found = support_maps(m.dynamics, touching, 0.5)
        owner = m.figure.places[joint][0]
        for k in range(0, len(jump.times), 41):
            velocity = rng.normal(size=m.figure.dofs)
            none = np.zeros_like(velocity)
            d = m.dynamics
            own = d.path.turns[k, owner].T @ (point[k] - d.path.places[k, owner])
            ends = [pose_after(jump, k, t, velocity, none) for t in (-step, step)]
            before, after = (turns[owner] @ own + places[owner] for turns, places in ends)
            power = (after - before) / (2 * step)
            # The root's rows count about the centre of mass, along the body's axes.
            spin = d.path.turns[k, 0] @ velocity[3:6]
            arm = d.centre_of_mass[k] - d.path.places[k, 0]
            linear = d.path.turns[k, 0] @ velocity[:3] + np.cross(spin, arm)
            rates = np.r_[in_body_axes(jump, k, linear, spin), velocity[6:]]
            assert np.abs(found[k][:, :3].T @ rates - power).max() < 1e-6 * np.abs(power).max()


def test_a_figure_of_many_joints() -> None:
    from bench.physics import chain

    model = PhysicsModel(chain(120, 12), cutoff=0)
    assert model.warp(duration=0.9 * model.motion.duration).duration > 0
    heavier = model.changed(mass_scale={"Link3": 2.0})
    assert heavier.mass > model.mass
    assert not np.allclose(heavier.torques.gravity, model.torques.gravity)


def test_a_scaled_mass_is_a_mass_scaled() -> None:
    scaled = PhysicsModel(samples.jump(), mass_scale={"left_upper_leg": 3.0})
    plain = PhysicsModel(samples.jump())
    limb = next(b for b in plain._measured.figure.bodies if b == "LeftUpLeg")
    heavier = plain._measured.dynamics.masses[plain._measured.figure.bodies.index(limb)]
    assert scaled.mass == pytest.approx(plain.mass + 2 * heavier)
    changed = plain.changed(mass_scale={"left_upper_leg": 3.0})
    assert np.allclose(changed.torques.gravity, scaled.torques.gravity, atol=1e-9)
    assert changed.changed(mass_scale={}).mass == pytest.approx(plain.mass)


def test_the_whole_mass_and_body_data() -> None:
    model = PhysicsModel(samples.walk(), mass=80.0)
    assert model.mass == pytest.approx(80.0)
    data = {"masses": {"head": 9.0}, "limits": {"left_lower_leg": 55.0}}
    known = PhysicsModel(samples.walk(), mass=80.0, body_data=data)
    bodies = known._measured.figure.bodies
    assert known._measured.dynamics.masses[bodies.index("Head")] == pytest.approx(9.0)
    assert known.mass == pytest.approx(80.0)
    rows = known._measured.figure.rows("LeftLeg")
    assert rows is not None
    assert known.limits[0, rows] == pytest.approx(55.0)


def test_a_standing_figure_needs_its_weight(walk: PhysicsModel) -> None:
    force = walk.torques.gravity[:, :3]
    assert np.allclose(force, [0, walk.mass * 9.81, 0], atol=1e-6)


# ---- known truth


@pytest.mark.parametrize("share", [0.25, 0.5, 2.0])
def test_a_toss_under_another_gravity(share: float) -> None:
    model = PhysicsModel(samples.toss(), cutoff=0, gravity=9.81 * share)
    assert model.flight.all()
    warp = model.warp(duration="free")
    rate = warp.rate(np.linspace(*warp.domain, 20))
    assert np.abs(rate**2 - share).max() < 0.005
    assert any("flight" in note for note in warp.notes)


def test_the_recorded_timing_stays(jump: PhysicsModel) -> None:
    warp = jump.warp()
    assert np.abs(warp.rate(warp.output) - 1).max() < 0.02
    assert jump.explain().share > 0.99


@pytest.mark.parametrize("share", [0.85, 0.7])
def test_a_shorter_jump_keeps_its_flight(jump: PhysicsModel, share: float) -> None:
    warp = jump.warp(duration=share * jump.motion.duration)
    rate = warp.rate(warp.inverse(middle_of_flight(jump)))
    assert np.abs(rate - 1).max() < 0.05
    assert any("global optimum" in note for note in warp.notes)
    assert warp.duration == pytest.approx(share * jump.motion.duration, abs=1e-12)


@pytest.mark.parametrize("gravity", [4.9, 19.6])
def test_a_jump_under_another_gravity(jump: PhysicsModel, gravity: float) -> None:
    warp = jump.changed(gravity=gravity).warp(duration="free")
    rate = warp.rate(warp.inverse(middle_of_flight(jump)))
    assert np.abs(rate / np.sqrt(gravity / 9.81) - 1).max() < 0.03


def test_keytimes_rates_and_speeds_are_met(jump: PhysicsModel) -> None:
    warp = jump.warp(keytimes=[(1.3, 1.6501)])
    assert float(warp(1.3)) == pytest.approx(1.6501, abs=1e-9)
    assert np.abs(warp.rate(warp.inverse(middle_of_flight(jump))) - 1).max() < 0.05
    warp = jump.warp(rates=[(0.5, 1.4)], duration=3.0)
    assert float(warp.rate(warp.inverse(0.5))) == pytest.approx(1.4, rel=0.02)
    warp = jump.warp(joint_speeds=[(1.3, "hips", 1.0)], duration="free")
    place = retime.positions(jump.motion)[:, 0]
    own = np.linalg.norm(np.gradient(place, jump.times, axis=0), axis=1)
    wanted = 1.0 / float(np.interp(1.3, jump.times, own))
    assert float(warp.rate(warp.inverse(1.3))) == pytest.approx(wanted, rel=0.05)


def test_a_loop_agrees_at_its_seam(walk: PhysicsModel) -> None:
    warp = walk.warp(duration=0.8 * walk.motion.duration, loop=True)
    assert warp.loop
    ends = warp.rate(np.array([warp.domain[0] + 1e-6, warp.domain[1] - 1e-6]))
    assert ends[0] == pytest.approx(ends[1], rel=0.02)


def test_least_effort_is_less_effort(walk: PhysicsModel) -> None:
    nodes, matched = walk.solve(duration="free")
    _, easy = walk.solve(duration="free", objective="effort")
    effort = walk.baked("effort").matching

    def cost(b: Any) -> float:
        y = np.gradient(b, nodes) / 2 / 5.0
        c = effort.T
        value = c[0] * b * b + c[1] * b + c[2] * b * y + c[3] * y * y + c[4] * y + c[5]
        return float(np.trapezoid(value / np.sqrt(b), nodes))

    assert cost(easy.square_speed) < cost(matched.square_speed)


def test_another_motions_effort_can_be_matched(walk: PhysicsModel) -> None:
    same = walk.warp(objective=(samples.walk(), TimeWarp.identity(*samples.walk().domain)))
    assert np.abs(same.rate(same.output) - 1).max() < 0.05
    with pytest.raises(InputError, match="same figure"):
        walk.warp(objective=(samples.toss(), TimeWarp.identity(0, 1)))


def test_a_warm_start_ends_at_the_same(jump: PhysicsModel) -> None:
    first = jump.warp(duration=2.6)
    cold = jump.warp(duration=2.5)
    warm = jump.warp(duration=2.5, start=first)
    assert np.abs(warm(cold.output) - cold.source).max() < 2e-3


def test_a_watcher_sees_every_step_and_may_stop(jump: PhysicsModel) -> None:
    seen: list[float] = []

    def watch(step: int, b: Any, objective: float) -> bool:
        seen.append(objective)
        return step == 2

    jump.warp(duration=2.4, watch=watch)
    assert len(seen) == 2


def test_a_watcher_may_push(jump: PhysicsModel) -> None:
    pushed: list[float] = []

    def watch(step: int, b: Any, objective: float) -> Any:
        pushed.append(objective)
        return np.full_like(b, 1.5) if step == 3 else None

    duration = 0.8 * jump.motion.duration
    warp = jump.warp(duration=duration, watch=watch)
    assert np.abs(warp(jump.warp(duration=duration).output) - warp.source).max() < 1e-2


def test_limits_by_pose(jump: PhysicsModel) -> None:
    def weak_late(motion: Motion) -> Any:
        out = np.tile(jump.limits[0, 6::3], (len(motion), 1))
        out[motion.times > 2.0] *= 0.02
        return out

    model = PhysicsModel(samples.jump(), torque_limits=weak_late)
    assert len(model.joints) == jump.limits[0, 6::3].size
    outside = model.explain()
    assert all(v.start > 1.9 for v in outside.violations)
    assert outside.violations
    with pytest.raises(InputError, match="by pose"):
        _ = PhysicsModel(samples.jump(), torque_limits=lambda m: np.ones(3)).limits


def test_accelerations_can_be_limited(jump: PhysicsModel) -> None:
    most = 1.1 * float(np.abs(jump._measured.dynamics.path.acceleration[:, 6:]).max())
    limited = PhysicsModel(samples.jump(), acceleration_limit=most)
    least, free = limited.minimum_duration(), jump.minimum_duration()
    assert least is not None
    assert free is not None
    assert least > free
    acceleration = limited._measured.dynamics.path.acceleration[:, 6:]
    velocity = limited._measured.dynamics.path.velocity[:, 6:]
    for k in range(0, len(limited.times), 29):
        for y, x in limited.regions[k].corners:
            assert np.abs(x * acceleration[k] + y * velocity[k]).max() <= most * (1 + 1e-6)


def test_a_range_only(jump: PhysicsModel) -> None:
    warp = physics(samples.jump(), duration=1.6, range=(0.5, 2.5), ripple=True).warp
    assert float(warp(0.25)) == pytest.approx(0.25)
    assert warp.domain[1] == pytest.approx(samples.jump().duration - 0.4)


# ---- regions


def test_polygons_are_what_linear_programs_find(jump: PhysicsModel) -> None:
    from scipy.optimize import linprog

    for k in range(5, len(jump.times), 37):
        region = jump.regions[k]
        limits, support = jump.limits[k], jump.maps[k] * jump.weight
        t = jump.torques
        count = support.shape[1]
        rows = np.c_[t.change[k], t.speed[k], -support] / limits[:, None]
        base = t.gravity[k] / limits
        bounds = [(-MOST_CHANGE, MOST_CHANGE), (0, MOST_SPEED), *([(0, 20)] * count)]
        for angle in np.arange(16) * np.pi / 8:
            way = np.array([np.cos(angle) / 10, np.sin(angle)])
            found = linprog(
                np.r_[-way, np.zeros(count)],
                A_ub=np.r_[rows, -rows],
                b_ub=np.r_[1 - base, 1 + base],
                bounds=bounds,
                method="highs",
            )
            assert found.status == 0
            assert (region.corners @ way).max() == pytest.approx(-found.fun, abs=1e-3)


def test_forces_at_corners_hold_the_body(jump: PhysicsModel) -> None:
    for k in range(0, len(jump.times), 23):
        region = jump.regions[k]
        for corner, forces in zip(region.corners, region.forces, strict=True):
            assert (forces >= -1e-9).all()
            t = jump.torques
            value = t.gravity[k] + corner[0] * t.change[k] + corner[1] * t.speed[k]
            left = value - jump.maps[k] @ forces
            assert (np.abs(left) <= jump.limits[k] * (1 + 1e-6)).all()


def test_forces_between_are_between(jump: PhysicsModel) -> None:
    region = jump.regions[20]
    assert np.allclose(region.forces_at(tuple(region.centre)), region.centre_forces, atol=1e-6)
    corner = tuple(region.corners[1])
    assert np.allclose(region.forces_at(corner), region.forces[1], atol=1e-3 * jump.weight)
    assert tuple(region.centre) in region
    assert (1e3, 50.0) not in region


def test_flight_leaves_no_choice(jump: PhysicsModel) -> None:
    for k in np.flatnonzero(jump.flight)[8:-8:5]:
        spread = np.ptp(jump.regions[k].corners[:, 1])
        assert spread < 0.05


# ---- the optimum, by an independent solver


def test_a_speed_up_is_the_global_optimum(jump: PhysicsModel) -> None:
    from bench.physics import conic_optimum

    duration = 0.8 * jump.motion.duration
    _, found = jump.solve(duration=duration)
    best = conic_optimum(jump, duration)
    assert found.objective <= 1.001 * best + 1e-6
    assert found.bound <= best * (1 + 1e-6) + 1e-6
    assert found.certified


def test_no_timing_is_faster_than_the_fastest(jump: PhysicsModel) -> None:
    least = jump.minimum_duration()
    assert least is not None
    assert least < jump.motion.duration
    told = jump.explain(jump.warp(duration=1.15 * least))
    assert told.share > 0.9
    with pytest.raises(InfeasibleError, match="is shorter than the shortest feasible"):
        jump.warp(duration=0.9 * least, infeasible="refuse")
    warp = jump.warp(duration=0.9 * least)
    assert any("shorter than the shortest feasible" in note for note in warp.notes)


def test_a_flight_has_a_longest_duration_too() -> None:
    model = PhysicsModel(samples.toss(), cutoff=0)
    most = model.maximum_duration()
    assert most is not None
    assert most == pytest.approx(samples.toss().duration, rel=0.02)
    assert PhysicsModel(samples.walk()).maximum_duration() is None


# ---- explanations


def test_a_rushed_flight_is_explained(jump: PhysicsModel) -> None:
    start, end = jump.motion.domain
    told = jump.explain(TimeWarp([start, end / 1.5], [start, end]))
    assert not told.feasible
    flight = [v for v in told.violations if v.cause == "flight"]
    assert flight
    assert flight[0].rate == pytest.approx(1.5, abs=0.02)
    assert flight[0].feasible_rate == pytest.approx(1.0, abs=0.05)
    document = json.loads(json.dumps(told.to_json()))
    assert document["feasible_share"] < 1


def test_a_recorded_motion_is_judged_by_its_own_body() -> None:
    model = PhysicsModel(samples.jump(), mass=20.0)
    assert model.like(samples.jump()).mass == pytest.approx(20.0)
    assert model.explain(samples.jump()).share > 0.95


def test_demands_that_cannot_be_met_together(jump: PhysicsModel) -> None:
    with pytest.raises(InfeasibleError, match="shorter than the shortest feasible"):
        jump.warp(duration=2.4, rates=[(t, 1.0) for t in jump.times])
    with pytest.raises(InputError, match="the minimum is 0"):
        jump.warp(alpha=-1.0)


def test_clips_for_limits_go_by_joints() -> None:
    alone = PhysicsModel(samples.walk())
    more = PhysicsModel(samples.walk(), limit_clips=[samples.jump()])
    assert (more.limits[0, 6:] >= alone.limits[0, 6:] - 1e-9).all()
    assert (more.limits[0, 6:] > alone.limits[0, 6:] + 1).any()


def test_where_a_figure_faces_changes_nothing(jump: PhysicsModel) -> None:
    plain = samples.jump()
    turn = retime.quat.from_axis_angle([0, 1, 0], 1.1)
    rotations = plain.rotations.copy()
    rotations[:, 0] = retime.quat.multiply(turn, rotations[:, 0])
    root = plain.skeleton.names[0]
    places = {root: retime.quat.rotate(turn, plain.translations[root])}
    turned = replace(plain, rotations=rotations, translations=places)
    one, two = jump.warp(duration=2.4), PhysicsModel(turned).warp(duration=2.4)
    assert np.abs(one(two.output) - two.source).max() < 1e-4


def test_a_weak_knee_is_named() -> None:
    weak = {"left_lower_leg": 5.0, "right_lower_leg": 5.0}
    model = PhysicsModel(samples.jump(), torque_limits=weak)
    causes = {v.cause for v in model.explain().violations}
    assert any("torque of" in c and "Leg" in c for c in causes)


def test_edits_of_any_kind_are_judged(jump: PhysicsModel) -> None:
    assert jump.explain(jump.motion).share > 0.8
    hasty = TimeWarp.identity(*jump.motion.domain)
    per_joint = TimeWarp(
        hasty.output, hasty.source, channels={"LeftUpLeg": ([0.0, 3.25], [0.0, 3.25])}
    )
    assert jump.explain(per_joint).share > 0.8
    with pytest.raises(InputError, match="same figure"):
        jump.explain(samples.toss())


# ---- other figures and contacts


def test_a_hanging_chain_is_held() -> None:
    model = PhysicsModel(samples.chain())
    assert not model.flight.any()
    assert any("held by its root" in note for note in model.notes)
    warp = model.warp(duration=0.9 * samples.chain().duration)
    assert warp.duration == pytest.approx(0.9 * samples.chain().duration)


def test_a_root_that_stands_above_the_hips(jump: PhysicsModel) -> None:
    """Game rigs: a still root, and the hips with the motion."""
    plain = samples.jump()
    skeleton = plain.skeleton
    rig = retime.Skeleton(
        ("Reference", *skeleton.names),
        np.r_[-1, skeleton.parents + 1],
        np.r_[np.zeros((1, 3)), skeleton.offsets],
        end_sites=tuple(replace(s, parent=s.parent + 1) for s in skeleton.end_sites),
    )
    frames = len(plain)
    rotations = np.concatenate([np.tile([1.0, 0, 0, 0], (frames, 1, 1)), plain.rotations], axis=1)
    places = {"Reference": np.zeros((frames, 3)), **plain.translations}
    model = PhysicsModel(Motion(rig, rotations, places, fps=plain.fps))
    assert (model.flight == jump.flight).all()
    assert model.minimum_duration() == pytest.approx(jump.minimum_duration(), rel=1e-3)


def test_a_prop_that_is_led_is_no_flight() -> None:
    times = np.arange(60) / 30
    led = np.c_[times, np.full(60, 1.0), 0.3 * np.sin(3 * times)]
    prop = Motion(
        retime.Skeleton(("Box",), np.array([-1]), np.zeros((1, 3))),
        np.tile([1.0, 0, 0, 0], (60, 1, 1)),
        {"Box": led},
    )
    model = PhysicsModel(prop)
    assert not model.flight.any()
    assert model.warp(duration=1.5).duration == pytest.approx(1.5)


def test_contacts_that_are_given(walk: PhysicsModel) -> None:
    motion = samples.walk()
    start, end = motion.domain
    both = [Contact(n, start, end) for n in ("LeftFoot", "RightFoot", "LeftToe")]
    model = PhysicsModel(motion, contacts=[*both, Contact("LeftHand", 1.0, 2.0)])
    assert not model.flight.any()
    during, before = (int(np.abs(model.times - t).argmin()) for t in (1.5, 0.5))
    assert model.maps[during].shape[1] == model.maps[before].shape[1] + 6


def test_a_hand_on_a_wall_ends_a_flight_and_a_step_lifts_the_ground(jump: PhysicsModel) -> None:
    (flight,) = (f for f in jump.flights if f.clear)
    wall = Contact("RightHand", flight.start - 0.1, flight.end + 0.1)
    step = Contact("LeftToe", 0.0, 0.5, height=0.3)
    held = PhysicsModel(samples.jump(), contacts=[wall, step])
    assert not held.flight.any()
    assert held.maximum_duration() is None  # it may stay there
    assert held._measured.supports.ground[0, 0] == pytest.approx(0.3)


def test_gravity_as_people_say_it() -> None:
    motion = samples.walk()
    for said, vector in (
        (4.9, (0, -4.9, 0)),
        ("4.9", (0, -4.9, 0)),
        ("1,-2,3", (1, -2, 3)),
        ("down:3", (0, -3, 0)),
        ((0, -1, 0), (0, -1, 0)),
    ):
        assert np.allclose(PhysicsModel(motion, gravity=said).gravity, vector)
    body = retime.find_body(motion)
    points = retime.positions(motion)
    side = points[0, body.roles["left_upper_leg"]] - points[0, body.roles["right_upper_leg"]]
    left = PhysicsModel(motion, gravity="left:9.81").gravity
    assert left @ side > 0.9 * 9.81 * np.linalg.norm(side)


# ---- commands


def test_the_commands(run: Any, tmp_path: Path) -> None:
    retime.write(samples.jump(), tmp_path / "jump.bvh")
    jump, out = str(tmp_path / "jump.bvh"), str(tmp_path / "out.bvh")
    _, text, _ = run("physics", jump, "--feasible", "--json")
    found = json.loads(text)
    assert 0 < found["minimum_duration_s"] < found["duration_s"]
    warp, recipe = str(tmp_path / "w.json"), str(tmp_path / "r.json")
    status, text, _ = run(
        "physics", jump, out, "--duration", "2.5", "--gravity", "9.81", "--mass-scale",
        "left_upper_leg=2", "--warp", warp, "--recipe", recipe, "--plot",
        str(tmp_path / "p.png"), "--json",
    )  # fmt: skip
    assert status == 0
    assert json.loads(text)["duration_s"] == pytest.approx(2.5)
    assert (tmp_path / "p.png").stat().st_size > 1000
    status, _, _ = run("run", recipe, jump, str(tmp_path / "again.bvh"))
    assert status == 0
    assert (tmp_path / "again.bvh").read_bytes() == (tmp_path / "out.bvh").read_bytes()
    _, text, _ = run("check", out, "--source", jump, "--warp", warp, "--physics", "--json")
    assert json.loads(text)["physics"]["feasible_share"] > 0.8
    assert run("physics", jump)[0] == 2
    body = tmp_path / "body.json"
    body.write_text(json.dumps({"masses": {"head": 6.0}}))
    touch = tmp_path / "touch.json"
    touch.write_text(json.dumps([{"joint": "LeftFoot", "start": 0.0, "end": 1.0}]))
    status, _, _ = run(
        "physics", jump, "--feasible", "--body-data", str(body), "--contacts", str(touch)
    )
    assert status == 0


def test_a_model_stays_with_its_motion_and_changes_as_a_fresh_one() -> None:
    from retime.methods.physics import PhysicsParameters, model_of

    usual, light = PhysicsParameters(), PhysicsParameters(gravity=1.62)

    jump, other = samples.jump(), samples.jump()
    first = model_of(jump, usual)
    assert model_of(jump, usual) is first
    moon = model_of(jump, light)
    assert moon is not first
    assert model_of(jump, light) is moon
    assert model_of(jump, usual) is first
    fresh = model_of(other, light)
    np.testing.assert_allclose(
        moon.warp(duration=4.5).output, fresh.warp(duration=4.5).output, atol=1e-9
    )
    smooth_ground = PhysicsParameters(friction=0.2)
    slick = model_of(jump, smooth_ground)
    np.testing.assert_allclose(
        slick.warp(duration=3.0).output,
        model_of(other, smooth_ground).warp(duration=3.0).output,
        atol=1e-9,
    )


def test_efforts_are_shares_of_what_was_observed() -> None:
    from retime.methods.physics.effort import ground_force, joint_effort

    model = PhysicsModel(samples.jump(), limit_factor=1.5)
    told = model.explain()
    shares = joint_effort(model, told.timing)
    most = max(float(s.max()) for s in shares.values())
    assert most == pytest.approx(1 / 1.5, abs=0.02)  # the limits are 1.5 times what it shows
    force = ground_force(model, told.timing)
    assert force[model.flight].max() < 1e-9
    assert 0.8 < np.median(force[~model.flight]) < 1.3  # standing is one weight


def test_a_timing_at_the_limit_says_what_it_asks(jump: PhysicsModel) -> None:
    least = jump.minimum_duration()
    assert least is not None
    tight = jump.warp(duration=1.001 * least)
    assert jump.explain(tight).share > 0.98
    over = jump.warp(duration=0.9 * least)
    assert any("exceed the limits of the body" in note for note in over.notes)
    assert jump.explain(over).violations
    easy = jump.warp(duration=jump.motion.duration)
    assert not any("exceed the limits of the body" in note for note in easy.notes)


def test_what_is_feasible_does_not_depend_on_where_the_figure_stands() -> None:
    walk = samples.walk()
    least = PhysicsModel(walk).minimum_duration()
    for place in ([1.0, 0, 0], [0.1, 0, 0], [3.0, 0, -2.0]):
        root = walk.translations["Hips"] + np.array(place)
        moved = replace(walk, translations={**walk.translations, "Hips": root})
        assert PhysicsModel(moved).minimum_duration() == pytest.approx(least, rel=1e-4)
