"""AIST++ motions: pickles of SMPL parameters, read without running code."""

from __future__ import annotations

import io
import pickle
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from retime.arrays import FloatArray
from retime.errors import FormatError, InputError
from retime.io import plain_pickle
from retime.io.amass.body_model import Model, model_of
from retime.io.amass.reader import approximate, bridged_vectors, posed_model
from retime.io.amass.writer import must_have_joints
from retime.io.as_read import is_as_read, kept_of, must_be_even, with_origin
from retime.io.files import read_bytes, write_bytes
from retime.io.gaps import Gaps, are_usable
from retime.io.parameters import RestFrame
from retime.motion import Motion, Units, quat
from retime.motion.kinematics import infer_units
from retime.notes import Note, Remedy

# AIST++ is recorded at 60 fps; its files have no frame rate.
_FPS = 60.0


@dataclass(frozen=True, eq=False)
class AistFile:
    """Data of a pickle, kept to write it back."""

    data: bytes
    values: dict[str, Any]
    model: Model
    scaling: float
    rest_rows: int
    motion: Motion


def read_motion(
    path: str | Path,
    *,
    rest_frame: RestFrame = "auto",
    fps: float | None = None,
) -> Motion:
    """Read a pickle. Options are those of ``retime.read``; a rest frame is not detected."""
    data = read_bytes(path)
    values = plain_pickle.load(data, path)
    poses, way, scaling = _parameters(values, path)
    model = model_of(poses.shape[1])
    assert model is not None
    gaps = Gaps(path)
    poses, way = bridged_vectors(poses, model, gaps), gaps.places("smpl_trans", way)
    aside = int(rest_frame == "first" and len(poses) > 0)
    motion = posed_model(
        model,
        poses,
        way / scaling,
        aside,
        fps=_FPS if fps is None else fps,
        units=Units(1.0, "Y", "declared"),
    ).with_notes(approximate(model, "the body model's own files are not read"), *gaps.notes(aside))
    if fps is None:
        told = Note(
            "the file has no frame rate; 60 fps is assumed, as in AIST++",
            Remedy(parameter="reading.fps"),
            code="rate-assumed",
        )
        motion = motion.with_notes(told)
    units, notes = infer_units(motion, scale=1.0)
    motion = replace(motion, units=replace(units, how="declared")).with_notes(*notes)
    kept = AistFile(data, values, model, scaling, aside, motion)
    return with_origin(motion, "aist", path, data, kept)


def _parameters(values: Any, path: str | Path) -> tuple[FloatArray, FloatArray, float]:
    """Return rotation vectors (F, J, 3), positions (F, 3), and their units per metre."""
    if not isinstance(values, dict) or "smpl_poses" not in values:
        held = ", ".join(map(str, list(values)[:6])) if isinstance(values, dict) else "no mapping"
        raise FormatError(
            f"contains {held or 'nothing'}; retime reads AIST++ motions (smpl_poses, smpl_trans)",
            path=path,
        )
    poses = _poses(values, path)
    way = _numbers({"smpl_trans": ()} | values, "smpl_trans", path, may_miss=True)
    if way.shape != (len(poses), 3):
        raise FormatError(f"smpl_trans does not have shape ({len(poses)}, 3)", path=path)
    scaling = _numbers({"smpl_scaling": 1.0} | values, "smpl_scaling", path)
    if scaling.size != 1 or not scaling.item() > 0:
        raise FormatError("smpl_scaling is not one number above 0", path=path)
    return poses, way, float(scaling.item())


def _poses(values: dict[str, Any], path: str | Path) -> FloatArray:
    poses = _numbers(values, "smpl_poses", path, may_miss=True)
    if poses.ndim == 2 and poses.shape[1] % 3 == 0:
        poses = poses.reshape(len(poses), -1, 3)
    if poses.ndim != 3 or poses.shape[2] != 3 or model_of(poses.shape[1]) is None:
        raise FormatError(f"smpl_poses has shape {poses.shape}, expected (frames, 72)", path=path)
    return poses


def _numbers(
    values: dict[str, Any], name: str, path: str | Path, *, may_miss: bool = False
) -> FloatArray:
    try:
        found = np.asarray(values[name], dtype=np.float64)
    except (TypeError, ValueError):
        raise FormatError(f"{name} contains no numbers", path=path) from None
    if not are_usable(found, may_miss=may_miss):
        raise FormatError(f"{name} has values that are not finite", path=path)
    return found


def write_motion(motion: Motion, path: str | Path, *, drop_rest: bool = False) -> None:
    """Write a motion back into a copy of its pickle. Options are those of ``retime.write``."""
    kept = kept_of(motion, AistFile)
    if kept is None:
        raise InputError(f"{path}: only a motion read from an AIST++ file can be written as one")
    must_have_joints(motion, kept.model, path)
    must_be_even(motion, "an AIST++ motion")
    rest = None if drop_rest else motion.rest_pose
    if is_as_read(motion, kept.motion) and (rest is None) == (kept.rest_rows == 0):
        write_bytes(path, [kept.data])
        return
    rotations, way = motion.rotations, motion.translations["pelvis"]
    if rest is not None:
        rotations = np.concatenate([rest.rotations[None], rotations])
        way = np.concatenate([rest.translations["pelvis"][None], way])
    vectors = np.empty((len(rotations), len(kept.model), 3))
    vectors[:, kept.model.order] = quat.log(rotations)
    new = dict(kept.values)
    shape = np.shape(kept.values["smpl_poses"])[1:]
    kinds = {n: np.asarray(kept.values[n]).dtype for n in ("smpl_poses", "smpl_trans")}
    new["smpl_poses"] = vectors.reshape(len(vectors), *shape).astype(kinds["smpl_poses"])
    new["smpl_trans"] = (way * kept.scaling).astype(kinds["smpl_trans"])
    buffer = io.BytesIO()
    pickle.dump(new, buffer, protocol=4)
    write_bytes(path, [buffer.getvalue()])
