"""Roles by joints' names, whatever program gave them.

Names are taken apart into words (``mixamorig:LeftUpLeg``, ``thigh_l``, ``J_Bip_L_UpperLeg``,
``lFemur``), the words that say a side or nothing are set aside, and what is left is looked up. The
schemes of CMU, Mixamo, Rokoko, Xsens, Unreal, VRM, Blender, 3ds Max, MakeHuman, Poser and
Bandai-Namco are all such words.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from retime.skeleton import Skeleton

__all__ = ["roles_by_name"]

# Joints that a part's words name, on a side, the most telling word first.
Candidates = Callable[[str, str | None], list[int]]

# Words by part, the most telling first: "hip" with a side is a thigh only where no thigh is.
_PARTS: dict[str, tuple[str, ...]] = {
    "hips": ("hips", "pelvis", "hip", "hipscenter", "centerhip", "root"),
    "upper_leg": ("upleg", "upperleg", "thigh", "femur", "legupper", "upperthigh", "hip"),
    "lower_leg": (
        "lowerleg",
        "loleg",
        "lowleg",
        "leg",
        "shin",
        "calf",
        "tibia",
        "leglower",
        "knee",
    ),
    "foot": ("foot", "ankle", "feet", "footankle"),
    "toe": ("toebase", "toe", "toes", "ball", "football", "toesbase", "forefoot"),
    "shoulder": ("clavicle", "collar", "collarbone", "shoulder"),
    "upper_arm": ("upperarm", "uparm", "arm", "humerus", "shldr", "armupper", "shoulder"),
    "lower_arm": ("forearm", "lowerarm", "loarm", "lowarm", "radius", "armlower", "elbow"),
    "hand": ("hand", "wrist", "palm"),
    "neck": ("neck", "lowerneck", "neckbase"),
    "head": ("head",),
    "trunk": (
        *("spine", "chest", "torso", "abdomen", "lowerback", "upperback", "back", "thorax"),
        *("upperchest", "lowerchest", "waist", "ribcage", "stomach", "belly", "upperbody"),
    ),
}
_SIDES = {
    "left": "left",
    "l": "left",
    "lft": "left",
    "right": "right",
    "r": "right",
    "rgt": "right",
}
# Words that programs put before or around the telling ones.
_EMPTY = {
    *("mixamorig", "bip", "j", "c", "def", "org", "skeleton", "joint", "jnt", "bone", "character"),
    *("cc", "base", "sk", "bind", "skin", "rig", "armature", "b", "bn", "valvebiped", "human"),
}
# Words that mark helpers, not limbs.
_HELPERS = {
    *("twist", "roll", "ik", "fk", "pole", "target", "ctrl", "control", "end", "nub", "site"),
    *("helper", "effector", "tip", "null", "offset", "buttock", "mch", "aim", "share", "tweak"),
}
_PART_WORDS = {word for words in _PARTS.values() for word in words}
_OTHER_SIDED = {"thumb", "index", "mid", "middle", "ring", "pinky", "fingers", "finger", "eye"}


def _words(name: str) -> tuple[str | None, str, bool]:
    """Take a name apart: its side, its telling word, and whether it is a helper."""
    last = re.split(r"[:|]", name)[-1]
    if last.startswith("_"):
        return None, "", True
    spaced = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", last)
    spaced = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1 \2", spaced)
    tokens = re.findall(r"[a-z]+", spaced.lower())
    if tokens[-2:] == ["hip", "joint"]:  # CMU's connector between hips and thigh
        return None, "", True
    side: str | None = None
    rest: list[str] = []
    for token in tokens:
        if token in _SIDES and side is None:
            side = _SIDES[token]
            continue
        joined = re.fullmatch(r"(left|right|l|r)([a-z]+)", token)
        known = _PART_WORDS | _OTHER_SIDED
        if joined and side is None and token not in known and joined[2] in known:
            side = _SIDES[joined[1]]
            token = joined[2]
        if token not in _EMPTY or (token == "base" and rest[-1:] == ["toe"]):
            rest.append(token)
    return side, "".join(rest), any(t in _HELPERS for t in tokens)


def roles_by_name(skeleton: Skeleton) -> dict[str, int]:
    """Find the roles that the joints' names tell."""
    found: dict[tuple[str | None, str], list[int]] = {}
    for j, name in enumerate(skeleton.file_names):
        side, word, helper = _words(name)
        if not helper and word:
            found.setdefault((side, word), []).append(j)

    def candidates(part: str, side: str | None) -> list[int]:
        return [j for word in _PARTS[part] for j in found.get((side, word), [])]

    roles: dict[str, int] = {}
    for side in ("left", "right"):
        for part, joint in _leg(skeleton, side, candidates).items():
            roles[f"{side}_{part}"] = joint
        for part, joint in _arm(skeleton, side, candidates).items():
            roles[f"{side}_{part}"] = joint
    _middle(skeleton, roles, candidates)
    return roles


def _below(skeleton: Skeleton, joints: list[int], above: int | None) -> list[int]:
    """Keep the joints that hang on another; all, where there is none."""
    if above is None:
        return joints
    return [j for j in joints if j != above and above in skeleton.chain(j)]


def _numbered(skeleton: Skeleton, joints: list[int], least: int) -> list[int]:
    """Return joints of one word that form a chain (``leg_1``, ``leg_2``, …), from the trunk out."""
    if len(joints) < least:
        return []
    deepest = max(joints, key=lambda j: len(skeleton.chain(j)))
    chain = [j for j in reversed(skeleton.chain(deepest)) if j in joints]
    return chain if len(chain) >= least else []


def _leg(skeleton: Skeleton, side: str, get: Candidates) -> dict[str, int]:
    out: dict[str, int] = {}
    chain = _numbered(skeleton, get("lower_leg", side), 3)
    if chain and not get("upper_leg", side):
        return dict(zip(("upper_leg", "lower_leg", "foot", "toe"), chain, strict=False))
    lowers = get("lower_leg", side)
    uppers = [u for u in get("upper_leg", side) if not lowers or _below(skeleton, lowers, u)]
    if uppers:
        out["upper_leg"] = uppers[0]
    lower = _below(skeleton, lowers, out.get("upper_leg"))
    if lower:
        out["lower_leg"] = lower[0]
    feet = get("foot", side)
    hanging = _below(skeleton, feet, out.get("lower_leg")) or feet  # else parented to the root
    if hanging:
        out["foot"] = hanging[0]
    toes = _below(skeleton, get("toe", side), out.get("foot"))
    if toes:
        out["toe"] = toes[0]
    return out


def _arm(skeleton: Skeleton, side: str, get: Candidates) -> dict[str, int]:
    out: dict[str, int] = {}
    chain = _numbered(skeleton, get("upper_arm", side), 3)
    if chain and not get("lower_arm", side):
        return dict(zip(("upper_arm", "lower_arm", "hand"), chain, strict=False))
    lowers = get("lower_arm", side)
    uppers = [u for u in get("upper_arm", side) if not lowers or _below(skeleton, lowers, u)]
    if uppers:
        out["upper_arm"] = uppers[0]
    lower = _below(skeleton, lowers, out.get("upper_arm"))
    if lower:
        out["lower_arm"] = lower[0]
    hands = _below(skeleton, get("hand", side), out.get("lower_arm"))
    if hands:
        out["hand"] = min(hands, key=lambda j: len(skeleton.chain(j)))
    if "upper_arm" in out:
        above = skeleton.chain(out["upper_arm"])[1:]
        shoulders = [j for j in get("shoulder", side) if j in above]
        if shoulders:
            out["shoulder"] = shoulders[0]
    return out


def _middle(skeleton: Skeleton, roles: dict[str, int], get: Candidates) -> None:
    """Find hips, trunk, neck and head."""
    hips = get("hips", None)
    if hips:
        roles["hips"] = hips[0]
    heads = get("head", None)
    if heads:
        roles["head"] = min(heads, key=lambda j: len(skeleton.chain(j)))
    up = skeleton.chain(roles["head"])[1:] if "head" in roles else []
    necks = [j for j in get("neck", None) if not up or j in up]
    if necks:
        roles["neck"] = min(necks, key=lambda j: len(skeleton.chain(j)))
        if "head" not in roles and len(necks) > 1:
            roles["head"] = max(necks, key=lambda j: len(skeleton.chain(j)))
    top = roles.get("neck", roles.get("head"))
    if top is None:
        trunk = get("trunk", None)
    else:
        trunk = [j for j in skeleton.chain(top)[1:] if j in get("trunk", None)]
    trunk = sorted(trunk, key=lambda j: len(skeleton.chain(j)))
    if trunk:
        roles["spine"] = trunk[0]
        roles["chest"] = trunk[len(trunk) // 2]
        roles["upper_chest"] = trunk[-1]
