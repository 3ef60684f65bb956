"""The humanoid skeleton of streams: the role and the parent of each bone."""

from __future__ import annotations

from collections.abc import Collection

from retime.body import ROLES

# Unity's HumanBodyBones, which VRM and the VMC protocol use, by role; parents before children.
BONE_NAMES: dict[str, str] = {
    role: "".join(word.title() for word in role.split("_")).replace("Toe", "Toes") for role in ROLES
}
NAMED_ROLES: dict[str, str] = {bone: role for role, bone in BONE_NAMES.items()}

_FINGERS = ("Thumb", "Index", "Middle", "Ring", "Little")
# Bones that a stream may hold and that timing does not need.
OTHER_BONES: frozenset[str] = frozenset(
    [f"{s}{f}{p}" for s in ("Left", "Right") for f in _FINGERS
     for p in ("Metacarpal", "Proximal", "Intermediate", "Distal")]
    + ["LeftEye", "RightEye", "Jaw"]
)  # fmt: skip

_PARENTS: dict[str, str] = {
    "spine": "hips",
    "chest": "spine",
    "upper_chest": "chest",
    "neck": "upper_chest",
    "head": "neck",
} | {
    f"{side}_{part}": parent if parent in ROLES else f"{side}_{parent}"
    for side in ("left", "right")
    for part, parent in {
        "shoulder": "upper_chest",
        "upper_arm": "shoulder",
        "lower_arm": "upper_arm",
        "hand": "lower_arm",
        "upper_leg": "hips",
        "lower_leg": "upper_leg",
        "foot": "lower_leg",
        "toe": "foot",
    }.items()
}


def nearest_parent(role: str, present: Collection[str]) -> str | None:
    """Return the parent role of a bone: its nearest existing ancestor, or the root."""
    above = _PARENTS.get(role)
    while above is not None and above not in present:
        above = _PARENTS.get(above)
    return above
