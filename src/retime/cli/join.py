"""``retime join``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from retime.cli.console import report
from retime.cli.options import Json, OneAnimation, must_differ, must_take_a_skeleton, word
from retime.cli.streams import from_stream, to_stream
from retime.errors import InputError
from retime.evaluate.reading import Reading
from retime.notes import Note
from retime.parameters_shared import DropRest, Fps


def join(
    files: Annotated[
        Sequence[str],
        word("IN... OUT", "Motions of one skeleton, in order, and the file to write."),
    ],
    *,
    fps: Fps = None,
    drop_rest: DropRest = False,
    animation: OneAnimation = None,
    as_json: Json = False,
    reading: Reading,
) -> None:
    """Join motions of one skeleton, one after the other.

    Clips of another frame rate than the first are resampled to it.

    Example: retime join walk.bvh turn.bvh walk.bvh route.bvh
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
