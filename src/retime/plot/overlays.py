"""Overlays: source and result in one place, pose by pose, for edits that film strips hide."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from retime.arrays import FloatArray
from retime.motion import Motion
from retime.plot.strips import HEIGHT_INCHES, STEP_INCHES, StripRow
from retime.plot.style import INK, ORIGINAL, RETIMED, canvas, save

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# The source is drawn this much paler than the result, and figures are this much larger than in a
# film strip: differences should be easy to see.
_PALE = 0.6
_LARGER = 1.35


def draw_overlay(
    source: Motion, result: Motion, times: FloatArray, path: str | Path, *, joint: str | None = None
) -> None:
    """Draw an overlay into a picture file; see :func:`overlay_figure`."""
    save(overlay_figure(source, result, times, joint=joint), path)


def overlay_figure(
    source: Motion, result: Motion, times: FloatArray, *, joint: str | None = None
) -> Figure:
    """Draw a result over its source at equal times, both seen from their hips.

    ``times`` (N,) are evenly spaced seconds. The two positions of ``joint`` are marked.
    """
    times = np.asarray(times, dtype=np.float64)
    step = float(np.diff(times).mean()) if len(times) > 1 else 1.0
    rows = [StripRow.of(motion, step, times) for motion in (source, result)]
    bottom = min(row.bottom for row in rows)
    top = max(1.1, *(float(row.flat[..., 1].max()) + 0.05 for row in rows))
    tall = HEIGHT_INCHES * (top - bottom)
    figure = canvas(_LARGER * STEP_INCHES * (len(times) + 0.6), _LARGER * (tall + 0.75))
    figure.set_layout_engine("none")
    share = tall / (tall + 0.75)
    axes = figure.add_axes((0.0, 0.45 * (1 - share) + 0.06, 1.0, share))
    axes.set_xlim(times[0] - 0.8 * step, times[-1] + 0.8 * step)
    axes.set_ylim(bottom, top)
    for row, paleness, colour in zip(rows, (_PALE, 0.0), (ORIGINAL, RETIMED), strict=True):
        placed = StripRow(times, row.flat, row.bones, row.solids, row.seconds)
        placed.draw(axes, step, _paler(colour, paleness))
    if joint is not None:
        index = source.skeleton.index(joint)
        _mark(axes, times, [row.flat[:, index, :2] for row in rows], step)
    axes.tick_params(colors=INK, labelsize=9)
    axes.set_xticks(times, [f"{t:.2f}" for t in times])
    axes.set_xlabel("time (s)", color=INK)
    for name, colour, at in (("source", _paler(ORIGINAL, 0.3), 0.015), ("result", RETIMED, 0.1)):
        figure.text(at, 0.97, name, color=colour, va="top", fontsize=12, weight="bold")
    return figure


def _paler(colour: str, paleness: float) -> str:
    from matplotlib.colors import to_hex, to_rgb

    red, green, blue = (c * (1 - paleness) + paleness for c in to_rgb(colour))
    return to_hex((red, green, blue))


def _mark(axes: Axes, times: FloatArray, marks: list[FloatArray], step: float) -> None:
    """Mark a joint in both poses, with an arrow from source to result if they differ."""
    across = step * HEIGHT_INCHES / STEP_INCHES
    for t, (x, y), (u, v) in zip(times, *marks, strict=True):
        if np.hypot(u - x, v - y) > 0.06:
            axes.annotate(
                "",
                (t + u * across, v),
                (t + x * across, y),
                arrowprops={"arrowstyle": "-|>", "color": INK, "linewidth": 1.2},
                zorder=9,
            )
        for px, py, colour in ((x, y, ORIGINAL), (u, v, RETIMED)):
            axes.plot(
                [t + px * across], [py], "o", color=colour, markersize=7,
                markeredgecolor="white", zorder=10,
            )  # fmt: skip
