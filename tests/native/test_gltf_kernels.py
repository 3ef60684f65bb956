"""Packed attributes byte by byte; whole files are read in ``tests/io/test_gltf_packed.py``."""

from __future__ import annotations

import numpy as np
import pytest

from retime import _native

# 17 elements of 4 bytes that begin with 9, 8, 7, 6: two groups, in four modes.
BEGIN = bytes([9, 8, 7, 6])
FIRST = bytes([0b0000])  # both groups are the same value on and on
SECOND = bytes([0b0001]) + bytes([0b01_10_00_11, 0, 0, 0]) + bytes([5])  # -1, 1, 0, then -3
THIRD = bytes([0b0010]) + bytes([0x4F, 0, 0, 0, 0, 0, 0, 0]) + bytes([200])  # 2, then 100
FOURTH = bytes([0b0011]) + bytes(range(16))
WHOLE = b"\xa0" + FIRST + SECOND + THIRD + FOURTH + bytes(28) + BEGIN


def decoded(data: bytes, count: int = 17, stride: int = 4) -> tuple[np.ndarray, bool]:
    return _native.gltf.decode_attributes(np.frombuffer(data, np.uint8), count, stride)


def test_every_mode() -> None:
    found, whole = decoded(WHOLE)
    assert whole
    assert found.shape == (17, 4)
    assert (found[:, 0] == 9).all()
    assert found[:6, 1].tolist() == [7, 8, 8, 5, 5, 5]
    assert found[:4, 2].tolist() == [9, 109, 109, 109]
    assert found[:6, 3].tolist() == [6, 5, 6, 4, 6, 3]
    assert (found[16] == found[15]).all()


def test_no_elements() -> None:
    found, whole = decoded(b"\xa0" + bytes(28) + BEGIN, 0)
    assert whole
    assert found.shape == (0, 4)


def test_missing_data_is_told() -> None:
    for length in range(len(WHOLE)):
        assert not decoded(WHOLE[:length])[1]
    assert not decoded(WHOLE[:1] + b"\0" + WHOLE[1:])[1]


@pytest.mark.parametrize("count", [1 << 40, (1 << 63) - 1])
def test_more_elements_than_there_can_be_take_no_memory(count: int) -> None:
    found, whole = decoded(WHOLE, count)
    assert not whole
    assert found.shape == (0, 4)


@pytest.mark.parametrize("stride", [1, 4, 255, 256])
def test_random_bytes_stay_within_the_arrays(stride: int) -> None:
    rng = np.random.default_rng(stride)
    for _ in range(300):
        data = rng.integers(0, 256, rng.integers(0, 2000), np.uint8)
        _native.gltf.decode_attributes(data, int(rng.integers(0, 600)), stride)


@pytest.mark.parametrize(("count", "stride"), [(-1, 4), (1, 0), (1, 257), (1, -4)])
def test_arguments_that_do_not_fit(count: int, stride: int) -> None:
    with pytest.raises(ValueError, match="decode_attributes"):
        decoded(WHOLE, count, stride)
