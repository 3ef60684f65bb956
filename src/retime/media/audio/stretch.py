"""Sound that follows a warp without changing its pitch: overlapping pieces that match in waveform.

Windows of sound are laid over each other at even steps of output time (WSOLA, Verhelst and Roelands
1993). Each is cut where the warp points to, moved by a few milliseconds to where it continues the
window before it best, all channels together, so that stereo keeps its phase. Attacks are laid down
whole: around each, time runs at rate 1, and its moment is the warp's own.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from retime.media.audio.onsets import Attack, Lock, lock_attacks
from retime.timing.graph import Graph

FloatArray = npt.NDArray[np.float32]

# Half a window. Two periods of the lowest voice (50 Hz) fit into a window.
HOP_S = 0.020
# Largest distance of a window from the warp's source time.
_SEARCH_S = 0.010
# Penalty on a shift across the whole search range, so that ties go to the nearest window.
_NEARER = 0.05
# Rates between which sound fades out, because slower sound is only a buzz.
_SILENT, _HEARD = 1 / 20, 1 / 10
# A sample that no sound has.
_FAR = 1 << 60


def stretch(
    sound: npt.NDArray[np.floating],
    rate: int,
    curve: Graph,
    attacks: tuple[Attack, ...] = (),
    *,
    duration: float,
) -> Iterator[FloatArray]:
    """Yield sound of some duration that follows a curve, in chunks of (n, channels).

    Parameters
    ----------
    sound : array (samples, channels)
        The source; its first sample is at source time 0. It is read in small windows, so a mapped
        file will do. Beyond its ends is silence.
    rate : int
        Samples per second, of the source and of the result.
    curve : Graph
        Output seconds to source seconds; the result starts at output time 0.
    attacks : tuple of Attack
        Moments that are laid down whole.
    duration : float
        Seconds of sound to make.
    """
    if curve.direction < 0:  # playing backwards is playing the reversed sound forwards
        last = (len(sound) - 1) / rate
        yield from stretch(
            sound[::-1],
            rate,
            Graph(curve.x, last - curve.y),
            tuple(Attack(last - a.time, a.strength) for a in attacks[::-1]),
            duration=duration,
        )
        return
    hop = max(round(HOP_S * rate), 1)
    total = round(duration * rate)
    count = -(-total // hop) + 1
    times = np.arange(count) * hop / rate
    locked, locks = lock_attacks(curve, attacks, reach=hop / rate)
    targets = np.rint(locked.at(times) * rate).astype(np.int64)
    bounds = _bounds(locks, times, rate)
    gains = _gains(curve, times, hop / rate)
    window = np.hanning(2 * hop + 1)[:-1].astype(np.float32)[:, None]
    places = _Places(sound, hop, round(_SEARCH_S * rate))
    before = np.zeros((hop, sound.shape[1]), dtype=np.float32)
    for k in range(count):
        at = places.next(int(targets[k]), int(bounds[k, 0]), int(bounds[k, 1]))
        piece = _cut(sound, at - hop, at + hop) * window * gains[k]
        if k:
            done = (k - 1) * hop
            yield (before + piece[:hop])[: min(hop, total - done)]
        before = piece[hop:]


class _Places:
    """Source positions of the windows, in order."""

    def __init__(self, sound: npt.NDArray[np.floating], hop: int, search: int) -> None:
        self.sound, self.hop, self.search = sound, hop, search
        self.size = 1 << (2 * hop + 2 * search).bit_length()
        self.last: int | None = None

    def next(self, target: int, low: int, high: int) -> int:
        """Choose a window's middle: near the target, within bounds, like the output so far."""
        natural = None if self.last is None else self.last + self.hop
        if natural is not None and abs(natural - target) <= 1:
            self.last = natural  # at rate 1 the source is copied
        elif natural is None or low == high:
            self.last = target
        else:
            first, last = max(target - self.search, low), min(target + self.search, high)
            self.last = target if first >= last else self._likest(natural, target, first, last)
        return self.last

    def _likest(self, natural: int, target: int, first: int, last: int) -> int:
        hop, n = self.hop, last - first + 1
        wanted = _cut(self.sound, natural - hop, natural + hop)
        power = float(np.vdot(wanted, wanted))
        if power < 1e-9 * wanted.size:
            return target
        region = _cut(self.sound, first - hop, last + hop)
        spectrum = np.fft.rfft(region, self.size, axis=0)
        spectrum *= np.conj(np.fft.rfft(wanted, self.size, axis=0))
        likeness = np.fft.irfft(spectrum.sum(axis=1), self.size)[:n]
        energy = np.r_[0.0, np.cumsum(np.square(region, dtype=np.float64).sum(axis=1))]
        own = energy[2 * hop : 2 * hop + n] - energy[:n]
        shift = (np.arange(first, last + 1) - target) / self.search
        score = likeness / np.sqrt(np.maximum(own, 1e-3 * power) * power) - _NEARER * shift**2
        return first + int(score.argmax())


def _cut(sound: npt.NDArray[np.floating], a: int, b: int) -> FloatArray:
    """Read samples ``a`` to ``b``; beyond the ends is silence."""
    out = np.zeros((b - a, sound.shape[1]), dtype=np.float32)
    first, last = max(a, 0), min(b, len(sound))
    if first < last:
        out[first - a : last - a] = sound[first:last]
    return out


def _bounds(
    locks: tuple[Lock, ...], times: npt.NDArray[np.float64], rate: int
) -> npt.NDArray[np.int64]:
    """Return bounds of each window's middle, so that no attack is heard twice."""
    if not locks:
        return np.tile([-_FAR, _FAR], (len(times), 1))
    output = np.array([(lock.output_start, lock.output_end) for lock in locks])
    source = np.array([(lock.source_start, lock.source_end) for lock in locks]) * rate
    ended = np.searchsorted(output[:, 1], times, side="left")
    low = np.r_[-_FAR, np.ceil(source[:, 1]).astype(np.int64)][ended]
    high = np.r_[np.floor(source[:, 0]).astype(np.int64), _FAR][ended]
    inside = np.r_[output[:, 0], np.inf][ended] <= times
    return np.stack([np.where(inside, 0, low), np.where(inside, 0, high)], axis=1)


def _gains(curve: Graph, times: npt.NDArray[np.float64], width: float) -> FloatArray:
    """Return the loudness at each window: silence during holds."""
    a, b = np.maximum(times - width / 2, curve.x[0]), np.minimum(times + width / 2, curve.x[-1])
    span = np.maximum(b - a, 1e-9)
    speed = np.abs(curve.at(b, "right") - curve.at(a)) / span
    gain: FloatArray = np.clip((speed - _SILENT) / (_HEARD - _SILENT), 0, 1).astype(np.float32)
    return gain
