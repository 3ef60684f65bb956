"""Filters against scipy, also where their windows are longer than the signal."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.ndimage
import scipy.signal

from retime.numeric import gaussian_filter, low_pass, moving_maximum, moving_mean
from retime.numeric.filters import Ends


@pytest.mark.parametrize("ends", ["nearest", "reflect", "wrap"])
@pytest.mark.parametrize("sigma", [0.05, 0.3, 1.0, 3.7, 40.0])
@pytest.mark.parametrize("shape", [(1,), (2,), (50,), (300, 3), (700, 2, 3), (4, 0)])
def test_gaussian_filter_equals_scipys(shape: tuple[int, ...], sigma: float, ends: Ends) -> None:
    values = np.random.default_rng(1).normal(size=shape)
    expected = scipy.ndimage.gaussian_filter1d(values, sigma, axis=0, mode=ends)
    filtered = gaussian_filter(values, sigma, ends=ends)
    assert filtered.shape == shape
    assert filtered == pytest.approx(expected, abs=1e-14)


def test_a_filter_without_width_changes_nothing() -> None:
    values = np.random.default_rng(1).normal(size=(20, 2))
    assert (gaussian_filter(values, 0.0) == values).all()


def test_arrays_of_any_order_are_taken() -> None:
    values = np.random.default_rng(1).normal(size=(3, 40)).T
    expected = scipy.ndimage.gaussian_filter1d(values, 2.0, axis=0)
    assert gaussian_filter(values, 2.0) == pytest.approx(expected, abs=1e-14)
    assert gaussian_filter(np.arange(9.0), 1.0)[4] == pytest.approx(4.0)


@pytest.mark.parametrize("sigma", [np.nan, np.inf, -1.0, 1e300])
def test_a_width_that_no_filter_has_is_an_error(sigma: float) -> None:
    with pytest.raises(ValueError, match="standard deviation"):
        gaussian_filter(np.zeros(4), sigma)


@pytest.mark.parametrize("size", [1, 2, 5, 50, 401])
@pytest.mark.parametrize("shape", [(1,), (30,), (600, 2)])
def test_moving_windows_equal_scipys(shape: tuple[int, ...], size: int) -> None:
    values = np.random.default_rng(1).normal(size=shape)
    mean = scipy.ndimage.uniform_filter1d(values, size, axis=0)
    assert moving_mean(values, size) == pytest.approx(mean, abs=1e-13)
    assert (
        moving_maximum(values, size) == scipy.ndimage.maximum_filter1d(values, size, axis=0)
    ).all()


@pytest.mark.parametrize("cutoff", [0.01, 0.1, 0.4])
@pytest.mark.parametrize(("shape", "pad"), [((1,), 0), ((30,), 29), ((300, 3), 60), ((9, 2, 2), 0)])
def test_low_pass_equals_scipys(shape: tuple[int, ...], pad: int, cutoff: float) -> None:
    values = np.random.default_rng(1).normal(size=shape)
    b, a = scipy.signal.butter(2, cutoff, fs=1.0)
    expected = scipy.signal.filtfilt(b, a, values, axis=0, padtype="odd", padlen=pad)
    assert low_pass(values, cutoff, pad=pad) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("cutoff", [0.0, 0.5, np.nan])
def test_a_cutoff_that_no_signal_has_is_an_error(cutoff: float) -> None:
    with pytest.raises(ValueError, match="cutoff"):
        low_pass(np.zeros(9), cutoff, pad=0)


def test_a_signal_is_not_lengthened_beyond_itself() -> None:
    with pytest.raises(ValueError, match="pad"):
        low_pass(np.zeros(9), 0.1, pad=9)
