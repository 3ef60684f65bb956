"""From the properties of a model to its local transform, and back.

FBX places a model by T Roff Rp Rpre R Rpost^-1 Rp^-1 Soff Sp S Sp^-1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from retime.arrays import FloatArray
from retime.io.fbx.document import vector
from retime.io.fbx.rotations import ORDERS, euler, to_euler
from retime.motion import quat

# The properties of a transform, and the value of each where a file has none.
PLAIN = {
    "Lcl Translation": 0.0, "Lcl Rotation": 0.0, "Lcl Scaling": 1.0, "PreRotation": 0.0,
    "PostRotation": 0.0, "RotationOffset": 0.0, "RotationPivot": 0.0, "ScalingOffset": 0.0,
    "ScalingPivot": 0.0,
}  # fmt: skip
_PIVOTS = ("RotationPivot", "ScalingOffset", "ScalingPivot")

Values = dict[str, FloatArray]
Rows = dict[str, list[Any]]


@dataclass(frozen=True, eq=False)
class Placing:
    """How the properties of a model amount to its transform."""

    order: str
    """Which axis turns first, second and third."""
    spheric: bool
    """Whether it has a spheric rotation order, which is read as the first order."""
    own: Values
    """Its properties without animation, (1, 3) each."""

    @property
    def has_pivots(self) -> bool:
        """Whether a rotation of the model also translates it."""
        return any(self.own[name].any() for name in _PIVOTS)

    def transforms(self, values: Values, frames: int = 1) -> FloatArray:
        """Return translations, rotations (wxyz) and scales (F, 10) of properties (F or 1, 3)."""
        size = values["Lcl Scaling"]
        turn = euler(values["Lcl Rotation"], self.order)
        before, after = (euler(values[n], "XYZ") for n in ("PreRotation", "PostRotation"))
        turn = quat.multiply(quat.multiply(before, turn), quat.conjugate(after))
        place = values["Lcl Translation"] + _shift(values, turn, size)
        out = np.empty((frames, 10))
        out[:, :3], out[:, 3:7], out[:, 7:] = place, turn, size
        return out

    def translation(self, place: FloatArray, turn: FloatArray, size: FloatArray) -> FloatArray:
        """Return the property that translates by ``place``, given rotations and scales, too."""
        return place - _shift(self.own, turn, size)

    def rotation(self, turn: FloatArray, near: FloatArray) -> FloatArray:
        """Return the property that rotates by ``turn``; the first is close to given angles."""
        before, after = (euler(self.own[n], "XYZ") for n in ("PreRotation", "PostRotation"))
        turn = quat.multiply(quat.multiply(quat.conjugate(before), turn), after)
        return to_euler(turn, self.order, near)


def _shift(values: Values, turn: FloatArray, size: FloatArray) -> FloatArray:
    """Return how far pivots and offsets move a model."""
    pivot, grown = values["RotationPivot"], values["ScalingPivot"]
    inner = values["ScalingOffset"] + grown - pivot - size * grown
    out: FloatArray = values["RotationOffset"] + pivot + quat.rotate(turn, inner)
    return out


def placing(rows: Rows) -> Placing:
    """Return how a model with such properties is placed."""
    # Programs differ on RotationActive: as in ufbx, it limits rotations, and moves nothing.
    number = whole(rows, "RotationOrder", 0)
    known = 0 <= number < len(ORDERS)
    own = {name: np.array([vector(rows, name, value)]) for name, value in PLAIN.items()}
    return Placing(ORDERS[number if known else 0], not known, own)


def whole(rows: Rows, name: str, default: int) -> int:
    """Return a property that is a whole number."""
    found = rows.get(name, [])
    good = bool(found) and isinstance(found[0], int | float) and abs(found[0]) < 1 << 31
    return int(found[0]) if good else default
