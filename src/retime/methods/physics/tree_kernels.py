"""The recursive Newton-Euler algorithm over all frames of a motion, for figures of any size."""

from __future__ import annotations

import numpy as np

from retime.compiled import kernel


@kernel
def motion_forces(  # type: ignore[no-untyped-def]
    parents, turns, places, solids, velocity, acceleration, pull, centres, headings,
    at_rest, by_speed, by_change
):  # fmt: skip
    """Fill G, A and B of eq. 6, (F, dofs) each: a free root, spherical joints below it.

    ``turns`` (F, J, 3, 3) and ``places`` (F, J, 3) are the joints' frames in the world; velocities
    and accelerations (F, dofs) are in each joint's own frame, the root's first six linear then
    angular; ``pull`` (3,) is gravity in the world. ``solids`` (J, 10) are the inertial parameters
    of what moves with each joint, in its frame: mass, first moments, and second moments about its
    origin (xx, xy, yy, xz, yz, zz). The root's six rows are the force and the moment about
    ``centres`` (F, 3), turned back by ``headings`` (F,) about the vertical: ahead stays ahead
    wherever the figure faces.
    """
    count = parents.shape[0]
    frames = turns.shape[0]
    spin = np.zeros((count, 3))  # angular velocity
    bend = np.zeros((2, count, 3))  # angular acceleration: by speed, by change
    line = np.zeros((2, count, 3))  # linear acceleration of the joint
    force = np.zeros((3, count, 3))
    moment = np.zeros((3, count, 3))
    own, own_change, arm, first, lever = (
        np.zeros(3),
        np.zeros(3),
        np.zeros(3),
        np.zeros(3),
        np.zeros(3),
    )
    one, two = np.zeros(3), np.zeros(3)
    for f in range(frames):
        for j in range(count):
            turn = turns[f, j]
            p = parents[j]
            at = 3 + 3 * j
            _turned(turn, velocity[f, at : at + 3], own)
            _turned(turn, acceleration[f, at : at + 3], own_change)
            if p < 0:
                for i in range(3):
                    spin[j, i] = own[i]
                    bend[0, j, i] = own_change[i]
                    bend[1, j, i] = own[i]
                _turned(turn, acceleration[f, :3], line[0, j])
                _turned(turn, velocity[f, :3], line[1, j])
                # The velocity of the root is in its rotating frame.
                _cross(own, line[1, j], one)
                for i in range(3):
                    line[0, j, i] += one[i]
            else:
                _cross(spin[p], own, one)
                for i in range(3):
                    arm[i] = places[f, j, i] - places[f, p, i]
                    spin[j, i] = spin[p, i] + own[i]
                    bend[0, j, i] = bend[0, p, i] + own_change[i] + one[i]
                    bend[1, j, i] = bend[1, p, i] + own[i]
                _cross(spin[p], arm, one)
                _cross(spin[p], one, two)
                _cross(bend[0, p], arm, one)
                for i in range(3):
                    line[0, j, i] = line[0, p, i] + one[i] + two[i]
                _cross(bend[1, p], arm, one)
                for i in range(3):
                    line[1, j, i] = line[1, p, i] + one[i]
            mass = solids[j, 0]
            _turned(turn, solids[j, 1:4], first)
            # at rest
            _cross(first, pull, one)
            for i in range(3):
                force[0, j, i] = -mass * pull[i]
                moment[0, j, i] = -one[i]
            # by the square of the speed, with centrifugal forces
            _inertia(turn, solids[j], bend[0, j], moment[1, j])
            _inertia(turn, solids[j], spin[j], lever)
            _cross(spin[j], lever, one)
            _cross(first, line[0, j], two)
            for i in range(3):
                moment[1, j, i] += one[i] + two[i]
            _cross(bend[0, j], first, one)
            _cross(spin[j], first, lever)
            _cross(spin[j], lever, two)
            for i in range(3):
                force[1, j, i] = mass * line[0, j, i] + one[i] + two[i]
            # by the change of speed: without them
            _inertia(turn, solids[j], bend[1, j], moment[2, j])
            _cross(first, line[1, j], two)
            _cross(bend[1, j], first, one)
            for i in range(3):
                moment[2, j, i] += two[i]
                force[2, j, i] = mass * line[1, j, i] + one[i]
        for part in range(3):
            out = at_rest[f] if part == 0 else (by_speed[f] if part == 1 else by_change[f])
            for j in range(count - 1, -1, -1):
                p = parents[j]
                if p < 0:
                    _root(
                        force[part, j], moment[part, j], places[f, j], centres[f], headings[f], out
                    )
                    continue
                _turned_back(turns[f, j], moment[part, j], out[3 + 3 * j : 6 + 3 * j])
                for i in range(3):
                    arm[i] = places[f, j, i] - places[f, p, i]
                _cross(arm, force[part, j], one)
                for i in range(3):
                    force[part, p, i] += force[part, j, i]
                    moment[part, p, i] += moment[part, j, i] + one[i]


@kernel
def _root(force, moment, place, centre, heading, out):  # type: ignore[no-untyped-def]
    """Write the rows of the root: force and moment about the centre of mass, in the body's axes."""
    arm = centre - place
    about = np.empty(3)
    _cross(arm, force, about)
    cos, sin = np.cos(heading), np.sin(heading)
    for first, values, less in ((0, force, 0.0), (3, moment, 1.0)):
        x = values[0] - less * about[0]
        z = values[2] - less * about[2]
        out[first] = cos * x - sin * z
        out[first + 1] = values[1] - less * about[1]
        out[first + 2] = sin * x + cos * z


@kernel
def _cross(a, b, out):  # type: ignore[no-untyped-def]
    out[0] = a[1] * b[2] - a[2] * b[1]
    out[1] = a[2] * b[0] - a[0] * b[2]
    out[2] = a[0] * b[1] - a[1] * b[0]


@kernel
def _turned(turn, v, out):  # type: ignore[no-untyped-def]
    for i in range(3):
        out[i] = turn[i, 0] * v[0] + turn[i, 1] * v[1] + turn[i, 2] * v[2]


@kernel
def _turned_back(turn, v, out):  # type: ignore[no-untyped-def]
    for i in range(3):
        out[i] = turn[0, i] * v[0] + turn[1, i] * v[1] + turn[2, i] * v[2]


@kernel
def _inertia(turn, solid, v, out):  # type: ignore[no-untyped-def]
    """Apply the second moments, in the frame of the joint, to a vector in the world."""
    a = turn[0, 0] * v[0] + turn[1, 0] * v[1] + turn[2, 0] * v[2]
    b = turn[0, 1] * v[0] + turn[1, 1] * v[1] + turn[2, 1] * v[2]
    c = turn[0, 2] * v[0] + turn[1, 2] * v[1] + turn[2, 2] * v[2]
    x = solid[4] * a + solid[5] * b + solid[7] * c
    y = solid[5] * a + solid[6] * b + solid[8] * c
    z = solid[7] * a + solid[8] * b + solid[9] * c
    for i in range(3):
        out[i] = turn[i, 0] * x + turn[i, 1] * y + turn[i, 2] * z
