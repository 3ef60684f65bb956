"""Build a glTF file of a skinned mesh that another format has, for a viewer."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.io.gltf.accessors import FLOAT
from retime.io.gltf.document import Document

_ARRAY, _ELEMENTS = 34962, 34963
_SHORT, _WHOLE = 5123, 5125


@dataclass(frozen=True, eq=False)
class Surface:
    """A part of a mesh with one material. V vertices lie in the bind pose."""

    name: str
    points: FloatArray
    """Shape (V, 3)."""
    normals: FloatArray
    """Shape (V, 3)."""
    joints: npt.NDArray[Any]
    """Joints that move each vertex. Shape (V, 4)."""
    weights: FloatArray
    """Their influence. Shape (V, 4)."""
    triangles: npt.NDArray[Any]
    """Shape (T, 3)."""
    colour: list[float]
    """Linear red, green and blue."""
    image: int | None = None
    """Number of its image; then it has ``uv``."""
    uv: FloatArray | None = None
    """Texture coordinates from the top left. Shape (V, 2)."""
    colours: FloatArray | None = None
    """Colours of vertices. Shape (V, 3)."""


@dataclass(frozen=True, eq=False)
class Pose:
    """Global transforms of J joints: places (J, 3), rotations (J, 4) wxyz, scales (J, 3)."""

    places: FloatArray
    rotations: FloatArray
    scales: FloatArray


def skinned_document(
    names: list[str],
    pose: Pose,
    inverse_bind: FloatArray,
    surfaces: list[Surface],
    images: list[tuple[str, bytes]],
) -> Document:
    """Return a document with a node for each joint, side by side, and a mesh that they move.

    Parameters
    ----------
    names : list of str
        Names of the joints; node ``j`` is joint ``j``.
    pose : Pose
        Transforms of the nodes.
    inverse_bind : array, shape (J, 4, 4)
        Transforms from the bind pose into the space of each joint, for row vectors.
    surfaces : list of Surface
        Parts of the mesh.
    images : list of (str, bytes)
        Media type and content of each image.
    """
    document = Document(
        Path(), {"asset": {"version": "2.0", "generator": f"retime {version('retime')}"}}, []
    )
    count = len(names)
    nodes: list[dict[str, Any]] = [
        {
            "name": name,
            "translation": pose.places[j].tolist(),
            "rotation": pose.rotations[j][[1, 2, 3, 0]].tolist(),
            "scale": pose.scales[j].tolist(),
        }
        for j, name in enumerate(names)
    ]
    nodes.append({"name": "joints", "children": list(range(count))})
    nodes.append({"name": "mesh", "mesh": 0, "skin": 0})
    # Row vectors in rows are column vectors in columns: the order in which glTF stores them.
    bind = inverse_bind.astype("<f4").tobytes()
    at = document.add(bind, component=FLOAT, kind="MAT4", count=count)
    document.json |= {
        "scene": 0,
        "scenes": [{"nodes": [count, count + 1]}],
        "nodes": nodes,
        "meshes": [{"name": "mesh", "primitives": [add_primitive(document, s, k)
                                                   for k, s in enumerate(surfaces)]}],
        "materials": [_material(s) for s in surfaces],
        "skins": [{"inverseBindMatrices": at, "joints": list(range(count)), "skeleton": count}],
    }  # fmt: skip
    if images:
        document.json["images"] = [
            {"bufferView": document.add_view(data), "mimeType": kind} for kind, data in images
        ]
        document.json["textures"] = [{"source": k} for k in range(len(images))]
    return document


def add_primitive(document: Document, surface: Surface, material: int) -> dict[str, Any]:
    """Add the data of a surface; return a primitive of a mesh with the number of its material."""
    columns: dict[str, tuple[Any, str, int]] = {
        "POSITION": (surface.points.astype("<f4"), "VEC3", FLOAT),
        "NORMAL": (surface.normals.astype("<f4"), "VEC3", FLOAT),
        "JOINTS_0": (surface.joints.astype("<u2"), "VEC4", _SHORT),
        "WEIGHTS_0": (surface.weights.astype("<f4"), "VEC4", FLOAT),
    }
    if surface.uv is not None:
        columns["TEXCOORD_0"] = (surface.uv.astype("<f4"), "VEC2", FLOAT)
    if surface.colours is not None:
        columns["COLOR_0"] = (surface.colours.astype("<f4"), "VEC3", FLOAT)
    attributes = {}
    for name, (values, kind, component) in columns.items():
        ends = {"min": values.min(0).tolist(), "max": values.max(0).tolist()}
        attributes[name] = document.add(
            values.tobytes(), component=component, kind=kind, count=len(values),
            target=_ARRAY, bounds=ends if name == "POSITION" else None,
        )  # fmt: skip
    indices = np.ascontiguousarray(surface.triangles, dtype="<u4")
    at = document.add(
        indices.tobytes(), component=_WHOLE, kind="SCALAR", count=indices.size, target=_ELEMENTS
    )
    return {"attributes": attributes, "indices": at, "material": material}


def _material(surface: Surface) -> dict[str, Any]:
    look: dict[str, Any] = {
        "baseColorFactor": [*surface.colour, 1.0],
        "metallicFactor": 0.0,
        "roughnessFactor": 0.7,
    }
    if surface.image is not None:
        look["baseColorTexture"] = {"index": surface.image}
    return {"name": surface.name, "doubleSided": True, "pbrMetallicRoughness": look}
