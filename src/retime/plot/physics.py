"""Pictures of physics: feasible regions, violations, and forces under the feet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from retime.arrays import FloatArray
from retime.methods.physics import PhysicsModel, Region
from retime.methods.physics.effort import ground_force
from retime.plot.style import FAINT, INK, KEY, ORIGINAL, RETIMED, canvas, plain, save
from retime.timing import TimeWarp

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_OUTSIDE = "#d2603a"


def draw_physics(model: PhysicsModel, warp: TimeWarp, path: str | Path) -> None:
    """Draw a warp and its physics into a picture file; see :func:`physics_figure`."""
    save(physics_figure(model, warp), path)


def physics_figure(model: PhysicsModel, warp: TimeWarp) -> Figure:
    """Draw a warp with its rate, whether each moment is feasible, and the ground's force.

    The warp is for the whole body. The label of a flight is the gravity that fits it as recorded.
    """
    figure = canvas(7.5, 7.0)
    curve, rate, force = figure.subplots(3, 1, sharex=True, height_ratios=(3, 2, 2))
    output = warp.inverse(model.times)
    told = model.explain(warp)
    start, end = warp.domain
    curve.plot([start, end], [start, end], "--", color=FAINT, linewidth=1.5, label="unchanged")
    curve.plot(warp.output, warp.source, color=RETIMED, linewidth=2, label="retimed")
    curve.set_ylabel("source time (s)", color=INK)
    speed = np.sqrt(np.maximum(told.timing[:, 1], 1e-9))
    low, high = _speeds(model)
    rate.fill_between(output, low, high, color="#e7eef2", linewidth=0, label="feasible rates")
    rate.axhline(1.0, color=FAINT, linewidth=1.5, linestyle="--")
    rate.plot(output, speed, color=RETIMED, linewidth=2)
    outside = told.distance > 0
    if outside.any():
        rate.plot(output[outside], speed[outside], ".", color=_OUTSIDE, label="not feasible")
    rate.set_ylim(0, min(4.2, 1.3 * float(speed.max()) + 0.5))
    rate.set_ylabel("rate (x)", color=INK)
    force.plot(output, ground_force(model, told.timing), color=ORIGINAL, linewidth=2)
    for flight in model.flights:
        middle = float(np.mean(warp.inverse([flight.start, flight.end])))
        words = f"recording:\n{flight.gravity:.1f} m/s²" + ("" if flight.clear else "?")
        force.text(
            middle, 0.92, words, color=INK, fontsize=8, ha="center", va="top",
            transform=force.get_xaxis_transform(),
        )  # fmt: skip
    force.set_ylabel("ground force (weights)", color=INK)
    force.set_xlabel("output time (s)", color=INK)
    for axes in (curve, rate, force):
        _shade_flight(axes, model, output)
        plain(axes)
    for axes in (curve, rate):
        axes.legend(frameon=False, fontsize=9)
    return figure


def _speeds(model: PhysicsModel) -> tuple[list[float], list[float]]:
    """Return the least and the most speed of every frame's region."""
    spans = [(r.corners[:, 1].min(), r.corners[:, 1].max()) if not r.empty else (np.nan, np.nan)
             for r in model.regions]  # fmt: skip
    return [float(np.sqrt(max(a, 0))) for a, _ in spans], [float(np.sqrt(b)) for _, b in spans]


def _shade_flight(axes: Axes, model: PhysicsModel, output: FloatArray) -> None:
    if model.flight.any():
        axes.fill_between(
            output, 0, 1, where=model.flight.tolist(), color="#f4f0e4", linewidth=0, zorder=0,
            transform=axes.get_xaxis_transform(),
        )  # fmt: skip


def draw_regions(
    model: PhysicsModel, path: str | Path, *, times: Sequence[float], warp: TimeWarp | None = None
) -> None:
    """Draw the feasible regions of some moments, and the path of a timing through the plane.

    ``times`` are moments of the source, seconds. Without a warp the recorded timing is shown.
    """
    figure = canvas(3.2 * len(times), 3.4)
    grid = figure.subplots(1, len(times), squeeze=False)[0]
    told = model.explain(warp)
    for axes, moment in zip(grid, times, strict=True):
        k = int(np.abs(model.times - moment).argmin())
        region = model.regions[k]
        _outline(axes, region)
        near = slice(max(k - 6, 0), k + 7)
        axes.plot(told.timing[near, 0], told.timing[near, 1], "-", color=FAINT, linewidth=1)
        inside = told.distance[k] <= 0
        axes.plot(*told.timing[k], "o", color=RETIMED if inside else _OUTSIDE, markersize=7)
        axes.set_title(f"{moment:.2f} s", color=INK, fontsize=10)
    grid[0].set_ylabel("p'²", color=INK)
    save(figure, path)


def region_figure(region: Region) -> Figure:
    """Draw the feasible timings of one frame, and the recorded timing as a cross."""
    figure = canvas(3.6, 3.4)
    axes = figure.subplots()
    _outline(axes, region)
    axes.plot(*region.centre, "o", color=RETIMED, markersize=6)
    axes.set_ylabel("p'²", color=INK)
    return figure


def _outline(axes: Axes, region: Region) -> None:
    if not region.empty:
        closed = np.r_[region.corners, region.corners[:1]]
        axes.fill(closed[:, 0], closed[:, 1], color="#e7eef2")
        axes.plot(closed[:, 0], closed[:, 1], "o-", color=ORIGINAL, linewidth=1.5, markersize=3)
    axes.plot(0, 1, "+", color=KEY, markersize=10)
    axes.set_xlabel("p'' (1/s)", color=INK)
    plain(axes)


def speeds_figure(speeds: Mapping[str, FloatArray], across: FloatArray | None, unit: str) -> Figure:
    """Draw playback speeds as curves over times, or over frames if no times are given."""
    figure = canvas(7.0, 2.8)
    axes = figure.subplots()
    for (name, speed), color in zip(speeds.items(), (RETIMED, ORIGINAL), strict=False):
        x = np.arange(len(speed)) if across is None else across
        axes.plot(x, speed, color=color, linewidth=2, label=name)
    axes.axhline(1.0, color=FAINT, linewidth=1.5, linestyle="--")
    axes.set_xlabel(unit, color=INK)
    axes.set_ylabel("rate (x)", color=INK)
    axes.legend(frameon=False, fontsize=9)
    plain(axes)
    return figure
