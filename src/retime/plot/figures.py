"""Figures for notebooks and scripts: matplotlib figures, to change and save as one likes."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from retime.errors import InputError
from retime.motion import Motion
from retime.plot.length_tables import lengths_figure
from retime.plot.overlays import overlay_figure
from retime.plot.strips import strip_figure
from retime.plot.warps import warp_figure
from retime.timing import LengthTable, TimeWarp

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def strip(motions: Motion | Mapping[str, Motion], *, poses: int = 12) -> Figure:
    """Draw a motion as a film strip, or several on one time axis.

    Parameters
    ----------
    motions : Motion or mapping of str to Motion
        What to draw; several by their names, the first as the original.
    poses : int
        Poses of the longest one, 2 to 60.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> import retime
    >>> figure = retime.plot.strip(retime.samples.jump(), poses=6)
    >>> figure.savefig("/dev/null", format="png")
    """
    if not 2 <= poses <= 60:
        raise InputError(f"a film strip has 2 to 60 poses, not {poses}")
    return _shown(strip_figure(_named(motions, Motion, "motion"), poses=poses))


def warp(
    warps: TimeWarp | Mapping[str, TimeWarp], *, shared: Sequence[tuple[float, float]] = ()
) -> Figure:
    """Draw a warp as a curve with its rate below on a log scale, or several over each other.

    Parameters
    ----------
    warps : TimeWarp or mapping of str to TimeWarp
        What to draw; several by their names.
    shared : sequence of (float, float)
        Spans of source time that the warps of a group share, to be shaded.

    Returns
    -------
    matplotlib.figure.Figure
    """
    return _shown(warp_figure(_named(warps, TimeWarp, "warp"), shared=shared))


def lengths(table: LengthTable) -> Figure:
    """Draw a table of lengths: a curve for each row, moments across them, and rates below.

    Parameters
    ----------
    table : LengthTable
        The table.

    Returns
    -------
    matplotlib.figure.Figure
    """
    return _shown(lengths_figure(table))


def compare(
    source: Motion, result: Motion, warp: TimeWarp | None = None, *, poses: int = 12
) -> Figure:
    """Draw a motion and its retimed version: the same poses in two rows, each at its time.

    Parameters
    ----------
    source : Motion
        The source.
    result : Motion
        The result.
    warp : TimeWarp, optional
        Warp from the time of the result to that of the source. By default, both rows have equal
        time steps.
    poses : int
        Poses of the source, 2 to 60.

    Returns
    -------
    matplotlib.figure.Figure
    """
    if not 2 <= poses <= 60:
        raise InputError(f"a film strip has 2 to 60 poses, not {poses}")
    rows = _named({"source": source, "result": result}, Motion, "motion")
    at = None
    if warp is not None:
        moments = np.linspace(*source.domain, poses)
        at = {"source": moments, "result": np.clip(warp.of_body().inverse(moments), *result.domain)}
    return _shown(strip_figure(rows, poses=poses, at=at))


def overlay(
    source: Motion,
    result: Motion,
    *,
    start: float | None = None,
    end: float | None = None,
    poses: int = 6,
    joint: str | None = None,
) -> Figure:
    """Draw a result over its source at equal times, to show an edit of single joints.

    Parameters
    ----------
    source, result : Motion
        Motions of one figure; the source is drawn pale, behind the result.
    start, end : float, optional
        First and last time, seconds. Default: those of the source.
    poses : int
        Number of poses, 2 to 60.
    joint : str, optional
        Joint to mark in both.

    Returns
    -------
    matplotlib.figure.Figure
    """
    if not 2 <= poses <= 60:
        raise InputError(f"an overlay has 2 to 60 poses, not {poses}")
    low = max(source.domain[0], result.domain[0])
    high = min(source.domain[1], result.domain[1])
    first, last = low if start is None else start, high if end is None else end
    if not low <= first < last <= high:
        raise InputError(f"{first:g} to {last:g} s is not a part of both, {low:g} to {high:g} s")
    return _shown(overlay_figure(source, result, np.linspace(first, last, poses), joint=joint))


def png_of(figure: Figure, *, dpi: float = 80) -> bytes:
    """Return a figure as the bytes of a picture."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=dpi)
    return buffer.getvalue()


def _shown(figure: Figure) -> Figure:
    """Make a figure visible in notebooks without a window system."""
    figure._repr_png_ = lambda: png_of(figure)  # type: ignore[attr-defined]
    return figure


def _named(things: Any, kind: type, noun: str) -> dict[str, Any]:
    named = {noun: things} if isinstance(things, kind) else things
    if not isinstance(named, Mapping) or not named:
        raise InputError(f"give a {noun}, or {noun}s by name, not {type(things).__name__}")
    for name, thing in named.items():
        if not isinstance(thing, kind):
            raise InputError(f"{name!r} is not a {noun} but {type(thing).__name__}")
    return {str(n): t for n, t in named.items()}
