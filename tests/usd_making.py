"""A USD file with a skinned mesh, made with usd-core, and UsdSkel's own skinning of it."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from pxr import Gf, Sdf, Usd, UsdGeom, UsdShade, UsdSkel, Vt

from retime.arrays import FloatArray

__all__ = ["picture", "skinned_file", "skinned_points"]

JOINTS = ["Hips", "Hips/Arm", "Hips/Arm/Hand"]
FIRST, LAST, RATE = 1, 25, 24.0


def picture() -> bytes:
    """A PNG of one red point."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    head = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    rows = zlib.compress(b"\0\xff\0\0")
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def skinned_file(path: Path, *, up: str = "Y", image: str = "") -> Path:
    """Write an arm that bends: a tube of two materials, and a box that follows the hand alone.

    The figure moves, is rotated and scaled by its root, and the tube has a bind transform and an
    order of joints of its own. Vertices in the middle follow two joints.
    """
    stage = Usd.Stage.CreateNew(str(path))
    UsdGeom.SetStageMetersPerUnit(stage, 0.01)
    UsdGeom.SetStageUpAxis(stage, up)
    stage.SetTimeCodesPerSecond(RATE)
    stage.SetFramesPerSecond(RATE)
    stage.SetStartTimeCode(FIRST)
    stage.SetEndTimeCode(LAST)
    root = UsdSkel.Root.Define(stage, "/Figure")
    stage.SetDefaultPrim(root.GetPrim())
    form = UsdGeom.Xformable(root)
    place = form.AddTranslateOp()
    form.AddRotateXYZOp().Set(Gf.Vec3f(10, 30, -20))
    form.AddScaleOp().Set(Gf.Vec3f(2, 2, 2))
    skeleton = UsdSkel.Skeleton.Define(stage, "/Figure/Skeleton")
    skeleton.CreateJointsAttr(JOINTS)
    bind = [_shift(0, 50, 0), _shift(0, 70, 0), _shift(0, 90, 0)]
    skeleton.CreateBindTransformsAttr(bind)
    skeleton.CreateRestTransformsAttr([_shift(0, 50, 0), _shift(0, 20, 0), _shift(0, 20, 0)])
    animation = UsdSkel.Animation.Define(stage, "/Figure/Bend")
    animation.CreateJointsAttr(JOINTS)
    tracks = animation.CreateRotationsAttr(), animation.CreateTranslationsAttr()
    animation.CreateScalesAttr([Gf.Vec3h(1, 1, 1)] * 3)
    for code in range(FIRST, LAST + 1):
        t = (code - FIRST) / RATE
        turns = [_turn(0.3 * t, (0, 1, 0)), _turn(1.2 * t, (0, 0, 1)), _turn(-0.8 * t, (1, 0, 0))]
        tracks[0].Set(turns, code)
        tracks[1].Set([Gf.Vec3f(3 * t, 50, 0), Gf.Vec3f(0, 20, 0), Gf.Vec3f(0, 20, 0)], code)
        place.Set(Gf.Vec3d(0, 0, 40 * t), code)
    _tube(stage, image)
    _box(stage)
    binding = UsdSkel.BindingAPI.Apply(skeleton.GetPrim())
    binding.CreateAnimationSourceRel().SetTargets([animation.GetPath()])
    stage.GetRootLayer().Save()
    return path


def _shift(x: float, y: float, z: float) -> Any:
    return Gf.Matrix4d(1).SetTranslate(Gf.Vec3d(x, y, z))


def _turn(angle: float, axis: tuple[float, float, float]) -> Any:
    return Gf.Quatf(float(np.cos(angle / 2)), Gf.Vec3f(*axis) * float(np.sin(angle / 2)))


def _bound(stage: Any, prim: Any, geometry: Any) -> Any:
    binding = UsdSkel.BindingAPI.Apply(prim)
    binding.CreateSkeletonRel().SetTargets([Sdf.Path("/Figure/Skeleton")])
    binding.CreateGeomBindTransformAttr(geometry)
    return binding


def _tube(stage: Any, image: str) -> None:
    sides, rings = 8, 9
    angle = 2 * np.pi * np.arange(sides) / sides
    height = np.linspace(0, 40, rings)
    points = [(4 * np.cos(a), h, 4 * np.sin(a)) for h in height for a in angle]
    quads = [
        (r * sides + k, r * sides + (k + 1) % sides, (r + 1) * sides + (k + 1) % sides,
         (r + 1) * sides + k)
        for r in range(rings - 1) for k in range(sides)
    ]  # fmt: skip
    mesh = UsdGeom.Mesh.Define(stage, "/Figure/Tube")
    mesh.CreatePointsAttr(Vt.Vec3fArray.FromNumpy(np.array(points, dtype=np.float32)))
    mesh.CreateFaceVertexCountsAttr([4] * len(quads))
    mesh.CreateFaceVertexIndicesAttr(np.array(quads).ravel().tolist())
    binding = _bound(stage, mesh.GetPrim(), _shift(0, 50, 0))
    # Its own order of joints, and a blend between hips and arm.
    binding.CreateJointsAttr(["Hips/Arm", "Hips"])
    arm = np.repeat(np.clip((height - 10) / 20, 0, 1), sides)
    binding.CreateJointIndicesPrimvar(False, 2).Set([0, 1] * len(points))
    binding.CreateJointWeightsPrimvar(False, 2).Set(np.stack([arm, 1 - arm], 1).ravel().tolist())
    half = len(quads) // 2
    for name, colour, faces in (
        ("Skin", (0.8, 0.5, 0.3), range(half)),
        ("Cloth", (0.1, 0.2, 0.7), range(half, len(quads))),
    ):
        material = UsdShade.Material.Define(stage, f"/Figure/{name}")
        shader = UsdShade.Shader.Define(stage, f"/Figure/{name}/Surface")
        shader.CreateIdAttr("UsdPreviewSurface")
        wanted = shader.CreateInput("diffuseColor", Sdf.ValueTypeNames.Color3f)
        wanted.Set(Gf.Vec3f(*colour))
        material.CreateSurfaceOutput().ConnectToSource(shader.ConnectableAPI(), "surface")
        subset = UsdShade.MaterialBindingAPI.Apply(mesh.GetPrim()).CreateMaterialBindSubset(
            name, Vt.IntArray(list(faces))
        )
        UsdShade.MaterialBindingAPI.Apply(subset.GetPrim()).Bind(material)
        if image and name == "Cloth":
            texture = UsdShade.Shader.Define(stage, f"/Figure/{name}/Picture")
            texture.CreateIdAttr("UsdUVTexture")
            texture.CreateInput("file", Sdf.ValueTypeNames.Asset).Set(image)
            wanted.ConnectToSource(texture.ConnectableAPI(), "rgb")
    corners = np.array([(0, 0), (1, 0), (1, 1), (0, 1)] * len(quads), dtype=np.float32)
    UsdGeom.PrimvarsAPI(mesh).CreatePrimvar(
        "st", Sdf.ValueTypeNames.TexCoord2fArray, UsdGeom.Tokens.faceVarying
    ).Set(Vt.Vec2fArray.FromNumpy(corners))


def _box(stage: Any) -> None:
    mesh = UsdGeom.Mesh.Define(stage, "/Figure/Box")
    ends = (-3.0, 3.0)
    mesh.CreatePointsAttr([(x, 90 + y, z) for x in ends for y in ends for z in ends])
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    mesh.CreateFaceVertexCountsAttr([4] * 6)
    mesh.CreateFaceVertexIndicesAttr(np.array(faces).ravel().tolist())
    mesh.CreateDisplayColorPrimvar().Set([(0.9, 0.1, 0.1)])
    binding = _bound(stage, mesh.GetPrim(), Gf.Matrix4d(1))
    binding.CreateJointIndicesPrimvar(True, 1).Set([2])
    binding.CreateJointWeightsPrimvar(True, 1).Set([1.0])


def skinned_points(path: Path, code: float) -> FloatArray:
    """UsdSkel's skinned points (N, 3) of all meshes at a time code, in metres with Y up."""
    stage = Usd.Stage.Open(str(path))
    root = UsdSkel.Root(stage.GetDefaultPrim())
    cache = UsdSkel.Cache()
    cache.Populate(root, Usd.PrimDefaultPredicate)
    world = UsdGeom.XformCache(code).GetLocalToWorldTransform(
        stage.GetPrimAtPath("/Figure/Skeleton")
    )
    found = []
    for binding in cache.ComputeSkelBindings(root, Usd.PrimDefaultPredicate):
        query = cache.GetSkelQuery(binding.GetSkeleton())
        for target in binding.GetSkinningTargets():
            points = Vt.Vec3fArray(UsdGeom.Mesh(target.GetPrim()).GetPointsAttr().Get())
            moves = query.ComputeSkinningTransforms(code)
            assert target.ComputeSkinnedPoints(moves, points, code)
            found += [world.Transform(Gf.Vec3d(p)) for p in points]
    made = np.array(found) * UsdGeom.GetStageMetersPerUnit(stage)
    if UsdGeom.GetStageUpAxis(stage) == "Z":
        made = np.stack([made[:, 0], made[:, 2], -made[:, 1]], axis=1)
    return np.asarray(made)
