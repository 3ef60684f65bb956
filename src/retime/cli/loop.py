"""``retime loop``."""

from __future__ import annotations

from typing import Annotated

from retime.cli.console import report
from retime.cli.options import Input, Json, OneAnimation, Output, must_differ, seconds
from retime.evaluate.reading import Reading
from retime.parameters import About
from retime.parameters_shared import DropRest
from retime.times import Length, SourceTime


def loop(
    source: Input,
    target: Output,
    *,
    period: Annotated[
        tuple[Length, Length] | None,
        About("Shortest and longest period. Default: 0.4 s to half of the take.", metavar="A:B"),
    ] = None,
    between: Annotated[
        tuple[SourceTime, SourceTime] | None,
        About("Use only the part of the take from A to B.", flag="range", metavar="A:B"),
    ] = None,
    blend: Annotated[
        Length, About("Time before the end in which the cycle changes over to its start.")
    ] = 0.2,
    drop_rest: DropRest = False,
    animation: OneAnimation = None,
    as_json: Json = False,
    reading: Reading,
) -> None:
    """Cut a cycle out of a longer take, and close it.

    The last pose is the first one, moved on by what the cycle travels.

    Examples
    --------
    retime loop walk.bvh stride.bvh --period 0.9:1.3
    """
    from retime.assembling.cycle import loop as close
    from retime.io import format_of, write

    must_differ(source, target)
    format_of(target)
    take = reading.read(source, animation=animation)

    def both(name: str, given: tuple[Length, Length] | None) -> tuple[float, float] | None:
        return None if given is None else (
            seconds(given[0], name, take.rate), seconds(given[1], name, take.rate)
        )  # fmt: skip

    cycle = close(
        take,
        period=both("period", period),
        between=both("range", between),
        blend=seconds(blend, "blend", take.rate),
    )
    write(cycle, target, drop_rest=drop_rest)
    fields = {"output": target, "frames": len(cycle), "fps": cycle.rate, "period_s": cycle.duration}
    report(fields, as_json=as_json, notes=cycle.notes)
