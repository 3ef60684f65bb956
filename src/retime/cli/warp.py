"""``retime warp``: make, show, compose, invert and export."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from retime.cli.console import report, table
from retime.cli.options import Json, must_differ, with_parameters
from retime.errors import InputError, did_you_mean
from retime.methods.spline import SplineParameters

WarpFile = Annotated[Path, typer.Argument(metavar="WARP", help="The warp file.")]
WarpOut = Annotated[Path, typer.Argument(metavar="OUT", help="Where to write the warp.")]


def add_to(app: typer.Typer, name: str) -> None:
    """Add the group of commands."""
    group = typer.Typer(
        no_args_is_help=True, help="Make, show, compose, invert and export time warps."
    )
    for command in (make, show, compose, invert, export):
        group.command(command.__name__)(command)
    app.add_typer(group, name=name)


def _summary(warp: Any, path: Path) -> dict[str, Any]:
    import numpy as np

    start, end = warp.domain
    low, high = warp.source_range
    rates = np.abs(
        np.concatenate([warp.rate(g.x, n) for n, g in [(None, warp.body), *warp.channels.items()]])
    )
    return {
        "warp": str(path),
        "output_s": [start, end],
        "source_s": [low, high],
        "knots": len(warp.output),
        "channels": list(warp.channels),
        "slowest": float(rates.min()),
        "fastest": float(rates.max()),
        "loop": warp.loop,
    }


def _must_have(warp: Any, channel: str | None) -> None:
    if channel is not None and channel not in warp.channels:
        known = did_you_mean(channel, warp.channels)
        raise InputError(f"the warp has no channel {channel!r}{known}")


@with_parameters(SplineParameters)
def make(
    target: WarpOut,
    parameters: dict[str, Any],
    motion: Annotated[
        Path | None, typer.Option("--for", help="The motion it is for.", metavar="FILE")
    ] = None,
    length: Annotated[
        float | None, typer.Option("--length", help="Or the source's length in seconds.")
    ] = None,
    start: Annotated[float, typer.Option("--start", help="The source's first time.")] = 0.0,
    backwards: Annotated[bool, typer.Option("--backwards", help="Play it backwards.")] = False,
    as_json: Json = False,
) -> None:
    """Make a smooth warp through keytimes.

    Example: retime warp make slow.json --for jump.bvh --duration 4 --keytime 1.5=1.2
    """
    from retime.curves import keytime_warp
    from retime.io import read
    from retime.io.warp_json import write_warp
    from retime.parameters import build
    from retime.warp import TimeWarp

    if (motion is None) == (length is None):
        raise InputError("say what the warp is for: either --for FILE, or --length in seconds")
    if motion is not None:
        must_differ(motion, target)
    if target.suffix.lower() != ".json":
        raise InputError(f"a warp is a .json file, not {target.suffix or 'no suffix'!r}")
    domain = (start, start + length) if length is not None else read(motion or "").domain
    chosen = build(SplineParameters, parameters)
    if backwards and chosen.range is not None:
        raise InputError("only a whole clip can run backwards, not a range of it")
    # Backwards, time is mirrored first: the moment of a keytime is then met as it is given.
    mirror = sum(domain)
    keytimes = [(o, mirror - s if backwards else s) for o, s in chosen.keytimes]
    warp = keytime_warp(
        chosen.range or domain,
        duration=chosen.duration,
        keytimes=keytimes,
        loop=chosen.loop and chosen.range is None,
    )
    if chosen.range is not None:
        warp = warp.within(domain, chosen.range, chosen.rest).looped(chosen.loop)
    if backwards:
        warp = TimeWarp(warp.output, mirror - warp.source, loop=warp.loop)
    write_warp(warp, target)
    report(_summary(warp, target), as_json=as_json, notes=warp.notes)


def show(
    file: WarpFile,
    rows: Annotated[int, typer.Option("--rows", help="Rows of the table.", min=2, max=1000)] = 11,
    channel: Annotated[
        str | None, typer.Option("--channel", help="The channel; else the whole body.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Show a warp: its spans, its speeds, and a table of times.

    Example: retime warp show slow.json
    """
    import numpy as np

    from retime.io.warp_json import read_warp

    warp = read_warp(file)
    _must_have(warp, channel)
    report(_summary(warp, file), as_json=as_json, notes=warp.notes)
    if as_json:
        return
    t = np.linspace(*warp.domain, rows)
    columns = t, warp(t, channel), warp.rate(t, channel)
    lines = [tuple(f"{v:.4f}" for v in row) for row in zip(*columns, strict=True)]
    table(lines, header=("output s", "source s", "rate"))


def compose(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="WARP... OUT", help="Warps, first to last, and the result."),
    ],
    as_json: Json = False,
) -> None:
    """Compose warps: the first is applied first, and the result does all in one.

    Example: retime warp compose guided.json trimmed.json both.json
    """
    from retime.io.warp_json import read_warp, write_warp

    if len(files) < 3:
        raise InputError("give two warps or more, and the file to write")
    *sources, target = files
    for file in sources:
        must_differ(file, target)
    total = read_warp(sources[0])
    for file in sources[1:]:
        total = total @ read_warp(file)
    write_warp(total, target)
    report(_summary(total, target), as_json=as_json, notes=total.notes)


def invert(file: WarpFile, target: WarpOut, as_json: Json = False) -> None:
    """Exchange output and source: the warp that undoes this one.

    Example: retime warp invert slow.json undo.json
    """
    from retime.io.warp_json import read_warp, write_warp

    must_differ(file, target)
    inverse = read_warp(file).inverse
    write_warp(inverse, target)
    report(_summary(inverse, target), as_json=as_json)


def export(
    file: WarpFile,
    target: Annotated[Path, typer.Argument(metavar="OUT", help="A .json or .csv file.")],
    tolerance: Annotated[
        float, typer.Option("--tolerance", help="Largest difference in seconds.", min=1e-9)
    ] = 1e-3,
    channel: Annotated[
        str | None, typer.Option("--channel", help="The channel; else the whole body.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Export a warp as the fewest Bezier keys, for a graph editor.

    Example: retime warp export slow.json slow.csv --tolerance 0.002
    """
    from retime.curves import fit_bezier
    from retime.io.files import write_bytes
    from retime.io.json_text import write_json
    from retime.io.warp_json import read_warp

    must_differ(file, target)
    warp = read_warp(file)
    _must_have(warp, channel)
    curve = fit_bezier(warp, tolerance=tolerance, channel=channel)
    if target.suffix.lower() == ".json":
        keys = [
            {"key": k.tolist(), "left": a.tolist(), "right": b.tolist()}
            for k, a, b in zip(curve.keys, curve.left, curve.right, strict=True)
        ]
        write_json({"format": "retime-bezier", "version": 1, "keys": keys}, target)
    elif target.suffix.lower() == ".csv":
        head = "output,source,left_output,left_source,right_output,right_source"
        lines = [
            ",".join(f"{v:.9g}" for v in (*k, *a, *b))
            for k, a, b in zip(curve.keys, curve.left, curve.right, strict=True)
        ]
        write_bytes(target, ["\n".join([head, *lines, ""]).encode()])
    else:
        raise InputError(f"export writes .json or .csv, not {target.suffix or 'no suffix'!r}")
    fields = {"output": str(target), "keys": len(curve.keys), "tolerance_s": tolerance}
    report(fields, as_json=as_json)
