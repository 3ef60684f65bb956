"""OpenTimelineIO: convert a warp to pieces of a clip with time effects, and back."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from retime.errors import FormatError, InputError, MissingDependencyError
from retime.io.files import read_bytes, write_bytes
from retime.media.timelines.pieces import linear_pieces
from retime.notes import Note
from retime.process.library import IsolatedLibrary
from retime.temporary import temporary_folder
from retime.timing import TimeWarp
from retime.timing.graph import Graph

# Damaged files crash the library, so it runs in a separate process.
LIBRARY = IsolatedLibrary(
    Path(__file__).with_name("otio_child.py"),
    module="opentimelineio",
    extra="otio",
    kind="timeline",
    feature="OpenTimelineIO",
)
# Rates below are freezes.
_STILL = 1e-9
# Ends of pieces that meet are written in floats.
_SAME_TIME = 1e-6


@dataclass(frozen=True)
class Media:
    """The media file of a timeline's clip: path, and duration in seconds."""

    path: Path
    duration: float


@dataclass(frozen=True)
class Written:
    """A written timeline: number of pieces and freezes, and the largest error in seconds."""

    pieces: int
    freezes: int
    error: float
    notes: tuple[Note, ...]


def _library() -> ModuleType:
    try:
        import opentimelineio
    except ImportError:
        raise MissingDependencyError("OpenTimelineIO", "otio") from None
    module: ModuleType = opentimelineio
    return module


def write_timeline(
    curve: Graph,
    path: str | Path,
    *,
    fps: float,
    media: Media | None = None,
    offset: float = 0.0,
    tolerance: float | None = None,
) -> Written:
    """Write a curve as an .otio timeline: one clip in pieces, each with a linear time warp.

    A piece's source range starts at the moment of the media that its first frame shows, and lasts
    as long as the piece lasts in the timeline; its media runs on at ``time_scalar`` from there,
    below 0 backwards. A hold is a freeze frame.

    Parameters
    ----------
    curve : Graph
        Output to source seconds.
    path : str or Path
        The .otio file.
    fps : float
        Frame rate of the timeline.
    media : Media, optional
        Media of the clip. Default: a missing reference.
    offset : float
        Where the motion's time 0 is in the media, in seconds.
    tolerance : float, optional
        Largest difference in source seconds; half a frame if not given.
    """
    otio = _library()
    if curve.x[-1] <= curve.x[0]:
        raise InputError("the warp lasts 0 s: there is nothing to put into a timeline")
    tolerance = 0.5 / fps if tolerance is None else tolerance
    pieces, error = linear_pieces(curve, fps, tolerance)

    def time(seconds: float) -> Any:
        return otio.opentime.RationalTime(seconds * fps, fps)

    name = media.path.name if media is not None else "source"
    timeline = otio.schema.Timeline(name=f"{Path(path).stem}")
    timeline.metadata["retime"] = {"tolerance_s": tolerance, "largest_error_s": error}
    if curve.x[0] != 0:
        timeline.global_start_time = time(float(curve.x[0]))
    track = otio.schema.Track(name="Video 1", kind=otio.schema.TrackKind.Video)
    for piece in pieces:
        clip = otio.schema.Clip(name=name)
        if media is not None:
            clip.media_reference = otio.schema.ExternalReference(
                target_url=media.path.resolve().as_uri(),
                available_range=otio.opentime.TimeRange(time(0.0), time(media.duration)),
            )
        clip.source_range = otio.opentime.TimeRange(
            time(piece.source + offset), otio.opentime.RationalTime(piece.frames, fps)
        )
        if abs(piece.rate) < _STILL:
            clip.effects.append(otio.schema.FreezeFrame())
        elif abs(piece.rate - 1) > _STILL:
            clip.effects.append(otio.schema.LinearTimeWarp(time_scalar=piece.rate))
        track.append(clip)
    timeline.tracks.append(track)
    text = otio.adapters.write_to_string(timeline, "otio_json")
    write_bytes(path, [text.encode()])
    freezes = sum(abs(piece.rate) < _STILL for piece in pieces)
    return Written(len(pieces), freezes, error, _notes(curve, media, offset, fps))


def _notes(curve: Graph, media: Media | None, offset: float, fps: float) -> tuple[Note, ...]:
    notes = []
    low, high = curve.y.min() + offset, curve.y.max() + offset
    if media is not None and (low < -0.5 / fps or high > media.duration + 0.5 / fps):
        notes.append(
            Note(
                f"the warp shows {low:.3f} to {high:.3f} s of the media, which lasts "
                f"{media.duration:.3f} s",
                code="beyond-the-media",
                shown=[float(low), float(high)],
                duration=media.duration,
            )
        )
    if curve.direction < 0:
        notes.append(
            Note(
                "programs differ in where a reversed clip begins: check its first frame",
                code="clip-backwards",
            )
        )
    return tuple(notes)


def read_timeline(path: str | Path, *, offset: float = 0.0) -> TimeWarp:
    """Read the clips of an .otio timeline's first video track as one warp.

    ``offset`` is where the motion's time 0 is in the media, in seconds.
    """
    size = len(read_bytes(path))
    with temporary_folder() as folder:
        request = {"do": "read", "path": str(Path(path).resolve())}
        found, _ = LIBRARY.ask(request, folder=folder, size=size, path=path)
    spans = [_Span(*numbers) for numbers in found["spans"]]
    try:
        xs, ys = _knots([replace(span, source=span.source - offset) for span in spans])
        return TimeWarp(
            xs, ys, notes=[Note(text, code="timeline-left-out") for text in found["notes"]]
        )
    except InputError as e:
        raise FormatError(str(e), path=path) from None


@dataclass(frozen=True)
class _Span:
    """A clip: start, duration, first source time, speed and frame duration."""

    start: float
    length: float
    source: float
    rate: float
    frame: float

    def at(self, time: float) -> float:
        return self.source + self.rate * (time - self.start)


def _knots(spans: list[_Span]) -> tuple[list[float], list[float]]:
    """Put knots at the first and last frame of each clip; every frame shows the same source frame.

    Where the next clip does not continue from there, the cut is between the two frames.
    """
    xs: list[float] = []
    ys: list[float] = []
    for k, span in enumerate(spans):
        last = span.start + max(span.length - span.frame, 0.0)
        for time in dict.fromkeys((span.start, last)):
            xs.append(time)
            ys.append(span.at(time))
        if k + 1 == len(spans):
            break
        after = spans[k + 1]
        if abs(after.source - span.at(after.start)) > 2 * span.frame:
            cut = (last + after.start) / 2
            xs += [cut, cut]
            ys += [span.at(cut), after.at(cut)]
    # Where pieces meet, rounding must not reverse time.
    y = np.array(ys)
    close = np.abs(np.diff(y)) < _SAME_TIME
    for same in np.flatnonzero(close):
        y[same + 1] = y[same]
    return xs, y.tolist()
