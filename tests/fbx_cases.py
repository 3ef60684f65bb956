"""FBX files that try every part of the evaluation, and those of other makers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from fbx_making import (
    AUTO,
    BROKEN,
    CLAMPED,
    CONSTANT,
    CUBIC,
    LINEAR,
    NEXT,
    PROGRESSIVE,
    TCB,
    TICKS,
    USER,
    WEIGHTED,
    Maker,
    weights,
)
from retime.io.fbx.properties import real
from retime.io.fbx.tree import Node

# Largest error of an angle between keys under a curved warp, in radians: the writer adds up 0.02
# degrees over layers and axes.
CLOSE = 5e-4


SHARED = Path(__file__).parents[2] / "shared" / "samples"
TIMES = np.array([0.0, 0.4, 0.777, 0.9, 1.3, 1.501, 1.99, 2.0])
_KEYS = np.array([0.0, 0.3, 0.7, 0.75, 1.2, 1.6, 2.0])


def _wild(seed: int, keys: int = len(_KEYS), size: float = 40.0) -> np.ndarray:
    return size * np.random.default_rng(seed).normal(size=(keys, 3))


def _placed() -> Maker:
    """Every rotation order, with rotations before and after, pivots, offsets and inheritance."""
    maker = Maker(7500)
    layer, parent = maker.stack("s", 0, 2), 0
    for order in range(6):
        model = maker.model(
            f"J{order}", parent, RotationOrder=order, RotationActive=order % 2,
            InheritType=order % 3, PreRotation=[10.0, 20.0, 30.0], PostRotation=[-5.0, 7.0, 11.0],
            RotationPivot=[1.0, 2.0, 3.0], RotationOffset=[0.5, 0.0, 0.0],
            ScalingPivot=[0.0, 1.0, 2.0], ScalingOffset=[0.2, 0.0, 0.1],
            Lcl_Scaling=[1.0, 2.0, 0.5],
        )  # fmt: skip
        parent = parent or model
        maker.animate(layer, model, "Lcl Rotation", _KEYS, _wild(order))
        maker.animate(layer, model, "Lcl Scaling", _KEYS, 1 + _wild(order, size=0.2))
    return maker


def _automatic() -> Maker:
    """Automatic tangents of every kind, with biases and weights, and tension."""
    maker = Maker(7400)
    layer = maker.stack("s", 0, 2)
    level = np.array(
        [[0, 0, 0], [9, 9, 9], [9, 9, 9], [9.0005, 4, 4], [30, 4, 4], [2, 2, 2], [2, 5, 9]]
    )
    kinds = {
        "auto": (AUTO, 0), "flat": (AUTO | CLAMPED, 0), "even": (AUTO | 0x2000, 0),
        "held": (AUTO | 0x4000, 0), "both": (AUTO | PROGRESSIVE, 0),
        "biased": (AUTO, 60), "strong": (AUTO, 700), "split": (AUTO | BROKEN, -30),
        "tcb": (TCB, 0), "user": (USER, 30), "broken": (USER | BROKEN, 30),
        "weighted": (USER | BROKEN | WEIGHTED, 30), "heavy": (AUTO | WEIGHTED, 0),
    }  # fmt: skip
    for n, (name, (flags, bias)) in enumerate(kinds.items()):
        model = maker.model(name)
        third = weights(0.8, 0.2) if flags & WEIGHTED else 0.25
        data = [bias or 0.3, -bias or 0.2, third if flags & (WEIGHTED | TCB) else 0, 0]
        maker.animate(
            layer, model, "Lcl Translation", _KEYS, _wild(n), flags=CUBIC | flags, data=data
        )
        maker.animate(layer, model, "Lcl Rotation", _KEYS, level, flags=CUBIC | flags)
        mixed = [LINEAR, CUBIC | flags, CONSTANT, CUBIC | flags, CONSTANT | NEXT, LINEAR, LINEAR]
        maker.animate(layer, model, "Lcl Scaling", _KEYS, 1 + _wild(n, size=0.2), flags=mixed)
    return maker


def beyond(maker: Maker, mode: str, count: int = -1) -> list[Node]:
    """Return what makes a curve continue before and after its keys."""
    node = maker.tree.node
    kind = b"C" + mode.encode()
    below = [node(b"Type", [kind]), node(b"Repetition", [real(count, "I")])]
    return [node(name, (), below) for name in (b"Pre-Extrapolation", b"Post-Extrapolation")]


def rounds(flags: int = LINEAR) -> Maker:
    """Curves that repeat, swing and go on, some of them a few times only."""
    maker = Maker(7400)
    layer = maker.stack("s", 0, 2)
    data = [40.0, -20.0, 0, 0]
    for mode in "CRAMK":
        for count in (-1, 0, 1):
            model = maker.model(f"{mode}{count}")
            more = beyond(maker, mode, count)
            curves = {
                axis: maker.curve([0.8, 0.9, 1.13], [n, 9, 4 - n], flags, data, more=more)
                for n, axis in enumerate(("d|X", "d|Y", "d|Z"))
            }
            maker.drive(layer, model, "Lcl Translation", curves)
    return maker


def _layers() -> Maker:
    """Layers that add, replace and mix, by rotation or by angle, with animated weights."""
    maker = Maker(7400)
    layer = maker.stack("s", 0, 2)
    stack = layer - 1
    models = [maker.model(f"A{n}", RotationOrder=n) for n in range(3)]
    for n, model in enumerate(models):
        maker.animate(layer, model, "Lcl Rotation", _KEYS, _wild(n))
        maker.animate(layer, model, "Lcl Translation", _KEYS, _wild(n + 9))
    for blend in (0, 1, 2):
        for mode in (0, 1):
            own = maker.layer(
                stack, f"L{blend}{mode}", BlendMode=blend, Weight=35.0,
                RotationAccumulationMode=mode, ScaleAccumulationMode=mode,
            )  # fmt: skip
            model = models[(blend + mode) % 3]
            maker.animate(own, model, "Lcl Rotation", _KEYS, _wild(20 + blend))
            maker.animate(own, model, "Lcl Scaling", _KEYS, 1 + _wild(30 + mode, size=0.2))
            if mode:
                maker.animate(own, model, "Lcl Translation", _KEYS, _wild(40 + blend))
                fade = maker.curve([0, 2], [0, 100])
                maker.drive(own, own, "Weight", {"d|Weight": fade})
    return maker


def _partial() -> Maker:
    """Only one axis has a curve; the others have the values of the curve node."""
    maker = Maker(7400, UpAxis=2)
    layer = maker.stack("s", 0, 2)
    model = maker.model("A", Lcl_Translation=[1.0, 2.0, 3.0], Lcl_Rotation=[10.0, 20.0, 30.0])
    maker.drive(layer, model, "Lcl Translation", {"d|Y": maker.curve([0, 2], [0, 7])}, (4, 5, 6))
    maker.drive(layer, model, "Lcl Rotation", {"d|Z": maker.curve([1], [70])}, (40, 50, 60))
    return maker


def made() -> dict[str, Maker]:
    """Return files by name."""
    return {
        "placed": _placed(), "automatic": _automatic(), "rounds": rounds(), "layers": _layers(),
        "cubic rounds": rounds(CUBIC | USER | BROKEN), "partial": _partial(),
        "ticks": _with_ticks(1004), "old ticks": _with_ticks(1003),
    }  # fmt: skip


def _with_ticks(header: int) -> Maker:
    """Make a file with another time code, which counts from a version of the header on."""
    maker = _partial()
    node = maker.tree.node
    code = node(b"OtherFlags", (), [node(b"TCDefinition", [real(64, "I")])])
    maker.header += [node(b"FBXHeaderVersion", [real(header, "I")]), code]
    assert TICKS > 1e10
    return maker


def shared() -> Iterator[Path]:
    """Files of other makers, where they are."""
    yield from sorted((SHARED / "fbx").glob("*.fbx"))
    yield from sorted(SHARED.glob("*.fbx"))
