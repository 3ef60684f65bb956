"""Find the animations of a stage and the prims that they move.

Nothing here runs in retime's own process: see :mod:`retime.io.usd.child`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from pxr import Ar, Sdf, Tf, Usd, UsdGeom, UsdSkel

from retime.arrays import FloatArray
from retime.process.inside import bound_memory
from retime.process.library import FENCE, Refused

TRACKS = ("rotations", "translations", "scales")
_MOST_PRIMS = 1_000_000
_MOST_LAYERS = 10_000
# Largest valid time code.
_MOST_CODES = 1e9


@dataclass(frozen=True)
class Opened:
    """A stage, its root and session layers, the layers that were read, and missing assets.

    The layers are held here too, because a stage that is released releases its layers.
    """

    stage: Any
    root: Any
    session: Any
    layers: list[str]
    missing: list[str]


@dataclass
class Animation:
    """Parts of one motion."""

    name: str
    """Path of its prim; otherwise ``transforms`` or ``shapes``."""
    prim: Any = None
    """The ``SkelAnimation``; ``None`` if plain prims move."""
    skeleton: Any = None
    """The ``Skeleton`` that it moves, or ``None``."""
    chain: list[Any] = field(default_factory=list)
    """Prims with a transform, parents first."""
    shapes: list[Any] = field(default_factory=list)
    """Other animated attributes, if nothing else moves: blend-shape weights, points and others."""

    def own(self) -> list[Any]:
        """Return the animated attributes that move its joints."""
        tracks = [] if self.prim is None else [self.prim.GetAttribute(t) for t in TRACKS]
        found = tracks + [op.GetAttr() for prim in self.chain for op in ops_of(prim)]
        return [a for a in found if is_animated(a)] + self.shapes

    def times(self) -> FloatArray:
        """Return all sample times of these attributes."""
        found = [sample_times(a) for a in self.own()]
        return np.unique(np.concatenate(found)) if found else np.zeros(0)


def open_stage(path: str) -> Opened:
    """Open a stage with all its layers; their total size sets the memory limit."""
    stale = Sdf.Layer.Find(path)
    if stale:  # edited by an earlier request
        stale.Reload(True)
    root = _layer(path)
    layers, missing = _composed(root, path)
    try:
        session = Sdf.Layer.CreateAnonymous(".usda")
        stage = Usd.Stage.Open(root, session)
    except Tf.ErrorException as e:
        raise Refused(f"USD cannot open it: {_first_words(e)}") from None
    for layer in stage.GetUsedLayers():
        if layer.realPath:
            _must_be_allowed(layer.realPath)
    return Opened(stage, root, session, layers, missing)


def _composed(root: Any, path: str) -> tuple[list[str], list[str]]:
    """Load all layers that a layer is composed of; return their paths, and missing assets."""
    layers, missing, work = [path], [], [root]
    seen, size = {root.identifier, ""}, os.path.getsize(path)
    while work and len(layers) < _MOST_LAYERS:
        layer = work.pop()
        for asset in filter(None, layer.GetCompositionAssetDependencies()):
            with_place = Sdf.ComputeAssetPathRelativeToLayer(layer, asset)
            if with_place in seen:
                continue
            seen.add(with_place)
            place, file = _resolved(with_place)
            if not os.path.isfile(file):
                missing.append(asset)
                continue
            _must_be_allowed(file)
            size += os.path.getsize(file)
            bound_memory(size)
            try:
                work.append(_layer(with_place))
                layers.append(place)
            except Refused:
                missing.append(asset)
    return layers, missing


def _must_be_allowed(file: str) -> None:
    """Refuse a layer outside the folder to which a server limits this process, if one does."""
    folder = os.environ.get(FENCE)
    if folder and not Path(os.path.realpath(file)).is_relative_to(folder):
        raise Refused("it names a layer outside the folder of this server")


def _resolved(asset: str) -> tuple[str, str]:
    """Return the resolved path of an asset, and the file or package that contains it."""
    place = str(Ar.GetResolver().Resolve(asset))
    return place, Ar.SplitPackageRelativePathOuter(place)[0] if place else ""


def _layer(path: str) -> Any:
    try:
        layer = Sdf.Layer.FindOrOpen(path)
    except Tf.ErrorException as e:
        raise Refused(_why_not(path, _first_words(e))) from None
    except UnicodeDecodeError:
        raise Refused("not a USD file that can be read (its text is not UTF-8)") from None
    if not layer:
        raise Refused("not a USD file, or a kind of USD that this usd-core does not read")
    return layer


def _why_not(path: str, said: str) -> str:
    """Return why a layer cannot be opened, from its first bytes and USD's message."""
    with open(path, "rb") as f:
        start = f.read(64)
    if not start.startswith((b"#usda", b"PXR-USDC", b"PK", b"#sdf")):
        return "this is not a USD file: text begins with '#usda 1.0', a binary file with 'PXR-USDC'"
    if start.startswith(b"PXR-USDC"):
        return "the binary USD file is damaged, or of a version that this usd-core does not read"
    if start.startswith(b"PK"):
        return "the USD package is damaged; package it again"
    line = re.search(r"line (\d+)", said)
    return f"the stage cannot be opened: its text is damaged{f' at line {line[1]}' if line else ''}"


def _first_words(error: Exception) -> str:
    """Return the message of a USD error without functions and line numbers."""
    said = " ".join(str(error).split())
    return (said.split(" : ", 1)[-1].split(" Error in ")[0].strip(" '\"") or "damaged")[:160]


def prims(stage: Any) -> Iterator[Any]:
    """Yield all active prims, including those inside instances."""
    every = stage.Traverse(Usd.TraverseInstanceProxies(Usd.PrimDefaultPredicate))
    for count, prim in enumerate(every):
        if count >= _MOST_PRIMS:
            raise Refused(f"it has more than {_MOST_PRIMS} prims")
        yield prim


def attributes(stage: Any) -> Iterator[Any]:
    """Yield all animated attributes."""
    for prim in prims(stage):
        for attribute in prim.GetAuthoredAttributes():
            if is_animated(attribute):
                yield attribute


def is_animated(attribute: Any) -> bool:
    """Return whether an attribute has two samples, or a spline with two knots."""
    if not attribute:
        return False
    if attribute.HasSpline():
        return len(attribute.GetSpline().GetKnots()) > 1
    return bool(attribute.GetNumTimeSamples() > 1)


def sample_times(attribute: Any) -> FloatArray:
    """Return an attribute's sample times; a spline is sampled at every code and at its knots."""
    if attribute.HasSpline():
        knots = np.array(sorted(attribute.GetSpline().GetKnots().keys()), dtype=float)
        _must_be_times(attribute, knots)
        if knots[-1] - knots[0] > 1e6:
            raise Refused(f"the spline of {attribute.GetPath()} spans too many time codes")
        whole = np.arange(np.ceil(knots[0]), np.floor(knots[-1]) + 1)
        return np.unique(np.r_[knots, whole])
    times = np.array(attribute.GetTimeSamples(), dtype=float)
    _must_be_times(attribute, times)
    return times


def _must_be_times(attribute: Any, times: FloatArray) -> None:
    if not (np.abs(times) < _MOST_CODES).all() or (np.diff(times) <= 0).any():
        raise Refused(f"the sample times of {attribute.GetPath()} are not valid")


def ops_of(prim: Any) -> list[Any]:
    """Return a prim's transform operations; none if it cannot have a transform."""
    if not prim.IsA(UsdGeom.Xformable):
        return []
    return list(UsdGeom.Xformable(prim).GetOrderedXformOps())


def _chain(prim: Any) -> list[Any]:
    """Return a prim and its ancestors that have transforms, the highest first."""
    out = []
    while prim and not prim.IsPseudoRoot():
        form = UsdGeom.Xformable(prim)
        if form and form.GetXformOpOrderAttr().HasAuthoredValue():
            if form.GetOrderedXformOps():
                out.append(prim)
            if form.GetResetXformStack():
                break
        prim = prim.GetParent()
    return out[::-1]


def animations(stage: Any) -> list[Animation]:
    """Find the skeletal animations; if there are none, moving prims, and then moving shapes."""
    every = list(prims(stage))
    skeletal = _skeletal(every)
    if skeletal:
        return skeletal
    joints = {str(p.GetPath()): p for prim in every if _moves(prim) for p in _chain(prim)}
    if joints:
        return [Animation("transforms", chain=list(joints.values()))]
    return _shapes(stage)


def _skeletal(every: list[Any]) -> list[Animation]:
    """Return the skeletal animations with a length; those bound to a skeleton come first."""
    skeletons = [p for p in every if p.IsA(UsdSkel.Skeleton)]
    bound = _bound(skeletons)
    out = []
    for prim in every:
        if prim.IsA(UsdSkel.Animation) and any(is_animated(prim.GetAttribute(t)) for t in TRACKS):
            skeleton = bound.get(prim.GetPath()) or _fitting(prim, skeletons)
            chain = [] if skeleton is None else _chain(skeleton)
            out.append(Animation(str(prim.GetPath()), prim, skeleton, chain))
    return sorted(out, key=lambda a: a.prim.GetPath() not in bound)


def _shapes(stage: Any) -> list[Animation]:
    """Return one animation of all animated attributes, if there are any."""
    shapes = list(attributes(stage))
    holders = {str(a.GetPrim().GetPath()): a.GetPrim() for a in shapes}
    above = {str(p.GetPath()): p for prim in holders.values() for p in _chain(prim) or [prim]}
    return [Animation("shapes", chain=list(above.values()), shapes=shapes)] if shapes else []


def _moves(prim: Any) -> bool:
    form = prim.IsA(UsdGeom.Xformable)
    return form and any(is_animated(op.GetAttr()) for op in ops_of(prim))


def _bound(skeletons: list[Any]) -> dict[Any, Any]:
    """Map each animation to the first skeleton that is bound to it."""
    out: dict[Any, Any] = {}
    for skeleton in skeletons:
        source = _animation_of(skeleton)
        if source:
            out.setdefault(source.GetPath(), skeleton)
    return out


def _animation_of(skeleton: Any) -> Any:
    """Return the animation that a skeleton or a prim above it is bound to, or ``None``."""
    at = skeleton
    while at and not at.IsPseudoRoot():  # bindings are inherited
        binding = UsdSkel.BindingAPI(at)
        if binding.GetAnimationSourceRel().HasAuthoredTargets():
            return binding.GetInheritedAnimationSource()
        at = at.GetParent()
    return None


def _fitting(prim: Any, skeletons: list[Any]) -> Any:
    """Return the first skeleton that has all joints of an animation, or ``None``."""
    wanted = set(UsdSkel.Animation(prim).GetJointsAttr().Get() or ())
    joints = ((s, UsdSkel.Skeleton(s).GetJointsAttr().Get() or ()) for s in skeletons)
    return next((s for s, have in joints if wanted and wanted <= set(have)), None)
