"""Tables of lengths as pictures: output against source time, and the rate at every length."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from retime.plot.style import FAINT, INK, KEY, RETIMED, canvas, plain, save
from retime.timing.table import LengthTable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Curves between two rows.
_BETWEEN = 4
# Lengths and source times of the image of rates, and the largest rate that it tells apart.
_IMAGE, _MOST_RATE = (80, 240), 4.0


def draw_lengths(table: LengthTable, path: str | Path) -> None:
    """Draw a table of lengths into a picture file; see :func:`lengths_figure`."""
    save(lengths_figure(table), path)


def lengths_figure(table: LengthTable) -> Figure:
    """Draw a table: a curve for each row and pale ones between, and rates below.

    Moments are lines across the curves; pinned ones have diamonds at the rows.
    """
    figure = canvas(7.0, 7.0)
    curves, rates = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
    _draw_curves(curves, table)
    _draw_rates(figure, rates, table)
    return figure


def _draw_curves(axes: Axes, table: LengthTable) -> None:
    steps = np.linspace(0, len(table.lengths) - 1, (len(table.lengths) - 1) * _BETWEEN + 1)
    for length in np.interp(steps, range(len(table.lengths)), table.lengths).tolist():
        axes.plot(table.phases, table.column(length), color=FAINT, linewidth=0.8)
    for length in table.lengths.tolist():
        axes.plot(table.phases, table.column(length), color=RETIMED, linewidth=1.6)
        axes.annotate(f"{length:.2f} s", (table.duration, length), xytext=(4, 0), va="center",
                      textcoords="offset points", color=INK, fontsize=8)  # fmt: skip
    shown = np.array([table.lengths[0], table.lengths[-1]])
    for name, time in table.moments.items():
        places = [table.when(time, length) for length in shown.tolist()]
        axes.plot([time, time], places, color=KEY, linewidth=1.5)
        axes.annotate(f"{name} {table.pins.get(name, '')}".strip(), (time, places[1]), va="bottom",
                      xytext=(0, 3), textcoords="offset points", color=INK, fontsize=8)  # fmt: skip
        if name in table.pins:
            pinned = [table.when(time, length) for length in table.lengths.tolist()]
            axes.plot([time] * len(pinned), pinned, "D", color=KEY, markersize=5)
    for window in table.windows:
        axes.axvspan(window.start, window.end, color=KEY, alpha=0.12, linewidth=0)
    axes.set_ylabel("output time (s)", color=INK)
    plain(axes)


def _draw_rates(figure: Figure, axes: Axes, table: LengthTable) -> None:
    lengths = np.geomspace(table.lengths[0], table.lengths[-1], _IMAGE[0])
    source = np.linspace(0, table.duration, _IMAGE[1] + 1)
    columns = np.array([np.interp(source, table.phases, table.column(x)) for x in lengths.tolist()])
    rate = np.log2(np.diff(source) / np.diff(columns, axis=1))
    limit = np.log2(_MOST_RATE)
    image = axes.pcolormesh(
        source, np.r_[lengths[0], np.sqrt(lengths[1:] * lengths[:-1]), lengths[-1]], rate,
        cmap="PuOr_r", vmin=-limit, vmax=limit, rasterized=True,
    )  # fmt: skip
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(lambda v, _: f"{v:g}")
    axes.yaxis.set_minor_formatter(lambda v, _: "")
    axes.set_yticks(table.lengths, [f"{x:.2g}" for x in table.lengths])
    axes.set_ylabel("length (s)", color=INK)
    axes.set_xlabel("source time (s)", color=INK)
    bar = figure.colorbar(image, ax=axes, ticks=[-limit, -1, 0, 1, limit])
    bar.ax.set_yticklabels([f"1/{_MOST_RATE:g}×", "1/2×", "1×", "2×", f"{_MOST_RATE:g}×"])
    plain(axes)
    axes.grid(visible=False)
