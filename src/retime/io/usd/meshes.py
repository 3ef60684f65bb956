"""Skinned meshes of a stage for the view, in the program that runs USD."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from pxr import Gf, Usd, UsdGeom, UsdShade, UsdSkel

from retime.arrays import FloatArray
from retime.io.usd.stages import open_stage, prims
from retime.process.library import Arrays, Refused

Integers = npt.NDArray[np.int64]

# Influences per vertex in glTF.
_INFLUENCES = 4
_MOST_IMAGES = 64 << 20
_IMAGES = {b"\x89PNG": "image/png", b"\xff\xd8\xff": "image/jpeg"}
_START = Usd.TimeCode.EarliestTime()


def is_skinned(every: Iterator[Any], skeleton: Any) -> bool:
    """Return whether a skeleton moves a mesh."""
    return skeleton is not None and any(
        p.IsA(UsdGeom.Mesh) and _skeleton_of(p) == skeleton.GetPath() for p in every
    )


def _skeleton_of(prim: Any) -> Any:
    found = UsdSkel.BindingAPI(prim).GetInheritedSkeleton()
    return found.GetPath() if found else None


def skin(request: dict[str, Any], _: Arrays) -> tuple[dict[str, Any], Arrays]:
    """Return the meshes of a skeleton: vertices in its bind pose, influences, colours, images."""
    opened = open_stage(request["path"])
    skeleton = opened.stage.GetPrimAtPath(request["skeleton"])
    tokens = [str(t) for t in UsdSkel.Skeleton(skeleton).GetJointsAttr().Get() or ()]
    bind = np.array(UsdSkel.Skeleton(skeleton).GetBindTransformsAttr().Get() or (), dtype=float)
    if bind.shape != (len(tokens), 4, 4) or not np.isfinite(bind).all():
        raise Refused(f"{request['skeleton']} has no bind transforms")
    targets = list(_targets(opened.stage, skeleton))
    if not targets:
        raise Refused("no visible mesh is bound to the skeleton")
    count = sum(len(UsdGeom.Mesh(q.GetPrim()).GetFaceVertexIndicesAttr().Get(_START) or ())
                for q in targets)  # fmt: skip
    if count > request["most_corners"]:
        raise Refused(
            f"its mesh has {count:,} corners of faces; the studio shows up to "
            f"{request['most_corners']:,}"
        )
    images = _Images(os.path.dirname(request["path"]))
    surfaces: list[dict[str, Any]] = []
    arrays: dict[str, Any] = {"bind": bind}
    for query in targets:
        for surface, made in _surfaces(query, tokens, images):
            arrays |= {f"{len(surfaces)}.{name}": array for name, array in made.items()}
            surfaces.append(surface)
    arrays |= {f"image.{k}": np.frombuffer(data, np.uint8) for k, data in enumerate(images.data)}
    return {"surfaces": surfaces, "images": images.kinds}, arrays


def _targets(stage: Any, skeleton: Any) -> Iterator[Any]:
    """Yield the skinning queries of the visible meshes that a skeleton moves."""
    cache = UsdSkel.Cache()
    predicate = Usd.TraverseInstanceProxies(Usd.PrimDefaultPredicate)
    for prim in prims(stage):
        if not prim.IsA(UsdSkel.Root):
            continue
        root = UsdSkel.Root(prim)
        cache.Populate(root, predicate)
        for binding in cache.ComputeSkelBindings(root, predicate):
            if binding.GetSkeleton().GetPath() != skeleton.GetPath():
                continue
            for query in binding.GetSkinningTargets():
                if query.HasJointInfluences() and _is_shown(query.GetPrim()):
                    yield query


def _is_shown(prim: Any) -> bool:
    if not prim.IsA(UsdGeom.Mesh):
        return False
    seen = UsdGeom.Imageable(prim)
    hidden = seen.ComputeVisibility(_START) == UsdGeom.Tokens.invisible
    purposes = (UsdGeom.Tokens.default_, UsdGeom.Tokens.render)
    return not hidden and seen.ComputePurpose() in purposes


def _surfaces(
    query: Any, tokens: list[str], images: _Images
) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Yield the parts of a mesh with one material each."""
    mesh = UsdGeom.Mesh(query.GetPrim())
    path = str(mesh.GetPath())
    points = np.array(mesh.GetPointsAttr().Get(_START) or (), dtype=float).reshape(-1, 3)
    if not np.isfinite(points).all():
        raise Refused(f"the points of {path} are not finite")
    points = _moved(points, np.array(query.GetGeomBindTransform(_START), dtype=float))
    joints, weights = _influences(query, len(points), tokens)
    face, corner, point = _triangles(mesh, len(points))
    normals = _normals(points, point)
    for material, faces in _parts(mesh, int(face.max(initial=-1)) + 1):
        chosen = faces[face]
        if not chosen.any():
            continue
        surface, reader, image = _look(material, images)
        values = _of_corners(mesh, reader if image is not None else "", chosen, face, corner, point)
        colours = None
        if surface is None:
            surface, colours = _display_colour(mesh, chosen, face, corner, point)
        vertices, indices, columns = _vertices(point[chosen], values, colours)
        made = {
            "points": points[vertices].astype("<f4"),
            "normals": normals[vertices].astype("<f4"),
            "joints": joints[vertices].astype("<u2"),
            "weights": weights[vertices].astype("<f4"),
            "indices": indices.astype("<u4"),
        } | {name: column.astype("<f4") for name, column in columns.items()}
        yield {"colour": surface, "image": image if "uv" in made else None, "name": path}, made


def _moved(points: FloatArray, matrix: FloatArray) -> FloatArray:
    out: FloatArray = points @ matrix[:3, :3] + matrix[3, :3]
    return out


def _influences(query: Any, count: int, tokens: list[str]) -> tuple[Integers, FloatArray]:
    """Return the joints and weights (P, 4) with the largest influence on each point."""
    path = query.GetPrim().GetPath()
    found = query.ComputeVaryingJointInfluences(count, _START)
    if not found or len(found[0]) != len(found[1]) or not count or len(found[0]) % count:
        raise Refused(f"the joint indices and weights of {path} do not fit its {count} points")
    joints = np.array(found[0], dtype=np.int64).reshape(count, -1)
    weights = np.array(found[1], dtype=float).reshape(count, -1)
    order = [str(t) for t in query.GetJointOrder() or tokens]
    place = {token: k for k, token in enumerate(tokens)}
    lost = [t for t in order if t not in place]
    if lost:
        raise Refused(f"{path} is bound to {lost[0]}, which its skeleton does not have")
    if not np.isfinite(weights).all() or joints.min() < 0 or joints.max() >= len(order):
        raise Refused(f"the joint indices or weights of {path} are not valid")
    joints = np.array([place[t] for t in order])[joints]
    if weights.shape[1] > _INFLUENCES:
        largest = np.argsort(-weights, axis=1, kind="stable")[:, :_INFLUENCES]
        joints = np.take_along_axis(joints, largest, axis=1)
        weights = np.take_along_axis(weights, largest, axis=1)
    blank = _INFLUENCES - weights.shape[1]
    weights = np.pad(np.maximum(weights, 0.0), ((0, 0), (0, blank)))
    joints = np.pad(joints, ((0, 0), (0, blank)))
    total = weights.sum(axis=1, keepdims=True)
    return joints, weights / np.where(total > 0, total, 1.0)


def _triangles(mesh: Any, points: int) -> tuple[Integers, Integers, Integers]:
    """Cut faces into triangles: the face (T,), the corners and the points (T, 3) of each."""
    counts = np.array(mesh.GetFaceVertexCountsAttr().Get(_START) or (), dtype=np.int64)
    indices = np.array(mesh.GetFaceVertexIndicesAttr().Get(_START) or (), dtype=np.int64)
    fits = len(counts) and counts.min() >= 0 and counts.sum() == len(indices) > 0
    if not fits or indices.min() < 0 or indices.max() >= points:
        raise Refused(f"the faces of {mesh.GetPath()} do not fit its {points} points")
    holes = np.array(mesh.GetHoleIndicesAttr().Get(_START) or (), dtype=np.int64)
    parts = np.maximum(counts - 2, 0)
    parts[holes[(holes >= 0) & (holes < len(counts))]] = 0
    face = np.repeat(np.arange(len(counts)), parts)
    within = np.arange(len(face)) - np.repeat(np.cumsum(parts) - parts, parts)
    first = (np.cumsum(counts) - counts)[face]
    corner = np.stack([first, first + within + 1, first + within + 2], axis=1)
    if mesh.GetOrientationAttr().Get() == UsdGeom.Tokens.leftHanded:
        corner = corner[:, ::-1]
    return face, corner, indices[corner]


def _normals(points: FloatArray, triangles: Integers) -> FloatArray:
    """Return smooth normals (P, 3): the mean of the faces around each point, by their area."""
    a, b, c = np.moveaxis(points[triangles], 1, 0)
    across = np.cross(b - a, c - a)
    total = np.zeros_like(points)
    for k in range(3):
        np.add.at(total, triangles[:, k], across)
    length = np.linalg.norm(total, axis=1, keepdims=True)
    out: FloatArray = np.where(length > 0, total / np.where(length > 0, length, 1.0), [0, 1, 0])
    return out


def _parts(mesh: Any, faces: int) -> Iterator[tuple[Any, Any]]:
    """Yield each material of a mesh with a mask (F,) of its faces."""
    binding = UsdShade.MaterialBindingAPI(mesh.GetPrim())
    left = np.ones(faces, dtype=bool)
    for subset in binding.GetMaterialBindSubsets():
        chosen = np.array(subset.GetIndicesAttr().Get(_START) or (), dtype=np.int64)
        own = np.zeros(faces, dtype=bool)
        own[chosen[(chosen >= 0) & (chosen < faces)]] = True
        own &= left
        left &= ~own
        yield UsdShade.MaterialBindingAPI(subset.GetPrim()).ComputeBoundMaterial()[0], own
    yield binding.ComputeBoundMaterial()[0], left


class _Images:
    """Images of materials, each read once: PNG and JPEG files in the folder of the stage."""

    def __init__(self, folder: str) -> None:
        self._root = os.path.realpath(folder)
        self._known: dict[str, int | None] = {}
        self.data: list[bytes] = []
        self.kinds: list[str] = []

    def number(self, path: str) -> int | None:
        """Return the number of an image; ``None`` if it cannot be shown."""
        place = os.path.realpath(path) if path else ""
        if place not in self._known:
            self._known[place] = self._read(place)
        return self._known[place]

    def _read(self, place: str) -> int | None:
        inside = place.startswith(self._root + os.sep) and os.path.isfile(place)
        size = sum(map(len, self.data)) + (os.path.getsize(place) if inside else 0)
        if not inside or size > _MOST_IMAGES:
            return None
        with open(place, "rb") as f:
            data = f.read()
        kind = next((k for start, k in _IMAGES.items() if data.startswith(start)), None)
        if kind is None:
            return None
        self.data.append(data)
        self.kinds.append(kind)
        return len(self.data) - 1


def _look(material: Any, images: _Images) -> tuple[list[float] | None, str, int | None]:
    """Return a material's colour, the name of its texture coordinates, and its image."""
    shader = material.ComputeSurfaceSource()[0] if material else None
    wanted = shader.GetInput("diffuseColor") if shader else None
    if not wanted:
        return None, "", None
    for attribute in UsdShade.Utils.GetValueProducingAttributes(wanted):
        maker = UsdShade.Shader(attribute.GetPrim())
        if not maker or maker.GetIdAttr().Get() != "UsdUVTexture":
            value = attribute.Get(_START)
            return (_colour(value) if value is not None else None), "", None
        file = maker.GetInput("file")
        asset = file.Get(_START) if file else None
        number = images.number(str(asset.resolvedPath)) if asset else None
        return [1.0, 1.0, 1.0] if number is not None else None, _coordinates(maker), number
    return None, "", None


def _coordinates(texture: Any) -> str:
    """Return the name of the texture coordinates that a texture reads."""
    wanted = texture.GetInput("st")
    for attribute in UsdShade.Utils.GetValueProducingAttributes(wanted) if wanted else ():
        name = UsdShade.Shader(attribute.GetPrim()).GetInput("varname")
        value = name.Get() if name else None
        if value:
            return str(value)
    return "st"


def _colour(value: Any) -> list[float] | None:
    if not isinstance(value, Gf.Vec3f | Gf.Vec3d | Gf.Vec3h):
        return None
    return [float(np.clip(v, 0.0, 1.0)) if np.isfinite(v) else 1.0 for v in value]


def _of_corners(
    mesh: Any, name: str, chosen: Any, face: Integers, corner: Integers, point: Integers
) -> FloatArray | None:
    """Return the values of a primvar at the corners (T, 3, N) of triangles, if it has them."""
    primvar = UsdGeom.PrimvarsAPI(mesh).FindPrimvarWithInheritance(name or "no")
    values = primvar.ComputeFlattened(_START) if name and primvar else None
    if values is None:
        return None
    found = np.array(values, dtype=float)
    places = {"vertex": point, "varying": point, "faceVarying": corner, "constant": 0 * corner}
    places["uniform"] = np.repeat(face[:, None], 3, axis=1)
    at = places[str(primvar.GetInterpolation())][chosen]
    if found.ndim != 2 or at.size == 0 or at.max() >= len(found) or not np.isfinite(found).all():
        return None
    out: FloatArray = found[at]
    return out


def _display_colour(
    mesh: Any, chosen: Any, face: Integers, corner: Integers, point: Integers
) -> tuple[list[float], FloatArray | None]:
    """Return the colour of a mesh without a material, or white and the colours of its corners."""
    found = _of_corners(mesh, "primvars:displayColor", chosen, face, corner, point)
    if found is None or found.shape[-1] != 3:
        return [0.8, 0.8, 0.8], None
    found = np.clip(found, 0.0, 1.0)
    if (found == found[0, 0]).all():
        return [float(v) for v in found[0, 0]], None
    return [1.0, 1.0, 1.0], found


def _vertices(
    point: Integers, uv: FloatArray | None, colours: FloatArray | None
) -> tuple[Integers, Integers, dict[str, FloatArray]]:
    """Merge corners (T, 3) with the same values: points (V,), triangles, columns of values."""
    columns = {"uv": uv, "colours": colours}
    given = {name: c.reshape(point.size, -1) for name, c in columns.items() if c is not None}
    rows = np.concatenate([point.reshape(-1, 1), *given.values()], axis=1)
    _, first, inverse = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    kept = {name: column[first] for name, column in given.items()}
    if "uv" in kept:  # the origin of USD's images is at the bottom, that of glTF's at the top
        kept["uv"] = np.stack([kept["uv"][:, 0], 1.0 - kept["uv"][:, 1]], axis=1)
    return point.reshape(-1)[first], inverse.reshape(point.shape), kept
