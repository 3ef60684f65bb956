"""Skinned meshes of USD files: UsdSkel's own skinning says where vertices must be."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import retime
from retime import FormatError, Motion, positions, quat
from retime.arrays import FloatArray
from retime.io.gltf.accessors import read_accessor
from retime.io.gltf.document import Document, load
from retime.io.usd.skins import is_skinned, skin_document
from retime.motion.kinematics import global_rotations

pytest.importorskip("pxr", reason="usd-core is not installed (retime[usd])")

from pxr import Sdf, Usd, UsdGeom, UsdSkel

from usd_making import FIRST, picture, skinned_file, skinned_points


def reopened(motion: Motion, folder: Path) -> Document:
    skin_document(motion).save(folder / "mesh.glb")
    return load(folder / "mesh.glb")


def drawn(document: Document, motion: Motion, frame: int) -> FloatArray:
    """Skin the vertices as the view does: each joint's node is put where the motion has it."""
    (skin,) = document.json["skins"]
    inverse = read_accessor(document, skin["inverseBindMatrices"], "it").reshape(-1, 4, 4)
    place, turn = positions(motion)[frame], global_rotations(motion)[frame]
    out = []
    for primitive in document.json["meshes"][0]["primitives"]:
        data = {n: read_accessor(document, k, n) for n, k in primitive["attributes"].items()}
        vertices = np.zeros_like(data["POSITION"])
        for k in range(4):
            joint = data["JOINTS_0"][:, k].astype(int)
            bound = np.einsum(
                "vi,vij->vj", np.pad(data["POSITION"], ((0, 0), (0, 1)), constant_values=1),
                inverse[joint],
            )[:, :3]  # fmt: skip
            scale = np.array([document.json["nodes"][j]["scale"] for j in joint])
            moved = quat.rotate(turn[joint], bound * scale * motion.units.metres) + place[joint]
            vertices += data["WEIGHTS_0"][:, k : k + 1] * moved
        out.append(vertices)
    return np.concatenate(out)


def same_places(ours: FloatArray, theirs: FloatArray) -> float:
    """The largest distance from one of ours to the nearest of theirs, and the other way round."""
    apart = np.linalg.norm(ours[:, None] - theirs[None], axis=2)
    return float(max(apart.min(0).max(), apart.min(1).max()))


@pytest.mark.parametrize("up", ["Y", "Z"])
def test_vertices_are_where_usdskel_puts_them(tmp_path: Path, up: str) -> None:
    file = skinned_file(tmp_path / "arm.usda", up=up)
    motion = retime.read(file)
    assert is_skinned(motion)
    document = reopened(motion, tmp_path)
    assert [n["name"] for n in document.json["nodes"]][: len(motion.skeleton)] == list(
        motion.skeleton.names
    )
    for frame in (0, 12, 24):
        theirs = skinned_points(file, FIRST + frame)
        assert np.ptp(theirs, axis=0).max() > 0.5  # metres: the figure is scaled by 2
        assert same_places(drawn(document, motion, frame), theirs) < 1e-5


def test_colours_and_textures_are_those_of_the_materials(tmp_path: Path) -> None:
    (tmp_path / "cloth.png").write_bytes(picture())
    for image, package in (("", False), ("./cloth.png", False), ("./cloth.png", True)):
        file = skinned_file(tmp_path / f"arm{bool(image)}{package}.usda", image=image)
        if package:
            from pxr import UsdUtils

            assert UsdUtils.CreateNewUsdzPackage(str(file), str(tmp_path / "arm.usdz"))
            file = tmp_path / "arm.usdz"
        document = reopened(retime.read(file), tmp_path)
        looks = [m["pbrMetallicRoughness"] for m in document.json["materials"]]
        colours = sorted(tuple(np.round(look["baseColorFactor"][:3], 3)) for look in looks)
        cloth = (1.0, 1.0, 1.0) if image else (0.1, 0.2, 0.7)
        assert colours == sorted([cloth, (0.8, 0.5, 0.3), (0.9, 0.1, 0.1)])
        assert [i["mimeType"] for i in document.json.get("images", [])] == ["image/png"] * bool(
            image
        )
        textured = [p["attributes"] for p in document.json["meshes"][0]["primitives"]
                    if "TEXCOORD_0" in p["attributes"]]  # fmt: skip
        assert len(textured) == bool(image)


def test_an_image_outside_the_folder_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret.png").write_bytes(picture())
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "link.png").symlink_to(tmp_path / "secret.png")
    for image in ("../secret.png", "./link.png"):
        file = skinned_file(folder / f"{len(image)}.usda", image=image)
        assert "images" not in reopened(retime.read(file), tmp_path).json


def test_meshes_that_cannot_be_shown_are_refused_with_a_reason(tmp_path: Path) -> None:
    file = skinned_file(tmp_path / "arm.usda")
    with pytest.raises(FormatError, match=r"280 corners of faces; the studio shows up to 100"):
        skin_document(retime.read(file), most_corners=100)

    def broken(name: str, change: object) -> Motion:
        stage = Usd.Stage.Open(str(skinned_file(tmp_path / f"{name}.usda")))
        change(stage)  # type: ignore[operator]
        stage.GetRootLayer().Save()
        return retime.read(tmp_path / f"{name}.usda")

    def indices(stage: Usd.Stage) -> None:
        UsdGeom.Mesh.Get(stage, "/Figure/Box").GetFaceVertexIndicesAttr().Set([99] * 24)

    def weights(stage: Usd.Stage) -> None:
        prim = stage.GetPrimAtPath("/Figure/Tube")
        UsdSkel.BindingAPI(prim).GetJointWeightsPrimvar().Set([1.0] * 3)

    def points(stage: Usd.Stage) -> None:
        UsdGeom.Mesh.Get(stage, "/Figure/Box").GetPointsAttr().Set([(float("nan"), 0, 0)] * 8)

    def joints(stage: Usd.Stage) -> None:
        prim = stage.GetPrimAtPath("/Figure/Tube")
        UsdSkel.BindingAPI(prim).GetJointsAttr().Set(["Hips/Tail", "Hips"])

    def bind(stage: Usd.Stage) -> None:
        stage.GetPrimAtPath("/Figure/Skeleton").RemoveProperty("bindTransforms")

    for name, change, reason in (
        ("indices", indices, "the faces of /Figure/Box do not fit its 8 points"),
        ("weights", weights, "/Figure/Tube"),
        ("points", points, "the points of /Figure/Box are not finite"),
        ("joints", joints, "bound to Hips/Tail, which its skeleton does not have"),
        ("bind", bind, "has no bind transforms"),
    ):
        motion = broken(name, change)
        with pytest.raises(FormatError, match=reason):
            skin_document(motion)


def test_a_stage_without_a_skinned_mesh_has_none(tmp_path: Path) -> None:
    stage = Usd.Stage.Open(str(skinned_file(tmp_path / "arm.usda")))
    for name in ("Tube", "Box"):
        stage.RemovePrim(Sdf.Path(f"/Figure/{name}"))
    stage.GetRootLayer().Save()
    assert not is_skinned(retime.read(tmp_path / "arm.usda"))
