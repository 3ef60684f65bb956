"""Convert local transforms to the properties of a model, including pivots.

FBX places a model by T Roff Rp Rpre R Rpost^-1 Rp^-1 Soff Sp S Sp^-1. Given the resulting
translation, rotation and scale, these functions return T, R and S.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from retime.arrays import FloatArray
from retime.io.fbx.document import Document, Thing, property_rows, vector
from retime.motion import quat

# Rotation orders by number, the first axis first. The seventh, spheric, is not an order.
ORDERS = ("XYZ", "XZY", "YZX", "YXZ", "ZXY", "ZYX")
# Tolerance of converting rotations (radians) and scales (relative) back and forth.
_AGREES = 1e-4
_LOCKED = 1 - 1e-9


@dataclass(frozen=True, eq=False)
class Placing:
    """The conversion of a model's properties to its transform."""

    order: str
    """Which axis turns first, second and third."""
    before: FloatArray
    after: FloatArray
    """Pre-rotation and post-rotation. Shape (4,)."""
    rotation_offset: FloatArray
    rotation_pivot: FloatArray
    scaling_offset: FloatArray
    scaling_pivot: FloatArray
    """What the model turns and grows about. Shape (3,)."""

    @property
    def has_pivots(self) -> bool:
        """Whether a rotation of the model also translates it."""
        parts = (self.rotation_pivot, self.scaling_offset, self.scaling_pivot)
        return any(np.abs(part).max() > 0 for part in parts)

    def transform(
        self, place: FloatArray, degrees: FloatArray, size: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return translations and rotations (F, 3), (F, 4) that the numbers amount to."""
        turn = quat.multiply(
            quat.multiply(np.tile(self.before, (len(place), 1)), euler(degrees, self.order)),
            quat.conjugate(np.tile(self.after, (len(place), 1))),
        )
        return place + self._shift(turn, size), turn

    def _shift(self, turn: FloatArray, size: FloatArray) -> FloatArray:
        inner = self.scaling_offset + self.scaling_pivot - self.rotation_pivot
        inner = inner - size * self.scaling_pivot
        out: FloatArray = self.rotation_offset + self.rotation_pivot + quat.rotate(turn, inner)
        return out

    def translation(self, place: FloatArray, turn: FloatArray, size: FloatArray) -> FloatArray:
        """Return the numbers of a translation, where rotations and scales are given, too."""
        return place - self._shift(turn, size)

    def rotation(self, turn: FloatArray, near: FloatArray) -> FloatArray:
        """Return Euler angles of rotations in degrees; the first is close to the given angles."""
        own = quat.multiply(
            quat.multiply(quat.conjugate(np.tile(self.before, (len(turn), 1))), turn),
            np.tile(self.after, (len(turn), 1)),
        )
        return to_euler(own, self.order, near)


def placing_of(document: Document, model: Thing, rest: FloatArray) -> Placing | None:
    """Return how a model is placed; ``None`` where that does not give what ufbx finds at rest."""
    rows = document.model_defaults | property_rows(model.node)
    numbers = rows.get("RotationOrder", [0])
    order = numbers[0] if numbers and isinstance(numbers[0], int) else 0
    if not 0 <= order < len(ORDERS):
        return None
    still = quat.identity(1)[0]
    place, degrees, size = (
        np.array([vector(rows, name, default)])
        for name, default in (("Lcl Translation", 0.0), ("Lcl Rotation", 0.0), ("Lcl Scaling", 1.0))
    )
    before, after = (
        euler(np.array([vector(rows, name)]), "XYZ")[0] for name in ("PreRotation", "PostRotation")
    )
    pivots = [
        np.array(vector(rows, name))
        for name in ("RotationOffset", "RotationPivot", "ScalingOffset", "ScalingPivot")
    ]
    # Programs differ on whether inactive rotations of a model apply.
    tries = (
        Placing(ORDERS[order], before, after, *pivots),
        Placing("XYZ", still, still, *pivots),
    )
    for found in tries:
        there, turned = found.transform(place, degrees, size)
        span = max(1.0, float(np.abs(rest[:3]).max()))
        if (
            np.abs(there[0] - rest[:3]).max() < _AGREES * span
            and quat.angle(turned[0], quat.normalize(rest[3:7])) < _AGREES
            and np.abs(size[0] - rest[7:10]).max() < _AGREES * max(1.0, np.abs(size).max())
        ):
            return found
    return None


def euler(degrees: FloatArray, order: str) -> FloatArray:
    """Make rotations of angles about X, Y and Z, (F, 3), in an order."""
    axes = np.eye(3)
    out = quat.identity(len(degrees))
    for letter in order:
        a = "XYZ".index(letter)
        out = quat.multiply(quat.from_axis_angle(axes[a], np.radians(degrees[:, a])), out)
    return out


def to_euler(turn: FloatArray, order: str, near: FloatArray) -> FloatArray:
    """Return angles about X, Y and Z in degrees, each as near to the one before as can be."""
    i, j, k = ("XYZ".index(letter) for letter in order)
    sign = 1.0 if (j - i) % 3 == 1 else -1.0
    m = quat.to_matrix(turn)
    sine = np.clip(-sign * m[:, k, i], -1.0, 1.0)
    b = np.arcsin(sine)
    a = np.arctan2(sign * m[:, k, j], m[:, k, k])
    c = np.arctan2(sign * m[:, j, i], m[:, i, i])
    locked = np.abs(sine) > _LOCKED
    out = np.empty((len(turn), 3))
    before = np.radians(near[[i, j, k]])
    round_ = 2 * np.pi
    for f in range(len(turn)):
        if locked[f]:
            # The first and third axis coincide: keep the first angle and put the rest into the
            # third.
            first = before[0]
            angles = np.zeros((1, 3))
            angles[0, i], angles[0, j] = np.degrees(first), np.degrees(b[f])
            rest = quat.to_matrix(
                quat.multiply(turn[f : f + 1], quat.conjugate(euler(angles, order)))
            )[0]
            tries = np.array([[first, b[f], np.arctan2(sign * rest[j, i], rest[i, i])]])
        else:
            tries = np.array([[a[f], b[f], c[f]], [a[f] + np.pi, np.pi - b[f], c[f] + np.pi]])
        tries = tries + round_ * np.round((before - tries) / round_)
        before = tries[np.abs(tries - before).sum(axis=1).argmin()]
        out[f, [i, j, k]] = before
    return np.degrees(out)
