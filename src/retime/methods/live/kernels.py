"""Compiled loops of the live filters over a grid of (place in the recording, rate)."""

from __future__ import annotations

import numpy as np

from retime.compiled import kernel

__all__ = [
    "local_moments",
    "mean_travel",
    "measure_bones",
    "moments",
    "move_belief",
    "nearest_on_path",
    "novelty",
    "pose_difference",
    "pose_velocity",
    "put_on_bones",
    "strongest_place",
    "weigh_copy",
    "weigh_take",
]

# Belief below this is none.
_NONE = 1e-9
_MOST = 1e300


@kernel
def move_belief(  # type: ignore[no-untyped-def]
    belief, moved, rates, cells, drift, stop, go, going, jump, decay, reach, fresh
):
    """Move belief on by one step: at each rate, with drift of the rate, stops and jumps.

    ``belief`` and ``moved`` are (N, K); ``cells`` is how many places rate 1 passes; ``drift`` the
    share that changes to the next rate, ``stop`` and ``go`` those that stop and start; ``going``
    (K,) the rates that start. ``jump`` (3,) are the shares that jump a little forward, a little
    back, and far forward to where the recording is ``fresh`` (N,); ``decay`` (3, N) is what is left
    of a jump from one place to the next, and ``reach`` (3, N) the sum over all places.
    """
    count, speeds = belief.shape
    total = np.zeros(count)
    landed = np.zeros(count)
    moved[:, :] = 0.0
    for k in range(speeds):
        way = rates[k] * cells
        whole = int(way)
        part = way - whole
        for i in range(count):
            b = belief[i, k]
            if b < _NONE:
                continue
            j = i + whole
            if j >= count - 1:
                moved[count - 1, k] += b
                total[count - 1] += b
            else:
                moved[j, k] += b * (1 - part)
                moved[j + 1, k] += b * part
                total[j] += b * (1 - part)
                total[j + 1] += b * part
    stay = 1.0 - jump[0] - jump[1] - jump[2]
    if stay < 1.0:
        near = 0.0
        far = 0.0
        for j in range(1, count):
            near = decay[0, j] * (near + jump[0] * total[j - 1] / reach[0, j - 1])
            far = decay[2, j] * (far + jump[2] * total[j - 1] / reach[2, j - 1])
            landed[j] += near + far * fresh[j]
        near = 0.0
        for j in range(count - 2, -1, -1):
            near = decay[1, j + 1] * (near + jump[1] * total[j + 1] / reach[1, j + 1])
            landed[j] += near
    for i in range(count):
        if total[i] + landed[i] < _NONE:
            for k in range(speeds):
                belief[i, k] = 0.0
            continue
        still = moved[i, 0]
        moving = total[i] - still
        for k in range(1, speeds):
            slower = moved[i, k - 1] if k > 1 else moved[i, k]
            faster = moved[i, k + 1] if k < speeds - 1 else moved[i, k]
            kept = moved[i, k] * (1 - 2 * drift) + drift * (slower + faster)
            belief[i, k] = (kept * (1 - stop) + still * go * going[k]) * stay + landed[i] * going[k]
        belief[i, 0] = (still * (1 - go) + moving * stop) * stay


@kernel
def _fit(target, bias, pose, visible):  # type: ignore[no-untyped-def]
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
def _square(target, bias, pose, j, cos, sin, x, z):  # type: ignore[no-untyped-def]
    """Return the squared distance of joint ``j`` after turning and shifting it as found."""
    dx = cos * pose[j, 0] - sin * pose[j, 2] + x - target[j, 0] - bias[j, 0]
    dy = pose[j, 1] - target[j, 1] - bias[j, 1]
    dz = sin * pose[j, 0] + cos * pose[j, 2] + z - target[j, 2] - bias[j, 2]
    return dx * dx + dy * dy + dz * dz


@kernel
def weigh_copy(belief, cost, path, spread, pose, visible, weight):  # type: ignore[no-untyped-def]
    """Multiply belief by how well a pose fits each place of the recording, Gaussian.

    ``path`` (N, J, 3) is the recording; ``spread`` (N,) the variance of a joint's distance there;
    ``weight`` tempers the evidence, for errors of successive poses go together. Returns whether
    anything is left.
    """
    count, speeds = belief.shape
    bias = np.zeros(pose.shape)
    seen = visible.sum()
    least = _MOST
    for i in range(count):
        total = 0.0
        for k in range(speeds):
            total += belief[i, k]
        cost[i] = _MOST
        if total < _NONE:
            continue
        cos, sin, x, z = _fit(path[i], bias, pose, visible)
        square = 0.0
        for j in range(pose.shape[0]):
            if visible[j]:
                square += _square(path[i], bias, pose, j, cos, sin, x, z)
        cost[i] = weight * (square / spread[i] + seen * np.log(spread[i]))
        least = min(least, cost[i])
    left = 0.0
    for i in range(count):
        share = np.exp(-min(cost[i] - least, 700.0)) if cost[i] < _MOST else 0.0
        for k in range(speeds):
            belief[i, k] *= share
            left += belief[i, k]
    if not left > 0:
        return False
    belief /= left
    return True


@kernel
def weigh_take(  # type: ignore[no-untyped-def]
    belief, cost, path, tolerance, motion, speed2, bias, pose, visible, velocity, moving,
    rates, pose_weight, pose_tail, motion_weight, motion_tail, relative2, floor2,
):  # fmt: skip
    """Multiply belief by how well a pose and its motion fit each place of another take.

    The pose counts by joint with a heavy tail, each joint within its own ``tolerance`` (J,)
    (squared) and less the ``bias`` (J, 3) between the performers; the motion as
    ``velocity == rate * recorded``, within ``floor2 + relative2 * speeds``. ``motion`` (N, J, 3)
    and ``speed2`` (N, J) are the recording's velocities. Returns whether anything is left, and how
    much better the belief explains the pose than it would if the performer stood still, in nats.
    """
    count, speeds = belief.shape
    joints = pose.shape[0]
    seen = visible.sum()
    whole = moving.sum() == joints
    own = np.zeros((joints, 3))
    np.zeros((joints, 3))
    least = _MOST
    for i in range(count):
        total = 0.0
        for k in range(speeds):
            total += belief[i, k]
        if total < _NONE:
            for k in range(speeds):
                belief[i, k] = 0.0
            continue
        cos, sin, x, z = _fit(path[i], bias, pose, visible)
        tail = 1.0
        logs = 0.0
        for j in range(joints):
            if visible[j]:
                d = _square(path[i], bias, pose, j, cos, sin, x, z)
                tail *= 1.0 + d / (pose_tail * tolerance[j])
                if tail > 1e200:
                    logs += np.log(tail)
                    tail = 1.0
        of_pose = pose_weight * (pose_tail + 3) / 2 * (logs + np.log(tail)) / seen
        live2 = 0.0
        both = 0.0
        recorded2 = 0.0
        known = 0
        if motion_weight > 0:
            if not whole:
                _own_motion(path[i], motion[i], moving, own)
            for j in range(joints):
                if not moving[j]:
                    continue
                if whole:
                    mx, my, mz, m2 = motion[i, j, 0], motion[i, j, 1], motion[i, j, 2], speed2[i, j]
                else:
                    mx, my, mz = own[j, 0], own[j, 1], own[j, 2]
                    m2 = mx * mx + my * my + mz * mz
                vx = cos * velocity[j, 0] - sin * velocity[j, 2]
                vy = velocity[j, 1]
                vz = sin * velocity[j, 0] + cos * velocity[j, 2]
                v2 = vx * vx + vy * vy + vz * vz
                u = 1.0 / (floor2 + relative2 * (v2 + m2))
                live2 += v2 * u
                recorded2 += m2 * u
                both += (vx * mx + vy * my + vz * mz) * u
                known += 1
        for k in range(speeds):
            e = of_pose
            if known:
                off = max(0.0, live2 - 2 * rates[k] * both + rates[k] * rates[k] * recorded2)
                e += (
                    motion_weight
                    * (motion_tail + 3)
                    / 2
                    * np.log(1.0 + off / (known * motion_tail))
                )
            cost[i, k] = e
            if belief[i, k] > _NONE and e < least:
                least = e
    left = 0.0
    rest = 0.0
    for i in range(count):
        for k in range(speeds):
            if belief[i, k] > _NONE:
                rest += belief[i, k] * np.exp(least - cost[i, 0])
                belief[i, k] *= np.exp(least - cost[i, k])
                left += belief[i, k]
            else:
                belief[i, k] = 0.0
    if not left > 0:
        return False, 0.0
    belief /= left
    return True, np.log(left / max(rest, 1e-300))


@kernel
def _own_motion(path, motion, moving, own):  # type: ignore[no-untyped-def]
    """Take the common travel and turn of the joints in sight out of recorded velocities (J, 3)."""
    joints = path.shape[0]
    seen = 0
    px = pz = vx = vz = 0.0
    for j in range(joints):
        if moving[j]:
            px += path[j, 0]
            pz += path[j, 2]
            vx += motion[j, 0]
            vz += motion[j, 2]
            seen += 1
    px /= seen
    pz /= seen
    vx /= seen
    vz /= seen
    turn = 0.0
    arm = 0.0
    for j in range(joints):
        if moving[j]:
            x = path[j, 0] - px
            z = path[j, 2] - pz
            turn += x * (motion[j, 2] - vz) - z * (motion[j, 0] - vx)
            arm += x * x + z * z
    turn = turn / arm if arm > 0 else 0.0
    for j in range(joints):
        own[j, 0] = motion[j, 0] - vx + turn * (path[j, 2] - pz)
        own[j, 1] = motion[j, 1]
        own[j, 2] = motion[j, 2] - vz - turn * (path[j, 0] - px)


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
        cos, sin, x, z = _fit(path[i], bias, pose, visible)
        cos2, sin2, x2, z2 = _fit(path[i + 1], bias, pose, visible)
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
    """Say how unlike every place of a recording is to all places well before it.

    ``way`` (N,) is the travel up to each place, and ``apart`` how much must lie between. Returns
    (N,) squared distances in tolerances, of pose and motion; 50 where nothing lies before.
    """
    count, joints, _ = path.shape
    bias = np.zeros((joints, 3))
    visible = np.ones(joints, np.bool_)
    out = np.full(count, 50.0)
    for i in range(count):
        for b in range(count):
            if way[b] > way[i] - apart:
                break
            cos, sin, x, z = _fit(path[b], bias, path[i], visible)
            total = 0.0
            for j in range(joints):
                total += _square(path[b], bias, path[i], j, cos, sin, x, z) / tolerance[j]
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
    """Return how far a centred pose is from a recorded one (J, 3), turned onto it; 0 if unseen."""
    out = np.zeros(pose.shape)
    cos, sin, x, z = _fit(recorded, np.zeros(pose.shape), pose, visible)
    for j in range(pose.shape[0]):
        if visible[j]:
            out[j, 0] = cos * pose[j, 0] - sin * pose[j, 2] + x - recorded[j, 0]
            out[j, 1] = pose[j, 1] - recorded[j, 1]
            out[j, 2] = sin * pose[j, 0] + cos * pose[j, 2] + z - recorded[j, 2]
    return out


@kernel
def pose_velocity(now, before, both, seconds):  # type: ignore[no-untyped-def]
    """Return velocities (J, 3) of the joints in sight, travel and turn of the body taken out."""
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
    """Return how far the mean joint in sight moved between poses, the body's own way apart."""
    way = pose_velocity(now, before, both, 1.0)
    total = 0.0
    seen = 0
    for j in range(now.shape[0]):
        if both[j]:
            total += np.sqrt(way[j, 0] ** 2 + way[j, 1] ** 2 + way[j, 2] ** 2)
            seen += 1
    return total / max(seen, 1)


@kernel
def measure_bones(points, visible, bones, lengths, seen, first, odd, most):  # type: ignore[no-untyped-def]
    """Learn the lengths (B,) of bones in sight, and take out of sight what cannot be.

    The median of the ``first`` (B, 7) lengths is where the mean starts; a length that is off by
    more than a third is an outlier then, unless as many come in a row (``odd``) as make a new body.
    A joint all of whose bones are too long or short is no joint: ``visible`` is cleared for it.
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
            continue
        known[a] += 1
        known[b] += 1
        if abs(length - lengths[k]) <= lengths[k] / 3:
            odd[k] = 0
            seen[k] = min(seen[k] + 1, most)
            lengths[k] += (length - lengths[k]) / seen[k]
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
def put_on_bones(  # type: ignore[no-untyped-def]
    points, visible, bones, recorded, lengths, is_leg, least, overall, scale
):
    """Stretch a pose's bones to the recorded lengths, outwards, and centre it on the ground.

    ``bones`` (B, 2) are in an order in which each one's start comes before; ``lengths`` (B,) are
    the performer's, 0 where a bone was not seen yet. Joints without a bone in sight go by the ratio
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


@kernel
def moments(belief, rates, at):  # type: ignore[no-untyped-def]
    """Sum belief by place into ``at`` (N,): mean and variance of place, mode, rate, stillness."""
    count, speeds = belief.shape
    mean = rate = still = strongest = 0.0
    mode = 0
    for i in range(count):
        at[i] = 0.0
        for k in range(speeds):
            at[i] += belief[i, k]
            rate += rates[k] * belief[i, k]
        still += belief[i, 0]
        mean += i * at[i]
        if at[i] > strongest * (1 + 1e-9):
            strongest = at[i]
            mode = i
    variance = 0.0
    for i in range(count):
        variance += at[i] * (i - mean) ** 2
    return mean, variance, mode, rate, still


@kernel
def strongest_place(belief, fresh, at, expected, apart, least, around):  # type: ignore[no-untyped-def]
    """Sum belief by place into ``at`` (N,), and return the place where it is strongest nearby.

    Farther than ``apart`` places from the ``expected`` one, belief counts by how ``fresh`` the
    recording is there, ``least`` at the least: repeats are not switched to lightly.
    """
    count, speeds = belief.shape
    for i in range(count):
        at[i] = 0.0
        for k in range(speeds):
            at[i] += belief[i, k]
    best = 0.0
    mode = 0
    for i in range(count):
        total = 0.0
        for j in range(max(0, i - around), min(count, i + around + 1)):
            total += at[j]
        if abs(i - expected) >= apart:
            total *= max(fresh[i], least)
        if total > best * (1 + 1e-9):
            best = total
            mode = i
    return mode


@kernel
def local_moments(belief, rates, at, low, high, power):  # type: ignore[no-untyped-def]
    """Return mean place, rate and stillness of belief from ``low`` up to ``high``, and its share.

    The share is of a ``power`` of the belief ``at`` (N,) each place.
    """
    inside = total = 0.0
    for i in range(len(at)):
        if at[i] > 0:
            value = at[i] ** power
            total += value
            if low <= i < high:
                inside += value
    here = place = rate = still = 0.0
    for i in range(low, high):
        here += at[i]
        place += i * at[i]
        still += belief[i, 0]
        for k in range(belief.shape[1]):
            rate += rates[k] * belief[i, k]
    here = max(here, 1e-12)
    return place / here, rate / here, still / here, inside / max(total, 1e-12)
