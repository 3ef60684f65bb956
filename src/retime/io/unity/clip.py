"""A Unity clip as lines of text: its curves with their keys, its events and its span."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.errors import FormatError
from retime.io.gltf.samplers import Sampler

_FIELD = re.compile(r"( *)((?:- )*)([A-Za-z_]\w*):(?: +(.*))?$")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|-?Infinity|-?\.inf|NaN")
# Lists of curves; those for the editor repeat the others.
_LISTS = (
    "m_RotationCurves", "m_EulerCurves", "m_PositionCurves", "m_ScaleCurves", "m_FloatCurves",
    "m_PPtrCurves", "m_EditorCurves", "m_EulerEditorCurves",
)  # fmt: skip
# How long the step of a stepped key takes here, seconds; a clip has none.
STEP = 4e-7
_MOST = 3e38
BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Key:
    """One key: its lines, and where its numbers stand."""

    start: int
    end: int
    fields: dict[str, tuple[int, int]]
    """First line and end of each field."""


@dataclass(frozen=True, eq=False)
class Track:
    """One curve."""

    kind: str
    """The list that it is in."""
    path: str
    """The object that it moves, by names from the top."""
    attribute: str
    """What it moves, of curves of a number."""
    keys: tuple[Key, ...]
    sampler: Sampler
    """Its values and tangents; a stepped key is followed by another just before the next."""
    order: int = 4
    """Rotation order of Euler angles."""


@dataclass(frozen=True, eq=False)
class Clip:
    """The first clip of a file."""

    path: Path
    lines: tuple[str, ...]
    tracks: tuple[Track, ...]
    events: tuple[tuple[int, int, float], ...]
    """First line, end and time of each event."""
    settings: dict[str, tuple[int, float]] = field(default_factory=dict)
    """Line and value of the sample rate and of the ends of the clip."""


@dataclass(frozen=True)
class _Line:
    """A field; a value in braces may go on in the next lines."""

    start: int
    end: int
    indent: int
    item: bool
    name: str
    value: str


def parse_clip(data: bytes, path: Path) -> Clip:
    """Read the text of a clip."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = ""
    if not text.lstrip().startswith("%YAML") and "AnimationClip:" not in text:
        raise FormatError(
            "this is not a Unity clip as text; set Asset Serialization to Force Text in Unity's "
            "project settings",
            path=path,
        )
    lines = tuple(text.splitlines(keepends=True))
    return _Parser(path, lines).clip()


class _Parser:
    def __init__(self, path: Path, lines: tuple[str, ...]) -> None:
        self.path, self.lines = path, lines
        self.fields = list(self._fields())

    def fail(self, line: int, what: str) -> FormatError:
        return FormatError(what, path=self.path, line=line + 1)

    def _fields(self) -> Iterator[_Line]:
        n, inside = 0, False
        while n < len(self.lines):
            line, start = self.lines[n].rstrip("\r\n"), n
            n += 1
            found = _FIELD.match(line)
            if found is None:
                if line.startswith("---"):
                    inside = False
                continue
            value = found[4] or ""
            while value.startswith("{") and value.count("{") > value.count("}"):
                if n >= len(self.lines) or n - start > 40:
                    raise self.fail(start, f"the braces of {found[3]} are not closed")
                value += " " + self.lines[n].strip()
                n += 1
            if found[3] == "AnimationClip" and not found[1]:
                if inside:
                    return
                inside = True
            elif inside:
                dashes = len(found[2])
                yield _Line(start, n, len(found[1]) + dashes, dashes > 0, found[3], value)

    def clip(self) -> Clip:
        tracks: list[Track] = []
        events: list[tuple[int, int, float]] = []
        settings: dict[str, tuple[int, float]] = {}
        section, first = "", 0
        tops = [k for k, f in enumerate(self.fields) if f.indent == 2 and not f.item]
        for first, last in pairwise([*tops, len(self.fields)]):
            section, own = self.fields[first].name, self.fields[first + 1 : last]
            if section in _LISTS:
                tracks += (self._track(section, part) for part in _items(own, 4))
            elif section == "m_CompressedRotationCurves" and own:
                raise self.fail(
                    own[0].start,
                    "its rotations are compressed; turn off compression in its import settings",
                )
            elif section == "m_Events":
                events += (self._event(part) for part in _items(own, 4))
            elif section == "m_SampleRate":
                line = self.fields[first]
                settings[section] = (line.start, self._number(line))
            elif section == "m_AnimationClipSettings":
                for line in own:
                    if line.name in ("m_StartTime", "m_StopTime"):
                        settings[line.name] = (line.start, self._number(line))
        if not tracks:
            raise FormatError("the clip has no curves", path=self.path)
        return Clip(self.path, self.lines, tuple(tracks), tuple(events), settings)

    def _number(self, line: _Line) -> float:
        try:
            out = float(line.value)
        except ValueError:
            raise self.fail(line.start, f"{line.name} is not a number") from None
        if not abs(out) < _MOST:
            raise self.fail(line.start, f"{line.name} is not a finite number")
        return out

    def _event(self, own: Sequence[_Line]) -> tuple[int, int, float]:
        time = next((line for line in own if line.name == "time"), None)
        if time is None:
            raise self.fail(own[0].start, "an event has no time")
        return time.start, time.end, self._number(time)

    def _track(self, kind: str, own: Sequence[_Line]) -> Track:
        named = {line.name: line for line in own if line.indent == 4}
        deeper = [line for line in own if line.indent > 4]
        # Keys are items of m_Curve, or of the curve itself where their values are objects.
        depth = min((line.indent for line in deeper if line.item), default=0)
        keys = [self._key(part) for part in _items(deeper, depth)] if depth else []
        order = next((line for line in deeper if line.name == "m_RotationOrder"), None)
        if not keys:
            raise self.fail(own[0].start, f"a curve of {kind} has no keys")
        return Track(
            kind,
            named["path"].value.strip("'\"") if "path" in named else "",
            named["attribute"].value if "attribute" in named else "",
            tuple(keys),
            self._sampler(kind, keys),
            int(order.value) if order is not None and order.value in list("012345") else 4,
        )

    def _key(self, own: Sequence[_Line]) -> Key:
        depth = own[0].indent
        fields = {line.name: (line.start, line.end) for line in own if line.indent == depth}
        ends = [line.end for line in own if line.indent >= depth]
        return Key(own[0].start, max(ends), fields)

    def _sampler(self, kind: str, keys: Sequence[Key]) -> Sampler:
        times = np.array([self.numbers(key, "time")[0] for key in keys])
        if not np.isfinite(times).all() or np.abs(times).max() > 1e6 or (np.diff(times) <= 0).any():
            raise self.fail(keys[0].start, "the times of a curve do not rise")
        if kind == "m_PPtrCurves":
            return Sampler(times, np.arange(len(keys), dtype=float)[:, None], None, "STEP", False)
        rows = [[self.numbers(k, n) for n in ("value", "inSlope", "outSlope")] for k in keys]
        width = len(rows[0][0])
        if any(len(part) != width for row in rows for part in row):
            raise self.fail(keys[0].start, "the keys of a curve have different numbers of values")
        value, came, went = np.moveaxis(np.array(rows), 1, 0)
        if not (np.abs(value) < _MOST).all() or np.isnan([came, went]).any():
            raise self.fail(keys[0].start, "the values of a curve are not all finite")
        steps = (np.isinf(went)[:-1] | np.isinf(came)[1:]).any(axis=1)
        for side in (came, went):
            side[~(np.abs(side) < _MOST)] = 0.0
        turns = kind == "m_RotationCurves" and width == 4
        return _with_steps(times, value, came, went, steps, turns=turns)

    def numbers(self, key: Key, name: str) -> list[float]:
        """Return the numbers of a field of a key."""
        if name not in key.fields:
            raise self.fail(key.start, f"a key has no {name}")
        found = numbers_in(self.lines, *key.fields[name])
        if not found:
            raise self.fail(key.start, f"{name} of a key has no number")
        return found


def numbers_in(lines: Sequence[str], start: int, end: int) -> list[float]:
    """Return the numbers of a field, which has one or an object of several."""
    text = " ".join(line.strip() for line in lines[start:end]).partition(":")[2]
    found = _NUMBER.findall(re.sub(r"\b\w+:", " ", text))
    return [float(v.replace(".inf", "inf")) for v in found]


def _items(own: Sequence[_Line], depth: int) -> list[Sequence[_Line]]:
    """Split fields into the items of a list whose fields have an indent."""
    starts = [k for k, line in enumerate(own) if line.item and line.indent == depth]
    return [own[a:b] for a, b in pairwise([*starts, len(own)])]


def _with_steps(
    times: FloatArray,
    value: FloatArray,
    came: FloatArray,
    went: FloatArray,
    steps: BoolArray,
    *,
    turns: bool,
) -> Sampler:
    """Make a spline in which a key that holds is followed by another just before the next."""
    at = np.flatnonzero(steps & (np.diff(times) > 4 * STEP))
    still = np.zeros((len(at), value.shape[1]))
    went, came = went.copy(), came.copy()
    went[at], came[at + 1] = 0.0, 0.0
    made = np.insert(times, at + 1, times[at + 1] - STEP)
    parts = (np.insert(part, at + 1, own, axis=0) for part, own in
             ((value, value[at]), (came, still), (went, still)))  # fmt: skip
    values, before, after = parts
    return Sampler(made, values, (before, after), "CUBICSPLINE", turns)


def text_of(value: float) -> str:
    """Write a number as Unity does: in single precision."""
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    single = np.float32(value)
    return str(int(single)) if float(single).is_integer() and abs(single) < 1e6 else str(single)
