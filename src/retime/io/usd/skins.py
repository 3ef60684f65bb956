"""The skinned mesh of a USD stage, as glTF for a viewer."""

from __future__ import annotations

from typing import Any

import numpy as np

from retime.arrays import FloatArray
from retime.errors import FormatError, InputError
from retime.io.as_read import kept_of
from retime.io.gltf.document import Document
from retime.io.gltf.skinned import Pose, Surface, skinned_document
from retime.io.usd.reader import LIBRARY, Kept, located
from retime.motion import Motion
from retime.motion.kinematics import global_rotations, positions
from retime.process.library import Arrays

__all__ = ["is_skinned", "skin_document"]

# Corners of faces; a film character has about a quarter of it.
MOST_CORNERS = 4_000_000


def is_skinned(motion: Motion) -> bool:
    """Return whether the skeleton of the motion's stage moves a mesh."""
    kept = kept_of(motion, Kept)
    return kept is not None and bool(kept.entry.get("skinned"))


def skin_document(motion: Motion, *, most_corners: int = MOST_CORNERS) -> Document:
    """Return the mesh of the motion's stage as glTF; node ``j`` is joint ``j`` of the motion.

    Nodes are in the first pose with Y up, in the units of the stage. Blend shapes stay at rest and
    vertices keep the four largest influences.
    """
    kept = kept_of(motion, Kept)
    if kept is None:
        raise InputError("the motion was not read from a USD file")
    with located(kept.path) as at:
        if at.sha256 != kept.sha256:
            raise FormatError("the file has changed since it was read", path=kept.path)
        request = {
            "do": "skin",
            "path": str(at.path),
            "skeleton": kept.entry["skeleton"],
            "most_corners": most_corners,
        }
        answer, arrays = LIBRARY.ask(request, folder=at.folder, size=at.size, path=kept.path)
    base = len(kept.entry["chain"])
    surfaces = [_surface(e, _part(arrays, k), base) for k, e in enumerate(answer["surfaces"])]
    if not surfaces:
        raise FormatError("its mesh has no faces", path=kept.path)
    names = list(motion.skeleton.names)
    bind = np.tile(np.eye(4), (len(names), 1, 1))
    if np.abs(np.linalg.det(arrays["bind"])).min(initial=1.0) < 1e-12:
        raise FormatError("a bind transform of its skeleton is flat", path=kept.path)
    bind[base:] = np.linalg.inv(arrays["bind"])
    images = [(kind, arrays[f"image.{k}"].tobytes()) for k, kind in enumerate(answer["images"])]
    return skinned_document(names, _first_pose(motion, kept), bind, surfaces, images)


def _part(arrays: Arrays, number: int) -> Arrays:
    start = f"{number}."
    return {name.removeprefix(start): a for name, a in arrays.items() if name.startswith(start)}


def _surface(entry: dict[str, Any], arrays: Arrays, base: int) -> Surface:
    return Surface(
        name=entry["name"],
        points=arrays["points"],
        normals=arrays["normals"],
        joints=arrays["joints"] + base,
        weights=arrays["weights"],
        triangles=arrays["indices"],
        colour=entry["colour"],
        image=entry["image"],
        uv=arrays.get("uv"),
        colours=arrays.get("colours"),
    )


def _first_pose(motion: Motion, kept: Kept) -> Pose:
    """Return the joints' first global transforms with Y up, in the units of the stage."""
    still = motion[:1]
    return Pose(
        positions(still)[0] / motion.units.metres,
        global_rotations(still)[0],
        _global_scales(motion, kept),
    )


def _global_scales(motion: Motion, kept: Kept) -> FloatArray:
    """Return the scale of each joint (J, 3): its own, and the uniform one of its ancestors."""
    own = motion.skeleton.rest_scales.copy()
    for name, track in motion.scales.items():
        own[motion.skeleton.index(name)] = track[0]
    out: FloatArray = own * (kept.scales * kept.own_scales)[:, None]
    return out
