"""The bundled humanoid, and how it is posed: by its centre of mass, its feet and its hands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.body import find_body
from retime.body.solve.ik import two_bone
from retime.motion import Motion, quat
from retime.motion.kinematics import positions
from retime.motion.skeleton import EndSite, Skeleton

# Metres. The figure faces +Z, its left is +X; it stands 1.73 m tall in a T-pose.
HIP_HEIGHT = 0.95
HIP_WIDTH = 0.095
THIGH, SHIN, ANKLE_HEIGHT = 0.43, 0.42, 0.08
UPPER_ARM, FOREARM = 0.28, 0.25
# From the ankle to the toe's joint, and to the heel's edge.
TOE = np.array([0.0, -0.06, 0.13])
HEEL = np.array([0.0, -0.08, -0.05])
SIDES = (("Left", 1.0), ("Right", -1.0))

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
    ("LeftForeArm", "LeftArm", (UPPER_ARM, 0.0, 0.0)),
    ("LeftHand", "LeftForeArm", (FOREARM, 0.0, 0.0)),
    ("RightShoulder", "Chest", (-0.04, 0.18, 0.0)),
    ("RightArm", "RightShoulder", (-0.14, 0.0, 0.0)),
    ("RightForeArm", "RightArm", (-UPPER_ARM, 0.0, 0.0)),
    ("RightHand", "RightForeArm", (-FOREARM, 0.0, 0.0)),
)
_ENDS: dict[str, tuple[float, float, float]] = {
    "LeftToe": (0.0, 0.0, 0.07),
    "RightToe": (0.0, 0.0, 0.07),
    "Head": (0.0, 0.20, 0.0),
    "LeftHand": (0.18, 0.0, 0.0),
    "RightHand": (-0.18, 0.0, 0.0),
}
# Rounds of moving the hips until the centre of mass is where it belongs; the error falls to about
# a third with each.
_ROUNDS = 14


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


def turn(axis: str, radians: npt.ArrayLike) -> FloatArray:
    """Make rotations about x, y or z."""
    return quat.from_axis_angle(np.eye(3)["xyz".index(axis)], np.asarray(radians, dtype=float))


class Poser:
    """Poses the humanoid over time."""

    def __init__(self, times: FloatArray) -> None:
        self.times = times
        self.skeleton = humanoid()
        self.local = quat.identity(len(times), len(self.skeleton))
        self.root = np.tile(self.skeleton.offsets[0], (len(times), 1))

    def set(self, joint: str, rotation: FloatArray) -> None:
        """Set a joint's local rotation, (F, 4) or (4,)."""
        self.local[:, self.skeleton.index(joint)] = rotation

    def lean(self, pitch: FloatArray, yaw: npt.ArrayLike = 0.0) -> None:
        """Bend forward and turn, radians, shared along the trunk; the head stays upright."""
        for joint, share in (("Hips", 0.4), ("Spine", 0.35), ("Chest", 0.25)):
            self.set(
                joint, quat.multiply(turn("y", share * np.asarray(yaw)), turn("x", share * pitch))
            )
        self.set("Neck", turn("x", -0.6 * pitch))

    def swing_arm(
        self, side: str, *, lower: npt.ArrayLike, forward: npt.ArrayLike, bend: npt.ArrayLike
    ) -> None:
        """Swing an arm: lowered from the T-pose, then forward, the elbow bent; all radians."""
        sign = 1.0 if side == "Left" else -1.0
        down = turn("z", -sign * np.asarray(lower))
        self.set(f"{side}Arm", quat.multiply(turn("x", -np.asarray(forward)), down))
        self.set(f"{side}ForeArm", turn("y", -sign * np.asarray(bend)))

    def _globals(self, joint: str) -> tuple[FloatArray, FloatArray]:
        """Global position and rotation of a joint's parent frame, at the joint."""
        chain = self.skeleton.chain(self.skeleton.index(joint))[::-1]
        place, rotation = self.root, self.local[:, chain[0]]
        for j in chain[1:]:
            place = place + quat.rotate(rotation, self.skeleton.offsets[j])
            if j != chain[-1]:
                rotation = quat.multiply(rotation, self.local[:, j])
        return place, rotation

    def plant(self, side: str, ankle: FloatArray, pitch: FloatArray, yaw: float = 0.0) -> None:
        """Reach with a leg for an ankle position (F, 3); the foot pitches down by radians.

        The toes bend by as much as the heel is raised, so that they are on the ground.
        """
        hip, pelvis = self._globals(f"{side}UpLeg")
        forward = quat.rotate(pelvis, np.array([0.0, 0.0, 1.0]))
        knee, end = two_bone(hip, ankle, THIGH, SHIN, forward)
        thigh = _bone_rotation(knee - hip, forward)
        shin = _bone_rotation(end - knee, forward)
        foot = quat.multiply(turn("y", yaw), turn("x", pitch))
        self.set(f"{side}UpLeg", quat.multiply(quat.conjugate(pelvis), thigh))
        self.set(f"{side}Leg", quat.multiply(quat.conjugate(thigh), shin))
        self.set(f"{side}Foot", quat.multiply(quat.conjugate(shin), foot))
        self.set(f"{side}Toe", turn("x", -np.maximum(pitch, 0.0)))

    def reach(self, side: str, hand: FloatArray, pole: npt.ArrayLike) -> None:
        """Reach with an arm for a wrist position (F, 3); the elbow points along ``pole``."""
        sign = 1.0 if side == "Left" else -1.0
        shoulder, chest = self._globals(f"{side}Arm")
        elbow, end = two_bone(shoulder, hand, UPPER_ARM, FOREARM, pole)
        # Both bones lie in the plane of the pole; the elbow turns about its normal.
        axis = np.cross(-np.asarray(pole, dtype=float), sign * (end - shoulder))
        upper = _arm_rotation(sign * (elbow - shoulder), axis)
        lower = _arm_rotation(sign * (end - elbow), axis)
        self.set(f"{side}Arm", quat.multiply(quat.conjugate(chest), upper))
        self.set(f"{side}ForeArm", quat.multiply(quat.conjugate(upper), lower))

    def balance(self, centre: FloatArray, pose: Callable[[], None]) -> None:
        """Move the hips until the centre of mass follows a path (F, 3), posing again each time."""
        for _ in range(_ROUNDS):
            pose()
            self.root = self.root + centre - self._centre_of_mass()
        pose()

    @cached_property
    def _weights(self) -> FloatArray:
        return find_body(self.motion(1.0)).mass_weights

    def _centre_of_mass(self) -> FloatArray:
        points = positions(self.motion(1.0), end_sites=True)
        out: FloatArray = np.einsum("fpi,p->fi", points, self._weights)
        return out

    def motion(self, fps: float) -> Motion:
        """Make the motion."""
        return Motion(self.skeleton, self.local, {"Hips": self.root.copy()}, fps=fps)


def _bone_rotation(direction: FloatArray, forward: FloatArray) -> FloatArray:
    """Return the rotation that points a bone hanging down along a direction, front to the front."""
    y = -direction / np.linalg.norm(direction, axis=-1, keepdims=True)
    x = np.cross(y, forward)
    x /= np.linalg.norm(x, axis=-1, keepdims=True)
    return quat.continuous(quat.from_axes(x, y, np.cross(x, y)))


def _arm_rotation(direction: FloatArray, axis: FloatArray) -> FloatArray:
    """Return the rotation that points an arm along +X to a direction, its elbow's axis to +Y."""
    x = direction / np.linalg.norm(direction, axis=-1, keepdims=True)
    y = axis / np.linalg.norm(axis, axis=-1, keepdims=True)
    return quat.continuous(quat.from_axes(x, y, np.cross(x, y)))
