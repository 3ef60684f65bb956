"""Read AMC files: the values of every bone in each frame, with the skeleton of an ASF file."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from retime.arrays import FloatArray
from retime.body import find_body
from retime.errors import FormatError, InputError, did_you_mean
from retime.io.as_read import with_origin
from retime.io.asf_amc.bones import AsfFile, Bone, numbers, parse_asf, text_lines
from retime.io.beside import must_find_beside, skeleton_note
from retime.io.files import read_bytes
from retime.io.gaps import Gaps
from retime.io.parameters import RestFrame
from retime.io.rest_frame import set_aside
from retime.motion import Motion, Units, quat
from retime.motion.kinematics import height, infer_units
from retime.notes import Note, Remedy

# The frame rate of the CMU laboratory, which recorded most of these files.
USUAL_FPS = 120.0
# CMU's lengths are inches divided by this unit; other programs write arbitrary units.
_INCH, _USUAL_UNIT = 0.0254, 0.45
# Plausible heights of a person in metres.
_PERSON = (1.0, 2.3)


@dataclass(frozen=True, eq=False)
class AmcFile:
    """Data of a motion file and its skeleton file, kept to write them back.

    ``told_fps`` is the frame rate of the file, or the usual one if it has none; that of the
    ``motion`` may differ.
    """

    data: bytes
    asf: AsfFile
    values: dict[str, FloatArray]
    degrees: bool
    first_frame: int
    rest_rows: int
    told_fps: float
    motion: Motion


@dataclass
class _Amc:
    values: dict[str, FloatArray]
    degrees: bool
    first_frame: int
    fps: float | None


def read_motion(
    path: str | Path,
    *,
    rest_frame: RestFrame = "auto",
    fps: float | None = None,
    skeleton: Path | None = None,
) -> Motion:
    """Read an AMC file with its skeleton. Options are those of ``retime.read``."""
    path = Path(path)
    if path.suffix.lower() == ".asf":
        raise InputError(f"{path} contains only a skeleton; give an .amc file")
    data = read_bytes(path)
    if not data.strip():  # a missing skeleton would otherwise be reported first
        raise FormatError("the file is empty", path=path)
    place = must_find_beside(path, ".asf") if skeleton is None else skeleton
    asf = parse_asf(read_bytes(place), place)
    amc = _parse_amc(data, path, asf)
    gaps = Gaps(path)
    amc.values = {
        b.name: _bridged(b, amc.values[b.name], gaps, 180.0 if amc.degrees else np.pi)
        for b in asf.bones
        if b.name in amc.values
    }
    rotations, root = _transforms(asf, amc)
    rate = fps if fps is not None else amc.fps
    notes = _notes(asf, amc, rate)
    name = asf.skeleton.names[0]
    aside, rest_pose, said = set_aside(rotations, {name: root}, rest_frame)
    motion = Motion(
        asf.skeleton,
        rotations[aside:],
        {name: root[aside:]},
        fps=USUAL_FPS if rate is None else rate,
        units=Units(how="unknown"),
        rest_pose=rest_pose,
        notes=(*notes, *said, *gaps.notes(aside)),
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
        motion,
    )
    return with_origin(motion, "amc", path, data, kept)


def _notes(asf: AsfFile, amc: _Amc, rate: float | None) -> list[Note]:
    """Return notes on the skeleton, a missing frame rate and bones without values."""
    notes = [skeleton_note(asf.name)]
    if rate is None:
        notes.append(
            Note(
                "the files have no frame rate; 120 fps is assumed",
                Remedy(parameter="reading.fps"),
                code="rate-assumed",
                fps=USUAL_FPS,
            )
        )
    without = [b.name for b in asf.bones if b.width and b.name not in amc.values][:8]
    if without:
        notes.append(
            Note(
                f"bones without values stay in the rest pose: {', '.join(without)}",
                code="bones-without-values",
                bones=without,
            )
        )
    return notes


def companions(path: Path) -> list[Path]:
    """Return the skeleton file of an AMC, if it is found."""
    try:
        return [must_find_beside(path, ".asf")]
    except InputError:
        return []


def _parse_amc(data: bytes, path: Path, asf: AsfFile) -> _Amc:
    frames = _AmcFrames(path, asf)
    for line, words in text_lines(data, path, "an AMC file"):
        frames.take(line, words)
    return frames.whole()


class _AmcFrames:
    """Collect the values of an AMC file line by line."""

    def __init__(self, path: Path, asf: AsfFile) -> None:
        self.path, self.asf = path, asf
        self.widths = {b.name: b.width for b in asf.bones}
        self.rows: dict[str, list[list[float]]] = {}
        self.seen: dict[str, int] = {}  # the last frame of each bone, counted from 1
        self.degrees = asf.degrees
        self.fps: float | None = None
        self.first = self.frame = -1
        self.count = self.line = 0

    def fail(self, text: str) -> FormatError:
        return FormatError(text, path=self.path, line=self.line)

    def take(self, line: int, words: list[str]) -> None:
        """Parse a line that is not empty."""
        self.line = line
        word = words[0]
        if word.startswith(":"):
            self._set(word.upper(), words[1:])
        elif self._is_frame(words):
            self._begin(int(word))
        elif self.count:
            self._add(word, words[1:])
        elif word in self.widths:  # other words are comments of a program
            raise self.fail("values before the first frame")

    def _is_frame(self, words: list[str]) -> bool:
        (word, *more) = words
        return not more and word.isdecimal() and len(word) < 12 and word not in self.widths

    def _set(self, keyword: str, values: list[str]) -> None:
        if keyword in (":DEGREES", ":RADIANS"):
            self.degrees = keyword == ":DEGREES"
        elif keyword == ":SAMPLES-PER-SECOND" and values:
            (self.fps,) = numbers(values[:1], self.path, self.line)
            if self.fps <= 0:
                raise self.fail(f"{self.fps:g} samples per second")

    def _begin(self, frame: int) -> None:
        self._must_be_whole()
        if not self.count:
            self.first = frame
        elif frame != self.frame + 1:
            raise self.fail(f"frame {frame} follows frame {self.frame}; frames are missing")
        self.frame = frame
        self.count += 1

    def _add(self, bone: str, values: list[str]) -> None:
        width, name = self.widths.get(bone), self.asf.name
        if width is None:
            raise self.fail(f"{name} has no bone {bone!r}{did_you_mean(bone, self.widths)}")
        if self.seen.get(bone) == self.count:
            raise self.fail(f"{bone!r} occurs twice in a frame")
        if len(values) != width:
            raise self.fail(f"{bone!r} has {len(values)} values; {name} declares {width}")
        self.seen[bone] = self.count
        self.rows.setdefault(bone, []).append(numbers(values, self.path, self.line, may_miss=True))
        if len(self.rows[bone]) != self.count:
            raise self.fail(f"frame {self.first} lacks {bone!r}")

    def _must_be_whole(self) -> None:
        """Reject a frame without a bone that earlier frames have."""
        missing = next((name for name in self.rows if self.seen[name] != self.count), None)
        if missing is not None:
            raise self.fail(f"frame {self.frame} lacks {missing!r}; the file may be cut off")

    def whole(self) -> _Amc:
        """Return the values after the last line."""
        if not self.count:
            raise FormatError("has no frames, so it is not an AMC file", path=self.path)
        self._must_be_whole()
        if self.asf.bones[0].name not in self.rows:
            raise FormatError("has no values of the root", path=self.path)
        values = {n: np.array(v) for n, v in self.rows.items()}
        return _Amc(values, self.degrees, self.first, self.fps)


def turned(bone: Bone, angles: FloatArray) -> FloatArray:
    """Convert a bone's angles (F, D) in radians to rotations (F, 4) in the figure's axes."""
    out = quat.identity(len(angles))
    for k, axis in enumerate(bone.turns):  # the first is applied first
        out = quat.multiply(quat.from_axis_angle(np.eye(3)[axis], angles[:, k]), out)
    return quat.multiply(quat.multiply(bone.axis, out), quat.conjugate(bone.axis))


def _bridged(bone: Bone, values: FloatArray, gaps: Gaps, half_turn: float) -> FloatArray:
    """Interpolate a bone's missing values, for its rotation and position as a whole."""
    if not np.isnan(values).any():
        return values
    out, turning = values.copy(), np.array(bone.columns, dtype=np.int64)
    out[:, turning] = gaps.angles(bone.name, values[:, turning], half_turn)
    others = np.setdiff1d(np.arange(values.shape[1]), turning)
    out[:, others] = gaps.places(bone.name, values[:, others])
    return out


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
    """Use the file's unit of length if it is CMU's or gives a person's height."""
    if not asf.length_unit:
        return motion
    metres = _INCH / asf.length_unit
    tall = (find_body(motion).height or height(motion.skeleton)) * metres
    if asf.length_unit != _USUAL_UNIT and not _PERSON[0] <= tall <= _PERSON[1]:
        return motion
    units, notes = infer_units(motion, scale=metres)
    said = Note(
        f"lengths are inches divided by {asf.length_unit:g}, the unit in the skeleton file",
        code="unit-declared",
        metres=metres,
    )
    return replace(motion, units=units).with_notes(said, *notes)
