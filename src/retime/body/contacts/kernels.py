"""Compiled loops over frames and points; see :mod:`retime.compiled`."""

from __future__ import annotations

import numpy as np

from retime.compiled import kernel

__all__ = ["likeliest_states", "outside_hull", "surface_gaps"]


@kernel
def likeliest_states(score, price):  # type: ignore[no-untyped-def]
    """Find the on/off sequence (F,) with the most score: on adds it, off subtracts it.

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
    """Return how far a point (F, 3) is above the nearest known surface under or near it, (F,).

    ``spots`` (S, 3) are places that something was held at; one counts within ``reach`` along the
    ground, and for points that lie at most ``sunk`` below it. ``grips`` tells which only hands can
    use, where they are ``able``. Infinite where there is none.
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
def outside_hull(pressure, places, down, sizes, ways):  # type: ignore[no-untyped-def]
    """Return how far a centre of pressure (F, 2) lies outside of what touches, (F,) metres.

    ``places`` (P, F, 3) are points, ``down`` (P, F) whether they touch, ``sizes`` (P,) their radii,
    ``ways`` (W, 2) the directions in which the hull is looked at. At most 1, also without contact.
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
