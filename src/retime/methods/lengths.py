"""The timing of a table of lengths, as a step of a recipe."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from retime.errors import InputError
from retime.io.length_json import read_lengths
from retime.keywords import takes
from retime.motion import Motion
from retime.parameters import About, TimingParameters
from retime.sentences import Duration
from retime.times import Length
from retime.timing import TimeWarp
from retime.timing.table import LengthTable


@dataclass(frozen=True, kw_only=True)
class LengthParameters(TimingParameters):
    """Parameters of a clip that is played from a table of lengths."""

    table: Annotated[
        LengthTable | str,
        About("Table of lengths of the clip, or its file.", metavar="FILE", widget="data"),
    ]
    duration: Annotated[
        Length | None,
        About(
            "Length to play: of the result, or of the range if one is given. Default: the clip's.",
            unit="s",
            ends=("", ""),
        ),
    ] = None


@takes(LengthParameters)
def lengths_warp(motion: Motion, p: LengthParameters) -> TimeWarp:
    """Play a clip at a length by the timing of a table.

    Parameters
    ----------
    motion : Motion
        The clip that the table was made of.

    Examples
    --------
    >>> from retime import lengths, samples
    >>> from retime.methods.lengths import lengths_warp
    >>> jump = samples.jump()
    >>> lengths_warp(jump, table=lengths(jump), duration=1.4).duration
    1.4
    """
    table = p.table if isinstance(p.table, LengthTable) else read_lengths(p.table)
    start, end = motion.domain if p.range is None else p.range
    if abs(table.duration - (end - start)) > 1 / motion.rate:
        raise InputError(
            "the table is of a clip of {table:.4g}, and this one lasts {clip:.4g}; make a table of "
            "this clip",
            table=Duration(table.duration),
            clip=Duration(end - start),
        )
    length = table.duration if p.duration is None else float(p.duration)
    column = table.column(length)
    source = (start + table.phases).clip(start, end)
    warp = TimeWarp(start + column, source, loop=table.loop and p.range is None)
    return warp if p.range is None else warp.within(motion.domain, p.range, ripple=p.ripple)
