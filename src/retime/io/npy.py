"""Arrays of joint positions (.npy), and HumanML3D features that encode them.

Twenty-two joints are the body of SMPL, as in HumanML3D and the datasets that follow it; other
numbers of joints are points without names. Rotations are unknown: joints move by translation.
"""

from __future__ import annotations

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
from retime.io.as_read import is_as_read, kept_of, must_be_even, no_frame_rate, with_origin
from retime.io.files import read_bytes, write_bytes
from retime.io.gaps import Gaps
from retime.io.parameters import RestFrame
from retime.motion import Motion, Units, quat
from retime.motion.building import relative_places
from retime.motion.kinematics import global_transforms, infer_units, positions
from retime.motion.skeleton import MOST_LENGTH, Skeleton
from retime.notes import Note, Remedy

# Frames per second of HumanML3D; its files have no frame rate.
_HUMANML3D_FPS = 20.0
_JOINTS = 22
# Root rotation and translation (4), positions and rotations of the others, speeds, foot contacts.
_FEATURES = 4 + 3 * (_JOINTS - 1) + 6 * (_JOINTS - 1) + 3 * _JOINTS + 4
_MOST_VALUES = 1 << 28
_MOST_JOINTS = 4096


_POSITIONS_ONLY = Note(
    "joint positions: rotations are not known, and joints move by their translations",
    code="positions-only",
)
_RATE_ASSUMED = Note(
    "the file has no frame rate; 20 fps is assumed, as in HumanML3D",
    Remedy(parameter="reading.fps"),
    code="rate-assumed",
)
_FEATURES_READ = Note(
    "features of HumanML3D; a result is written as joint positions", code="features-read"
)


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
    joints = _JOINTS if features else values.shape[1]
    model = model_of(joints)
    gaps = Gaps(path)
    places = _places(values, model, gaps, path)
    if fps is None and joints != _JOINTS:
        raise no_frame_rate(path)
    motion, order = _motion(places, model, _HUMANML3D_FPS if fps is None else fps)
    notes = [_POSITIONS_ONLY, *[_RATE_ASSUMED] * (fps is None), *gaps.notes()]
    notes += [_FEATURES_READ] * features
    units, said = infer_units(motion, scale=1.0)
    motion = replace(motion, units=replace(units, how="assumed")).with_notes(*notes, *said)
    kept = NpyFile(values.dtype, joints, features, order, motion, data)
    return with_origin(motion, "npy", path, data, kept)


def write_motion(motion: Motion, path: str | Path, *, drop_rest: bool = False) -> None:
    """Write joint positions (F, J, 3). Options are those of ``retime.write``.

    A motion read from such a file keeps the file's units, axes and order of joints; others are
    written in metres with Y up.
    """
    must_be_even(motion, "an array of positions")
    kept = kept_of(motion, NpyFile)
    if kept is None or not motion.skeleton.same_joints(kept.motion.skeleton):
        _write_array(positions(motion).astype("<f4"), path)
    elif is_as_read(motion, kept.motion) and not kept.features:
        write_bytes(path, [kept.data])
    else:
        places = np.empty((len(motion), kept.joints, 3))
        places[:, kept.order] = global_transforms(motion)[0]
        _write_array(places.astype(kept.dtype), path)


def _write_array(values: npt.NDArray[Any], path: str | Path) -> None:
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, values, allow_pickle=False)
    write_bytes(path, [buffer.getvalue()])


def _array(data: bytes, path: str | Path) -> npt.NDArray[Any]:
    """Read an array, after its header: a few bytes can declare terabytes."""
    if zipfile.is_zipfile(io.BytesIO(data)):
        raise FormatError("this is an archive; name it .npz", path=path)
    try:
        shape, dtype = _header(data)
        size = int(np.prod([float(n) for n in shape]))
    except Exception:  # numpy raises many exceptions for damaged files
        raise FormatError(
            "not a numpy array, or one whose start is damaged; write it with numpy.save", path=path
        ) from None
    _must_be_motion(shape, dtype, path)
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


def _header(data: bytes) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """Return the shape and type that a file declares."""
    start = io.BytesIO(data)
    read = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }[np.lib.format.read_magic(start)]
    shape, _, dtype = read(start)
    return shape, dtype


def _must_be_motion(shape: tuple[int, ...], dtype: np.dtype[Any], path: str | Path) -> None:
    """Reject an array that contains neither joint positions nor features."""
    if dtype.hasobject:
        raise FormatError(
            "is pickled, which may run code and is not read; save it as plain numbers", path=path
        )
    are_positions = len(shape) == 3 and shape[2] == 3 and 0 < shape[1] <= _MOST_JOINTS
    are_features = len(shape) == 2 and shape[1] == _FEATURES
    if dtype.kind not in "iuf" or not (are_positions or are_features):
        raise FormatError(
            f"an array {tuple(shape)} of {dtype} is not a motion; retime reads joint positions "
            f"(frames, joints, 3) and features of HumanML3D (frames, {_FEATURES})",
            path=path,
        )


def _places(
    values: npt.NDArray[Any], model: Model | None, gaps: Gaps, path: str | Path
) -> FloatArray:
    """Return joint positions (F, J, 3) from positions or features."""
    values = values.astype(np.float64)
    infinite = np.isinf(values).reshape(len(values), -1).any(axis=1)
    if infinite.any():
        frame = int(infinite.argmax())
        raise FormatError(f"the values at frame {frame} are infinite", path=path)
    if values.ndim == 2:
        places = _from_features(gaps.places("features", values), path)
    else:
        places = _bridged(values, _names(values.shape[1], model), gaps)
    if np.abs(places).max(initial=0.0) > MOST_LENGTH:
        raise FormatError("positions are too large to be lengths", path=path)
    return places


def _names(joints: int, model: Model | None) -> list[str]:
    """Return the names of the joints in the order of the file."""
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
    """Return positions (F, 22, 3); the root's path and heading are sums of its speeds."""
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
        # Bones get their median length in the motion, along the model's directions.
        length = np.linalg.norm(np.array([tracks[n] for n in skeleton.names]), axis=-1)
        own = np.linalg.norm(skeleton.offsets, axis=-1)
        scale = np.where(own > 1e-9, np.median(length, axis=1) / np.maximum(own, 1e-9), 0.0)
        rest = skeleton.offsets * scale[:, None]
        skeleton = replace(skeleton, offsets=rest)
    turns = quat.identity(*places.shape[:1], len(skeleton))
    return Motion(skeleton, turns, tracks, fps=fps, units=Units(1.0, "Y", "assumed")), order
