"""Colours and the canvas of all pictures: the source is cyan, the result purple."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

from retime.errors import InputError
from retime.io.files import write_bytes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK = "#22262d"
FAINT = "#c9ced6"
ORIGINAL = "#159ab8"
RETIMED = "#7a5cf0"
KEY = "#d79a00"
PICTURES = (".png", ".svg", ".pdf")
SERIES = (RETIMED, ORIGINAL, "#d2603a", "#3a8f4e", KEY, "#8a4f7d")


def canvas(width: float, height: float) -> Figure:
    """Make an empty figure, inches; no window system is touched."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained", facecolor="white")


def plain(axes: Axes) -> None:
    """Remove the box, and make ticks and grid unobtrusive."""
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(FAINT)
    axes.tick_params(colors=INK, labelsize=9)
    axes.grid(color="#eceff3", linewidth=0.8)
    axes.set_axisbelow(True)


def save(figure: Figure, path: str | Path) -> None:
    """Write a picture, completely or not at all; its suffix determines the format."""
    path = Path(path)
    if path.suffix.lower() not in PICTURES:
        raise InputError(f"a picture is {', '.join(PICTURES)}, not {path.suffix or 'no suffix'!r}")
    buffer = io.BytesIO()
    figure.savefig(buffer, format=path.suffix.lstrip(".").lower(), dpi=160)
    write_bytes(path, [buffer.getvalue()])
