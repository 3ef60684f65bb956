"""Write the warp of a ``retime warp`` command, and describe it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from retime.cli.console import report
from retime.cli.options import word
from retime.errors import InputError, did_you_mean
from retime.parameters import About
from retime.timing import TimeWarp

AppliedWarp = Annotated[Path, About("Warp to apply.", flag="warp")]
Channel = Annotated[
    str | None,
    About("Channel of the warp to use. Default: the whole body.", metavar="NAME"),
]
WarpFile = Annotated[Path, word("WARP", "Warp file.")]
WarpTarget = Annotated[Path, word("OUT", "File to write the warp to.")]


def deliver_warp(warp: TimeWarp, target: Path, *, as_json: bool) -> None:
    """Write a warp, and report what it is."""
    from retime.io.warp_json import write_warp

    write_warp(warp, target)
    report_warp(warp, target, as_json=as_json)


def report_warp(warp: TimeWarp, file: Path, *, as_json: bool) -> None:
    """Report the time ranges and playback speeds of a warp in a file."""
    report(_summary(warp, file), as_json=as_json, notes=warp.notes)


def _summary(warp: TimeWarp, path: Path) -> dict[str, Any]:
    import numpy as np

    start, end = warp.domain
    low, high = warp.source_range
    rates = np.abs(
        np.concatenate([warp.rate(g.x, n) for n, g in [(None, warp.body), *warp.channels.items()]])
    )
    return {
        "warp": path,
        "output_s": [start, end],
        "source_s": [low, high],
        "knots": len(warp.output),
        "channels": list(warp.channels),
        "slowest": float(rates.min()),
        "fastest": float(rates.max()),
        "loop": warp.loop,
    }


def must_have_channel(warp: TimeWarp, channel: str | None) -> None:
    """Reject a channel that a warp does not have."""
    if channel is not None and channel not in warp.channels:
        known = did_you_mean(channel, warp.channels)
        raise InputError(f"the warp has no channel {channel!r}{known}")
