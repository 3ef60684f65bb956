"""Poses that reach, judged: the farthest reach by another solver, hinges, what is delivered."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.optimize import minimize

from retime import Motion, positions
from retime.arrays import FloatArray
from retime.body import find_body
from retime.body.solve.hinges import bones, find_hinges, hinge_angle
from retime.body.solve.posing import Posed, _Figure, _Variables
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
    at = [joint, *(f for f in feet if figure.parents[f] not in feet)]
    turned, wanted = list(feet), figure.places[at]
    back = quat.conjugate(figure.turns[turned])
    start = figure.places[body.roles["right_upper_arm"]]

    def missing(x: FloatArray) -> FloatArray:
        wanted[0] = start + x[-1] * way
        places, turns, _ = figure.placed(free, x[:-1])
        turn = quat.log(quat.multiply(turns[turned], back))
        return np.concatenate([places[at] - wanted, turn]).ravel()

    def slopes(x: FloatArray) -> FloatArray:
        now = missing(x)
        return np.array([(missing(x + s) - now) / 1e-7 for s in 1e-7 * np.eye(n + 1)]).T

    found = minimize(
        lambda x: -x[-1],
        np.zeros(n + 1),
        jac=lambda _: np.r_[np.zeros(n), -1.0],
        method="SLSQP",
        bounds=[*zip(free.low, free.high, strict=True), (-3.0, 3.0)],
        constraints={
            "type": "eq",
            "fun": missing,
            "jac": slopes,
        },
        options={"maxiter": 200, "ftol": 1e-8},
    )
    assert np.abs(missing(found.x)).max() < 1e-4
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
