"""Read AMASS archives and other archives of SMPL parameters."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from retime.arrays import FloatArray
from retime.errors import FormatError
from retime.io.amass.body_model import MODELS, Model, model_of
from retime.io.as_read import no_frame_rate, with_origin
from retime.io.files import read_bytes
from retime.io.gaps import Gaps
from retime.io.members import Members
from retime.io.parameters import RestFrame
from retime.motion import Motion, Pose, Units, quat
from retime.motion.kinematics import infer_units
from retime.notes import Note, Remedy

# Names of the frame rate, and of the poses by part in the order of the models' joints.
AMASS_RATES = ("mocap_framerate", "mocap_frame_rate")
RATES = (*AMASS_RATES, "fps", "frame_rate", "framerate")
PARTS = ("root_orient", "pose_body", "pose_jaw", "pose_eye", "pose_hand")


@dataclass(frozen=True, eq=False)
class AmassFile:
    """Data of an archive, kept to write it back.

    ``told_fps`` is the frame rate in the archive; that of the ``motion`` may differ.
    """

    data: bytes
    model: Model
    vectors: FloatArray
    rest_rows: int
    told_fps: float | None
    motion: Motion


def recognises(path: Path) -> bool:
    """Return whether an archive contains the parameters of a body model."""
    if not path.is_file():
        return False
    try:
        with zipfile.ZipFile(path) as archive:
            names = {n.removesuffix(".npy") for n in archive.namelist()}
    except Exception:  # reading it reports the error
        return False
    marks = {"poses", "trans", "betas", *PARTS, *AMASS_RATES}
    return "about" not in names and bool(names & marks)


def read_motion(
    path: str | Path,
    *,
    rest_frame: RestFrame = "auto",
    fps: float | None = None,
) -> Motion:
    """Read an archive. Options are those of ``retime.read``; a rest frame is not detected."""
    data = read_bytes(path)
    arrays = Members(data, path)
    vectors = _vectors(arrays)
    model = model_of(vectors.shape[1])
    assert model is not None
    way = _way(arrays, len(vectors))
    told = _told_rate(arrays)
    rate = told if fps is None else fps
    if rate is None:
        raise no_frame_rate(path)
    gaps = Gaps(path)
    vectors = bridged_vectors(vectors, model, gaps)
    way = gaps.places("trans", way)
    aside = int(rest_frame == "first" and len(vectors) > 0)
    motion = posed_model(model, vectors, way, aside, fps=rate, units=Units(1.0, "Z", "declared"))
    motion = motion.with_notes(
        approximate(
            model, "the body model's own files are not read, and betas are kept but not used"
        ),
        *gaps.notes(aside),
    )
    motion = _with_up(motion, any(name in arrays for name in AMASS_RATES))
    kept = AmassFile(data, model, vectors, aside, told, motion)
    return with_origin(motion, "amass", path, data, kept)


def _way(arrays: Members, frames: int) -> FloatArray:
    """Return the positions of the body (F, 3)."""
    if "trans" not in arrays:
        raise FormatError("has no trans, the position of the body", path=arrays.path)
    way = arrays.floats("trans", may_miss=True)
    if way.shape != (frames, 3):
        raise FormatError(f"trans has shape {way.shape} beside {frames} poses", path=arrays.path)
    return way


def posed_model(
    model: Model, vectors: FloatArray, way: FloatArray, aside: int, *, fps: float, units: Units
) -> Motion:
    """Return a motion of a body model from rotation vectors (F, J, 3) and positions (F, 3).

    The first ``aside`` frames, 0 or 1, become its rest pose.
    """
    rotations = quat.exp(vectors[:, model.order])
    return Motion(
        model.skeleton,
        rotations[aside:],
        {"pelvis": way[aside:]},
        fps=fps,
        units=units,
        rest_pose=Pose(rotations[0], {"pelvis": way[0]}) if aside else None,
    )


def approximate(model: Model, why: str) -> Note:
    """Return the note that a model's proportions are not those of the person."""
    return Note(
        f"the joints of {model.name}; proportions are approximate: {why}",
        code="proportions-approximate",
        model=model.name,
    )


def bridged_vectors(vectors: FloatArray, model: Model, gaps: Gaps) -> FloatArray:
    """Interpolate missing rotation vectors (F, J, 3) along the shorter arc."""
    if not np.isnan(vectors).any():
        return vectors
    out = vectors.copy()
    for name, k in zip(model.skeleton.names, model.order, strict=True):
        missing = np.isnan(vectors[:, k]).any(axis=1)
        turns = gaps.turns(name, quat.exp(vectors[:, k]))
        out[missing, k] = quat.log(turns[missing])
    return out


def _vectors(arrays: Members) -> FloatArray:
    """Return the rotation vectors (F, J, 3) in the model's order."""
    found = arrays.floats("poses", may_miss=True) if "poses" in arrays else _by_part(arrays)
    if found.ndim == 3 and found.shape[2] == 3:
        found = found.reshape(len(found), -1)
    columns = found.shape[1] if found.ndim == 2 else 0
    if columns % 3 or model_of(columns // 3) is None:
        known = ", ".join(f"{3 * len(listed)} ({name})" for name, listed in MODELS.items())
        raise FormatError(
            f"poses have shape {found.shape}; expected one of these widths: {known}",
            path=arrays.path,
        )
    return found.reshape(len(found), -1, 3)


def _by_part(arrays: Members) -> FloatArray:
    """Return the poses of an archive that stores them by part of the body."""
    if "root_orient" not in arrays or "pose_body" not in arrays:
        raise FormatError(
            "contains no poses, so it is not a motion; it may contain only a body shape",
            path=arrays.path,
        )
    parts = [arrays.floats(name, may_miss=True) for name in PARTS if name in arrays]
    if any(p.ndim != 2 or len(p) != len(parts[0]) for p in parts):
        raise FormatError("the parts of its poses have different frame counts", path=arrays.path)
    return np.concatenate(parts, axis=1)


def _told_rate(arrays: Members) -> float | None:
    name = next((n for n in RATES if n in arrays), None)
    if name is None:
        return None
    values = arrays.floats(name)
    return float(values.item()) if values.size == 1 and values.item() > 0 else None


def _with_up(motion: Motion, amass: bool) -> Motion:
    """Keep Z up for AMASS, with a note if the figure stands along Y; infer it for others."""
    units, notes = infer_units(motion, scale=1.0)
    if not amass:
        return replace(motion, units=units).with_notes(*notes)
    if units.up != "Z" and len(motion):
        return motion.with_notes(
            Note(
                "AMASS has Z up, but the figure stands along Y",
                Remedy("give the up axis if that is right", parameter="reading.up", value="Y"),
                code="up-axis-doubtful",
            )
        )
    return motion
