"""Motions that look the same and are stored otherwise: other floors, axes, nodes above the hips."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from retime import Motion, Skeleton, quat
from retime.arrays import FloatArray
from retime.motion.kinematics import body_frame


def raised(motion: Motion, height: float) -> Motion:
    """The same motion on a floor that lies higher, in metres."""
    shift = np.zeros(3)
    shift[1 if motion.units.up == "Y" else 2] = height / motion.units.metres
    roots = {motion.skeleton.names[r] for r in motion.skeleton.roots}
    moved = {n: t + shift if n in roots else t for n, t in motion.translations.items()}
    return replace(motion, translations=moved, origin=None)


def with_other_axes(motion: Motion, turn: np.ndarray) -> Motion:
    """The same places with every joint's own axes turned: other offsets, other rotations."""
    old = motion.skeleton
    back = quat.conjugate(turn)
    roots = old.parents < 0
    offsets = np.where(roots[:, None], old.offsets, quat.rotate(back, old.offsets))
    rotations = quat.multiply(motion.rotations, turn)
    rotations[:, ~roots] = quat.multiply(back, rotations[:, ~roots])
    rest = quat.multiply(old.rest_rotations, turn)
    rest[~roots] = quat.multiply(back, rest[~roots])
    sites = tuple(replace(s, offset=tuple(quat.rotate(back, s.offset))) for s in old.end_sites)
    skeleton = replace(old, offsets=offsets, rest_rotations=rest, end_sites=sites)
    roots_only = {old.names[r] for r in old.roots}
    places = {
        n: t if n in roots_only else quat.rotate(back, t) for n, t in motion.translations.items()
    }
    return replace(motion, skeleton=skeleton, rotations=rotations, translations=places, origin=None)


def under_a_node(motion: Motion, turn: np.ndarray | None = None) -> Motion:
    """The same motion below a node that stands on the floor, turned or not, as exporters do it."""
    old = motion.skeleton
    turn = quat.identity(1)[0] if turn is None else turn
    back = quat.conjugate(turn)
    sites = tuple(replace(s, parent=s.parent + 1) for s in old.end_sites)
    skeleton = Skeleton(
        ("Armature", *old.names),
        np.r_[-1, np.where(old.parents < 0, 0, old.parents + 1)],
        np.r_[np.zeros((1, 3)), old.offsets],
        np.r_[quat.identity(1), old.rest_rotations],
        np.r_[np.ones((1, 3)), old.rest_scales],
        sites,
    )
    still = np.broadcast_to(turn, (len(motion), 1, 4))
    rotations = np.concatenate([still, motion.rotations], axis=1)
    places = {"Armature": np.zeros((len(motion), 3)), **motion.translations}
    for r in old.roots:
        rotations[:, 1 + r] = quat.multiply(back, motion.rotations[:, r])
        places[old.names[r]] = quat.rotate(back, motion.translations[old.names[r]])
    return replace(
        motion, skeleton=skeleton, rotations=rotations, translations=places, origin=None,
        rest_pose=None,
    )  # fmt: skip


def in_body_frame(motion: Motion, points: FloatArray) -> FloatArray:
    """Transform points (F, N, 3) in metres into the character's frame."""
    origin, heading = body_frame(motion)
    turn = quat.from_axis_angle([0, 1, 0], -heading)
    return quat.rotate(turn[:, None], points - origin[:, None])


def with_rounding(motion: Motion, size: float = 1e-10) -> Motion:
    """The same motion with noise as small as rounding in a file, in radians and metres."""
    random = np.random.default_rng(0)
    turns = quat.exp(size * random.standard_normal((*motion.rotations.shape[:2], 3)))
    step = size / motion.units.metres
    moved = {n: t + step * random.standard_normal(t.shape) for n, t in motion.translations.items()}
    rotations = quat.multiply(turns, motion.rotations)
    return replace(motion, rotations=rotations, translations=moved, origin=None)


def in_units(motion: Motion, metres: float) -> Motion:
    """The same motion in another unit of length."""
    ratio = motion.units.metres / metres
    old = motion.skeleton
    sites = tuple(replace(s, offset=tuple(ratio * np.array(s.offset))) for s in old.end_sites)
    skeleton = replace(old, offsets=ratio * old.offsets, end_sites=sites)
    places = {n: ratio * t for n, t in motion.translations.items()}
    units = replace(motion.units, metres=metres)
    return replace(motion, skeleton=skeleton, translations=places, units=units, origin=None)


def turned(motion: Motion, turn: np.ndarray, way: np.ndarray | None = None) -> Motion:
    """The motion with its roots turned and then moved, in the file's units and axes."""
    old = motion.skeleton
    rotations, places = motion.rotations.copy(), dict(motion.translations)
    for r in old.roots:
        name = old.names[r]
        rotations[:, r] = quat.multiply(turn, rotations[:, r])
        places[name] = quat.rotate(turn, places[name]) + (0.0 if way is None else way)
    return replace(motion, rotations=rotations, translations=places, origin=None)


def with_z_up(motion: Motion) -> Motion:
    """The same motion of a file whose Z axis points up."""
    turn = quat.from_axis_angle([1.0, 0.0, 0.0], np.pi / 2)
    old = motion.skeleton
    offsets, rest = old.offsets.copy(), old.rest_rotations.copy()
    roots = list(old.roots)
    offsets[roots] = quat.rotate(turn, offsets[roots])
    rest[roots] = quat.multiply(turn, rest[roots])
    skeleton = replace(old, offsets=offsets, rest_rotations=rest)
    return replace(turned(motion, turn), skeleton=skeleton, units=replace(motion.units, up="Z"))


def mirrored(motion: Motion) -> Motion:
    """The motion as a mirror shows it: left joints are right ones."""
    old, turn, flip = motion.skeleton, np.array([1.0, 1.0, -1.0, -1.0]), np.array([-1.0, 1.0, 1.0])
    sites = tuple(
        replace(s, name=other_side(s.name), offset=tuple(flip * s.offset)) for s in old.end_sites
    )
    skeleton = Skeleton(
        tuple(map(other_side, old.names)), old.parents, flip * old.offsets,
        turn * old.rest_rotations, old.rest_scales, sites,
    )  # fmt: skip
    places = {other_side(n): flip * t for n, t in motion.translations.items()}
    return replace(
        motion, skeleton=skeleton, rotations=turn * motion.rotations, translations=places,
        origin=None, rest_pose=None,
    )  # fmt: skip


def other_side(name: str) -> str:
    """Name of the joint on the other side."""
    if "Left" in name:
        return name.replace("Left", "Right")
    return name.replace("Right", "Left")


def renamed(motion: Motion, prefix: str) -> Motion:
    """The motion with a prefix before the names of its joints, as Mixamo has it."""
    names = tuple(prefix + n for n in motion.skeleton.names)
    places = {prefix + n: t for n, t in motion.translations.items()}
    skeleton = replace(motion.skeleton, names=names, file_names=())
    return replace(motion, skeleton=skeleton, translations=places, origin=None)


def reordered(motion: Motion) -> Motion:
    """The motion with the children of each joint in the opposite order, depth first."""
    old, order = motion.skeleton, []
    left = list(old.roots)
    while left:
        order.append(left.pop())
        left += old.children[order[-1]]
    place = np.argsort(order)
    parents = old.parents[order]
    sites = (replace(s, parent=int(place[s.parent])) for s in old.end_sites)
    skeleton = Skeleton(
        tuple(old.names[j] for j in order), np.where(parents < 0, -1, place[parents]),
        old.offsets[order], old.rest_rotations[order], old.rest_scales[order],
        tuple(sorted(sites, key=lambda s: s.parent)),
    )  # fmt: skip
    return replace(motion, skeleton=skeleton, rotations=motion.rotations[:, order], origin=None)
