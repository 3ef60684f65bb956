"""Compiled loops of the live filter: belief over places and rates, with repetitions."""

from __future__ import annotations

import numpy as np

from retime.compiled import kernel
from retime.methods.align.pose_kernels import pose_difference

_MOST = 1e300
# Belief below this is dropped.
_NONE = 1e-10
# Evidence of one pose is bounded, in nats.
_BOUND = 300.0


@kernel
def fit_places(path, bias, pose, seen, weights, tolerance, cut, at, least, cost, square, turn):  # type: ignore[no-untyped-def]
    """Compare a pose with the places that hold at least ``least`` belief ``at`` (N,).

    Writes the weighted, saturated squared distance in tolerances to ``cost`` (N,), the plain mean
    squared distance to ``square`` (N,) and cosine and sine of the turn about the vertical to
    ``turn`` (N, 2). Returns the place with the least plain distance.
    """
    count, joints, _ = path.shape
    known = 0
    for j in range(joints):
        known += seen[j]
    nearest = -1
    best = _MOST
    for i in range(count):
        if at[i] < least:
            cost[i] = _MOST
            square[i] = _MOST
            continue
        a = c = x = z = 0.0
        for j in range(joints):
            if seen[j]:
                tx = path[i, j, 0] + bias[j, 0]
                tz = path[i, j, 2] + bias[j, 2]
                a += pose[j, 0] * tx + pose[j, 2] * tz
                c += pose[j, 0] * tz - pose[j, 2] * tx
                x += tx
                z += tz
        length = np.sqrt(a * a + c * c)
        if length > 1e-12:
            a /= length
            c /= length
        else:
            a, c = 1.0, 0.0
        x /= known
        z /= known
        total = plain = 0.0
        for j in range(joints):
            if seen[j]:
                dx = a * pose[j, 0] - c * pose[j, 2] + x - path[i, j, 0] - bias[j, 0]
                dy = pose[j, 1] - path[i, j, 1] - bias[j, 1]
                dz = c * pose[j, 0] + a * pose[j, 2] + z - path[i, j, 2] - bias[j, 2]
                d = dx * dx + dy * dy + dz * dz
                plain += d
                r = d / tolerance[j]
                total += weights[j] * r / (1.0 + r / cut)
        cost[i] = total
        square[i] = plain / known
        turn[i, 0] = a
        turn[i, 1] = c
        if plain < best:
            best = plain
            nearest = i
    return nearest


@kernel
def move_on(  # type: ignore[no-untyped-def]
    belief, moved, at, rates, cells, drift, stop, go, going, near, back, decay, reach, again,
    first, alike, leave, found, least,
):  # fmt: skip
    """Move belief (N, K) on by one step, and sum it by place into ``at`` (N,).

    It continues at each rate (``cells`` places at rate 1), changes rate, stops and starts, jumps a
    little on and back along the travel, moves to repetitions (``alike`` from ``first``), leaves for
    elsewhere and comes back from there (``found`` (N,)). Less than ``least`` at a place is dropped.
    """
    count, speeds = belief.shape
    moved[:, :] = 0.0
    for i in range(count):
        if at[i] < _NONE:
            continue
        repeats = first[i + 1] - first[i]
        for k in range(speeds):
            v = belief[i, k]
            if v < 1e-13:
                continue
            way = rates[k] * cells
            whole = int(way)
            part = way - whole
            j = min(i + whole, count - 1)
            v *= 1.0 - leave
            if repeats:
                share = v * again / repeats
                for a in range(first[i], first[i + 1]):
                    moved[min(alike[a] + whole, count - 1), k] += share
                v *= 1.0 - again
            moved[j, k] += v * (1.0 - part)
            moved[min(j + 1, count - 1), k] += v * part
    total = np.zeros(count)
    landed = np.zeros(count)
    for i in range(count):
        for k in range(speeds):
            total[i] += moved[i, k]
    run = 0.0
    for i in range(1, count):
        run = decay[i] * (run + near * total[i - 1] / reach[0, i - 1])
        landed[i] += run
    run = 0.0
    for i in range(count - 2, -1, -1):
        run = decay[i + 1] * (run + back * total[i + 1] / reach[1, i + 1])
        landed[i] += run
    stay = 1.0 - near - back
    for i in range(count):
        at[i] = total[i] * stay + landed[i] + 1.2 * found[i]
        if at[i] < least:
            at[i] = 0.0
            for k in range(speeds):
                belief[i, k] = 0.0
            continue
        still = moved[i, 0]
        moving = total[i] - still
        come = landed[i] + found[i]
        for k in range(1, speeds):
            slower = moved[i, k - 1] if k > 1 else moved[i, k]
            faster = moved[i, k + 1] if k < speeds - 1 else moved[i, k]
            kept = moved[i, k] * (1.0 - 2.0 * drift) + drift * (slower + faster)
            belief[i, k] = (kept * (1.0 - stop) + still * go * going[k]) * stay + come * going[k]
        belief[i, 0] = (still * (1.0 - go) + moving * stop) * stay + 0.2 * found[i]


@kernel
def weigh_places(  # type: ignore[no-untyped-def]
    belief, cost, turn, motion, velocity, weights, rates, weight, tail, floor2, relative2,
    elsewhere, at, tell, first, alike,
):  # fmt: skip
    """Multiply belief by how well pose (``cost``) and motion fit, against ``elsewhere``.

    ``motion`` (N, J, 3) are recorded velocities, ``velocity`` (J, 3) the live ones. Which of
    several repetitions fits better counts ``tell`` of what other evidence does. Sums belief by
    place into ``at`` and returns all of it.
    """
    count, speeds = belief.shape
    joints = motion.shape[1]
    speed2 = np.empty(joints)
    standing = 0.0  # how far motion is from none: the recorded motion does not excuse it
    for j in range(joints):
        speed2[j] = velocity[j, 0] ** 2 + velocity[j, 1] ** 2 + velocity[j, 2] ** 2
        standing += weights[j] * speed2[j] / (floor2 + relative2 * speed2[j])
    fits = np.zeros(count)
    for i in range(count):
        here = at[i]
        at[i] = 0.0
        if here < _NONE or here * np.exp(min(elsewhere - cost[i], _BOUND)) < 1e-12:
            for k in range(speeds):
                belief[i, k] = 0.0
            continue
        live = both = recorded = 0.0
        if weight > 0:
            c, s = turn[i, 0], turn[i, 1]
            for j in range(joints):
                if weights[j] > 0:
                    mx, my, mz = motion[i, j, 0], motion[i, j, 1], motion[i, j, 2]
                    m2 = mx * mx + my * my + mz * mz
                    u = weights[j] / (floor2 + relative2 * (speed2[j] + m2))
                    live += speed2[j] * u
                    recorded += m2 * u
                    both += (
                        (c * velocity[j, 0] - s * velocity[j, 2]) * mx
                        + velocity[j, 1] * my
                        + (s * velocity[j, 0] + c * velocity[j, 2]) * mz
                    ) * u
        for k in range(speeds):
            if belief[i, k] <= 0.0:
                continue
            off = max(0.0, live - 2.0 * rates[k] * both + rates[k] * rates[k] * recorded)
            if rates[k] == 0.0:
                off = standing
            more = elsewhere - cost[i] - weight * tail * np.log(1.0 + off / tail)
            belief[i, k] *= np.exp(min(more, _BOUND))
            at[i] += belief[i, k]
        fits[i] = at[i] / here
    left = 0.0
    for i in range(count):
        if tell < 1.0 and fits[i] > 0 and first[i + 1] > first[i]:
            best = fits[i]
            for a in range(first[i], first[i + 1]):
                best = max(best, fits[alike[a]])
            up = (best / fits[i]) ** (1.0 - tell)
            at[i] *= up
            for k in range(speeds):
                belief[i, k] *= up
        left += at[i]
    return left


@kernel
def residual(path, place, pose, seen, before):  # type: ignore[no-untyped-def]
    """Return how far a pose is from the path around a place, between its places too (J, 3).

    And the mean over joints of its square, and of its product with what it was ``before``.
    """
    here = pose_difference(path[place], pose, seen)
    best = (here * here).sum()
    off = here
    for step in (-1, 1):
        j = min(max(place + step, 0), path.shape[0] - 1)
        change = here - pose_difference(path[j], pose, seen)
        share = (here * change).sum() / max((change * change).sum(), 1e-12)
        there = here - min(max(share, 0.0), 1.0) * change
        square = (there * there).sum()
        if square < best:
            best = square
            off = there
    known = seen.sum()
    return off, best / known, (off * before).sum() / known


@kernel
def add_copy_cost(cost, at, square, step2, error2, between, weight, present, most, forgiven):  # type: ignore[no-untyped-def]
    """Add what a copy's pose costs at each place with belief: its errors are noise.

    No more than ``forgiven`` nats are taken off: a place that does not fit stays unlikely.
    """
    least = _MOST
    for i in range(len(at)):
        if at[i] > 0:
            least = min(least, square[i] / (error2 + between * step2[i]))
    left = 0.0
    for i in range(len(at)):
        if at[i] > 0:
            own = weight * (square[i] / (error2 + between * step2[i]) - least)
            left += at[i] * np.exp(-own)
    mean = min(-np.log(max(left / max(present, 1e-9), 1e-9)), forgiven)
    for i in range(len(at)):
        if at[i] > 0:
            own = weight * (square[i] / (error2 + between * step2[i]) - least)
            cost[i] += min(own, most) - mean


@kernel
def scale_belief(belief, at, share):  # type: ignore[no-untyped-def]
    """Multiply belief by a number, where there is any."""
    for i in range(len(at)):
        if at[i] > 0:
            at[i] *= share
            for k in range(belief.shape[1]):
                belief[i, k] *= share


@kernel
def strongest_window(at, half, here):  # type: ignore[no-untyped-def]
    """Return the most belief within ``half`` places of one, that place, and that of ``here``."""
    count = len(at)
    total = own = 0.0
    best = -1.0
    where = 0
    for i in range(min(half, count)):
        total += at[i]
    for i in range(count):
        if i + half < count:
            total += at[i + half]
        if i - half - 1 >= 0:
            total -= at[i - half - 1]
        if total > best:
            best = total
            where = i
        if i == here:
            own = total
    return best, where, own


@kernel
def phase_belief(at, place, half, first, low, high):  # type: ignore[no-untyped-def]
    """Return the belief within ``half`` places of one or of any repetition of it."""
    count = len(at)
    marked = np.zeros(count, np.bool_)
    total = 0.0
    for a in range(first[place] - 1, first[place + 1]):
        if a < first[place]:
            lower, upper = place, place
        else:
            lower, upper = low[a], high[a]
        for i in range(max(lower - half, 0), min(upper + half + 1, count)):
            if not marked[i]:
                marked[i] = True
                total += at[i]
    return total


@kernel
def likeness(path, motion, weights, tolerance, cut, relative2, floor2):  # type: ignore[no-untyped-def]
    """Return how unlike all places of a recording are to each other (N, N), pose and motion.

    In mean squared tolerances. Headings are common to all places, so only poses are turned.
    """
    count, joints, _ = path.shape
    out = np.zeros((count, count))
    for i in range(count):
        for b in range(i):
            a = c = 0.0
            for j in range(joints):
                a += path[i, j, 0] * path[b, j, 0] + path[i, j, 2] * path[b, j, 2]
                c += path[i, j, 0] * path[b, j, 2] - path[i, j, 2] * path[b, j, 0]
            length = np.sqrt(a * a + c * c)
            if length > 1e-12:
                a /= length
                c /= length
            else:
                a, c = 1.0, 0.0
            total = 0.0
            for j in range(joints):
                dx = a * path[i, j, 0] - c * path[i, j, 2] - path[b, j, 0]
                dy = path[i, j, 1] - path[b, j, 1]
                dz = c * path[i, j, 0] + a * path[i, j, 2] - path[b, j, 2]
                r = (dx * dx + dy * dy + dz * dz) / tolerance[j]
                off = speeds = 0.0
                for d in range(3):
                    off += (motion[i, j, d] - motion[b, j, d]) ** 2
                    speeds += motion[i, j, d] ** 2 + motion[b, j, d] ** 2
                total += weights[j] * (r / (1.0 + r / cut) + off / (floor2 + relative2 * speeds))
            out[i, b] = total
            out[b, i] = total
    return out
