"""Compiled loops over frames that bend limbs of two bones; see :mod:`retime.body.limbs`.

Vectors and quaternions are tuples or rows of arrays.
"""

from __future__ import annotations

import math

import numpy as np

from retime.compiled import kernel

# A limb is never quite straight: at full stretch its bending plane would be undefined.
_STRAIGHTEST = 0.9999
# Bend, relative to the limb's length, below which the usual plane of the limb is used.
_CLEAR_BEND = 1e-4
# A leg shorter than its bones by less than this share is nearly straight (its knee by 23 degrees):
# pulled straighter, it keeps at least this share of the shortness, so half of its bend.
_NEARLY_STRAIGHT, _KEPT = 0.02, 0.25
# A bone shorter than this, in metres, cannot bend.
_NO_LENGTH = 1e-6
# Cost of turning a flat foot, relative to bending the knee: flat feet should stay flat.
_FOOT_STIFFNESS = 2.0


@kernel
def _vector(row):  # type: ignore[no-untyped-def]
    return row[0], row[1], row[2]


@kernel
def _quaternion(row):  # type: ignore[no-untyped-def]
    return row[0], row[1], row[2], row[3]


@kernel
def _plus(a, b, by):  # type: ignore[no-untyped-def]
    return a[0] + by * b[0], a[1] + by * b[1], a[2] + by * b[2]


@kernel
def _minus(a, b):  # type: ignore[no-untyped-def]
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@kernel
def _dot(a, b):  # type: ignore[no-untyped-def]
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def _cross(a, b):  # type: ignore[no-untyped-def]
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@kernel
def _length(a):  # type: ignore[no-untyped-def]
    return math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])


@kernel
def _unit(a):  # type: ignore[no-untyped-def]
    by = 1.0 / max(_length(a), 1e-12)
    return by * a[0], by * a[1], by * a[2]


@kernel
def _perpendicular(a, direction):  # type: ignore[no-untyped-def]
    return _plus(a, direction, -_dot(a, direction))


@kernel
def _multiply(a, b):  # type: ignore[no-untyped-def]
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


@kernel
def _conjugate(q):  # type: ignore[no-untyped-def]
    return q[0], -q[1], -q[2], -q[3]


@kernel
def _rotate(q, v):  # type: ignore[no-untyped-def]
    u = (q[1], q[2], q[3])
    t = _cross(u, v)
    return _plus(_plus(v, t, 2.0 * q[0]), _cross(u, t), 2.0)


@kernel
def _normalize(q):  # type: ignore[no-untyped-def]
    size = math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    if not size > 0.0:
        return 1.0, 0.0, 0.0, 0.0
    by = 1.0 / size
    return by * q[0], by * q[1], by * q[2], by * q[3]


@kernel
def _about(axis, angle):  # type: ignore[no-untyped-def]
    sine = math.sin(0.5 * angle)
    return math.cos(0.5 * angle), sine * axis[0], sine * axis[1], sine * axis[2]


@kernel
def _between(a, b):  # type: ignore[no-untyped-def]
    """Return the smallest rotation of a unit vector to another, which may be opposite."""
    real = 1.0 + _dot(a, b)
    if real < 1e-12:
        # Half a turn has no unique axis: use one perpendicular to the smallest component.
        x, y, z = abs(a[0]), abs(a[1]), abs(a[2])
        if x <= y and x <= z:
            across = _cross(a, (1.0, 0.0, 0.0))
        elif y <= z:
            across = _cross(a, (0.0, 1.0, 0.0))
        else:
            across = _cross(a, (0.0, 0.0, 1.0))
        return _normalize((0.0, across[0], across[1], across[2]))
    across = _cross(a, b)
    return _normalize((real, across[0], across[1], across[2]))


@kernel
def _frame(along, normal):  # type: ignore[no-untyped-def]
    """Return the rotation whose x is a direction and whose z is as near as can be to a normal."""
    x = _unit(along)
    z = _unit(_perpendicular(normal, x))
    y = _cross(z, x)
    a, b, c = y[2] - z[1], z[0] - x[2], x[1] - y[0]
    d, e, f = y[0] + x[1], z[0] + x[2], z[1] + y[2]
    # Each is the quaternion times four times one component; the largest is most accurate.
    w = 1.0 + x[0] + y[1] + z[2]
    i = 1.0 + x[0] - y[1] - z[2]
    j = 1.0 - x[0] + y[1] - z[2]
    k = 1.0 - x[0] - y[1] + z[2]
    if w >= i and w >= j and w >= k:
        return _normalize((w, a, b, c))
    if i >= j and i >= k:
        return _normalize((a, i, d, e))
    if j >= k:
        return _normalize((b, d, j, f))
    return _normalize((c, e, f, k))


@kernel
def _middle(distance, upper, lower):  # type: ignore[no-untyped-def]
    """Return where a limb's middle joint is: along the line between its ends, and off that line."""
    along = (upper * upper + distance * distance - lower * lower) / (2 * distance)
    return along, math.sqrt(max(upper * upper - along * along, 0.0))


@kernel
def _two_bone(base, target, upper, lower, pole, straightest):  # type: ignore[no-untyped-def]
    """Place the middle joint and the end of one limb; see :func:`retime.body.limbs.two_bone`."""
    way = _minus(target, base)
    distance = _length(way)
    by = 1.0 / max(distance, 1e-12)
    direction = (by * way[0], by * way[1], by * way[2])
    least = abs(upper - lower) + (1 - _STRAIGHTEST) * (upper + lower)
    distance = min(max(distance, least), straightest * (upper + lower))
    along, off = _middle(distance, upper, lower)
    out = _unit(_perpendicular(pole, direction))
    middle = _plus(_plus(base, direction, along), out, off)
    return middle, _plus(base, direction, distance)


@kernel
def two_bones(base, target, upper, lower, pole):  # type: ignore[no-untyped-def]
    """Place middle joints and ends, (N, 3) each, of limbs of lengths (N,)."""
    middles = np.empty_like(base)
    ends = np.empty_like(base)
    for n in range(len(base)):
        middle, end = _two_bone(
            _vector(base[n]),
            _vector(target[n]),
            upper[n],
            lower[n],
            _vector(pole[n]),
            _STRAIGHTEST,
        )
        for c in range(3):
            middles[n, c] = middle[c]
            ends[n, c] = end[c]
    return middles, ends


@kernel
def _kept_bent(length, before, full):  # type: ignore[no-untyped-def]
    """Keep a limb that is pulled straight from snapping: it slows down before full stretch.

    The last of its bend goes as fast as the root of the length that is left to full stretch.
    """
    short = full - length
    edge = max(min(full - before, _NEARLY_STRAIGHT * full), 1e-12)
    if short < edge:
        over = (edge - short) / ((1 - _KEPT) * edge)
        short = _KEPT * edge + (1 - _KEPT) * edge * math.exp(-over)
    return min(full - short, _STRAIGHTEST * full)


@kernel
def _foot_turn(hip, end, arm, goal, thigh, shin):  # type: ignore[no-untyped-def]
    """Turn the foot about its contact, as far as the knee would otherwise bend too much.

    Near full stretch a knee turns by degrees per millimetre. There the foot turns instead, and
    completely so if the leg is too short.
    """
    foot = _length(arm)
    if foot <= 1e-9:
        return 1.0, 0.0, 0.0, 0.0
    to_hip = _minus(hip, goal)
    distance = _length(to_hip)
    before = _length(_minus(end, hip))
    after = _length(_minus(arm, to_hip))
    toward, to_hip = _unit(arm), _unit(to_hip)
    now = math.acos(min(max(_dot(toward, to_hip), -1.0), 1.0))
    # How the leg's length changes with the knee's and with the foot's angle.
    bent = (thigh * thigh + shin * shin - before * before) / (2 * thigh * shin)
    bent = min(max(bent, -1.0), 1.0)
    by_knee = _FOOT_STIFFNESS * thigh * shin * math.sqrt(1 - bent * bent)
    by_foot = foot * distance * math.sin(now)
    share = by_foot * by_foot / max(by_foot * by_foot + by_knee * by_knee, 1e-12)
    wanted = _kept_bent(after + share * (before - after), before, thigh + shin)
    span = max(2 * foot * distance, 1e-12)
    cosine = (foot * foot + distance * distance - wanted * wanted) / span
    angle = math.acos(min(max(cosine, -1.0), 1.0))
    return _about(_unit(_cross(toward, to_hip)), now - angle)


@kernel
def _kept_from_snapping(hip, end, target, full, hinged):  # type: ignore[no-untyped-def]
    """Bring a target nearer that would pull a limb straight: its middle joint would snap."""
    before, away = _length(_minus(end, hip)), _minus(target, hip)
    wanted = _length(away)
    if wanted <= before:
        return target
    slowed = _kept_bent(wanted, before, full)
    if hinged:  # a limb that was straight may stay so
        slowed = max(slowed, min(before, full))
    return _plus(hip, away, min(slowed / max(wanted, 1e-9), 1.0))


@kernel
def _bent_about(offset, line, hinge, size, side):  # type: ignore[no-untyped-def]
    """Return where a middle joint is off its limb's line, if it shall be off by a ``size``.

    An offset that grows in its own direction would make a knee that is a hair past straight bend
    backwards. So an offset that grows turns to where its hinge bends.

    ``side`` is the side on which the frame before was past a quarter turn from its hinge, or 0. A
    knee a hair past straight is half a turn from its hinge: it must not bend out to the left in one
    frame and to the right in the next.
    """
    out = _unit(_cross(line, hinge))
    now = _length(offset)
    aside = math.atan2(_dot(_cross(offset, out), line), _dot(offset, out))
    if abs(aside) <= 0.5 * math.pi:
        side = 0.0
    elif side == 0.0:
        side = 1.0 if aside > 0 else -1.0
    elif side * aside < 0:
        aside += 2 * side * math.pi
    if now <= 1e-9:
        return out, side
    kept = min(now / max(size, 1e-12), 1.0) ** 2
    return _rotate(_about(line, (1 - kept) * aside), offset), side


@kernel
def reach(frames, joints, points, moves, turns, poles, hinges):  # type: ignore[no-untyped-def]
    """Move one joint of a limb, its lead, in some frames; turn the limb's end about it.

    ``frames`` (N,) are the frames to change. ``joints`` (4,) are the hip, the knee, the ankle and
    the lead: the ankle or a joint below it. ``points`` (F, J, 3) are positions. ``moves`` (F, 3)
    are displacements of the lead, ``turns`` (F, 4) rotations of the ankle about it. ``poles``
    (F, 3) are directions in which a straight limb bends. ``hinges`` (F, 3) are axes of the knee, or
    (0, 3) if unknown. Returns the rotations (N, 3, 4) by which hip, knee and ankle turn in space,
    the new positions (N, 3) of the ankle, and the largest distance by which it misses its target.
    """
    out = np.empty((len(frames), 3, 4))
    ends = np.empty((len(frames), 3))
    hinged = len(hinges) > 0
    worst, side = 0.0, 0.0
    for n in range(len(frames)):
        f = frames[n]
        hip, knee = _vector(points[f, joints[0]]), _vector(points[f, joints[1]])
        end, contact = _vector(points[f, joints[2]]), _vector(points[f, joints[3]])
        thigh, shin = _length(_minus(knee, hip)), _length(_minus(end, knee))
        if not (thigh > _NO_LENGTH and shin > _NO_LENGTH):  # a hidden limb stays as it is
            for k in range(3):
                for c in range(4):
                    out[n, k, c] = 1.0 if c == 0 else 0.0
            for c in range(3):
                ends[n, c] = end[c]
            worst = max(worst, _length(moves[f]))
            continue
        goal = _plus(contact, moves[f], 1.0)
        turn = _quaternion(turns[f])
        arm = _rotate(turn, _minus(end, contact))
        turn = _multiply(_foot_turn(hip, end, arm, goal, thigh, shin), turn)
        target = _plus(goal, _rotate(turn, _minus(end, contact)), 1.0)
        if joints[3] == joints[2]:
            target = _kept_from_snapping(hip, end, target, thigh + shin, hinged)
        line, new_line = _unit(_minus(end, hip)), _unit(_minus(target, hip))
        swing = _between(line, new_line)
        offset = _perpendicular(_minus(knee, hip), line)
        if hinged:
            normal = _vector(hinges[f])
            _, off = _middle(max(_length(_minus(target, hip)), 1e-9), thigh, shin)
            pole, side = _bent_about(offset, line, normal, off, side)
            new_pole, new_normal = _rotate(swing, pole), _rotate(swing, normal)
            # A hinge determines the plane of a straight limb.
            straightest = 1.0
        else:
            pole = _plus(offset, poles[f], _CLEAR_BEND * (thigh + shin))
            new_pole = _rotate(swing, pole)
            normal, new_normal = _cross(line, pole), _cross(new_line, new_pole)
            straightest = _STRAIGHTEST
        new_knee, new_end = _two_bone(hip, target, thigh, shin, new_pole, straightest)
        upper = _multiply(
            _frame(_minus(new_knee, hip), new_normal),
            _conjugate(_frame(_minus(knee, hip), normal)),
        )
        lower = _multiply(
            _frame(_minus(new_end, new_knee), new_normal),
            _conjugate(_frame(_minus(end, knee), normal)),
        )
        for c in range(4):
            out[n, 0, c] = upper[c]
            out[n, 1, c] = lower[c]
            out[n, 2, c] = turn[c]
        for c in range(3):
            ends[n, c] = new_end[c]
        missed = _length(_minus(new_end, target))
        missed += abs(_length(_minus(new_end, new_knee)) - shin)
        worst = max(worst, missed)
    return out, ends, worst


@kernel
def turn_limb(frames, joints, parents, linked, rotations, turned, upright, local):  # type: ignore[no-untyped-def]
    """Turn a limb's three joints in space by turns (N, 3, 4), in local rotations (F, J, 4).

    ``rotations`` (F, J, 4) are those in space before. A joint is above the next, except the end of
    a linked limb. Signs become continuous in time.
    """
    for n in range(len(frames)):
        f = frames[n]
        for k in range(3):
            base = _quaternion(upright if parents[k] < 0 else rotations[f, parents[k]])
            if k == 1 or (k == 2 and not linked):
                base = _multiply(turned[n, k - 1], base)
            new = _multiply(turned[n, k], rotations[f, joints[k]])
            new = _normalize(_multiply(_conjugate(base), new))
            for c in range(4):
                local[f, joints[k], c] = new[c]
    for f in range(1, len(local)):
        for j in joints:
            a, b = local[f, j], local[f - 1, j]
            if a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] < 0.0:
                for c in range(4):
                    a[c] = -a[c]
