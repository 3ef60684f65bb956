"""Writing new time samples into a stage, in the program that runs USD."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from pxr import Gf, Sdf, Usd, UsdGeom, UsdMedia, UsdSkel, Vt

from retime.arrays import FloatArray
from retime.io.key_mover import KeyMover
from retime.io.usd.assets import export, pack, pack_anew, rebase
from retime.io.usd.changes import changes
from retime.io.usd.posing import local_matrix
from retime.io.usd.stages import (
    TRACKS,
    animations,
    attributes,
    is_animated,
    open_stage,
    ops_of,
    prims,
    sample_times,
)
from retime.io.usd.timing import Moved, between, joined, key_mover, moved, rates
from retime.process.library import Arrays, Refused
from retime.timing.graph import Graph

_LEAVE = -1
# Metadata that a layer over another does not repeat; other metadata of the stage is read from the
# first layer only.
_OWN = (
    "subLayers",
    "subLayerOffsets",
    "primChildren",
    "documentation",
    "comment",
    "layerRelocates",
)
# Attributes with units per second, with the power.
_PER_SECOND = {"velocities": 1, "angularVelocities": 1, "accelerations": 2}
_ARRAYS = {"rotations": Vt.QuatfArray, "translations": Vt.Vec3fArray, "scales": Vt.Vec3hArray}


def write(request: dict[str, Any], arrays: Arrays) -> tuple[dict[str, Any], Arrays]:
    """Write a copy of a stage's first layer with new samples, or a layer over it."""
    opened = open_stage(request["path"])
    root, over = opened.root, request["over"] is not None
    target = opened.session if over else root
    opened.stage.SetEditTarget(Usd.EditTarget(target))
    changed = _Retiming(opened.stage, request, arrays).run()
    changed += _set_range(root, target, request)
    if request["rebase"] is not None:
        changed += rebase(root, *request["rebase"])
    if over:
        _lay_over(root, target, request["over"])
    elif not changed and not request["anyway"]:
        return {"changed": 0}, {}
    _save(target, request)
    return {"changed": changed}, {}


def _set_range(root: Any, target: Any, request: dict[str, Any]) -> int:
    """Set the first and last time code of a layer; return the number of changed ones."""
    changed = 0
    for name in ("startTimeCode", "endTimeCode"):
        if request[name] is not None and getattr(root, name) != request[name]:
            setattr(target, name, request[name])
            changed += 1
    return changed


def _lay_over(root: Any, target: Any, path: str) -> None:
    """Make a layer the one over a stage's first layer, which is at a path."""
    for name in root.pseudoRoot.ListInfoKeys():
        if name not in _OWN and not target.pseudoRoot.HasInfo(name):
            target.pseudoRoot.SetInfo(name, root.pseudoRoot.GetInfo(name))
    target.subLayerPaths[:] = [path]


def _save(layer: Any, request: dict[str, Any]) -> None:
    into = str(Path(request["folder"]) / request["into"])
    if not into.endswith(".usdz"):
        export(layer, into, _kind(request["path"]))
        return
    if request["package"] is None:
        place = str(Path(into).with_suffix(".usdc"))
        export(layer, place, None)
        pack_anew(place, into)
        return
    scene = Path(request["path"])
    beside = scene.with_name(f".new-{scene.name}")
    export(layer, str(beside), _kind(str(scene)))
    beside.replace(scene)
    pack(str(Path(request["folder"]) / "package"), request["package"], into)


def _kind(path: str) -> str:
    """Return whether a layer is text or binary, because a ``.usd`` may be either."""
    with open(path, "rb") as f:
        return "usdc" if f.read(8) == b"PXR-USDC" else "usda"


class _Retiming:
    """Move samples, each attribute by the warp that it follows."""

    def __init__(self, stage: Any, request: dict[str, Any], arrays: Arrays) -> None:
        self.stage = stage
        self.request = request
        self.arrays = arrays
        # Pairs map single times; the other arrays are knots of warps.
        self.pairs = set(request["pairs"])
        self._movers: dict[int, KeyMover] = {}

    def run(self) -> int:
        """Move all samples; return the number of changed attributes."""
        moves = self._moves()
        sounds = [str(p.GetPath()) for p in prims(self.stage) if p.IsA(UsdMedia.SpatialAudio)]
        changed = sum(self._move(path, number) for path, number in moves.items())
        changed += sum(map(self._move_sound, sounds))
        changed += sum(map(self._write_tracks, self.request["skeletal"]))
        changed += sum(self._bake(path, *place) for path, place in self.request["baked"].items())
        return changed

    def _moves(self) -> dict[str, int]:
        """Return the attributes to move, and the number of the warp that each follows."""
        follows: Mapping[str, int] = self.request["attributes"]
        left = self._of_other_animations() | self._written_separately()
        paths = [str(a.GetPath()) for a in attributes(self.stage)]
        usual = {p: _LEAVE if p in left else self.request["follow"] for p in paths}
        numbers = {p: follows.get(p, number) for p, number in usual.items()}
        return {p: number for p, number in numbers.items() if number != _LEAVE}

    def _of_other_animations(self) -> set[str]:
        chosen = set(self.request["animations"])
        others = [a for a in animations(self.stage) if a.name not in chosen]
        own = [a for animation in others for a in animation.own()]
        own += [a for o in others if o.prim for a in o.prim.GetAuthoredAttributes()]
        return {str(a.GetPath()) for a in own}

    def _written_separately(self) -> set[str]:
        """Return the tracks of skeletal animations, and the operations of baked transforms."""
        tracks = {f"{e['prim']}.{track}" for e in self.request["skeletal"] for track in TRACKS}
        baked = [self.stage.GetPrimAtPath(path) for path in self.request["baked"]]
        return tracks | {str(op.GetAttr().GetPath()) for prim in baked for op in ops_of(prim)}

    def _graph(self, number: int) -> Graph:
        return Graph(self.arrays[f"x{number}"], self.arrays[f"y{number}"])

    def _mover(self, number: int) -> KeyMover:
        if number not in self._movers:
            self._movers[number] = key_mover(self._graph(number))
        return self._movers[number]

    def _sources(self, number: int, times: FloatArray) -> FloatArray:
        """Return source times for output times; pairs were made for exactly these."""
        if number in self.pairs:
            return np.asarray(self.arrays[f"y{number}"])
        return times if number == _LEAVE else self._mover(number).at(times)

    def _editable(self, path: str) -> Any:
        """Return an attribute or prim for writing; instances that contain it become editable."""
        place = Sdf.Path(path)
        prim = self.stage.GetPrimAtPath(place.GetPrimPath())
        while prim and prim.IsInstanceProxy():
            highest = next(
                self.stage.GetPrimAtPath(p)
                for p in place.GetPrimPath().GetPrefixes()
                if self.stage.GetPrimAtPath(p).IsInstance()
            )
            highest.SetInstanceable(False)
            prim = self.stage.GetPrimAtPath(place.GetPrimPath())
        if not prim:
            raise Refused(f"{path} no longer exists")
        return self.stage.GetAttributeAtPath(place) if place.IsPropertyPath() else prim

    def _put(self, attribute: Any, times: FloatArray, values: list[Any]) -> None:
        """Replace all samples of an attribute in this layer."""
        layer = self.stage.GetEditTarget().GetLayer()
        spec = layer.GetAttributeAtPath(attribute.GetPath())
        for name in ("timeSamples", "spline"):
            if spec and spec.HasInfo(name):
                spec.ClearInfo(name)
        for time, value in zip(times.tolist(), values, strict=True):
            attribute.Set(Sdf.ValueBlock() if value is None else value, Usd.TimeCode(time))

    def _move(self, path: str, number: int) -> int:
        """Move the samples of any attribute by a warp."""
        attribute = self._editable(path)
        samples = sample_times(attribute)
        values = [attribute.Get(float(t)) for t in samples]
        if number in self.pairs:
            to = Moved(self.arrays[f"x{number}"], self.arrays[f"y{number}"])
        else:
            to = moved(samples, changes(values), self._mover(number))
        if not attribute.HasSpline() and _leaves(to, samples):
            return 0
        on = dict(zip(samples.tolist(), values, strict=True))
        shown = [on[t] if t in on else attribute.Get(t) for t in to.source.tolist()]
        power = _PER_SECOND.get(attribute.GetName())
        if power is not None and number not in self.pairs:
            shown = _scaled(shown, rates(self._mover(number), to.output) ** power)
        self._put(attribute, to.output, shown)
        return 1

    def _move_sound(self, path: str) -> int:
        """Move the start and end of a sound by the warp at its start; it is not stretched."""
        number = self.request["follow"]
        start = self.stage.GetAttributeAtPath(f"{path}.startTime")
        if number == _LEAVE or number in self.pairs or not start or not start.HasAuthoredValue():
            return 0
        old = float(start.Get().GetValue())
        graph = self._graph(number)
        new = float(graph.swap().at(old))
        if abs(new - old) < 1e-9 or graph.direction <= 0:
            return 0
        self._editable(path)
        start = self.stage.GetAttributeAtPath(f"{path}.startTime")
        end = self.stage.GetAttributeAtPath(f"{path}.endTime")
        if end and end.HasAuthoredValue() and float(end.Get().GetValue()) > old:
            end.Set(Sdf.TimeCode(float(end.Get().GetValue()) + new - old))
        start.Set(Sdf.TimeCode(new))
        return 1

    # ---- skeletal animations

    def _write_tracks(self, entry: dict[str, Any]) -> int:
        """Sample the tracks of an animation: each joint by its warp, edited ones as given."""
        prim = self._editable(entry["prim"])
        joints = len(UsdSkel.Animation(prim).GetJointsAttr().Get() or ())
        tracks = {name: self._track(prim.GetAttribute(name), name, joints) for name in TRACKS}
        frames = np.asarray(self.arrays[f"{entry['key']}.frames"])
        times = self._times(entry, tracks, frames)
        changed = 0
        for name, (samples, values) in tracks.items():
            if len(samples) == 1 and not entry["edited"][name] and not entry["extra"]:
                continue
            source = np.stack([self._sources(g, times) for g in entry[name]], axis=1).reshape(
                len(times), joints
            )
            made = between(samples, values, source, turns=name == "rotations")
            made = self._with_edits(entry, name, made, times, frames)
            self._put(prim.GetAttribute(name), times, [usd_array(name, row) for row in made])
            changed += 1
        if entry["extra"]:
            joints_attribute = UsdSkel.Animation(prim).GetJointsAttr()
            joints_attribute.Set([*joints_attribute.Get(), *entry["extra"]])
        return changed

    def _with_edits(
        self,
        entry: dict[str, Any],
        name: str,
        made: FloatArray,
        times: FloatArray,
        frames: FloatArray,
    ) -> FloatArray:
        """Return a track with the given values of edited joints, and with joints that are new."""
        edited = entry["edited"][name]
        if edited:
            told = np.asarray(self.arrays[f"{entry['key']}.{name}"])
            made[np.ix_(np.flatnonzero(np.isin(times, frames)), edited)] = told
        if entry["extra"]:
            told = np.asarray(self.arrays[f"{entry['key']}.{name}.extra"])
            near = np.clip(np.searchsorted(frames, times), 0, len(frames) - 1)
            made = np.concatenate([made, told[near]], axis=1)
        return made

    def _track(self, attribute: Any, name: str, joints: int) -> tuple[FloatArray, FloatArray]:
        if is_animated(attribute):
            samples = sample_times(attribute)
            rows = [attribute.Get(float(t)) for t in samples]
        else:
            samples, rows = np.zeros(1), [attribute.Get(0.0)]
        values = [np.array(row, dtype=float) for row in rows if row is not None]
        if len(values) < len(rows) or any(len(v) != joints for v in values):
            raise Refused(f"{attribute.GetPath()} does not have a value for each joint")
        found = np.stack(values).reshape(len(rows), joints, -1)
        return samples, found[..., [3, 0, 1, 2]] if name == "rotations" else found

    def _times(
        self,
        entry: dict[str, Any],
        tracks: Mapping[str, tuple[FloatArray, FloatArray]],
        frames: FloatArray,
    ) -> FloatArray:
        """Return the times to write: frames, samples beyond them, and sparse samples."""
        numbers = {g for name in TRACKS for g in entry[name]} - self.pairs - {_LEAVE}
        movers = [self._mover(g) for g in sorted(numbers)]
        samples = joined(*(s for s, _ in tracks.values() if len(s) > 1), np.zeros(0))
        other = np.zeros(0)
        if len(samples) > 1:
            still = np.zeros(len(samples) - 1)
            other = joined(*(moved(samples, still, m).output for m in movers), other)
        beyond = other[_is_beyond(other, frames)]
        if entry["exact_frames"]:
            out: FloatArray = np.r_[beyond[beyond < frames[0]], frames, beyond[beyond > frames[-1]]]
            return out
        if len(samples) * len(movers) < len(frames):
            return joined(frames, other)
        cuts = [m.x[m.cuts + side] for m in movers for side in (0, 1)]
        return joined(frames, beyond, *cuts)

    # ---- transforms

    def _bake(self, path: str, name: str, number: int) -> int:
        """Replace the transform operations of a prim by a matrix at each output frame."""
        prim = self._editable(path)
        frames, told = np.asarray(self.arrays[f"{name}.frames"]), self.arrays[f"{name}.matrices"]
        times, matrices = frames.tolist(), list(np.asarray(told))
        moving = [sample_times(op.GetAttr()) for op in ops_of(prim) if is_animated(op.GetAttr())]
        if moving and number != _LEAVE and number not in self.pairs:
            samples = joined(*moving)
            to = moved(samples, np.zeros(max(len(samples) - 1, 0)), self._mover(number))
            beyond = _is_beyond(to.output, frames)
            times += to.output[beyond].tolist()
            matrices += [local_matrix(prim, t) for t in to.source[beyond]]
        form = UsdGeom.Xformable(prim)
        resets = form.GetResetXformStack()
        op = form.MakeMatrixXform()
        form.SetResetXformStack(resets)
        order = np.argsort(times, kind="stable")
        values = [Gf.Matrix4d(*np.asarray(matrices[k]).ravel().tolist()) for k in order]
        self._put(op.GetAttr(), np.array(times)[order], values)
        return 1


def usd_array(name: str, row: FloatArray) -> Any:
    """Convert a row of joints to a USD array."""
    kind = _ARRAYS[name]
    if name == "rotations":
        return kind.FromNumpy(np.ascontiguousarray(row[:, [1, 2, 3, 0]], dtype=np.float32))
    return kind.FromNumpy(
        np.ascontiguousarray(row, dtype=np.float16 if name == "scales" else np.float32)
    )


def _is_beyond(times: FloatArray, frames: FloatArray) -> Any:
    """Return which times are before the first or after the last frame."""
    return (times < frames[0] - 1e-6) | (times > frames[-1] + 1e-6)


def _scaled(values: list[Any], factors: FloatArray) -> list[Any]:
    """Multiply values; those that are blocked stay so."""
    pairs = zip(values, factors.tolist(), strict=True)
    return [None if v is None else v * factor for v, factor in pairs]


def _leaves(to: Moved, samples: FloatArray) -> bool:
    """Return whether a warp leaves all samples in place."""
    if len(to.output) != len(samples):
        return False
    return bool(np.abs([to.output - samples, to.source - samples]).max() < 1e-9)
