"""Find the tempo of a motion, and the probability that it is there by chance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from retime.arrays import FloatArray
from retime.methods.music.accents import Accents

# Range and step of tempi that are tried, beats per minute.
_SLOWEST, _FASTEST, _STEP = 60.0, 240.0, 1.0
# Length of the windows in which the tempo is constant, seconds.
_WINDOW = 8.0
# Number of random motions for comparison.
_TRIALS = 199
# Least distance of accents of a random motion, relative to the mean distance.
_APART = 0.35
# Largest p-value of a steady beat.
STEADY = 0.05
# Highest tempo of a motion without a steady beat, beats per minute.
_UNSURE_FASTEST = 140.0


@dataclass(frozen=True)
class Steadiness:
    """The beat of a motion."""

    period: float
    """Seconds of the motion from one beat to the next."""
    p: float
    """Fraction of random motions whose accents are as even."""

    @property
    def steady(self) -> bool:
        """Whether the beat is steady."""
        return self.p <= STEADY

    @property
    def bpm(self) -> float:
        """Beats per minute."""
        return 60 / self.period


def find_steadiness(accents: Accents) -> Steadiness:
    """Find the tempo of accents, and compare it with the same number of random accents.

    Parameters
    ----------
    accents : Accents
        Of a motion.
    """
    times, weights = accents.times, accents.weights
    if len(times) < 4:
        return Steadiness(60 / 110, 1.0)
    periods = 60 / np.arange(_SLOWEST, _FASTEST + _STEP / 2, _STEP)
    powers = _resonance(times, weights, periods)
    best = int(powers.argmax())
    random = np.random.default_rng(0)
    apart = _APART * float(np.diff(times).mean())
    length = float(times[-1] - times[0]) - apart * (len(times) - 1)
    as_good = 0
    for _ in range(_TRIALS):
        moments = np.sort(random.uniform(0, length, len(times))) + apart * np.arange(len(times))
        as_good += _resonance(times[0] + moments, weights, periods).max() >= powers[best]
    p = (1 + as_good) / (1 + _TRIALS)
    period = float(periods[best])
    if p > STEADY and 60 / period > _UNSURE_FASTEST:
        period *= 2
    return Steadiness(period, float(p))


def _resonance(times: FloatArray, weights: FloatArray, periods: FloatArray) -> FloatArray:
    """Return the match of accents with beats of each period at any phase, summed over windows."""
    turn = np.exp(2j * np.pi * times / periods[:, None]) * weights
    sums = np.concatenate([np.zeros((len(periods), 1)), np.cumsum(turn, axis=1)], axis=1)
    total = np.r_[0.0, np.cumsum(weights)]
    first = times[0]
    starts = np.arange(first, max(times[-1] - _WINDOW, first) + 0.01, _WINDOW / 2)
    low, high = np.searchsorted(times, starts), np.searchsorted(times, starts + _WINDOW)
    enough = high - low >= 4
    if not enough.any():
        low, high, enough = np.array([0]), np.array([len(times)]), np.array([True])
    low, high = low[enough], high[enough]
    power = np.abs((sums[:, high] - sums[:, low]) / (total[high] - total[low])) ** 2
    out: FloatArray = (power * (high - low)).sum(axis=1)
    return out
