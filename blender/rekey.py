"""Re-keying: existing keys move through the inverse of a warp, handles with them.

Few keys stay few. A key's moment and its tangents are exact; between keys the curve bends a little
with the warp, and keys are added there only when requested. Holds and cuts need keys of their own.
"""

import numpy as np

from .keys import (
    ALIGNED,
    AUTO,
    AUTO_CLAMPED,
    BEZIER,
    CONSTANT,
    EASE_IN,
    EASE_OUT,
    FREE,
    LINEAR,
    VECTOR,
    Keys,
)
from .shared.key_mover import Grain, KeyMover, extended, nearest

# What follows a cut is keyed this much later, in frames: two keys cannot share an instant. Blender
# keeps frames in single precision.
_GRAIN = Grain(ramp=0.02, same=1e-4, end=1e-4)
# Keys this many frames beyond a clip keep their distance from it.
_FAR = 1e6
# A curve is halved at most so often to follow a warp.
_DEEPEST = 6
# A key this near to a frame is the one at it, frames.
_NEAR = 0.05
# Points in a stretch between keys at which a refined curve is compared.
_LOOKED_AT = 7


def key_mover(graph):
    """Make what moves keys by a warp; a hold at its end lets nothing beyond through."""
    moves = np.abs(np.diff(graph.y)) > _GRAIN.same
    ends = {"before": moves[:1].any(), "after": moves[-1:].any()}
    x, y = extended(graph.x, graph.y, **ends, far=_FAR)
    return KeyMover(x, y, _GRAIN, marks_holds=True)


def rekey(keys, graph, tolerance=None, period=None):
    """Move keys through a warp.

    Parameters
    ----------
    keys : Keys
        Of one F-curve, or several where none has to be split (``is_simple``).
    graph : Graph
        From output frames to source frames.
    tolerance : float, optional
        Largest change of the curve between keys, in its own unit; otherwise no keys are added.
    period : int, optional
        Number of keys of each of several curves, if all of them have keys at the same frames.
    """
    if not len(keys):
        return keys
    if graph.is_still:
        return _frozen(keys, graph)
    mover = key_mover(graph)
    if is_simple(graph) and not tolerance:
        shown = keys.co[:period, 0]
        moved = _moved(keys, mover, slice(None), mover.first(shown), len(keys) // len(shown))
        return moved if graph.is_straight else with_own_handles(moved)
    for _ in range(_DEEPEST):
        shown = mover.shown(keys.co[:, 0].astype(float))
        keys = _with_keys_at(keys, shown.source)
        at, _ = nearest(keys.co[:, 0], shown.source, _GRAIN.same)
        moved = with_own_handles(_marked(_moved(keys, mover, at, shown.output), mover, shown))
        add = _strays(keys, moved, mover, shown, tolerance) if tolerance else ()
        if not len(add):
            break
        keys = split(keys, add)
    return moved


def is_simple(graph):
    """Return whether keys only move: no hold, no cut, not backwards."""
    mover = key_mover(graph)
    return not mover.backwards and not len(mover.breaks)


def _frozen(keys, graph):
    """Show one moment throughout."""
    value = evaluate(keys, np.array([graph.y[0]]))
    return Keys.made(graph.x[[0, -1]], np.repeat(value, 2), CONSTANT)


def _moved(keys, mover, at, frames, times=1):
    """Put the keys ``at`` on output frames, handles with them; backwards turns them round.

    Curves one after the other may share their frames, which are given once then.
    """
    out = keys.take(at)
    slope = np.diff(mover.x) / np.where(np.diff(mover.y) != 0, np.diff(mover.y), np.inf)
    near = [np.searchsorted(mover.x, frames, side=side) - 1 for side in ("left", "right")]
    slopes = [np.tile(slope[np.clip(k, 0, len(slope) - 1)], times) for k in near]
    frames = np.tile(frames, times)
    x, y = (mover.x[::-1], mover.y[::-1]) if mover.backwards else (mover.x, mover.y)
    names = ("handle_left", "handle_right")
    for name, speed in zip(names, slopes, strict=True):
        # Played backwards, what follows a key is what came before it.
        source = keys.arrays[names[names.index(name) ^ mover.backwards]][at]
        along, up = (source - keys.co[at]).T
        # The tangent is exact; the length lies between what the warp does to the key's own
        # surroundings and to the handle's end, which keeps the errors in between small.
        straight = along * speed
        mapped = np.interp(source[:, 0], y, x) - frames
        share = np.ones(len(frames))
        np.divide(mapped, straight, out=share, where=np.abs(straight) > 1e-9)
        share = np.sqrt(np.abs(share))
        out.arrays[name][:, 0] = frames + straight * share
        out.arrays[name][:, 1] = out.co[:, 1] + up * share
    out.co[:, 0] = frames
    return _turned(out) if mover.backwards else out


def _turned(keys):
    """Turn round what is between keys."""
    left, right = keys.handle_left_type, keys.handle_right_type
    keys.arrays["handle_left_type"], keys.arrays["handle_right_type"] = right, left
    # A stretch between keys belongs to the key before it, which is another one now.
    for name in ("interpolation", "easing", "back", "amplitude", "period"):
        keys.arrays[name] = np.r_[keys.arrays[name][1:], keys.arrays[name][-1:]]
    easing = keys.easing.copy()
    keys.easing[easing == EASE_IN], keys.easing[easing == EASE_OUT] = EASE_OUT, EASE_IN
    stays = np.flatnonzero(keys.interpolation[:-1] == CONSTANT)
    keys.co[stays, 1] = keys.co[stays + 1, 1]  # what stood still stands at its earlier key's value
    return keys


def _marked(keys, mover, shown):
    """Let nothing change in a hold, or up to a cut's other side."""
    keys.interpolation[np.isin(shown.output, mover.x[mover.breaks])] = CONSTANT
    return keys


def _with_keys_at(keys, frames):
    """Add keys if there are none: within the curve, and where it is held beyond its ends."""
    first, last = keys.co[[0, -1], 0]
    before = np.unique(frames[frames < first - _GRAIN.same])
    after = np.unique(frames[frames > last + _GRAIN.same])
    keys = split(keys.take(slice(None)), frames)
    if len(after):
        keys.interpolation[-1] = CONSTANT
    held = [Keys.made(beyond, evaluate(keys, beyond), CONSTANT) for beyond in (before, after)]
    return Keys.joined([held[0], keys, held[1]])


def with_own_handles(keys, bend=1e-3):
    """Keep Blender from choosing the handles again, which would change the curve.

    Handles that are bent by less than ``bend``, radians, may be brought in line.
    """
    for name in ("handle_left_type", "handle_right_type"):
        kinds = keys.arrays[name]
        kinds[(kinds == AUTO) | (kinds == AUTO_CLAMPED)] = ALIGNED
        kinds[kinds == VECTOR] = FREE
    if not any(
        (keys.arrays[n] == ALIGNED).any() for n in ("handle_left_type", "handle_right_type")
    ):
        return keys
    left, right = keys.co - keys.handle_left, keys.handle_right - keys.co
    cross = np.abs(left[:, 0] * right[:, 1] - left[:, 1] * right[:, 0])
    length = np.linalg.norm(left, axis=1) * np.linalg.norm(right, axis=1)
    bent = cross > bend * np.where(length > 0, length, 1.0)
    for name in ("handle_left_type", "handle_right_type"):
        kinds = keys.arrays[name]
        kinds[bent & (kinds == ALIGNED)] = FREE
    return keys


# ---- what lies between keys


def evaluate(keys, frames):
    """Evaluate a curve of constant, straight and Bezier stretches; ends are held."""
    frames = np.asarray(frames, dtype=float)
    if len(keys) == 1:
        return np.full(frames.shape, keys.co[0, 1])
    at = keys.co[:, 0]
    k = np.clip(np.searchsorted(at, frames, side="right") - 1, 0, len(keys) - 2)
    a, b = keys.co[k], keys.co[k + 1]
    width = np.where(b[..., 0] > a[..., 0], b[..., 0] - a[..., 0], 1.0)
    share = np.clip((frames - a[..., 0]) / width, 0.0, 1.0)
    value = a[..., 1] + share * (b[..., 1] - a[..., 1])
    kind = keys.interpolation[k]
    value = np.where((kind == CONSTANT) & (share < 1), a[..., 1], value)
    bent = np.flatnonzero(kind.ravel() == BEZIER)
    if len(bent):
        points = segments(keys, k.ravel()[bent])
        u = solved(points[..., 0], frames.ravel()[bent])
        value.ravel()[bent] = cubic(points[..., 1], u)
    value = np.where(frames <= at[0], keys.co[0, 1], value)
    return np.where(frames >= at[-1], keys.co[-1, 1], value)


def segments(keys, k):
    """Control points (N, 4, 2) after the keys k; handles that overlap are cut as Blender does."""
    a, b = keys.co[k], keys.co[k + 1]
    right, left = keys.handle_right[k] - a, b - keys.handle_left[k + 1]
    reach, width = np.abs(right[:, 0]) + np.abs(left[:, 0]), b[:, 0] - a[:, 0]
    fit = np.where(reach > width, width / np.where(reach > 0, reach, 1.0), 1.0)[:, None]
    return np.stack([a, a + fit * right, b - fit * left, b], axis=1)


def cubic(p, u):
    """Evaluate cubics of control points (N, 4) at shares u."""
    v = 1 - u
    return v**3 * p[:, 0] + 3 * v * v * u * p[:, 1] + 3 * v * u * u * p[:, 2] + u**3 * p[:, 3]


def solved(x, at):
    """Find where the x of cubics (N, 4) that never turn back reaches a value."""
    low, high = np.zeros(len(at)), np.ones(len(at))
    for _ in range(40):
        middle = (low + high) / 2
        under = cubic(x, middle) < at
        low, high = np.where(under, middle, low), np.where(under, high, middle)
    return (low + high) / 2


def with_keys(keys, frames):
    """Return keys with more of them at frames where none is near; the curve stays as it is."""
    far = [f for f in frames if np.abs(keys.co[:, 0] - f).min() > _NEAR]
    return split(keys.take(slice(None)), far)


def split(keys, frames):
    """Add keys at frames that have none; the curve is unchanged."""
    for frame in frames:
        at = keys.co[:, 0]
        k = int(np.searchsorted(at, frame, side="right")) - 1
        inside = 0 <= k < len(keys) - 1
        if inside and min(abs(at[k] - frame), abs(at[k + 1] - frame)) >= 1e-4:
            new = _key_between(keys, k, frame)
            keys = Keys.joined([keys.take(slice(0, k + 1)), new, keys.take(slice(k + 1, None))])
    return keys


def _key_between(keys, k, frame):
    """Make a key at a frame after the key k; the handles beside it become shorter."""
    new, kind = keys.take([k]), FREE
    new.co[0] = frame, float(evaluate(keys, np.array([frame]))[0])
    new.handle_left[0] = new.co[0] - (new.co[0] - keys.co[k]) / 3
    new.handle_right[0] = new.co[0] + (keys.co[k + 1] - new.co[0]) / 3
    if keys.interpolation[k] == BEZIER:
        kind = ALIGNED
        p = segments(keys, np.array([k]))
        u = float(solved(p[..., 0], np.array([frame]))[0])
        a, b, c = (p[0, i] + u * (p[0, i + 1] - p[0, i]) for i in range(3))
        keys.handle_right[k], keys.handle_left[k + 1] = a, c
        new.handle_left[0], new.handle_right[0] = a + u * (b - a), b + u * (c - b)
    for name in ("handle_left_type", "handle_right_type"):
        beside = keys.arrays[name][k : k + 2]
        beside[(beside == AUTO) | (beside == AUTO_CLAMPED)] = ALIGNED
        new.arrays[name][0] = kind
    return new


def _strays(keys, moved, mover, shown, tolerance):
    """Find the source frames among stretches that are off by more than a tolerance."""
    share = np.linspace(0, 1, _LOOKED_AT + 2)[1:-1]
    frames = shown.output[:-1, None] + share * np.diff(shown.output)[:, None]
    off = np.abs(evaluate(keys, mover.at(frames)) - evaluate(moved, frames)).max(axis=1)
    kind = moved.interpolation[:-1]
    can = ((kind == BEZIER) | (kind == LINEAR)) & (np.abs(np.diff(shown.source)) > 0.5)
    return shown.middles[can & (off > tolerance)]
