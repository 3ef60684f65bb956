"""``retime align``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from retime.cli.options import (
    Input,
    Output,
    Retiming,
    WarpOut,
    file_option,
    must_be_pictures,
    must_differ,
    with_parameters,
    with_retiming,
)
from retime.cli.retiming import retime_file
from retime.methods.align import AlignParameters


@with_retiming
@with_parameters(AlignParameters, leave_out=("reference",))
def align(
    source: Input,
    other: Annotated[Path, typer.Argument(metavar="REFERENCE", help="Take to copy timing from.")],
    target: Output,
    parameters: dict[str, Any],
    retiming: Retiming,
    warp: WarpOut = None,
    plot: Annotated[
        Path | None,
        file_option("--plot", "Draw the distances of frames and the path through them."),
    ] = None,
) -> None:
    """Copy the timing of another take of the same action, even by another performer.

    Examples
    --------
    retime align punches.bvh punches-slow.bvh out.bvh

    retime align walk.bvh other.bvh out.bvh --repeat --plot path.png
    """
    from retime.recipe import Step

    for result in (target, warp, plot, retiming.recipe):
        if result is not None:
            must_differ(other, result)
    must_be_pictures(source, plot)
    take = retiming.reading.for_partner(other).read(other)
    given = Step("align", {"reference": take, **parameters})
    retime_file([given], source, target, retiming, warp_file=warp)
    if plot is not None:
        from retime.methods.align import alignment
        from retime.plot.alignments import draw_alignment

        motion, given = retiming.read_for(given, source)
        draw_alignment(alignment(motion, given.parameters), plot, names=(source.stem, other.stem))
