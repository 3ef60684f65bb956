"""Segments of a figure: a solid for each joint, from its bones and the density of water."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from retime.arrays import FloatArray
from retime.body import LIMBS, Body
from retime.body.contacts import find_contacts
from retime.body.model.size import standing_height
from retime.errors import InputError, did_you_mean
from retime.motion import Motion, quat
from retime.motion.kinematics import global_rotations, height, local_translations, positions

_WATER = 1000.0
# Radii of the segments of a person of 1.75 m, metres (section 4: cylinders of water's density).
_RADII = {
    "hips": 0.145,
    "spine": 0.14,
    "chest": 0.15,
    "upper_chest": 0.155,
    "neck": 0.06,
    "head": 0.09,
    "shoulder": 0.05,
    "upper_arm": 0.045,
    "lower_arm": 0.037,
    "hand": 0.035,
    "upper_leg": 0.075,
    "lower_leg": 0.05,
    "foot": 0.04,
    "toe": 0.03,
}
_TALL = 1.75
# Mass of a person of one metre, kilograms, and the power of the height that it grows by.
_MASS, _MASS_GROWS = 17.3, 2.5
_TRUNK = ("hips", "spine", "chest", "upper_chest", "neck", "head")
# Least lengths of segments whose bones are often short or missing, metres.
_LEAST = {"hips": 0.15, "upper_chest": 0.12, "head": 0.24, "hand": 0.10}
# Figures other than persons: radius of a bone relative to its length, and least radius, metres.
_SLENDER, _LEAST_RADIUS = 0.15, 0.01
# Radius of fingers and other small parts, metres.
_SMALL = 0.012
_LIMB_PARTS = ("upper_arm", "lower_arm", "upper_leg", "lower_leg")


@dataclass(frozen=True, eq=False)
class Solid:
    """The mass that moves with a joint."""

    mass: float
    """Kilograms."""
    centre: FloatArray
    """Centre of mass in the joint's frame, metres. Shape (3,)."""
    inertia: FloatArray
    """Inertia about the centre, along the axes of the joint. Shape (3, 3)."""

    def scaled(self, factor: float) -> Solid:
        """Return the shape with another density."""
        return Solid(self.mass * factor, self.centre, self.inertia * factor)

    @staticmethod
    def joined(solids: list[Solid]) -> Solid:
        """Combine several solids to one."""
        mass = sum(s.mass for s in solids)
        centre = sum((s.mass * s.centre for s in solids), np.zeros(3)) / mass
        inertia = np.zeros((3, 3))
        for s in solids:
            r = s.centre - centre
            inertia += s.inertia + s.mass * (r @ r * np.eye(3) - np.outer(r, r))
        return Solid(mass, centre, inertia)


@dataclass(frozen=True)
class BodyData:
    """Known values of a figure, by joint or role."""

    masses: Mapping[str, float]
    """Mass of the segment below a joint, kilograms, by name."""
    centres: Mapping[str, tuple[float, float, float]]
    """Its centre of mass in the joint's frame, metres."""
    radii: Mapping[str, float]
    """Its radius, metres."""
    limits: Mapping[str, float]
    """Largest torque at the joint, newton metres."""

    def named(self, body: Body) -> BodyData:
        """Resolve roles to joints."""

        def resolve(values: Mapping[str, Any]) -> dict[str, Any]:
            return {n: v for key, v in values.items() for n in body.find_joints([key])}

        return BodyData(*(resolve(getattr(self, f)) for f in BodyData.__dataclass_fields__))


def read_body_data(given: Mapping[str, Any] | None) -> BodyData:
    """Make body data from a JSON document; raise on unknown names and on bad values."""
    fields = tuple(BodyData.__dataclass_fields__)
    if given is not None and not isinstance(given, Mapping):
        raise InputError('body data maps masses, centres, radii and limits: {"masses": {...}}')
    document = dict(given or {})
    for key, values in document.items():
        if key not in fields:
            raise InputError(f"body data has no {key!r}{did_you_mean(str(key), fields)}")
        if not isinstance(values, Mapping):
            raise InputError(f"{key} of body data must map joints to values")
        for joint, value in values.items():
            _must_be_value(key, joint, value)
    return BodyData(**{f: document.get(f, {}) for f in fields})


def _must_be_value(key: str, joint: Any, value: Any) -> None:
    if not isinstance(joint, str):
        raise InputError(f"{key} of body data go by names of joints, not {joint!r}")
    numbers = np.asarray(value, dtype=float) if _numeric(value) else None
    wanted = (3,) if key == "centres" else ()
    if numbers is None or numbers.shape != wanted or not np.isfinite(numbers).all():
        raise InputError(f"{key} of {joint!r} is {value!r}; it must be finite")
    if key != "centres" and numbers <= 0:
        raise InputError(f"{key} of {joint!r} is {value:g}; it must be above 0")


def _numeric(value: Any) -> bool:
    try:
        return np.asarray(value).dtype.kind in "biuf"
    except ValueError:
        return False


def cylinder(start: FloatArray, end: FloatArray, radius: float) -> Solid:
    """Make a cylinder of water between two points."""
    way = end - start
    length = float(np.linalg.norm(way))
    axis = way / length
    mass = _WATER * np.pi * radius**2 * length
    along, across = radius**2 / 2, (3 * radius**2 + length**2) / 12
    outer = np.outer(axis, axis)
    return Solid(mass, (start + end) / 2, mass * (across * (np.eye(3) - outer) + along * outer))


def solids_of(motion: Motion, body: Body, data: BodyData, mass: float | None) -> dict[str, Solid]:
    """Return the solid of each joint, by role for a person, otherwise from the bones.

    Parameters
    ----------
    motion : Motion
        Bones of the skeleton, and the direction of the trunk.
    body : Body
        Its roles.
    data : BodyData
        Known values by joint.
    mass : float, optional
        Mass of the whole, kilograms. Default: typical of the height for a person; otherwise by the
        density of water.
    """
    person = is_person(motion, body)
    found = _person(motion, body, data) if person else _bones(motion, data)
    if not found:
        found = {motion.skeleton.names[motion.skeleton.roots[0]]: _ball()}
    if mass is not None:
        found = _with_mass(found, mass, data)
    elif person:
        factor = usual_mass(person_height(motion, body)) / sum(s.mass for s in found.values())
        found = {n: s.scaled(factor) for n, s in found.items()}
    for name in found.keys() & data.masses.keys():
        found[name] = found[name].scaled(data.masses[name] / found[name].mass)
    for name in found.keys() & data.centres.keys():
        found[name] = replace(found[name], centre=np.array(data.centres[name], float))
    return found


def _with_mass(found: dict[str, Solid], mass: float, data: BodyData) -> dict[str, Solid]:
    """Scale the solids without a given mass to a mass of the whole."""
    fixed = sum(m for n, m in data.masses.items() if n in found)
    free = sum(s.mass for n, s in found.items() if n not in data.masses)
    if mass <= fixed or free <= 0:
        raise InputError(f"a mass of {mass:g} kg is less than the sum of its given parts")
    factor = (mass - fixed) / free
    return {n: s if n in data.masses else s.scaled(factor) for n, s in found.items()}


def is_person(motion: Motion, body: Body) -> bool:
    """Return whether a figure stands on two feet; the limbs of animals end in paws."""
    if not (body.is_biped and "hips" in body.roles):
        return False
    return not any(name.endswith("_end") for name in find_contacts(motion).touching)


def person_height(motion: Motion, body: Body) -> float:
    """Return the height of a person in metres, by the legs and trunk or by the longest bones."""
    return max(standing_height(motion, body), height(motion.skeleton) * motion.units.metres)


def usual_mass(tall: float) -> float:
    """Return the typical mass of a person in kilograms by the height in metres.

    It is 10 at 0.8 m, 66 at 1.7 m and 86 at 1.9 m.
    """
    return float(_MASS * tall**_MASS_GROWS)


def _ball(radius: float = 0.1) -> Solid:
    mass = _WATER * 4 / 3 * np.pi * radius**3
    return Solid(mass, np.zeros(3), 0.4 * mass * radius**2 * np.eye(3))


def _bone_ends(motion: Motion) -> dict[int, list[tuple[int | None, FloatArray]]]:
    """Return the bones of each joint in its frame, metres: to children and to end sites."""
    skeleton, scale = motion.skeleton, bone_scale(motion)
    out: dict[int, list[tuple[int | None, FloatArray]]] = {j: [] for j in range(len(skeleton))}
    rest = local_translations(motion).mean(axis=0)
    for j, p in enumerate(skeleton.parents):
        if p >= 0:
            out[int(p)].append((j, scale[j] * rest[j]))
    for k, site in enumerate(skeleton.end_sites):
        offset = scale[len(skeleton) + k] * np.array(site.offset)
        out[site.parent].append((None, offset))
    return out


def bone_scale(motion: Motion) -> FloatArray:
    """Return metres per unit of the offsets of joints and end sites, (J + E,), with scales."""
    skeleton = motion.skeleton
    count = len(skeleton) + len(skeleton.end_sites)
    if not motion.scales and (skeleton.rest_scales == 1).all():
        return np.full(count, motion.units.metres)
    points = positions(motion, end_sites=True)
    parents = [*map(int, skeleton.parents), *(s.parent for s in skeleton.end_sites)]
    local = local_translations(motion).mean(axis=0)
    offsets = [*local, *(np.array(s.offset) for s in skeleton.end_sites)]
    out = np.full(count, motion.units.metres)
    for j, (p, offset) in enumerate(zip(parents, offsets, strict=True)):
        length = float(np.linalg.norm(offset))
        if p >= 0 and length > 1e-9:
            out[j] = float(np.linalg.norm(points[:, j] - points[:, p], axis=1).mean()) / length
    return out


def _bones(motion: Motion, data: BodyData) -> dict[str, Solid]:
    out = {}
    for j, ends in _bone_ends(motion).items():
        name = motion.skeleton.names[j]
        parts = []
        for _, end in ends:
            length = float(np.linalg.norm(end))
            if length > 1e-6:
                radius = data.radii.get(name, max(_SLENDER * length, _LEAST_RADIUS))
                parts.append(cylinder(np.zeros(3), end, radius))
        if parts:
            out[name] = Solid.joined(parts)
    return out


def _person(motion: Motion, body: Body, data: BodyData) -> dict[str, Solid]:
    skeleton = motion.skeleton
    tall = height(skeleton) * motion.units.metres / _TALL
    ends = _bone_ends(motion)
    role_of = {j: role for role, j in body.roles.items()}
    up = _local_up(motion)
    out = {}
    for j, name in enumerate(skeleton.names):
        role, own = _nearest_role(skeleton, role_of, j)
        if role is None:
            continue
        part = role.removeprefix("left_").removeprefix("right_")
        if not own and part in _TRUNK and not _on_trunk(body, j):
            continue  # hip and collar joints: the trunk has their mass
        radius = data.radii.get(name, tall * _radius(part, own=own))
        least = tall * _LEAST.get(part, 0.0) if own else 0.0
        end = _lengthened(_own_end(body, role_of, ends, j, part), least, part, up[j])
        if end is not None:
            start = -end / 2 if part == "hips" else np.zeros(3)
            out[name] = cylinder(start, start + end, radius)
    return out


def _radius(part: str, *, own: bool) -> float:
    """Return the radius of a joint's segment; twist joints of a limb are as thick as the limb."""
    return _RADII[part] if own or part in _TRUNK or part in _LIMB_PARTS else _SMALL


def _lengthened(end: FloatArray, least: float, part: str, up: FloatArray) -> FloatArray | None:
    """Return the end of a segment with a least length; ``None`` if it has no length."""
    length = float(np.linalg.norm(end))
    if length >= max(least, 1e-6):
        return end
    if least == 0:
        return None
    return np.asarray(least * (up if part in _TRUNK or length < 1e-6 else end / length))


def _on_trunk(body: Body, joint: int) -> bool:
    """Return whether a joint is between two joints of the trunk."""
    top = [body.roles[r] for r in _TRUNK if r in body.roles]
    return any(joint in body.skeleton.chain(j)[1:] for j in top)


def _nearest_role(skeleton: Any, role_of: dict[int, str], joint: int) -> tuple[str | None, bool]:
    """Return the role of a joint or of the nearest joint above it, and whether it is its own."""
    for j in skeleton.chain(joint):
        if j in role_of:
            return role_of[j], j == joint
    return None, False


def _own_end(
    body: Body,
    role_of: dict[int, str],
    ends: dict[int, list[tuple[int | None, FloatArray]]],
    joint: int,
    part: str,
) -> FloatArray:
    """Return the end of a joint's segment in its frame: towards the next role, or of its bone."""
    following = _following(body, role_of.get(joint))
    if following is not None:
        chain = body.skeleton.chain(following)
        towards = [end for child, end in ends[joint] if child in chain]
        if towards:
            return towards[0]
    if part in _TRUNK and not following:
        middle = [end for child, end in ends[joint] if child is not None or part == "head"]
        return np.mean(middle, axis=0) if middle else np.zeros(3)
    longest = max((end for _, end in ends[joint]), key=lambda e: float(e @ e), default=np.zeros(3))
    return np.asarray(longest)


def _following(body: Body, role: str | None) -> int | None:
    """Return the joint of the next role outwards."""
    if role is None:
        return None
    chains = [_TRUNK, *LIMBS.values()]
    chains += [(f"{s}_shoulder", f"{s}_upper_arm") for s in ("left", "right")]
    outwards = [later for c in chains if role in c for later in c[c.index(role) + 1 :]]
    return next((body.roles[later] for later in outwards if later in body.roles), None)


def _local_up(motion: Motion) -> FloatArray:
    """Return the mean direction of up in the frame of each joint, (J, 3)."""
    turns = quat.conjugate(global_rotations(motion))
    up = quat.rotate(turns, np.broadcast_to([0.0, 1.0, 0.0], (*turns.shape[:2], 3))).mean(axis=0)
    length = np.linalg.norm(up, axis=1, keepdims=True)
    out: FloatArray = np.where(length > 1e-9, up / np.maximum(length, 1e-9), [0.0, 1.0, 0.0])
    return out
