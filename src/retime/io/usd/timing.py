"""Time samples: the frames that show them, and where a warp puts them. All times are time codes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from retime.arrays import FloatArray
from retime.timing.graph import Graph

__all__ = [
    "RAMP",
    "Moved",
    "between",
    "frames_of",
    "joined",
    "moved",
    "ramped",
    "rates",
    "settled",
]

# How long a jump of time takes, as a share of a time code.
RAMP = 2e-4
# A time this near to a whole code, or to another time, is the same.
_SAME = 1e-6
# Between samples a bent warp may be off by this share of what an attribute's values span.
_CLOSE = 2e-6


@dataclass(frozen=True, eq=False)
class Moved:
    """Where an attribute's samples go: times of the output, and of the source that they show."""

    output: FloatArray
    source: FloatArray


def settled(times: FloatArray) -> FloatArray:
    """Put times that are whole codes but for rounding on them."""
    near = np.round(times)
    return np.where(np.abs(times - near) < _SAME, near, times)


def joined(*times: FloatArray) -> FloatArray:
    """Return all times, rising; what is the same but for rounding stands once."""
    out = np.unique(settled(np.concatenate(times)))
    return out[np.r_[True, np.diff(out) > _SAME]] if len(out) else out


def frames_of(
    samples: FloatArray,
    span: tuple[float, float],
    codes_per_second: float,
    frames_per_second: float | None,
) -> tuple[FloatArray, float, bool, bool]:
    """Choose the frames that show samples over a span.

    Returns
    -------
    times : array (F,)
        Their time codes.
    rate : float
        Frames per second: those that are told, or the samples' own where those are finer; but for
        a little finer and no multiple of what is told, which comes of samples that were moved.
    even : bool
        Whether they are evenly spaced; where not, the last stands at the span's end.
    exact : bool
        Whether every sample lies on one.
    """
    first, last = span
    inside = samples[(samples >= first - _SAME) & (samples <= last + _SAME)]
    gaps = np.diff(inside)
    rate = frames_per_second or codes_per_second
    if len(gaps):
        step = float(np.median(gaps))
        regular = np.abs(np.diff(inside) / step - np.round(np.diff(inside) / step)).max() < 1e-3
        own = codes_per_second / step
        dense = last - first <= 4 * len(inside) * step
        often = own / rate
        moved = frames_per_second is not None and often < 4 and abs(often - round(often)) > 1e-3
        if regular and dense and often > 1.001 and not moved:
            rate = float(np.round(own, 6))
    step = codes_per_second / rate
    count = (last - first) / step
    whole = round(count)
    even = abs(count - whole) < 1e-4
    times: FloatArray = first + np.arange((whole if even else int(count)) + 1.0) * step
    if not even:
        times = np.r_[times, last]
    after = np.clip(np.searchsorted(times, inside), 1, max(len(times) - 1, 1))
    near = [np.abs(inside - times[np.clip(k, 0, len(times) - 1)]) for k in (after - 1, after)]
    exact = bool((np.minimum(*near) < 1e-3 * step).all())
    return settled(times), rate, even, exact


def ramped(graph: Graph) -> Graph:
    """Turn cuts into ramps that take no time to speak of: an attribute has one value at a time."""
    x = graph.x.copy()
    for k in np.flatnonzero(np.diff(x) <= 0) + 1:
        after = x[k + 1] if k + 1 < len(x) else np.inf
        x[k] = x[k - 1] + min(RAMP, (after - x[k - 1]) / 2)
    return Graph(x, graph.y)


def moved(samples: FloatArray, change: FloatArray | None, graph: Graph) -> Moved:
    """Move an attribute's samples by a warp.

    Parameters
    ----------
    samples : array (K,)
        Its sample times.
    change : array (K - 1,), optional
        How much it changes from each sample to the next, as a share of what its values span; left
        out, it holds each value up to the next sample.
    graph : Graph
        From the output's time codes to the source's.
    """
    if graph.direction < 0:
        back = moved(-samples[::-1], None if change is None else change[::-1], graph.mirror())
        output, source = back.output, -back.source
        if change is None:
            # Played backwards, a sample shows what stood before it; ahead of it the last one holds.
            start = max(graph.x[0], output[0] - 1)
            if start < output[0]:
                output, source = np.r_[start, output], np.r_[graph.at(start), source]
            on = np.isin(source, samples) & (output > start)
            before = np.clip(np.searchsorted(samples, source) - 1, 0, None)
            source = np.where(on, samples[before], source)
        return Moved(settled(output), source)
    plain = ramped(graph)
    cuts = np.flatnonzero(np.diff(graph.x) <= 0)
    low, high = graph.y[0], graph.y[-1]
    shown = samples[(samples >= low - _SAME) & (samples <= high + _SAME)]
    x, y = plain.swap().at(np.clip(shown, low, high)), shown
    for k in cuts:  # what a cut passes over is not shown
        keep = (x <= plain.x[k] + RAMP / 100) | (x >= plain.x[k + 1] - RAMP / 100)
        x, y = x[keep], y[keep]
    musts = [(plain.x[k], plain.y[k]) for k in [*cuts, *(cuts + 1)]]
    for at, source in ((plain.x[0], low), (plain.x[-1], high)):
        if samples[0] < source < samples[-1] or not (len(x) or len(musts)):
            musts.append((at, source))
    x, y = _with(x, y, np.array(musts).reshape(-1, 2))
    if change is not None and len(samples) > 1:
        x, y = _with_bends(x, y, plain, samples, change)
    return Moved(settled(x), y)


def _with(x: FloatArray, y: FloatArray, more: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Add points (N, 2), but where there are some."""
    x, y = np.r_[x, more[:, 0]], np.r_[y, more[:, 1]]
    order = np.argsort(x, kind="stable")
    x, y = x[order], y[order]
    fresh = np.r_[True, np.diff(x) > RAMP / 1000] if len(x) else np.zeros(0, dtype=bool)
    return x[fresh], y[fresh]


def _with_bends(
    x: FloatArray, y: FloatArray, graph: Graph, samples: FloatArray, change: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Add knots of a warp where it bends between two samples that differ: the farthest first."""
    if len(x) < 2:
        return x, y
    inner = (graph.x > x[0]) & (graph.x < x[-1])
    xs, ys = graph.x[inner], graph.y[inner]
    # How far off in source time each may be: by the quicker of the stretches that it touches.
    bound = np.diff(samples) * _CLOSE / np.maximum(change, 1e-300)
    bound = np.r_[np.inf, np.where(change > _CLOSE, bound, np.inf), np.inf]
    sides = (np.searchsorted(samples, ys, side=s) for s in ("left", "right"))
    close = np.minimum(*(bound[s] for s in sides))
    while len(xs):
        off = np.abs(ys - np.interp(xs, x, y)) / close
        stretch = np.searchsorted(x, xs)
        order = np.lexsort((-off, stretch))
        worst = order[np.r_[True, np.diff(stretch[order]) > 0]]
        worst = worst[off[worst] > 1]
        if not len(worst):
            break
        x, y = _with(x, y, np.stack([xs[worst], ys[worst]], axis=1))
        left = np.ones(len(xs), dtype=bool)
        left[worst] = False
        xs, ys, close = xs[left], ys[left], close[left]
    return x, y


def rates(graph: Graph, times: FloatArray) -> FloatArray:
    """Return how fast the source's time goes by after each output time; before the last."""
    plain = ramped(graph)
    start = times - np.r_[np.zeros(len(times) - 1), 2 * RAMP]
    return np.asarray((plain.at(start + 2 * RAMP) - plain.at(start)) / (2 * RAMP))


def between(
    samples: FloatArray, values: FloatArray, times: FloatArray, *, turns: bool
) -> FloatArray:
    """Interpolate sampled values (K, N, C) as USD does, each of N at its own times (F, N)."""
    from retime.motion import quat

    if len(samples) == 1:
        return np.repeat(values, len(times), axis=0)
    k = np.clip(np.searchsorted(samples, times, side="right") - 1, 0, len(samples) - 2)
    share = np.clip((times - samples[k]) / (samples[k + 1] - samples[k]), 0.0, 1.0)
    column = np.arange(values.shape[1])
    before, after = values[k, column], values[k + 1, column]
    if turns:
        return quat.slerp(before, after, share)
    out: FloatArray = before + share[..., None] * (after - before)
    return out
