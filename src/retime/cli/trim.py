"""``retime trim``."""

from __future__ import annotations

from typing import Annotated

from retime.cli.console import report
from retime.cli.options import Input, Json, OneAnimation, Output, must_differ
from retime.errors import InputError
from retime.evaluate.reading import Reading
from retime.parameters import About
from retime.parameters_shared import DropRest
from retime.times import Length


def trim(
    source: Input,
    target: Output,
    *,
    start: Annotated[
        Length | None, About("First time to keep. Default: the start.", flag="from")
    ] = None,
    end: Annotated[Length | None, About("Last time to keep. Default: the end.", flag="to")] = None,
    drop_rest: DropRest = False,
    animation: OneAnimation = None,
    as_json: Json = False,
    reading: Reading,
) -> None:
    """Keep a part of a motion. The result has the start time of the source.

    Times are seconds (1.5), minutes (1:02.5), frames (48f) or percentages (20%).

    Examples
    --------
    retime trim walk.bvh steps.bvh --from 1.2 --to 3.4

    retime trim walk.glb end.glb --from 80%
    """
    from retime import motion
    from retime.io import format_of, write

    if start is None and end is None:
        raise InputError("give the part to keep: --from TIME, --to TIME or both")
    must_differ(source, target)
    format_of(target)
    given = reading.read(source, animation=animation)
    part = motion.trim(given, start, end)
    write(part, target, drop_rest=drop_rest)
    fields = {
        "output": target,
        "frames": len(part),
        "fps": part.rate,
        "duration_s": part.duration,
        "source_duration_s": given.duration,
    }
    report(fields, as_json=as_json, notes=part.notes)
