"""BVH: reading and writing 10 MB, against every BVH package of the registry that runs."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import retime
from bench.timing import Figure, seconds
from retime import quat, samples


def _large_file(folder: Path, megabytes: float) -> Path:
    """Write a BVH file of a 32-joint chain that turns about all axes."""
    chain = samples.chain(32)
    frames = round(megabytes * 1e6 / (99 * 10.2))
    random = np.random.default_rng(7)
    walk = np.cumsum(random.normal(0, 0.01, (frames, 32, 3)), axis=0)
    root = np.cumsum(random.normal(0, 0.01, (frames, 3)), axis=0)
    motion = retime.Motion(chain.skeleton, quat.exp(walk), {"Link1": root}, fps=120.0)
    path = folder / "large.bvh"
    retime.write(motion, path)
    return path


def _peers() -> dict[str, Callable[[Path], Any]]:
    def bvhio(path: Path) -> Any:
        import bvhio

        return bvhio.readAsBvh(str(path))

    def pybvh(path: Path) -> Any:
        import pybvh

        return pybvh.read_bvh_file(str(path))

    def bvh(path: Path) -> Any:
        import bvh

        return bvh.Bvh(path.read_text())

    def bvhtoolbox(path: Path) -> Any:
        from bvhtoolbox import BvhTree

        return BvhTree(path.read_text())

    return {"bvhio": bvhio, "pybvh": pybvh, "bvh": bvh, "bvhtoolbox": bvhtoolbox}


def figures() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as name:
        path = _large_file(Path(name), 10.0)
        size = path.stat().st_size / 1e6
        ours = seconds(lambda: retime.read(path))
        for peer, read in _peers().items():
            try:
                theirs = seconds(partial(read, path), repeats=1)
            except Exception as e:
                print(f"bvh: {peer} could not read the file: {type(e).__name__}: {e}")
                continue
            yield Figure(f"read {size:.1f} MB", ours, peer, theirs)
        motion = retime.read(path)
        end = motion.duration
        out = Path(name) / "out.bvh"
        retimed = retime.apply(motion, retime.TimeWarp([0, end], [0, end]))
        written = seconds(lambda: retime.write(retimed, out))
        rows = np.random.default_rng(1).normal(0, 50, (len(motion), 99))
        text = Path(name) / "rows.txt"
        saved = seconds(lambda: np.savetxt(text, rows, fmt="%.6f"), repeats=1)
        yield Figure(f"write {out.stat().st_size / 1e6:.1f} MB", written, "numpy.savetxt", saved)
        same = seconds(lambda: retime.write(motion, out))
        yield Figure(f"write unedited {size:.1f} MB", same, "numpy.savetxt", saved)
