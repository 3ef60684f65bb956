"""Limbs of two bones that reach: in either up axis, linked or not, with a hinge or without."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest

from retime import Motion, Skeleton, Units, quat
from retime.arrays import FloatArray
from retime.body.model.body import Limb
from retime.body.solve.limbs import LimbSolver
from retime.motion.kinematics import positions

FRAMES, MOVED = 6, slice(2, 5)


def leg(up: Literal["Y", "Z"], linked: bool, shin: float = 0.4) -> Motion:
    """Make a bent leg below a pelvis that turns; a linked foot is below the pelvis."""
    bones = [[0.0, 0.9, 0.0], [0.1, 0.0, 0.0], [0.0, -0.4, 0.1], [0.0, -shin, -0.1 * (shin > 0)]]
    turns = quat.exp(np.random.default_rng(1).normal(0, 0.2, (FRAMES, 4, 3)))
    if linked:
        bones[3] = [0.1, -0.4 - shin, 0.0]
        turns[:, 1:3] = quat.identity()
        if not shin:
            bones[3] = [0.1, -0.4, 0.1]
    offsets, base = np.array(bones), quat.from_axis_angle([1, 0, 0], np.pi / 2)
    if up == "Z":
        offsets[0] = [0.0, 0.0, 0.9]
        turns[:, 0] = quat.multiply(base, turns[:, 0])
    skeleton = Skeleton(
        ("Hips", "Leg", "Shin", "Foot"), np.array([-1, 0, 1, 0 if linked else 2]), offsets
    )
    tracks = {"Hips": np.tile(offsets[0], (FRAMES, 1)), "Foot": np.tile(offsets[3], (FRAMES, 1))}
    return Motion(skeleton, turns, fps=30.0, translations=tracks, units=Units(1.0, up, "given"))


def lengths(points: FloatArray) -> FloatArray:
    out: FloatArray = np.linalg.norm(np.diff(points[:, 1:], axis=1), axis=2)
    return out


@pytest.mark.parametrize("up", ["Y", "Z"])
@pytest.mark.parametrize("linked", [False, True])
@pytest.mark.parametrize("hinged", [False, True])
@pytest.mark.parametrize("where", ["regular", "opposite", "at the hip", "no bone"])
def test_a_limb_reaches(up: Literal["Y", "Z"], linked: bool, hinged: bool, where: str) -> None:
    motion = leg(up, linked, shin=0.0 if where == "no bone" else 0.4)
    before = positions(motion)
    np.testing.assert_allclose(before[:, 0], [[0.0, 0.9, 0.0]] * FRAMES, atol=1e-12)
    hinge = np.array([1.0, 0.0, 0.0]) if hinged else None
    solver = LimbSolver.of(motion, Limb(1, 2, 3, linked=linked), hinge=hinge)
    hip, end = before[:, 1], before[:, 3]
    target = {"opposite": hip - 0.9 * (end - hip), "at the hip": hip.copy()}.get(
        where, end + np.array([0.03, 0.1, -0.05])
    )
    move = np.zeros((FRAMES, 3))
    move[MOVED] = (target - end)[MOVED]
    turn = quat.identity(FRAMES)
    made, missed = solver.reach(3, move, turn)
    after = positions(made)
    assert np.isfinite(made.rotations).all()
    np.testing.assert_allclose(np.linalg.norm(made.rotations, axis=-1), 1.0, atol=1e-12)
    kept = np.ones(FRAMES, bool)
    kept[MOVED] = False
    np.testing.assert_array_equal(after[kept], before[kept])
    if where == "no bone":
        np.testing.assert_allclose(after, before, atol=1e-12)
        assert missed == pytest.approx(np.linalg.norm(move, axis=1).max())
        return
    np.testing.assert_allclose(lengths(after), lengths(before), atol=1e-9)
    off = float(np.linalg.norm(after[MOVED, 3] - target[MOVED], axis=1).max())
    assert missed == pytest.approx(off, abs=1e-8)
    if where == "at the hip":
        # As near as the bones go.
        assert off == pytest.approx(np.abs(np.diff(lengths(before)[MOVED])).max(), abs=1e-3)
    else:
        assert off < 1e-9
