"""``retime join``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

from retime.cli.console import report
from retime.cli.options import (
    Json,
    OneAnimation,
    must_differ,
    must_take_a_skeleton,
    seconds,
    word,
)
from retime.cli.streams import from_stream, to_stream
from retime.errors import InputError
from retime.evaluate.reading import Reading
from retime.notes import Note
from retime.parameters import About
from retime.parameters_shared import DropRest, Fps
from retime.times import ClipTime, Length, SourceTime

if TYPE_CHECKING:
    from retime.motion import Motion


def join(
    files: Annotated[
        Sequence[str],
        word("IN... OUT", "Motions of one skeleton, in order, and the file to write."),
    ],
    *,
    blend: Annotated[
        Length | None,
        About(
            "Change over within this time instead of cutting: each clip begins where it is most "
            "like the one before, placed so that the body goes on."
        ),
    ] = None,
    at: Annotated[
        Sequence[tuple[SourceTime, SourceTime]],
        About(
            "Leave a clip at FIRST and enter the next at SECOND, with --blend; once for each seam.",
            metavar="FIRST:SECOND",
        ),
    ] = (),
    fps: Fps = None,
    drop_rest: DropRest = False,
    animation: OneAnimation = None,
    as_json: Json = False,
    reading: Reading,
) -> None:
    """Join motions of one skeleton, one after the other.

    Clips of another frame rate than the first are resampled to it.

    Examples
    --------
    retime join walk.bvh turn.bvh walk.bvh route.bvh

    retime join walk.bvh jump.bvh out.bvh --blend 0.4
    """
    from retime.io import format_of, write
    from retime.motion import concatenate

    *names, last = files
    if len(names) < 2:
        raise InputError("give two motions or more to join, and the file to write")
    sources, target = [from_stream(n) for n in names], to_stream(last)
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
    if blend is None and at:
        raise InputError("--at is of a change-over; give its least length too (--blend)")
    if blend is None:
        joined = concatenate(clips, fps=fps)
    else:
        joined = _blended(clips, blend, at, fps)
    write(joined, target, drop_rest=drop_rest)
    fields = {
        "output": target,
        "clips": len(clips),
        "frames": len(joined),
        "fps": joined.rate,
        "duration_s": joined.duration,
    }
    report(fields, as_json=as_json, notes=[*joined.notes, *notes])


def _blended(
    clips: Sequence[Motion],
    blend: float | ClipTime,
    at: Sequence[tuple[Any, Any]],
    fps: float | None,
) -> Motion:
    """Join clips at similar moments."""
    from retime.assembling.join import join as join_two

    if at and len(at) != len(clips) - 1:
        raise InputError(f"{len(clips)} clips have {len(clips) - 1} seams; give --at for each")
    rate = fps or clips[0].rate
    clips = [clip if abs(clip.rate - rate) < 1e-6 * rate else clip.resample(rate) for clip in clips]
    length = seconds(blend, "blend", rate)
    joined = clips[0]
    for k, clip in enumerate(clips[1:]):
        seam = None if not at else (seconds(at[k][0], "at", rate), seconds(at[k][1], "at", rate))
        joined = join_two(joined, clip, blend=length, at=seam)
    return joined
