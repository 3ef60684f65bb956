"""Physics in pictures: feasible regions, where a timing leaves them, forces under the feet."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from retime.methods.physics import PhysicsModel
from retime.methods.physics.effort import ground_force
from retime.plot.style import FAINT, INK, KEY, ORIGINAL, RETIMED, canvas, plain, save
from retime.timing import TimeWarp

_OUTSIDE = "#d2603a"


def draw_physics(model: PhysicsModel, warp: TimeWarp, path: str | Path) -> None:
    """Draw a warp with its rate, whether each moment is feasible, and the ground's force.

    The warp is for the whole body.
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
    rate.fill_between(output, low, high, color="#e7eef2", linewidth=0, label="feasible, p'' aside")
    rate.axhline(1.0, color=FAINT, linewidth=1.5, linestyle="--")
    rate.plot(output, speed, color=RETIMED, linewidth=2)
    outside = told.distance > 0
    if outside.any():
        rate.plot(output[outside], speed[outside], ".", color=_OUTSIDE, label="not feasible")
    rate.set_ylim(0, min(4.2, 1.3 * float(speed.max()) + 0.5))
    rate.set_ylabel("rate (x)", color=INK)
    force.plot(output, ground_force(model, told.timing), color=ORIGINAL, linewidth=2)
    force.set_ylabel("ground force (weights)", color=INK)
    force.set_xlabel("output time (s)", color=INK)
    for axes in (curve, rate, force):
        _shade_flight(axes, model, output)
        plain(axes)
    for axes in (curve, rate):
        axes.legend(frameon=False, fontsize=9)
    save(figure, path)


def _speeds(model: PhysicsModel) -> tuple[list[float], list[float]]:
    """Return the least and the most speed of every frame's region."""
    spans = [(r.corners[:, 1].min(), r.corners[:, 1].max()) if not r.empty else (np.nan, np.nan)
             for r in model.regions]  # fmt: skip
    return [float(np.sqrt(max(a, 0))) for a, _ in spans], [float(np.sqrt(b)) for _, b in spans]


def _shade_flight(
    axes: object, model: PhysicsModel, output: np.ndarray[tuple[int], np.dtype[np.float64]]
) -> None:
    if model.flight.any():
        axes.fill_between(  # type: ignore[attr-defined]
            output, 0, 1, where=model.flight.tolist(), color="#f4f0e4", linewidth=0, zorder=0,
            transform=axes.get_xaxis_transform(),  # type: ignore[attr-defined]
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
        if not region.empty:
            closed = np.r_[region.corners, region.corners[:1]]
            axes.fill(closed[:, 0], closed[:, 1], color="#e7eef2")
            axes.plot(closed[:, 0], closed[:, 1], "o-", color=ORIGINAL, linewidth=1.5, markersize=3)
        near = slice(max(k - 6, 0), k + 7)
        axes.plot(told.timing[near, 0], told.timing[near, 1], "-", color=FAINT, linewidth=1)
        inside = told.distance[k] <= 0
        axes.plot(*told.timing[k], "o", color=RETIMED if inside else _OUTSIDE, markersize=7)
        axes.plot(0, 1, "+", color=KEY, markersize=10)
        axes.set_title(f"{moment:.2f} s", color=INK, fontsize=10)
        axes.set_xlabel("p'' (1/s)", color=INK)
        plain(axes)
    grid[0].set_ylabel("p'²", color=INK)
    save(figure, path)
