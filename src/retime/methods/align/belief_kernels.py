"""Compiled loops of the live filters over a grid of (place in the recording, rate)."""

from __future__ import annotations

import numpy as np

from retime.compiled import kernel
from retime.methods.align.pose_kernels import fit, squared_distance

# Smaller beliefs are set to 0.
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
        cos, sin, x, z = fit(path[i], bias, pose, visible)
        square = 0.0
        for j in range(pose.shape[0]):
            if visible[j]:
                square += squared_distance(path[i], bias, pose, j, cos, sin, x, z)
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
    least = _MOST
    for i in range(count):
        total = 0.0
        for k in range(speeds):
            total += belief[i, k]
        if total < _NONE:
            for k in range(speeds):
                belief[i, k] = 0.0
            continue
        cos, sin, x, z = fit(path[i], bias, pose, visible)
        tail = 1.0
        logs = 0.0
        for j in range(joints):
            if visible[j]:
                d = squared_distance(path[i], bias, pose, j, cos, sin, x, z)
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
    """Take the common travel and turn of the joints visible out of recorded velocities (J, 3)."""
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

    The fraction is of a ``power`` of the belief ``at`` (N,) each place.
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
