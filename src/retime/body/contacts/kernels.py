"""Compiled loops over frames and points; see :mod:`retime.compiled`."""

from __future__ import annotations

import numpy as np

from retime.compiled import kernel


@kernel
def windowed_sums(track, weights):  # type: ignore[no-untyped-def]
    """Return the weighted sums (F, C) over a window around each frame; the ends repeat them."""
    frames, channels = track.shape
    width = len(weights) // 2
    out = np.zeros((frames, channels))
    for k in range(width, frames - width):
        for w in range(len(weights)):
            for c in range(channels):
                out[k, c] += weights[w] * track[k - width + w, c]
    for k in range(width):
        out[k] = out[width]
        out[frames - 1 - k] = out[frames - 1 - width]
    return out


@kernel
def likeliest_states(score, price):  # type: ignore[no-untyped-def]
    """Find the on/off sequence (F,) with the largest sum of signed scores.

    Every change costs ``price`` (Viterbi's algorithm with two states).
    """
    frames = len(score)
    came = np.zeros((frames, 2), np.bool_)  # whether a state is best reached from the other
    off, on = -score[0], score[0]
    for k in range(1, frames):
        came[k, 0] = on - price > off
        came[k, 1] = off - price > on
        before = off
        off = (on - price if came[k, 0] else off) - score[k]
        on = (before - price if came[k, 1] else on) + score[k]
    states = np.empty(frames, np.bool_)
    state = 1 if on > off else 0
    for k in range(frames - 1, -1, -1):
        states[k] = state == 1
        if came[k, state]:
            state = 1 - state
    return states


@kernel
def surface_gaps(place, clear, able, spots, grips, reach, sunk):  # type: ignore[no-untyped-def]
    """Return the height (F,) of a point (F, 3) above the nearest known surface.

    ``spots`` (S, 3) are samples of surfaces; one counts within ``reach`` along the
    ground, and for points that are at most ``sunk`` below it. ``grips`` are those that only hands
    use, while they are ``able``. Infinite if there is none.
    """
    frames = len(place)
    out = np.full(frames, np.inf)
    limit = reach * reach
    for k in range(frames):
        for s in range(len(spots)):
            if grips[s] and not able[k]:
                continue
            dx, dz = place[k, 0] - spots[s, 0], place[k, 2] - spots[s, 2]
            gap = place[k, 1] - clear - spots[s, 1]
            if dx * dx + dz * dz < limit and -sunk < gap < out[k]:
                out[k] = gap
    return out


@kernel
def continued_gaps(height, first, last, level, sunk, near):  # type: ignore[no-untyped-def]
    """Return heights (F,) relative to the supports before and after each frame, (F,).

    ``first`` and ``last`` (S,) are the supports' frames, by ``first``, ``level`` (S,) their
    heights. A height more than ``sunk`` below a support is not over it; ``near`` is added, because
    ground without contacts is less certain.
    """
    frames, supports = len(height), len(level)
    out = np.full(frames, np.inf)
    before = after = 0
    for k in range(frames):
        while before + 1 < supports and first[before + 1] <= k:
            before += 1
        while after + 1 < supports and last[after] < k:
            after += 1
        for s in (before, after):
            above = height[k] - level[s]
            if above > -sunk:
                out[k] = min(out[k], max(above, 0.0) + near)
    return out


@kernel
def outside_hull(pressure, places, down, sizes, ways):  # type: ignore[no-untyped-def]
    """Return the distance (F,) of a centre of pressure (F, 2) from the contacts, metres.

    ``places`` (P, F, 3) are points, ``down`` (P, F) whether they touch, ``sizes`` (P,) their radii,
    ``ways`` (W, 2) the directions in which the hull is sampled. At most 1, also without contact.
    """
    frames = len(pressure)
    out = np.empty(frames)
    for k in range(frames):
        worst = -np.inf
        for w in range(len(ways)):
            edge = -1e3
            for p in range(len(places)):
                if down[p, k]:
                    along = places[p, k, 0] * ways[w, 0] + places[p, k, 2] * ways[w, 1]
                    edge = max(edge, along + sizes[p])
            beyond = pressure[k, 0] * ways[w, 0] + pressure[k, 1] * ways[w, 1] - edge
            worst = max(worst, beyond)
        out[k] = min(worst, 1.0)
    return out


@kernel
def bone_gaps(place, at, bones):  # type: ignore[no-untyped-def]
    """Return the distance (F,) of a point (F, 3) to the nearest bone.

    ``at`` (F, J, 3) are joints; ``bones`` (B, 2) the joints at each bone's ends.
    """
    frames = len(place)
    out = np.full(frames, np.inf)
    for k in range(frames):
        for b in range(len(bones)):
            length = dot = 1e-12
            for c in range(3):
                along = at[k, bones[b, 1], c] - at[k, bones[b, 0], c]
                length += along * along
                dot += along * (place[k, c] - at[k, bones[b, 0], c])
            share = min(max(dot / length, 0.0), 1.0)
            gap = 0.0
            for c in range(3):
                start, end = at[k, bones[b, 0], c], at[k, bones[b, 1], c]
                gap += (place[k, c] - start - share * (end - start)) ** 2
            out[k] = min(out[k], gap)
    return np.sqrt(out)
