"""Attacks in sound: clicks, steps, consonants. A warp may move them, but must not smear them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from retime.timing.graph import Graph, tidy

# Length of the bins in which attacks are detected; an attack rises above the bins before it.
_BIN_S = 0.0025
_BEFORE_S = 0.040
_RISE = 8.0
# Power relative to the mean below which a rise is not an attack.
_FLOOR = 1e-3
_APART_S = 0.040
_SAMPLES_A_CHUNK = 1 << 18


@dataclass(frozen=True)
class Attack:
    """A moment at which sound rises suddenly: its time in seconds, and how strongly."""

    time: float
    strength: float


@dataclass(frozen=True)
class Lock:
    """A stretch around an attack in which time runs at rate 1."""

    output_start: float
    output_end: float
    source_start: float
    source_end: float


def find_attacks(sound: npt.NDArray[np.floating], rate: int) -> tuple[Attack, ...]:
    """Find where sound of shape (samples, channels) rises suddenly."""
    step = max(round(_BIN_S * rate), 1)
    power = _power(sound, step)
    if len(power) < 2 or not power.any():
        return ()
    span = max(round(_BEFORE_S / _BIN_S), 1)
    total = np.r_[0.0, np.cumsum(power)]
    start = np.maximum(np.arange(len(power)) - span, 0)
    before = (total[:-1] - total[start]) / span
    now = (power + np.r_[power[1:], 0.0]) / 2  # an attack may straddle two bins
    floor = _FLOOR * power.mean()
    rising = np.flatnonzero((now > _RISE * (before + floor)) & (power > floor))
    found: list[Attack] = []
    apart = round(_APART_S / _BIN_S)
    last = -apart
    for i in rising:
        if i - last < apart:
            continue
        last = int(i) + int(power[i : i + 3].argmax())
        found.append(Attack((last + 0.5) * step / rate, float(power[last])))
    return tuple(found)


def _power(sound: npt.NDArray[np.floating], step: int) -> npt.NDArray[np.float64]:
    """Mean power of the sound's slope in bins; attacks are clearer in high frequencies."""
    chunk = max(_SAMPLES_A_CHUNK // step, 1) * step
    out = []
    for a in range(0, len(sound) // step * step, chunk):
        part = np.asarray(sound[max(a - 1, 0) : min(a + chunk, len(sound))], dtype=np.float64)
        slope = np.diff(part, axis=0, prepend=part[:1] if a == 0 else part[:0])
        square = np.square(slope).mean(axis=1)
        out.append(square[: len(square) // step * step].reshape(-1, step).mean(axis=1))
    return np.concatenate(out) if out else np.zeros(0)


def lock_attacks(
    curve: Graph, attacks: tuple[Attack, ...], *, reach: float
) -> tuple[Graph, tuple[Lock, ...]]:
    """Bend an increasing curve so that its rate is 1 around attacks, whose times do not change.

    The stronger of two attacks that are too close is kept, and the sound between absorbs the
    difference.

    The curve rises from output to source seconds; ``reach`` are seconds on either side of an attack
    that show it.
    """
    reach += _BIN_S
    chosen = _chosen(curve, attacks, reach)
    if not chosen:
        return curve, ()
    locks = tuple(Lock(o - reach, o + reach, s - reach, s + reach) for o, s in chosen)
    xs, ys = [], []
    end_x, end_y = -np.inf, -np.inf
    for lock in [*locks, None]:
        start_x = np.inf if lock is None else lock.output_start
        start_y = np.inf if lock is None else lock.source_start
        between = (curve.x > end_x) & (curve.x < start_x)
        xs.append(curve.x[between])
        ys.append(np.clip(curve.y[between], end_y, start_y))
        if lock is not None:
            end_x, end_y = lock.output_end, lock.source_end
            xs.append(np.array([start_x, end_x]))
            ys.append(np.array([start_y, end_y]))
    return tidy(np.concatenate(xs), np.concatenate(ys)), locks


def _chosen(curve: Graph, attacks: tuple[Attack, ...], reach: float) -> list[tuple[float, float]]:
    """Choose attacks that can be kept whole, the stronger first: output and source, rising."""
    times = curve.swap()
    chosen: list[tuple[float, float]] = []
    for attack in sorted(attacks, key=lambda a: -a.strength):
        output = float(times.at(attack.time))
        inside = (
            curve.y[0] + reach <= attack.time <= curve.y[-1] - reach
            and curve.x[0] + reach <= output <= curve.x[-1] - reach
        )
        taken = ((abs(output - o), abs(attack.time - s)) for o, s in chosen)
        if inside and all(min(apart) >= 2 * reach for apart in taken):
            chosen.append((output, attack.time))
    return sorted(chosen)
