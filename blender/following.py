"""Following: curves moved by an amount that changes between their keys."""

import numpy as np

from .keys import BEZIER, CONSTANT
from .rekey import cubic, evaluate, segments, split, with_own_handles

# Rounds of adding keys; each adds at most one between two keys.
_ROUNDS = 12


def shifted(keys, offset):
    """Move a curve up or down by ``offset``, a function of frames; tangents follow between keys.

    The moved curve meets the offset at each key and at a third and two thirds between two of them.
    """
    out = keys.take(slice(None))
    by = offset(keys.co[:, 0])
    left, right = by.copy(), by.copy()
    k = np.flatnonzero((keys.interpolation[:-1] == BEZIER) & (np.diff(keys.co[:, 0]) > 1e-6))
    if len(k):
        x = segments(keys, k)[..., 0]
        a, b = (offset(cubic(x, np.full(len(k), u))) for u in (1 / 3, 2 / 3))
        right[k] = (-5 * by[k] + 18 * a - 9 * b + 2 * by[k + 1]) / 6
        left[k + 1] = (2 * by[k] - 9 * a + 18 * b - 5 * by[k + 1]) / 6
    out.co[:, 1] += by
    out.handle_left[:, 1] += left
    out.handle_right[:, 1] += right
    return with_own_handles(out)


def followed(keys, offsets, frames, tolerance):
    """Move a curve by ``offsets`` at whole ``frames``; keys are added to stay within a tolerance.

    Stretches that hold a value get none.
    """

    def offset(at):
        return np.interp(at, frames, offsets)

    wanted = evaluate(keys, frames) + offsets
    for _ in range(_ROUNDS):
        made = shifted(keys, offset)
        at = keys.co[:, 0]
        off = np.abs(evaluate(made, frames) - wanted)
        between = np.searchsorted(at, frames, side="right") - 1
        off[(between < 0) | (between >= len(keys) - 1)] = 0.0
        off[keys.interpolation[np.clip(between, 0, len(keys) - 1)] == CONSTANT] = 0.0
        off[np.abs(frames[:, None] - at).min(axis=1) < 0.5] = 0.0
        add = [
            frames[np.where(between == k, off, 0.0).argmax()]
            for k in np.unique(between[off > tolerance])
        ]
        if not add:
            break
        keys = split(keys.take(slice(None)), add)
    return made
