"""What kernels accept: exact types and shapes, and indices inside their arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from retime import _native

PARENTS = np.array([-1, 0])
ROTATIONS = np.zeros((5, 2, 4))
TURN = np.array([1.0, 0, 0, 0])


def chain(**changed: Any) -> Any:
    values = {"parents": PARENTS, "rotations": ROTATIONS, "turn": TURN} | changed
    return _native.motion.chain_rotations(**values)


@pytest.mark.parametrize(
    ("changed", "error", "said"),
    [
        ({"rotations": np.zeros((5, 2, 3))}, ValueError, r"rotations has shape \(5, 2, 3\)"),
        ({"rotations": np.zeros((5, 3, 4))}, ValueError, r"\(F,J,4\), where length 2 is 2"),
        ({"rotations": np.zeros((2, 4))}, TypeError, "chain_rotations"),
        ({"rotations": np.zeros((5, 2, 4), np.float32)}, TypeError, "chain_rotations"),
        ({"rotations": np.zeros((5, 2, 8))[:, :, ::2]}, TypeError, "chain_rotations"),
        ({"rotations": [[[0.0] * 4] * 2] * 5}, TypeError, "chain_rotations"),
        ({"parents": PARENTS.astype(np.int32)}, TypeError, "chain_rotations"),
        ({"parents": np.array([-1, 2])}, ValueError, "parents contains 2, expected -1 to 1"),
        ({"parents": np.array([-2, 0])}, ValueError, "parents contains -2"),
        ({"turn": None}, TypeError, "chain_rotations"),
    ],
)
def test_what_does_not_fit_is_an_error(
    changed: dict[str, Any], error: type[Exception], said: str
) -> None:
    assert chain().shape == (5, 2, 4)
    with pytest.raises(error, match=said):
        chain(**changed)


def test_read_only_arrays_can_be_read() -> None:
    still = ROTATIONS.copy()
    still.setflags(write=False)
    assert chain(rotations=still).flags.writeable


def test_arrays_without_elements() -> None:
    assert chain(rotations=np.zeros((0, 2, 4))).shape == (0, 2, 4)
    nobody = np.zeros((3, 0, 4))
    assert chain(parents=np.zeros(0, np.int64), rotations=nobody).shape == (3, 0, 4)


def test_results_own_their_memory() -> None:
    many = [chain(rotations=np.full((200, 2, 4), float(k))) for k in range(50)]
    for k, made in enumerate(many):
        assert (made[:, 0, 0] == k).all()
        made[:] = 0  # a result is like any other array
