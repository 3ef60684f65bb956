"""Alignments: the matrix of costs with the path through it, and timing scores."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from retime.methods.align import Alignment, TimingScore
from retime.plot.style import FAINT, INK, KEY, ORIGINAL, RETIMED, canvas, plain, save

# Pictures need no more cells than this each way.
_CELLS = 800


def draw_alignment(
    found: Alignment, path: str | Path, *, names: tuple[str, str] = ("a", "b")
) -> None:
    """Draw the costs of all pairs of frames, the path, and the smooth warp through it.

    ``names`` are the names of the two takes on the axes.
    """
    figure = canvas(6.4, 6.0)
    axes = figure.subplots()
    times_a, times_b = found.times
    rows = np.linspace(0, len(times_b) - 1, min(len(times_b), _CELLS)).round().astype(int)
    last = int(found.path.max())
    columns = np.linspace(0, last, min(last + 1, _CELLS)).round().astype(int)
    inside = columns[None] - found.first[rows][:, None]
    width = found.costs.shape[1]
    known = (inside >= 0) & (inside < width)
    shown = np.full(known.shape, np.nan)
    shown[known] = found.costs[rows[np.nonzero(known)[0]], inside[known]]
    shown[shown > 1e200] = np.nan
    most = float(np.nanpercentile(shown, 98))  # a glitch in a file must not reduce the contrast
    step = (times_a[-1] - times_a[0]) / (len(times_a) - 1)
    extent = (times_b[0], times_b[-1], times_a[0], times_a[0] + last * step)
    picture = axes.imshow(
        shown.T, origin="lower", extent=extent, aspect="auto", cmap="Greys", vmax=most
    )
    figure.colorbar(picture, ax=axes, label="cost", shrink=0.8)
    frames = found.path.mean(axis=1)
    axes.plot(
        times_b, times_a[0] + frames * step, color=ORIGINAL, linewidth=3, alpha=0.6, label="path"
    )
    graph = found.matched.body
    axes.plot(graph.x, graph.y, color=RETIMED, linewidth=1.5, label="warp")
    axes.set_xlabel(f"{names[1]} (s)", color=INK)
    axes.set_ylabel(f"{names[0]} (s)", color=INK)
    axes.legend(frameon=False, fontsize=9)
    plain(axes)
    axes.grid(visible=False)
    save(figure, path)


def draw_score(found: TimingScore, path: str | Path) -> None:
    """Draw the delay of a performance at each moment, and its confidence."""
    figure = canvas(7.0, 4.6)
    late, sure = figure.subplots(2, 1, sharex=True, height_ratios=(3, 1))
    error = np.where(found.judged, 1e3 * found.late, np.nan)
    late.axhspan(-150, 150, color="#eef0f4", zorder=0, label="too small to notice")
    late.axhline(0, color=FAINT, linewidth=1.5)
    late.plot(
        found.times,
        1e3 * found.late,
        color=FAINT,
        linewidth=1,
        label="too little movement to measure",
    )
    late.plot(found.times, error, color=RETIMED, linewidth=2, label="late")
    for moment in found.moments():
        late.plot(moment.time, 1e3 * moment.late, "o", color=KEY, markersize=5)
    late.set_ylabel("late (ms)", color=INK)
    late.legend(frameon=False, fontsize=9)
    sure.fill_between(found.times, 0, found.confidence, color=ORIGINAL, alpha=0.5, linewidth=0)
    sure.set_ylim(0, 1.02)
    sure.set_ylabel("confidence", color=INK)
    sure.set_xlabel("performance (s)", color=INK)
    for axes in (late, sure):
        plain(axes)
    save(figure, path)
