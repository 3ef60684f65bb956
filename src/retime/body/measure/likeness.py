"""How similar moments of two motions are, wherever the figures stand and face."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from retime.arrays import FloatArray
from retime.body.model.body import find_body
from retime.motion import Motion
from retime.motion.kinematics import cached_positions

# Moments are compared by poses within this time on both sides, seconds, so that speeds count too,
# and the number of these poses.
_BESIDE_S, _POSES = 0.2, 5


@dataclass(frozen=True, eq=False)
class Likeness:
    """The distance of every moment of one motion from every moment of another.

    Parameters
    ----------
    distance : array (A, B)
        Root of the mean squared distance of the joints after the best turn and shift, metres.
    turn : array (A, B)
        The turn about the vertical that brings the second onto the first, radians.
    """

    distance: FloatArray
    turn: FloatArray

    @classmethod
    def of(cls, one: Motion, times: FloatArray, other: Motion, other_times: FloatArray) -> Likeness:
        """Compare moments (A,) of one motion with moments (B,) of another with the same joints."""
        joints = sorted(set(find_body(one).roles.values())) or list(range(len(one.skeleton)))
        flat_a, up_a, size_a = _on_the_ground(_around(one, times, joints))
        flat_b, up_b, size_b = _on_the_ground(_around(other, other_times, joints))
        points = flat_a.shape[1]
        # The best turn between two sets of points in the plane is the angle of this product.
        product = flat_a @ flat_b.conj().T
        level = (up_a**2).sum(axis=1)[:, None] + (up_b**2).sum(axis=1) - 2 * up_a @ up_b.T
        square = size_a[:, None] + size_b - 2 * np.abs(product) + level
        # Complex numbers are x + iz: a turn about the vertical by an angle turns them by its minus.
        return cls(np.sqrt(np.maximum(square, 0.0) / points), -np.angle(product))


def _around(motion: Motion, times: FloatArray, joints: list[int]) -> FloatArray:
    """Return the joints' positions (N, P, J, 3) at the poses around each moment."""
    track = cached_positions(motion)[:, joints].reshape(len(motion), -1)
    wanted = times[:, None] + np.linspace(-_BESIDE_S, _BESIDE_S, _POSES)
    columns = [np.interp(wanted, motion.times, column) for column in track.T]
    return np.stack(columns, axis=-1).reshape(*wanted.shape, len(joints), 3)


def _on_the_ground(points: FloatArray) -> tuple[np.ndarray, FloatArray, FloatArray]:
    """Return positions in the plane about their mean, as complex numbers; heights; and sizes."""
    flat = points[..., 0] + 1j * points[..., 2]
    flat = flat.reshape(len(points), -1)
    flat = flat - flat.mean(axis=1, keepdims=True)
    return flat, points[..., 1].reshape(len(points), -1), (np.abs(flat) ** 2).sum(axis=1)
