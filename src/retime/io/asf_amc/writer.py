"""Writing AMC files: through the degrees of freedom that the skeleton's file allows."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path

import numpy as np

from retime.arrays import FloatArray
from retime.errors import FormatWarning, InputError
from retime.io.as_read import is_as_read, nearest_rows, needs_even_frames
from retime.io.asf_amc.bones import Bone
from retime.io.asf_amc.reader import USUAL_FPS, AmcFile, find_skeleton, turned
from retime.io.files import read_bytes, write_bytes
from retime.motion import Motion, quat

# Turning and moving beyond this that cannot be written is said: radians, units of length.
_LOST_TURN = np.radians(0.5)
_LOST_WAY = 1e-3


def write_motion(motion: Motion, path: str | Path, *, drop_rest: bool = False) -> None:
    """Write an AMC file; an unedited one keeps its bytes. Options are those of ``retime.write``.

    Its skeleton is written beside it as ``NAME.asf``, where reading would not find the same one.
    """
    path = Path(path)
    kept = _kept(motion, path)
    if motion.sample_times is not None:
        raise InputError(needs_even_frames("AMC"))
    skeleton = _place_of_skeleton(kept, path)
    aside = 0 if drop_rest or motion.rest_pose is None else 1
    if is_as_read(motion, kept.motion) and motion.fps == kept.told_fps and aside == kept.rest_rows:
        write_bytes(path, [kept.data])
    else:
        values = _values(motion, kept)
        if aside:
            rest = _values(_still(motion), replace(kept, rest_rows=0))
            values = {n: np.concatenate([rest[n], v]) for n, v in values.items()}
        write_bytes(path, _text(motion, values, kept))
    if skeleton is not None:
        write_bytes(skeleton, [kept.asf.data])


def _kept(motion: Motion, path: Path) -> AmcFile:
    kept = motion.origin.kept if motion.origin is not None else None
    if not isinstance(kept, AmcFile):
        raise InputError(
            f"{path}: AMC is written only for motions that were read from AMC, because they "
            "have its skeleton file; write .bvh instead"
        )
    if path.suffix.lower() == ".asf":
        raise InputError(f"{path}: the motion is an .amc; its skeleton is written beside it")
    old, new = kept.asf.skeleton, motion.skeleton
    if not (old.same_joints(new) and np.array_equal(old.offsets, new.offsets)):
        raise InputError(f"{path}: the skeleton is no longer that of {kept.asf.name}; write .bvh")
    if motion.scales or len(motion.translations) > 1:
        warnings.warn(
            f"{path}: AMC cannot hold scales, nor translations but the root's: they are left out",
            FormatWarning,
            stacklevel=3,
        )
    return kept


def _still(motion: Motion) -> Motion:
    """Make a motion of the rest pose alone."""
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
    """Find each bone's values (F, D); what they cannot hold is said."""
    lost: dict[str, float] = {}
    out = {}
    for j, bone in enumerate(kept.asf.bones):
        angles = _angles(motion.rotations[:, j], bone, _near(motion, kept, bone))
        gap = quat.angle(motion.rotations[:, j], turned(bone, angles))
        worst = float(gap.max(initial=0.0))
        if worst > _LOST_TURN:
            lost[bone.name] = worst
        if bone.width:
            values = np.zeros((len(motion), bone.width))
            values[:, bone.columns] = np.degrees(angles) if kept.degrees else angles
            out[bone.name] = values
    _place_root(motion, kept, out)
    if lost:
        name = max(lost, key=lambda n: lost[n])
        _warn(
            f"{len(lost)} bones turn beyond what {kept.asf.name} allows, {name} most, by up to "
            f"{np.degrees(lost[name]):.1f} degrees: left out"
        )
    return {n: v for n, v in out.items() if n in kept.values or (v != 0).any()}


def _place_root(motion: Motion, kept: AmcFile, values: dict[str, FloatArray]) -> None:
    root = kept.asf.bones[0]
    place = motion.translations[root.name] - kept.asf.skeleton.offsets[0]
    for axis in range(3):
        if axis in root.shifts:
            values[root.name][:, root.shifts[axis]] = place[:, axis]
        elif np.abs(place[:, axis]).max(initial=0.0) > _LOST_WAY:
            _warn(f"the root cannot move along {'XYZ'[axis]} in this skeleton: left out")


def _warn(text: str) -> None:
    warnings.warn(text, FormatWarning, stacklevel=4)


def _near(motion: Motion, kept: AmcFile, bone: Bone) -> FloatArray | None:
    """Return the file's own angles (F, D), in radians, nearest to what each frame shows."""
    values = kept.values.get(bone.name)
    count = 0 if values is None else len(values) - kept.rest_rows
    if values is None or count < 1:
        return None
    rows = nearest_rows(motion, bone.name, fps=kept.motion.fps, count=count, first=kept.rest_rows)
    angles: FloatArray = values[rows][:, bone.columns]
    return np.radians(angles) if kept.degrees else angles


def _angles(rotations: FloatArray, bone: Bone, near: FloatArray | None) -> FloatArray:
    """Find the angles (F, D) about a bone's axes that come nearest to its rotations."""
    from retime.io.bvh.kernels import quaternions_to_euler

    count = len(bone.turns)
    if not count:
        return np.zeros((len(rotations), 0))
    own = quat.multiply(quat.multiply(quat.conjugate(bone.axis), rotations), bone.axis)
    axes = bone.turns[::-1]  # the first that is applied stands last in the product
    order = np.array([*axes, *(a for a in range(3) if a not in axes)], dtype=np.int64)
    wanted = np.zeros((len(rotations), 3))
    if near is not None:
        wanted[:, :count] = near[:, ::-1]
    found: FloatArray = quaternions_to_euler(
        np.ascontiguousarray(own), order, count, wanted, near is None
    )
    return np.ascontiguousarray(found[:, :count][:, ::-1])


def _text(motion: Motion, values: dict[str, FloatArray], kept: AmcFile) -> Iterator[bytes]:
    """Write the frames, bones in the file's own order."""
    order = [n for n in kept.values if n in values] + [n for n in values if n not in kept.values]
    forms = [f"{n} " + " ".join(["%.6f"] * values[n].shape[1]) for n in order]
    block = "\n".join(["%d", *forms]) + "\n"
    count = len(values[order[0]])
    numbers = np.arange(kept.first_frame, kept.first_frame + count)
    table = np.concatenate([numbers[:, None], *(values[n] for n in order)], axis=1)
    rows = ((block % tuple(row)).encode() for row in table.tolist())
    return chain([_head(motion, kept)], rows)


def _head(motion: Motion, kept: AmcFile) -> bytes:
    """Return the file's lines before its first frame, with the frame rate where it tells one."""
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
        _warn(f"AMC has no frame rate: this one is at {motion.fps:g} fps; give it on reading")
    return b"".join(head)


def _place_of_skeleton(kept: AmcFile, path: Path) -> Path | None:
    """Return where the skeleton must be written to be found; another one there is not lost."""
    try:
        found = read_bytes(find_skeleton(path))
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
