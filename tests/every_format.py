"""One small motion file of every format that retime reads."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np

import retime
from asf_making import ASF, amc_text
from fbx_making import made_of
from retime import samples
from table_making import storage, trc
from unity_making import clip_of
from vmd_making import dance

__all__ = ["motion_file"]


def motion_file(suffix: str, folder: Path) -> list[Path]:
    """Write a motion of a format; return its files, of which several may belong together."""
    path = folder / f"take_01{suffix}"
    if suffix in (".amc", ".asf"):
        skeleton = folder / "take.asf"
        skeleton.write_text(ASF)
        amc = path.with_suffix(".amc")
        amc.write_bytes(amc_text().encode())
        return [amc, skeleton]
    if suffix == ".c3d":
        return [_c3d(path)]
    if suffix == ".pkl":
        values = {"smpl_poses": np.zeros((60, 72)), "smpl_trans": np.zeros((60, 3))}
        values["smpl_poses"][:, 3 * 16] = np.sin(np.arange(60) / 20)
        path.write_bytes(pickle.dumps(values))
        return [path]
    if suffix == ".npy":
        poses = np.zeros((60, 22, 3))
        poses[..., 1] = np.linspace(0, 1.6, 22)
        poses[:, 21, 0] = np.sin(np.arange(60) / 20)
        np.save(path, poses)
        return [path]
    if suffix == ".anim":
        path.write_text(clip_of(samples.walk()))
        return [path]
    if suffix in (".trc", ".mot", ".sto"):
        path.write_text(trc() if suffix == ".trc" else storage())
        return [path]
    if suffix == ".vmd":
        path.write_bytes(dance())
        return [path]
    if suffix == ".fbx":
        return [made_of(samples.walk()).write(path)]
    if suffix in (".vrm", ".vrma"):
        retime.write(samples.walk(), path.with_suffix(".glb"))
        return [path.with_suffix(".glb").rename(path)]
    retime.write(samples.walk(), path)
    return [path]


def _c3d(path: Path) -> Path:
    import ezc3d

    c3d = ezc3d.c3d()
    labels = ["LANK", "LTOE", "RANK", "RTOE"]
    c3d["parameters"]["POINT"]["RATE"]["value"] = [100.0]
    c3d["parameters"]["POINT"]["UNITS"]["value"] = ["mm"]
    c3d["parameters"]["POINT"]["LABELS"]["value"] = labels
    t = np.arange(120) / 100
    points = np.ones((4, len(labels), len(t)))
    for k in range(len(labels)):
        points[:3, k] = [100 * k + 50 * np.sin(3 * t), 1000 * t, 20 + 50 * k + 0 * t]
    c3d["data"]["points"] = points
    c3d.write(str(path))
    return path
