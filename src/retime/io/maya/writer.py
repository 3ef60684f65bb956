"""Write a retimed animation of Maya: keys and tangents move, every other character stays."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from retime.arrays import FloatArray
from retime.errors import InputError
from retime.io.fbx.curves import CONSTANT, NEXT, Curve
from retime.io.fbx.rekeying import Rekeyer, widened
from retime.io.files import write_bytes
from retime.io.in_place import Retimed, timing_of
from retime.io.maya.document import FIXED, STEP, STEP_NEXT, TICKS, Key, Track
from retime.io.maya.reader import PATHS, Kept, kind_of
from retime.io.maya.tangents import slopes_by_rule
from retime.io.text_lines import ending, replaced
from retime.motion import Motion
from retime.timing.graph import Graph

# Tolerance between keys under a curved warp: degrees, or relative to a curve's range.
_CLOSE_DEGREES, _CLOSE = 0.01, 1e-4
# Slopes that make less of a difference, relative to a curve's range, are equal.
_ALIKE = 1e-5
_MOST_TIME = 1e9
_SAME = 1e-7


def write_motion(motion: Motion, path: str | Path, *, drop_rest: bool = False) -> None:
    """Write a motion that came from a Maya file into a copy of it; the option changes nothing."""
    retimed = timing_of(motion, Kept, "Maya .anim", "write .fbx, and import that")
    if max(map(abs, retimed.warp.domain)) > _MOST_TIME:
        raise InputError("the motion's times are too large for a Maya file")
    kept = retimed.kept
    if retimed.is_as_read:
        write_bytes(path, [kept.data])
        return
    text = "".join(_Retimer(retimed).lines())
    write_bytes(path, [text.encode("utf-8", "surrogateescape")])


class _Retimer:
    def __init__(self, retimed: Retimed[Kept]) -> None:
        self.retimed, self.document = retimed, retimed.kept.document
        self.domain = retimed.kept.motion.domain
        self._rekeyers: dict[int, tuple[Graph, Rekeyer]] = {}

    def lines(self) -> list[str]:
        """Return the lines of the file with moved keys."""
        made: dict[int, tuple[int, list[str]]] = {}
        for track in self.document.tracks:
            graph, rekeyer = self._rekeyer(track)
            if not np.array_equal(graph.x, graph.y):
                first, last = track.keys[0].line, track.keys[-1].line
                made[first] = last + 1, self._track(track, rekeyer)
        rate = self.document.tracks[0].rate
        for name, place in (("startTime", 0), ("endTime", 1)):
            if name in self.document.settings:
                n, told = self.document.settings[name]
                made |= self._moved_end(n, told, place, rate)
        return replaced(self.document.lines, made)

    def _moved_end(
        self, n: int, told: str, place: int, rate: float
    ) -> dict[int, tuple[int, list[str]]]:
        """Move an end of the range, which keeps its distance from the keys."""
        try:
            shift = self.retimed.warp.domain[place] - self.domain[place]
            moved = float(told) + shift * rate
        except ValueError:
            return {}
        line = self.document.lines[n]
        return {n: (n + 1, [line.replace(told, _text(moved, 10), 1)])}

    def _rekeyer(self, track: Track) -> tuple[Graph, Rekeyer]:
        path = PATHS.get(kind_of(track.attribute), "")
        own = self.retimed.warp.channel(self.retimed.channel(track.node, path))
        if id(own) not in self._rekeyers:
            domain = self.retimed.warp.domain
            graph = widened(own.pad(*domain), self.domain)
            self._rekeyers[id(own)] = graph, Rekeyer(graph, TICKS, domain)
        return self._rekeyers[id(own)]

    def _track(self, track: Track, rekeyer: Rekeyer) -> list[str]:
        """Return the lines of a curve's keys."""
        extent = max(float(np.ptp(track.curve.values)), 1e-9)
        turns = kind_of(track.attribute) == "rotate"
        close = _CLOSE_DEGREES / track.degrees if turns else _CLOSE * extent
        curve = rekeyer.moved(track.curve, close)
        source = rekeyer.mover.at(curve.ticks / TICKS)
        own = track.curve.ticks / TICKS
        near = np.abs(own[:, None] - source).argmin(axis=0)
        on_key = np.abs(own[near] - source) < _SAME
        keys = [track.keys[k] for k in near.tolist()]
        kinds = [
            _kinds(
                key.kinds if on else (FIXED, FIXED), int(mode), backwards=rekeyer.mover.backwards
            )
            for key, on, mode in zip(keys, on_key, curve.segments.mode, strict=True)
        ]
        slopes, reach = _both_sides(curve)
        kinds = _as_fixed(track, curve, kinds, slopes, reach)
        return [
            self._line(track, keys[n], kinds[n], curve, n, slopes[n], reach[n])
            for n in range(len(keys))
        ]

    def _line(
        self, track: Track, key: Key, kinds: tuple[str, str], curve: Curve, n: int,
        slopes: FloatArray, reach: FloatArray,
    ) -> str:  # fmt: skip
        """Return a key's line; what does not change keeps its characters."""
        line, frames = self.document.lines[key.line], curve.ticks / TICKS * track.rate
        tick = track.rate / TICKS
        words = [_same_or(key.words[0], round(frames[n], 7), 12, tick)]
        words.append(_same_or(key.words[1], curve.values[n], 9))
        words += [*kinds, *key.flags]
        beside = np.diff(frames, prepend=frames[0] - 1, append=frames[-1] + 1)
        for side, shown in ((0, n > 0), (1, n < len(frames) - 1)):
            if kinds[side] == FIXED:
                if not shown and key.kinds[side] == FIXED:
                    words += key.tangent(side)
                    continue
                turn = np.arctan(slopes[side] / track.rate)
                length = reach[side] * beside[n + side] / np.cos(turn) if track.weighted else 1.0
                told = key.tangent(side) if key.kinds[side] == FIXED else ("", "1")
                words.append(_same_or(told[0], np.degrees(turn) / track.degrees, 13))
                words.append(_same_or(told[1], length, 9) if track.weighted else told[1])
        if words == list(key.words):
            return line
        indent = line[: len(line) - len(line.lstrip())]
        end = ";" if line.rstrip().endswith(";") else ""
        return f"{indent}{' '.join(words)}{end}{ending(line)}"


def _kinds(kinds: tuple[str, str], mode: int, *, backwards: bool) -> tuple[str, str]:
    """Return the types of a moved key: which side holds follows from the curve."""
    before, after = kinds[::-1] if backwards else kinds
    holds = (STEP, STEP_NEXT)
    before = FIXED if before in holds else before
    if mode & CONSTANT:
        return before, STEP_NEXT if mode & NEXT else STEP
    return before, FIXED if after in holds else after


def _both_sides(curve: Curve) -> tuple[FloatArray, FloatArray]:
    """Return slopes and reaches before and after each key (K, 2)."""
    parts = curve.segments
    slopes, reach = (
        np.stack([np.r_[a[:1, 0], a[:-1, 1]], a[:, 0]], axis=1)
        for a in (parts.slopes, parts.weights)
    )
    return slopes, reach


def _as_fixed(
    track: Track, curve: Curve, kinds: list[tuple[str, str]], slopes: FloatArray, reach: FloatArray
) -> list[tuple[str, str]]:
    """Fix the tangents for which a rule would give other slopes or reaches than the curve has."""
    times, extent = curve.ticks / TICKS, float(np.ptp(curve.values))
    beside = np.pad(np.diff(times), 1)
    wrong = np.abs(slopes_by_rule(kinds, times, curve.values) - slopes)
    ruled = wrong * np.stack([beside[:-1], beside[1:]], axis=1) <= _ALIKE * extent
    plain = np.abs(reach - 1 / 3) < 1e-4 if track.weighted else np.ones_like(ruled)
    fine = ruled & plain
    # Nothing is shown before the first key, after the last, or where the curve holds.
    fine[0, 0] = fine[-1, 1] = True
    still = np.r_[False, (curve.segments.mode & CONSTANT > 0)[:-1]]
    fine[still, 0] = True
    out = []
    for pair, keeps in zip(kinds, fine.tolist(), strict=True):
        before, after = (
            kind if keep or kind in (STEP, STEP_NEXT) else FIXED
            for kind, keep in zip(pair, keeps, strict=True)
        )
        out.append((before, after))
    return out


def _same_or(word: str, value: float, digits: int, close: float = 0.0) -> str:
    """Return a number, or the word that already says it."""
    close = max(close, 10.0 ** (1 - digits) * max(1.0, abs(value)))
    try:
        same = bool(word) and abs(float(word) - value) <= close
    except ValueError:
        same = False
    return word if same else _text(value, digits)


def _text(value: float, digits: int) -> str:
    text = f"{value:.{digits}g}"
    return "0" if float(text) == 0 else text
