"""A film of a table of lengths: three lengths side by side above uniform speed, then a sweep."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.errors import InputError
from retime.media.video.encode import SUFFIXES, add_stream, film
from retime.media.video.opening import library
from retime.motion import Motion
from retime.motion.kinematics import positions
from retime.timing.table import LengthTable

Picture = npt.NDArray[np.uint8]
# Sides of one figure's place, pixels, and the share of it that the figure fills.
_SIDE, _FILLED = 240, 0.86
_THICK = 3.0
_PAPER, _FLASH = (22, 24, 29), (84, 70, 24)
_OWN, _UNIFORM = (199, 146, 234), (79, 195, 247)
_FLASH_S = 0.15
# Length of the sweep, as a multiple of the clip's own length.
_SWEEP = 1.2


def film_lengths(motion: Motion, table: LengthTable, path: str | Path, *, fps: float = 30.0) -> int:
    """Write a film of a clip at the shortest, its own and the longest length of a table.

    The upper row has the timing of the table, the lower row uniform speed; a place flashes when a
    moment is passed. At the end one figure plays while its length sweeps over all of the table.

    Parameters
    ----------
    motion : Motion
        The clip.
    table : LengthTable
        Its table.
    path : str or Path
        An .mp4, .m4v or .mov file.
    fps : float
        Frames per second.

    Returns
    -------
    int
        Number of frames.
    """
    path = Path(path)
    if path.suffix.lower() not in SUFFIXES:
        raise InputError(f"a film is {', '.join(SUFFIXES)}, not {path.suffix or 'no suffix'!r}")
    if abs(table.duration - motion.duration) > 1 / motion.rate:
        raise InputError("the table is of another clip; make a table of this one")
    figure, count = _Figure(motion), 0
    beside = path.with_name(f".{path.name}.part")
    try:
        with film(beside, SUFFIXES[path.suffix.lower()], {"title": path.stem}) as container:
            stream = add_stream(
                container, "libx264", "H.264", rate=Fraction(fps).limit_denominator(1001)
            )
            stream.width, stream.height, stream.pix_fmt = 3 * _SIDE, 2 * _SIDE, "yuv420p"
            for places in _places(table, fps):
                picture = _picture(figure, places)
                frame = library().VideoFrame.from_ndarray(picture, format="rgb24")
                container.mux(stream.encode(frame))
                count += 1
            container.mux(stream.encode(None))
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)
    return count


# Source times of the six places of a frame, and whether each flashes; none shows nothing.
_Places = list[tuple[float, bool] | None]


def _places(table: LengthTable, fps: float) -> Iterator[_Places]:
    lit = max(_FLASH_S, 1 / fps)
    shown = (float(table.lengths[0]), table.duration, float(table.lengths[-1]))
    for k in range(math.ceil(shown[2] * fps) + 1):
        time = k / fps
        own = [_place(table, table.at(time, x), table.at(time - lit, x)) for x in shown]
        shares = [(time / x, (time - lit) / x) for x in shown]
        even = [_place(table, *(min(s, 1) * table.duration for s in pair)) for pair in shares]
        yield [*own, *even]
    source, steps = 0.0, math.ceil(_SWEEP * table.duration * fps)
    for k in range(steps):
        length = shown[0] * (shown[2] / shown[0]) ** (k / steps)
        after = table.step(source, 1 / fps, length)
        yield [None, _place(table, after, source), None, None, None, None]
        source = after


def _place(table: LengthTable, source: float, before: float) -> tuple[float, bool]:
    return source, any(before < time <= source for time in table.moments.values())


class _Figure:
    """The bones of a motion, seen from the side that it moves along."""

    def __init__(self, motion: Motion) -> None:
        points = positions(motion)
        flat = points[:, :, [0, 2]] - points[:, :, [0, 2]].mean(axis=(0, 1))
        _, _, axes = np.linalg.svd(flat.reshape(-1, 2)[:: max(flat.size // 20000, 1)])
        across = flat @ axes[0]
        seen = np.stack([across, -points[:, :, 1]], axis=2)
        low, high = seen.min(axis=(0, 1)), seen.max(axis=(0, 1))
        size = _SIDE * _FILLED / max(float((high - low).max()), 1e-9)
        self.points: FloatArray = (seen - (low + high) / 2) * size + _SIDE / 2
        self.times = motion.times - motion.times[0]
        parents = np.asarray(motion.skeleton.parents)
        self.bones = [(int(p), j) for j, p in enumerate(parents) if p >= 0 and parents[p] >= 0]

    def at(self, source: float) -> FloatArray:
        """Return the points of the joints (J, 2) in pixels."""
        after = int(np.clip(np.searchsorted(self.times, source), 1, len(self.times) - 1))
        a, b = self.times[after - 1], self.times[after]
        share = np.clip((source - a) / (b - a), 0, 1)
        mixed: FloatArray = (1 - share) * self.points[after - 1] + share * self.points[after]
        return mixed


def _picture(figure: _Figure, places: _Places) -> Picture:
    picture = np.empty((2 * _SIDE, 3 * _SIDE, 3), np.uint8)
    picture[:] = _PAPER
    for k, place in enumerate(places):
        if place is None:
            continue
        y, x = k // 3 * _SIDE, k % 3 * _SIDE
        part = picture[y : y + _SIDE, x : x + _SIDE]
        if place[1]:
            part[:] = _FLASH
        _draw(part, figure.at(place[0]), figure.bones, _UNIFORM if k > 2 else _OWN)
    return picture


def _draw(
    part: Picture, points: FloatArray, bones: list[tuple[int, int]], colour: tuple[int, int, int]
) -> None:
    """Draw bones as thick lines: pixels that are near enough to one."""
    for a, b in bones:
        start, way = points[a], points[b] - points[a]
        low = np.maximum(np.minimum(points[a], points[b]) - _THICK, 0).astype(int)
        high = np.minimum(np.maximum(points[a], points[b]) + _THICK + 1, _SIDE).astype(int)
        if (high <= low).any():
            continue
        across, down = np.meshgrid(np.arange(low[0], high[0]), np.arange(low[1], high[1]))
        pixels = np.stack([across, down], axis=2) - start
        along = np.clip((pixels @ way) / max(float(way @ way), 1e-9), 0, 1)
        near = np.linalg.norm(pixels - along[..., None] * way, axis=2) < _THICK
        part[low[1] : high[1], low[0] : high[0]][near] = colour
