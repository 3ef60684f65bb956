"""AMC files: the values of every bone, frame by frame, and the skeleton that they belong to."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np

from retime.arrays import FloatArray
from retime.body import find_body
from retime.errors import FormatError, InputError, did_you_mean
from retime.io.asf_amc.bones import AsfFile, Bone, numbers, parse_asf, text_lines
from retime.io.files import read_bytes
from retime.io.rest_frame import starts_at_rest
from retime.motion import Motion, Origin, Pose, Units, quat
from retime.motion.kinematics import height, infer_units
from retime.notes import Note, Remedy

# What the laboratory of most such files recorded at.
USUAL_FPS = 120.0
# Inches are told over a unit, which in the same laboratory is this; others write what they like.
_INCH, _USUAL_UNIT = 0.0254, 0.45
# Heights in metres that a person may have.
_PERSON = (1.0, 2.3)


@dataclass(frozen=True, eq=False)
class AmcFile:
    """What is kept of a motion's file and of its skeleton's, for writing it back.

    ``told_fps`` is the rate of the file, or the usual one where it tells none; ``fps`` may overrule
    it. From ``rotations`` on, these are the very objects of the motion as read.
    """

    data: bytes
    asf: AsfFile
    values: dict[str, FloatArray]
    degrees: bool
    first_frame: int
    rest_rows: int
    told_fps: float
    fps: float
    rotations: FloatArray
    translations: dict[str, FloatArray]
    rest_pose: Pose | None


@dataclass
class _Amc:
    values: dict[str, FloatArray]
    degrees: bool
    first_frame: int
    fps: float | None


def read_motion(
    path: str | Path,
    *,
    rest_frame: Literal["auto", "keep", "first"] = "auto",
    fps: float | None = None,
    skeleton: Path | None = None,
) -> Motion:
    """Read an AMC file with its skeleton. Options are those of ``retime.read``."""
    path = Path(path)
    if path.suffix.lower() == ".asf":
        raise InputError(f"{path} is a skeleton alone; give the .amc that moves it")
    data = read_bytes(path)
    if not data.strip():  # said before its skeleton is looked for
        raise FormatError("the file is empty", path=path)
    place = find_skeleton(path) if skeleton is None else skeleton
    asf = parse_asf(read_bytes(place), place)
    amc = _parse_amc(data, path, asf)
    rotations, root = _transforms(asf, amc)
    notes = [f"its skeleton is {asf.name}"]
    rate = fps if fps is not None else amc.fps
    if rate is None:
        rate = USUAL_FPS
        notes.append(
            Note(
                "the files tell no frame rate: taken as 120 fps",
                Remedy(parameter="reading.fps"),
                code="frame-rate-assumed",
            )
        )
    silent = [b.name for b in asf.bones if b.width and b.name not in amc.values]
    if silent:
        notes.append(f"bones without values rest: {', '.join(silent[:8])}")
    aside = int(rest_frame == "first" or (rest_frame == "auto" and starts_at_rest(rotations)))
    rest_pose = None
    name = asf.skeleton.names[0]
    if aside and len(rotations):
        rest_pose = Pose(rotations[0], {name: root[0]})
        notes.append("frame 0 is an added rest pose: set aside, and restored on writing")
    motion = Motion(
        asf.skeleton,
        rotations[aside:],
        {name: root[aside:]},
        fps=rate,
        units=Units(how="unknown"),
        rest_pose=rest_pose,
        notes=tuple(notes),
    )
    motion = _with_declared_length(motion, asf)
    kept = AmcFile(
        data,
        asf,
        amc.values,
        amc.degrees,
        amc.first_frame,
        aside,
        amc.fps or USUAL_FPS,
        motion.fps,
        motion.rotations,
        dict(motion.translations),
        motion.rest_pose,
    )
    origin = Origin("amc", str(path), hashlib.sha256(data).hexdigest(), kept)
    return replace(motion, origin=origin)


def find_skeleton(path: Path) -> Path:
    """Find the ASF of an AMC: of its name, of its name up to a ``_``, or the only one beside."""
    if not path.parent.is_dir():
        raise InputError(f"no such folder: {path.parent}")
    beside = sorted(p for p in path.parent.iterdir() if p.suffix.lower() == ".asf" and p.is_file())
    by_stem = {p.stem.casefold(): p for p in beside}
    stem = path.stem.casefold()
    while stem:
        if stem in by_stem:
            return by_stem[stem]
        stem = stem.rpartition("_")[0]
    if len(beside) == 1:
        return beside[0]
    why = "no .asf lies beside it" if not beside else f"{len(beside)} .asf files lie beside it"
    raise InputError(
        Note(
            f"{path} needs its skeleton, and {why}",
            Remedy("name it", parameter="reading.skeleton", value="FILE.asf"),
        )
    )


def companions(path: Path) -> list[Path]:
    """Name the skeleton of an AMC, where it is found."""
    try:
        return [find_skeleton(path)]
    except InputError:
        return []


def _parse_amc(data: bytes, path: Path, asf: AsfFile) -> _Amc:
    widths = {b.name: b.width for b in asf.bones}
    rows: dict[str, list[list[float]]] = {}
    seen: dict[str, int] = {}
    degrees, fps = asf.degrees, None
    first = frame = -1
    count = 0
    line = 0
    for line, words in text_lines(data, path, "an AMC file"):
        word = words[0]
        if word.startswith(":"):
            keyword = word.upper()
            if keyword in (":DEGREES", ":RADIANS"):
                degrees = keyword == ":DEGREES"
            elif keyword == ":SAMPLES-PER-SECOND" and len(words) > 1:
                (fps,) = numbers(words[1:2], path, line)
                if fps <= 0:
                    raise FormatError(f"{fps:g} samples per second", path=path, line=line)
            continue
        if len(words) == 1 and word.isdecimal() and len(word) < 12 and word not in widths:
            _must_be_whole(rows, seen, count, frame, path, line)
            if count and int(word) != frame + 1:
                text = f"frame {int(word)} follows frame {frame}; frames are missing"
                raise FormatError(text, path=path, line=line)
            frame = int(word)
            first = frame if not count else first
            count += 1
            continue
        if not count:
            if word in widths:
                raise FormatError("values before the first frame", path=path, line=line)
            continue  # a program's own words before the first frame
        if word not in widths:
            text = f"{asf.name} has no bone {word!r}{did_you_mean(word, widths)}"
            raise FormatError(text, path=path, line=line)
        if seen.get(word) == count:
            raise FormatError(f"{word!r} stands twice in a frame", path=path, line=line)
        if len(words) - 1 != widths[word]:
            text = f"{word!r} has {len(words) - 1} values; {asf.name} says {widths[word]}"
            raise FormatError(text, path=path, line=line)
        seen[word] = count
        rows.setdefault(word, []).append(numbers(words[1:], path, line))
        if len(rows[word]) != count:
            raise FormatError(f"frame {first} lacks {word!r}", path=path, line=line)
    if not count:
        raise FormatError("has no frames, so it is not an AMC file", path=path)
    _must_be_whole(rows, seen, count, frame, path, line)
    if asf.bones[0].name not in rows:
        raise FormatError("has no values of the root", path=path)
    return _Amc({n: np.array(v) for n, v in rows.items()}, degrees, first, fps)


def _must_be_whole(
    rows: dict[str, list[list[float]]],
    seen: dict[str, int],
    count: int,
    frame: int,
    path: Path,
    line: int,
) -> None:
    """Refuse a frame that lacks a bone which the frames before have."""
    if not count:
        return
    for name in rows:
        if seen[name] != count:
            text = f"frame {frame} lacks {name!r}; the file may be cut off"
            raise FormatError(text, path=path, line=line)


def turned(bone: Bone, angles: FloatArray) -> FloatArray:
    """Turn a bone's angles (F, D) in radians into its rotations (F, 4) in the figure's axes."""
    out = quat.identity(len(angles))
    for k, axis in enumerate(bone.turns):  # the first is applied first
        out = quat.multiply(quat.from_axis_angle(np.eye(3)[axis], angles[:, k]), out)
    return quat.multiply(quat.multiply(bone.axis, out), quat.conjugate(bone.axis))


def _transforms(asf: AsfFile, amc: _Amc) -> tuple[FloatArray, FloatArray]:
    frames = len(next(iter(amc.values.values())))
    rotations = quat.identity(frames, len(asf.bones))
    for j, bone in enumerate(asf.bones):
        values = amc.values.get(bone.name)
        if values is not None and bone.turns:
            angles = values[:, bone.columns]
            rotations[:, j] = turned(bone, np.radians(angles) if amc.degrees else angles)
    root = asf.bones[0]
    place = np.tile(asf.skeleton.offsets[0], (frames, 1))
    for axis, column in root.shifts.items():
        place[:, axis] += amc.values[root.name][:, column]
    return rotations, place


def _with_declared_length(motion: Motion, asf: AsfFile) -> Motion:
    """Take lengths as inches over the file's unit: if it is the usual one, or makes a person."""
    if not asf.length_unit:
        return motion
    metres = _INCH / asf.length_unit
    tall = (find_body(motion).height or height(motion.skeleton)) * metres
    if asf.length_unit != _USUAL_UNIT and not _PERSON[0] <= tall <= _PERSON[1]:
        return motion
    units, notes = infer_units(motion, scale=metres)
    said = f"lengths are inches over {asf.length_unit:g}, as the skeleton's file has it"
    return replace(motion, units=units).with_notes(said, *notes)
