"""A Maya .anim file as lines of text: its nodes, and their curves with their keys."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from retime.arrays import FloatArray
from retime.errors import FormatError
from retime.io.fbx.curves import BROKEN, CONSTANT, CUBIC, NEXT, PLAIN_WEIGHT, USER, Curve, Segments
from retime.io.maya.tangents import slopes_by_rule

# Maya's own resolution of times, of which frames at every common rate are whole numbers.
TICKS = 141_120_000
FIXED, STEP, STEP_NEXT = "fixed", "step", "stepnext"
_RATES = {"game": 15.0, "film": 24.0, "pal": 25.0, "ntsc": 30.0, "show": 48.0, "palf": 50.0,
          "ntscf": 60.0, "hour": 1 / 3600, "min": 1 / 60, "sec": 1.0,
          "millisec": 1000.0}  # fmt: skip
_RATE = re.compile(r"(\d+(?:\.\d+)?)(?:fps|df)")
# Degrees of units of angles; those of arc have the names of times.
_DEGREES = {"deg": 1.0, "rad": 180 / np.pi, "min": 1 / 60, "sec": 1 / 3600}
_BEYOND = {"linear": "K", "cycle": "R", "cycleRelative": "A", "oscillate": "M"}
_STEEPEST = np.radians(90 - 1e-7)
_LEAST_REACH = 1e-4
_MOST_FRAMES, _MOST_VALUE = 1e7, 1e30
_COMMENTS = ("//", "#")


@dataclass(frozen=True)
class Key:
    """One key: its line, and the words on it."""

    line: int
    words: tuple[str, ...]

    @property
    def kinds(self) -> tuple[str, str]:
        """Tangent types before and after it."""
        return self.words[2], self.words[3]

    def tangent(self, side: int) -> tuple[str, str]:
        """Return angle and weight of a fixed tangent: the last words of the key."""
        at = len(self.words) - 2 * (1 + (side == 0 and self.kinds[1] == FIXED))
        return self.words[at], self.words[at + 1]

    @property
    def flags(self) -> tuple[str, ...]:
        """The words between types and tangents: two locks, and whether it is a breakdown."""
        return self.words[4 : len(self.words) - 2 * self.kinds.count(FIXED)]


@dataclass(frozen=True, eq=False)
class Track:
    """One curve of a node."""

    node: int
    attribute: str
    keys: tuple[Key, ...]
    curve: Curve
    """Its keys in the units of the file; slopes per second."""
    rate: float
    """Units of its time in a second."""
    weighted: bool
    degrees: float
    """Degrees of the unit of its tangents' angles."""
    unit: str
    """The unit of its values, if they have one of their own."""


@dataclass(frozen=True)
class Node:
    """An object, and how many below it follow."""

    name: str
    children: int


@dataclass(frozen=True, eq=False)
class Document:
    """A file."""

    path: Path
    lines: tuple[str, ...]
    settings: dict[str, tuple[int, str]]
    """Line and value of the settings before the first curve."""
    nodes: tuple[Node, ...]
    tracks: tuple[Track, ...]
    """Curves over time; those driven by other values are left as they are."""

    def setting(self, name: str) -> str:
        """Return the value of a setting, empty if it is not there."""
        return self.settings.get(name, (0, ""))[1]

    def fail(self, message: str) -> FormatError:
        """Return an error that names the file."""
        return FormatError(message, path=self.path)

    @property
    def rate(self) -> float | None:
        """Units of time in a second, if the file names its unit."""
        return rate_of(self.setting("timeUnit"))


def rate_of(unit: str) -> float | None:
    """Return how many of a unit of time make a second; ``None`` for an unknown one."""
    found = _RATE.fullmatch(unit)
    rate = float(found[1]) if found else _RATES.get(unit)
    return rate if rate is not None and 1e-4 < rate < 1e5 else None


def degrees_of(unit: str) -> float:
    """Return the degrees of a unit of angles; Maya's own is the degree."""
    return _DEGREES.get(unit, 1.0)


def recognises(path: Path) -> bool:
    """Return whether a file is an animation of Maya: the first word is its version."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        start = file.read(4096).decode("utf-8-sig", "replace")
    rows = (line.split() for line in start.splitlines())
    words = next((r for r in rows if r and not r[0].startswith(_COMMENTS)), [""])
    return words[0] == "animVersion"


def parse(data: bytes, path: Path, rate: float | None = None) -> Document:
    """Read the text of a file; ``rate`` replaces the frame rate that its unit of time means."""
    text = data.decode("utf-8-sig", "surrogateescape")
    return _Parser(path, tuple(text.splitlines(keepends=True)), rate).document()


@dataclass(eq=False)
class _Parser:
    path: Path
    lines: tuple[str, ...]
    rate: float | None
    settings: dict[str, tuple[int, str]] = field(default_factory=dict)
    nodes: list[Node] = field(default_factory=list)
    tracks: list[Track] = field(default_factory=list)

    def fail(self, line: int, what: str) -> FormatError:
        return FormatError(what, path=self.path, line=line + 1)

    def _rows(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the words of each line; braces are words of their own."""
        for n, line in enumerate(self.lines):
            bare = line.strip()
            if bare and not bare.startswith(_COMMENTS):
                words = bare.rstrip(";").replace("{", " { ").replace("}", " } ").split()
                if words:
                    yield n, words

    def document(self) -> Document:
        rows = self._rows()
        place: tuple[int, str] | None = None
        seen: dict[str, tuple[int, set[str]]] = {}
        for n, words in rows:
            if words[0] == "anim":
                place = self._place(n, words[1:], seen)
            elif words[0] == "animData":
                self._data(n, rows, words, place)
                place = None
            elif place is None and not self.nodes and len(words) > 1:
                self.settings[words[0]] = n, words[1]
        if not self.tracks:
            raise FormatError("it has no curves over time", path=self.path)
        made = tuple(self.nodes), tuple(self.tracks)
        return Document(self.path, self.lines, self.settings, *made)

    def _place(
        self, n: int, words: list[str], seen: dict[str, tuple[int, set[str]]]
    ) -> tuple[int, str]:
        """Return the node and the attribute that a curve moves; a placeholder has no attribute.

        Its words are the attribute, its last part, the node, a row, the node's number of children,
        and the number of the attribute.
        """
        if len(words) < 4 or not words[-2].isdigit():
            raise self.fail(n, "expected the name of a node and three whole numbers")
        attribute = words[1] if len(words) > 5 else ""
        name = " ".join(words[2:-3]) if attribute else " ".join(words[:-3])
        known = seen.get(name)
        if known is None or not attribute or attribute in known[1]:
            known = seen[name] = len(self.nodes), set()
            self.nodes.append(Node(name, min(int(words[-2][:6]), 1 << 16)))
        known[1].add(attribute)
        return known[0], attribute

    def _data(
        self,
        start: int,
        rows: Iterator[tuple[int, list[str]]],
        words: list[str],
        place: tuple[int, str] | None,
    ) -> None:
        """Read the block of a curve: its settings and its keys."""
        told: dict[str, str] = {}
        keys: list[Key] = []
        depth = words.count("{")
        for n, words in rows:
            if words[0] == "{" or words == ["keys", "{"] or words == ["keys"]:
                depth += words.count("{")
            elif words[0] == "}":
                depth -= words.count("}")
                if depth <= 0:
                    break
            elif depth > 1:
                keys.append(self._key(n, words))
            elif len(words) > 1:
                told[words[0]] = words[1]
        else:
            raise self.fail(start, "its braces are not closed; the file may be cut off")
        if place is None:
            raise self.fail(start, "these keys belong to no curve: a line that begins with anim")
        if told.get("input", "time") == "time" and keys:
            self.tracks.append(self._track(place, told, keys))

    def _key(self, n: int, words: list[str]) -> Key:
        if len(words) < 4 + 2 * words[2:4].count(FIXED):
            raise self.fail(
                n, f"expected a time, a value and two tangents, found {len(words)} words"
            )
        return Key(n, tuple(words))

    def _number(self, key: Key, word: str, most: float) -> float:
        try:
            found = float(word)
        except ValueError:
            raise self.fail(key.line, f"{word[:20]!r} is not a number") from None
        if not abs(found) < most:
            raise self.fail(key.line, f"{word[:20]} is not finite, or too large")
        return found

    def _track(self, place: tuple[int, str], told: dict[str, str], keys: list[Key]) -> Track:
        units = {name: value for name, (_, value) in self.settings.items()}
        rate = rate_of(told.get("inputUnit", "")) or self.rate or rate_of(units.get("timeUnit", ""))
        rate = rate or _RATES["film"]
        angles = told.get("tangentAngleUnit", units.get("angularUnit", ""))
        frames = np.array([self._number(k, k.words[0], _MOST_FRAMES) for k in keys])
        values = np.array([self._number(k, k.words[1], _MOST_VALUE) for k in keys])
        ticks = np.round(frames / rate * TICKS)
        if np.abs(ticks).max() > 1 << 61 or (np.diff(ticks) <= 0).any():
            raise self.fail(keys[0].line, "the times of a curve do not rise")
        weighted, degrees = told.get("weighted") == "1", degrees_of(angles)
        slopes, reach = self._tangents(keys, frames, values, weighted, degrees)
        curve = curve_of(
            ticks.astype(np.int64), values, slopes * rate, reach, [k.kinds for k in keys],
            (told.get("preInfinity", ""), told.get("postInfinity", "")),
        )  # fmt: skip
        return Track(
            *place, tuple(keys), curve, rate, weighted, degrees, told.get("outputUnit", "")
        )

    def _tangents(
        self, keys: Sequence[Key], frames: FloatArray, values: FloatArray, weighted: bool,
        degrees: float,
    ) -> tuple[FloatArray, FloatArray]:  # fmt: skip
        """Return slopes per unit of time and reaches before and after each key (K, 2).

        A fixed tangent has an angle, whose tangent is the slope, and with weights a length: time
        and value are its sides. It reaches as far as its time.
        """
        slopes = slopes_by_rule([k.kinds for k in keys], frames, values)
        reach = np.full((len(keys), 2), PLAIN_WEIGHT)
        beside = np.diff(frames, prepend=frames[0] - 1, append=frames[-1] + 1)
        for n, key in enumerate(keys):
            for side in (0, 1):
                if key.kinds[side] == FIXED:
                    told, length = (self._number(key, w, _MOST_VALUE) for w in key.tangent(side))
                    angle = np.clip(np.radians(told * degrees), -_STEEPEST, _STEEPEST)
                    slopes[n, side] = np.tan(angle)
                    if weighted:
                        share = abs(length) * np.cos(angle) / beside[n + side]
                        reach[n, side] = np.clip(share, _LEAST_REACH, 1.0)
        return slopes, reach


def curve_of(
    ticks: np.ndarray,
    values: FloatArray,
    slopes: FloatArray,
    reach: FloatArray,
    kinds: Sequence[tuple[str, str]],
    beyond: tuple[str, str],
) -> Curve:
    """Make a curve of keys with slopes and reaches on both sides (K, 2)."""
    after = np.array([k[1] for k in kinds])
    mode = np.full(len(ticks), CUBIC, np.int64)
    mode[after == STEP], mode[after == STEP_NEXT] = CONSTANT, CONSTANT | NEXT
    parts = (np.stack([a[:, 1], np.r_[a[1:, 0], a[-1:, 1]]], axis=1) for a in (slopes, reach))
    ends = tuple((_BEYOND.get(word, "C"), -1) for word in beyond)
    return Curve(
        ticks, values, mode | USER | BROKEN, np.zeros((len(ticks), 4), np.uint32),
        Segments(mode, *parts), (ends[0], ends[1]),
    )  # fmt: skip
