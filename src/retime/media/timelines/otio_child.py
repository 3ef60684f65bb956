"""The child process that runs OpenTimelineIO (:mod:`retime.process.library`)."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from retime.process.library import Arrays, Refused, serve

__all__: list[str] = []


def read(request: dict[str, Any], _: Arrays) -> tuple[dict[str, Any], Arrays]:
    """Read the clips of the first video track: start, length, source, rate and frame, seconds."""
    import opentimelineio as otio

    timeline, tracks = _tracks(otio, Path(request["path"]))
    notes = [f"{len(tracks) - 1} more tracks are left out"] if len(tracks) > 1 else []
    start = timeline.global_start_time
    at = 0.0 if start is None else _seconds(start)
    spans, media = [], set()
    for item in tracks[0]:
        shown = _range(otio, item, at)
        media.add(getattr(item.media_reference, "target_url", None) or item.name)
        length = _seconds(shown.duration)
        if length > 0:
            rate, said = _scalar(otio, item)
            notes += said
            spans.append([at, length, _seconds(shown.start_time), rate, 1 / shown.duration.rate])
            at += length
    if not spans:
        raise Refused("the timeline's clips last 0 s")
    if len(media) > 1:
        raise Refused(f"the clips show {len(media)} different files; a warp is for one file")
    return {"spans": spans, "notes": list(dict.fromkeys(notes))}, {}


def _tracks(otio: Any, path: Path) -> tuple[Any, list[Any]]:
    """Return a file's timeline and the tracks that could be read: those of video, where any is."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise Refused("not a text file in UTF-8") from None
    timeline = otio.adapters.read_from_string(text, "otio_json")
    if not isinstance(timeline, otio.schema.Timeline):
        raise Refused("the file holds no timeline")
    tracks = [t for t in timeline.tracks if isinstance(t, otio.schema.Track) and len(t)]
    if not tracks:
        raise Refused("the timeline has no clips")
    return timeline, [t for t in tracks if t.kind == otio.schema.TrackKind.Video] or tracks


def _range(otio: Any, item: Any, at: float) -> Any:
    """Return the range of the media that a clip shows."""
    if not isinstance(item, otio.schema.Clip):
        kind = type(item).__name__.lower()
        raise Refused(f"there is a {kind} at {at:g} s; only clips in a row make a warp")
    try:
        return item.trimmed_range()
    except otio.exceptions.OTIOError:
        raise Refused(f"the clip at {at:g} s has no range") from None


def _seconds(time: Any) -> float:
    value = time.to_seconds() if time.rate > 0 else math.nan
    if not math.isfinite(value):
        raise Refused("a time in the timeline is not a number")
    return float(value)


def _scalar(otio: Any, clip: Any) -> tuple[float, list[str]]:
    rate, notes = 1.0, []
    for effect in clip.effects:
        if isinstance(effect, otio.schema.FreezeFrame):
            rate = 0.0
        elif isinstance(effect, otio.schema.LinearTimeWarp):
            rate *= effect.time_scalar
        elif isinstance(effect, otio.schema.TimeEffect):
            raise Refused(f"the time effect {effect.effect_name!r} is not linear")
        else:
            notes.append("effects that do not change time are left out")
    if not math.isfinite(rate):
        raise Refused("a time effect's scalar is not a number")
    return rate, notes


def main() -> None:
    """Answer until the input ends."""
    import opentimelineio  # noqa: F401 - loaded before memory is bounded

    serve({"read": read})


if __name__ == "__main__":
    main()
