"""Peaks against scipy."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.signal

from retime.arrays import FloatArray
from retime.numeric import Peaks

SMOOTH = np.random.default_rng(1).normal(size=400)
# Whole numbers have many plateaus and peaks of equal height.
FLAT = np.random.default_rng(2).integers(0, 4, size=400).astype(float)
SIGNALS = (SMOOTH, FLAT, np.cumsum(SMOOTH), np.zeros(5), np.zeros(1), np.zeros(0))


@pytest.mark.parametrize("signal", SIGNALS)
@pytest.mark.parametrize("longest", [1, 2, 2.5, np.inf])
@pytest.mark.parametrize("least", [-np.inf, 0.5, 2.0])
def test_peaks_equal_scipys(signal: FloatArray, longest: float, least: float) -> None:
    expected, _ = scipy.signal.find_peaks(signal, height=least, plateau_size=(None, longest))
    assert Peaks.of(signal, longest=longest, least=least).frames.tolist() == expected.tolist()


@pytest.mark.parametrize("signal", SIGNALS)
@pytest.mark.parametrize("window", [3, 21, 1001])
@pytest.mark.filterwarnings("ignore:some peaks have a prominence of 0")
def test_prominences_equal_scipys(signal: FloatArray, window: int) -> None:
    peaks = Peaks.of(signal)
    expected = scipy.signal.peak_prominences(signal, peaks.frames, wlen=window)[0]
    assert (peaks.prominences(window // 2) == expected).all()


@pytest.mark.parametrize("signal", [SMOOTH, np.cumsum(SMOOTH)])
@pytest.mark.parametrize("least", [1, 2.5, 20, 1000])
def test_peaks_apart_equal_scipys(signal: FloatArray, least: float) -> None:
    expected, _ = scipy.signal.find_peaks(signal, distance=least)
    assert Peaks.of(signal).apart(least).frames.tolist() == expected.tolist()


def test_of_equal_peaks_too_close_the_last_stays() -> None:
    signal = np.array([0.0, 1, 0, 1, 0, 0, 1, 0])
    assert Peaks.of(signal).apart(3).frames.tolist() == [3, 6]


def test_what_is_no_number_is_no_peak() -> None:
    signal = np.array([0.0, np.nan, 0.0, 1.0, 0.0, np.nan, 0.0])
    assert Peaks.of(signal).frames.tolist() == [3]
    assert Peaks.of(signal).prominences(9).tolist() == [1.0]
