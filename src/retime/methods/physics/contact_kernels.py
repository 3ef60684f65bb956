"""Compiled loops over contacts: generalised forces, and least forces."""

from __future__ import annotations

import numpy as np

from retime.compiled import kernel

# Relative to the largest diagonal entry: least gain, and regularisation of equal columns.
_GAIN, _RIDGE = 1e-9, 1e-11
_MOST_EXCHANGES = 400


@kernel
def touch_maps(  # type: ignore[no-untyped-def]
    parents, turns, places, centres, headings, starts, joints, points, bases, sizes, dofs, out, at
):
    """Fill N (dofs, L) of every frame, in sequence in ``out``; frame f begins at ``at[f]``.

    The touches of frame f are ``starts[f]`` to ``starts[f + 1]``: the model's joint that each moves
    with, its place in the world, and the first ``sizes`` of its basis forces (6, 3). Rows are as of
    the torques: the root's force and moment about the centre of mass in the body's axes, then each
    joint's moment in its own frame (J^T of eq. 10).
    """
    for f in range(turns.shape[0]):
        columns = 0
        for t in range(starts[f], starts[f + 1]):
            columns += sizes[t]
        block = out[at[f] : at[f] + dofs * columns].reshape(dofs, columns)
        cos, sin = np.cos(headings[f]), np.sin(headings[f])
        column = 0
        for t in range(starts[f], starts[f + 1]):
            for b in range(sizes[t]):
                dx, dy, dz = bases[t, b, 0], bases[t, b, 1], bases[t, b, 2]
                rx = points[t, 0] - centres[f, 0]
                ry = points[t, 1] - centres[f, 1]
                rz = points[t, 2] - centres[f, 2]
                mx, my, mz = ry * dz - rz * dy, rz * dx - rx * dz, rx * dy - ry * dx
                block[0, column] = cos * dx - sin * dz
                block[1, column] = dy
                block[2, column] = sin * dx + cos * dz
                block[3, column] = cos * mx - sin * mz
                block[4, column] = my
                block[5, column] = sin * mx + cos * mz
                j = joints[t]
                while j > 0:
                    rx = points[t, 0] - places[f, j, 0]
                    ry = points[t, 1] - places[f, j, 1]
                    rz = points[t, 2] - places[f, j, 2]
                    mx, my, mz = ry * dz - rz * dy, rz * dx - rx * dz, rx * dy - ry * dx
                    turn = turns[f, j]
                    for i in range(3):
                        block[3 + 3 * j + i, column] = (
                            turn[0, i] * mx + turn[1, i] * my + turn[2, i] * mz
                        )
                    j = parents[j]
                column += 1


@kernel
def _least_squares_above_zero(square, right, out):  # type: ignore[no-untyped-def]
    """Minimise x' square x / 2 - right' x over x >= 0: Lawson and Hanson's active sets."""
    count = right.shape[0]
    out[:] = 0.0
    largest = 0.0
    for i in range(count):
        largest = max(largest, square[i, i])
    ridge = _RIDGE * largest
    enough = 0.0
    for i in range(count):
        enough = max(enough, abs(right[i]))
    enough *= _GAIN
    passive = np.zeros(count, np.bool_)
    index = np.empty(count, np.int64)
    factor = np.empty((count, count))
    solved = np.empty(count)
    for _ in range(_MOST_EXCHANGES):
        best, gain = -1, enough
        for i in range(count):
            if not passive[i]:
                slope = right[i]
                for j in range(count):
                    slope -= square[i, j] * out[j]
                if slope > gain:
                    best, gain = i, slope
        if best < 0:
            return
        passive[best] = True
        while True:
            size = 0
            for i in range(count):
                if passive[i]:
                    index[size] = i
                    size += 1
            _solve_chosen(square, right, index, size, ridge, factor, solved)
            length, stops = 1.0, -1
            for k in range(size):
                if solved[k] <= 0.0:
                    before = out[index[k]]
                    share = before / (before - solved[k]) if before > solved[k] else 0.0
                    if share < length:
                        length, stops = share, k
            if stops < 0:
                for k in range(size):
                    out[index[k]] = solved[k]
                break
            for k in range(size):
                i = index[k]
                out[i] += length * (solved[k] - out[i])
                if k == stops or out[i] <= 0.0:
                    out[i] = 0.0
                    passive[i] = False


@kernel
def _solve_chosen(square, right, index, size, ridge, factor, solved):  # type: ignore[no-untyped-def]
    """Solve the rows and columns of an index by Cholesky's factors."""
    for a in range(size):
        for b in range(a + 1):
            value = square[index[a], index[b]]
            if a == b:
                value += ridge
            for k in range(b):
                value -= factor[a, k] * factor[b, k]
            factor[a, b] = np.sqrt(max(value, ridge)) if a == b else value / factor[b, b]
    for a in range(size):
        value = right[index[a]]
        for k in range(a):
            value -= factor[a, k] * solved[k]
        solved[a] = value / factor[a, a]
    for a in range(size - 1, -1, -1):
        value = solved[a]
        for k in range(a + 1, size):
            value -= factor[k, a] * solved[k]
        solved[a] = value / factor[a, a]


@kernel
def given_forces(support, needed, rows, unit, out):  # type: ignore[no-untyped-def]
    """Fill the force and moment of contacts (6,) nearest to a needed force and moment (6,).

    ``rows`` (6,) weigh the six; ``unit`` is the force that basis forces are counted in.
    """
    count = support.shape[1]
    square = np.zeros((count, count))
    right = np.zeros(count)
    for a in range(count):
        for i in range(6):
            right[a] += rows[i] * rows[i] * unit * support[i, a] * needed[i]
        for b in range(a + 1):
            value = 0.0
            for i in range(6):
                value += rows[i] * rows[i] * unit * unit * support[i, a] * support[i, b]
            square[a, b] = value
            square[b, a] = value
    forces = np.empty(count)
    _least_squares_above_zero(square, right, forces)
    for i in range(6):
        value = 0.0
        for a in range(count):
            value += support[i, a] * forces[a]
        out[i] = unit * value


@kernel
def _fit(support, unit, must, scale, cost, square):  # type: ignore[no-untyped-def]
    """Fill what forces cost in squares: the root missed, torques in their limits, themselves."""
    rows, count = support.shape
    for a in range(count):
        for b in range(a + 1):
            value = cost * cost if a == b else 0.0
            for i in range(6):
                value += must[i] * must[i] * unit * unit * support[i, a] * support[i, b]
            for i in range(6, rows):
                held = unit / scale[i - 6]
                value += held * held * support[i, a] * support[i, b]
            square[a, b] = value
            square[b, a] = value


@kernel
def _wish(support, unit, must, scale, torque, target, right):  # type: ignore[no-untyped-def]
    rows, count = support.shape
    for a in range(count):
        value = 0.0
        for i in range(6):
            value += must[i] * must[i] * unit * support[i, a] * torque[i]
        for i in range(6, rows):
            value += unit * support[i, a] * (torque[i] - target[i - 6]) / scale[i - 6] ** 2
        right[a] = value


@kernel
def least_contact_forces(support, unit, must, scale, cost, torque, target, out):  # type: ignore[no-untyped-def]
    """Fill contact forces (L,), in units, that hold the root and come near to target torques."""
    count = support.shape[1]
    square = np.empty((count, count))
    right = np.empty(count)
    _fit(support, unit, must, scale, cost, square)
    _wish(support, unit, must, scale, torque, target, right)
    _least_squares_above_zero(square, right, out)


@kernel
def effort_maps(  # type: ignore[no-untyped-def]
    support, unit, must, scale, cost, gravity, speed, change, centre, forces, out
):
    """Fill the joints' torques as functions of the timing: rows 1, p'^2 and p'' of ``out`` (3, n).

    Contact forces go from those at the centre (p'', p'^2) by one linear map a frame, which holds
    the root and changes torques as little as can be; then torques are linear in the timing.
    """
    rows, count = support.shape
    for i in range(6, rows):
        out[0, i - 6] = gravity[i]
        out[1, i - 6] = speed[i]
        out[2, i - 6] = change[i]
    if count == 0:
        return
    square = np.empty((count, count))
    right = np.empty(count)
    factor = np.empty((count, count))
    slope = np.empty((2, count))
    index = np.arange(count)
    nothing = np.zeros(rows - 6)
    _fit(support, unit, must, scale, cost, square)
    _wish(support, unit, must, scale, speed, nothing, right)
    _solve_chosen(square, right, index, count, 0.0, factor, slope[0])
    _wish(support, unit, must, scale, change, nothing, right)
    _solve_chosen(square, right, index, count, 0.0, factor, slope[1])
    for i in range(6, rows):
        for a in range(count):
            held = unit * support[i, a]
            still = forces[a] - slope[0, a] * centre[1] - slope[1, a] * centre[0]
            out[0, i - 6] -= held * still
            out[1, i - 6] -= held * slope[0, a]
            out[2, i - 6] -= held * slope[1, a]
