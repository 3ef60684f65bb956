"""Small FBX files for tests, of any version, and what ufbx itself makes of a file."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import fbx_oracle
from fbx_oracle import Tracks
from retime import Motion, quat
from retime.io.fbx.document import load
from retime.io.fbx.evaluation import poses
from retime.io.fbx.properties import Packed, array, packed, real, text, values
from retime.io.fbx.rotations import ORDERS, to_euler
from retime.io.fbx.stacks import stack_of
from retime.io.fbx.tangents import resolved
from retime.io.fbx.tree import Node, empty_tree, write

TICKS = 46_186_158_000
LINEAR, CONSTANT, CUBIC = 0x4, 0x2, 0x8
AUTO, TCB, USER, BROKEN = 0x100, 0x200, 0x400, 0x800
NEXT, CLAMPED, PROGRESSIVE = 0x100, 0x1000, 0x6000
WEIGHTED = 0x3000000


def weights(right: float, left: float) -> float:
    """Pack two weights as files have them: in the bits of a float."""
    bits = round(left * 10_000) << 16 | round(right * 10_000)
    return float(struct.unpack("<f", struct.pack("<I", bits))[0])


class Maker:
    """A file that grows by models and animations."""

    def __init__(self, version: int = 7400, **settings: float) -> None:
        self.tree = empty_tree(version)
        self.settings = {"UpAxis": 1, "UnitScaleFactor": 1.0, "TimeMode": 6} | settings
        self.objects: list[Node] = []
        self.links: list[Node] = []
        self.takes: list[Node] = []
        self.header: list[Node] = []
        self._next = 1000

    def number(self) -> int:
        self._next += 1
        return self._next

    def row(self, name: str, value: Any) -> Node:
        parts = [text(name.encode()), text(b"any"), text(b""), text(b"A")]
        values = value if isinstance(value, list | tuple) else [value]
        kinds = ["L" if name.endswith(("Start", "Stop")) else "I" if isinstance(v, int) else "D"
                 for v in values]  # fmt: skip
        packed_ = [real(v, kind) for v, kind in zip(values, kinds, strict=True)]
        return self.tree.node(b"P", [*parts, *packed_])

    def rows(self, values: Mapping[str, Any]) -> Node:
        made = [self.row(name, value) for name, value in values.items()]
        return self.tree.node(b"Properties70", (), made, closed=True)

    def add(self, kind: bytes, name: str, subclass: str, children: Sequence[Node] = ()) -> int:
        number = self.number()
        label = name.encode() + b"\x00\x01" + kind
        parts = [real(number, "L"), text(label), text(subclass.encode())]
        self.objects.append(self.tree.node(kind, parts, children))
        return number

    def link(self, child: int, parent: int, property: str = "") -> None:
        parts = [text(b"OP" if property else b"OO"), real(child, "L"), real(parent, "L")]
        self.links.append(
            self.tree.node(b"C", [*parts, text(property.encode())] if property else parts)
        )

    def model(self, name: str, parent: int = 0, kind: str = "LimbNode", **properties: Any) -> int:
        plain = {key.replace("_", " "): value for key, value in properties.items()}
        number = self.add(b"Model", name, kind, [self.rows(plain)])
        self.link(number, parent)
        return number

    def mesh(self, parent: int) -> int:
        """Add a geometry with a packed array, and a material."""
        points = np.random.default_rng(5).normal(size=3000)
        below = [
            self.tree.node(b"Vertices", [packed("d", points)]),
            self.tree.node(b"PolygonVertexIndex", [packed("i", [0, 1, -3])]),
        ]
        geometry = self.add(b"Geometry", "Body", "Mesh", below)
        self.link(geometry, parent)
        material = self.add(b"Material", "Skin", "", [self.rows({"DiffuseColor": [0.5, 0.1, 0.2]})])
        self.link(material, parent)
        return geometry

    def stack(self, name: str, start: float, stop: float, *, spans: bool = True) -> int:
        """Add a stack with a layer; return the layer."""
        ends = {"LocalStart": round(start * TICKS), "LocalStop": round(stop * TICKS)}
        ends |= {"ReferenceStart": ends["LocalStart"], "ReferenceStop": ends["LocalStop"]}
        rows = [self.rows(ends)] if spans else []
        number = self.add(b"AnimationStack", name, "", rows)
        node = self.tree.node
        times = [real(ends["LocalStart"], "L"), real(ends["LocalStop"], "L")]
        if spans:
            below = [
                node(b"FileName", [text(b"x.tak")]),
                node(b"LocalTime", times),
                node(b"ReferenceTime", times),
            ]
            self.takes.append(node(b"Take", [text(name.encode())], below))
        return self.layer(number, "Base")

    def layer(self, stack: int, name: str, **properties: Any) -> int:
        number = self.add(b"AnimationLayer", name, "", [self.rows(properties)])
        self.link(number, stack)
        return number

    def drive(
        self,
        layer: int,
        target: int,
        property: str,
        curves: Mapping[str, int],
        rest: Sequence[float] = (0, 0, 0),
    ) -> int:
        defaults = dict(zip(("d|X", "d|Y", "d|Z"), map(float, rest), strict=True))
        name = {"Lcl Translation": "T", "Lcl Rotation": "R", "Lcl Scaling": "S"}.get(property, "P")
        node = self.add(b"AnimationCurveNode", name, "", [self.rows(defaults)])
        self.link(node, layer)
        self.link(node, target, property)
        for axis, curve in curves.items():
            self.link(curve, node, axis)
        return node

    def curve(
        self,
        times: npt.ArrayLike,
        values: npt.ArrayLike,
        flags: int | Sequence[int] = LINEAR,
        data: Any = (0.0, 0.0, 0.0, 0.0),
        more: Sequence[Node] = (),
    ) -> int:
        times, values = np.asarray(times, float), np.asarray(values, float)
        table = np.broadcast_to(np.asarray(data, np.float32), (len(times), 4))
        every = np.broadcast_to(flags, len(times))
        node = self.tree.node
        below = [
            node(b"Default", [real(float(values[0]))]),
            node(b"KeyVer", [real(4009, "I")]),
            node(b"KeyTime", [packed("l", np.round(times * TICKS).astype(np.int64))]),
            node(b"KeyValueFloat", [packed("f", values)]),
            node(b"KeyAttrFlags", [packed("i", every)]),
            node(b"KeyAttrDataFloat", [packed("f", table.ravel())]),
            node(b"KeyAttrRefCount", [packed("i", np.ones(len(times)))]),
            *more,
        ]
        return self.add(b"AnimationCurve", "", "", below)

    def animate(
        self, layer: int, target: int, property: str, times: npt.ArrayLike, values: Any, **more: Any
    ) -> int:
        """Drive three axes by curves of a table (K, 3)."""
        table = np.asarray(values, float)
        curves = {axis: self.curve(times, table[:, n], **more)
                  for n, axis in enumerate(("d|X", "d|Y", "d|Z"))}  # fmt: skip
        return self.drive(layer, target, property, curves, table[0])

    def write(self, path: Path) -> Path:
        path.write_bytes(b"".join(write(self.tree, self.top())))
        return path

    def write_text(self, path: Path) -> Path:
        """Write the file as text, as Autodesk's SDK does."""
        told = ".".join(list(str(self.tree.version)[:3]))
        head = f"; FBX {told} project file\n; {'-' * 50}\n"
        body = "".join(as_text(n, 0, self.tree.version) for n in self.top())
        path.write_text(f"{head}\n{body}\n; the end\n")
        return path

    def top(self) -> list[Node]:
        node, tree = self.tree.node, self.tree
        return [
            node(b"FBXHeaderExtension", (), [node(b"FBXVersion", [real(tree.version, "I")]),
                                              *self.header]),
            node(b"GlobalSettings", (), [self.rows(self.settings)]),
            node(b"Objects", (), self.objects, closed=True),
            node(b"Connections", (), self.links, closed=True),
            node(b"Takes", (), self.takes, closed=True),
        ]  # fmt: skip


def as_text(node: Node, depth: int, version: int) -> str:
    """Write a node as Autodesk's SDK writes text."""
    indent, name = "\t" * depth, node.name.decode()
    parts = []
    for value in values(node):
        if isinstance(value, Packed):
            numbers = array(node, name)
            if name == "KeyAttrDataFloat" and version >= 7200:
                numbers = numbers.view("<i4")
            listed = ",".join(
                f"{v:.9g}" if isinstance(v, float) else str(v) for v in numbers.tolist()
            )
            parts.append(f"*{len(numbers)} {{\n{indent}\ta: {listed}\n{indent}}} ")
        elif isinstance(value, bytes):
            own, mark, kind = value.partition(b"\x00\x01")
            plain, label = own.decode("latin-1"), kind.decode("latin-1")
            said = f"{label}::{plain}" if mark else plain
            parts.append('"' + said.replace('"', "&quot;") + '"')
        else:
            parts.append(repr(value))
    below = "".join(as_text(c, depth + 1, version) for c in node.children)
    brace = f" {{\n{below}{indent}}}" if node.children or node.closed else ""
    return f"{indent}{name}: {', '.join(parts)}{brace}\n"


def made_of(motion: Motion) -> Maker:
    """Make a file of a motion in centimetres, a key a frame."""
    maker, skeleton = (
        Maker(UnitScaleFactor=1.0, TimeMode=14, CustomFrameRate=motion.fps),
        motion.skeleton,
    )
    numbers: list[int] = []
    layer = 0
    centimetres = 100 * motion.units.metres
    for j, name in enumerate(skeleton.names):
        parent = numbers[skeleton.parents[j]] if skeleton.parents[j] >= 0 else 0
        place = (centimetres * skeleton.offsets[j]).tolist()
        numbers.append(maker.model(name, parent, Lcl_Translation=place, RotationOrder=j % 6))
    for site in skeleton.end_sites:
        place = [centimetres * v for v in site.offset]
        maker.model(
            f"{skeleton.names[site.parent]}_end", numbers[site.parent], Lcl_Translation=place
        )
    layer = maker.stack("walk", *motion.domain)
    for j, name in enumerate(skeleton.names):
        degrees = to_euler(motion.rotations[:, j], ORDERS[j % 6], np.zeros(3))
        maker.animate(layer, numbers[j], "Lcl Rotation", motion.times, degrees)
        if name in motion.translations:
            table = centimetres * motion.translations[name]
            maker.animate(layer, numbers[j], "Lcl Translation", motion.times, table)
    return maker


def evaluated(path: Path, times: npt.ArrayLike, stack: int = 0) -> Tracks:
    """Evaluate a file by ufbx where it is installed, or else by retime's own evaluator.

    Stored results of ufbx judge that one (``test_fbx_evaluation.py``).
    """
    if find_spec("pufbx") is not None:
        return fbx_oracle.evaluated(path, times, stack)
    return evaluated_here(path, times, stack)


def evaluated_here(path: Path, times: npt.ArrayLike, stack: int = 0) -> Tracks:
    """Evaluate a file by retime: local transforms (F, 10) by node."""
    times, document = np.asarray(times, float), load(path)
    own = stack_of(document, stack)
    own = replace(own, curves=resolved(own.curves, document.ticks))
    models = document.of_kind(b"Model")
    found = poses(document, own, times, models)
    still = {n: np.tile(row, (len(times), 1)) for n, row in found.rest.items()}
    return {m.name: {**still, **found.tracks}[m.id] for m in models}


def differ(one: Tracks, other: Tracks) -> float:
    """Return the largest difference: radians, or shares of a node's extent."""
    assert one.keys() | {""} == other.keys() | {""}  # ufbx adds a root
    worst = 0.0
    for name in one.keys() - {""}:
        a, b = one[name], other[name]
        worst = max(worst, float(quat.angle(a[:, 3:7], b[:, 3:7]).max()))
        for part in (slice(0, 3), slice(7, 10)):
            extent = max(1.0, float(np.abs(a[:, part]).max()))
            worst = max(worst, float(np.abs(a[:, part] - b[:, part]).max()) / extent)
    return worst
