"""Find the roles of joints by their names.

Names are split into words (``mixamorig:LeftUpLeg``, ``thigh_l``, ``J_Bip_L_UpperLeg``, ``lFemur``).
Sides, prefixes and other words without meaning are removed, and the rest is looked up. This covers
the naming schemes of CMU, Mixamo, Rokoko, Xsens, OptiTrack, Unreal, VRM, Blender, Auto-Rig Pro,
3ds Max, MakeHuman, DAZ, Character Creator, SMPL, MikuMikuDance and Bandai-Namco.
"""

from __future__ import annotations

import re
import unicodedata
import weakref
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from retime.motion.skeleton import Skeleton

# Words for each part, the most specific first: "hip" with a side is a thigh only if no other joint
# is.
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
    **dict.fromkeys(("left", "l", "lft", "lf"), "left"),
    **dict.fromkeys(("right", "r", "rgt", "rt"), "right"),
}
# Words that come before or after the one they qualify: ``chestUpper``, ``UpperChest``.
_QUALIFIERS = {"upper", "lower", "up", "low", "lo", "mid", "middle"}
# MikuMikuDance's words; longer ones come before those that they contain.
_JAPANESE = dict(
    word.split("=")
    for word in (
        *("左=left", "右=right", "足首=ankle", "手首=wrist", "つま先=toe", "足=leg", "ひざ=knee"),
        *("肩=shoulder", "腕=arm", "ひじ=elbow", "上半身=upperbody", "下半身=pelvis", "腰=waist"),
        *("首=neck", "頭=head", "捩=twist"),
    )
)
# Prefixes and fillers without meaning.
_EMPTY = {
    *("mixamorig", "bip", "j", "c", "def", "org", "skeleton", "joint", "jnt", "bone", "character"),
    *("cc", "base", "sk", "bind", "skin", "rig", "armature", "b", "bn", "valve", "biped", "human"),
    *("bend", "m", "stretch", "x"),
}
# Words that mark helper joints.
_HELPERS = {
    *("twist", "roll", "ik", "fk", "pole", "target", "ctrl", "control", "end", "nub", "site"),
    *("helper", "effector", "tip", "null", "offset", "buttock", "mch", "aim", "share", "tweak"),
}
_PART_WORDS = {word for words in _PARTS.values() for word in words}
# Words of other parts that occur on both sides.
_OTHER_SIDED = {"thumb", "index", "mid", "middle", "ring", "pinky", "fingers", "finger", "eye"}


def _tokens(name: str) -> list[str]:
    """Split a name at punctuation, digits and capitals; return nothing for an added joint."""
    last = re.split(r"[:|/]", unicodedata.normalize("NFKC", name))[-1]
    if last.startswith("_"):
        return []
    if re.fullmatch(r"[LT]\d{1,2}", last):  # Xsens vertebrae: L5 is not a left side
        return ["spine"]
    for word, english in _JAPANESE.items():
        last = last.replace(word, f" {english} ")
    spaced = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", last)
    spaced = re.sub(r"(?<![A-Za-z])([LR])([A-Z][A-Z][a-z])", r"\1 \2", spaced)  # LUArm
    spaced = re.sub(r"(?<=[A-Z])(?=[A-Z][a-z])", " ", spaced)  # linear in the name's length
    return re.findall(r"[a-z]+", spaced.lower())


def _namespace(names: list[list[str]]) -> set[str]:
    """Find the words in most names: the name of an actor or a file."""
    count = Counter(token for tokens in names for token in set(tokens))
    return {t for t, n in count.items() if n > 0.75 * len(names)} - _PART_WORDS - set(_SIDES)


def _split_side(token: str) -> tuple[str | None, str]:
    """Split the side off a token (``left``, ``lthigh``); return the side and the rest."""
    if token in _SIDES:
        return _SIDES[token], ""
    joined = re.fullmatch(r"(left|right|l|r)([a-z]+)", token)
    known = _PART_WORDS | _OTHER_SIDED
    if joined and token not in known and joined[2] in known:
        return _SIDES[joined[1]], joined[2]
    return None, token


def _side_and_word(tokens: list[str]) -> tuple[str | None, str]:
    """Return the side and the word of a name; the word is empty for a helper joint."""
    # CMU's hip joint connects the hips to the thigh.
    if tokens[-2:] == ["hip", "joint"] or not _HELPERS.isdisjoint(tokens):
        return None, ""
    side: str | None = None
    rest: list[str] = []
    for token in tokens:
        if side is None:
            side, token = _split_side(token)
        if token and (token not in _EMPTY or (token == "base" and rest[-1:] == ["toe"])):
            rest.append(token)
    rest.sort(key=lambda token: token not in _QUALIFIERS)
    return side, "".join(rest)


def side_of(name: str) -> str | None:
    """Return ``"left"``, ``"right"`` or ``None``, as the name of a joint or role shows it."""
    return next((side for token in _tokens(name) if (side := _split_side(token)[0])), None)


# Names of a skeleton do not change, and every edit needs its roles.
_KNOWN: weakref.WeakKeyDictionary[Skeleton, dict[str, int]] = weakref.WeakKeyDictionary()


def roles_by_name(skeleton: Skeleton) -> dict[str, int]:
    """Return the joint of each role that names show."""
    if skeleton not in _KNOWN:
        _KNOWN[skeleton] = _roles_by_name(_Names.of(skeleton))
    return dict(_KNOWN[skeleton])


def _roles_by_name(names: _Names) -> dict[str, int]:
    roles = {
        f"{side}_{part}": joint
        for side in ("left", "right")
        for part, joint in (_leg(names, side) | _arm(names, side)).items()
    }
    return roles | _middle(names, roles)


@dataclass(frozen=True, eq=False)
class _Names:
    """The joints of a skeleton by side and word."""

    skeleton: Skeleton
    joints: Mapping[tuple[str | None, str], list[int]]

    @classmethod
    def of(cls, skeleton: Skeleton) -> _Names:
        names = [_tokens(name) for name in skeleton.file_names]
        empty = _namespace(names)
        joints: dict[tuple[str | None, str], list[int]] = {}
        for j, tokens in enumerate(names):
            side, word = _side_and_word([t for t in tokens if t not in empty])
            joints.setdefault((side, word), []).append(j)
        return cls(skeleton, joints)

    def of_part(self, part: str, side: str | None = None) -> list[int]:
        """Return the joints named by a part's words, the most specific word first."""
        return [j for word in _PARTS[part] for j in self.joints.get((side, word), [])]

    def depth(self, joint: int) -> int:
        return len(self.skeleton.chain(joint))

    def nearest(self, joints: list[int]) -> int:
        """Return the joint nearest to the root; of equals the first."""
        return min(joints, key=self.depth)

    def below(self, joints: list[int], above: int | None) -> list[int]:
        """Return the joints below another one; all of them if ``above`` is ``None``."""
        if above is None:
            return joints
        return [j for j in joints if j != above and above in self.skeleton.chain(j)]

    def meeting(self, joints: list[int]) -> int | None:
        """Return the lowest common ancestor of joints, or ``None``."""
        chains = [self.skeleton.chain(j) for j in joints]
        return next((j for j in chains[0] if all(j in c for c in chains)), None) if chains else None

    def numbered(self, joints: list[int], least: int) -> list[int]:
        """Return joints that form a chain (``leg_1``, ``leg_2``, …) of a least length, root first.

        Shorter chains give an empty list.
        """
        deepest = max(joints, key=self.depth, default=None)
        if deepest is None:
            return []
        chain = [j for j in reversed(self.skeleton.chain(deepest)) if j in joints]
        return chain if len(chain) >= least else []


def _upper_and_lower(names: _Names, limb: str, side: str) -> dict[str, int]:
    """Find the upper joint of a limb and the one below it: hip and knee, or shoulder and elbow."""
    lowers = names.of_part(f"lower_{limb}", side)
    uppers = names.of_part(f"upper_{limb}", side)
    if lowers:
        uppers = [u for u in uppers if names.below(lowers, u)]
    if not uppers and limb == "leg":  # named "leg", then "knee"
        uppers = names.numbered(lowers, 2)
    lowers = names.below(lowers, uppers[0] if uppers else None)
    return _first(f"upper_{limb}", uppers) | _first(f"lower_{limb}", lowers)


def _first(role: str, joints: list[int]) -> dict[str, int]:
    """Return a role with the first of its candidates, if there is one."""
    return {role: joints[0]} if joints else {}


def _leg(names: _Names, side: str) -> dict[str, int]:
    chain = names.numbered(names.of_part("lower_leg", side), 3)
    if chain and not names.of_part("upper_leg", side):
        return dict(zip(("upper_leg", "lower_leg", "foot", "toe"), chain, strict=False))
    out = _upper_and_lower(names, "leg", side)
    feet = names.of_part("foot", side)
    feet = names.below(feet, out.get("lower_leg")) or feet  # otherwise parented to the root
    if feet:
        out["foot"] = names.nearest(feet)
        out |= _toe(names, side, out["foot"])
    return out


def _toe(names: _Names, side: str, foot: int) -> dict[str, int]:
    toes = names.of_part("toe", side)
    if len(names.skeleton.roots) < len(names.skeleton):  # not a set of unconnected points
        toes = names.below(toes, foot)
    # A foot below an ankle is the ball of the foot.
    toes = toes or names.below(names.of_part("foot", side), foot)
    return {"toe": names.nearest(toes)} if toes else {}


def _arm(names: _Names, side: str) -> dict[str, int]:
    chain = names.numbered(names.of_part("upper_arm", side), 3)
    if chain and not names.of_part("lower_arm", side):
        return dict(zip(("upper_arm", "lower_arm", "hand"), chain, strict=False))
    out = _upper_and_lower(names, "arm", side)
    hands = names.below(names.of_part("hand", side), out.get("lower_arm"))
    if hands:
        out["hand"] = names.nearest(hands)
    above = names.skeleton.chain(out["upper_arm"])[1:] if "upper_arm" in out else []
    return out | _first("shoulder", [j for j in names.of_part("shoulder", side) if j in above])


def _middle(names: _Names, limbs: Mapping[str, int]) -> dict[str, int]:
    """Find hips, trunk, neck and head."""
    roles = _first("hips", names.of_part("hips")) | _top(names, limbs)
    trunk = _trunk(names, {**limbs, **roles})
    if not trunk:
        return roles
    roles |= {"spine": trunk[0], "chest": trunk[len(trunk) // 2], "upper_chest": trunk[-1]}
    up = names.skeleton.chain(roles["head"])[1:] if "head" in roles else []
    between = up[: up.index(trunk[-1])] if trunk[-1] in up else []
    if between:  # the parent of the head is a neck, even if its name differs
        roles.setdefault("neck", between[-1])
    return roles


def _top(names: _Names, limbs: Mapping[str, int]) -> dict[str, int]:
    """Find head and neck."""
    heads = names.of_part("head")
    necks = names.of_part("neck")
    if heads:
        roles = {"head": names.nearest(heads)}
        above = names.skeleton.chain(roles["head"])[1:]
        necks = [j for j in necks if not above or j in above]
        return roles | ({"neck": names.nearest(necks)} if necks else {})
    necks = necks or _above_arms(names, limbs)
    roles = {"neck": names.nearest(necks)} if necks else {}
    if len(necks) > 1:
        roles["head"] = max(necks, key=names.depth)
    return roles


def _trunk(names: _Names, roles: Mapping[str, int]) -> list[int]:
    """Return the joints of the trunk from above the hips to below the neck, lowest first."""
    skeleton, trunk = names.skeleton, names.of_part("trunk")
    top = [roles[r] for r in ("neck", "head") if r in roles][:1]
    if top:
        trunk = [j for j in skeleton.chain(top[0])[1:] if j in trunk]
    # The hips are the joint where the legs branch off; the name does not matter.
    legs = _both(roles, "upper_leg")
    hips = names.meeting([*legs, *trunk, *top])
    if legs and hips is not None:
        trunk = [j for j in trunk if j not in skeleton.chain(hips)]
    return sorted(trunk, key=names.depth)


def _above_arms(names: _Names, roles: Mapping[str, int]) -> list[int]:
    """Return the joints named as vertebrae above the arms: a neck and a head."""
    spine = names.of_part("vertebrae")
    chest = names.meeting(_both(roles, "upper_arm"))
    return names.below(spine, chest) if chest in spine else []


def _both(roles: Mapping[str, int], part: str) -> list[int]:
    """Return the left and the right joint of a part; an empty list unless both are known."""
    both = [roles[r] for r in (f"left_{part}", f"right_{part}") if r in roles]
    return both if len(both) == 2 else []
