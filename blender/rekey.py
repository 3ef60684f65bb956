"""Re-keying: existing keys move through the inverse of a warp, handles with them.

Few keys stay few. A key's moment and its tangents are exact; between keys the curve bends a little
with the warp, and keys are added there only when asked for. Holds and cuts need keys of their own.
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

# What follows a cut is keyed this much later, in frames: two keys cannot share an instant.
_AFTER_CUT = 0.02
# A curve is halved at most so often to follow a warp.
_DEEPEST = 6
# Points in a stretch between keys at which a refined curve is compared.
_LOOKED_AT = 7


def rekey(keys, graph, tolerance=None):
    """Move keys through a warp.

    Parameters
    ----------
    keys : Keys
        Of one F-curve, or several where none has to be split (``is_simple``).
    graph : Graph
        From output frames to source frames.
    tolerance : float, optional
        Largest change of the curve between keys, in its own unit; else no keys are added.
    """
    if not len(keys):
        return keys
    pieces = graph.pieces()
    if not pieces:
        return _frozen(keys, graph)
    if len(pieces) == 1 and is_simple(graph):
        moved = _moved(keys, *_widened(*pieces[0], keys))
        if graph.is_straight:
            return moved
        moved = _with_own_handles(moved)
        return _refined(keys, moved, graph, tolerance) if tolerance else moved
    parts = []
    for k, (x, y) in enumerate(pieces):
        # Outside the clip keys stay as they are; a hold at its end lets nothing through.
        first = k == 0 and x[0] == graph.x[0]
        last = k == len(pieces) - 1 and x[-1] == graph.x[-1]
        low, high = min(y[0], y[-1]), max(y[0], y[-1])
        cut = _between(
            keys,
            -np.inf if (first and y[0] == low) or (last and y[-1] == low) else low,
            np.inf if (first and y[0] == high) or (last and y[-1] == high) else high,
        )
        wide = _widened(x, y, cut)
        part = _with_own_handles(_moved(cut, *wide))
        if tolerance and not graph.backwards:
            part = _refined(cut, part, _Piece(*wide), tolerance)
        if parts and len(part):
            gap = part.co[0, 0] - parts[-1].co[-1, 0]
            if gap < _AFTER_CUT:  # a cut
                part.co[0, 0] += _AFTER_CUT - gap
            parts[-1].interpolation[-1] = CONSTANT
        if len(part):
            parts.append(part)
    return Keys.joined(parts)


def is_simple(graph):
    """Whether keys only move: no hold, no cut, not backwards."""
    return (
        not graph.backwards
        and len(graph.pieces()) == 1
        and len(graph.pieces()[0][0]) == len(graph.x)
    )


class _Piece:
    """A stretch of a warp as a graph of its own."""

    def __init__(self, x, y):
        self.x, self.y = x, y

    def output(self, frames):
        return np.interp(frames, self.y, self.x)


def _frozen(keys, graph):
    """Show one moment throughout."""
    value = evaluate(keys, np.array([graph.y[0]]))
    return Keys.made(graph.x[[0, -1]], np.repeat(value, 2), CONSTANT)


def _widened(x, y, keys):
    """Extend a stretch at the source's speed to cover all keys and handles."""
    frames = np.concatenate([keys.co[:, 0], keys.handle_left[:, 0], keys.handle_right[:, 0]])
    pad = 1 + max(np.ptp(np.r_[frames, y]), 1.0)
    way = -1.0 if y[-1] < y[0] else 1.0
    return (np.r_[x[0] - pad, x, x[-1] + pad], np.r_[y[0] - way * pad, y, y[-1] + way * pad])


def _moved(keys, x, y):
    """Move keys along a stretch that goes one to one; backwards turns them round."""
    backwards = y[-1] < y[0]
    if backwards:
        x, y = -x[::-1], y[::-1]  # as if forwards on an axis that is turned round
    out = keys.take(slice(None))
    at = keys.co[:, 0]
    new = np.interp(at, y, x)
    slope = np.diff(x) / np.diff(y)
    after = slope[np.clip(np.searchsorted(y, at, side="right") - 1, 0, len(slope) - 1)]
    before = slope[np.clip(np.searchsorted(y, at, side="left") - 1, 0, len(slope) - 1)]
    out.co[:, 0] = new
    for name, rate in (("handle_left", before), ("handle_right", after)):
        handle = keys.arrays[name] - keys.co
        # The tangent is exact; the length lies between what the warp does to the key's own
        # surroundings and to the handle's end, which keeps the errors in between small.
        straight = handle[:, 0] * rate
        mapped = np.interp(keys.arrays[name][:, 0], y, x) - new
        safe = np.abs(straight) > 1e-9
        share = np.sqrt(np.abs(np.where(safe, mapped / np.where(safe, straight, 1.0), 1.0)))
        out.arrays[name][:, 0] = new + straight * share
        out.arrays[name][:, 1] = keys.co[:, 1] + handle[:, 1] * share
    return _turned(out) if backwards else out


def _turned(keys):
    """Turn keys round in time: their axis, their order, and what lies between them."""
    out = keys.take(slice(None, None, -1))
    for name in ("co", "handle_left", "handle_right"):
        out.arrays[name][:, 0] *= -1
    for one, other in (("handle_left", "handle_right"), ("handle_left_type", "handle_right_type")):
        out.arrays[one], out.arrays[other] = out.arrays[other], out.arrays[one]
    # A stretch between keys belongs to the key before it, which is another one now.
    for name in ("interpolation", "easing", "back", "amplitude", "period"):
        out.arrays[name] = np.r_[out.arrays[name][1:], out.arrays[name][-1:]]
    easing = out.easing.copy()
    out.easing[easing == EASE_IN], out.easing[easing == EASE_OUT] = EASE_OUT, EASE_IN
    stays = np.flatnonzero(out.interpolation[:-1] == CONSTANT)
    out.co[stays, 1] = out.co[stays + 1, 1]  # what stood still stands at its earlier key's value
    return out


def _with_own_handles(keys):
    """Keep Blender from choosing the handles anew, which would change the curve."""
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
    bent = cross > 1e-3 * np.where(length > 0, length, 1.0)
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
        points = _segments(keys, k.ravel()[bent])
        u = _solved(points[..., 0], frames.ravel()[bent])
        value.ravel()[bent] = _cubic(points[..., 1], u)
    value = np.where(frames <= at[0], keys.co[0, 1], value)
    return np.where(frames >= at[-1], keys.co[-1, 1], value)


def _segments(keys, k):
    """Control points (N, 4, 2) after the keys k; handles that overlap are cut as Blender does."""
    a, b = keys.co[k], keys.co[k + 1]
    right, left = keys.handle_right[k] - a, b - keys.handle_left[k + 1]
    reach, width = np.abs(right[:, 0]) + np.abs(left[:, 0]), b[:, 0] - a[:, 0]
    fit = np.where(reach > width, width / np.where(reach > 0, reach, 1.0), 1.0)[:, None]
    return np.stack([a, a + fit * right, b - fit * left, b], axis=1)


def _cubic(p, u):
    v = 1 - u
    return v**3 * p[:, 0] + 3 * v * v * u * p[:, 1] + 3 * v * u * u * p[:, 2] + u**3 * p[:, 3]


def _solved(x, at):
    """Find where the x of cubics (N, 4) that never turn back reaches a value."""
    low, high = np.zeros(len(at)), np.ones(len(at))
    for _ in range(40):
        middle = (low + high) / 2
        under = _cubic(x, middle) < at
        low, high = np.where(under, middle, low), np.where(under, high, middle)
    return (low + high) / 2


def split(keys, frames):
    """Add keys at frames that have none; the curve stays as it is."""
    for frame in frames:
        at = keys.co[:, 0]
        k = int(np.searchsorted(at, frame, side="right")) - 1
        if k < 0 or k >= len(keys) - 1 or min(abs(at[k] - frame), abs(at[k + 1] - frame)) < 1e-4:
            continue
        new = keys.take([k])
        new.co[0] = frame, float(evaluate(keys, np.array([frame]))[0])
        new.handle_left[0] = new.co[0] - (new.co[0] - keys.co[k]) / 3
        new.handle_right[0] = new.co[0] + (keys.co[k + 1] - new.co[0]) / 3
        if keys.interpolation[k] == BEZIER:
            p = _segments(keys, np.array([k]))
            u = float(_solved(p[..., 0], np.array([frame]))[0])
            a, b, c = (p[0, i] + u * (p[0, i + 1] - p[0, i]) for i in range(3))
            d, e = a + u * (b - a), b + u * (c - b)
            keys.handle_right[k], keys.handle_left[k + 1] = a, c
            new.handle_left[0], new.handle_right[0] = d, e
        for name in ("handle_left_type", "handle_right_type"):
            new.arrays[name][0] = ALIGNED if keys.interpolation[k] == BEZIER else FREE
            for beside in (k, k + 1):
                if keys.arrays[name][beside] in (AUTO, AUTO_CLAMPED):
                    keys.arrays[name][beside] = ALIGNED
        keys = Keys.joined([keys.take(slice(0, k + 1)), new, keys.take(slice(k + 1, None))])
    return keys


def _between(keys, low, high):
    """Cut out the keys from one frame to another, with keys at both."""
    cut = split(keys.take(slice(None)), [f for f in (low, high) if np.isfinite(f)])
    at = cut.co[:, 0]
    inside = cut.take((at >= low - 1e-4) & (at <= high + 1e-4))
    if len(inside) == 0:  # before the first key, or after the last
        value = evaluate(keys, np.array([low if np.isfinite(low) else high]))
        inside = Keys.made(np.array([low if np.isfinite(low) else high]), value)
    ends = [f for f in (low, high) if np.isfinite(f)]
    for frame in ends:
        if np.abs(inside.co[:, 0] - frame).min() > 1e-4:
            held = Keys.made(np.array([frame]), evaluate(keys, np.array([frame])), CONSTANT)
            parts = [held, inside] if frame < inside.co[0, 0] else [inside, held]
            inside = Keys.joined(parts)
    return inside


def _refined(keys, moved, graph, tolerance):
    """Add keys where the moved curve strays from the warped one by more than a tolerance."""
    for _ in range(_DEEPEST):
        worst, halves = _strays(keys, moved, graph)
        add = halves[worst > tolerance]
        if not len(add):
            break
        keys = split(keys, add)
        at = np.concatenate([keys.co[:, 0], keys.handle_left[:, 0], keys.handle_right[:, 0]])
        span = np.linspace(at.min(), at.max(), 2)
        x, y = _known(graph, span)
        moved = _with_own_handles(_moved(keys, x, y))
    return moved


def _known(graph, span):
    """Return the graph's knots, extended to a span of source frames."""
    inner = (graph.y > span[0]) & (graph.y < span[1])
    y = np.r_[span[0] - 1, graph.y[inner], span[1] + 1]
    return graph.output(y), y


def _strays(keys, moved, graph):
    """Find how far each stretch between keys is off, and the source frame at its middle."""
    at = keys.co[:, 0]
    share = np.linspace(0, 1, _LOOKED_AT + 2)[1:-1]
    frames = at[:-1, None] + share * np.diff(at)[:, None]
    wanted = evaluate(keys, frames.ravel())
    found = evaluate(moved, graph.output(frames.ravel()))
    off = np.abs(wanted - found).reshape(frames.shape)
    kind = keys.interpolation[:-1]
    can = ((kind == BEZIER) | (kind == LINEAR)) & (np.diff(at) > 0.5)
    worst = np.where(can, off.max(axis=1), 0.0) if len(off) else np.zeros(0)
    return worst, (at[:-1] + at[1:]) / 2
