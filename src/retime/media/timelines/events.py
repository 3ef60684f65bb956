"""Event lists of any kind, found by their suffix."""

from __future__ import annotations

from pathlib import Path

from retime.errors import InputError
from retime.media.timelines.blocks import EventText
from retime.media.timelines.carrying import Carrier
from retime.media.timelines.labels import parse_labels
from retime.media.timelines.marker_table import parse_table
from retime.media.timelines.subtitles import parse_srt, parse_vtt
from retime.media.timelines.text_file import read_text

SUFFIXES = (".csv", ".txt", ".srt", ".vtt")


def carry_events(source: str | Path, target: str | Path, carrier: Carrier) -> None:
    """Map a list of events through the inverse of a warp, and keep the rest of the file.

    Source and target are files of one format; the carrier counts moved and dropped events.
    """
    source, target = Path(source), Path(target)
    suffix = source.suffix.lower()
    if suffix not in SUFFIXES:
        raise InputError(
            f"an event list is {', '.join(SUFFIXES)}, not {source.suffix or 'no suffix'!r}"
        )
    if target.suffix.lower() != suffix:
        raise InputError(f"a {suffix} list is written as {suffix}, not {target.suffix!r}")
    text = read_text(source)
    events: EventText
    if suffix == ".csv":
        events = parse_table(text.lines, source, carrier.fps)
    else:
        parse = {".txt": parse_labels, ".srt": parse_srt, ".vtt": parse_vtt}[suffix]
        events = parse(text.lines, source)
    text.write(target, events.carried(carrier))
