"""Quaternions against matrices and closed forms."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from scipy.spatial.transform import Rotation

from retime import quat

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


@pytest.mark.parametrize("radians", [0.0, 1e-9, 1e-5, 0.3, 3.0, np.pi])
def test_angle_is_exact_for_small_and_large_turns(radians: float) -> None:
    a = random()
    b = quat.multiply(a, quat.from_axis_angle([0.6, 0.0, 0.8], radians))
    np.testing.assert_allclose(quat.angle(a, b), radians, rtol=1e-6, atol=1e-15)
    np.testing.assert_allclose(quat.angle(a, -b), radians, rtol=1e-6, atol=1e-15)


@pytest.mark.parametrize("radians", [1e-10, 1e-3, 1.0, 3.1])
@pytest.mark.parametrize("share", [0.0, 0.25, 1.0])
def test_slerp_turns_by_its_share(radians: float, share: float) -> None:
    a = random()
    b = quat.multiply(a, quat.from_axis_angle([1, 0, 0], radians))
    wanted = quat.multiply(a, quat.from_axis_angle([1, 0, 0], share * radians))
    for end in (b, -b):
        mixed = quat.slerp(a, end, np.full(50, share))
        np.testing.assert_allclose(quat.angle(mixed, wanted), 0, atol=1e-12)
        np.testing.assert_allclose((mixed**2).sum(-1), 1, atol=1e-15)


def test_continuous_keeps_rotations_and_never_flips() -> None:
    turn = quat.from_axis_angle([0, 1, 0], np.linspace(0, 20, 200))
    flipped = turn * np.random.default_rng(5).choice([-1.0, 1.0], size=(200, 1))
    out = quat.continuous(flipped)
    assert ((out[1:] * out[:-1]).sum(-1) > 0).all()
    np.testing.assert_allclose(quat.angle(out, turn), 0, atol=1e-15)
    np.testing.assert_array_equal(out[0], flipped[0])


def test_normalize_makes_zero_the_identity() -> None:
    q = quat.normalize(np.array([[0.0, 0, 0, 0], [0, 3.0, 0, 4.0]]))
    np.testing.assert_allclose(q, np.array([[1, 0, 0, 0], [0, 0.6, 0, 0.8]]))


def test_twist_is_the_turn_about_the_axis() -> None:
    angle = np.linspace(-3, 3, 13)
    swing = quat.from_axis_angle([1, 0, 0], 0.7)
    q = quat.multiply(swing, quat.from_axis_angle([0, 1, 0], angle))
    np.testing.assert_allclose(quat.twist(q, [0, 1, 0]), angle, atol=1e-14)


@pytest.mark.parametrize("seed", range(20))
def test_axes_and_the_least_turn_between_vectors(seed: int) -> None:
    a, b = quat.normalize(np.random.default_rng(seed).normal(size=(2, 4)))
    x, y, z = (quat.rotate(a, np.eye(3)[k]) for k in range(3))
    assert quat.angle(quat.from_axes(x, y, z), a) < 1e-7
    for target in (quat.rotate(b, np.eye(3)[0]), x, -x):
        turned = quat.rotate(quat.between(x, target), x)
        np.testing.assert_allclose(turned, target, atol=1e-6)


@pytest.mark.parametrize("radians", [0.0, 1e-9, 1e-4, 0.05, 0.0774, 0.0775, 0.5, 2.0, 3.1])
def test_compiled_weights_are_those_of_slerp(radians: float) -> None:
    from retime.motion.kernels import arc_shares

    gap = 2 * np.sin(radians / 2) ** 2  # on both sides of where the series ends
    for share in np.linspace(0, 1, 11):
        if radians == 0:
            exact = [1 - share, share]
        else:
            exact = np.sin([(1 - share) * radians, share * radians]) / np.sin(radians)
        np.testing.assert_allclose(arc_shares(gap, share), exact, rtol=2e-13, atol=2e-15)
