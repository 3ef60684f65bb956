"""Read BVH files."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from retime import _native
from retime.arrays import FloatArray
from retime.errors import FormatError
from retime.io.as_read import with_origin
from retime.io.bvh.hierarchy import Hierarchy, parse_hierarchy
from retime.io.bvh.rows import Rows, parse_rows
from retime.io.files import read_bytes
from retime.io.gaps import Gaps
from retime.io.parameters import RestFrame
from retime.io.rest_frame import set_aside
from retime.motion import Motion, Units, trust
from retime.motion.skeleton import MOST_LENGTH, EndSite, Skeleton, unique_names

_MOTION = re.compile(rb"(?:\A|\r\n|\r|\n)[ \t]*motion(?=\s|\Z)", re.IGNORECASE)
_LINE_END = re.compile(r"\r\n|\r|\n")
_OTHER_FORMATS = {
    b"\x89PNG": "a PNG picture",
    b"\xff\xd8\xff": "a JPEG picture",
    b"GIF8": "a GIF picture",
    b"PK\x03\x04": "a zip archive",
    b"glTF": "a GLB file",
    b"Kaydara FBX": "an FBX file",
    b"\x1f\x8b": "a gzip archive",
    b"%PDF": "a PDF",
}


@dataclass(frozen=True, eq=False)
class BvhFile:
    """Data of a file, kept to write it back.

    A motion that still holds the arrays of ``motion`` is unedited: its numbers are written with
    the file's digits.
    """

    hierarchy: Hierarchy
    rows: Rows
    rest_rows: int
    motion: Motion


def read_motion(
    path: str | Path,
    *,
    rest_frame: RestFrame = "auto",
    fps: float | None = None,
) -> Motion:
    """Read a BVH file; units and up axis stay unknown. Options are those of ``retime.read``."""
    data = read_bytes(path)
    name = str(path)
    text = _as_utf8(data, name)
    hierarchy, rows = _parts(text, name, fps)
    skeleton = _skeleton(hierarchy)
    gaps = Gaps(name)
    rows = replace(rows, values=_bridged(hierarchy, rows.values, skeleton, gaps))
    rotations, translations = bvh_transforms(hierarchy, rows.values, skeleton)
    for joint, track in translations.items():
        if (np.abs(track) > MOST_LENGTH).any():
            raise FormatError(f"positions of {joint!r} are too large to be lengths", path=name)
    aside, rest_pose, said = set_aside(rotations, translations, rest_frame)
    motion = Motion(
        skeleton,
        trust(rotations[aside:]),  # made unit and continuous
        {n: t[aside:] for n, t in translations.items()},
        fps=rows.fps if fps is None else fps,
        units=Units(how="unknown"),
        rest_pose=rest_pose,
        notes=(*rows.notes, *said, *gaps.notes(aside)),
    )
    kept = BvhFile(hierarchy, rows, aside, motion)
    return with_origin(motion, "bvh", path, data, kept)


def _as_utf8(data: bytes, path: str) -> bytes:
    """Convert a file's bytes to UTF-8 without a byte order mark; reject what is not text."""
    if not data[:4096].strip() and not data.strip():
        raise FormatError("the file is empty", path=path)
    other = next((what for magic, what in _OTHER_FORMATS.items() if data.startswith(magic)), None)
    if other is not None:
        raise FormatError(f"not a BVH file but {other}", path=path)
    if data.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in data[:2]:
        data = _from_utf16(data, path)
    data = data.removeprefix(b"\xef\xbb\xbf")
    if b"\0" in data[:65536]:
        raise FormatError("not a text file, so not a BVH file", path=path)
    return data


def _from_utf16(data: bytes, path: str) -> bytes:
    little = data.startswith(b"\xff\xfe") or (data[1:2] == b"\0" and data[:1] != b"\xfe")
    try:
        text = data.decode("utf-16-le" if little else "utf-16-be")
    except UnicodeDecodeError:
        raise FormatError("neither text in UTF-8 nor in UTF-16", path=path) from None
    return text.removeprefix("\ufeff").encode("utf-8", "replace")


def _parts(text: bytes, path: str, fps: float | None) -> tuple[Hierarchy, Rows]:
    if not re.match(rb"\s*hierarchy\b", text[:65536], re.IGNORECASE):
        raise FormatError(
            "does not start with HIERARCHY, so it is not a BVH file", path=path, line=1
        )
    motion = _MOTION.search(text)
    if motion is None:
        raise FormatError("has no MOTION section; the file may be cut off", path=path)
    try:
        head = text[: motion.start()].decode("utf-8")
    except UnicodeDecodeError:
        head = text[: motion.start()].decode("cp1252", "replace")
    lines = _LINE_END.split(head)
    hierarchy = parse_hierarchy(lines, path)
    on_next_line = motion[0][:1] in b"\r\n" and motion.start() > 0
    rows = parse_rows(
        text,
        hierarchy.columns,
        path,
        len(lines) + int(on_next_line),
        at=motion.end(),
        fps=fps,
    )
    return hierarchy, rows


def _skeleton(hierarchy: Hierarchy) -> Skeleton:
    joints = hierarchy.joints
    is_joint = [not n.is_end for n in hierarchy.nodes]
    joint_of = [*(np.cumsum(is_joint) - 1).tolist(), -1]  # the last is the parent of roots
    return Skeleton(
        names=unique_names([n.name for n in joints]),
        parents=np.array([joint_of[n.parent] for n in joints]),
        offsets=np.array([n.offset_values for n in joints]),
        end_sites=tuple(
            EndSite(joint_of[n.parent], n.offset_values, n.name)
            for n in hierarchy.nodes
            if n.is_end
        ),
        file_names=tuple(n.name for n in joints),
    )


def rotation_columns(
    hierarchy: Hierarchy,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return each joint's rotation columns (J, 3), -1 for none, and their axes (J, 3)."""
    joints = hierarchy.joints
    columns = np.full((len(joints), 3), -1, dtype=np.int64)
    axes = np.zeros((len(joints), 3), dtype=np.int64)
    for j, node in enumerate(joints):
        count = len(node.rotation_axes)
        columns[j, :count] = node.columns(rotation=True)
        axes[j, :count] = node.rotation_axes
    return columns, axes


def _bridged(hierarchy: Hierarchy, rows: FloatArray, skeleton: Skeleton, gaps: Gaps) -> FloatArray:
    """Interpolate missing values, for each joint's rotation and position as a whole."""
    if not np.isnan(rows).any():
        return rows
    rows = rows.copy()
    for name, node in zip(skeleton.names, hierarchy.joints, strict=True):
        turning, placing = node.columns(rotation=True), node.columns(rotation=False)
        rows[:, turning] = gaps.angles(name, rows[:, turning], 180.0)
        rows[:, placing] = gaps.places(name, rows[:, placing])
    return rows


def bvh_transforms(
    hierarchy: Hierarchy, rows: FloatArray, skeleton: Skeleton
) -> tuple[FloatArray, dict[str, FloatArray]]:
    """Return rotations (F, J, 4) and translations by joint from rows of values (F, columns)."""
    rotations = _native.bvh.euler_to_quaternions(rows, *rotation_columns(hierarchy))
    translations = {}
    for j, (name, node) in enumerate(zip(skeleton.names, hierarchy.joints, strict=True)):
        if node.position_axes or skeleton.parents[j] < 0:
            track = np.tile(skeleton.offsets[j], (len(rows), 1))
            track[:, node.position_axes] = rows[:, node.columns(rotation=False)]
            translations[name] = track
    return rotations, translations
