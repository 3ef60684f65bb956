"""Fitting: curves shaped by the handles of the keys that they have; no key is added."""

import numpy as np

from .keys import BEZIER, CONSTANT, LINEAR
from .rekey import cubic, evaluate, segments, solved, with_own_handles

# Lengths of handles that are tried, as shares of the way to the next key; two that meet take all.
_LEAST = 0.03
_LENGTHS = np.array(
    [(a, b) for a in np.arange(0.05, 1, 0.15) for b in np.arange(0.05, 1, 0.15) if a + b <= 1.0]
)
# All of them are tried, then smaller and smaller steps around the best.
_STEPS = (None, 0.08, 0.04, 0.02)
_AROUND = np.array([(a, b) for a in (-1, 0, 1) for b in (-1, 0, 1)])
# Weight of the tangent that a curve should have at a key, beside a weight of 1 for each frame.
_TANGENT = 0.3
# A frame at which values hardly change weighs 1 / this, the one at which they change most about 1.
_STILL = 0.25
# Handles bend a curve at a frame if they carry at least this share of it there; nearer to a key,
# the key moves.
_CARRIES = 0.5
# Handles that are bent by less than this, radians, are in line.
_IN_LINE = 1e-5
# A key this near to a frame is the one at it, frames.
_NEAR = 0.05


def fitted(keys, offset, wanted, frames, tolerance):
    """Move a curve's keys, and set their handles so that it is as near as possible to values.

    Parameters
    ----------
    keys : Keys
        Of one curve; their number and their frames stay.
    offset : callable
        From frames to the change of a key's value.
    wanted : ndarray, shape (F,)
        Values that the curve should have at whole ``frames``.
    frames : ndarray, shape (F,)
        Whole frames, ascending.
    tolerance : float
        A stretch between keys that is this near keeps the lengths of its handles.
    """
    out = keys.take(slice(None))
    by = offset(keys.co[:, 0])
    for points in (out.co, out.handle_left, out.handle_right):
        points[:, 1] += by
    for k in range(len(keys) - 1):
        inside = (frames > keys.co[k, 0] + _NEAR) & (frames < keys.co[k + 1, 0] - _NEAR)
        if out.interpolation[k] not in (LINEAR, BEZIER) or not inside.any():
            continue
        off = np.abs(evaluate(out, frames[inside]) - wanted[inside]).max()
        if out.interpolation[k] == LINEAR and off <= tolerance:
            continue
        _fit_stretch(out, k, frames[inside], wanted[inside], tolerance)
    return with_own_handles(out, _IN_LINE)


def farthest(keys, wanted, frames):
    """Return the largest distance of a curve from values at frames; what holds is left out."""
    kept = keys.take(slice(None))
    k = np.clip(np.searchsorted(kept.co[:, 0], frames, side="right") - 1, 0, len(kept) - 1)
    counts = kept.interpolation[k] != CONSTANT
    off = np.abs(evaluate(kept, frames) - wanted)
    return float(off[counts].max(initial=0))


def _fit_stretch(keys, k, frames, wanted, tolerance):
    """Set the two handles after a key so that the curve is nearest to values up to the next."""
    start, end = keys.co[k], keys.co[k + 1]
    width = end[0] - start[0]
    slopes = (
        (wanted[0] - start[1]) / (frames[0] - start[0]),
        (end[1] - wanted[-1]) / (end[0] - frames[-1]),
    )
    if keys.interpolation[k] == BEZIER:
        x = segments(keys, np.array([k]))[0, :, 0]
        own = np.array([[x[1] - x[0], x[3] - x[2]]]) / width
    else:
        own = np.full((1, 2), 1 / 3)
    given = start, end, frames, wanted, slopes, _weights(start, end, wanted)
    best = _best(own, *given)
    for step in _STEPS:
        if best[2] <= tolerance:
            break
        tried = _LENGTHS if step is None else _around(best[0], step)
        best = min(best, _best(tried, *given), key=lambda b: b[2])
    lengths, values, _ = best
    keys.interpolation[k] = BEZIER
    keys.handle_right[k] = start[0] + lengths[0] * width, values[0]
    keys.handle_left[k + 1] = end[0] - lengths[1] * width, values[1]


def _weights(start, end, wanted):
    """Return the weights of frames: where values hardly change, an error shows most."""
    speed = np.abs(np.diff(np.r_[start[1], wanted, end[1]]))
    speed = np.maximum(speed[1:], speed[:-1])
    return 1 / (_STILL + speed / max(float(speed.max()), 1e-9))


def _around(lengths, step):
    """Return lengths of handles that are a step longer or shorter; their own too."""
    near = lengths + step * _AROUND
    return near[(near.min(axis=1) >= _LEAST) & (near.sum(axis=1) <= 1.0) | ~_AROUND.any(axis=1)]


def _best(tried, *given):
    """Return the lengths of handles by which a stretch is nearest, their values, and how near."""
    lengths, values, off = _solve(tried, *given)
    k = int(off.argmin())
    return lengths[k], values[k], off[k]


def _solve(lengths, start, end, frames, wanted, slopes, weights):
    """Find values of both handles for lengths (N, 2): lengths, values (N, 2), largest errors.

    Errors are weighted.
    """
    width = end[0] - start[0]
    count = len(lengths)
    x = np.empty((count, 4))
    x[:, 0], x[:, 3] = start[0], end[0]
    x[:, 1], x[:, 2] = start[0] + lengths[:, 0] * width, end[0] - lengths[:, 1] * width
    u = solved(np.repeat(x, len(frames), axis=0), np.tile(frames, count)).reshape(count, -1)
    v = 1 - u
    a, b = 3 * v * v * u, 3 * v * u * u
    left = wanted - v**3 * start[1] - u**3 * end[1]
    # Least squares in two unknowns, with a row for the tangent at each end.
    wish = np.stack(
        [start[1] + slopes[0] * (x[:, 1] - x[:, 0]), end[1] - slopes[1] * (x[:, 3] - x[:, 2])], 1
    )
    wa, wb = weights**2 * a, weights**2 * b
    aa, ab, bb = (wa * a).sum(1) + _TANGENT**2, (wa * b).sum(1), (wb * b).sum(1) + _TANGENT**2
    ra = (wa * left).sum(1) + _TANGENT**2 * wish[:, 0]
    rb = (wb * left).sum(1) + _TANGENT**2 * wish[:, 1]
    det = aa * bb - ab * ab
    values = np.stack([bb * ra - ab * rb, aa * rb - ab * ra], axis=1) / det[:, None]
    off = (weights * np.abs(a * values[:, :1] + b * values[:, 1:] - left)).max(axis=1)
    return lengths, values, off


def bent(keys, frame, by):
    """Move a curve by an amount at one frame that has no key, keys and frames unchanged.

    The handles beside the frame lean. Where they would have to lean far, the nearest key moves, and
    where a curve holds a value, the key that gives it. Returns the keys, and the frame of the key
    that moved, or ``None``.
    """
    out = keys.take(slice(None))
    at = keys.co[:, 0]
    k = int(np.searchsorted(at, frame, side="right")) - 1
    between = 0 <= k < len(keys) - 1 and keys.interpolation[k] in (LINEAR, BEZIER)
    if not between:
        k = min(max(k, 0), len(keys) - 1)
        _lift(out, k, by)
        return with_own_handles(out, _IN_LINE), float(at[k])
    if keys.interpolation[k] == LINEAR:
        third = (out.co[k + 1] - out.co[k]) / 3
        out.handle_right[k], out.handle_left[k + 1] = out.co[k] + third, out.co[k + 1] - third
        out.interpolation[k] = BEZIER
    u = float(solved(segments(out, np.array([k]))[..., 0], np.array([frame]))[0])
    moved = None
    if 3 * u * (1 - u) < _CARRIES:
        near = k if u < 0.5 else k + 1
        _lift(out, near, by)
        moved = float(at[near])
    points = segments(out, np.array([k]))
    # Handles that overlap are shorter in the curve; they are set to what it shows.
    out.handle_right[k], out.handle_left[k + 1] = points[0, 1], points[0, 2]
    wanted = float(evaluate(keys, np.array([frame]))[0]) + by
    lean = (wanted - float(cubic(points[..., 1], np.array([u]))[0])) / (3 * u * (1 - u))
    out.handle_right[k, 1] += lean
    out.handle_left[k + 1, 1] += lean
    return with_own_handles(out, _IN_LINE), moved


def _lift(keys, k, by):
    for points in (keys.co, keys.handle_left, keys.handle_right):
        points[k, 1] += by


def has_key(keys, frame):
    """Return whether a curve has a key at a frame."""
    return bool(np.abs(keys.co[:, 0] - frame).min(initial=np.inf) <= _NEAR)
