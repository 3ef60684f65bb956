"""Roles by joints' names, whatever program gave them.

Names are taken apart into words (``mixamorig:LeftUpLeg``, ``thigh_l``, ``J_Bip_L_UpperLeg``,
``lFemur``), the words that say a side or nothing are set aside, and what is left is looked up. The
schemes of CMU, Mixamo, Rokoko, Xsens, OptiTrack, Unreal, VRM, Blender, Auto-Rig Pro, 3ds Max,
MakeHuman, DAZ, Character Creator, SMPL, MikuMikuDance and Bandai-Namco are all such words.
"""

from __future__ import annotations

import re
import unicodedata
import weakref
from collections import Counter
from collections.abc import Callable

from retime.motion.skeleton import Skeleton

__all__ = ["roles_by_name"]

# Joints that a part's words name, on a side, the most telling word first.
Candidates = Callable[[str, str | None], list[int]]

# Words by part, the most telling first: "hip" with a side is a thigh only where no thigh is.
_PARTS: dict[str, tuple[str, ...]] = {
    "hips": ("hips", "pelvis", "hip", "hipscenter", "hipcenter", "centerhip", "root"),
    "upper_leg": ("upleg", "upperleg", "thigh", "femur", "upperthigh", "hip"),
    "lower_leg": ("lowerleg", "loleg", "lowleg", "leg", "shin", "calf", "tibia", "knee"),
    "foot": ("foot", "ankle", "feet", "footankle", "ank"),
    "toe": ("toebase", "toe", "toes", "ball", "football", "toesbase", "forefoot"),
    "shoulder": ("clavicle", "collar", "collarbone", "scapula", "shoulder"),
    "upper_arm": ("upperarm", "uparm", "uarm", "arm", "humerus", "shldr", "shoulder"),
    "lower_arm": ("forearm", "lowerarm", "loarm", "lowarm", "farm", "radius", "elbow"),
    "hand": ("hand", "wrist", "palm"),
    "neck": ("neck", "lowerneck", "neckbase"),
    "head": ("head",),
    "trunk": (
        *("spine", "chest", "torso", "abdomen", "lowerback", "upperback", "back", "thorax"),
        *("upperchest", "lowerchest", "waist", "ribcage", "stomach", "belly", "upperbody"),
        *("upperspine", "lowerspine", "midspine", "middlespine", "upperabdomen", "lowerabdomen"),
        *("uppertorso", "lowertorso", "spinenavel", "spinechest", "spineshoulder", "ab"),
    ),
    "vertebrae": ("spine",),
}
_SIDES = {
    "left": "left",
    "l": "left",
    "lft": "left",
    "right": "right",
    "r": "right",
    "rgt": "right",
    "lf": "left",
    "rt": "right",
}
# Words that stand before or behind the one they qualify: ``chestUpper``, ``UpperChest``.
_QUALIFIERS = {"upper", "lower", "up", "low", "lo", "mid", "middle"}
# MikuMikuDance's words; those that hold others stand before them.
_JAPANESE = dict(
    word.split("=")
    for word in (
        *("左=left", "右=right", "足首=ankle", "手首=wrist", "つま先=toe", "足=leg", "ひざ=knee"),
        *("肩=shoulder", "腕=arm", "ひじ=elbow", "上半身=upperbody", "下半身=pelvis", "腰=waist"),
        *("首=neck", "頭=head", "捩=twist"),
    )
)
# Words that programs put before or around the telling ones.
_EMPTY = {
    *("mixamorig", "bip", "j", "c", "def", "org", "skeleton", "joint", "jnt", "bone", "character"),
    *("cc", "base", "sk", "bind", "skin", "rig", "armature", "b", "bn", "valve", "biped", "human"),
    *("bend", "m", "stretch", "x"),
}
# Words that mark helpers, not limbs.
_HELPERS = {
    *("twist", "roll", "ik", "fk", "pole", "target", "ctrl", "control", "end", "nub", "site"),
    *("helper", "effector", "tip", "null", "offset", "buttock", "mch", "aim", "share", "tweak"),
}
_PART_WORDS = {word for words in _PARTS.values() for word in words}
_OTHER_SIDED = {"thumb", "index", "mid", "middle", "ring", "pinky", "fingers", "finger", "eye"}


def _tokens(name: str) -> list[str]:
    """Split a name at signs, digits and capitals; none of what is marked as added."""
    last = re.split(r"[:|/]", unicodedata.normalize("NFKC", name))[-1]
    if last.startswith("_"):
        return []
    if re.fullmatch(r"[LT]\d{1,2}", last):  # Xsens names vertebrae: L5 is no left side
        return ["spine"]
    for word, english in _JAPANESE.items():
        last = last.replace(word, f" {english} ")
    spaced = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", last)
    spaced = re.sub(r"(?<![A-Za-z])([LR])([A-Z][A-Z][a-z])", r"\1 \2", spaced)  # LUArm
    spaced = re.sub(r"(?<=[A-Z])(?=[A-Z][a-z])", " ", spaced)  # linear in the name's length
    return re.findall(r"[a-z]+", spaced.lower())


def _namespace(names: list[list[str]]) -> set[str]:
    """Find the words in most names: an actor's or a file's name, which tells no joint."""
    count = Counter(token for tokens in names for token in set(tokens))
    return {t for t, n in count.items() if n > 0.75 * len(names)} - _PART_WORDS - set(_SIDES)


def _words(tokens: list[str]) -> tuple[str | None, str, bool]:
    """Find a name's side, its telling word, and whether it is a helper."""
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
    rest.sort(key=lambda token: token not in _QUALIFIERS)
    return side, "".join(rest), any(t in _HELPERS for t in tokens)


# Names of a skeleton do not change, and every edit asks for them again.
_KNOWN: weakref.WeakKeyDictionary[Skeleton, dict[str, int]] = weakref.WeakKeyDictionary()


def roles_by_name(skeleton: Skeleton) -> dict[str, int]:
    """Find the roles that the joints' names tell."""
    if skeleton not in _KNOWN:
        _KNOWN[skeleton] = _roles_by_name(skeleton)
    return dict(_KNOWN[skeleton])


def _roles_by_name(skeleton: Skeleton) -> dict[str, int]:
    found: dict[tuple[str | None, str], list[int]] = {}
    names = [_tokens(name) for name in skeleton.file_names]
    empty = _namespace(names)
    for j, tokens in enumerate(names):
        side, word, helper = _words([t for t in tokens if t not in empty])
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
    """Keep the joints that are below another; all, if there is none."""
    if above is None:
        return joints
    return [j for j in joints if j != above and above in skeleton.chain(j)]


def _nearest(skeleton: Skeleton, joints: list[int]) -> int:
    """Return the joint nearest to the root; of equals the one whose word tells most."""
    return min(joints, key=lambda j: len(skeleton.chain(j)))


def _meeting(skeleton: Skeleton, joints: list[int]) -> int | None:
    """Return the joint where the ways from joints to the root meet."""
    if not joints:
        return None
    chains = [skeleton.chain(j) for j in joints]
    return next((j for j in chains[0] if all(j in c for c in chains)), None)


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
    elif thigh := _numbered(skeleton, lowers, 2):  # a leg, then a knee
        out["upper_leg"] = thigh[0]
    lower = _below(skeleton, lowers, out.get("upper_leg"))
    if lower:
        out["lower_leg"] = lower[0]
    feet = get("foot", side)
    hanging = _below(skeleton, feet, out.get("lower_leg")) or feet  # else parented to the root
    if hanging:
        out["foot"] = _nearest(skeleton, hanging)
        # A foot below an ankle is its ball.
        toes = [_below(skeleton, found, out["foot"]) for found in (get("toe", side), feet)]
        if len(skeleton.roots) == len(skeleton):  # points that hang on nothing
            toes[0] = get("toe", side)
        if any(toes):
            out["toe"] = _nearest(skeleton, toes[0] or toes[1])
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
        out["hand"] = _nearest(skeleton, hands)
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
    _top(skeleton, roles, get)
    trunk = _trunk(skeleton, roles, get("trunk", None))
    if trunk:
        roles["spine"] = trunk[0]
        roles["chest"] = trunk[len(trunk) // 2]
        roles["upper_chest"] = trunk[-1]
        up = skeleton.chain(roles["head"])[1:] if "head" in roles else []
        between = up[: up.index(trunk[-1])] if trunk[-1] in up else []
        if between and "neck" not in roles:  # what carries the head is a neck, named so or not
            roles["neck"] = between[-1]


def _top(skeleton: Skeleton, roles: dict[str, int], get: Candidates) -> None:
    """Find head and neck."""
    heads = get("head", None)
    if heads:
        roles["head"] = _nearest(skeleton, heads)
    up = skeleton.chain(roles["head"])[1:] if "head" in roles else []
    necks = [j for j in get("neck", None) if not up or j in up]
    if not heads and not necks:
        necks = _above_arms(skeleton, roles, get("vertebrae", None))
    if necks:
        roles["neck"] = _nearest(skeleton, necks)
        if "head" not in roles and len(necks) > 1:
            roles["head"] = max(necks, key=lambda j: len(skeleton.chain(j)))


def _trunk(skeleton: Skeleton, roles: dict[str, int], trunk: list[int]) -> list[int]:
    """Return the joints of the trunk from below the neck to above the hips, lowest first."""
    top = roles.get("neck", roles.get("head"))
    if top is not None:
        trunk = [j for j in skeleton.chain(top)[1:] if j in trunk]
    # Where the legs part is the hips' place, whatever its name.
    parting = [roles[r] for r in ("left_upper_leg", "right_upper_leg") if r in roles]
    hips_place = _meeting(skeleton, [*parting, *trunk, *([] if top is None else [top])])
    if len(parting) == 2 and hips_place is not None:
        trunk = [j for j in trunk if j not in skeleton.chain(hips_place)]
    return sorted(trunk, key=lambda j: len(skeleton.chain(j)))


def _above_arms(skeleton: Skeleton, roles: dict[str, int], spine: list[int]) -> list[int]:
    """Return the joints of a spine above the arms: a neck and a head with names of the spine."""
    arms = [roles[r] for r in ("left_upper_arm", "right_upper_arm") if r in roles]
    chest = _meeting(skeleton, arms)
    return _below(skeleton, spine, chest) if len(arms) == 2 and chest in spine else []
