"""Compiled loops over the joints of live poses: fits, distances, speeds, bones."""

from __future__ import annotations

import numpy as np

from retime.compiled import kernel

_MOST = 1e300


@kernel
def fit(target, bias, pose, visible):  # type: ignore[no-untyped-def]
    """Find the turn of a centred pose onto a target and the target's centre: cos, sin, x, z."""
    along = 0.0
    across = 0.0
    x = 0.0
    z = 0.0
    seen = 0
    for j in range(pose.shape[0]):
        if visible[j]:
            tx = target[j, 0] + bias[j, 0]
            tz = target[j, 2] + bias[j, 2]
            along += pose[j, 0] * tx + pose[j, 2] * tz
            across += pose[j, 0] * tz - pose[j, 2] * tx
            x += tx
            z += tz
            seen += 1
    length = np.sqrt(along * along + across * across)
    if length > 0:
        along /= length
        across /= length
    else:
        along = 1.0
    return along, across, x / seen, z / seen


@kernel
def squared_distance(target, bias, pose, j, cos, sin, x, z):  # type: ignore[no-untyped-def]
    """Return the squared distance of joint ``j`` after turning and shifting it as found."""
    dx = cos * pose[j, 0] - sin * pose[j, 2] + x - target[j, 0] - bias[j, 0]
    dy = pose[j, 1] - target[j, 1] - bias[j, 1]
    dz = sin * pose[j, 0] + cos * pose[j, 2] + z - target[j, 2] - bias[j, 2]
    return dx * dx + dy * dy + dz * dz


@kernel
def nearest_on_path(path, pose, visible, low, high):  # type: ignore[no-untyped-def]
    """Find the nearest point of a pose on a stretch of the recording, between its frames too.

    Returns the place, in frames, and the mean squared distance of a joint there.
    """
    bias = np.zeros(pose.shape)
    best = _MOST
    place = float(low)
    seen = visible.sum()
    for i in range(low, high):
        cos, sin, x, z = fit(path[i], bias, pose, visible)
        cos2, sin2, x2, z2 = fit(path[i + 1], bias, pose, visible)
        along = 0.0
        length = 0.0
        start = 0.0
        for j in range(pose.shape[0]):
            if not visible[j]:
                continue
            dx = cos * pose[j, 0] - sin * pose[j, 2] + x - path[i, j, 0]
            dy = pose[j, 1] - path[i, j, 1]
            dz = sin * pose[j, 0] + cos * pose[j, 2] + z - path[i, j, 2]
            fx = cos2 * pose[j, 0] - sin2 * pose[j, 2] + x2 - path[i + 1, j, 0]
            fy = pose[j, 1] - path[i + 1, j, 1]
            fz = sin2 * pose[j, 0] + cos2 * pose[j, 2] + z2 - path[i + 1, j, 2]
            # The residual runs from d to f: find where on that line it is least.
            ex, ey, ez = dx - fx, dy - fy, dz - fz
            along += ex * dx + ey * dy + ez * dz
            length += ex * ex + ey * ey + ez * ez
            start += dx * dx + dy * dy + dz * dz
        share = 0.0 if length < 1e-18 else min(1.0, max(0.0, along / length))
        square = start - 2 * share * along + share * share * length
        if square < best * (1 - 1e-9) - 1e-15:  # a tie is not decided by rounding
            best = square
            place = i + share
    return place, best / seen


@kernel
def novelty(path, motion, tolerance, way, apart, relative2, floor2):  # type: ignore[no-untyped-def]
    """Return the difference of every position of a recording from all much earlier ones.

    ``way`` (N,) is the travel up to each place, and ``apart`` how much must lie between. Returns
    (N,) squared distances in tolerances, of pose and motion; 50 where nothing is before.
    """
    count, joints, _ = path.shape
    bias = np.zeros((joints, 3))
    visible = np.ones(joints, np.bool_)
    out = np.full(count, 50.0)
    for i in range(count):
        for b in range(count):
            if way[b] > way[i] - apart:
                break
            cos, sin, x, z = fit(path[b], bias, path[i], visible)
            total = 0.0
            for j in range(joints):
                total += squared_distance(path[b], bias, path[i], j, cos, sin, x, z) / tolerance[j]
                vx = cos * motion[i, j, 0] - sin * motion[i, j, 2] - motion[b, j, 0]
                vy = motion[i, j, 1] - motion[b, j, 1]
                vz = sin * motion[i, j, 0] + cos * motion[i, j, 2] - motion[b, j, 2]
                speeds = 0.0
                for c in range(3):
                    speeds += motion[i, j, c] ** 2 + motion[b, j, c] ** 2
                total += (vx * vx + vy * vy + vz * vz) / (floor2 + relative2 * speeds)
            out[i] = min(out[i], total / joints)
    return out


@kernel
def pose_difference(recorded, pose, visible):  # type: ignore[no-untyped-def]
    """Return the distances of a pose from a recorded one (J, 3), after rotation; 0 if unseen."""
    out = np.zeros(pose.shape)
    cos, sin, x, z = fit(recorded, np.zeros(pose.shape), pose, visible)
    for j in range(pose.shape[0]):
        if visible[j]:
            out[j, 0] = cos * pose[j, 0] - sin * pose[j, 2] + x - recorded[j, 0]
            out[j, 1] = pose[j, 1] - recorded[j, 1]
            out[j, 2] = sin * pose[j, 0] + cos * pose[j, 2] + z - recorded[j, 2]
    return out


@kernel
def pose_velocity(now, before, both, seconds):  # type: ignore[no-untyped-def]
    """Return velocities (J, 3) of visible joints, without travel and rotation of the body."""
    out = np.zeros(now.shape)
    ax = az = bx = bz = 0.0
    seen = 0
    for j in range(now.shape[0]):
        if both[j]:
            ax += now[j, 0]
            az += now[j, 2]
            bx += before[j, 0]
            bz += before[j, 2]
            seen += 1
    if not seen:
        return out
    ax /= seen
    az /= seen
    bx /= seen
    bz /= seen
    along = 0.0
    across = 0.0
    for j in range(now.shape[0]):
        if both[j]:
            px, pz = before[j, 0] - bx, before[j, 2] - bz
            tx, tz = now[j, 0] - ax, now[j, 2] - az
            along += px * tx + pz * tz
            across += px * tz - pz * tx
    length = np.sqrt(along * along + across * across)
    cos = along / length if length > 0 else 1.0
    sin = across / length if length > 0 else 0.0
    for j in range(now.shape[0]):
        if both[j]:
            px, pz = before[j, 0] - bx, before[j, 2] - bz
            out[j, 0] = (now[j, 0] - ax - cos * px + sin * pz) / seconds
            out[j, 1] = (now[j, 1] - before[j, 1]) / seconds
            out[j, 2] = (now[j, 2] - az - sin * px - cos * pz) / seconds
    return out


@kernel
def mean_travel(now, before, both):  # type: ignore[no-untyped-def]
    """Return the mean movement of visible joints between poses, without the body's travel."""
    way = pose_velocity(now, before, both, 1.0)
    total = 0.0
    seen = 0
    for j in range(now.shape[0]):
        if both[j]:
            total += np.sqrt(way[j, 0] ** 2 + way[j, 1] ** 2 + way[j, 2] ** 2)
            seen += 1
    return total / max(seen, 1)


@kernel
def measure_bones(points, visible, bones, lengths, spread, seen, first, odd, most):  # type: ignore[no-untyped-def]
    """Learn lengths (B,) of visible bones and their variance; hide implausible joints.

    The median of the ``first`` (B, 7) lengths is where the mean starts; a length that is off by
    more than a third is an outlier then, unless as many come in a row (``odd``) as make a new body.
    A joint all of whose bones are too long or short is not a joint: ``visible`` is cleared for it.
    """
    joints = points.shape[0]
    tries = first.shape[1]
    bad = np.zeros(joints, np.int64)
    known = np.zeros(joints, np.int64)
    for k in range(bones.shape[0]):
        a, b = bones[k]
        if not (visible[a] and visible[b]):
            continue
        square = 0.0
        for c in range(3):
            square += (points[b, c] - points[a, c]) ** 2
        length = np.sqrt(square)
        if seen[k] < tries:
            first[k, int(seen[k])] = length
            seen[k] += 1
            lengths[k] = np.median(first[k, : int(seen[k])])
            spread[k] = np.var(first[k, : int(seen[k])])
            continue
        known[a] += 1
        known[b] += 1
        if abs(length - lengths[k]) <= lengths[k] / 3:
            odd[k] = 0
            seen[k] = min(seen[k] + 1, most)
            off = length - lengths[k]
            lengths[k] += off / seen[k]
            spread[k] += (off * off - spread[k]) / seen[k]
            continue
        if not lengths[k] / 2.5 <= length <= lengths[k] * 2.5:
            bad[a] += 1
            bad[b] += 1
        odd[k] += 1
        if odd[k] > 4 * tries:
            odd[k] = 0
            seen[k] = 0
    for j in range(joints):
        if known[j] and bad[j] == known[j]:
            visible[j] = False


@kernel
def steady_lengths(measured, spread, seen, recorded, least):  # type: ignore[no-untyped-def]
    """Return bone lengths (B,) of a performer, without the bias from noise.

    Noise makes a bone longer on the mean: by its variance, divided by the length. A length that
    differs from the recorded one, at the performer's size, by no more than chance (``least``
    metres, and what the ``spread`` of as many as ``seen`` allows) is the recorded one, so that
    noise does not bend the same body.
    """
    out = np.zeros(len(measured))
    theirs = own = 0.0
    for k in range(len(measured)):
        if measured[k] > 1e-6:
            square = measured[k] * measured[k]
            out[k] = np.sqrt(max(square - 2.0 * spread[k], 0.25 * square))
            theirs += out[k]
            own += recorded[k]
    size = theirs / own if own > 0 else 1.0
    for k in range(len(measured)):
        if out[k] > 0:
            usual = size * recorded[k]
            off = out[k] - usual
            share = 4.0 * (spread[k] / seen[k] + least * least) / max(off * off, 1e-18)
            out[k] = usual + off * max(0.0, 1.0 - share * share)
    return out


@kernel
def put_on_bones(  # type: ignore[no-untyped-def]
    points, visible, bones, recorded, lengths, is_leg, least, overall, scale
):
    """Stretch a pose's bones to the recorded lengths, outwards, and centre it on the ground.

    ``bones`` (B, 2) are in an order in which each one's start comes before; ``lengths`` (B,) are
    the performer's, 0 where a bone was not seen yet. Joints without a bone visible go by the ratio
    of all, which is given (``overall``) where fewer than ``least`` bones are known; the height of
    the hips goes by the legs.
    """
    known = 0
    theirs = own = their_legs = own_legs = 0.0
    for k in range(bones.shape[0]):
        if lengths[k] > 1e-6:
            known += 1
            theirs += lengths[k]
            own += recorded[k]
            if is_leg[k]:
                their_legs += lengths[k]
                own_legs += recorded[k]
    if known >= least:
        overall = own / theirs
    height = own_legs / their_legs if their_legs > 0 else overall
    out = np.zeros(points.shape)
    for j in range(points.shape[0]):
        out[j, 0] = points[j, 0] * overall
        out[j, 1] = points[j, 1] * height
        out[j, 2] = points[j, 2] * overall
    for k in range(bones.shape[0]):
        a, b = bones[k]
        if visible[a] and visible[b] and lengths[k] > 1e-6:
            ratio = recorded[k] / lengths[k]
            for c in range(3):
                out[b, c] = out[a, c] + ratio * (points[b, c] - points[a, c])
    x = z = 0.0
    seen = 0
    for j in range(points.shape[0]):
        if visible[j]:
            x += out[j, 0]
            z += out[j, 2]
            seen += 1
    for j in range(points.shape[0]):
        out[j, 0] = (out[j, 0] - x / seen) * scale if visible[j] else 0.0
        out[j, 1] = out[j, 1] * scale if visible[j] else 0.0
        out[j, 2] = (out[j, 2] - z / seen) * scale if visible[j] else 0.0
    return out
