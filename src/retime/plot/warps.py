"""Warps as curves: source against output time, and the rate below on a log scale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from retime.arrays import FloatArray
from retime.plot.style import FAINT, INK, KEY, ORIGINAL, SERIES, canvas, plain, save
from retime.timing import TimeWarp

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Rates outside are drawn at the edge: a hold has none on a log scale.
_SLOWEST, _FASTEST = 1 / 32, 32.0
# Rates that stay within this factor of 1 are drawn larger.
_SMALL, _SMALL_TICKS = 1.45, (0.8, 1.0, 1.25)
# A rate this near to 1 keeps the source's timing.
_KEPT = 0.05
# Height of the band of evidence, as a share of the plot.
_BAND = 0.12


def draw_warps(
    warps: Mapping[str, TimeWarp],
    path: str | Path,
    *,
    evidence: FloatArray | None = None,
    shared: Sequence[tuple[float, float]] = (),
) -> None:
    """Draw warps over each other into a picture file; see :func:`warp_figure`."""
    save(warp_figure(warps, evidence=evidence, shared=shared), path)


def warp_figure(
    warps: Mapping[str, TimeWarp],
    *,
    evidence: FloatArray | None = None,
    shared: Sequence[tuple[float, float]] = (),
) -> Figure:
    """Draw warps over each other, and their rates below on a log scale.

    The legend shows their names. A warp with channels is drawn channel by channel.
    ``evidence`` (n, 2), output times and how much a reference resembles the clip there (0 to 1), is
    a band under the curve. ``shared`` are spans of source time that the warps have in common.
    """
    figure = canvas(7.0, 5.6)
    curve, rate = figure.subplots(2, 1, sharex=True, height_ratios=(2, 1))
    lines = _lines(warps)
    start = min(w.domain[0] for w in warps.values())
    end = max(w.domain[1] for w in warps.values())
    curve.plot([start, end], [start, end], "--", color=FAINT, linewidth=1.5, label="unchanged")
    rate.axhline(1.0, color=FAINT, linewidth=1.5, linestyle="--")
    for k, (name, (warp, channel)) in enumerate(lines.items()):
        colour = SERIES[k % len(SERIES)]
        graph = warp.channel(channel)
        curve.plot(graph.x, graph.y, color=colour, linewidth=2, label=name)
        _draw_rate(rate, warp, channel, colour)
    if evidence is not None:
        _mark_evidence(curve, evidence)
    for k, span in enumerate(shared):
        _mark_shared(curve, rate, span, next(iter(warps.values())), "shared" if k == 0 else "")
    if len(lines) == 1:
        _mark_kept(rate, *next(iter(lines.values())))
    curve.set_ylabel("source time (s)", color=INK)
    _label_rates(rate)
    if len(lines) <= 12:
        curve.legend(frameon=False, fontsize=9)
    for axes in (curve, rate):
        plain(axes)
    return figure


def _lines(warps: Mapping[str, TimeWarp]) -> dict[str, tuple[TimeWarp, str | None]]:
    """Return the curves to draw by name: a warp with one of its channels, or as a whole."""
    lines: dict[str, tuple[TimeWarp, str | None]] = {}
    for name, warp in warps.items():
        if not warp.per_channel or not warp.is_body_identity:
            lines[name] = (warp, None)
        lines |= {f"{name}: {c}": (warp, c) for c in warp.channels}
    return lines


def _label_rates(axes: Axes) -> None:
    """Give the axes of rates their labels and a log scale."""
    axes.set_ylabel("rate (×)", color=INK)
    axes.set_xlabel("output time (s)", color=INK)
    axes.set_yscale("log", base=2)
    low, high = axes.get_ylim()
    small = low > 1 / _SMALL and high < _SMALL
    reach = _SMALL if small else 2.2
    axes.set_ylim(min(low, 1 / reach), max(high, reach))
    if axes.get_legend_handles_labels()[0]:
        axes.legend(frameon=False, fontsize=9, loc="upper center")
    if small:
        axes.set_yticks(_SMALL_TICKS, [f"{v:g}" for v in _SMALL_TICKS])
    else:
        axes.yaxis.set_major_formatter(lambda v, _: f"{v:g}" if v >= 1 else f"1/{1 / v:g}")


def _mark_evidence(axes: Axes, evidence: FloatArray) -> None:
    """Draw a band along the bottom whose height is the similarity to the reference."""
    axes.fill_between(
        evidence[:, 0],
        0,
        _BAND * evidence[:, 1],
        transform=axes.get_xaxis_transform(),
        color=ORIGINAL,
        alpha=0.35,
        linewidth=0,
        zorder=0,
        label="similarity to the reference",
    )


def _mark_shared(
    curve: Axes, rate: Axes, span: tuple[float, float], warp: TimeWarp, label: str
) -> None:
    """Shade a span of source time that all warps show at the same output times."""
    start, end = warp.of_body().inverse(np.asarray(span))
    curve.axhspan(*span, color=KEY, alpha=0.18, linewidth=0, zorder=0, label=label or None)
    rate.axvspan(start, end, color=KEY, alpha=0.18, linewidth=0, zorder=0)


def _draw_rate(axes: Axes, warp: TimeWarp, channel: str | None, colour: str) -> None:
    knots = np.unique(warp.channel(channel).x)
    # Draw a curve of many knots as smooth, and one of a few knots as steps.
    smooth = len(warp.channel(channel).x) > 32
    if smooth:
        t = (knots[1:] + knots[:-1]) / 2  # the slope of a piece, at its middle
    else:
        t = np.unique(np.r_[knots, np.linspace(knots[0], knots[-1], 1000)])
    speed = np.clip(np.abs(warp.rate(t, channel)), _SLOWEST, _FASTEST)
    style = "default" if smooth else "steps-post"
    axes.plot(t, speed, color=colour, linewidth=2, drawstyle=style)


def _mark_kept(axes: Axes, warp: TimeWarp, channel: str | None) -> None:
    """Shade the ranges in which a warp keeps the source's timing."""
    t = np.linspace(*warp.domain, 1000)
    kept = np.abs(warp.rate(t, channel) - 1) < _KEPT
    if kept.any() and not kept.all():
        axes.fill_between(
            t,
            0,
            1,
            where=kept.tolist(),
            transform=axes.get_xaxis_transform(),
            color="#eef0f4",
            linewidth=0,
            zorder=0,
            label="timing kept",
        )
