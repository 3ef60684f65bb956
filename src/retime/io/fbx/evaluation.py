"""Poses of an FBX file: the local transforms of its models, at rest and at times.

Curves give the values of properties, layers are mixed, and the properties of a model amount to its
transform. How, was found by comparison with ufbx on hundreds of files (docs/decisions).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from retime.arrays import FloatArray
from retime.io.fbx.document import Document, Thing, property_rows
from retime.io.fbx.placing import PLAIN, Placing, Rows, Values, placing, whole
from retime.io.fbx.rotations import angles, euler
from retime.io.fbx.stacks import Drive, Stack
from retime.io.fbx.tree import Malformed
from retime.motion import quat
from retime.motion.sampling import MOST_BYTES

# Of InheritType: the scale of the model above is not taken.
_KEEPS_SIZE = 2
# How a layer is mixed with those below it.
_ADDITIVE, _OVERRIDE, _MIXED = 0, 1, 2
# From this weight on, a layer has all of it.
_ALL = 0.99999


@dataclass(frozen=True, eq=False)
class Poses:
    """Local transforms of models."""

    parents: Mapping[int, int]
    """The model above each; 0 if there is none."""
    rest: Mapping[int, FloatArray]
    """Translation, rotation (wxyz) and scale without animation. Shape (10,)."""
    tracks: Mapping[int, FloatArray]
    """The same at the wanted times, of models that move. Shape (F, 10)."""
    keeps_size: frozenset[int]
    """Models that do not take the scale of the model above."""


def poses(
    document: Document, stack: Stack | None, times: FloatArray, models: Sequence[Thing]
) -> Poses:
    """Evaluate models at times (F,) in seconds."""
    known = {m.id: document.model_defaults | property_rows(m.node) for m in models}
    placings = {number: placing(rows) for number, rows in known.items()}
    moved = _moved(document, stack, times, placings) if stack is not None else {}
    tracks = {}
    for number, layers in moved.items():
        own = placings[number]
        values = dict(own.own)
        for layer in layers:
            layer.mix_into(values, own.order)
        tracks[number] = own.transforms(values, len(times))
    rest = _at_rest(placings)
    if not all(np.isfinite(part).all() for part in (*rest.values(), *tracks.values())):
        raise Malformed("its transforms are not finite")
    keeps = (n for n, rows in known.items() if whole(rows, "InheritType", 1) == _KEEPS_SIZE)
    return Poses(_parents(document, known.keys()), rest, tracks, frozenset(keeps))


def _at_rest(placings: Mapping[int, Placing]) -> dict[int, FloatArray]:
    """Place all models of an order at once; a scene has thousands."""
    alike: dict[str, list[int]] = {}
    for number, own in placings.items():
        alike.setdefault(own.order, []).append(number)
    out: dict[int, FloatArray] = {}
    for numbers in alike.values():
        table = {k: np.concatenate([placings[n].own[k] for n in numbers]) for k in PLAIN}
        made = placings[numbers[0]].transforms(table, len(numbers))
        out.update(zip(numbers, made, strict=True))
    return out


def _parents(document: Document, models: Iterable[int]) -> dict[int, int]:
    """Return the model above each; of several, in damaged files, the first counts."""
    out = dict.fromkeys(models, 0)
    for link in document.links:
        if link.kind == "OO" and link.parent in out and out.get(link.child) == 0:
            out[link.child] = link.parent
    fine = {0}
    for node in out:
        way: set[int] = set()
        while node not in fine:
            if node in way:
                raise Malformed("its models are parented to each other in a circle")
            way.add(node)
            node = out[node]
        fine |= way
    return out


@dataclass(frozen=True, eq=False)
class _Layer:
    """One layer of the properties of one model."""

    blend: int
    """Additive, override, or mixed by weight; the base layer overrides."""
    turns: bool
    """Whether rotations are mixed as such, not angle by angle."""
    grows: bool
    """Whether scales are multiplied, not added."""
    weight: FloatArray
    """In [0, 1]. Shape (F or 1, 1)."""
    values: Values
    """Its values of properties, (F or 1, 3) each."""

    def mix_into(self, below: Values, order: str) -> None:
        """Mix the values of the layers below, (F or 1, 3) each, with those of this one."""
        for name, over in self.values.items():
            under = below[name]
            if self.blend == _OVERRIDE:
                below[name] = over
            elif name == "Lcl Rotation" and self.turns:
                below[name] = angles(self._turned(euler(under, order), euler(over, order)), order)
            elif name == "Lcl Scaling" and self.grows:
                kept = under if self.blend == _ADDITIVE else _power(under, 1 - self.weight)
                below[name] = kept * _power(over, self.weight)
            else:
                kept = under if self.blend == _ADDITIVE else under * (1 - self.weight)
                below[name] = kept + over * self.weight

    def _turned(self, under: FloatArray, over: FloatArray) -> FloatArray:
        if self.blend == _ADDITIVE:
            return quat.multiply(under, _slerp(quat.identity(1), over, self.weight))
        return _slerp(under, over, self.weight)


def _slerp(a: FloatArray, b: FloatArray, weight: FloatArray) -> FloatArray:
    a, b, share = np.broadcast_arrays(a, b, weight)
    return quat.slerp(a, b, share[:, 0])


def _power(size: FloatArray, weight: FloatArray) -> FloatArray:
    """Raise scales to weights, signs kept."""
    out: FloatArray = np.where(weight > 0, np.sign(size) * np.abs(size) ** weight, 1.0)
    return out


def _moved(
    document: Document, stack: Stack, times: FloatArray, models: Mapping[int, Placing]
) -> dict[int, list[_Layer]]:
    """Return the layers that move each model, the base first."""
    layers = {layer.id for layer in stack.layers}
    drives = [d for d in stack.drives if d.target in layers or d.target in models]
    wanted = {thing.id for d in drives for thing in d.curves.values()} & stack.curves.keys()
    if len(times) * 12 * len(wanted) > MOST_BYTES:
        raise document.fail(f"its curves at {len(times)} frames are more than fits in memory")
    tracks = {n: stack.curves[n].at(times, document.ticks) for n in wanted}
    out: dict[int, list[_Layer]] = {}
    for n, layer in enumerate(stack.layers):
        own = [d for d in drives if d.layer == layer.id]
        rows = property_rows(layer.node)
        blend = whole(rows, "BlendMode", _ADDITIVE) if n else _OVERRIDE
        values: dict[int, Values] = {}
        for drive in own:
            if drive.property in PLAIN and drive.target in models:
                held = values.setdefault(drive.target, {})
                if drive.property not in held:
                    held[drive.property] = _driven(drive, tracks)
        for model, held in values.items():
            made = _Layer(
                blend if blend in (_ADDITIVE, _MIXED) else _OVERRIDE,
                whole(rows, "RotationAccumulationMode", 0) == 0,
                whole(rows, "ScaleAccumulationMode", 0) == 0,
                _weight(rows, layer.id, own, tracks),
                held,
            )
            out.setdefault(model, []).append(made)
    return out


def _driven(drive: Drive, tracks: Mapping[int, FloatArray]) -> FloatArray:
    """Return the values (F or 1, 3) of a curve node; an axis without a curve has the node's."""
    rows = property_rows(drive.thing.node)
    parts = []
    for axis in "XYZ":
        curve = drive.curves.get(f"d|{axis}") or drive.curves.get(axis)
        track = None if curve is None else tracks.get(curve.id)
        parts.append(_number(rows, (f"d|{axis}", axis)) if track is None else track)
    return np.stack(np.broadcast_arrays(*parts), axis=1)


def _number(rows: Rows, names: Sequence[str], default: float = 0.0) -> FloatArray:
    """Return the first of some properties that there is, (1,)."""
    found = next((rows[name] for name in names if rows.get(name)), [default])
    return np.array([found[0] if isinstance(found[0], int | float) else default], dtype=float)


def _weight(
    rows: Rows, layer: int, drives: Sequence[Drive], tracks: Mapping[int, FloatArray]
) -> FloatArray:
    """Return the weight (F or 1, 1) of a layer, which may be animated in that layer."""
    percent = _number(rows, ["Weight"], 100.0)
    for drive in drives:
        if drive.target == layer and drive.property == "Weight":
            curves = [tracks[c.id] for c in drive.curves.values() if c.id in tracks]
            percent = curves[0] if curves else _driven(drive, tracks)[:, 0]
    share = np.clip(percent / 100, 0.0, 1.0)[:, None]
    return np.where(share > _ALL, 1.0, share)
