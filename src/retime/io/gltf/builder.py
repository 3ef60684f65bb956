"""Build a new glTF file from any motion: its skeleton, a simple solid body, and its animations."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from retime.arrays import FloatArray
from retime.errors import InputError
from retime.io.gltf.accessors import FLOAT
from retime.io.gltf.document import Document
from retime.io.gltf.skinned import Surface, add_primitive
from retime.motion import Motion, quat
from retime.motion.kinematics import global_transforms, height

_SIDES = 8
_COLOUR = [0.48, 0.36, 0.94, 1.0]


def build(motions: Mapping[str, Motion]) -> Document:
    """Return a document with motions of one skeleton as animations."""
    first = next(iter(motions.values()))
    if not all(other.skeleton.same_joints(first.skeleton) for other in motions.values()):
        raise InputError("animations of one file need the same joints")
    document = Document(
        Path(), {"asset": {"version": "2.0", "generator": f"retime {version('retime')}"}}, []
    )
    nodes = _nodes(first)
    roots = list(first.skeleton.roots)
    if first.units.up == "Z":
        # glTF has Y up: a node above the roots rotates the figure.
        turn = quat.from_axis_angle([1, 0, 0], -np.pi / 2)
        nodes.append({"name": "up", "rotation": turn[[1, 2, 3, 0]].tolist(), "children": roots})
        roots = [len(nodes) - 1]
    document.json |= {"scene": 0, "scenes": [{"nodes": roots}], "nodes": nodes}
    _add_body(document, first)
    document.json["animations"] = [_animation(document, n, m) for n, m in motions.items()]
    return document


def _nodes(motion: Motion) -> list[dict[str, Any]]:
    """Return the nodes of the joints and end sites, in metres."""
    skeleton, metres = motion.skeleton, motion.units.metres
    nodes: list[dict[str, Any]] = []
    for j, name in enumerate(skeleton.names):
        node: dict[str, Any] = {"name": name}
        node["translation"] = (skeleton.offsets[j] * metres).tolist()
        node["rotation"] = skeleton.rest_rotations[j][[1, 2, 3, 0]].tolist()
        if (skeleton.rest_scales[j] != 1).any():
            node["scale"] = skeleton.rest_scales[j].tolist()
        if skeleton.children[j]:
            node["children"] = list(skeleton.children[j])
        nodes.append(node)
    for site in skeleton.end_sites:
        owner = nodes[site.parent]
        owner.setdefault("children", []).append(len(nodes))
        place = (np.array(site.offset) * metres).tolist()
        nodes.append({"name": site.name or f"{owner['name']}_end", "translation": place})
    return nodes


def _animation(document: Document, name: str, motion: Motion) -> dict[str, Any]:
    times = motion.times.astype("<f4")
    ends = {"min": [float(times.min())], "max": [float(times.max())]}
    at = document.add(
        times.tobytes(), component=FLOAT, kind="SCALAR", count=len(times), bounds=ends
    )
    samplers: list[dict[str, Any]] = []
    channels: list[dict[str, Any]] = []

    def add(node: int, path: str, values: FloatArray) -> None:
        kind = "VEC4" if values.shape[1] == 4 else "VEC3"
        data = values.astype("<f4").tobytes()
        out = document.add(data, component=FLOAT, kind=kind, count=len(values))
        channels.append({"sampler": len(samplers), "target": {"node": node, "path": path}})
        samplers.append({"input": at, "interpolation": "LINEAR", "output": out})

    for j in range(len(motion.skeleton)):
        add(j, "rotation", motion.rotations[:, j][:, [1, 2, 3, 0]])
    for joint, track in motion.translations.items():
        add(motion.skeleton.index(joint), "translation", track * motion.units.metres)
    for joint, track in motion.scales.items():
        add(motion.skeleton.index(joint), "scale", track)
    return {"name": name, "channels": channels, "samplers": samplers}


def _add_body(document: Document, motion: Motion) -> None:
    """Add a mesh of tapered bones, each moved by its joint alone."""
    skeleton, metres = motion.skeleton, motion.units.metres
    tall = max(height(skeleton) * metres, 1e-6)
    bones = [(int(p), skeleton.offsets[j]) for j, p in enumerate(skeleton.parents) if p >= 0]
    bones += [(s.parent, np.array(s.offset)) for s in skeleton.end_sites]
    bones = [(j, o * metres) for j, o in bones if np.linalg.norm(o) * metres > 1e-4 * tall]
    if not bones:
        bones = [(r, np.array([0.0, 0.1 * tall, 0.0])) for r in skeleton.roots]
    # Bones lie in the rest pose; a skin carries them from there.
    rest = _rest(motion)
    points: list[FloatArray] = []
    normals: list[FloatArray] = []
    owners, faces, total = [], [], 0
    for joint, offset in bones:
        vertices, across, triangles = _bone(offset, tall)
        faces.append(triangles + total)
        total += len(vertices)
        linear, place = rest[joint, :3, :3], rest[joint, :3, 3]
        points.append(vertices @ linear.T + place)
        normals.append(_unit(across @ np.linalg.inv(linear)))
        owners.append(np.full(len(vertices), joint))
    joints, weights = np.zeros((total, 4)), np.zeros((total, 4))
    joints[:, 0], weights[:, 0] = np.concatenate(owners), 1.0
    body = Surface(
        "body", np.concatenate(points), np.concatenate(normals), joints, weights,
        np.concatenate(faces), _COLOUR[:3],
    )  # fmt: skip
    primitive = add_primitive(document, body, 0)
    data = np.swapaxes(np.linalg.inv(rest), 1, 2).astype("<f4").tobytes()
    bind = document.add(data, component=FLOAT, kind="MAT4", count=len(skeleton))
    document.json |= {
        "meshes": [{"name": "body", "primitives": [primitive]}],
        "materials": [{
            "name": "body",
            "pbrMetallicRoughness": {"baseColorFactor": _COLOUR, "metallicFactor": 0.0,
                                     "roughnessFactor": 0.7},
        }],
        "skins": [{"inverseBindMatrices": bind, "joints": list(range(len(skeleton)))}],
    }  # fmt: skip
    document.json["nodes"].append({"name": "body", "mesh": 0, "skin": 0})
    document.json["scenes"][0]["nodes"].append(len(document.json["nodes"]) - 1)


def _rest(motion: Motion) -> FloatArray:
    """Return the joints' global rest transforms, (J, 4, 4), in metres."""
    skeleton = motion.skeleton
    still = Motion(
        skeleton,
        skeleton.rest_rotations[None],
        {skeleton.names[r]: skeleton.offsets[r : r + 1] for r in skeleton.roots},
    )
    places, linear = global_transforms(still)
    out = np.tile(np.eye(4), (len(skeleton), 1, 1))
    out[:, :3, :3] = linear[0]
    out[:, :3, 3] = places[0] * motion.units.metres
    return out


def _unit(vectors: FloatArray) -> FloatArray:
    out: FloatArray = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    return out


def _bone(offset: FloatArray, tall: float) -> tuple[FloatArray, FloatArray, Any]:
    """Make a tapered tube with closed ends along a bone: vertices, normals, triangles."""
    length = float(np.linalg.norm(offset))
    along = offset / length
    radius = min(0.035 * tall, 0.3 * length)
    turn = quat.between(np.array([[0.0, 1.0, 0.0]]), along[None])[0]
    angle = 2 * np.pi * np.arange(_SIDES) / _SIDES
    ring = np.stack([np.cos(angle), np.zeros(_SIDES), np.sin(angle)], axis=1)
    low, high = radius * ring, 0.7 * radius * ring + [0, length, 0]
    cap = np.tile([0.0, -1.0, 0.0], (_SIDES, 1))
    vertices = np.concatenate([low, high, low, high])
    normals = np.concatenate([ring, ring, cap, -cap])
    faces = []
    for k in range(_SIDES):
        n = (k + 1) % _SIDES
        faces += [(k, k + _SIDES, n), (n, k + _SIDES, n + _SIDES)]
    for k in range(1, _SIDES - 1):
        a, b = 2 * _SIDES, 3 * _SIDES
        faces += [(a, a + k, a + k + 1), (b, b + k + 1, b + k)]
    return quat.rotate(turn, vertices), quat.rotate(turn, normals), np.array(faces)
