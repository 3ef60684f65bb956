"""glTF: a file of 3 MB with 100 channels read, retimed and written, against a copy by pygltflib."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import retime
from bench.timing import Figure, seconds
from retime import Motion, Skeleton, TimeWarp, apply, quat


def _figure(joints: int = 99, frames: int = 1500) -> Motion:
    """Make a motion whose file has about 100 channels and 3 MB."""
    draw = np.random.default_rng(0)
    parents = np.array([-1, *(draw.integers(0, k) for k in range(1, joints))])
    skeleton = Skeleton(
        tuple(f"J{j}" for j in range(joints)), parents, draw.normal(size=(joints, 3))
    )
    turns = np.cumsum(draw.normal(0, 0.02, (frames, joints, 3)), axis=0)
    place = {"J0": np.cumsum(draw.normal(0, 0.01, (frames, 3)), axis=0)}
    return Motion(skeleton, quat.exp(turns), place, fps=60)


def figures() -> Iterator[Figure]:
    import pygltflib

    with tempfile.TemporaryDirectory() as folder:
        file, out = Path(folder) / "in.glb", Path(folder) / "out.glb"
        retime.write(_figure(), file)
        x = np.linspace(0, 1, 2000)

        def stretch() -> None:
            motion = retime.read(file)
            a, b = motion.domain
            retime.write(apply(motion, TimeWarp([a, a + 1.5 * (b - a)], [a, b])), out)

        def bend() -> None:
            motion = retime.read(file)
            a, b = motion.domain
            y = a + (b - a) * (x + 0.1 * np.sin(2 * np.pi * x))
            retime.write(apply(motion, TimeWarp(a + (b - a) * x, y)), out)

        def peer() -> None:
            pygltflib.GLTF2().load(str(file)).save(str(out))

        size = f"{file.stat().st_size / 1e6:.1f} MB, 100 channels"
        copied = seconds(peer)
        yield Figure(f"stretch in place, {size}", seconds(stretch), "pygltflib, copy only", copied)
        yield Figure(f"bend in place, {size}", seconds(bend), "pygltflib, copy only", copied)
        yield Figure(
            "read only", seconds(lambda: retime.read(file)), "pygltflib, copy only", copied
        )
