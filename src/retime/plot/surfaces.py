"""Time control surfaces in pictures: joints' times, and surfaces over the projected figure."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from retime.arrays import FloatArray
from retime.methods.surface import ControlSurfaces
from retime.plot.style import FAINT, INK, KEY, canvas, plain, save

# Only the curves that differ most from the source get a label and a colour.
_LABELLED = 6
# Curves that differ by less are drawn as one, in ms; names in a label.
_SAME_CURVE, _NAMES = 2.0, 3


def draw_joint_times(surfaces: ControlSurfaces, path: str | Path) -> None:
    """Draw each joint's time less the time that passes: below 0 it lags, above it is ahead."""
    from matplotlib import colormaps

    warp = surfaces.warp()
    start, end = surfaces.motion.domain
    t = np.linspace(start, end, 1200)
    figure = canvas(8.5, 4.4)
    axes = figure.subplots()
    for low, high in surfaces.spans:
        axes.axvspan(low, high, color="#f4f0e4", linewidth=0)
    for key in surfaces.keys:
        axes.axvline(key.time, color=KEY, linewidth=1.2, linestyle="--")
    names = [n for n in surfaces.motion.skeleton.names if n in warp.channels]
    curves = _merged({n: 1000 * (warp(t, n) - t) for n in names})
    colours = colormaps["viridis"](np.linspace(0.0, 0.85, min(len(curves), _LABELLED) or 1))
    for n, (label, ahead) in reversed(list(enumerate(curves))):
        labelled = n < _LABELLED
        axes.plot(
            t, ahead, linewidth=2 if labelled else 1, label=label if labelled else None,
            color=colours[n] if labelled else FAINT,
        )  # fmt: skip
    axes.set_xlabel("output time (s)", color=INK)
    axes.set_ylabel("ahead (ms)", color=INK)
    plain(axes)
    if names:
        handles, labels = axes.get_legend_handles_labels()
        axes.legend(handles[::-1], labels[::-1], frameon=False, fontsize=8, loc="upper left",
                    bbox_to_anchor=(1.0, 1.0))  # fmt: skip
    save(figure, path)


def _merged(curves: dict[str, FloatArray]) -> list[tuple[str, FloatArray]]:
    """Return the curves that differ from each other with their joints, the largest first."""
    groups: list[tuple[list[str], FloatArray]] = []
    for name, curve in sorted(curves.items(), key=lambda item: -float(np.abs(item[1]).max())):
        same = (g for g, other in groups if np.abs(other - curve).max() < _SAME_CURVE)
        group = next(same, None)
        if group is None:
            groups.append(([name], curve))
        else:
            group.append(name)
    return [(_listed(group), curve) for group, curve in groups]


def _listed(names: list[str]) -> str:
    more = [f"{len(names) - _NAMES} more"] if len(names) > _NAMES else []
    return "\n".join([*names[:_NAMES], *more])


def draw_surfaces(surfaces: ControlSurfaces, path: str | Path) -> None:
    """Draw each key's surface, seen along time, with the figure and its joints' paths on it."""
    count = len(surfaces.keys)
    figure = canvas(4.6 * count + 0.6, 4.8)
    grid = figure.subplots(1, count, squeeze=False)[0]
    parents = surfaces.motion.skeleton.parents
    most = max(max(abs(d.shift) for d in key.drags) for key in surfaces.keys) or 1.0
    for k, (axes, key) in enumerate(zip(grid, surfaces.keys, strict=True)):
        sheet, paths = surfaces.surface(k), surfaces.paths(k)
        shown = axes.pcolormesh(
            sheet.x, sheet.y, 1000 * sheet.shift.T, cmap="PuOr", vmin=-1000 * most,
            vmax=1000 * most, shading="gouraud",
        )  # fmt: skip
        low, high = surfaces.spans[k]
        near = (surfaces.motion.times >= low) & (surfaces.motion.times <= high)
        for j in range(len(parents)):
            axes.plot(*paths[near, j].T, color="#9aa3b2", linewidth=0.5, alpha=0.7)
        frame = int(np.abs(surfaces.motion.times - key.time).argmin())
        for j, p in enumerate(parents):
            if p >= 0:
                axes.plot(*paths[frame, [p, j]].T, color=INK, linewidth=1.8)
        moves = np.abs(surfaces.shifts[k]) / most
        axes.scatter(*paths[frame].T, s=6 + 60 * moves, color=KEY, zorder=3)
        axes.set_title(f"{key.time:.2f} s", color=INK, fontsize=10)
        axes.set_aspect("equal")
        axes.set_xlabel("across (m)", color=INK)
        axes.tick_params(colors=INK, labelsize=8)
    grid[0].set_ylabel("up (m)", color=INK)
    figure.colorbar(shown, ax=list(grid), label="later (ms)", shrink=0.7)
    save(figure, path)


def draw_paths(surfaces: ControlSurfaces, path: str | Path, *, key: int = 0) -> None:
    """Draw the paths of all joints over time, and the surface of a key where it meets them."""
    sheet, paths = surfaces.surface(key), surfaces.paths(key)
    times, skeleton = surfaces.motion.times, surfaces.motion.skeleton
    low, high = surfaces.spans[key]
    near = (times >= low - 0.3) & (times <= high + 0.3)
    moves = np.abs(surfaces.shifts[key])
    most = float(moves.max()) or 1.0
    figure = canvas(9.0, 5.2)
    axes = figure.add_subplot(projection="3d", computed_zorder=False)
    for j in np.argsort(moves):
        colour, width = (KEY, 1.4) if moves[j] > 0.5 * most else ("#9aa3b2", 0.7)
        axes.plot(times[near], paths[near, j, 0], paths[near, j, 1], color=colour, linewidth=width)
    moment = surfaces.keys[key].time
    x, y = np.meshgrid(sheet.x, sheet.y, indexing="ij")
    axes.plot_surface(
        moment + sheet.shift, x, y, color="#7a5ae0", alpha=0.35, linewidth=0, rstride=1, cstride=1
    )
    frame = int(np.abs(times - moment).argmin())
    at = moment + surfaces.shifts[key]
    for j, p in enumerate(skeleton.parents):
        if p >= 0:
            pair = [p, j]
            axes.plot(at[pair], *paths[frame, pair].T, color=INK, linewidth=1.6)
    axes.scatter(at, *paths[frame].T, s=8 + 40 * moves / most, color=KEY, depthshade=False)
    axes.set_xlabel("time (s)", color=INK, labelpad=12)
    axes.set_ylabel("across (m)", color=INK, labelpad=8)
    axes.set_zlabel("up (m)", color=INK, labelpad=8)
    axes.locator_params(axis="y", nbins=3)
    axes.locator_params(axis="z", nbins=5)
    axes.view_init(elev=14, azim=-62)
    axes.set_box_aspect((2.4, 1, 1.6))
    save(figure, path)
