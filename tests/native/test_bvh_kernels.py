"""Numbers and rotations of BVH files in small arrays, and arguments that do not fit."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from retime import _native, quat

bvh = _native.bvh


def parsed(text: bytes, words: int = 0, lines: int = 0) -> list[Any]:
    values, *others, decimals = bvh.parse_numbers(np.frombuffer(text, np.uint8), words, lines)
    return [values.tolist(), *(o.tolist() for o in others), decimals]


@pytest.mark.parametrize(
    ("text", "values", "upto", "decimals"),
    [
        (b"", [], [0], 0),
        (b"\n", [], [0, 0], 0),
        (b"1 -2.50\t.5\n", [1.0, -2.5, 0.5], [3, 3], 2),
        (b"1\r\n2\r3\n\n4", [1, 2, 3, 4], [1, 2, 3, 3, 4], 0),
        (b"1.5e-3 1.5e3 25E1\r", [0.0015, 1500.0, 250.0], [3, 3], 4),
        (b"-0 1234567890.1234567", [-0.0, 1234567890.1234567], [2], 7),
    ],
)
@pytest.mark.parametrize("expected", [0, 2, 99, -1, 1 << 62])
def test_numbers_and_lines(
    text: bytes, values: list[float], upto: list[int], decimals: int, expected: int
) -> None:
    assert parsed(text, expected, expected) == [values, upto, [], decimals]


@pytest.mark.parametrize(
    "word", ["nan", "1e", "--1", ".", "1..2", "1x", "1" * 20, "1e-30", "9e22x"]
)
def test_words_that_need_another_parser(word: str) -> None:
    values, _, unread, _ = parsed(f"7 {word} 8".encode())
    assert unread == [[1, 2, 2 + len(word)]]
    assert np.isnan(values[1])
    assert [values[0], values[2]] == [7.0, 8.0]


def test_more_numbers_than_expected() -> None:
    assert parsed(b"5\n" * 1000)[:2] == [[5.0] * 1000, [*range(1, 1001), 1000]]


@pytest.mark.parametrize("axes", list(itertools.permutations(range(3))))
def test_angles_there_and_back(axes: tuple[int, int, int]) -> None:
    angles = np.random.default_rng(2).uniform(-400, 400, (50, 3))
    angles[:9, 1] = np.repeat([-90, 90, 0], 3)  # gimbal lock, and none
    turns = bvh.euler_to_quaternions(angles, np.array([[0, 1, 2]]), np.array([axes]))[:, 0]
    for continuous in (False, True):
        back = bvh.quaternions_to_euler(turns, np.array(axes), 3, np.radians(angles), continuous)
        same = bvh.euler_to_quaternions(np.degrees(back), np.array([[0, 1, 2]]), np.array([axes]))
        assert quat.angle(same[:, 0], turns).max() < 1e-7
        if not continuous:
            assert np.allclose(np.degrees(back), angles)


@pytest.mark.parametrize("count", [0, 1, 2])
def test_fewer_axes(count: int) -> None:
    angles = np.random.default_rng(3).uniform(-170, 170, (20, 3))
    columns = np.where(np.arange(3) < count, [0, 1, 2], -1)[None]
    turns = bvh.euler_to_quaternions(angles, columns, np.array([[2, 0, 1]]))[:, 0]
    back = bvh.quaternions_to_euler(turns, np.array([2, 0, 1]), count, np.radians(angles), False)
    assert np.allclose(np.degrees(back[:, :count]), angles[:, :count])
    assert not back[:, count:].any()


@pytest.mark.parametrize(
    ("values", "decimals", "text"),
    [
        ([[0.0, -0.0, 1.0]], 0, b"0 0 1\n"),
        ([[1.25, -0.004], [-12.0, 3.999]], 2, b"1.25 0.00\n-12.00 4.00\n"),
        ([[0.5], [1.5], [-2.5]], 0, b"0\n2\n-2\n"),
        ([[2.0**53 - 1, 1 - 2.0**53]], 0, b"9007199254740991 -9007199254740991\n"),
        ([[0.25]], 16, b"0.2500000000000000\n"),
        ([[]], 3, b""),
    ],
)
def test_rows_as_text(values: list[list[float]], decimals: int, text: bytes) -> None:
    assert bvh.format_rows(np.array(values), decimals).tobytes() == text


@pytest.mark.parametrize("value", [2.0**53, -(2.0**53), np.inf, np.nan])
def test_numbers_with_too_many_digits_are_refused(value: float) -> None:
    with pytest.raises(ValueError, match="more digits"):
        bvh.format_rows(np.array([[1.0, value]]), 0)


@pytest.mark.parametrize(
    ("kernel", "given"),
    [
        ("euler_to_quaternions", (np.ones((2, 3)), np.array([[0, 1, 3]]), np.zeros((1, 3), int))),
        ("euler_to_quaternions", (np.ones((2, 3)), np.array([[0, 1, 2]]), np.array([[0, 1, 3]]))),
        ("euler_to_quaternions", (np.ones((2, 3)), np.array([[0, 1, 2]]), np.zeros((2, 3), int))),
        ("quaternions_to_euler", (np.ones((2, 4)), np.arange(1, 4), 3, np.ones((2, 3)), True)),
        ("quaternions_to_euler", (np.ones((2, 4)), np.arange(3), 4, np.ones((2, 3)), True)),
        ("quaternions_to_euler", (np.ones((2, 4)), np.arange(3), 3, np.ones((1, 3)), True)),
        ("format_rows", (np.ones((1, 1)), 17)),
        ("format_rows", (np.ones((1, 1)), -1)),
    ],
)
def test_arguments_that_do_not_fit(kernel: str, given: tuple[Any, ...]) -> None:
    with pytest.raises(ValueError, match=kernel):
        getattr(bvh, kernel)(*given)
