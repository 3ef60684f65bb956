"""``retime warp``: make, show, compose and invert warps, and exchange them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from retime.cli.command import Of
from retime.cli.console import table
from retime.cli.options import Json, must_differ, seconds, word
from retime.cli.warp_exchange import events, export, import_
from retime.cli.warp_files import (
    Channel,
    WarpFile,
    WarpTarget,
    deliver_warp,
    must_have_channel,
    report_warp,
)
from retime.errors import InputError
from retime.methods.spline import SplineParameters
from retime.parameters import About
from retime.times import Clock, Length


def make(
    *,
    target: WarpTarget,
    motion: Annotated[Path | None, About("Motion to make the warp for.", flag="for")] = None,
    length: Annotated[
        Length | None, About("Length of the source, in place of --for.", unit="s")
    ] = None,
    start: Annotated[Length, About("Start time of the source (s, default 0).")] = 0.0,
    fps: Annotated[
        float | None, About("Frame rate of the result.", metavar="HZ", minimum=0.001)
    ] = None,
    backwards: Annotated[bool, About("Play the source from its end to its start.")] = False,
    as_json: Json = False,
    parameters: Annotated[dict[str, Any], Of(SplineParameters)],
) -> None:
    """Make a smooth warp through keytimes.

    Example: retime warp make slow.json --for jump.bvh --duration 4 --keytime 1.5=1.2
    """
    from retime.io import read
    from retime.parameters import build, resolved

    if (motion is None) == (length is None):
        raise InputError(
            "give the clip that the warp is for (--for FILE), or its length in seconds (--length)"
        )
    if motion is not None:
        must_differ(motion, target)
    if target.suffix.lower() != ".json":
        raise InputError(f"a warp is a .json file, not {target.suffix or 'no suffix'!r}")
    if length is not None:
        first = seconds(start, "start", fps)
        clock = Clock((first, first + seconds(length, "length", fps)), fps)
    else:
        clock = Clock.of(read(motion or ""), fps)
    chosen = resolved(build(SplineParameters, parameters), clock)
    warp = _made(chosen, clock.domain, backwards)
    deliver_warp(warp, target, as_json=as_json)


def _made(p: SplineParameters, domain: tuple[float, float], backwards: bool) -> Any:
    from retime.methods.spline import domain_warp
    from retime.timing import TimeWarp

    if not backwards:
        return domain_warp(domain, p)
    if p.range is not None:
        raise InputError("only a whole clip can run backwards, not a range of it")
    # Time is mirrored first, so that keytimes are met exactly.
    mirror = sum(domain)
    keytimes = tuple((o, mirror - s) for o, s in p.keytimes)
    rates = tuple((mirror - s, rate) for s, rate in p.rates)
    warp = domain_warp(domain, replace(p, keytimes=keytimes, rates=rates))
    return TimeWarp(warp.output, mirror - warp.source, loop=warp.loop)


def show(
    file: WarpFile,
    rows: Annotated[int, About("Number of table rows.", minimum=2, maximum=1000)] = 11,
    channel: Channel = None,
    as_json: Json = False,
) -> None:
    """Show the time ranges and playback speeds of a warp, and a table of times.

    Example: retime warp show slow.json
    """
    import numpy as np

    from retime.io.warp_json import read_warp

    warp = read_warp(file)
    must_have_channel(warp, channel)
    report_warp(warp, file, as_json=as_json)
    if as_json:
        return
    t = np.linspace(*warp.domain, rows)
    columns = t, warp(t, channel), warp.rate(t, channel)
    lines = [tuple(f"{v:.4f}" for v in row) for row in zip(*columns, strict=True)]
    table(lines, header=("output s", "source s", "rate"))


def compose(
    files: Annotated[
        Sequence[Path],
        word("WARP... OUT", "Warps, first to last, and the file to write."),
    ],
    as_json: Json = False,
) -> None:
    """Compose warps into one that applies them all, the first one first.

    Example: retime warp compose guided.json trimmed.json both.json
    """
    from retime.io.warp_json import read_warp

    if len(files) < 3:
        raise InputError("give two warps or more, and the file to write")
    *sources, target = files
    for file in sources:
        must_differ(file, target)
    total = read_warp(sources[0])
    for file in sources[1:]:
        total = total @ read_warp(file)
    deliver_warp(total, target, as_json=as_json)


def invert(file: WarpFile, target: WarpTarget, as_json: Json = False) -> None:
    """Exchange output and source: the warp that undoes this one.

    Example: retime warp invert slow.json undo.json
    """
    from retime.io.warp_json import read_warp

    must_differ(file, target)
    deliver_warp(read_warp(file).inverse, target, as_json=as_json)


warp = (
    "Make, show, compose, invert and export time warps.",
    {
        "make": make,
        "show": show,
        "compose": compose,
        "invert": invert,
        "export": export,
        "import": import_,
        "events": events,
    },
)
