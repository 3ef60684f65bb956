"""Poses that reach, judged: the farthest reach by another solver, hinges, what is delivered."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.optimize import minimize

from retime import Motion, positions
from retime.arrays import FloatArray
from retime.body import find_body
from retime.body.hinges import bones, find_hinges, hinge_angle
from retime.body.posing import Posed, _Figure, _Variables
from retime.body.posing_kernels import forward_pose, goal_rows
from retime.motion import quat
from retime.motion.kinematics import global_rotations


def frame_of(motion: Motion, frame: int) -> Motion:
    return replace(
        motion,
        rotations=motion.rotations[[frame]],
        translations={n: t[[frame]] for n, t in motion.translations.items()},
        sample_times=None,
        start=0.0,
        notes=(),
    )


def delivered(motion: Motion, posed: Posed) -> Motion:
    """Write a posed figure back as the file holds it."""
    root = motion.skeleton.names[motion.skeleton.roots[0]]
    track = motion.translations[root] + posed.file_move(motion.units)
    rotations = posed.rotations[None]
    return replace(motion, rotations=rotations, translations={**motion.translations, root: track})


def farthest(
    motion: Motion, clip: Motion, joint: int, feet: tuple[int, ...], way: FloatArray
) -> float:
    """Return how far along a way from the shoulder the whole body reaches, by SLSQP.

    The same joints, axes and bounds; another method, and no stiffness.
    """
    body, figure = find_body(motion), _Figure.of(motion)
    free = _Variables.of(figure, body, {joint: np.zeros(3)}, feet, "body", {}, clip)
    n = len(free.joint)
    goals = [(joint, False)]
    goals += [(f, t) for f in feet for t in (False, True) if t or figure.parents[f] not in feet]
    who, is_turn = (np.array(column) for column in zip(*goals, strict=True))
    wanted = np.array([figure.turns[j] if t else np.r_[figure.places[j], 0] for j, t in goals])
    start = figure.places[body.roles["right_upper_arm"]]
    rows, missing = np.empty((3 * len(who), n)), np.empty(3 * len(who))
    work = np.empty_like(figure.places), np.empty_like(figure.turns), np.empty_like(figure.places)

    def measured(x: FloatArray) -> tuple[FloatArray, FloatArray]:
        wanted[0, :3] = start + x[-1] * way
        forward_pose(
            figure.parents, figure.offsets, figure.rotations, free.joint, free.axis, x[:-1], *work
        )
        goal_rows(
            figure.parents, figure.below, free.joint, free.axis, who, is_turn, wanted, *work,
            rows, missing,
        )  # fmt: skip
        slope = np.column_stack([-rows, np.r_[way, np.zeros(len(missing) - 3)]])
        return missing.copy(), slope

    found = minimize(
        lambda x: -x[-1],
        np.zeros(n + 1),
        jac=lambda _: np.r_[np.zeros(n), -1.0],
        method="SLSQP",
        bounds=[*zip(free.low, free.high, strict=True), (-3.0, 3.0)],
        constraints={
            "type": "eq",
            "fun": lambda x: measured(x)[0],
            "jac": lambda x: measured(x)[1],
        },
        options={"maxiter": 200, "ftol": 1e-8},
    )
    assert np.abs(measured(found.x)[0]).max() < 1e-4
    return float(found.x[-1])


def past_hinges(motion: Motion, clip: Motion) -> float:
    """Return how far the worst knee or elbow is past its hinge, radians."""
    points, turns = positions(motion)[0], global_rotations(motion)[0]
    worst = 0.0
    for j, hinge in find_hinges(clip).items():
        axis = quat.rotate(turns[motion.skeleton.parents[j]], hinge.axis)
        angle = float(hinge_angle(*bones(points, hinge.limb), axis))
        worst = max(worst, hinge.low - angle, angle - hinge.high)
    return worst
