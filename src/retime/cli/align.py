"""``retime align``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from retime.cli.command import Of
from retime.cli.options import Input, Output, Retiming, WarpOut, must_be_pictures, must_differ, word
from retime.cli.retiming import retime_file
from retime.methods.align import AlignParameters
from retime.parameters import About


def align(
    source: Input,
    other: Annotated[Path, word("REFERENCE", "Take whose timing is copied.")],
    target: Output,
    *,
    warp: WarpOut = None,
    plot: Annotated[
        Path | None, About("Draw the distances of frames and the path through them.")
    ] = None,
    parameters: Annotated[dict[str, Any], Of(AlignParameters, leave_out=("reference",))],
    retiming: Retiming,
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
