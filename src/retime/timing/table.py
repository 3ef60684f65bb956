"""A table of lengths: the timing of one clip at any length, as a few rows of output times."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np

from retime.arrays import FloatArray, ReadOnlyArrays, read_only
from retime.errors import InputError
from retime.one_line import one_line
from retime.sentences import Moment, Span
from retime.timing.warp import TimeWarp

# Ends of rows and times of the clip are rounded to microseconds.
_ROUNDED_S = 1.5e-6


@dataclass(frozen=True)
class Window:
    """Two source times that are never less than ``least`` seconds apart in the output."""

    start: float
    end: float
    least: float
    name: str = ""


@one_line(lambda t: t._facts())
@dataclass(frozen=True, eq=False)
class LengthTable(ReadOnlyArrays):
    """The timing of a clip at any length; all times are seconds from the start of the clip.

    Between two rows times are interpolated linearly in the length, so every linear condition that
    holds in the rows holds at every length: time increases, no moment is earlier in a longer clip,
    pins are met. Beyond the rows the nearest is scaled. A table that breaks a condition raises an
    ``InputError``.

    Parameters
    ----------
    phases : array (P,)
        Source times, from 0 to the duration of the clip.
    lengths : array (K,)
        Lengths of the rows.
    times : array (K, P)
        Output time of each phase at each length.
    moments : mapping of str to float
        Source times with a name, such as the moment of a hit.
    pins : mapping of str to str
        Where moments are in the output, for people: ``{"hit": "35%"}``.
    windows : sequence of Window
        Spans with a least time.
    loop : bool
        The clip is a cycle.
    start : float
        Time at which the clip starts, for :meth:`warp`.
    source : mapping
        ``name``, ``sha256`` and ``fps`` of the clip, where known.
    made : mapping
        ``method`` and ``strength`` of the rows.

    Examples
    --------
    >>> table = LengthTable([0, 1, 2], [2, 4], [[0, 1, 2], [0, 1, 4]], moments={"hit": 1})
    >>> table.at(2.0, 3.0), table.when(1.0, 3.0)        # the hit is after 1 s at any length
    (1.5, 1.0)
    """

    phases: FloatArray
    lengths: FloatArray
    times: FloatArray
    moments: Mapping[str, float] = field(default_factory=dict)
    pins: Mapping[str, str] = field(default_factory=dict)
    windows: Sequence[Window] = ()
    loop: bool = False
    start: float = 0.0
    source: Mapping[str, Any] = field(default_factory=dict)
    made: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, shape in (("phases", (None,)), ("lengths", (None,)), ("times", (None, None))):
            object.__setattr__(self, name, read_only(getattr(self, name), shape, f'"{name}"'))
        for name in ("moments", "pins", "source", "made"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))
        object.__setattr__(self, "windows", tuple(self.windows))
        if not math.isfinite(self.start):
            raise InputError('"start" must be finite')
        self._must_increase()
        self._must_be_inside()

    def _must_increase(self) -> None:
        p, d, t = self.phases, self.lengths, self.times
        if len(p) < 2 or len(d) < 2 or t.shape != (len(d), len(p)):
            raise InputError(
                f'"times" has {t.shape[0]} rows of {t.shape[1]} numbers; it needs a row for each '
                f"of {len(d)} lengths, a number for each of {len(p)} phases, at least 2 of each"
            )
        _rising(p, "phases")
        _rising(d, "lengths")
        if p[0] != 0 or d[0] <= 0:
            raise InputError('"phases" must start at 0, and "lengths" above 0')
        for k, row in enumerate(t):
            _rising(row, f"times[{k}]")
        off = np.maximum(np.abs(t[:, 0]), np.abs(t[:, -1] - d))
        if (off > _ROUNDED_S).any():
            k = int(off.argmax())
            raise InputError(f'"times[{k}]" must go from 0 to its length, {d[k]:g}')
        if (np.diff(t, axis=0) < 0).any():
            k, j = np.argwhere(np.diff(t, axis=0) < 0)[0]
            raise InputError(
                f'"times[{k + 1}][{j}]" is {t[k + 1, j]:g}, before {t[k, j]:g} in the row above; a '
                "longer clip must not show a moment earlier"
            )

    def _must_be_inside(self) -> None:
        for name, time in self.moments.items():
            if not 0 <= time <= self.duration + _ROUNDED_S:
                raise InputError(
                    f"moment {name!r} is at {{time}}, outside the clip, {{clip}}",
                    time=Moment(time),
                    clip=Span(0.0, self.duration),
                )
        for name in self.pins:
            if name not in self.moments:
                raise InputError(f"pin {name!r} names no moment")
        for k, w in enumerate(self.windows):
            if not 0 <= w.start < w.end <= self.duration + _ROUNDED_S:
                raise InputError(
                    f'"windows[{k}]" is {{part}}; it must increase and be in the clip, {{clip}}',
                    part=Span(w.start, w.end),
                    clip=Span(0.0, self.duration),
                )

    def _facts(self) -> list[str]:
        shape = f"{len(self.lengths)} x {len(self.phases)}"
        span = f"{self.lengths[0]:.4g} to {self.lengths[-1]:.4g} s of {self.duration:.4g} s"
        return [span, shape, *self.moments, *(["loop"] if self.loop else [])]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LengthTable):
            return NotImplemented
        return self.to_document() == other.to_document()

    def __hash__(self) -> int:
        return hash((self.phases.tobytes(), self.lengths.tobytes(), self.times.tobytes()))

    @property
    def duration(self) -> float:
        """Duration of the clip."""
        return float(self.phases[-1])

    def column(self, length: float) -> FloatArray:
        """Return the output times of all phases at a length."""
        if not (math.isfinite(length) and length > 0):
            raise InputError(f"a length must be above 0 and finite, not {length:g}")
        d = self.lengths
        x = min(max(length, d[0]), d[-1])
        k = min(max(int(np.searchsorted(d, x, side="right")) - 1, 0), len(d) - 2)
        a = (x - d[k]) / (d[k + 1] - d[k])
        mixed: FloatArray = self.times[k] + a * (self.times[k + 1] - self.times[k])
        mixed *= length / x
        return mixed

    def at(self, time: float, length: float) -> float:
        """Return the source time that is shown at an output time."""
        return float(np.interp(time, self.column(length), self.phases))

    def when(self, source: float, length: float) -> float:
        """Return the output time at which a source time is shown."""
        return float(np.interp(source, self.phases, self.column(length)))

    def step(self, source: float, delta: float, length: float) -> float:
        """Return the source time ``delta`` seconds after another.

        The length may change from one step to the next: the play head does not jump. In a loop the
        clip starts again at its end.
        """
        time = self.when(source, length) + delta
        if self.loop:
            time -= math.floor(time / length) * length
        return self.at(time, length)

    def rate(self, source: float, length: float) -> float:
        """Return the playback rate at a source time."""
        k = int(np.searchsorted(self.phases, source, side="right")) - 1
        k = min(max(k, 0), len(self.phases) - 2)
        c = self.column(length)
        return float((self.phases[k + 1] - self.phases[k]) / (c[k + 1] - c[k]))

    def length_between(self, source: float, target: float, seconds: float) -> float:
        """Return the shortest length at which ``seconds`` pass between two source times.

        It may be outside the table, where playing only scales: limit it, or refuse.
        """
        if not source < target:
            raise InputError(
                "source time {second} does not come after {first}",
                first=Moment(source),
                second=Moment(target),
            )
        if not (math.isfinite(seconds) and seconds > 0):
            raise InputError(f"the time between must be above 0 and finite, not {seconds:g}")
        d = self.lengths
        passed = [self.when(target, x) - self.when(source, x) for x in d.tolist()]
        if passed[0] <= 0:
            raise InputError(
                "{part} is not a part of the clip, {clip}",
                part=Span(source, target),
                clip=Span(0.0, self.duration),
            )
        if seconds <= passed[0]:
            return float(d[0] * (seconds / passed[0]))
        for k in range(len(d) - 1):
            if seconds <= passed[k + 1]:
                a = (seconds - passed[k]) / (passed[k + 1] - passed[k])
                return float(d[k] + a * (d[k + 1] - d[k]))
        return float(d[-1] * (seconds / passed[-1]))

    def warp(self, length: float) -> TimeWarp:
        """Return the warp of the clip at a length."""
        column = self.column(length)
        return TimeWarp(self.start + column, self.start + self.phases, loop=self.loop)

    def to_document(self) -> dict[str, Any]:
        """Return the contents of the JSON file."""
        source = {**self.source, "duration": self.duration, "start": self.start}
        return {
            "format": FORMAT,
            "version": VERSION,
            "source": source,
            "loop": self.loop,
            "phases": self.phases.tolist(),
            "lengths": self.lengths.tolist(),
            "times": self.times.tolist(),
            "moments": dict(self.moments),
            "pins": dict(self.pins),
            "windows": [
                {"name": w.name, "start": w.start, "end": w.end, "least": w.least}
                for w in self.windows
            ],
            **self.made,
        }

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> LengthTable:
        """Make a table from the contents of its JSON file; unknown keys are ignored."""
        if not isinstance(document, Mapping) or document.get("format") != FORMAT:
            raise InputError(f'not a table of lengths: "format": "{FORMAT}" is missing')
        if document.get("version") != VERSION or isinstance(document["version"], bool):
            raise InputError(
                f"a table of version {document.get('version')!r}; this retime reads version "
                f"{VERSION}"
            )
        source = dict(_object(document, "source"))
        source.pop("duration", None)
        loop = document.get("loop", False)
        if not isinstance(loop, bool):
            raise InputError(f'"loop" is true or false, not {loop!r}')
        return cls(
            _numbers(document, "phases"),
            _numbers(document, "lengths"),
            _numbers(document, "times"),
            moments=_seconds(_object(document, "moments"), "moment"),
            pins={name: str(pin) for name, pin in _object(document, "pins").items()},
            windows=_windows(document.get("windows", [])),
            loop=loop,
            start=_number(source.pop("start", 0.0), '"start"'),
            source=source,
            made={k: document[k] for k in ("method", "strength") if k in document},
        )


FORMAT, VERSION = "retime-lengths", 1


def _rising(values: FloatArray, name: str) -> None:
    back = np.flatnonzero(np.diff(values) <= 0)
    if len(back):
        j = int(back[0])
        raise InputError(
            f'"{name}" must increase, but {values[j]:g} is followed by {values[j + 1]:g} at {j + 1}'
        )


def _numbers(document: Mapping[str, Any], name: str) -> Any:
    if not isinstance(document.get(name), list):
        raise InputError(f'a table of lengths needs "{name}", a list of numbers')
    rows = document[name]
    if name == "times":
        sizes = {len(row) if isinstance(row, list) else -1 for row in rows}
        if len(sizes) != 1 or -1 in sizes:
            raise InputError('"times" must be a list of rows that are equally long')
    return rows


def _object(document: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = document.get(name, {})
    if not isinstance(value, Mapping):
        raise InputError(f'"{name}" must be an object')
    return value


def _seconds(values: Mapping[str, Any], what: str) -> dict[str, float]:
    return {name: _number(value, f"{what} {name!r}") for name, value in values.items()}


def _number(value: Any, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise InputError(f"{name} must be a finite number, not {value!r}")
    return float(value)


def _windows(listed: Any) -> tuple[Window, ...]:
    if not isinstance(listed, list) or not all(isinstance(w, Mapping) for w in listed):
        raise InputError('"windows" must be a list of objects')
    return tuple(
        Window(
            _number(w.get("start"), f'"start" of windows[{k}]'),
            _number(w.get("end"), f'"end" of windows[{k}]'),
            _number(w.get("least"), f'"least" of windows[{k}]'),
            str(w.get("name", "")),
        )
        for k, w in enumerate(listed)
    )
