"""``retime join``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from retime.cli.console import report
from retime.cli.options import (
    DropRest,
    Fps,
    Json,
    OneAnimation,
    must_differ,
    must_take_a_skeleton,
    with_reading,
)
from retime.cli.streams import ends_in_stream
from retime.errors import InputError
from retime.evaluate.reading import Reading
from retime.notes import Note


@with_reading
def join(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="IN... OUT",
            help="Motions of one skeleton, in order, and the file to write.",
            callback=ends_in_stream,
        ),
    ],
    reading: Reading,
    fps: Fps = None,
    drop_rest: DropRest = False,
    animation: OneAnimation = None,
    as_json: Json = False,
) -> None:
    """Join motions of one skeleton, one after the other.

    Clips of another frame rate than the first are resampled to it.

    Example: retime join walk.bvh turn.bvh walk.bvh route.bvh
    """
    from retime.io import format_of, write
    from retime.motion import concatenate

    *sources, target = files
    if len(sources) < 2:
        raise InputError("give two motions or more to join, and the file to write")
    format_of(target)
    for source in sources:
        must_differ(source, target)
    must_take_a_skeleton(reading, sources)
    clips = [reading.for_file(s).read(s, animation=animation) for s in sources]
    notes = []
    rates = [clip.rate for clip in clips]
    if fps is None and max(rates) - min(rates) > 1e-6 * rates[0]:
        fps = float(f"{rates[0]:.9g}")
        told = f"clips of other frame rates were resampled to {fps:g} fps (--fps)"
        notes.append(Note(told, code="rates-differ", fps=fps))
    joined = concatenate(clips, fps=fps)
    write(joined, target, drop_rest=drop_rest)
    fields = {
        "output": target,
        "clips": len(clips),
        "frames": len(joined),
        "fps": joined.rate,
        "duration_s": joined.duration,
    }
    report(fields, as_json=as_json, notes=[*joined.notes, *notes])
