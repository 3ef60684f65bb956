"""Time samples: their frames, and their times after a warp. All times are time codes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from retime.arrays import FloatArray
from retime.io.key_mover import Grain, KeyMover, Shown
from retime.timing.graph import Graph

# Distance below which a time counts as a whole time code, or as equal to another time.
_SAME = 1e-6
# Duration of a jump in time, in time codes.
_GRAIN = Grain(ramp=2e-4, same=2e-7, end=_SAME)
# Tolerance between samples under a curved warp, relative to the range of an attribute's values.
_CLOSE = 2e-6


@dataclass(frozen=True, eq=False)
class Moved:
    """Output times of an attribute's samples, and their source times."""

    output: FloatArray
    source: FloatArray


def settled(times: FloatArray) -> FloatArray:
    """Round times that are almost whole time codes."""
    near = np.round(times)
    return np.where(np.abs(times - near) < _SAME, near, times)


def joined(*times: FloatArray) -> FloatArray:
    """Return all times in order, without repetitions up to rounding."""
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
        Frames per second: the stage's, or that of finer samples.
    even : bool
        Whether they are evenly spaced; if not, the last is at the span's end.
    exact : bool
        Whether every sample is on a frame.
    """
    first, last = span
    inside = samples[(samples >= first - _SAME) & (samples <= last + _SAME)]
    rate = _rate(inside, last - first, codes_per_second, frames_per_second)
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


def _rate(
    samples: FloatArray, length: float, codes_per_second: float, frames_per_second: float | None
) -> float:
    """Return the stage's frame rate, or that of its samples if they are regular and finer.

    Samples that are slightly denser, by a factor that is not an integer, were moved by an earlier
    retiming.
    """
    rate = frames_per_second or codes_per_second
    gaps = np.diff(samples)
    if not len(gaps):
        return rate
    step = float(np.median(gaps))
    regular = np.abs(gaps / step - np.round(gaps / step)).max() < 1e-3
    dense = length <= 4 * len(samples) * step
    own = codes_per_second / step
    often = own / rate
    moved = frames_per_second is not None and often < 4 and abs(often - round(often)) > 1e-3
    return float(np.round(own, 6)) if regular and dense and often > 1.001 and not moved else rate


def key_mover(graph: Graph) -> KeyMover:
    """Return the mover of samples by a warp from output to source time codes."""
    return KeyMover(graph.x, graph.y, _GRAIN)


def moved(samples: FloatArray, change: FloatArray | None, mover: KeyMover) -> Moved:
    """Move an attribute's samples by a warp.

    Parameters
    ----------
    samples : array (K,)
        Its sample times.
    change : array (K - 1,), optional
        Change from each sample to the next, as a fraction of the range of its values; left out, it
        holds each value up to the next sample.
    mover : KeyMover
        The warp.
    """
    shown = mover.shown(samples)
    if change is not None:
        shown = mover.with_bends(shown, _reach(samples, change, shown))
    output, source = shown.output, shown.source
    if change is None and mover.backwards:
        # Played backwards, a sample shows the value before it, and the last value is held before
        # the first.
        start = max(mover.x[0], output[0] - 1)
        if start < output[0]:
            output, source = np.r_[start, output], np.r_[mover.at(start), source]
        on = np.isin(source, samples) & (output > start)
        before = np.clip(np.searchsorted(samples, source) - 1, 0, None)
        source = np.where(on, samples[before], source)
    return Moved(settled(output), source)


def _reach(samples: FloatArray, change: FloatArray, shown: Shown) -> FloatArray:
    """Return the tolerance in source time of each segment; unlimited if it hardly changes."""
    reach = np.diff(samples) * _CLOSE / np.maximum(change, 1e-300)
    reach = np.r_[np.inf, np.where(change > _CLOSE, reach, np.inf), np.inf]
    out: FloatArray = reach[np.searchsorted(samples, shown.middles)]
    return out


def rates(mover: KeyMover, times: FloatArray) -> FloatArray:
    """Return the rate of source time after each output time; before it for the last."""
    step = 2 * _GRAIN.ramp
    start = times - np.r_[np.zeros(len(times) - 1), step]
    return np.asarray((mover.at(start + step) - mover.at(start)) / step)


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
