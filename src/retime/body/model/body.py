"""Bodies of characters: roles of joints, such as the left foot, and masses of parts.

Roles given by the user come first, then those found by joint names, then those found by the shape
of the skeleton. Each role has a confidence.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np

from retime.arrays import FloatArray
from retime.body.model.names import roles_by_name, side_of
from retime.body.model.shape import roles_by_shape
from retime.errors import InputError, did_you_mean
from retime.motion import Motion
from retime.motion.kinematics import body_frame, positions
from retime.motion.skeleton import MOST_NAME, Skeleton
from retime.notes import Note, Remedy
from retime.one_line import one_line

LimbName = Literal["left_leg", "right_leg", "left_arm", "right_arm"]

# Roles of a limb from the trunk outwards; inverse kinematics moves the first three.
LIMBS: dict[LimbName, tuple[str, str, str, str]] = {
    "left_leg": ("left_upper_leg", "left_lower_leg", "left_foot", "left_toe"),
    "right_leg": ("right_upper_leg", "right_lower_leg", "right_foot", "right_toe"),
    "left_arm": ("left_upper_arm", "left_lower_arm", "left_hand", ""),
    "right_arm": ("right_upper_arm", "right_lower_arm", "right_hand", ""),
}
_PARTS = ("left_arm", "right_arm", "arms", "left_leg", "right_leg", "legs", "trunk")
_GROUPS = {
    "feet": ("left_foot", "right_foot"),
    "toes": ("left_toe", "right_toe"),
    "hands": ("left_hand", "right_hand"),
}
ROLES: tuple[str, ...] = (
    *("hips", "spine", "chest", "upper_chest", "neck", "head"),
    *("left_shoulder", "left_upper_arm", "left_lower_arm", "left_hand"),
    *("right_shoulder", "right_upper_arm", "right_lower_arm", "right_hand"),
    *("left_upper_leg", "left_lower_leg", "left_foot", "left_toe"),
    *("right_upper_leg", "right_lower_leg", "right_foot", "right_toe"),
)
# Thigh and shank of a person relative to the height (Winter), and the largest factor by which the
# height of a skeleton is raised for the length of its legs.
_LEG, _MISSING = 0.491, 1.25
# Shares of body mass, and the position of the centre of mass along a segment, from the trunk
# outwards (Winter, Biomechanics and Motor Control of Human Movement, after Dempster).
_TRUNK_MASS, _HEAD_MASS = 0.497, 0.081
_SEGMENTS: dict[str, tuple[float, float]] = {
    "upper_leg": (0.100, 0.433),
    "lower_leg": (0.0465, 0.433),
    "foot": (0.0145, 0.5),
    "upper_arm": (0.028, 0.436),
    "lower_arm": (0.016, 0.430),
    "hand": (0.006, 0.506),
}


@dataclass(frozen=True)
class Limb:
    """An arm or a leg as joint indices.

    Parameters
    ----------
    upper, lower, end : int
        Hip, knee, ankle; or shoulder, elbow, wrist.
    tip : int, optional
        The toe's joint.
    linked : bool
        The end is below another joint than the limb (a foot parented to the root), and is linked
        to it for distances and inverse kinematics.
    """

    upper: int
    lower: int
    end: int
    tip: int | None = None
    linked: bool = False


@one_line(lambda b: [f"{len(b.skeleton)} joints", f"roles of {len(b.roles)}"])
@dataclass(frozen=True, eq=False)
class Body:
    """The roles of a skeleton's joints.

    Parameters
    ----------
    skeleton : Skeleton
        The skeleton.
    roles : mapping of str to int
        Joint of each role that was found.
    confidence : mapping of str to float
        Confidence of each role: 1 from a map, 0.95 by name, 0.6 by shape.
    """

    skeleton: Skeleton
    roles: Mapping[str, int]
    confidence: Mapping[str, float] = field(default_factory=dict)

    def joint(self, role: str) -> int | None:
        """Return the joint of a role, or ``None`` if there is none."""
        if role not in ROLES:
            raise InputError(f"no role {role!r}{did_you_mean(role, ROLES)}")
        return self.roles.get(role)

    def name(self, role: str) -> str | None:
        """Return the name of a role's joint, or ``None`` if there is none."""
        j = self.joint(role)
        return None if j is None else self.skeleton.names[j]

    @cached_property
    def limbs(self) -> dict[LimbName, Limb]:
        """The complete arms and legs."""
        found = {name: self._limb(*roles) for name, roles in LIMBS.items()}
        return {name: limb for name, limb in found.items() if limb is not None}

    def _limb(self, upper: str, lower: str, end: str, tip: str) -> Limb | None:
        if not {upper, lower, end} <= set(self.roles):
            return None
        u, low, e = (self.roles[r] for r in (upper, lower, end))
        if u not in self.skeleton.chain(low):  # unconnected points
            return None
        return Limb(u, low, e, self.roles.get(tip), linked=low not in self.skeleton.chain(e))

    @property
    def is_biped(self) -> bool:
        """Whether both legs were found."""
        return {"left_leg", "right_leg"} <= set(self.limbs)

    def parent(self, joint: int) -> int:
        """Return the parent of a joint; for a linked foot, its shin."""
        for limb in self.limbs.values():
            if limb.linked and joint == limb.end:
                return limb.lower
        return int(self.skeleton.parents[joint])

    def limb_of(self, joint: int) -> LimbName | None:
        """Return the limb whose hand or foot includes a joint."""
        for name, limb in self.limbs.items():
            if limb.end in self.skeleton.chain(joint):
                return name
        return None

    def ground_joints(self) -> tuple[str, ...]:
        """Return the names of the joints that touch the ground: toes, or feet without toes."""
        sides = ("left", "right")
        joints = [self.roles.get(f"{s}_toe", self.roles.get(f"{s}_foot")) for s in sides]
        return tuple(self.skeleton.names[j] for j in joints if j is not None)

    def find_joints(self, names: Iterable[str]) -> tuple[str, ...]:
        """Resolve joint names, roles, and groups.

        A name in another case is accepted if only one joint has it.

        The groups ``feet``, ``toes`` and ``hands`` have one joint on each side. The parts
        ``left_arm``, ``right_arm``, ``arms``, ``left_leg``, ``right_leg`` and ``legs`` include all
        joints of a limb. ``trunk`` has the joints between the hips and the head.
        """
        return tuple(dict.fromkeys(n for name in names for n in self._find_joints(name)))

    def _find_joints(self, name: str) -> list[str]:
        if name in self.skeleton:
            return [name]
        if name in _PARTS:
            return self._part(name)
        if name not in _GROUPS and name not in ROLES:
            alike = [n for n in self.skeleton.names if n.casefold() == name.casefold()]
            if len(alike) == 1:
                return alike
            known = [*self.skeleton.names, *_GROUPS, *_PARTS, *self.roles]
            side = side_of(name[:MOST_NAME])
            if side is not None:  # a joint of the other side is never meant
                known = [n for n in known if side_of(n) in (side, None)]
            raise InputError(f"no joint or role {name!r}{did_you_mean(name, known)}")
        found = [n for n in map(self.name, _GROUPS.get(name, (name,))) if n]
        if not found:
            remedy = Remedy("name its joint by a map", parameter="reading.roles")
            told = f"the figure has no {name}"
            raise InputError(Note(told, remedy, code="no-such-role", role=name))
        return found

    def _part(self, name: str) -> list[str]:
        joints = self._trunk() if name == "trunk" else self._limb_joints(name.removesuffix("s"))
        if not joints:
            remedy = Remedy("name their joints by a map", parameter="reading.roles")
            told = f"the figure has no {name.replace('_', ' ')}"
            raise InputError(Note(told, remedy, code="no-such-part", part=name))
        return [self.skeleton.names[j] for j in joints]

    def _trunk(self) -> list[int]:
        """Return the joints between the hips and the head."""
        hips, head = self.roles.get("hips"), self.roles.get("head")
        chain = [] if head is None else self.skeleton.chain(head)
        return sorted(chain[1 : chain.index(hips)]) if hips in chain else []

    def _limb_joints(self, part: str) -> list[int]:
        """Return all joints of the limbs whose names end with a word, fingers included."""
        starts = {limb.upper: name for name, limb in self.limbs.items()}

        def limb(joint: int) -> str:
            """Return the limb that a joint belongs to: the first one on the way to the root."""
            return next((starts[k] for k in self.skeleton.chain(joint) if k in starts), "")

        return [j for j in range(len(self.skeleton)) if limb(j).endswith(part)]

    def frame(self, motion: Motion) -> tuple[FloatArray, FloatArray]:
        """Return the character's frame: ground point (F, 3) and heading (F,) in radians.

        The heading is perpendicular to the line through both hip joints, so that it means the same
        for every skeleton. Without legs it is the heading of the root.
        """
        if not {"left_upper_leg", "right_upper_leg"} <= set(self.roles):
            return body_frame(motion)
        points = positions(motion)
        side = points[:, self.roles["left_upper_leg"]] - points[:, self.roles["right_upper_leg"]]
        if np.linalg.norm(side[:, [0, 2]], axis=1).min() < 1e-6:
            return body_frame(motion)
        # The left side is +X for a figure that faces +Z.
        heading = np.unwrap(np.arctan2(-side[:, 2], side[:, 0]))
        hips = points[:, self.roles.get("hips", motion.skeleton.roots[0])]
        return hips * [1.0, 0.0, 1.0], heading

    # ---- masses

    @cached_property
    def mass_weights(self) -> FloatArray:
        """Weights (J + E,) of joints and end sites whose mean position is the centre of mass.

        Bipeds use the segment masses of a human; other figures use the lengths of their bones.
        """
        human = self.is_biped and "hips" in self.roles
        return _human_weights(self) if human else _length_weights(self.skeleton)

    def centre_of_mass(self, motion: Motion) -> FloatArray:
        """Return the centre of mass over time, (F, 3) in metres."""
        out: FloatArray = np.einsum(
            "fpi,p->fi", positions(motion, end_sites=True), self.mass_weights
        )
        return out

    @cached_property
    def height(self) -> float:
        """Standing height in the file's units, by the bones; 0 unless it is a biped.

        It is that of leg, trunk and head, or of a person with such thighs and shanks, because many
        captured skeletons end below the crown and above the sole.
        """
        if not self.is_biped or not {"head", "hips"} <= set(self.roles):
            return 0.0
        skeleton = self.skeleton
        leg = self.limbs["left_leg"]
        bones = np.linalg.norm(skeleton.offsets, axis=1)
        hips, head = self.roles["hips"], self.roles["head"]
        spine = itertools.takewhile(lambda j: j != hips, skeleton.chain(head))
        legs = bones[leg.lower] + bones[leg.end]
        length = sum((bones[j] for j in spine), start=legs)
        # Ankle to sole and head to crown are short and often missing: then use a typical share.
        sole = max(_along(skeleton, leg.tip, leg.end), 0.04 * length)
        tips = [np.linalg.norm(s.offset) for s in skeleton.end_sites if s.parent == head]
        tall = length + sole + max([*tips, 0.08 * length])
        return float(np.clip(legs / _LEG, tall, _MISSING * tall))


def _along(skeleton: Skeleton, joint: int | None, bone: int) -> float:
    """Return the length of a joint's offset along the direction of a bone."""
    length = np.linalg.norm(skeleton.offsets[bone])
    if joint is None or length == 0:
        return 0.0
    return abs(float(skeleton.offsets[joint] @ (skeleton.offsets[bone] / length)))


def _segment_end(body: Body, joint: int, following: int | None) -> int:
    """Return the end of a segment: the next joint, an end site, or the joint itself."""
    if following is not None:
        return following
    skeleton = body.skeleton
    for k, site in enumerate(skeleton.end_sites):
        if site.parent == joint:
            return len(skeleton) + k
    children = skeleton.children[joint]
    return children[0] if children else joint


def _human_weights(body: Body) -> FloatArray:
    skeleton = body.skeleton
    weights = np.zeros(len(skeleton) + len(skeleton.end_sites))

    def add(start: int, end: int, mass: float, share: float) -> None:
        weights[start] += mass * (1 - share)
        weights[end] += mass * share

    for name, limb in body.limbs.items():
        part = name.split("_")[1]
        last = "foot" if part == "leg" else "hand"
        add(limb.upper, limb.lower, *_SEGMENTS[f"upper_{part}"])
        add(limb.lower, limb.end, *_SEGMENTS[f"lower_{part}"])
        add(limb.end, _segment_end(body, limb.end, limb.tip), *_SEGMENTS[last])
    head = body.roles.get("head")
    if head is not None:
        add(head, _segment_end(body, head, None), _HEAD_MASS, 0.5)
    trunk = _hips_to_neck(body)
    bones = np.array([np.linalg.norm(skeleton.offsets[j]) for j in trunk[1:]])
    for a, b, length in zip(trunk[:-1], trunk[1:], bones, strict=True):
        add(a, b, _TRUNK_MASS * length / max(bones.sum(), 1e-12), 0.5)
    if not bones.sum():
        weights[trunk[0]] += _TRUNK_MASS
    return _normalised(weights)


def _hips_to_neck(body: Body) -> list[int]:
    """Return the joints of the trunk, from the hips up; only the hips if nothing is above them."""
    hips = body.roles["hips"]
    top = [body.roles[r] for r in ("neck", "upper_chest", "head") if r in body.roles]
    chain = body.skeleton.chain(top[0]) if top else []
    return chain[: chain.index(hips) + 1][::-1] if hips in chain else [hips]


def _length_weights(skeleton: Skeleton) -> FloatArray:
    weights = np.zeros(len(skeleton) + len(skeleton.end_sites))
    bones = [(int(p), j, skeleton.offsets[j]) for j, p in enumerate(skeleton.parents) if p >= 0]
    count = len(skeleton)
    bones += [(s.parent, count + k, np.array(s.offset)) for k, s in enumerate(skeleton.end_sites)]
    for a, b, offset in bones:
        weights[[a, b]] += np.linalg.norm(offset) / 2
    if not weights.sum():
        weights[list(skeleton.roots)] = 1.0
    return _normalised(weights)


def _normalised(weights: FloatArray) -> FloatArray:
    out: FloatArray = weights / weights.sum()
    return out


def find_body(motion: Motion) -> Body:
    """Find a character's roles.

    Parameters
    ----------
    motion : Motion
        The motion. Roles given by the user have priority. If names do not show left and right, the
        first frame does.

    Examples
    --------
    >>> from retime import find_body, samples
    >>> find_body(samples.jump()).name("left_foot")
    'LeftFoot'
    """
    skeleton = motion.skeleton
    found = roles_by_name(skeleton)
    confidence = dict.fromkeys(found, 0.95)
    if not {"left_lower_leg", "right_lower_leg", "head"} <= set(found) and len(motion):
        for role, joint in roles_by_shape(skeleton, _first_pose(motion)).items():
            if role not in found and joint not in found.values():
                found[role], confidence[role] = joint, 0.6
    for role, name in motion.roles.items():
        if role not in ROLES:
            raise InputError(f"the map names no role {role!r}{did_you_mean(role, ROLES)}")
        found[role], confidence[role] = skeleton.index(name), 1.0
    _place_hips(skeleton, found, confidence)
    return Body(skeleton, found, confidence)


def _first_pose(motion: Motion) -> FloatArray:
    """Return the positions of joints and end sites in the first frame, (J + E, 3)."""
    first = dataclasses.replace(
        motion,
        rotations=motion.rotations[:1],
        translations={n: t[:1] for n, t in motion.translations.items()},
        scales={n: t[:1] for n, t in motion.scales.items()},
        sample_times=None,
    )
    pose: FloatArray = positions(first, end_sites=True)[0]
    return pose


def with_roles(motion: Motion, roles: Mapping[str, str]) -> Motion:
    """Return a motion with the joints of some roles given; raise if a role or joint is unknown."""
    given = dataclasses.replace(motion, roles=dict(roles))
    find_body(given)
    return given


def _place_hips(skeleton: Skeleton, found: dict[str, int], confidence: dict[str, float]) -> None:
    """Put the hips where both legs and the trunk meet; some files name another joint "hips"."""
    ends = [found[r] for r in ("left_upper_leg", "right_upper_leg", "head") if r in found]
    if confidence.get("hips") == 1.0 or len(ends) < 2:
        return
    chains = [skeleton.chain(e) for e in ends]
    common = [j for j in chains[0] if all(j in chain for chain in chains)]
    if common:
        found["hips"] = common[0]
        confidence.setdefault("hips", min(confidence.values()))
