"""The search for beats in an activation, compiled."""

from __future__ import annotations

import numpy as np

from retime.compiled import kernel


@kernel
def beat_path(on, off, periods, change, prior, width):  # type: ignore[no-untyped-def]
    """Find the likeliest chain of beats: a hidden Markov model of tempo and place in the beat.

    ``on`` and ``off`` are log likelihoods (F,) of a frame at a beat and between beats; ``periods``
    frames of a beat of each tempo, rising; ``change[a, b]`` the log probability of tempo b after a;
    ``prior`` that of a tempo, for every beat; the first ``width`` frames of a beat are on it.
    Returns the frames of beats.
    """
    frames, tempi = len(on), len(periods)
    starts = np.zeros(tempi + 1, dtype=np.int64)
    for k in range(tempi):
        starts[k + 1] = starts[k] + periods[k]
    states = starts[tempi]
    now = np.empty(states)
    for k in range(tempi):
        for place in range(periods[k]):
            now[starts[k] + place] = prior[k] - np.log(periods[k])
    before = np.full((frames, tempi), -1, dtype=np.int16)
    heads = np.zeros(
        tempi, dtype=np.int64
    )  # the positions of each tempo are a ring buffer: a frame moves its head
    for f in range(frames):
        fresh = np.empty(tempi)
        for b in range(tempi):
            best, origin = -np.inf, 0
            for a in range(tempi):
                value = now[starts[a] + (heads[a] + periods[a] - 1) % periods[a]] + change[a, b]
                if value > best:
                    best, origin = value, a
            fresh[b] = best + prior[b]
            before[f, b] = origin
        for b in range(tempi):
            n = periods[b]
            heads[b] = (heads[b] + n - 1) % n
            now[starts[b] + heads[b]] = fresh[b]
            for place in range(n):
                at = starts[b] + (heads[b] + place) % n
                now[at] += on[f] if place < width else off[f]
    best, tempo, place = -np.inf, 0, 0
    for b in range(tempi):
        for k in range(periods[b]):
            value = now[starts[b] + (heads[b] + k) % periods[b]]
            if value > best:
                best, tempo, place = value, b, k
    found = []
    f = frames - 1 - place
    while f >= 0:
        found.append(f)
        tempo = before[f, tempo]
        f -= periods[tempo]
    return np.array(found[::-1], dtype=np.int64)
