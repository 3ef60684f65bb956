"""USD: the same stage with new time samples. usd-core makes the files, and judges them."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import retime
from mutating import mutants
from retime import (
    FormatError,
    InputError,
    Motion,
    Recipe,
    Step,
    TimeWarp,
    apply,
    positions,
    quat,
    samples,
)
from retime.arrays import FloatArray
from retime.errors import MissingDependencyError, RetimeError
from retime.io.usd import contents, read_motions, reader, write_motions
from retime.io.usd.timing import frames_of, key_mover, moved
from retime.timing.graph import Graph

pytest.importorskip("pxr", reason="usd-core is not installed (retime[usd])")

from pxr import Gf, Sdf, Ts, Usd, UsdGeom, UsdMedia, UsdSkel, UsdUtils, Vt

CODES, FIRST, LAST = 24.0, 1, 49
TOKENS = ["Hips", "Hips/Spine", "Hips/Spine/Head", "Hips/Leg"]
# An animation moves some of a skeleton's joints, in an order of its own.
ANIMATED = ["Hips/Leg", "Hips", "Hips/Spine"]


def turn(angle: float, axis: tuple[float, float, float] = (0, 0, 1)) -> Any:
    half = angle / 2
    return Gf.Quatf(float(np.cos(half)), Gf.Vec3f(*axis) * float(np.sin(half)))


def shift(x: float, y: float, z: float) -> Any:
    return Gf.Matrix4d(1).SetTranslate(Gf.Vec3d(x, y, z))


def new_stage(path: Path | None = None, *, metres: float = 0.01, up: str = "Y") -> Any:
    stage = Usd.Stage.CreateInMemory() if path is None else Usd.Stage.CreateNew(str(path))
    UsdGeom.SetStageMetersPerUnit(stage, metres)
    UsdGeom.SetStageUpAxis(stage, up)
    stage.SetTimeCodesPerSecond(CODES)
    stage.SetFramesPerSecond(CODES)
    stage.SetStartTimeCode(FIRST)
    stage.SetEndTimeCode(LAST)
    return stage


def add_person(stage: Any, root: str = "/Actor", codes: Any = None, name: str = "Walk") -> Any:
    """A skinned figure under a moving, scaled prim, with a mesh, a blend shape and a material."""
    body = UsdSkel.Root.Define(stage, root)
    form = UsdGeom.Xformable(body)
    move = form.AddTranslateOp()
    form.AddRotateXYZOp().Set(Gf.Vec3f(0, 30, 0))
    form.AddScaleOp().Set(Gf.Vec3f(2, 2, 2))
    skeleton = UsdSkel.Skeleton.Define(stage, f"{root}/Skeleton")
    skeleton.CreateJointsAttr(TOKENS)
    rest = [shift(0, 50, 0), shift(0, 20, 0), shift(0, 25, 0), shift(5, -10, 0)]
    skeleton.CreateRestTransformsAttr(rest)
    bind = [rest[0], rest[1] * rest[0], rest[2] * rest[1] * rest[0], rest[3] * rest[0]]
    skeleton.CreateBindTransformsAttr(bind)
    animation = UsdSkel.Animation.Define(stage, f"{root}/{name}")
    animation.CreateJointsAttr(ANIMATED)
    animation.CreateBlendShapesAttr(["smile"])
    tracks = [
        animation.CreateRotationsAttr(),
        animation.CreateTranslationsAttr(),
        animation.CreateScalesAttr(),
        animation.CreateBlendShapeWeightsAttr(),
    ]
    for code in range(FIRST, LAST + 1) if codes is None else codes:
        t = (code - FIRST) / CODES
        move.Set(Gf.Vec3d(0, 0, 40 * t), code)
        turns = [turn(np.sin(4 * t)), turn(0.3 * t, (0, 1, 0)), turn(0.2 * np.cos(3 * t))]
        places = [
            Gf.Vec3f(5, -10, 0),
            Gf.Vec3f(0, 50 + 3 * float(np.sin(8 * t)), 0),
            Gf.Vec3f(0, 20, 0),
        ]
        for attribute, value in zip(
            tracks, (turns, places, [Gf.Vec3h(1, 1, 1)] * 3, [float(np.sin(t))]), strict=True
        ):
            attribute.Set(value, code)
    UsdSkel.BindingAPI.Apply(skeleton.GetPrim()).CreateAnimationSourceRel().SetTargets(
        [animation.GetPath()]
    )
    mesh = UsdGeom.Mesh.Define(stage, f"{root}/Skin")
    mesh.CreatePointsAttr([(0, 0, 0), (1, 0, 0), (0, 1, 0)])
    mesh.CreateFaceVertexCountsAttr([3])
    mesh.CreateFaceVertexIndicesAttr([0, 1, 2])
    mesh.GetPrim().CreateAttribute("texture", Sdf.ValueTypeNames.Asset).Set("./skin.png")
    return body


def add_camera(stage: Any) -> Any:
    camera = UsdGeom.Camera.Define(stage, "/Camera")
    focal, seen = camera.CreateFocalLengthAttr(), camera.CreateVisibilityAttr()
    for code, length in ((FIRST, 35.0), (25, 50.0), (LAST, 45.0)):
        focal.Set(length, code)
    for code, word in ((FIRST, "inherited"), (13, "invisible"), (37, "inherited")):
        seen.Set(word, code)
    return camera


@pytest.fixture
def scene(tmp_path: Path) -> Path:
    path = tmp_path / "scene.usda"
    stage = new_stage(path)
    stage.SetDefaultPrim(add_person(stage).GetPrim())
    add_camera(stage)
    stage.GetRootLayer().Save()
    (tmp_path / "skin.png").write_bytes(b"no picture")
    return path


def bent(motion: Motion, length: float) -> TimeWarp:
    """A warp that speeds up and slows down."""
    start, end = motion.domain
    x = np.linspace(0, 1, 100)
    y = x + 0.1 * np.sin(2 * np.pi * x)
    return TimeWarp(start + length * x, start + (end - start) * y)


# ---- the judge: USD's own queries

_open: list[Any] = []


@pytest.fixture(autouse=True)
def close_stages() -> Iterator[None]:
    yield
    _open.clear()


def opened(path: Path) -> Any:
    """A stage as the file is now; what is taken from it lives as long as the test."""
    stage = Usd.Stage.Open(str(path))
    stage.Reload()
    _open.append(stage)
    return stage


def skeletal(path: Path, codes: Any, root: str = "/Actor") -> FloatArray:
    """World transforms (N, J, 4, 4) of a skeleton's joints, by UsdSkel."""
    stage = opened(path)
    skeleton = UsdSkel.Skeleton(stage.GetPrimAtPath(f"{root}/Skeleton"))
    query = UsdSkel.Cache().GetSkelQuery(skeleton)
    out = []
    for code in np.atleast_1d(codes):
        above = UsdGeom.XformCache(Usd.TimeCode(float(code))).GetLocalToWorldTransform(
            skeleton.GetPrim()
        )
        own = query.ComputeJointSkelTransforms(Usd.TimeCode(float(code)))
        out.append(np.array(own) @ np.array(above))
    return np.array(out)


def world(path: Path, prim: str, codes: Any) -> FloatArray:
    stage = opened(path)
    return np.array(
        [
            UsdGeom.XformCache(Usd.TimeCode(float(c))).GetLocalToWorldTransform(
                stage.GetPrimAtPath(prim)
            )
            for c in np.atleast_1d(codes)
        ]
    )


def value(path: Path, attribute: str, code: float) -> Any:
    return opened(path).GetAttributeAtPath(attribute).Get(code)


def between(a: Any, b: Any) -> float:
    """The angle between two rotations."""
    one, other = (np.array([q.GetReal(), *q.GetImaginary()]) for q in (a, b))
    return float(quat.angle(quat.normalize(one), quat.normalize(other)))


def without_samples(path: Path) -> str:
    """The layer's text without time samples and the codes that are played."""
    layer = Sdf.Layer.OpenAsAnonymous(str(path))
    found: list[Any] = []
    layer.Traverse(Sdf.Path.absoluteRootPath, found.append)
    for place in found:
        spec = layer.GetAttributeAtPath(place) if place.IsPropertyPath() else None
        if spec is not None and spec.HasInfo("timeSamples"):
            spec.ClearInfo("timeSamples")
    layer.ClearStartTimeCode()
    layer.ClearEndTimeCode()
    return str(layer.ExportToString())


def check(source: Path, out: Path, warp: TimeWarp, root: str = "/Actor") -> float:
    """How far joints are off at warped times, in metres: at whole and at odd codes."""
    a, b = (t * CODES for t in warp.domain)
    codes = np.r_[np.linspace(a, b, 97), np.arange(np.ceil(a), np.floor(b) + 1)]
    shown = warp(codes / CODES) * CODES
    off = skeletal(out, codes, root)[..., 3, :3] - skeletal(source, shown, root)[..., 3, :3]
    return 0.01 * float(np.abs(off).max())


# ---- reading


def test_a_skeleton_is_read_with_what_it_hangs_on(scene: Path) -> None:
    motion = retime.read(scene)
    assert motion.skeleton.names == ("Actor", "Hips", "Spine", "Head", "Leg")
    assert motion.skeleton.file_names[2] == "Hips/Spine"
    assert motion.skeleton.parents.tolist() == [-1, 0, 1, 2, 1]
    assert (motion.fps, len(motion)) == (24.0, 49)
    assert motion.start == pytest.approx(1 / 24)
    assert (motion.units.metres, motion.units.up, motion.units.how) == (0.01, "Y", "declared")
    judged = skeletal(scene, motion.times * CODES)[..., 3, :3] * 0.01
    assert np.abs(positions(motion)[:, 1:] - judged).max() < 1e-6
    assert set(motion.translations) == {"Actor", "Hips"}
    assert not motion.scales
    assert "the file keeps" not in " ".join(motion.notes)
    entries = contents(scene)
    assert [e["name"] for e in entries] == ["/Actor/Walk"]
    assert entries[0]["duration_s"] == pytest.approx(2.0)


def test_units_and_rates(tmp_path: Path) -> None:
    path = tmp_path / "z.usdc"
    stage = new_stage(path, metres=1.0, up="Z")
    stage.SetTimeCodesPerSecond(48)  # two codes a frame
    stage.SetEndTimeCode(97)
    add_person(stage, codes=range(1, 98, 2))
    stage.GetRootLayer().Save()
    motion = retime.read(path)
    assert (motion.units.metres, motion.units.up) == (1.0, "Z")
    assert (motion.fps, len(motion), motion.duration) == (24.0, 49, 2.0)
    assert motion.start == pytest.approx(1 / 48)
    judged = skeletal(path, motion.times * 48)[..., 3, :3]
    x, y, z = np.moveaxis(positions(motion)[:, 1:], -1, 0)
    assert np.abs(np.stack([x, -z, y], axis=-1) - judged).max() < 1e-5
    plain = new_stage(tmp_path / "plain.usda")
    for name in ("metersPerUnit", "framesPerSecond"):
        plain.ClearMetadata(name)
    add_person(plain, codes=np.arange(FIRST, LAST + 0.01, 0.2))  # mocap, 120 a second
    plain.GetRootLayer().Save()
    fine = retime.read(tmp_path / "plain.usda")
    assert fine.fps == 120.0
    assert len(fine) == 241
    assert fine.units.how == "assumed"
    assert any("metersPerUnit is missing" in n for n in fine.notes)
    assert retime.read(tmp_path / "plain.usda", fps=60).fps == 60.0


def test_odd_samples_are_read_at_frames() -> None:
    samples_at = np.array([1.0, 3.3, 4.1, 11.7, 20.5])
    times, rate, even, exact = frames_of(samples_at, (1.0, 20.5), 24.0, None)
    assert (rate, even, exact) == (24.0, False, False)
    assert times[:3].tolist() == [1, 2, 3]
    assert times[-2:].tolist() == [20, 20.5]
    on_frames = frames_of(np.array([1.0, 5.0, 13.0]), (1.0, 13.0), 24.0, 24.0)
    assert (len(on_frames[0]), *on_frames[1:]) == (13, 24.0, True, True)


def test_a_retimed_stage_keeps_its_frame_rate(scene: Path, tmp_path: Path) -> None:
    motion = retime.read(scene)
    start, end = motion.domain
    out = tmp_path / "quick.usda"
    retime.write(apply(motion, TimeWarp([start, start + 0.8 * (end - start)], [start, end])), out)
    assert retime.read(out).rate == pytest.approx(motion.rate)
    # A multiple of what is told, or far more, is the samples' own.
    for spacing, rate in ((0.5, 48.0), (0.15, 160.0), (0.8, 24.0)):
        found = frames_of(np.arange(0, 24.01, spacing), (0.0, 24.0), 24.0, 24.0)
        assert found[1] == pytest.approx(rate)


def test_joints_of_any_order_become_bvh(tmp_path: Path) -> None:
    stage = new_stage(tmp_path / "a.usda")
    tokens = ["Hips", "Hips/Spine", "Hips/Leg", "Hips/Spine/Head", "Hips/Leg/Foot"]
    skeleton = UsdSkel.Skeleton.Define(stage, "/Skeleton")
    skeleton.CreateJointsAttr(tokens)
    rest = [shift(0, 10 * (k + 1), k) for k in range(5)]
    skeleton.CreateRestTransformsAttr(rest)
    skeleton.CreateBindTransformsAttr(rest)
    animation = UsdSkel.Animation.Define(stage, "/Skeleton/Move")
    animation.CreateJointsAttr(tokens)
    animation.CreateScalesAttr([Gf.Vec3h(1, 1, 1)] * 5)
    animation.CreateTranslationsAttr([Gf.Vec3f(0, 10 * (k + 1), k) for k in range(5)])
    turns = animation.CreateRotationsAttr()
    for code in range(FIRST, LAST + 1):
        turns.Set([turn(0.01 * code * k) for k in range(5)], code)
    UsdSkel.BindingAPI.Apply(skeleton.GetPrim()).CreateAnimationSourceRel().SetTargets(
        [animation.GetPath()]
    )
    stage.GetRootLayer().Save()
    motion = retime.read(tmp_path / "a.usda")
    retime.write(motion, tmp_path / "a.bvh")
    again = retime.read(tmp_path / "a.bvh", scale=0.01, up="Y")
    assert set(again.skeleton.names) == set(motion.skeleton.names)
    assert not any("/" in name for name in again.skeleton.file_names)
    order = [again.skeleton.index(n) for n in motion.skeleton.names]
    assert np.abs(positions(again)[:, order] - positions(motion)).max() < 1e-6


# ---- in place


@pytest.mark.parametrize("suffix", ["usda", "usdc", "usd"])
def test_a_stage_is_the_same_but_for_its_timing(scene: Path, tmp_path: Path, suffix: str) -> None:
    motion = retime.read(scene)
    warp = bent(motion, 3.0)
    out = tmp_path / f"out.{suffix}"
    retime.write(apply(motion, warp, exact=True), out)
    assert without_samples(out) == without_samples(scene)
    assert check(scene, out, warp) < 1e-4
    stage = opened(out)
    assert stage.GetTimeCodesPerSecond() == CODES
    assert (stage.GetStartTimeCode(), stage.GetEndTimeCode()) == pytest.approx((1, 73))
    rotations = stage.GetAttributeAtPath("/Actor/Walk.rotations").GetTimeSamples()
    assert rotations[0] == 1
    assert rotations[-1] == pytest.approx(73)
    # Cameras, blend shapes and visibility go along.
    for code in np.linspace(1, 73, 50):
        then = float(warp(code / CODES)) * CODES
        for name in ("/Camera.focalLength", "/Actor/Walk.blendShapeWeights"):
            now, before = (np.array(value(f, name, c)) for f, c in ((out, code), (scene, then)))
            assert np.abs(now - before).max() < 1e-4 * max(1.0, float(np.abs(before).max()))
        assert value(out, "/Camera.visibility", code) == value(scene, "/Camera.visibility", then)
    again = retime.read(out)
    assert again.duration == pytest.approx(3.0)


def test_a_stretch_moves_samples_and_adds_none(scene: Path, tmp_path: Path) -> None:
    motion = retime.read(scene)
    start, end = motion.domain
    out = tmp_path / "slow.usda"
    retime.write(apply(motion, TimeWarp([start, start + 4], [start, end])), out)
    for name in ("/Actor/Walk.rotations", "/Camera.focalLength", "/Actor.xformOp:translate"):
        old, new = (opened(p).GetAttributeAtPath(name) for p in (scene, out))
        assert new.GetTimeSamples() == [1 + 2 * (t - 1) for t in old.GetTimeSamples()]
        assert all(old.Get(t) == new.Get(1 + 2 * (t - 1)) for t in old.GetTimeSamples())


def test_an_identity_changes_nothing(scene: Path, tmp_path: Path) -> None:
    motion = retime.read(scene)
    retime.write(motion, tmp_path / "same.usda")
    assert (tmp_path / "same.usda").read_bytes() == scene.read_bytes()
    retime.write(apply(motion, TimeWarp.identity(*motion.domain)), tmp_path / "still.usda")
    assert (tmp_path / "still.usda").read_bytes() == scene.read_bytes()
    retime.write(motion, tmp_path / "binary.usdc")
    assert check(scene, tmp_path / "binary.usdc", TimeWarp.identity(*motion.domain)) < 1e-9


def test_reversals_holds_and_cuts(scene: Path, tmp_path: Path) -> None:
    motion = retime.read(scene)
    start, end = motion.domain
    middle = (start + end) / 2
    out = tmp_path / "o.usda"
    back = TimeWarp([start, end], [end, start])
    held = TimeWarp([start, middle, middle + 1, end + 1], [start, middle, middle, end])
    part = TimeWarp([start, start + 1], [start + 0.5, start + 1.5])
    for warp in (back, held, part):
        retime.write(apply(motion, warp), out)
        assert check(scene, out, warp) < 1e-4
        played = opened(out)
        wanted = [t * CODES for t in warp.domain]
        assert [played.GetStartTimeCode(), played.GetEndTimeCode()] == pytest.approx(wanted)
        for code in np.linspace(wanted[0], wanted[1], 41)[1:-1] + 0.013:
            then = float(warp(code / CODES)) * CODES
            seen = value(scene, "/Camera.visibility", then)
            assert value(out, "/Camera.visibility", code) == seen
    cut = TimeWarp(
        [start, start + 0.5, start + 0.5, start + 1], [start, start + 0.5, end - 0.5, end]
    )
    retime.write(apply(motion, cut), out)
    codes = CODES * (start + np.array([0.0, 0.3, 0.499, 0.5, 0.51, 0.8, 1.0]))
    shown = cut(codes / CODES) * CODES
    off = skeletal(out, codes)[..., 3, :3] - skeletal(scene, shown)[..., 3, :3]
    assert np.abs(off).max() * 0.01 < 1e-4


def test_each_joint_by_its_own_warp(scene: Path, tmp_path: Path) -> None:
    motion = retime.read(scene)
    start, end = motion.domain
    late = TimeWarp(
        [start, end],
        [start, end],
        channels={
            "Spine": ([start, start + 1.2, end], [start, start + 0.8, end]),
            "Actor:translation": ([start, start + 0.6, end], [start, start + 1.0, end]),
        },
    )
    out = tmp_path / "late.usda"
    made = apply(motion, late)
    retime.write(made, out)
    assert without_samples(out) == without_samples(scene)
    whole = np.arange(FIRST, LAST + 1)
    judged = skeletal(out, whole)[..., 3, :3] * 0.01
    assert np.abs(judged - positions(made)[:, 1:]).max() < 1e-4
    # The spine alone, by USD's own numbers.
    own = CODES * late(whole / CODES, "Spine")
    for code, then in zip(whole, own, strict=True):
        now = value(out, "/Actor/Walk.rotations", float(code))
        before = value(scene, "/Actor/Walk.rotations", float(then))
        assert between(now[2], before[2]) < 1e-4
        assert between(now[0], value(scene, "/Actor/Walk.rotations", float(code))[0]) < 1e-4
    # Cameras follow the first root's translation.
    then = float(late(20 / CODES, "Actor:translation")) * CODES
    focal = value(scene, "/Camera.focalLength", then)
    assert value(out, "/Camera.focalLength", 20) == pytest.approx(focal, abs=1e-4)


def test_edited_values_are_baked_and_others_are_not(scene: Path, tmp_path: Path) -> None:
    motion = retime.read(scene)
    rotations = motion.rotations.copy()
    head, actor = motion.skeleton.index("Head"), motion.skeleton.index("Actor")
    rotations[:, head] = quat.multiply(
        quat.from_axis_angle([1, 0, 0], np.linspace(0, 1, 49)), rotations[:, head]
    )
    out = tmp_path / "edited.usda"
    nod = replace(motion, rotations=rotations)
    retime.write(nod, out)
    judged = skeletal(out, np.arange(FIRST, LAST + 1))
    assert np.abs(judged[..., 3, :3] * 0.01 - positions(nod)[:, 1:]).max() < 1e-5
    assert np.abs(judged - skeletal(scene, np.arange(FIRST, LAST + 1)))[:, 2, :3, :3].max() > 0.1
    stage = opened(out)
    animation = UsdSkel.Animation(stage.GetPrimAtPath("/Actor/Walk"))
    assert list(animation.GetJointsAttr().Get()) == [*ANIMATED, "Hips/Spine/Head"]
    form = UsdGeom.Xformable(stage.GetPrimAtPath("/Actor"))
    assert [op.GetOpType().displayName for op in form.GetOrderedXformOps()] == [
        "translate", "rotateXYZ", "scale",
    ]  # fmt: skip
    rotations = motion.rotations.copy()
    rotations[:, actor] = quat.from_axis_angle([0, 1, 0], np.linspace(0, 2, 49))
    turned = replace(motion, rotations=rotations)
    retime.write(turned, out)
    assert (
        np.abs(
            skeletal(out, np.arange(FIRST, LAST + 1))[..., 3, :3] * 0.01 - positions(turned)[:, 1:]
        ).max()
        < 1e-5
    )
    form = UsdGeom.Xformable(opened(out).GetPrimAtPath("/Actor"))
    assert [op.GetOpName() for op in form.GetOrderedXformOps()] == ["xformOp:transform"]


def test_a_cycle_goes_round(tmp_path: Path) -> None:
    path = tmp_path / "cycle.usda"
    stage = new_stage(path)
    prim = UsdGeom.Xform.Define(stage, "/Wheel")
    op = prim.AddRotateXYZOp()
    prim.AddTranslateOp().Set(Gf.Vec3d(0, 10, 0))
    for code in range(FIRST, LAST + 1):
        t = 2 * np.pi * (code - FIRST) / (LAST - FIRST)
        op.Set(Gf.Vec3f(20 * float(np.sin(t)), 0, 10 * float(np.cos(t))), code)
    light = stage.DefinePrim("/Light").CreateAttribute("glow", Sdf.ValueTypeNames.Float)
    for code in (FIRST, 25, LAST):
        light.Set(float(code), code)
    stage.GetRootLayer().Save()
    motion = retime.read(path)
    start, end = motion.domain
    warp = TimeWarp([start, start + 2], [start + 1, end + 1], loop=True)
    out = tmp_path / "round.usda"
    retime.write(apply(motion, warp), out)
    codes = np.arange(FIRST, LAST)
    then = FIRST + np.mod(codes + 24 - FIRST, LAST - FIRST)
    assert np.abs(world(out, "/Wheel", codes) - world(path, "/Wheel", then)).max() < 1e-4
    assert value(out, "/Light.glow", 30) == pytest.approx(value(path, "/Light.glow", 6), abs=1e-4)


# ---- composition


def test_layer_offsets_and_references(tmp_path: Path) -> None:
    """Samples of a layer that is shifted and scaled, and of one that is referenced."""
    (tmp_path / "parts").mkdir()
    low = new_stage(tmp_path / "parts" / "low.usdc")
    add_person(low)
    low.GetRootLayer().Save()
    prop = Usd.Stage.CreateNew(str(tmp_path / "parts" / "prop.usda"))
    move = UsdGeom.Xform.Define(prop, "/Ball").AddTranslateOp()
    for code in (0, 10):
        move.Set(Gf.Vec3d(code, 0, 0), code)
    prop.GetRootLayer().Save()
    shot = new_stage(tmp_path / "shot.usda")
    shot.SetStartTimeCode(101)
    shot.SetEndTimeCode(197)
    layer = shot.GetRootLayer()
    layer.subLayerPaths.append("./parts/low.usdc")
    layer.subLayerOffsets[0] = Sdf.LayerOffset(99, 2)  # code 1 stands at 101, 49 at 197
    ball = shot.DefinePrim("/Ball")
    ball.GetReferences().AddReference(
        "./parts/prop.usda", "/Ball", layerOffset=Sdf.LayerOffset(110)
    )
    layer.Save()
    motion = retime.read(tmp_path / "shot.usda")
    assert motion.start == pytest.approx(101 / CODES)
    assert motion.duration == pytest.approx(4.0)
    assert any("low.usdc" in n and "prop.usda" in n for n in motion.notes)
    start, end = motion.domain
    warp = TimeWarp([start, start + 2], [start, end])
    (tmp_path / "elsewhere").mkdir()
    for out in (tmp_path / "out.usda", tmp_path / "elsewhere" / "out.usdc"):
        retime.write(apply(motion, warp), out)
        assert check(tmp_path / "shot.usda", out, warp) < 1e-4
        stage = opened(out)
        assert (stage.GetStartTimeCode(), stage.GetEndTimeCode()) == (101, 149)
        place = stage.GetAttributeAtPath("/Ball.xformOp:translate")
        assert place.GetTimeSamples() == pytest.approx([105.5, 110.5])
        assert stage.GetPrimAtPath("/Actor/Skin")
    moved_layer = Sdf.Layer.FindOrOpen(str(out))
    assert "../parts/low.usdc" in moved_layer.subLayerPaths[0]
    assert moved_layer.subLayerOffsets[0] == Sdf.LayerOffset(99, 2)
    with pytest.raises(InputError, match="one of the layers that were read"):
        retime.write(motion, tmp_path / "parts" / "low.usdc")
    over = tmp_path / "elsewhere" / "shot.over.usda"
    retime.write(apply(motion, warp), over)
    assert check(tmp_path / "shot.usda", over, warp) < 1e-4
    thin = Sdf.Layer.FindOrOpen(str(over))
    assert list(thin.subLayerPaths) == ["../shot.usda"]
    stage = opened(over)
    assert (stage.GetStartTimeCode(), stage.GetEndTimeCode()) == (101, 149)
    assert (stage.GetTimeCodesPerSecond(), UsdGeom.GetStageMetersPerUnit(stage)) == (24, 0.01)
    assert stage.GetAttributeAtPath("/Actor/Skin.points").Get() is not None
    assert not thin.GetPrimAtPath("/Actor/Skin")
    bare = without_samples(over)
    assert "points" not in bare
    assert "def " not in bare
    with pytest.raises(InputError, match="cannot be a layer over itself"):
        retime.write(retime.read(over), over)


def test_value_clips_payloads_and_variants(tmp_path: Path) -> None:
    """Wherever samples come from, those of the first layer win."""
    clip = Usd.Stage.CreateNew(str(tmp_path / "clip.usda"))
    move = UsdGeom.Xform.Define(clip, "/Ball").AddTranslateOp()
    for code in range(FIRST, LAST + 1, 4):
        move.Set(Gf.Vec3d(code * code / 100, 0, 0), code)
    clip.GetRootLayer().Save()
    shot = new_stage(tmp_path / "shot.usda")
    ball = UsdGeom.Xform.Define(shot, "/Ball")
    ball.AddTranslateOp()
    clips = Usd.ClipsAPI(ball.GetPrim())
    clips.SetClipAssetPaths([Sdf.AssetPath("./clip.usda")])
    clips.SetClipPrimPath("/Ball")
    clips.SetClipActive([(0, 0)])
    clips.SetClipTimes([(0, 0), (100, 100)])
    clips.SetClipManifestAssetPath(Sdf.AssetPath("./clip.usda"))
    other = shot.DefinePrim("/Other", "Xform")
    other.GetPayloads().AddPayload("./clip.usda", "/Ball")
    sized = shot.DefinePrim("/Sized", "Xform")
    kinds = sized.GetVariantSets().AddVariantSet("kind")
    kinds.AddVariant("big")
    kinds.SetVariantSelection("big")
    with kinds.GetVariantEditContext():
        grow = UsdGeom.Xform(sized).AddScaleOp()
        for code in (FIRST, LAST):
            grow.Set(Gf.Vec3f(1 + code / 10), code)
    shot.GetRootLayer().Save()
    motion = retime.read(tmp_path / "shot.usda")
    assert set(motion.skeleton.names) == {"Ball", "Other", "Sized"}
    assert any("variants (/Sized)" in note for note in motion.notes)
    warp = bent(motion, 3.0)
    (tmp_path / "deep").mkdir()
    for out in (tmp_path / "deep" / "o.usda", tmp_path / "deep" / "o.over.usdc"):
        retime.write(apply(motion, warp, exact=True), out)
        codes = np.linspace(FIRST, FIRST + 72, 60)
        for prim in ("/Ball", "/Other", "/Sized"):
            wanted = world(tmp_path / "shot.usda", prim, warp(codes / CODES) * CODES)
            assert np.ptp(wanted, axis=0).max() > 1
            assert np.abs(world(out, prim, codes) - wanted).max() < 1e-4


def test_what_lies_in_an_instance_is_freed(tmp_path: Path) -> None:
    asset = new_stage(tmp_path / "asset.usda")
    UsdGeom.Xform.Define(asset, "/A")
    add_person(asset, "/A/Actor")
    asset.GetRootLayer().Save()
    shot = new_stage(tmp_path / "shot.usda")
    for name in ("/One", "/Two"):
        prim = shot.DefinePrim(name)
        prim.GetReferences().AddReference("./asset.usda", "/A")
        prim.SetInstanceable(True)
    shot.GetRootLayer().Save()
    motion = retime.read(tmp_path / "shot.usda")
    assert any("the others: /Two/Actor/Walk" in n for n in motion.notes)
    warp = bent(motion, 1.0)
    out = tmp_path / "out.usda"
    retime.write(apply(motion, warp, exact=True), out)
    assert check(tmp_path / "shot.usda", out, warp, "/One/Actor") < 1e-4
    stage = opened(out)
    assert not stage.GetPrimAtPath("/One").IsInstance()
    assert stage.GetPrimAtPath("/Two").IsInstance()
    same = TimeWarp.identity(*motion.domain)
    assert check(tmp_path / "shot.usda", out, same, "/Two/Actor") < 1e-9


def test_what_is_not_played_moves_along(scene: Path, tmp_path: Path) -> None:
    """Samples before the start and behind the end stay where they are to those within."""
    stage = opened(scene)
    stage.SetStartTimeCode(11)
    stage.SetEndTimeCode(35)
    stage.GetRootLayer().Save()
    motion = retime.read(scene)
    assert motion.domain == pytest.approx((11 / 24, 35 / 24))
    assert any("11 to 35 are played" in n for n in motion.notes)
    start, end = motion.domain
    out = tmp_path / "o.usda"
    retime.write(apply(motion, TimeWarp([start, start + 2], [start, end])), out)
    made = opened(out)
    assert (made.GetStartTimeCode(), made.GetEndTimeCode()) == (11, 59)
    for name in ("/Actor/Walk.rotations", "/Actor.xformOp:translate"):
        codes = made.GetAttributeAtPath(name).GetTimeSamples()
        assert len(codes) == 49
        assert codes[:11] == list(range(1, 12))
        assert codes[-15:] == list(range(59, 74))
    assert made.GetAttributeAtPath("/Camera.focalLength").GetTimeSamples() == [1, 11, 39, 59, 73]


# ---- plain transforms


@pytest.fixture
def props(tmp_path: Path) -> Path:
    path = tmp_path / "props.usda"
    stage = new_stage(path, metres=1.0)
    table = UsdGeom.Xform.Define(stage, "/World/Table")
    table.AddRotateYOp().Set(40.0)
    euler = UsdGeom.Xform.Define(stage, "/World/Table/Euler")
    move, spin, size = euler.AddTranslateOp(), euler.AddRotateXYZOp(), euler.AddScaleOp()
    orient = UsdGeom.Xform.Define(stage, "/World/Orient").AddOrientOp()
    matrix = UsdGeom.Xform.Define(stage, "/World/Table/Matrix").AddTransformOp()
    pivot = UsdGeom.Xform.Define(stage, "/World/Pivot")
    pivot.SetResetXformStack(True)
    pivot.AddTranslateOp(opSuffix="pivot").Set(Gf.Vec3d(1, 0, 0))
    about = pivot.AddRotateZOp()
    pivot.AddTranslateOp(opSuffix="pivot", isInverseOp=True)
    for code in range(FIRST, LAST + 1, 4):
        t = (code - FIRST) / CODES
        move.Set(Gf.Vec3d(t, 1 + np.sin(5 * t), 0), code)
        spin.Set(Gf.Vec3f(0, 100 * t, 30 * float(np.sin(t))), code)
        orient.Set(turn(0.9 * t, (1, 0, 0)), code)
        about.Set(200 * t, code)
        matrix.Set(Gf.Matrix4d(1).SetRotate(turn(t)) * shift(0, t * t, 1), code)
    for code in (FIRST, LAST):  # sparse
        size.Set(Gf.Vec3f(1, 1 + code / 50, -1), code)
    stage.GetRootLayer().Save()
    return path


PROPS = ("/World/Table/Euler", "/World/Orient", "/World/Table/Matrix", "/World/Pivot")


def test_prims_that_move_are_joints(props: Path) -> None:
    motion = retime.read(props)
    assert set(motion.skeleton.names) == {"Table", "Euler", "Orient", "Matrix", "Pivot"}
    parents = {
        n: int(p) for n, p in zip(motion.skeleton.names, motion.skeleton.parents, strict=True)
    }
    assert parents["Orient"] == parents["Pivot"] == -1
    assert motion.skeleton.names[parents["Euler"]] == "Table"
    # A matrix that is interpolated shrinks on the way.
    assert set(motion.scales) == {"Euler", "Matrix"}
    for path in PROPS:
        judged = world(props, path, motion.times * CODES)[:, 3, :3]
        joint = motion.skeleton.index(path.rsplit("/", 1)[-1])
        assert np.abs(positions(motion)[:, joint] - judged).max() < 1e-6
    assert [e["name"] for e in contents(props)] == ["transforms"]


def test_operations_are_moved_one_by_one(props: Path, tmp_path: Path) -> None:
    motion = retime.read(props)
    warp = bent(motion, 5.0)
    out = tmp_path / "o.usda"
    retime.write(apply(motion, warp, exact=True), out)
    assert without_samples(out) == without_samples(props)
    codes = np.linspace(FIRST, FIRST + 5 * CODES, 101)
    for path in PROPS:
        off = world(out, path, codes) - world(props, path, warp(codes / CODES) * CODES)
        assert np.abs(off).max() < 1e-4
    sparse = opened(out).GetAttributeAtPath("/World/Table/Euler.xformOp:scale")
    assert 2 < len(sparse.GetTimeSamples()) <= 100  # where the warp bends


def test_places_and_turns_that_part_in_time(props: Path, tmp_path: Path) -> None:
    motion = retime.read(props)
    start, end = motion.domain
    early = ([start, start + 0.5, end], [start, start + 1.0, end])
    warp = TimeWarp(
        [start, end],
        [start, end],
        channels={f"{n}:translation": early for n in ("Orient", "Pivot")},
    )
    made = apply(motion, warp)
    out = tmp_path / "o.usda"
    retime.write(made, out)
    whole = np.arange(FIRST, LAST + 1)
    for path in PROPS:
        joint = motion.skeleton.index(path.rsplit("/", 1)[-1])
        judged = world(out, path, whole)
        assert np.abs(judged[:, 3, :3] - positions(made)[:, joint]).max() < 1e-5
    form = UsdGeom.Xformable(opened(out).GetPrimAtPath("/World/Pivot"))
    assert [op.GetOpName() for op in form.GetOrderedXformOps()] == ["xformOp:transform"]
    assert form.GetResetXformStack()


def test_large_caches_get_fewer_samples(props: Path, tmp_path: Path) -> None:
    stage = opened(props)
    for name, count in (("few", 10), ("many", 2000)):
        points = UsdGeom.Points.Define(stage, f"/World/{name}").CreatePointsAttr()
        shape = np.random.default_rng(1).normal(size=(count, 3))
        for code in range(FIRST, LAST + 1):
            points.Set(Vt.Vec3fArray.FromNumpy((shape * np.sin(code / 9)).astype("f4")), code)
    stage.GetRootLayer().Save()
    motion = retime.read(props)
    warp = bent(motion, 2.5)
    out = tmp_path / "o.usdc"
    retime.write(apply(motion, warp, exact=True), out)
    counts = [
        len(opened(out).GetAttributeAtPath(f"/World/{n}.points").GetTimeSamples())
        for n in ("few", "many")
    ]
    assert 49 <= counts[1] < 0.8 * counts[0]
    for at in (5.3, 30.0, 44.9):
        then = float(warp(at / CODES)) * CODES
        now, before = (value(f, "/World/many.points", c) for f, c in ((out, at), (props, then)))
        assert np.abs(np.array(now) - np.array(before)).max() < 3e-3


def test_splines_sounds_and_blocks(props: Path, tmp_path: Path) -> None:
    stage = opened(props)
    curve = stage.DefinePrim("/World/Light").CreateAttribute("glow", Sdf.ValueTypeNames.Double)
    spline = Ts.Spline("double")
    for code, height in ((FIRST, 0.0), (20, 5.0), (LAST, 1.0)):
        spline.SetKnot(
            Ts.Knot(typeName="double", time=code, value=height, nextInterp=Ts.InterpCurve)
        )
    curve.SetSpline(spline)
    blocked = stage.DefinePrim("/World/Light").CreateAttribute("beam", Sdf.ValueTypeNames.Float)
    blocked.Set(1.0, FIRST)
    blocked.Set(Sdf.ValueBlock(), 25)
    dust = UsdGeom.Points.Define(stage, "/World/Dust")
    for code in (FIRST, LAST):
        dust.CreatePointsAttr().Set([(code, 0, 0)], code)
        dust.CreateVelocitiesAttr().Set([(24, 0, 0)], code)
    sound = UsdMedia.SpatialAudio.Define(stage, "/World/Sound")
    sound.CreateStartTimeAttr(Sdf.TimeCode(25))
    sound.CreateEndTimeAttr(Sdf.TimeCode(35))
    stage.GetRootLayer().Save()
    motion = retime.read(props)
    start, end = motion.domain
    out = tmp_path / "o.usda"
    retime.write(apply(motion, TimeWarp([start, start + 4], [start, end])), out)
    for code in (1, 20, 39, 60, 97):
        then = 1 + (code - 1) / 2
        assert value(out, "/World/Light.glow", code) == pytest.approx(curve.Get(then), abs=0.02)
    assert not opened(out).GetAttributeAtPath("/World/Light.glow").HasSpline()
    assert value(out, "/World/Light.beam", 40) == 1.0
    assert value(out, "/World/Light.beam", 50) is None
    assert value(out, "/World/Dust.velocities", 20)[0] == pytest.approx((12, 0, 0))
    assert value(out, "/World/Dust.points", 97)[0] == (LAST, 0, 0)
    assert float(value(out, "/World/Sound.startTime", 0)) == 49
    assert float(value(out, "/World/Sound.endTime", 0)) == 59


# ---- several animations


def test_animations_are_named_and_left_alone(scene: Path, tmp_path: Path) -> None:
    stage = opened(scene)
    add_person(stage, "/Other", name="Run")
    stage.GetRootLayer().Save()
    assert [e["name"] for e in contents(scene)] == ["/Actor/Walk", "/Other/Run"]
    run = retime.read(scene, animation="Run")
    assert run.skeleton.names[0] == "Other"
    assert retime.read(scene, animation=1).skeleton.names[0] == "Other"
    for wanted, word in (("Fly", "there are: /Actor/Walk"), (7, "no animation 7")):
        with pytest.raises(InputError, match=word):
            retime.read(scene, animation=wanted)
    warp = bent(run, 1.5)
    out = tmp_path / "o.usda"
    retime.write(apply(run, warp, exact=True), out)
    assert check(scene, out, warp, "/Other") < 1e-4
    assert check(scene, out, TimeWarp.identity(*run.domain)) < 1e-9
    both = read_motions(scene)
    write_motions([apply(m, bent(m, 1.5), exact=True) for m in both], out)
    assert max(check(scene, out, warp, r) for r in ("/Actor", "/Other")) < 1e-4
    with pytest.raises(InputError, match="must come from one file"):
        write_motions([run, samples.jump()], out)


def test_an_animation_without_a_skeleton(tmp_path: Path) -> None:
    stage = new_stage(tmp_path / "bare.usda")
    add_person(stage)
    stage.RemovePrim("/Actor/Skeleton")
    stage.GetRootLayer().Save()
    motion = retime.read(tmp_path / "bare.usda")
    assert motion.skeleton.names == ("Hips", "Leg", "Spine")
    assert any("those of the first frame are used" in n for n in motion.notes)


# ---- the way of samples


def test_samples_are_moved_by_warps() -> None:
    at = np.array([0.0, 10.0, 20.0])
    line = np.array([0.5, 1.0])
    slow = Graph(np.array([0.0, 40.0]), np.array([0.0, 20.0]))
    for change in (line, None):
        to = moved(at, change, key_mover(slow))
        assert to.output.tolist() == [0, 20, 40]
        assert to.source.tolist() == [0, 10, 20]
    # A bend is kept where the values change, and only there.
    bend = Graph(np.array([0.0, 5.0, 30.0]), np.array([0.0, 8.0, 20.0]))
    assert moved(at, line, key_mover(bend)).source.tolist() == [0, 8, 10, 20]
    assert moved(at, np.array([0.0, 1.0]), key_mover(bend)).source.tolist() == [0, 10, 20]
    assert moved(at, None, key_mover(bend)).source.tolist() == [0, 10, 20]
    # A hold ends where it ends; a cut jumps, and what it passes over is gone.
    hold = Graph(np.array([0.0, 10.0, 15.0, 25.0]), np.array([0.0, 10.0, 10.0, 20.0]))
    assert moved(at, line, key_mover(hold)).output.tolist() == [0, 10, 15, 25]
    cut = Graph(np.array([0.0, 5.0, 5.0, 10.0]), np.array([0.0, 5.0, 15.0, 20.0]))
    assert moved(at, line, key_mover(cut)).source.tolist() == [0, 5, 15, 20]
    # A part starts and ends in the middle of things.
    part = Graph(np.array([0.0, 10.0]), np.array([4.0, 14.0]))
    assert moved(at, line, key_mover(part)).source.tolist() == [4, 10, 14]
    still = Graph(np.array([0.0, 10.0]), np.array([30.0, 40.0]))
    assert moved(at, line, key_mover(still)).source.tolist() == [30]
    back = Graph(np.array([0.0, 20.0]), np.array([20.0, 0.0]))
    assert moved(at, line, key_mover(back)).source.tolist() == [20, 10, 0]
    held = moved(at, None, key_mover(back))
    assert held.output.tolist() == [0, 10, 20]
    assert held.source.tolist() == [20, 0, 0]


# ---- packages, new files, other formats


def test_packages(scene: Path, tmp_path: Path) -> None:
    packed = tmp_path / "scene.usdz"
    assert UsdUtils.CreateNewUsdzPackage(Sdf.AssetPath(str(scene)), str(packed))
    motion = retime.read(packed)
    warp = bent(motion, 3.0)
    made = apply(motion, warp, exact=True)
    out = tmp_path / "out.usdz"
    retime.write(made, out)
    assert check(packed, out, warp) < 1e-4
    with zipfile.ZipFile(packed) as a, zipfile.ZipFile(out) as b:
        assert a.namelist() == b.namelist()
        (picture,) = (n for n in a.namelist() if n.endswith(".png"))
        assert b.read(picture) == b"no picture"
        assert all(e.compress_type == 0 for e in b.infolist())
        with out.open("rb") as f:
            for e in b.infolist():
                f.seek(e.header_offset + 26)
                name, extra = np.frombuffer(f.read(4), "<u2").tolist()
                assert (e.header_offset + 30 + name + extra) % 64 == 0
    over = tmp_path / "scene.over.usda"
    retime.write(made, over)
    assert check(packed, over, warp) < 1e-4
    with pytest.raises(InputError, match=r"write a \.usdz"):
        retime.write(made, tmp_path / "no.usda")
    # A plain stage becomes a package with all that it names.
    plain = retime.read(scene)
    (tmp_path / "deep").mkdir()
    retime.write(apply(plain, warp, exact=True), tmp_path / "deep" / "new.usdz")
    assert check(scene, tmp_path / "deep" / "new.usdz", warp) < 1e-4
    with zipfile.ZipFile(tmp_path / "deep" / "new.usdz") as b:
        assert any(n.endswith("skin.png") for n in b.namelist())
    retime.write(motion, tmp_path / "same.usdz")
    assert (tmp_path / "same.usdz").read_bytes() == packed.read_bytes()


def test_bad_packages(scene: Path, tmp_path: Path) -> None:
    text = scene.read_bytes()
    bad = tmp_path / "bad.usdz"

    def pack(*files: tuple[str, bytes], kind: int = zipfile.ZIP_STORED) -> None:
        with zipfile.ZipFile(bad, "w", kind) as z:
            for name, data in files:
                z.writestr(name, data)

    pack(("a.usda", text), ("../../evil.png", b"x"))
    with pytest.raises(FormatError, match="leads out of its folder"):
        retime.read(bad)
    pack(("a.usda", text), ("/evil.png", b"x"))
    with pytest.raises(FormatError, match="leads out of its folder"):
        retime.read(bad)
    pack(("a.usda", text), ("bomb.png", bytes(10_000_000)), kind=zipfile.ZIP_DEFLATED)
    with pytest.raises(FormatError, match="compressed"):
        retime.read(bad)
    pack(("a.png", b"x"), ("a.usda", text))
    with pytest.raises(FormatError, match="does not start with a USD layer"):
        retime.read(bad)
    bad.write_bytes(b"PK\x03\x04 no archive")
    with pytest.raises(FormatError, match="package is damaged"):
        retime.read(bad)
    pack(("a.usda", text))
    data = bytearray(bad.read_bytes())
    at = data.rfind(b"PK\x01\x02")
    data[at + 20 : at + 28] = b"\xff\xff\xff\x7f" * 2  # sizes that are not there
    bad.write_bytes(bytes(data))
    with pytest.raises(FormatError, match="larger than it"):
        retime.read(bad)


@pytest.mark.parametrize("suffix", ["usda", "usdc", "usdz"])
def test_any_motion_becomes_a_new_file(suffix: str, tmp_path: Path) -> None:
    walk = samples.walk()
    turned = replace(walk, units=retime.Units(0.01, "Z"))
    for motion in (walk, turned):
        out = tmp_path / f"walk.{suffix}"
        retime.write(motion, out)
        again = retime.read(out)
        assert again.duration == pytest.approx(motion.duration)
        assert again.fps == motion.fps
        joints = [again.skeleton.index(n) for n in motion.skeleton.names]
        assert np.abs(positions(again)[:, joints] - positions(motion)).max() < 1e-5
        stage = opened(out)
        assert UsdGeom.GetStageMetersPerUnit(stage) == 1.0
        assert UsdGeom.GetStageUpAxis(stage) == "Y"
        judged = skeletal(out, again.times * motion.fps, "/Root")[..., 3, :3]
        assert np.abs(judged - positions(motion)).max() < 1e-5
        skeleton = UsdSkel.Skeleton(stage.GetPrimAtPath("/Root/Skeleton"))
        query = UsdSkel.Cache().GetSkelQuery(skeleton)
        bind = np.array(query.GetJointWorldBindTransforms())
        above = np.array(UsdGeom.XformCache().GetLocalToWorldTransform(skeleton.GetPrim()))
        atrest = np.array(query.ComputeJointSkelTransforms(Usd.TimeCode.Default(), atRest=True))
        assert np.abs(bind - atrest @ above).max() < 1e-6
        _open.clear()


@pytest.mark.parametrize("suffix", [".usda", ".usdc"])
def test_a_file_without_paths_keeps_its_bytes_in_another_folder(
    suffix: str, tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    source, target = tmp_path / f"jump{suffix}", tmp_path / "other" / f"jump{suffix}"
    retime.write(samples.jump(), source)
    retime.write(retime.read(source), target)
    assert target.read_bytes() == source.read_bytes()


@pytest.mark.parametrize("form", ["{name} é:{k}", "mixamorig:{name}"])
def test_odd_names_survive(form: str, tmp_path: Path) -> None:
    jump = samples.jump()
    names = [form.format(name=n, k=k) for k, n in enumerate(jump.skeleton.names)]
    odd = replace(
        jump,
        skeleton=replace(jump.skeleton, names=tuple(names), file_names=()),
        translations={names[jump.skeleton.index(n)]: t for n, t in jump.translations.items()},
        roles={},
    )
    retime.write(odd, tmp_path / "odd.usda")
    again = retime.read(tmp_path / "odd.usda")
    assert again.skeleton.names == tuple(names)
    assert again.skeleton.parents.tolist() == jump.skeleton.parents.tolist()
    with pytest.raises(InputError, match=r"remove '\.over'"):
        retime.write(odd, tmp_path / "odd.over.usda")


def test_commands(scene: Path, tmp_path: Path, run: Callable[..., tuple[int, str, str]]) -> None:
    status, said, _ = run("info", scene, "--json")
    assert status == 0
    page = json.loads(said)
    assert page["format"] == "usd"
    assert page["animations"][0]["name"] == "/Actor/Walk"
    assert page["joints"] == 5
    status, said, told = run("info", scene)
    assert status == 0, told
    assert "/Actor/Walk: 2 s at 24 fps" in said
    for suffix in ("npz", "bvh", "glb", "csv", "usdc"):
        status, _, told = run("convert", scene, tmp_path / f"o.{suffix}")
        assert status == 0, told
    again = retime.read(tmp_path / "o.npz")
    assert np.abs(positions(again) - positions(retime.read(scene))).max() < 1e-6
    warp_file = tmp_path / "warp.json"
    for command in (
        ["guided", "--duration", "1.4"],
        ["apply", "--duration", "3", "--keytime", "1.5=1.2"],
    ):
        out = tmp_path / "retimed.over.usda"
        extra = ["--warp", warp_file] if command[0] == "guided" else []
        status, _, told = run(command[0], scene, out, *command[1:], *extra)
        assert status == 0, told
        if extra:
            assert check(scene, out, retime.read_warp(warp_file)) < 1e-4
    wanted = skeletal(scene, 1.2 * CODES)[..., 3, :3]
    assert np.abs(skeletal(out, 1.5 * CODES)[..., 3, :3] - wanted).max() * 0.01 < 1e-4
    out = tmp_path / "step.usda"
    status, _, told = run(
        "surface", scene, out, "--at", "1.2", "--joint", "Spine", "--shift", "-0.2"
    )
    assert status == 0, told
    moments = retime.read(out).times * CODES
    assert np.abs(skeletal(out, moments) - skeletal(scene, moments)).max() > 1e-3
    status, _, told = run(
        "apply", scene, tmp_path / "all.usda", "--animation", "all", "--duration", "1"
    )
    assert status == 0, told


def test_contacts_are_held_in_place(tmp_path: Path) -> None:
    """Held feet are edited values: they are baked, and read back as they were made."""
    source, out = tmp_path / "walk.usdc", tmp_path / "held.usdc"
    retime.write(samples.walk(), source)
    motion = retime.read(source)
    steps = [Step("spline", {"duration": 1.5 * motion.duration}), Step("hold")]
    made = Recipe(steps).evaluate(motion, exact=True)
    retime.write(made, out)
    judged = skeletal(out, made.times * motion.fps, "/Root")[..., 3, :3]
    assert np.abs(judged - positions(made)).max() < 1e-5
    plain = apply(motion, TimeWarp([0, 1.5 * motion.duration], [0, motion.duration]), exact=True)
    assert np.abs(positions(plain) - positions(made)).max() > 1e-4


# ---- shapes: blend-shape weights or points alone


def add_face(stage: Any, *, still_joints: bool = False) -> None:
    body = UsdSkel.Root.Define(stage, "/Face")
    animation = UsdSkel.Animation.Define(stage, "/Face/Talk")
    animation.CreateBlendShapesAttr(["smile", "blink"])
    weights = animation.CreateBlendShapeWeightsAttr()
    for code in range(FIRST, LAST + 1):
        weights.Set([float(np.sin(code / 9)), float(np.cos(code / 5))], code)
    if still_joints:
        animation.CreateJointsAttr(["Hips"])
        animation.CreateRotationsAttr([Gf.Quatf(1)])
    UsdSkel.BindingAPI.Apply(body.GetPrim()).CreateAnimationSourceRel().SetTargets(
        [animation.GetPath()]
    )


def add_cloth(stage: Any) -> None:
    mesh = UsdGeom.Mesh.Define(stage, "/Set/Cloth")
    points = mesh.CreatePointsAttr()
    for code in range(FIRST, LAST + 1):
        points.Set([(0, float(np.sin(code / 4 + k)), k) for k in range(4)], code)


@pytest.mark.parametrize("joints", [False, True])
@pytest.mark.parametrize("suffix", [".usda", ".over.usda", ".usdc"])
def test_a_face_of_blend_shapes_is_retimed(tmp_path: Path, suffix: str, joints: bool) -> None:
    stage = new_stage(tmp_path / "face.usda")
    add_face(stage, still_joints=joints)
    add_cloth(stage)
    stage.GetRootLayer().Save()
    motion = retime.read(tmp_path / "face.usda")
    assert motion.duration == pytest.approx((LAST - FIRST) / CODES)
    assert any("blendShapeWeights, points" in n for n in motion.notes)
    slow = apply(motion, bent(motion, 3.0), exact=True)
    retime.write(slow, tmp_path / f"slow{suffix}")
    assert slow.origin is not None
    before, after = (Usd.Stage.Open(str(tmp_path / n)) for n in ("face.usda", f"slow{suffix}"))
    _open.extend([before, after])
    warp = bent(motion, 3.0)
    for path in ("/Face/Talk.blendShapeWeights", "/Set/Cloth.points"):
        one, other = (s.GetAttributeAtPath(path) for s in (before, after))
        for t in np.linspace(*warp.domain, 20):
            wanted = np.array(one.Get(float(warp(t)) * CODES))
            shown = np.array(other.Get(float(t) * CODES))
            assert np.abs(wanted - shown).max() < 1e-4
    assert after.GetEndTimeCode() == pytest.approx(FIRST + 3 * CODES)


def test_a_camera_that_zooms_is_retimed(tmp_path: Path) -> None:
    stage = new_stage(tmp_path / "zoom.usda")
    add_camera(stage)
    stage.GetRootLayer().Save()
    (entry,) = contents(tmp_path / "zoom.usda")
    assert (entry["name"], entry["moves"]) == ("shapes", ["weights"])
    motion = retime.read(tmp_path / "zoom.usda")
    retime.write(apply(motion, TimeWarp([0, 3], [1 / 24, 2]), exact=True), tmp_path / "o.usda")
    assert retime.read(tmp_path / "o.usda").duration > 2.5


# ---- what cannot be


def test_bad_files_are_sentences(scene: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.usda"
    text = scene.read_text()
    still = new_stage(tmp_path / "still.usda")
    UsdGeom.Xform.Define(still, "/A")
    still.GetRootLayer().Save()
    cases = {
        "this is not a USD file": "BVH?",
        "the stage cannot be opened": text[:600],
        "nothing in it is animated": (tmp_path / "still.usda").read_text(),
        "has no scales": text.replace("scales.timeSamples", "other.timeSamples").replace(
            "half3[] scales", "half3[] other"
        ),
        "form no tree": text.replace('["Hips", "Hips/Spine",', '["Hips/Spine", "Hips",', 1),
        "values for 3 joints": text.replace(
            f'joints = ["{ANIMATED[0]}", ', 'joints = ["More", "Hips/Leg", ', 1
        ).replace("for 3", "for 4"),
        "timeCodesPerSecond": text.replace("timeCodesPerSecond = 24", "timeCodesPerSecond = -2"),
        "more than fits": text.replace("49: [(", "4900000: [(").replace(
            "endTimeCode = 49", "endTimeCode = 4900000"
        ),
    }
    for word, content in cases.items():
        assert content != text
        bad.write_text(content)
        with pytest.raises(FormatError, match=word if "for 3" not in word else "values for 4"):
            retime.read(bad)
    with pytest.raises(InputError, match="own rest pose"):
        retime.read(scene, rest_frame="first")


def test_a_file_that_changed_meanwhile(scene: Path, tmp_path: Path) -> None:
    motion = retime.read(scene)
    scene.write_text(scene.read_text() + "\n")
    with pytest.raises(InputError, match="changed since it was read"):
        retime.write(motion, tmp_path / "o.usda")
    scene.unlink()
    with pytest.raises(InputError, match="no such file"):
        retime.write(motion, tmp_path / "o.usda")
    assert not (tmp_path / "o.usda").exists()


def test_layers_that_are_missing_are_named(scene: Path) -> None:
    stage = opened(scene)
    stage.GetRootLayer().subLayerPaths.append("./gone.usda")
    stage.GetRootLayer().Save()
    assert any("gone.usda" in n for n in retime.read(scene).notes)


def test_a_missing_part_is_named(scene: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingDependencyError, match=r"\[usd\]"):
        retime.read(scene)


def test_damaged_files_are_read_or_refused(
    scene: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader.LIBRARY, "seconds", 3.0)
    binary = tmp_path / "scene.usdc"
    retime.write(retime.read(scene), binary)
    packed = tmp_path / "scene.usdz"
    assert UsdUtils.CreateNewUsdzPackage(Sdf.AssetPath(str(scene)), str(packed))
    read = 0
    for source, seed in ((scene, 3), (binary, 4), (packed, 5)):
        bad = tmp_path / f"bad{source.suffix}"
        for k, mutant in enumerate(mutants(source.read_bytes(), seed=seed)):
            if k % 3 != seed % 3:
                continue
            bad.write_bytes(mutant)
            try:
                motion = retime.read(bad)
                retime.write(
                    apply(motion, TimeWarp.identity(*motion.domain).reverse()),
                    tmp_path / f"o{source.suffix}",
                )
                read += 1
            except RetimeError:
                pass
    assert read > 20
    assert len(retime.read(scene)) == 49


# ---- the program that runs USD


def test_a_library_whose_process_was_killed_is_started_again(scene: Path) -> None:
    retime.read(scene)
    reader.LIBRARY.server.kill()
    assert len(retime.read(scene)) == 49


def test_the_program_ends_with_ours_and_threads_take_turns(scene: Path) -> None:
    code = (
        "import sys, threading, retime\n"
        "from retime.io.usd.reader import LIBRARY\n"
        "found = []\n"
        "def read(): found.append(len(retime.read(sys.argv[1])))\n"
        "threads = [threading.Thread(target=read) for _ in range(4)]\n"
        "[t.start() for t in threads]; [t.join() for t in threads]\n"
        "print(found, LIBRARY.server.pid)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(scene)], capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    found, _, pid = done.stdout.rpartition(" ")
    assert found == "[49, 49, 49, 49]"
    assert not Path(f"/proc/{int(pid)}/exe").exists()
