"""Writing archives of SMPL parameters back: new timing, all else byte for byte."""

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
from retime.io.amass.reader import PARTS, RATES, AmassFile
from retime.io.as_read import is_as_read, needs_even_frames
from retime.io.files import write_bytes
from retime.io.members import Members
from retime.motion import Motion, quat

# Arrays that tell of the body and not of its motion, however many rows they have.
_STILL = {"betas", "gender", "num_betas", "v_template", "markers_latent", "latent_labels"}
_LENGTHS = ("mocap_time_length",)


def write_motion(motion: Motion, path: str | Path, *, drop_rest: bool = False) -> None:
    """Write a motion back into a copy of its archive. Options are those of ``retime.write``."""
    kept = motion.origin.kept if motion.origin is not None else None
    if not isinstance(kept, AmassFile):
        raise InputError(f"{path}: SMPL parameters are written only for a motion read from them")
    if not motion.skeleton.same_joints(kept.model.skeleton):
        raise InputError(f"{path}: the joints are no longer those of {kept.model.name}")
    if motion.sample_times is not None:
        raise InputError(needs_even_frames("an AMASS archive"))
    if motion.scales or len(motion.translations) > 1:
        warnings.warn(
            f"{path}: a body model has no scales, nor translations but the root's: left out",
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


def _changed(
    motion: Motion, kept: AmassFile, arrays: Members, *, aside: bool
) -> dict[str, npt.NDArray[Any]]:
    """Make the arrays that differ from the archive's, in its own types."""
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
    frames = len(kept.vectors)
    for name in arrays.names:
        moves = frames > 1 and arrays.shape(name)[:1] == (frames,)
        if moves and name not in new and name not in _STILL:
            new[name] = _resampled(arrays[name], source, share)
    return {n: v.astype(arrays[n].dtype) for n, v in new.items()}


def _poses(flat: FloatArray, arrays: Members) -> dict[str, npt.NDArray[Any]]:
    """Lay rotation vectors (F, 3 J) out as the archive has them: by part, or as one."""
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
    """Find the archive's row before each frame, and the fraction of the next, by the body's way."""
    warp = motion.origin.warp if motion.origin is not None else None
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
    """Resample an array with one row per frame: interpolate numbers, take the nearest of others."""
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
    """Return rotation vectors, of their full turns the one nearest to the archive's own."""
    vectors = _in_model_order(quat.log(motion.rotations), kept)
    near = kept.vectors[np.clip(rows, 0, len(kept.vectors) - 1)]
    angle = np.linalg.norm(vectors, axis=-1, keepdims=True)
    axis = vectors / np.where(angle > 1e-9, angle, 1.0)
    wanted = (near * axis).sum(-1, keepdims=True)
    turns = np.round((wanted - angle) / (2 * np.pi))
    out: FloatArray = vectors + 2 * np.pi * turns * axis
    return out


def _archive(arrays: Members, new: dict[str, npt.NDArray[Any]]) -> bytes:
    """Rewrite the archive, in its own order; members that did not change keep their bytes."""
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
