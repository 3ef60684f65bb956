"""The joints of SMPL, SMPL-H and SMPL-X on a neutral body.

Names, order and parents of the joints are the models' published conventions. The positions of the
joints are in the models' files, which need a licence. Lengths here are fractions of stature after
Drillis and Contini (1966), as in Winter, Biomechanics and Motor Control of Human Movement; hip
joints are as far apart as 72 % of the breadth of the pelvis between its front spines (Bell, Brand
and Pedersen, 1989), that breadth taken as 0.14 of stature. The proportions within a spine, a collar
bone, a hand and a foot are our estimates.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from retime.io.sampled import depth_first
from retime.motion.skeleton import EndSite, Skeleton

_STATURE = 1.70
_Point = tuple[float, float, float]

# Joints of the trunk and limbs in the models' order, with their parents.
_BODY: tuple[tuple[str, str], ...] = (
    *(("pelvis", ""), ("left_hip", "pelvis"), ("right_hip", "pelvis"), ("spine1", "pelvis")),
    *(("left_knee", "left_hip"), ("right_knee", "right_hip"), ("spine2", "spine1")),
    *(("left_ankle", "left_knee"), ("right_ankle", "right_knee"), ("spine3", "spine2")),
    *(("left_foot", "left_ankle"), ("right_foot", "right_ankle"), ("neck", "spine3")),
    *(("left_collar", "spine3"), ("right_collar", "spine3"), ("head", "neck")),
    *(("left_shoulder", "left_collar"), ("right_shoulder", "right_collar")),
    *(("left_elbow", "left_shoulder"), ("right_elbow", "right_shoulder")),
    *(("left_wrist", "left_elbow"), ("right_wrist", "right_elbow")),
)
_PALMS = (("left_hand", "left_wrist"), ("right_hand", "right_wrist"))
_FACE = (("jaw", "head"), ("left_eye_smplhf", "head"), ("right_eye_smplhf", "head"))
_FINGERS = ("index", "middle", "pinky", "ring", "thumb")


def _hand(side: str) -> list[tuple[str, str]]:
    return [
        (f"{side}_{finger}{k}", f"{side}_{finger}{k - 1}" if k > 1 else f"{side}_wrist")
        for finger in _FINGERS
        for k in (1, 2, 3)
    ]


# Positions of joints in a T-pose, as fractions of stature: left, up, front. The floor is 0.
_SOLE_TO_ANKLE, _SHANK, _THIGH = 0.039, 0.246, 0.245
_HIP = _SOLE_TO_ANKLE + _SHANK + _THIGH
_SHOULDER, _UPPER_ARM, _FOREARM, _HAND = 0.818, 0.186, 0.146, 0.108
_HALF_HIPS = 0.72 * 0.14 / 2
_HALF_SHOULDERS = 0.259 / 2 - 0.02  # the joint is inside the tip of the shoulder blade
_FOOT = 0.152
_WRIST = _HALF_SHOULDERS + _UPPER_ARM + _FOREARM
_PELVIS, _NECK, _HEAD = 0.57, 0.83, 0.895


def _spine(share: float) -> float:
    return _PELVIS + share * (_NECK - _PELVIS)


_MIDDLE: dict[str, _Point] = {
    "pelvis": (0.0, _PELVIS, 0.0),
    "spine1": (0.0, _spine(0.25), 0.0),
    "spine2": (0.0, _spine(0.5), 0.0),
    "spine3": (0.0, _spine(0.68), 0.0),
    "neck": (0.0, _NECK, 0.0),
    "head": (0.0, _HEAD, 0.01),
    "jaw": (0.0, _HEAD, 0.02),
}
_LEFT: dict[str, _Point] = {
    "hip": (_HALF_HIPS, _HIP, 0.0),
    "knee": (_HALF_HIPS, _SOLE_TO_ANKLE + _SHANK, 0.0),
    "ankle": (_HALF_HIPS, _SOLE_TO_ANKLE, 0.0),
    "foot": (_HALF_HIPS, 0.012, 0.5 * _FOOT),
    "collar": (0.04, _spine(0.92), 0.0),
    "shoulder": (_HALF_SHOULDERS, _SHOULDER, 0.0),
    "elbow": (_HALF_SHOULDERS + _UPPER_ARM, _SHOULDER, 0.0),
    "wrist": (_WRIST, _SHOULDER, 0.0),
    "hand": (_WRIST + 0.5 * _HAND, _SHOULDER, 0.0),
    "eye_smplhf": (0.018, 0.936, 0.05),
}
# Distance of each finger in front of the hand's middle line, and its knuckles along the hand.
_FINGER_FRONT = {"index": 0.013, "middle": 0.004, "ring": -0.005, "pinky": -0.013, "thumb": 0.014}
_KNUCKLES = {"thumb": (0.2, 0.45, 0.62)} | dict.fromkeys(_FINGERS[:4], (0.5, 0.72, 0.86))
_ENDS: dict[str, _Point] = {
    "head": (0.0, 1.0, 0.01),
    "left_foot": (_HALF_HIPS, 0.006, 0.75 * _FOOT),
    "left_hand": (_WRIST + _HAND, _SHOULDER, 0.0),
    "left_wrist": (_WRIST + 0.5 * _HAND, _SHOULDER, 0.0),
}


def _place(joint: str) -> _Point:
    if joint in _MIDDLE:
        return _MIDDLE[joint]
    side, _, part = joint.partition("_")
    if part in _LEFT:
        x, y, z = _LEFT[part]
    else:
        finger, knuckle = part[:-1], int(part[-1]) - 1
        z = _FINGER_FRONT[finger] * (1.0 if finger != "thumb" else 1.0 + 0.5 * knuckle)
        x, y = _WRIST + _HAND * _KNUCKLES[finger][knuckle], _SHOULDER
    return (x if side == "left" else -x, y, z)


def _end(joint: str) -> _Point | None:
    """Return where the bone of a leaf joint ends."""
    side, _, part = joint.partition("_")
    mirrored = f"left_{part}" if side == "right" else joint
    if mirrored in _ENDS:
        x, y, z = _ENDS[mirrored]
    elif part[-1:] == "3" and part[:-1] in _FINGERS:
        x, y, z = _place(f"left_{part}")
        x = _WRIST + _HAND * (1.0 if part != "thumb3" else 0.75)
    else:
        return None
    return (-x if side == "right" else x, y, z)


@dataclass(frozen=True, eq=False)
class Model:
    """A body model's joints."""

    name: str
    skeleton: Skeleton
    """The joints on a neutral body of 1.70 m, depth first."""
    order: npt.NDArray[np.int64]
    """For each joint of the skeleton, its number in the model. Shape (J,)."""

    def __len__(self) -> int:
        return len(self.order)


MODELS: dict[str, tuple[tuple[str, str], ...]] = {
    "body of SMPL": _BODY,
    "SMPL": (*_BODY, *_PALMS),
    "SMPL-H": (*_BODY, *_hand("left"), *_hand("right")),
    "SMPL-X": (*_BODY, *_FACE, *_hand("left"), *_hand("right")),
}


def model_of(joints: int) -> Model | None:
    """Return the model with a number of joints, or ``None``."""
    names = (name for name, listed in MODELS.items() if len(listed) == joints)
    return next(map(_model, names), None)


@cache
def _model(name: str) -> Model:
    listed = MODELS[name]
    number = {joint: k for k, (joint, _) in enumerate(listed)} | {"": -1}
    above = [number[parent] for _, parent in listed]
    order = depth_first(range(len(listed)), above.__getitem__, -1)  # BVH has no other order
    names = [listed[k][0] for k in order]
    parents = [order.index(above[k]) if above[k] >= 0 else -1 for k in order]
    places = _STATURE * np.array([_place(n) for n in names])
    offsets = places - np.where(np.array(parents)[:, None] < 0, places, places[parents])
    leaves = [j for j, n in enumerate(names) if number[n] not in above or n == "head"]
    ends = {j: end for j in leaves if (end := _end(names[j])) is not None}
    sites = tuple(
        EndSite(j, (x, y, z))
        for j, end in ends.items()
        for x, y, z in [(_STATURE * np.array(end) - places[j]).tolist()]
    )
    skeleton = Skeleton(tuple(names), np.array(parents), offsets, end_sites=sites)
    return Model(name, skeleton, np.array(order))
