"""Write archives of SMPL parameters back: with new timing, other members unchanged."""

from __future__ import annotations

import io
import warnings
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.errors import FormatWarning, InputError
from retime.io.amass.body_model import Model
from retime.io.amass.reader import PARTS, RATES, AmassFile
from retime.io.as_read import is_as_read, kept_of, must_be_even, warp_of
from retime.io.files import write_bytes
from retime.io.members import Members
from retime.motion import Motion, quat

# Arrays that describe the body and not its motion, even if they have a row per frame.
_STILL = {"betas", "gender", "num_betas", "v_template", "markers_latent", "latent_labels"}
_LENGTHS = ("mocap_time_length",)


def write_motion(motion: Motion, path: str | Path, *, drop_rest: bool = False) -> None:
    """Write a motion back into a copy of its archive. Options are those of ``retime.write``."""
    kept = kept_of(motion, AmassFile)
    if kept is None:
        raise InputError(f"{path}: only a motion read from SMPL parameters can be written as them")
    must_have_joints(motion, kept.model, path)
    must_be_even(motion, "an AMASS archive")
    if motion.scales or len(motion.translations) > 1:
        warnings.warn(
            f"{path}: a body model has no scales and only the root's translation; others are left "
            "out",
            FormatWarning,
            stacklevel=2,
        )
    rest = None if drop_rest else motion.rest_pose
    same = is_as_read(motion, kept.motion) and motion.fps == kept.told_fps
    if same and (rest is None) == (kept.rest_rows == 0):
        write_bytes(path, [kept.data])
        return
    arrays = Members(kept.data, path)
    new = _changed(motion, kept, arrays, aside=rest is not None)
    write_bytes(path, [_archive(arrays, new)])


def must_have_joints(motion: Motion, model: Model, path: str | Path) -> None:
    """Reject a motion with other joints than a body model's."""
    if not motion.skeleton.same_joints(model.skeleton):
        raise InputError(f"{path}: the joints are no longer those of {model.name}")


def _changed(
    motion: Motion, kept: AmassFile, arrays: Members, *, aside: bool
) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays that differ from the archive's, in the archive's types."""
    source, share = _source_frames(motion, kept)
    vectors = _vectors(motion, kept, np.round(source + share).astype(np.int64))
    way = motion.translations["pelvis"]
    if aside and motion.rest_pose is not None:
        still = quat.log(motion.rest_pose.rotations)
        vectors = np.concatenate([_in_model_order(still[None], kept), vectors])
        way = np.concatenate([motion.rest_pose.translations["pelvis"][None], way])
        source, share = np.r_[0, source], np.r_[0.0, share]
    flat = vectors.reshape(len(vectors), -1)
    told = dict.fromkeys(RATES, motion.fps) | dict.fromkeys(_LENGTHS, len(flat) / motion.fps)
    new: dict[str, npt.NDArray[Any]] = {"trans": way, **_poses(flat, arrays)}
    new |= {n: np.full(arrays.shape(n), value) for n, value in told.items() if n in arrays}
    others = _moving(arrays, len(kept.vectors)) - new.keys()
    new |= {n: _resampled(arrays[n], source, share) for n in others}
    return {n: v.astype(arrays[n].dtype) for n, v in new.items()}


def _moving(arrays: Members, frames: int) -> set[str]:
    """Return the names of the arrays with a row per frame."""
    if frames < 2:
        return set()
    return {n for n in arrays.names if arrays.shape(n)[:1] == (frames,)} - _STILL


def _poses(flat: FloatArray, arrays: Members) -> dict[str, npt.NDArray[Any]]:
    """Split rotation vectors (F, 3 J) as the archive does: by part, or in one array."""
    out = {}
    start = 0
    for name in PARTS:
        if name in arrays:
            width = arrays.shape(name)[-1]
            out[name] = flat[:, start : start + width]
            start += width
    if "poses" in arrays:
        out["poses"] = flat.reshape(len(flat), *arrays.shape("poses")[1:])
    return out


def _source_frames(motion: Motion, kept: AmassFile) -> tuple[npt.NDArray[np.int64], FloatArray]:
    """Return the archive's row before each frame, and how far the frame is towards the next.

    The timing is that of the body's translation.
    """
    warp = warp_of(motion)
    times = motion.times if warp is None else warp(motion.times, "pelvis:translation")
    count = len(kept.vectors) - kept.rest_rows
    position = times * kept.motion.fps
    if warp is not None and warp.loop and count > 1:
        position = position % (count - 1)
    position = np.clip(position, 0, max(count - 1, 0))
    near = np.round(position)
    position = np.where(np.abs(position - near) < 1e-6, near, position)
    before = np.floor(position).astype(np.int64)
    return before + kept.rest_rows, position - before


def _resampled(
    values: npt.NDArray[Any], before: npt.NDArray[np.int64], share: FloatArray
) -> npt.NDArray[Any]:
    """Resample an array with a row per frame: interpolate floats, take the nearest of others."""
    after = np.minimum(before + 1, len(values) - 1)
    if values.dtype.kind != "f":
        return values[np.where(share < 0.5, before, after)]
    part = share.reshape(-1, *[1] * (values.ndim - 1))
    low, high = values[before].astype(float), values[after].astype(float)
    out: npt.NDArray[Any] = np.where(part == 0, low, low + part * (high - low))
    return out


def _in_model_order(vectors: FloatArray, kept: AmassFile) -> FloatArray:
    out = np.empty_like(vectors)
    out[:, kept.model.order] = vectors
    return out


def _vectors(motion: Motion, kept: AmassFile, rows: npt.NDArray[np.int64]) -> FloatArray:
    """Return rotation vectors, with full turns added to be nearest to the archive's."""
    vectors = _in_model_order(quat.log(motion.rotations), kept)
    near = kept.vectors[np.clip(rows, 0, len(kept.vectors) - 1)]
    angle = np.linalg.norm(vectors, axis=-1, keepdims=True)
    axis = vectors / np.where(angle > 1e-9, angle, 1.0)
    wanted = (near * axis).sum(-1, keepdims=True)
    turns = np.round((wanted - angle) / (2 * np.pi))
    out: FloatArray = vectors + 2 * np.pi * turns * axis
    return out


def _archive(arrays: Members, new: dict[str, npt.NDArray[Any]]) -> bytes:
    """Rewrite the archive in its order; unchanged members keep their bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as out:
        for name in arrays.names:
            if name in new:
                member = io.BytesIO()
                np.lib.format.write_array(member, new[name], allow_pickle=False)
                data = member.getvalue()
            else:
                data = arrays.raw(name)
            # Without a date, equal motions give equal files.
            out.writestr(zipfile.ZipInfo(f"{name}.npy"), data, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()
