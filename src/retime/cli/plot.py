"""``retime plot``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from retime.cli.console import report
from retime.cli.options import (
    Json,
    OneAnimation,
    must_be_a_picture,
    must_read_plainly,
    must_take_a_skeleton,
    with_reading,
)
from retime.errors import InputError
from retime.evaluate.reading import Reading


@with_reading
def plot(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE... OUT", help="Warps or motions, and the picture to write."),
    ],
    reading: Reading,
    poses: Annotated[
        int, typer.Option("--poses", help="Poses of a film strip.", min=2, max=60)
    ] = 12,
    animation: OneAnimation = None,
    as_json: Json = False,
) -> None:
    """Draw warps with their rate on a log scale, or motions as film strips on one time axis.

    Examples
    --------
    retime plot slow.json slow.png

    retime plot jump.bvh retimed.bvh strips.png
    """
    from retime.io.warp_json import read_warp

    if len(files) < 2:
        raise InputError("give a warp or a motion, and the picture to write")
    *sources, target = files
    must_be_a_picture(target)
    warps = [s for s in sources if s.suffix.lower() == ".json"]
    if warps and len(warps) < len(sources):
        raise InputError("draw warps or motions, not both in one picture")
    if warps:
        from retime.plot.warps import draw_warps

        must_read_plainly(reading, "warps are drawn")
        draw_warps({w.stem: read_warp(w) for w in warps}, target)
    else:
        from retime.plot.strips import draw_strips

        must_take_a_skeleton(reading, sources)
        motions = {s.stem: reading.for_file(s).read(s, animation=animation) for s in sources}
        draw_strips(motions, target, poses=poses)
    report({"picture": str(target)}, as_json=as_json)
