"""The bundled humanoid, and how it is posed: a pelvis, feet to reach for, arms to swing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from retime import quat
from retime.ik import two_bone
from retime.motion import Motion
from retime.quat import FloatArray
from retime.skeleton import EndSite, Skeleton

__all__ = ["ANKLE_HEIGHT", "HIP_HEIGHT", "HIP_WIDTH", "Poser", "ease", "humanoid"]

# Metres. The figure faces +Z, its left is +X; it stands 1.73 m tall in a T-pose.
HIP_HEIGHT = 0.95
HIP_WIDTH = 0.095
THIGH, SHIN, ANKLE_HEIGHT = 0.43, 0.42, 0.08

_JOINTS: tuple[tuple[str, str, tuple[float, float, float]], ...] = (
    ("Hips", "", (0.0, HIP_HEIGHT, 0.0)),
    ("LeftUpLeg", "Hips", (HIP_WIDTH, -0.02, 0.0)),
    ("LeftLeg", "LeftUpLeg", (0.0, -THIGH, 0.0)),
    ("LeftFoot", "LeftLeg", (0.0, -SHIN, 0.0)),
    ("LeftToe", "LeftFoot", (0.0, -0.06, 0.13)),
    ("RightUpLeg", "Hips", (-HIP_WIDTH, -0.02, 0.0)),
    ("RightLeg", "RightUpLeg", (0.0, -THIGH, 0.0)),
    ("RightFoot", "RightLeg", (0.0, -SHIN, 0.0)),
    ("RightToe", "RightFoot", (0.0, -0.06, 0.13)),
    ("Spine", "Hips", (0.0, 0.10, 0.0)),
    ("Chest", "Spine", (0.0, 0.14, 0.0)),
    ("Neck", "Chest", (0.0, 0.24, 0.0)),
    ("Head", "Neck", (0.0, 0.10, 0.01)),
    ("LeftShoulder", "Chest", (0.04, 0.18, 0.0)),
    ("LeftArm", "LeftShoulder", (0.14, 0.0, 0.0)),
    ("LeftForeArm", "LeftArm", (0.28, 0.0, 0.0)),
    ("LeftHand", "LeftForeArm", (0.25, 0.0, 0.0)),
    ("RightShoulder", "Chest", (-0.04, 0.18, 0.0)),
    ("RightArm", "RightShoulder", (-0.14, 0.0, 0.0)),
    ("RightForeArm", "RightArm", (-0.28, 0.0, 0.0)),
    ("RightHand", "RightForeArm", (-0.25, 0.0, 0.0)),
)
_ENDS: dict[str, tuple[float, float, float]] = {
    "LeftToe": (0.0, 0.0, 0.07),
    "RightToe": (0.0, 0.0, 0.07),
    "Head": (0.0, 0.20, 0.0),
    "LeftHand": (0.18, 0.0, 0.0),
    "RightHand": (-0.18, 0.0, 0.0),
}


def humanoid() -> Skeleton:
    """Make the bundled skeleton: 21 joints."""
    names = tuple(name for name, _, _ in _JOINTS)
    return Skeleton(
        names,
        np.array([names.index(p) if p else -1 for _, p, _ in _JOINTS]),
        np.array([offset for _, _, offset in _JOINTS]),
        end_sites=tuple(EndSite(names.index(n), o) for n, o in _ENDS.items()),
    )


def ease(t: FloatArray, keys: Sequence[tuple[float, float]]) -> FloatArray:
    """Interpolate values that rest at each key: minimum-jerk moves, C2."""
    times = np.array([k for k, _ in keys])
    values = np.array([v for _, v in keys])
    k = np.clip(np.searchsorted(times, t, side="right") - 1, 0, len(keys) - 2)
    u = np.clip((t - times[k]) / (times[k + 1] - times[k]), 0.0, 1.0)
    smooth = u**3 * (10 - 15 * u + 6 * u**2)
    out: FloatArray = values[k] + smooth * (values[k + 1] - values[k])
    return out


def turn(axis: str, radians: FloatArray | float) -> FloatArray:
    """Make rotations about x, y or z."""
    return quat.from_axis_angle(np.eye(3)["xyz".index(axis)], np.asarray(radians, dtype=float))


@dataclass
class Poser:
    """Poses the humanoid over time: rotations are set by joint, legs reach for the ground."""

    times: FloatArray

    def __post_init__(self) -> None:
        self.skeleton = humanoid()
        self.local = quat.identity(len(self.times), len(self.skeleton))
        self.root = np.tile(self.skeleton.offsets[0], (len(self.times), 1))

    def set(self, joint: str, rotation: FloatArray) -> None:
        """Set a joint's local rotation, (F, 4) or (4,)."""
        self.local[:, self.skeleton.index(joint)] = rotation

    def swing_arm(
        self, side: str, *, lower: FloatArray, forward: FloatArray, bend: FloatArray
    ) -> None:
        """Swing an arm: lowered from the T-pose, then forward, the elbow bent; all radians."""
        sign = 1.0 if side == "Left" else -1.0
        self.set(f"{side}Arm", quat.multiply(turn("x", -forward), turn("z", -sign * lower)))
        self.set(f"{side}ForeArm", turn("y", -sign * bend))

    def plant(self, side: str, ankle: FloatArray, pitch: FloatArray) -> None:
        """Reach with a leg for an ankle position (F, 3); the foot pitches down by radians."""
        up_leg, leg, foot = (self.skeleton.index(side + j) for j in ("UpLeg", "Leg", "Foot"))
        pelvis = self.local[:, 0]
        hip = self.root + quat.rotate(pelvis, self.skeleton.offsets[up_leg])
        forward = quat.rotate(pelvis, np.array([0.0, 0.0, 1.0]))
        knee, end = two_bone(hip, ankle, THIGH, SHIN, forward)
        thigh = _bone_rotation(knee - hip, forward)
        shin = _bone_rotation(end - knee, forward)
        self.local[:, up_leg] = quat.multiply(quat.conjugate(pelvis), thigh)
        self.local[:, leg] = quat.multiply(quat.conjugate(thigh), shin)
        level = turn("x", pitch)
        self.local[:, foot] = quat.multiply(quat.conjugate(shin), level)

    def motion(self, fps: float) -> Motion:
        """Make the motion."""
        return Motion(self.skeleton, self.local, {"Hips": self.root}, fps=fps)


def _bone_rotation(direction: FloatArray, forward: FloatArray) -> FloatArray:
    """Return the rotation that points a bone hanging down along a direction, front to the front."""
    y = -direction / np.linalg.norm(direction, axis=-1, keepdims=True)
    x = np.cross(y, forward)
    x /= np.linalg.norm(x, axis=-1, keepdims=True)
    z = np.cross(x, y)
    return _from_axes(x, y, z)


def _from_axes(x: FloatArray, y: FloatArray, z: FloatArray) -> FloatArray:
    """Turn orthonormal axes into quaternions, from whichever component is largest."""
    trace = x[:, 0] + y[:, 1] + z[:, 2]
    squares = np.stack(
        [
            1 + trace,
            1 + 2 * x[:, 0] - trace,
            1 + 2 * y[:, 1] - trace,
            1 + 2 * z[:, 2] - trace,
        ],
        axis=1,
    )
    a, b, c = y[:, 2] - z[:, 1], z[:, 0] - x[:, 2], x[:, 1] - y[:, 0]
    d, e, f = y[:, 0] + x[:, 1], z[:, 0] + x[:, 2], z[:, 1] + y[:, 2]
    columns = np.stack(
        [
            np.stack([squares[:, 0], a, b, c], axis=1),
            np.stack([a, squares[:, 1], d, e], axis=1),
            np.stack([b, d, squares[:, 2], f], axis=1),
            np.stack([c, e, f, squares[:, 3]], axis=1),
        ],
        axis=1,
    )
    best = columns[np.arange(len(x)), squares.argmax(axis=1)]
    return quat.continuous(quat.normalize(best))
