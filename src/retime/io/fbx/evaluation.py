"""Poses of an FBX file, evaluated by ufbx in a separate process.

ufbx never reads the user's file. It reads a small file made here, with only models, layers and
curves, whose numbers were checked. First it returns the tangents of the keys. Then the curves are
sampled at the requested times, and ufbx computes the transforms.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from retime.arrays import FloatArray
from retime.io.fbx.curves import (
    CONSTANT,
    CUBIC,
    LINEAR,
    NEXT,
    PLAIN_WEIGHT,
    Curve,
    linear_curve,
    new_curve,
)
from retime.io.fbx.document import Document, Thing
from retime.io.fbx.properties import packed, real, text
from retime.io.fbx.stacks import Drive, Stack
from retime.io.fbx.tree import Node, empty_tree, write
from retime.motion.sampling import MOST_BYTES
from retime.process.library import Arrays, IsolatedLibrary
from retime.temporary import temporary_folder

_MODES = (CONSTANT, CONSTANT | NEXT, LINEAR, CUBIC)


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
    """Models that do not take the size of what is above them."""


LIBRARY = IsolatedLibrary(
    Path(__file__).with_name("child.py"),
    module="pufbx",
    extra="fbx",
    kind="FBX",
    feature="FBX, whose evaluator is compiled while it is installed and asks for a C compiler,",
    seconds=30.0,
    most_answers=400,  # ufbx's wrapper keeps some memory of each file
)


class Evaluator:
    """An evaluator of files; use it in a ``with`` statement."""

    def __init__(self, path: str | Path) -> None:
        self.path = path
        self.folder = temporary_folder()

    def __enter__(self) -> Evaluator:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.folder.cleanup()

    def _ask(self, what: str, file: Path, arrays: Arrays | None = None) -> Arrays:
        _, found = LIBRARY.ask(
            {"do": what, "path": str(file)},
            arrays,
            folder=self.folder.name,
            size=file.stat().st_size,
            path=self.path,
        )
        return found

    def _write(self, name: str, nodes: Iterable[Node], version: int) -> Path:
        place = Path(self.folder.name) / name
        with place.open("wb") as file:
            file.writelines(write(empty_tree(version), nodes))
        return place

    def resolved(self, document: Document, curves: Mapping[int, Curve]) -> dict[int, Curve]:
        """Return curves with the tangents that ufbx computes: automatic ones, and by tension."""
        whole, curves = curves, {n: c for n, c in curves.items() if c.has_found_tangents}
        if not curves:
            return dict(whole)
        maker = _maker(document)
        objects = [new_curve(maker, number, curve) for number, curve in curves.items()]
        top = [*_copied(document, (b"FBXHeaderExtension",)), _objects(maker, objects)]
        found = self._ask("keys", self._write("keys.fbx", top, maker.tree.version))
        counts = [len(c.ticks) for c in curves.values()]
        if found["counts"].tolist() != counts:
            raise document.fail("ufbx found other keys than retime in its curves")
        if not (np.isfinite(found["reach"]).all() and np.isfinite(found["rise"]).all()):
            raise document.fail("the tangents of its curves are not finite")
        ends = np.cumsum(counts)
        mode = np.array(_MODES)[np.clip(found["mode"], 0, 3)]
        out = dict(whole)
        for (number, curve), end in zip(curves.items(), ends, strict=True):
            own = slice(int(end) - len(curve.ticks), int(end))
            out[number] = _with_tangents(
                curve, mode[own], found["reach"][own], found["rise"][own], document.ticks
            )
        return out

    def poses(
        self, document: Document, stack: Stack | None, times: FloatArray, models: Sequence[Thing]
    ) -> Poses:
        """Evaluate models at times (F,) in seconds."""
        maker = _maker(document)
        objects, links = _models(document, maker, models)
        if stack is not None:
            animation = _animation(document, maker, stack, times, {m.id for m in models})
            objects, links = objects + animation[0], links + animation[1]
        kept = (b"FBXHeaderExtension", b"GlobalSettings", b"Definitions")
        top = [*_copied(document, kept), _objects(maker, objects)]
        top.append(maker.tree.node(b"Connections", (), links, closed=True))
        file = self._write("poses.fbx", top, maker.tree.version)
        found = self._ask("poses", file, {"times": times})
        return _poses_of(document, found, {str(m.id): m.id for m in models})


def _poses_of(document: Document, found: Arrays, number: dict[str, int]) -> Poses:
    """Return ufbx's results by the models' numbers; its root has none."""
    rows = {number[str(n)]: k for k, n in enumerate(found["names"]) if str(n) in number}
    if len(rows) < len(number):
        raise document.fail("ufbx found other models than retime")
    if not np.isfinite(found["rest"]).all() or not np.isfinite(found["tracks"]).all():
        raise document.fail("its transforms are not finite")
    moved = dict(zip(found["moved"].tolist(), found["tracks"], strict=True))
    return Poses(
        {n: number.get(str(found["parents"][k]), 0) for n, k in rows.items()},
        {n: found["rest"][k] for n, k in rows.items()},
        {n: moved[k] for n, k in rows.items() if k in moved},
        frozenset(n for n, k in rows.items() if found["modes"][k] == 1),
    )


def _maker(document: Document) -> Document:
    """Return an empty file of the same version."""
    return Document(empty_tree(document.tree.version), document.path, "")


def _copied(document: Document, names: Sequence[bytes]) -> list[Node]:
    found = (document.top(name) for name in names)
    return [_fresh(node) for node in found if node is not None]


def _objects(maker: Document, objects: Sequence[Node]) -> Node:
    return maker.tree.node(b"Objects", (), objects, closed=True)


def _link(maker: Document, kind: bytes, child: int, parent: int, property: str = "") -> Node:
    parts = [text(kind), real(child, "L"), real(parent, "L")]
    return maker.tree.node(b"C", [*parts, text(property.encode())] if property else parts)


def _models(
    document: Document, maker: Document, models: Sequence[Thing]
) -> tuple[list[Node], list[Node]]:
    """Return models with their properties, named by their numbers, and their connections."""
    objects = []
    for model in models:
        rows = model.node.child(b"Properties70")
        name = text(str(model.id).encode() + b"\x00\x01Model")
        kind = text(model.subclass.encode())
        below = [] if rows is None else [_fresh(rows)]
        objects.append(maker.tree.node(b"Model", [real(model.id, "L"), name, kind], below))
    known = {model.id for model in models} | {0}
    links = [
        _link(maker, link.kind.encode(), link.child, link.parent, link.property)
        for link in document.links
        if link.child in known and link.parent in known and link.kind in ("OO", "PP")
    ]
    return objects, links


def _fresh(node: Node) -> Node:
    """Return a node, with all nodes below it, that has no position in a file yet."""
    return replace(node, start=-1, children=tuple(map(_fresh, node.children)))


def _animation(
    document: Document, maker: Document, stack: Stack, times: FloatArray, models: set[int]
) -> tuple[list[Node], list[Node]]:
    """Return a stack whose curves have their keys at given times, and its connections."""
    layers = {layer.id for layer in stack.layers}
    drives = [d for d in stack.drives if d.target in models or d.target in layers]
    whole = len(times) * 12 * sum(len(d.curves) for d in drives)
    if whole > MOST_BYTES:
        raise document.fail(f"its curves at {len(times)} frames are more than fits in memory")
    ticks = np.round(times * document.ticks).astype(np.int64)
    keys = maker.tree.node(b"KeyTime", [packed("l", ticks, pack=False)])
    objects = [_fresh(stack.thing.node), *(_fresh(layer.node) for layer in stack.layers)]
    links = [_link(maker, b"OO", layer.id, stack.thing.id) for layer in stack.layers]
    nodes: dict[int, Drive] = {}
    for drive in drives:
        nodes.setdefault(drive.thing.id, drive)
    for drive in nodes.values():
        objects.append(_fresh(drive.thing.node))
        links += _curve_links(maker, stack, drive)
    links += [_link(maker, b"OP", d.thing.id, d.target, d.property) for d in drives]
    used = {thing.id for drive in drives for thing in drive.curves.values()}
    tracks = {n: c.at(times, document.ticks) for n, c in stack.curves.items() if n in used}
    objects += [_dense(maker, number, track, ticks, keys) for number, track in tracks.items()]
    return objects, links


def _curve_links(maker: Document, stack: Stack, drive: Drive) -> list[Node]:
    """Return the connections of a curve node with its layer and its curves."""
    number = drive.thing.id
    own = [(axis, t.id) for axis, t in drive.curves.items() if t.id in stack.curves]
    curves = [_link(maker, b"OP", curve, number, axis) for axis, curve in own]
    return [_link(maker, b"OO", number, drive.layer), *curves]


def _dense(maker: Document, number: int, track: FloatArray, ticks: Any, keys: Node) -> Node:
    """Return a linear curve; all curves share the node of their times."""
    if np.ptp(track) == 0:
        return new_curve(maker, number, linear_curve(ticks[:1], track[:1]))
    node = maker.tree.node
    parts = [real(number, "L"), text(b"\x00\x01AnimCurve"), text(b"")]
    below = [
        keys,
        node(b"KeyValueFloat", [packed("f", track, pack=False)]),
        node(b"KeyAttrFlags", [packed("i", [LINEAR])]),
        node(b"KeyAttrDataFloat", [packed("f", [0.0] * 4)]),
        node(b"KeyAttrRefCount", [packed("i", [len(ticks)])]),
    ]
    return node(b"AnimationCurve", parts, below)


def _with_tangents(
    curve: Curve, mode: Any, reach: FloatArray, rise: FloatArray, per_second: int
) -> Curve:
    """Turn the tangents of keys into slopes and weights of the segments between them."""
    n = len(curve.ticks)
    slopes, weights = np.zeros((n, 2)), np.full((n, 2), PLAIN_WEIGHT)
    step = np.diff(curve.ticks) / per_second
    pairs = ((reach[:-1, 1], rise[:-1, 1], 0), (reach[1:, 0], rise[1:, 0], 1))
    for across, up, side in pairs:
        there = across > 1e-12
        slopes[:-1, side] = np.where(there, up / np.where(there, across, 1.0), 0.0)
        weights[:-1, side] = np.where(step > 0, across / np.where(step > 0, step, 1.0), 1 / 3)
    weights = np.clip(weights, 0.0, 1.0)
    weights[np.abs(weights - PLAIN_WEIGHT) < 2e-6] = PLAIN_WEIGHT
    return curve.resolved(np.asarray(mode, np.int64), slopes, weights)
