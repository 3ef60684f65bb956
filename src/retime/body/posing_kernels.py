"""Compiled parts of full-body posing; see :mod:`retime.compiled`.

Variables are rotations about axes in the parents' frames, and a translation of the figure.
Bounded Levenberg-Marquardt, solved in the space of the goals: a figure has about a hundred
variables and about twenty rows of goals.
"""

from __future__ import annotations

import math

import numpy as np

from retime.compiled import kernel
from retime.motion.kernels import multiply, rotate


@kernel
def forward_pose(parents, offsets, rotations, joint, axis, q, places, turns, vectors):  # type: ignore[no-untyped-def]
    """Write global positions (J, 3), orientations (J, 4) and rotation vectors (J, 3) of a pose.

    ``joint`` (n,) is the joint that a variable rotates about ``axis`` (n, 3), or -1 for a move of
    the whole figure along it. The position of a root without a move is its offset.
    """
    joints = len(parents)
    vectors[:] = 0.0
    move = np.zeros(3)
    for k in range(len(q)):
        for c in range(3):
            if joint[k] < 0:
                move[c] += q[k] * axis[k, c]
            else:
                vectors[joint[k], c] += q[k] * axis[k, c]
    own = np.empty(4)
    step = np.empty(3)
    for j in range(joints):
        v = vectors[j]
        angle = math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
        if angle == 0.0:
            own[:] = rotations[j]
        else:
            scale = math.sin(0.5 * angle) / angle
            own[0] = math.cos(0.5 * angle)
            own[1] = scale * v[0]
            own[2] = scale * v[1]
            own[3] = scale * v[2]
            multiply(own, rotations[j], own)
        p = parents[j]
        if p < 0:
            turns[j] = own
            for c in range(3):
                places[j, c] = offsets[j, c] + move[c]
        else:
            multiply(turns[p], own, turns[j])
            rotate(turns[p], offsets[j], step)
            for c in range(3):
                places[j, c] = places[p, c] + step[c]


@kernel
def _turning(v, axis, out):  # type: ignore[no-untyped-def]
    """Turn that the vector ``v`` makes more where it grows along an axis: SO(3)'s left Jacobian."""
    angle2 = v[0] * v[0] + v[1] * v[1] + v[2] * v[2]
    angle = math.sqrt(angle2)
    if angle < 1e-4:
        a, b = 0.5 - angle2 / 24.0, 1.0 / 6.0 - angle2 / 120.0
    else:
        a, b = (1.0 - math.cos(angle)) / angle2, (angle - math.sin(angle)) / (angle2 * angle)
    cx = v[1] * axis[2] - v[2] * axis[1]
    cy = v[2] * axis[0] - v[0] * axis[2]
    cz = v[0] * axis[1] - v[1] * axis[0]
    out[0] = axis[0] + a * cx + b * (v[1] * cz - v[2] * cy)
    out[1] = axis[1] + a * cy + b * (v[2] * cx - v[0] * cz)
    out[2] = axis[2] + a * cz + b * (v[0] * cy - v[1] * cx)


@kernel
def goal_rows(  # type: ignore[no-untyped-def]
    parents, below, joint, axis, goal_joint, is_turn, wanted, places, turns, vectors, rows, missing
):  # fmt: skip
    """Write the errors of goals, (m,), and their derivatives, (m, n); three rows per goal."""
    rows[:] = 0.0
    world = np.empty(3)
    own = np.empty(3)
    back = np.empty(4)
    left = np.empty(4)
    for g in range(len(goal_joint)):
        e = goal_joint[g]
        if is_turn[g]:
            back[0] = turns[e, 0]
            for c in range(3):
                back[1 + c] = -turns[e, 1 + c]
            multiply(wanted[g], back, left)
            sign = -1.0 if left[0] < 0 else 1.0
            sine = math.sqrt(left[1] ** 2 + left[2] ** 2 + left[3] ** 2)
            scale = 2.0 * sign
            if sine > 1e-8:
                scale = sign * 2.0 * math.atan2(sine, sign * left[0]) / sine
            for c in range(3):
                missing[3 * g + c] = scale * left[1 + c]
        else:
            for c in range(3):
                missing[3 * g + c] = wanted[g, c] - places[e, c]
        for k in range(len(joint)):
            j = joint[k]
            if j < 0:
                if not is_turn[g]:
                    for c in range(3):
                        rows[3 * g + c, k] = axis[k, c]
                continue
            if not below[j, e]:
                continue
            _turning(vectors[j], axis[k], own)
            p = parents[j]
            if p < 0:
                world[:] = own
            else:
                rotate(turns[p], own, world)
            if is_turn[g]:
                for c in range(3):
                    rows[3 * g + c, k] = world[c]
            elif j != e:
                x = places[e, 0] - places[j, 0]
                y = places[e, 1] - places[j, 1]
                z = places[e, 2] - places[j, 2]
                rows[3 * g, k] = world[1] * z - world[2] * y
                rows[3 * g + 1, k] = world[2] * x - world[0] * z
                rows[3 * g + 2, k] = world[0] * y - world[1] * x


@kernel
def _bounded_step(rows, right, give, weight, pull, low, high, q):  # type: ignore[no-untyped-def]
    """Minimise q W q / 2 - pull q + |rows q - right|^2 / (2 give) within bounds; write ``q``.

    An active-set method: a variable that leaves its bounds is fixed, and released if the minimum
    is inside again.
    """
    m, n = rows.shape
    fixed = np.zeros(n, np.int8)
    matrix = np.empty((m, m))
    vector = np.empty(m)
    for _ in range(4 * n):
        _fill_system(rows, right, give, weight, pull, fixed, q, matrix, vector)
        force = np.linalg.solve(matrix, vector)
        worst, which = 0.0, -1
        loose, loosest = 0.0, -1
        for k in range(n):
            along = pull[k]
            for a in range(m):
                along += rows[a, k] * force[a]
            if fixed[k]:
                # Decrease of the cost if the variable moves back inside.
                gain = (along - weight[k] * q[k]) * -fixed[k]
                if gain > 1e-9 and gain > loose:
                    loose, loosest = gain, k
                continue
            q[k] = along / weight[k]
            over = max(low[k] - q[k], q[k] - high[k])
            if over > 1e-12 and over > worst:
                worst, which = over, k
        if which >= 0:
            # Also fix those half as far outside, to save rounds; wrong ones are released later.
            for k in range(n):
                if fixed[k] == 0 and max(low[k] - q[k], q[k] - high[k]) > 0.5 * worst:
                    fixed[k] = -1 if q[k] < low[k] else 1
                    q[k] = low[k] if q[k] < low[k] else high[k]
        elif loosest >= 0:
            fixed[loosest] = 0
        else:
            break
    for k in range(n):
        q[k] = min(max(q[k], low[k]), high[k])


@kernel
def _fill_system(rows, right, give, weight, pull, fixed, q, matrix, vector):  # type: ignore[no-untyped-def]
    """Fill the linear system for the forces of the goals, with some variables fixed."""
    m, n = rows.shape
    for a in range(m):
        vector[a] = right[a]
        for b in range(a, m):
            matrix[a, b] = 0.0
        matrix[a, a] = give[a]
    for k in range(n):
        value = q[k] if fixed[k] else pull[k] / weight[k]
        if value != 0.0:
            for a in range(m):
                vector[a] -= rows[a, k] * value
        if fixed[k]:
            continue
        for a in range(m):
            scaled = rows[a, k] / weight[k]
            if scaled != 0.0:
                for b in range(a, m):
                    matrix[a, b] += scaled * rows[b, k]
    for a in range(m):
        for b in range(a):
            matrix[a, b] = matrix[b, a]


@kernel
def _cost(q, weight, missing, give):  # type: ignore[no-untyped-def]
    total = 0.0
    for k in range(len(q)):
        total += weight[k] * q[k] * q[k]
    for a in range(len(missing)):
        total += missing[a] * missing[a] / give[a]
    return 0.5 * total


@kernel
def solve_pose(  # type: ignore[no-untyped-def]
    parents, below, offsets, rotations, joint, axis, weight, low, high, goal_joint, is_turn, wanted,
    give, q, rounds, most,
):  # fmt: skip
    """Find the variables (n,) that meet goals with least q W q; return them and the rounds.

    Squared errors of rows are divided by ``give`` (m,).
    """
    joints, n, m = len(parents), len(joint), len(give)
    places = np.empty((joints, 3))
    turns = np.empty((joints, 4))
    vectors = np.empty((joints, 3))
    rows = np.empty((m, n))
    missing = np.empty(m)
    right = np.empty(m)
    trial = np.empty(n)
    damping = 1e-3
    q = q.copy()
    forward_pose(parents, offsets, rotations, joint, axis, q, places, turns, vectors)
    goal_rows(parents, below, joint, axis, goal_joint, is_turn, wanted, places, turns, vectors,
              rows, missing)  # fmt: skip
    cost = _cost(q, weight, missing, give)
    new_rows = np.empty((m, n))
    new_missing = np.empty(m)
    taken = 0
    while taken < rounds:
        taken += 1
        for a in range(m):
            right[a] = missing[a]
            for k in range(n):
                right[a] += rows[a, k] * q[k]
        trial[:] = q
        _bounded_step(rows, right, give, (1.0 + damping) * weight, damping * weight * q, low, high,
                      trial)  # fmt: skip
        largest = 0.0
        for k in range(n):
            largest = max(largest, abs(trial[k] - q[k]))
        if largest > most:
            for k in range(n):
                trial[k] = q[k] + most / largest * (trial[k] - q[k])
        forward_pose(parents, offsets, rotations, joint, axis, trial, places, turns, vectors)
        goal_rows(parents, below, joint, axis, goal_joint, is_turn, wanted, places, turns, vectors,
                  new_rows, new_missing)  # fmt: skip
        new_cost = _cost(trial, weight, new_missing, give)
        if new_cost <= cost * (1.0 + 1e-14):
            small = largest < 1e-8 or (cost - new_cost) < 1e-6 * cost
            q[:] = trial
            rows[:] = new_rows
            missing[:] = new_missing
            cost = new_cost
            damping = max(damping / 8.0, 1e-9)
            if small:
                break
        else:
            damping = max(damping * 6.0, 1e-4)
            if damping > 1e12:
                break
    return q, taken


@kernel
def settle_pose(  # type: ignore[no-untyped-def]
    parents, below, offsets, rotations, joint, axis, weight, low, high, goal_joint, is_turn, wanted,
    q, rounds,
):  # fmt: skip
    """Meet nearly met goals exactly, by the least change of variables (n,)."""
    joints, n, m = len(parents), len(joint), 3 * len(goal_joint)
    places = np.empty((joints, 3))
    turns = np.empty((joints, 4))
    vectors = np.empty((joints, 3))
    rows = np.empty((m, n))
    missing = np.empty(m)
    right = np.empty(m)
    give = np.full(m, 1e-13)
    q = q.copy()
    for _ in range(rounds):
        forward_pose(parents, offsets, rotations, joint, axis, q, places, turns, vectors)
        goal_rows(parents, below, joint, axis, goal_joint, is_turn, wanted, places, turns, vectors,
                  rows, missing)  # fmt: skip
        largest = 0.0
        for a in range(m):
            right[a] = missing[a]
            largest = max(largest, abs(missing[a]))
            for k in range(n):
                right[a] += rows[a, k] * q[k]
        if largest < 1e-12:
            break
        _bounded_step(rows, right, give, weight, weight * q, low, high, q)
    return q
