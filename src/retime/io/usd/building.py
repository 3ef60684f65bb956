"""A new UsdSkel file of a motion, in the program that runs USD."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from pxr import Gf, Sdf, Tf, Usd, UsdGeom, UsdSkel, Vt

from retime.arrays import FloatArray
from retime.io.usd.assets import pack_anew
from retime.io.usd.retiming import usd_array
from retime.process.library import Arrays


def build(request: dict[str, Any], arrays: Arrays) -> tuple[dict[str, Any], Arrays]:
    """Write a skeleton with its rest pose and an animation, in metres with Y up."""
    into = Path(request["folder"]) / request["into"]
    place = into.with_suffix(".usdc") if into.suffix == ".usdz" else into
    stage = Usd.Stage.CreateNew(str(place))
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.y)
    codes = np.asarray(arrays["codes"])
    stage.SetTimeCodesPerSecond(request["fps"])
    stage.SetFramesPerSecond(request["fps"])
    stage.SetStartTimeCode(float(codes[0]))
    stage.SetEndTimeCode(float(codes[-1]))
    root = UsdSkel.Root.Define(stage, "/Root")
    stage.SetDefaultPrim(root.GetPrim())
    if request["turn"]:
        # A motion that was Z-up is put below a prim that rotates it.
        UsdGeom.Xform(root).AddRotateXOp().Set(-90.0)
    tokens = _tokens(request["names"], request["parents"])
    skeleton = UsdSkel.Skeleton.Define(stage, "/Root/Skeleton")
    skeleton.CreateJointsAttr(tokens)
    skeleton.CreateJointNamesAttr(request["names"])
    skeleton.CreateRestTransformsAttr(_matrices(arrays["rest"]))
    skeleton.CreateBindTransformsAttr(_matrices(arrays["bind"]))
    animation = UsdSkel.Animation.Define(stage, "/Root/Animation")
    animation.CreateJointsAttr(tokens)
    attributes = {
        "rotations": animation.CreateRotationsAttr(),
        "translations": animation.CreateTranslationsAttr(),
        "scales": animation.CreateScalesAttr(),
    }
    for name, attribute in attributes.items():
        track = np.asarray(arrays[name])
        if len(track) == 1:
            attribute.Set(usd_array(name, track[0]))
            continue
        for code, row in zip(codes.tolist(), track, strict=True):
            attribute.Set(usd_array(name, row), Usd.TimeCode(code))
    binding = UsdSkel.BindingAPI.Apply(skeleton.GetPrim())
    binding.CreateAnimationSourceRel().SetTargets([animation.GetPath()])
    stage.GetRootLayer().customLayerData = {"creator": request["creator"]}
    stage.GetRootLayer().Save()
    if into != place:
        pack_anew(str(place), str(into))
    return {}, {}


def _tokens(names: list[str], parents: list[int]) -> list[str]:
    """Return paths of joints, with valid USD names that are unique among siblings."""
    out: list[str] = []
    taken: set[str] = set()
    for name, parent in zip(names, parents, strict=True):
        above = f"{out[parent]}/" if parent >= 0 else ""
        own = name if Sdf.Path.IsValidIdentifier(name) else Tf.MakeValidIdentifier(name)
        token, k = above + own, 1
        while token in taken:
            k += 1
            token = f"{above}{own}_{k}"
        taken.add(token)
        out.append(token)
    return out


def _matrices(values: FloatArray) -> Any:
    return Vt.Matrix4dArray([Gf.Matrix4d(*m.ravel().tolist()) for m in np.asarray(values)])
