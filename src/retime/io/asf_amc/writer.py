"""Write AMC files through the degrees of freedom in the skeleton file."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path

import numpy as np

from retime import _native
from retime.arrays import FloatArray
from retime.errors import FormatWarning, InputError
from retime.io.as_read import is_as_read, kept_of, must_be_even, nearest_rows
from retime.io.asf_amc.bones import Bone
from retime.io.asf_amc.reader import USUAL_FPS, AmcFile, turned
from retime.io.beside import must_find_beside
from retime.io.files import read_bytes, write_bytes
from retime.motion import Motion, quat

# Rotations (radians) and translations (units of length) lost in writing are reported above these.
_LOST_TURN = np.radians(0.5)
_LOST_WAY = 1e-3


def write_motion(motion: Motion, path: str | Path, *, drop_rest: bool = False) -> None:
    """Write an AMC file; an unedited one keeps its bytes. Options are those of ``retime.write``.

    Its skeleton is written beside it as ``NAME.asf`` if reading would not find the same one.
    """
    path = Path(path)
    kept = _kept(motion, path)
    must_be_even(motion, "AMC")
    skeleton = _place_of_skeleton(kept, path)
    rested = motion.rest_pose is not None and not drop_rest
    same = is_as_read(motion, kept.motion) and motion.fps == kept.told_fps
    if same and rested == bool(kept.rest_rows):
        write_bytes(path, [kept.data])
    else:
        values = _values(motion, kept)
        if rested:
            values = _after_rest(_rest_values(motion, kept), values)
        write_bytes(path, _text(motion, values, kept))
    if skeleton is not None:
        write_bytes(skeleton, [kept.asf.data])


def _kept(motion: Motion, path: Path) -> AmcFile:
    """Return the data of the motion's file, or raise an error if it cannot be written back."""
    kept = kept_of(motion, AmcFile)
    if kept is None:
        raise InputError(
            f"{path}: only motions that were read from AMC, with their skeleton file, can be "
            "written as AMC; write .bvh instead"
        )
    if path.suffix.lower() == ".asf":
        raise InputError(f"{path}: name the motion .amc; its skeleton is written beside it")
    old, new = kept.asf.skeleton, motion.skeleton
    if not (old.same_joints(new) and np.array_equal(old.offsets, new.offsets)):
        raise InputError(f"{path}: the skeleton is no longer that of {kept.asf.name}; write .bvh")
    if motion.scales or len(motion.translations) > 1:
        warnings.warn(
            f"{path}: AMC stores no scales and only the root's translation; others are left out",
            FormatWarning,
            stacklevel=3,
        )
    return kept


def _rest_values(motion: Motion, kept: AmcFile) -> dict[str, FloatArray]:
    """Return each bone's values in the frames before a motion: the file's, or its rest pose's."""
    if motion.rest_pose is kept.motion.rest_pose:
        return {n: v[: kept.rest_rows] for n, v in kept.values.items()}
    return _values(_still(motion), replace(kept, rest_rows=0))


def _after_rest(
    rest: dict[str, FloatArray], values: dict[str, FloatArray]
) -> dict[str, FloatArray]:
    """Put values after those at rest; a bone without any is at zero there."""
    count = len(next(iter(rest.values())))
    none = {n: np.zeros((count, v.shape[1])) for n, v in values.items()}
    return {n: np.concatenate([rest.get(n, none[n]), v]) for n, v in values.items()}


def _still(motion: Motion) -> Motion:
    """Return the rest pose as a motion of one frame."""
    rest = motion.rest_pose
    assert rest is not None
    return replace(
        motion,
        rotations=rest.rotations[None],
        translations={n: np.asarray(t)[None] for n, t in rest.translations.items()},
        scales={},
        origin=None if motion.origin is None else replace(motion.origin, warp=None),
    )


def _values(motion: Motion, kept: AmcFile) -> dict[str, FloatArray]:
    """Return each bone's values (F, D); warn of rotations that the bones cannot represent."""
    lost: dict[str, float] = {}
    out = {}
    for j, bone in enumerate(kept.asf.bones):
        angles = _angles(motion.rotations[:, j], bone, _near(motion, kept, bone))
        gap = quat.angle(motion.rotations[:, j], turned(bone, angles))
        lost[bone.name] = float(gap.max(initial=0.0))
        if bone.width:
            values = np.zeros((len(motion), bone.width))
            values[:, bone.columns] = np.degrees(angles) if kept.degrees else angles
            out[bone.name] = values
    _place_root(motion, kept, out)
    _warn_of_lost({n: angle for n, angle in lost.items() if angle > _LOST_TURN}, kept.asf.name)
    return {n: v for n, v in out.items() if n in kept.values or (v != 0).any()}


def _warn_of_lost(lost: dict[str, float], file: str) -> None:
    if lost:
        name = max(lost, key=lambda n: lost[n])
        _warn(
            f"rotations of {len(lost)} bones exceed their degrees of freedom in {file} and are "
            f"left out, most of {name}: {np.degrees(lost[name]):.1f} degrees",
            stacklevel=5,
        )


def _place_root(motion: Motion, kept: AmcFile, values: dict[str, FloatArray]) -> None:
    root = kept.asf.bones[0]
    place = motion.translations[root.name] - kept.asf.skeleton.offsets[0]
    for axis in range(3):
        if axis in root.shifts:
            values[root.name][:, root.shifts[axis]] = place[:, axis]
        elif np.abs(place[:, axis]).max(initial=0.0) > _LOST_WAY:
            _warn(f"the root cannot move along {'XYZ'[axis]} in this skeleton; left out")


def _warn(text: str, stacklevel: int = 4) -> None:
    warnings.warn(text, FormatWarning, stacklevel=stacklevel)


def _near(motion: Motion, kept: AmcFile, bone: Bone) -> FloatArray | None:
    """Return the file's angles (F, D) in radians, at the rows nearest to each frame."""
    values = kept.values.get(bone.name)
    count = 0 if values is None else len(values) - kept.rest_rows
    if values is None or count < 1:
        return None
    rows = nearest_rows(motion, bone.name, fps=kept.motion.fps, count=count, first=kept.rest_rows)
    angles: FloatArray = values[rows][:, bone.columns]
    return np.radians(angles) if kept.degrees else angles


def _angles(rotations: FloatArray, bone: Bone, near: FloatArray | None) -> FloatArray:
    """Return the angles (F, D) about a bone's axes that are nearest to its rotations."""
    count = len(bone.turns)
    if not count:
        return np.zeros((len(rotations), 0))
    own = quat.multiply(quat.multiply(quat.conjugate(bone.axis), rotations), bone.axis)
    axes = bone.turns[::-1]  # the first applied is the last factor
    order = np.array([*axes, *(a for a in range(3) if a not in axes)], dtype=np.int64)
    wanted = np.zeros((len(rotations), 3))
    if near is not None:
        wanted[:, :count] = near[:, ::-1]
    found = _native.bvh.quaternions_to_euler(
        np.ascontiguousarray(own), order, count, wanted, near is None
    )
    return np.ascontiguousarray(found[:, :count][:, ::-1])


def _text(motion: Motion, values: dict[str, FloatArray], kept: AmcFile) -> Iterator[bytes]:
    """Yield the head and the frames, with bones in the file's order."""
    order = [n for n in kept.values if n in values] + [n for n in values if n not in kept.values]
    forms = [f"{n} " + " ".join(["%.6f"] * values[n].shape[1]) for n in order]
    block = "\n".join(["%d", *forms]) + "\n"
    count = len(values[order[0]])
    numbers = np.arange(kept.first_frame, kept.first_frame + count)
    table = np.concatenate([numbers[:, None], *(values[n] for n in order)], axis=1)
    rows = ((block % tuple(row)).encode() for row in table.tolist())
    return chain([_head(motion, kept)], rows)


def _head(motion: Motion, kept: AmcFile) -> bytes:
    """Return the file's lines before its first frame, with the new frame rate if it has one."""
    head = []
    told = False
    for line in re.split(rb"\r\n|\r|\n", kept.data):
        plain = line.partition(b"#")[0].strip()
        if plain.isdigit():
            break
        if plain.upper().startswith(b":SAMPLES-PER-SECOND"):
            line, told = f":SAMPLES-PER-SECOND {motion.fps:.10g}".encode(), True
        head.append(line + b"\n")
    if not told and motion.fps != USUAL_FPS:
        _warn(f"AMC stores no frame rate; give {motion.fps:g} fps when the file is read")
    return b"".join(head)


def _place_of_skeleton(kept: AmcFile, path: Path) -> Path | None:
    """Return where the skeleton must be written to be found; never overwrite another one."""
    try:
        found = read_bytes(must_find_beside(path, ".asf"))
    except InputError:
        found = b""
    if found == kept.asf.data:
        return None
    place = path.with_suffix(".asf")
    if place.exists():
        raise InputError(
            f"{place} is the skeleton of another figure; give {path.name} another name or folder"
        )
    return place
