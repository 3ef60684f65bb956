"""Figures 4 to 6 of On-line Predictive Warping, made again: deviations, smoothness, sweeps.

The example curve has a parabola's ends; the recording has 30 fps and the performance is sampled 25
times a second from 120 fps. Deviations of on-line methods are of the time emitted at each step.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bench import performances as trials
from retime import TimeWarp
from retime.live import BayesAligner, PredictiveAligner, Recording
from retime.methods.align.offline.offline import AlignParameters, _aligned
from retime.plot.style import INK, SERIES, canvas, plain, save

OFFSETS = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5)
GAMMAS = (0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4)
# Samples of the curves per second (section 4).
_RATE = 50.0


def _online(make: Callable[[Recording], Any]) -> Callable[[trials.Performance], TimeWarp]:
    def follow(p: trials.Performance) -> TimeWarp:
        aligner = make(p.recording)
        found = [aligner.step(pose, t) for pose, t in zip(p.poses, p.times, strict=True)]
        return TimeWarp(p.times, found)

    return follow


def _offline(p: trials.Performance) -> TimeWarp:
    performed = Recording(p.times, p.poses, p.recording.joints)
    return _aligned(p.recording, performed, AlignParameters(reference=None, open_end=True)).warp


METHODS: dict[str, Callable[[trials.Performance], TimeWarp]] = {
    "predictive, 5 %": _online(PredictiveAligner),
    "DTW, off-line": _offline,
    "Bayes": _online(BayesAligner),
}


def _deviation(warp: TimeWarp, p: trials.Performance) -> Any:
    return 1e3 * np.abs(warp(p.times) - p.truth)


def _bend(warp: TimeWarp, end: float) -> Any:
    """Change of slope from sample to sample, in per cent of a right angle."""
    t = np.arange(0, end + 1e-9, 1 / _RATE)
    angle = np.degrees(np.arctan(np.diff(warp(t)) * _RATE))
    return t[1:-1], 100 * np.abs(np.diff(angle)) / 90


def figure_4(folder: Path) -> None:
    """Curves, deviation and change of slope on the paper's three clips."""
    figure = canvas(11.0, 7.5)
    grid = figure.subplots(3, len(trials.PAPER_CLIPS), sharex=True)
    with (folder / "live-figure-4.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(("clip", "method", "mean ms", "max ms", "mean slope change %", "max %"))
        for k, crop in enumerate(trials.PAPER_CLIPS):
            p = trials.copy(crop)
            grid[0, k].plot(p.times, p.truth, color=INK, linewidth=1, label="example")
            for colour, (name, find) in zip(SERIES, METHODS.items(), strict=False):
                warp = find(p)
                off = _deviation(warp, p)
                t, bend = _bend(warp, p.times[-1])
                grid[0, k].plot(p.times, warp(p.times), color=colour, label=name)
                grid[1, k].plot(p.times, off, color=colour)
                grid[2, k].plot(t, bend, color=colour)
                figures = (off.mean(), off.max(), bend.mean(), bend.max())
                rows.writerow((crop[0], name, *(f"{v:.1f}" for v in figures)))
            grid[0, k].set_title(crop[0], color=INK)
            grid[1, k].axhline(150, color="#c9ced6", linestyle="--")
            grid[2, k].set_xlabel("time (s)", color=INK)
    labels = ("recorded time (s)", "deviation (ms)", "slope change (%)")
    for axes, label in zip(grid[:, 0], labels, strict=True):
        axes.set_ylabel(label, color=INK)
    grid[0, 0].legend(frameon=False, fontsize=8)
    for axes in grid.ravel():
        plain(axes)
    save(figure, folder / "live-figure-4.png")


def _sweep(
    folder: Path, number: int, label: str, values: tuple[float, ...], cells: dict[str, list[Any]]
) -> None:
    """Write mean and worst deviation over all clips against what was varied."""
    figure = canvas(7.0, 4.2)
    axes = figure.subplots()
    with (folder / f"live-figure-{number}.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow((label, "method", "mean ms", "max ms"))
        for colour, (name, found) in zip(SERIES, cells.items(), strict=False):
            mean, most = [float(e.mean()) for e in found], [float(e.max()) for e in found]
            axes.plot(values, mean, color=colour, label=f"{name}, mean")
            axes.plot(values, most, "--", color=colour, label=f"{name}, worst")
            for value, *line in zip(values, mean, most, strict=True):
                rows.writerow((value, name, *(f"{v:.1f}" for v in line)))
    axes.axhline(150, color="#c9ced6", linestyle=":")
    axes.set_xlabel(label, color=INK)
    axes.set_ylabel("deviation (ms)", color=INK)
    axes.legend(frameon=False, fontsize=8)
    plain(axes)
    save(figure, folder / f"live-figure-{number}.png")


def figure_5(folder: Path) -> None:
    """Deviation against the temporal difference, all three clips together."""
    cells: dict[str, list[Any]] = {name: [] for name in METHODS}
    for offset in OFFSETS:
        performances = [trials.copy(c, offset=offset) for c in trials.PAPER_CLIPS]
        for name, find in METHODS.items():
            cells[name].append(np.concatenate([_deviation(find(p), p) for p in performances]))
    _sweep(folder, 5, "offset (s)", OFFSETS, cells)


def figure_6(folder: Path) -> None:
    """Deviation against gamma, all three clips together."""
    performances = [trials.copy(c) for c in trials.PAPER_CLIPS]
    found = []
    for gamma in GAMMAS:
        find = _online(partial(PredictiveAligner, gamma=gamma))
        found.append(np.concatenate([_deviation(find(p), p) for p in performances]))
    _sweep(folder, 6, "gamma", GAMMAS, {"predictive": found})


def figures(folder: Path) -> None:
    """Write all, where the clips are at hand."""
    if not trials.MOCAP.is_dir():
        print("live: no folder of real clips beside the project: figures 4 to 6 are left out")
        return
    figure_4(folder)
    figure_5(folder)
    figure_6(folder)
