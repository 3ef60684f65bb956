"""Quaternions against matrices and closed forms."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from scipy.spatial.transform import Rotation

from retime import _native, quat

FloatArray = npt.NDArray[np.float64]


def random(n: int = 50, seed: int = 0) -> FloatArray:
    q: FloatArray = np.random.default_rng(seed).normal(size=(n, 4))
    return quat.normalize(q)


def matrices(q: FloatArray) -> FloatArray:
    out: FloatArray = Rotation.from_quat(q, scalar_first=True).as_matrix()
    return out


def test_matrices_are_scipys() -> None:
    np.testing.assert_allclose(quat.to_matrix(random()), matrices(random()), atol=1e-14)


def test_a_product_turns_by_its_right_factor_first() -> None:
    a, b = random(seed=1), random(seed=2)
    np.testing.assert_allclose(
        quat.to_matrix(quat.multiply(a, b)), matrices(a) @ matrices(b), atol=1e-14
    )


def test_rotate_is_the_matrix_times_the_vector() -> None:
    q, v = random(), np.random.default_rng(3).normal(size=(50, 3))
    wanted = np.einsum("nij,nj->ni", matrices(q), v)
    np.testing.assert_allclose(quat.rotate(q, v), wanted, atol=1e-13)


def test_a_conjugate_undoes() -> None:
    q = random()
    close_to_one = quat.multiply(q, quat.conjugate(q))
    np.testing.assert_allclose(close_to_one, quat.identity(50), atol=1e-15)


@pytest.mark.parametrize("size", [0.0, 1e-12, 1e-8, 1e-4, 1.0, 3.0])
def test_log_undoes_exp_up_to_half_a_turn(size: float) -> None:
    v = np.random.default_rng(4).normal(size=(50, 3))
    v *= size / np.linalg.norm(v, axis=1, keepdims=True)
    np.testing.assert_allclose(quat.log(quat.exp(v)), v, rtol=1e-12, atol=1e-18)


def test_log_takes_the_shorter_way() -> None:
    q = quat.from_axis_angle([0, 0, 1], 1.5 * np.pi)
    np.testing.assert_allclose(quat.log(q), [0, 0, -0.5 * np.pi], atol=1e-15)
    np.testing.assert_allclose(quat.log(-q), quat.log(q))


@pytest.mark.parametrize(
    "radians", [0.0, 1e-9, 1e-4, 0.05, 0.0547, 0.0548, 0.0774, 0.5, 2.0, 3.1, np.pi - 1e-6]
)
def test_compiled_weights_are_those_of_slerp(radians: float) -> None:
    # On both sides of where the series ends. Near half a circle an angle's last digit matters.
    left_over = np.pi - radians
    gap, left = 2 * np.sin(radians / 2) ** 2, 2 * np.sin(left_over / 2) ** 2
    close = 4e-16 * max(1.0, 1 / left_over)
    exact_angle = np.longdouble("3.14159265358979323846") - left_over if left_over < 1 else radians
    for share in np.linspace(0, 1, 11):
        if radians == 0:
            exact = [1 - share, share]
        else:
            angles = np.array([1 - share, share, 1.0]) * exact_angle
            exact = np.sin(angles)[:2] / np.sin(angles[2])
        shares = _native.motion.arc_shares(gap, left, share)
        np.testing.assert_allclose(shares, exact, rtol=close, atol=4e-16)
