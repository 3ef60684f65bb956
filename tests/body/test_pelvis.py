"""Feet whose plants move in time: knees stay calm, and plants stay in place."""

from __future__ import annotations

import numpy as np
import pytest

from contact_making import off_path
from retime import (
    ControlSurfaces,
    Motion,
    Recipe,
    Step,
    SurfaceKey,
    detect_contacts,
    find_body,
    positions,
    samples,
)
from retime.arrays import FloatArray
from retime.body.solve.hinges import hinge_axis
from retime.methods.surface.arrival import arrival
from retime.notes import Note


@pytest.fixture(scope="module")
def walk() -> Motion:
    return samples.walk()


def knee_acceleration(motion: Motion) -> float:
    body, points = find_body(motion), positions(motion)
    knees = [body.limbs[n].lower for n in ("left_leg", "right_leg")]
    bent: FloatArray = np.diff(points[:, knees], 2, axis=0) * motion.rate**2
    return float(np.linalg.norm(bent, axis=-1).max())


@pytest.mark.parametrize("shift", [-0.15, -0.08, 0.1])
def test_a_step_at_another_time_keeps_knees_calm_and_plants_in_place(
    walk: Motion, shift: float
) -> None:
    foot = walk.skeleton.names[find_body(walk).roles["left_foot"]]
    key = SurfaceKey(time=2.0, joint=foot, shift=shift)
    recipe = Recipe([Step("surface", {"keys": [key]})])
    made, warp = recipe.evaluate(walk), recipe.warp(walk)
    assert knee_acceleration(made) - knee_acceleration(walk) < 60
    found = arrival(walk, made, walk.skeleton.index(foot), key.time, shift)
    assert found.measured / shift > 0.95
    assert found.distance < 0.02
    moved = 0
    contacts = detect_contacts(walk)
    for contact in contacts:
        shown = warp.preimage(contact.start, contact.end, contact.joint)
        assert shown is not None
        moved += abs(shown[0] - contact.start) > 1e-6 or abs(shown[1] - contact.end) > 1e-6
    assert moved
    assert max(np.abs(d).max() for d in off_path(walk, made, warp, contacts)) < 1e-6


def test_the_trunk_keeps_its_time_when_a_foot_is_dragged(walk: Motion) -> None:
    body = find_body(walk)
    foot = walk.skeleton.names[body.roles["left_foot"]]
    surfaces = ControlSurfaces(walk, [SurfaceKey(time=2.0, joint=foot, shift=-0.1)])
    moved = {j for j, w in enumerate(surfaces.weights()) if w}
    leg = body.limbs["left_leg"].upper
    assert moved
    assert all(leg in walk.skeleton.chain(j) for j in moved)


def test_a_drag_is_cut_where_a_knee_would_jerk() -> None:
    run = samples.run()
    foot = run.skeleton.names[find_body(run).roles["left_foot"]]
    key = SurfaceKey(time=1.5, joint=foot, shift=0.4)
    surfaces = ControlSurfaces(run, [key])
    (cut,) = [n for n in surfaces.notes if isinstance(n, Note) and n.code == "drag-cut"]
    assert 0.1 < cut.values["shift"] < 0.4
    (found,) = surfaces.arrivals()
    assert found.asked == pytest.approx(cut.values["shift"])
    made = Recipe([Step("surface", {"keys": [key], "constraints": "free"})]).evaluate(run)
    assert knee_acceleration(made) < 1.5 * knee_acceleration(run) + 90


def test_knees_bend_about_an_axis_across_the_leg(walk: Motion) -> None:
    body = find_body(walk)
    limb = body.limbs["left_leg"]
    axis = hinge_axis(walk, limb)
    assert axis is not None
    assert np.linalg.norm(axis) == pytest.approx(1)
    bone = walk.skeleton.offsets[limb.lower]
    assert abs(axis @ bone) < 0.05 * np.linalg.norm(bone)
