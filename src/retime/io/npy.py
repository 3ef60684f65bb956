"""Arrays of joint positions (.npy), and the features of HumanML3D that stand for them.

Twenty-two joints are the body of SMPL, as in HumanML3D and the datasets that follow it; other
numbers are points without names. Rotations are not known: joints move by their translations.
"""

from __future__ import annotations

import hashlib
import io
import zipfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.errors import FormatError, InputError
from retime.io.amass.body_model import Model, model_of
from retime.io.as_read import is_as_read, needs_even_frames, no_frame_rate
from retime.io.files import read_bytes, write_bytes
from retime.io.gaps import Gaps
from retime.io.parameters import RestFrame
from retime.motion import Motion, Origin, Units, quat
from retime.motion.building import relative_places
from retime.motion.kinematics import global_transforms, infer_units
from retime.motion.skeleton import MOST_LENGTH, Skeleton
from retime.notes import Note, Remedy

# Frames per second of HumanML3D, which its files do not tell.
_HUMANML3D_FPS = 20.0
_JOINTS = 22
# Turn and way of the root (4), places and rotations of the others, speeds of all, foot contacts.
_FEATURES = 4 + 3 * (_JOINTS - 1) + 6 * (_JOINTS - 1) + 3 * _JOINTS + 4
_MOST_VALUES = 1 << 28
_MOST_JOINTS = 4096


@dataclass(frozen=True, eq=False)
class NpyFile:
    """Data of an array, kept to write it back."""

    dtype: np.dtype[Any]
    joints: int
    features: bool
    order: npt.NDArray[np.int64]
    """For each joint of the motion, its number in the file."""
    motion: Motion
    data: bytes


def read_motion(
    path: str | Path,
    *,
    rest_frame: RestFrame = "auto",
    fps: float | None = None,
) -> Motion:
    """Read an array. Options are those of ``retime.read``; positions have no rest frame."""
    if rest_frame == "first":
        raise InputError(f"{path}: joint positions have no rest pose to set aside")
    data = read_bytes(path)
    values = _array(data, path)
    features = values.ndim == 2
    if values.dtype.kind == "f" and np.isinf(values).any():
        frame = int(np.argwhere(np.isinf(values))[0][0])
        raise FormatError(f"the values at frame {frame} are infinite", path=path)
    joints = _JOINTS if features else values.shape[1]
    model = model_of(joints) if joints in (_JOINTS, 24, 52, 55) else None
    gaps = Gaps(path)
    if features:
        given = gaps.places("features", values.astype(np.float64))
        places = _from_features(given, path)
    else:
        places = _bridged(values.astype(np.float64), _names(joints, model), gaps)
    if np.abs(places).max(initial=0.0) > MOST_LENGTH:
        raise FormatError("positions are too large to be lengths", path=path)
    if fps is None and joints != _JOINTS:
        raise no_frame_rate(path)
    motion, order = _motion(places, model, _HUMANML3D_FPS if fps is None else fps)
    notes = [
        Note(
            "joint positions: rotations are not known, and joints move by their translations",
            code="positions-only",
        )
    ]
    if fps is None:
        notes.append(
            Note(
                "the file has no frame rate; 20 fps is assumed, as in HumanML3D",
                Remedy(parameter="reading.fps"),
                code="rate-assumed",
            )
        )
    notes += gaps.notes()
    if features:
        notes.append(
            Note(
                "features of HumanML3D; a result is written as joint positions",
                code="features-read",
            )
        )
    units, said = infer_units(motion, scale=1.0)
    motion = replace(motion, units=replace(units, how="assumed")).with_notes(*notes, *said)
    kept = NpyFile(values.dtype, joints, features, order, motion, data)
    sha256 = hashlib.sha256(data).hexdigest()
    return replace(motion, origin=Origin("npy", str(path), sha256, kept))


def write_motion(motion: Motion, path: str | Path, *, drop_rest: bool = False) -> None:
    """Write joint positions (F, J, 3) as the file had them. Options are those of ``retime.write``.

    A motion of another file is written in metres with Y up, joint by joint.
    """
    kept = motion.origin.kept if motion.origin is not None else None
    if motion.sample_times is not None:
        raise InputError(needs_even_frames("an array of positions"))
    if isinstance(kept, NpyFile) and motion.skeleton.same_joints(kept.motion.skeleton):
        if is_as_read(motion, kept.motion) and not kept.features:
            write_bytes(path, [kept.data])
            return
        places = np.empty((len(motion), kept.joints, 3))
        places[:, kept.order] = global_transforms(motion)[0]
        dtype = kept.dtype
    else:
        from retime.motion.kinematics import positions

        places, dtype = positions(motion), np.dtype("<f4")
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, places.astype(dtype), allow_pickle=False)
    write_bytes(path, [buffer.getvalue()])


def _array(data: bytes, path: str | Path) -> npt.NDArray[Any]:
    if zipfile.is_zipfile(io.BytesIO(data)):
        raise FormatError("this is an archive; name it .npz", path=path)
    try:
        # The header is looked at first: a few bytes may promise terabytes.
        start = io.BytesIO(data)
        version = np.lib.format.read_magic(start)
        read = {
            (1, 0): np.lib.format.read_array_header_1_0,
            (2, 0): np.lib.format.read_array_header_2_0,
        }[version]
        shape, _, dtype = read(start)
        size = int(np.prod([float(n) for n in shape])) if shape else 1
    except Exception as e:  # numpy raises many kinds for what is no array
        reason = f"{type(e).__name__}: {e}".splitlines()[0][:200]
        raise FormatError(f"not a whole numpy array ({reason})", path=path) from None
    if dtype.hasobject:
        raise FormatError(
            "is pickled, which may run code and is not read; save it as plain numbers", path=path
        )
    fits = len(shape) == 3 and shape[2] == 3 and 0 < shape[1] <= _MOST_JOINTS
    if dtype.kind not in "iuf" or not (fits or (len(shape) == 2 and shape[1] == _FEATURES)):
        raise FormatError(
            f"an array {tuple(shape)} of {dtype} is not a motion; retime reads joint positions "
            f"(frames, joints, 3) and features of HumanML3D (frames, {_FEATURES})",
            path=path,
        )
    if size > _MOST_VALUES:
        raise FormatError(f"{size} values are more than retime reads into memory", path=path)
    if size * dtype.itemsize > len(data):
        raise FormatError("is cut off", path=path)
    if not shape[0]:
        raise FormatError("has no frames", path=path)
    try:
        found: npt.NDArray[Any] = np.lib.format.read_array(io.BytesIO(data), allow_pickle=False)
    except ValueError:
        raise FormatError("is cut off", path=path) from None
    return found


def _names(joints: int, model: Model | None) -> list[str]:
    """Name the joints in the order of the file."""
    names = [f"point_{j}" for j in range(joints)]
    if model is not None:
        for name, j in zip(model.skeleton.names, model.order, strict=True):
            names[j] = name
    return names


def _bridged(places: FloatArray, names: list[str], gaps: Gaps) -> FloatArray:
    if not np.isnan(places).any():
        return places
    return np.stack([gaps.places(n, places[:, j]) for j, n in enumerate(names)], axis=1)


def _from_features(given: FloatArray, path: str | Path) -> FloatArray:
    """Restore places (F, 22, 3): the root's way and turn are sums of its speeds."""
    contacts = given[:, -4:]
    if np.abs(contacts - np.round(contacts)).max() > 0.2 or not 0.1 < np.median(given[:, 3]) < 3:
        raise FormatError(
            "the features are normalised; multiply them by Std.npy and add Mean.npy first",
            path=path,
        )
    before = np.r_[0, np.arange(len(given) - 1)]
    turn = np.cumsum(np.r_[0.0, given[before[1:], 0]])
    facing = np.stack([np.cos(turn), 0 * turn, -np.sin(turn), 0 * turn], axis=1)
    step = np.zeros((len(given), 3))
    step[1:, [0, 2]] = given[:-1, 1:3]
    way = np.cumsum(quat.rotate(facing, step), axis=0)
    others = given[:, 4 : 4 + 3 * (_JOINTS - 1)].reshape(len(given), -1, 3)
    places = quat.rotate(facing[:, None], others) + way[:, None] * [1.0, 0.0, 1.0]
    root = np.stack([way[:, 0], given[:, 3], way[:, 2]], axis=1)
    return np.concatenate([root[:, None], places], axis=1)


def _motion(
    places: FloatArray, model: Model | None, fps: float
) -> tuple[Motion, npt.NDArray[np.int64]]:
    if model is None:
        count = places.shape[1]
        skeleton = Skeleton(tuple(_names(count, None)), np.full(count, -1), np.zeros((count, 3)))
        order = np.arange(count)
    else:
        skeleton, order = model.skeleton, model.order
    tracks = relative_places(places[:, order], skeleton.parents, skeleton.names)
    if model is not None:
        # Bones are as long as they are in the motion, along the model's own directions.
        length = np.linalg.norm(np.array([tracks[n] for n in skeleton.names]), axis=-1)
        own = np.linalg.norm(skeleton.offsets, axis=-1)
        scale = np.where(own > 1e-9, np.median(length, axis=1) / np.maximum(own, 1e-9), 0.0)
        rest = skeleton.offsets * scale[:, None]
        skeleton = replace(skeleton, offsets=rest)
    turns = quat.identity(*places.shape[:1], len(skeleton))
    return Motion(skeleton, turns, tracks, fps=fps, units=Units(1.0, "Y", "assumed")), order
