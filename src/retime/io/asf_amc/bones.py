"""ASF files: bones, their axes of rotation and their hierarchy."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from retime.arrays import FloatArray
from retime.errors import FormatError, did_you_mean
from retime.io.gaps import means_missing
from retime.motion import quat
from retime.motion.skeleton import EndSite, Skeleton

ROOT = "root"
# Largest number of bones, and their largest length.
_MOST_BONES = 5000
_MOST_LENGTH = 1e9
_LINE_END = re.compile(r"\r\n|\r|\n")
_AXES = "XYZ"
_TURNS = {"RX": 0, "RY": 1, "RZ": 2}
_SHIFTS = {"TX": 0, "TY": 1, "TZ": 2}
Line = tuple[int, list[str]]


@dataclass
class Bone:
    """A bone as in the file."""

    name: str
    line: int
    """Its line in the file."""
    direction: FloatArray = field(default_factory=lambda: np.zeros(3))
    """Direction from its start to its end, in the figure's axes. Shape (3,)."""
    length: float = 0.0
    axis: FloatArray = field(default_factory=lambda: quat.identity())
    """The coordinate frame of its rotations, as a quaternion. Shape (4,)."""
    turns: list[int] = field(default_factory=list)
    """Axes of its rotations, 0 to 2, in the order of its values; the first is applied first."""
    columns: list[int] = field(default_factory=list)
    """Columns of its values that are rotations."""
    shifts: dict[int, int] = field(default_factory=dict)
    """Column of its values by axis, for translations: the root's only."""

    @property
    def width(self) -> int:
        """Number of its values in each frame."""
        return len(self.turns) + len(self.shifts)

    @property
    def end(self) -> FloatArray:
        """Its end, relative to its start."""
        return self.direction * self.length


@dataclass
class AsfFile:
    """An ASF file."""

    data: bytes
    """The file."""
    name: str
    """Its file name."""
    bones: list[Bone]
    """The bones depth first, beginning with the root."""
    parents: list[int]
    """Index of each bone's parent."""
    skeleton: Skeleton
    """The joints, at the bones' starts."""
    length_unit: float
    """The file's unit of length; 0 if it has none."""
    degrees: bool
    """Whether angles are in degrees."""


def text_lines(data: bytes, path: str | Path, what: str) -> Iterator[Line]:
    """Yield the number and the words of each line, without comments and empty lines."""
    if not data.strip():
        raise FormatError("the file is empty", path=path)
    if b"\0" in data[:65536]:
        raise FormatError(f"not a text file, so not {what}", path=path)
    text = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
    for number, line in enumerate(_LINE_END.split(text), 1):
        words = line.partition("#")[0].split()
        if words:
            yield number, words


def numbers(
    words: list[str], path: str | Path, line: int, *, may_miss: bool = False
) -> list[float]:
    """Parse finite numbers; missing ones become NaN if they ``may_miss``."""
    try:
        found = [math.nan if may_miss and means_missing(w) else float(w) for w in words]
    except ValueError:
        raise FormatError(f"{_shown(words)} is not made of numbers", path=path, line=line) from None
    bad = [v for v in found if not abs(v) < _MOST_LENGTH]  # includes NaN
    if bad and not (may_miss and all(map(math.isnan, bad))):
        raise FormatError(f"{_shown(words)} has an unusable number", path=path, line=line)
    return found


def _shown(words: list[str]) -> str:
    return repr(" ".join(words)[:60])


def parse_asf(data: bytes, path: str | Path) -> AsfFile:
    """Parse a skeleton from the sections bonedata, root, units and hierarchy; ignore others."""
    sections = _sections(text_lines(data, path, "an ASF file"), path)
    if "bonedata" not in sections and "hierarchy" not in sections:
        raise FormatError("no :bonedata and no :hierarchy, so it is not an ASF file", path=path)
    length_unit, degrees = _units(sections["units"], path)
    bones = {ROOT: _root(sections["root"], path)}
    for block in _blocks(sections["bonedata"], path):
        bone = _bone(block, degrees, path)
        if bone.name in bones:
            raise FormatError(f"the bone {bone.name!r} occurs twice", path=path, line=bone.line)
        bones[bone.name] = bone
        if len(bones) > _MOST_BONES:
            raise FormatError(f"more than {_MOST_BONES} bones", path=path, line=bone.line)
    order, parents = _hierarchy(sections["hierarchy"], bones, path)
    listed = [bones[name] for name in order]
    skeleton = _skeleton(listed, parents)
    return AsfFile(data, Path(path).name, listed, parents, skeleton, length_unit, degrees)


def _sections(lines: Iterator[Line], path: str | Path) -> defaultdict[str, list[Line]]:
    """Split a file at its keywords, which begin with a colon."""
    out: defaultdict[str, list[Line]] = defaultdict(list)
    current: list[Line] = []  # lines before the first keyword are ignored
    for number, words in lines:
        if words[0].startswith(":"):
            name = words[0][1:].lower()
            if name in out and name in ("root", "bonedata", "hierarchy", "units"):
                raise FormatError(f"{words[0]} occurs twice", path=path, line=number)
            current = out[name]
        else:
            current.append((number, words))
    return out


def _units(lines: list[Line], path: str | Path) -> tuple[float, bool]:
    """Return the unit of length, 0 if there is none, and whether angles are in degrees."""
    length, degrees = 0.0, True
    for number, (word, *rest) in lines:
        if word.lower() == "length" and rest:
            (length,) = numbers(rest[:1], path, number)
        elif word.lower() == "angle" and rest:
            unit = rest[0].lower()[:3]
            if unit not in ("deg", "rad"):
                raise FormatError(f"angles in {rest[0]!r}, not deg or rad", path=path, line=number)
            degrees = unit == "deg"
    return max(length, 0.0), degrees


def _root(lines: list[Line], path: str | Path) -> Bone:
    root = Bone(ROOT, lines[0][0] if lines else 1)
    for number, (word, *rest) in lines:
        if word.lower() == "order":
            _freedoms(root, rest, path, number)
        elif word.lower() == "position":
            root.direction, root.length = np.array(_three(rest, path, number)), 1.0
        elif word.lower() == "orientation" and any(_three(rest, path, number)):
            raise FormatError(
                "its root has an orientation, which retime does not support",
                path=path,
                line=number,
            )
    if not root.width:
        raise FormatError("its :root has no order of values", path=path, line=root.line)
    return root


def _blocks(lines: list[Line], path: str | Path) -> Iterator[list[Line]]:
    """Yield the lines between each begin and end."""
    block: list[Line] | None = None
    for number, words in lines:
        word = words[0].lower()
        if word == "begin":
            block = []
        elif word == "end":
            if block is None:
                raise FormatError("an end without its begin", path=path, line=number)
            yield block
            block = None
        elif block is not None:
            block.append((number, words))
    if block is not None:
        line = lines[-1][0]
        raise FormatError("a bone without its end; the file may be cut off", path=path, line=line)


def _bone(block: list[Line], degrees: bool, path: str | Path) -> Bone:
    names = [words[1] for _, words in block if words[0].lower() == "name" and len(words) > 1]
    if not names:
        line = next((number for number, _ in block), None)
        raise FormatError("a bone without a name", path=path, line=line)
    bone = Bone(names[0], block[0][0])
    for number, words in block:
        _set_property(bone, words[0].lower(), words[1:], degrees, path, number)
    if bone.shifts:
        raise FormatError(
            f"the bone {bone.name!r} moves along its axes, which retime does not support",
            path=path,
            line=bone.line,
        )
    return bone


def _set_property(
    bone: Bone, word: str, rest: list[str], degrees: bool, path: str | Path, line: int
) -> None:
    """Parse a line about a bone; ignore properties that are not needed."""
    if word == "direction":
        bone.direction = np.array(_three(rest, path, line))
    elif word == "length":
        (bone.length,) = numbers(rest[:1] or ["?"], path, line)
    elif word == "axis":
        bone.axis = _axis(rest, degrees, path, line)
    elif word == "dof":
        _freedoms(bone, rest, path, line)


def _three(words: list[str], path: str | Path, line: int) -> list[float]:
    found = numbers(words[:3], path, line)
    if len(found) != 3:
        raise FormatError("three numbers are needed here", path=path, line=line)
    return found


def _axis(words: list[str], degrees: bool, path: str | Path, line: int) -> FloatArray:
    angles = _three(words, path, line)
    order = words[3].upper() if len(words) > 3 else _AXES
    if sorted(order) != list(_AXES):
        raise FormatError(f"the order of axes is {order!r}; expected XYZ, ZYX or another order of "
                          "these letters", path=path, line=line)  # fmt: skip
    out = quat.identity()
    for letter, angle in zip(order, angles, strict=True):  # the first is applied first
        turn = np.radians(angle) if degrees else angle
        out = quat.multiply(quat.from_axis_angle(np.eye(3)[_AXES.index(letter)], turn), out)
    return out


def _freedoms(bone: Bone, words: list[str], path: str | Path, line: int) -> None:
    """Set the degrees of freedom of a bone."""
    names = [w.upper() for w in words]
    for column, name in enumerate(names):
        if name in _TURNS:
            bone.turns.append(_TURNS[name])
            bone.columns.append(column)
        elif name in _SHIFTS:
            bone.shifts[_SHIFTS[name]] = column
        elif name == "L":
            raise FormatError(
                f"the bone {bone.name!r} changes its length, which retime does not support",
                path=path,
                line=line,
            )
        else:
            raise FormatError(f"{name!r} is not a degree of freedom", path=path, line=line)
    if len(set(names)) < len(names) or bone.width != len(names):
        raise FormatError(f"{bone.name!r} has a degree of freedom twice", path=path, line=line)


def _hierarchy(
    lines: list[Line], bones: dict[str, Bone], path: str | Path
) -> tuple[list[str], list[int]]:
    """Return the names of the bones depth first, and their parents; all must be below the root."""
    children = _children(lines, bones, path)
    order: list[str] = []
    parents: list[int] = []
    stack = [(ROOT, -1)]
    while stack:
        name, parent = stack.pop()
        parents.append(parent)
        stack += [(c, len(order)) for c in reversed(children.get(name, []))]
        order.append(name)
    ordered = set(order)
    if lost := next((b for name, b in bones.items() if name not in ordered), None):
        raise FormatError(
            f"the bone {lost.name!r} is not connected to the root", path=path, line=lost.line
        )
    return order, parents


def _children(lines: list[Line], bones: dict[str, Bone], path: str | Path) -> dict[str, list[str]]:
    children: dict[str, list[str]] = {}
    taken = {ROOT}
    for number, words in lines:
        if words[0].lower() in ("begin", "end") and len(words) == 1:
            continue
        if unknown := next((name for name in words if name not in bones), None):
            hint = did_you_mean(unknown, bones)
            raise FormatError(f"no bone {unknown!r}{hint}", path=path, line=number)
        for name in words[1:]:
            if name in taken:
                raise FormatError(f"{name!r} has two parents", path=path, line=number)
            taken.add(name)
        children.setdefault(words[0], []).extend(words[1:])
    return children


def _skeleton(bones: list[Bone], parents: list[int]) -> Skeleton:
    ends = np.array([b.end for b in bones])
    above = np.array(parents)
    # The root has no bone: its end is its own position, and its children start there.
    offsets = np.where(above[:, None] > 0, ends[above], 0.0)
    offsets[0] = ends[0]
    leaves = sorted(set(range(1, len(bones))) - set(parents))
    sites = tuple(EndSite(j, (x, y, z)) for j in leaves for x, y, z in [ends[j].tolist()])
    return Skeleton(tuple(b.name for b in bones), above, offsets, end_sites=sites)
