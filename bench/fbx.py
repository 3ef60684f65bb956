"""FBX: a file of some MB with 300 curves read, retimed and written, against ufbx and Blender."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import retime
from bench.timing import Figure, seconds
from retime import TimeWarp, apply
from retime.io.fbx.curves import Curve, linear_curve, new_curve
from retime.io.fbx.document import Document
from retime.io.fbx.properties import packed, real, text
from retime.io.fbx.tree import Node, empty_tree, write

_TICKS = 46_186_158_000
_BLENDER = Path(__file__).parents[1] / ".venv-blender" / "bin" / "python"
_MAKER = Path(__file__).parents[1] / "tests" / "fbx_in_blender.py"
_ROUND_TRIP = """
import sys, time, bpy
bpy.ops.wm.read_factory_settings(use_empty=True)
begun = time.perf_counter()
bpy.ops.import_scene.fbx(filepath=sys.argv[1])
bpy.ops.export_scene.fbx(filepath=sys.argv[2])
print("took", time.perf_counter() - begun)
"""


def _file(path: Path, joints: int = 100, frames: int = 1000, vertices: int = 50_000) -> None:
    """Make a chain of joints that all turn, with a mesh beside."""
    tree = empty_tree(7400)
    maker = Document(tree, path, "")
    draw = np.random.default_rng(0)
    objects: list[Node] = []
    links: list[Node] = []

    def link(child: int, parent: int, property: bytes = b"") -> None:
        kind = text(b"OP" if property else b"OO")
        parts = [kind, real(child, "L"), real(parent, "L")]
        links.append(tree.node(b"C", [*parts, text(property)] if property else parts))

    def row(name: bytes, kind: bytes, *values: bytes) -> Node:
        label = {b"double": b"Number", b"KTime": b"Time"}.get(kind, b"")
        return tree.node(b"P", [text(name), text(kind), text(label), text(b""), *values])

    def add(number: int, kind: bytes, name: bytes, sub: bytes, *children: Node) -> None:
        parts = [real(number, "L"), text(name + b"\x00\x01" + kind), text(sub)]
        objects.append(tree.node(kind, parts, children))

    def rows(*own: Node) -> Node:
        return tree.node(b"Properties70", (), own, closed=True)

    ticks = np.round(np.arange(frames) * _TICKS / 30).astype(np.int64)
    ends = [
        row(b"LocalStart", b"KTime", real(0, "L")),
        row(b"LocalStop", b"KTime", real(int(ticks[-1]), "L")),
    ]
    add(1, b"AnimationStack", b"take", b"", rows(*ends))
    add(2, b"AnimationLayer", b"base", b"")
    link(2, 1)
    for j in range(joints):
        numbers = [real(float(v)) for v in draw.normal(size=3)]
        place = row(b"Lcl Translation", b"Lcl Translation", *numbers)
        add(100 + j, b"Model", f"J{j}".encode(), b"LimbNode", rows(place))
        link(100 + j, 99 + j if j % 10 else 100 if j else 0)
        add(1000 + j, b"AnimationCurveNode", b"R", b"", rows())
        link(1000 + j, 2)
        link(1000 + j, 100 + j, b"Lcl Rotation")
        for axis, name in enumerate((b"d|X", b"d|Y", b"d|Z")):
            number = 2000 + 3 * j + axis
            curve: Curve = linear_curve(ticks, np.cumsum(draw.normal(0, 2.0, frames)))
            objects.append(new_curve(maker, number, curve))
            link(number, 1000 + j, name)
    add(50, b"Model", b"Body", b"Mesh", rows())
    points = tree.node(b"Vertices", [packed("d", draw.normal(size=3 * vertices))])
    corners = np.arange(3 * vertices // 3, dtype=np.int64)
    corners[2::3] = ~corners[2::3]
    faces = tree.node(b"PolygonVertexIndex", [packed("i", corners[: vertices // 3 * 3])])
    add(51, b"Geometry", b"Body", b"Mesh", points, faces)
    link(50, 0)
    link(51, 50)
    settings = rows(
        row(b"TimeMode", b"enum", real(6, "I")), row(b"UnitScaleFactor", b"double", real(1.0))
    )
    top = [
        tree.node(b"GlobalSettings", (), [settings]),
        tree.node(b"Objects", (), objects),
        tree.node(b"Connections", (), links),
    ]
    path.write_bytes(b"".join(write(tree, top)))


def _blender(folder: Path) -> tuple[Path, float] | None:
    """Let Blender make a file and time its import and export, where it is installed."""
    if not _BLENDER.exists():
        return None
    made, out = folder / "blender.fbx", folder / "again.fbx"
    for command in ([str(_MAKER), "make", str(made)], ["-c", _ROUND_TRIP, str(made), str(out)]):
        done = subprocess.run(
            [str(_BLENDER), *command], capture_output=True, text=True, timeout=600, check=False
        )
    took = [line for line in done.stdout.splitlines() if line.startswith("took")]
    return (made, float(took[-1].split()[1])) if took else None


def figures() -> Iterator[Figure]:
    import pufbx
    from pufbx import bake_anim

    with tempfile.TemporaryDirectory() as folder:
        file, out = Path(folder) / "in.fbx", Path(folder) / "out.fbx"
        _file(file)
        x = np.linspace(0, 1, 4000)

        def load() -> None:
            scene = pufbx.load_fbx(str(file))
            bake_anim(scene, scene.anim_stacks[0].anim, resample_rate=30.0)

        def stretch(source: Path = file) -> None:
            motion = retime.read(source)
            a, b = motion.domain
            retime.write(apply(motion, TimeWarp([a, a + 1.5 * (b - a)], [a, b])), out)

        def bend() -> None:
            motion = retime.read(file)
            a, b = motion.domain
            y = a + (b - a) * (x + 0.1 * np.sin(2 * np.pi * x))
            retime.write(apply(motion, TimeWarp(a + (b - a) * x, y)), out)

        size = f"{file.stat().st_size / 1e6:.1f} MB, 300 curves of 1000 keys"
        loaded = seconds(load)
        peer = "pufbx, load and bake only"
        yield Figure("read only", seconds(lambda: retime.read(file)), peer, loaded)
        stretched, bent = seconds(stretch), seconds(bend)
        yield Figure(f"stretch in place, {size}", stretched, peer, loaded)
        yield Figure(f"bend in place, {size}", bent, peer, loaded)
        found = _blender(Path(folder))
        if found is not None:
            ours = seconds(lambda: stretch(found[0]))
            yield Figure("stretch Blender's file", ours, "Blender, import and export", found[1])
