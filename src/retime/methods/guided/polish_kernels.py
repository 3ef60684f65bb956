"""Compiled loops of the polish: poses between samples, scores and their quadratic model."""

from __future__ import annotations

from retime.compiled import kernel


@kernel
def sample_curve(samples, places, values, slopes):  # type: ignore[no-untyped-def]
    """Fill values and slopes, (m, D) each, of the cubic through samples (n, D) at places (m,).

    Tangents are central differences, one-sided at the ends.
    """
    last = len(samples) - 1
    for t in range(len(places)):
        place = min(max(places[t], 0.0), float(last))
        i = min(int(place), last - 1)
        h = place - i
        before, after = max(i - 1, 0), min(i + 2, last)
        for c in range(samples.shape[1]):
            start, end = samples[i, c], samples[i + 1, c]
            first = (end - samples[before, c]) / (i + 1 - before)
            second = (samples[after, c] - start) / (after - i)
            square = 3 * (end - start) - 2 * first - second
            cube = first + second - 2 * (end - start)
            values[t, c] = start + h * (first + h * (square + h * cube))
            slopes[t, c] = first + h * (2 * square + 3 * h * cube)


@kernel
def feature_distances(poses, reference, nearest, weights, distances):  # type: ignore[no-untyped-def]
    """Fill the distances (m - 2, k) of the features of a signal (m, D) from those of a reference.

    ``nearest`` (m - 2, k): middle frames of reference triples; ``weights``: squared weights of
    pose, velocity and acceleration.
    """
    for t in range(len(nearest)):
        for k in range(nearest.shape[1]):
            r = nearest[t, k]
            pose = speed = bend = 0.0
            for c in range(poses.shape[1]):
                before = poses[t, c] - reference[r - 1, c]
                here = poses[t + 1, c] - reference[r, c]
                after = poses[t + 2, c] - reference[r + 1, c]
                pose += here**2
                speed += (after - before) ** 2
                bend += (after - 2 * here + before) ** 2
            distances[t, k] = (weights[0] * pose + weights[1] * speed + weights[2] * bend) ** 0.5


@kernel
def add_scores(poses, slopes, reference, nearest, each, weights, gradient, bands):  # type: ignore[no-untyped-def]
    """Add the model of the scores to a gradient (m,) and to the upper bands (3, m) of a matrix.

    ``each`` (m - 2, k): weight of each squared distance; ``slopes`` (m, D): derivatives of the
    poses by their positions. The other arguments are those of ``feature_distances``.
    """
    q, v, b = weights[0], weights[1], weights[2]
    for t in range(len(nearest)):
        total = 0.0
        for k in range(nearest.shape[1]):
            total += each[t, k]
        pull0 = pull1 = pull2 = 0.0
        own0 = own1 = own2 = next0 = next1 = across = 0.0
        for c in range(poses.shape[1]):
            before = here = after = 0.0
            for k in range(nearest.shape[1]):
                r = nearest[t, k]
                before += each[t, k] * (poses[t, c] - reference[r - 1, c])
                here += each[t, k] * (poses[t + 1, c] - reference[r, c])
                after += each[t, k] * (poses[t + 2, c] - reference[r + 1, c])
            speed, bend = v * (after - before), b * (after - 2 * here + before)
            s0, s1, s2 = slopes[t, c], slopes[t + 1, c], slopes[t + 2, c]
            pull0 += (bend - speed) * s0
            pull1 += (q * here - 2 * bend) * s1
            pull2 += (bend + speed) * s2
            own0 += s0 * s0
            own1 += s1 * s1
            own2 += s2 * s2
            next0 += s0 * s1
            next1 += s1 * s2
            across += s0 * s2
        gradient[t] += pull0
        gradient[t + 1] += pull1
        gradient[t + 2] += pull2
        bands[2, t] += total * (v + b) * own0
        bands[2, t + 1] += total * (q + 4 * b) * own1
        bands[2, t + 2] += total * (v + b) * own2
        bands[1, t + 1] -= 2 * b * total * next0
        bands[1, t + 2] -= 2 * b * total * next1
        bands[0, t + 2] += (b - v) * total * across
