"""``retime warp export``, ``import`` and ``events``: exchange timing with other programs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from retime.cli.console import report
from retime.cli.options import Json, must_differ, seconds, word
from retime.cli.warp_files import (
    AppliedWarp,
    Channel,
    WarpFile,
    WarpTarget,
    deliver_warp,
    must_have_channel,
)
from retime.errors import InputError
from retime.notes import Note
from retime.parameters import About
from retime.times import Length
from retime.timing import TimeWarp

if TYPE_CHECKING:
    from retime.media.timelines.carrying import Carrier

Offset = Annotated[
    Length, About("Time in the media or the list at time 0 of the motion (s, default 0).")
]


@dataclass(frozen=True, kw_only=True)
class Export:
    """How a warp is written for another program."""

    tolerance: Annotated[
        float | None,
        About(
            "Maximum error. Default: 0.001 for keys, half a frame for .otio.",
            unit="s",
            metavar="S",
            minimum=1e-9,
        ),
    ] = None
    fps: Annotated[
        float | None,
        About(
            "Frame rate of the .otio timeline; also adds frame numbers to keys.",
            metavar="HZ",
            minimum=0.001,
            maximum=1e6,
        ),
    ] = None
    first_frame: Annotated[float, About("Frame number of keys at 0 s (default 0).")] = 0.0
    media: Annotated[Path | None, About("Video that the .otio clip refers to.")] = None
    media_duration: Annotated[
        Length | None, About("Length of the video, if it cannot be read.", unit="s")
    ] = None
    offset: Offset = 0.0
    channel: Channel = None
    as_json: Json = False

    def keys(self, warp: TimeWarp, target: Path) -> None:
        """Write Bezier keys."""
        from retime.media.timelines.bezier_keys import write_keys
        from retime.timing.curves import fit_bezier

        if self.media is not None or self.media_duration is not None or self.offset:
            raise InputError("--media and --offset go with an .otio file; keys have no media")
        must_have_channel(warp, self.channel)
        tolerance = self.tolerance or 1e-3
        curve = fit_bezier(warp, tolerance=tolerance, channel=self.channel)
        write_keys(curve, target, fps=self.fps, first_frame=self.first_frame)
        fields = {"output": target, "keys": len(curve.keys), "tolerance_s": tolerance}
        report({**fields, "fps": self.fps}, as_json=self.as_json)

    def timeline(self, warp: TimeWarp, target: Path) -> None:
        """Write an editing timeline."""
        from retime.media.timelines.followed import followed_curve
        from retime.media.timelines.otio import Media, write_timeline

        shown, fps = None, self.fps
        if self.media is not None:
            must_differ(self.media, target)
            length, fps = _length_and_rate(self.media, self.media_duration, fps)
            shown = Media(self.media, length)
        elif self.media_duration is not None:
            raise InputError("--media-duration goes with --media")
        if fps is None:
            raise InputError("give the timeline's frame rate (--fps), or its media (--media)")
        curve, notes = followed_curve(warp, self.channel)
        begins = seconds(self.offset, "offset", fps)
        made = write_timeline(
            curve, target, fps=fps, media=shown, offset=begins, tolerance=self.tolerance
        )
        fields = {
            "output": target,
            "pieces": made.pieces,
            "freezes": made.freezes,
            "fps": fps,
            "largest_error_s": made.error,
            "tolerance_s": self.tolerance or 0.5 / fps,
        }
        report(fields, as_json=self.as_json, notes=[*notes, *made.notes])


def export(
    file: WarpFile,
    target: Annotated[
        Path, word("OUT", "File to write: Bezier keys (.json, .csv) or a timeline (.otio).")
    ],
    how: Export,
) -> None:
    """Export a warp as Bezier keys for a graph editor, or as cuts for a video editor.

    Examples
    --------
    retime warp export slow.json slow.csv --fps 24

    retime warp export slow.json slow.otio --media take.mp4 --offset 2.4
    """
    from retime.io.warp_json import read_warp

    must_differ(file, target)
    write = {".otio": how.timeline, ".json": how.keys, ".csv": how.keys}.get(target.suffix.lower())
    if write is None:
        raise InputError(
            f"export writes .json, .csv or .otio, not {target.suffix or 'no suffix'!r}"
        )
    write(read_warp(file), target)


def _length_and_rate(media: Path, length: float | None, fps: float | None) -> tuple[float, float]:
    """Return the length and frame rate of a video; it is read only if one is not given."""
    from retime.media.video.opening import look_at

    found, rate = (0.0, fps) if length is not None and fps is not None else look_at(media)
    fps = fps or rate
    return found if length is None else seconds(length, "media-duration", fps), fps


def import_(
    file: Annotated[Path, word("IN", "OpenTimelineIO file (.otio).")],
    target: WarpTarget,
    offset: Offset = 0.0,
    as_json: Json = False,
) -> None:
    """Make a warp from the cuts, speed changes and freezes of an OpenTimelineIO timeline.

    Example: retime warp import cut.otio cut.json
    """
    from retime.media.timelines.otio import read_timeline

    must_differ(file, target)
    warp = read_timeline(file, offset=seconds(offset, "offset"))
    deliver_warp(warp, target, as_json=as_json)


def events(
    source: Annotated[
        Path,
        word("EVENTS", "Markers (.csv), labels (.txt) or subtitles (.srt, .vtt)."),
    ],
    target: Annotated[Path, word("OUT", "File to write the events to.")],
    warp: AppliedWarp,
    offset: Offset = 0.0,
    fps: Annotated[
        float | None,
        About(
            "Frame rate of the list, if it counts frames.",
            metavar="HZ",
            minimum=0.001,
            maximum=1000000.0,
        ),
    ] = None,
    outside: Annotated[
        Literal["drop", "clamp"],
        About("Events outside the result: remove them, or move them to the nearest time."),
    ] = "drop",
    channel: Channel = None,
    as_json: Json = False,
) -> None:
    """Retime a list of events, such as markers, labels or subtitles.

    Examples
    --------
    retime warp events cues.srt out.srt --warp slow.json --offset 2.4

    retime warp events markers.csv out.csv --warp slow.json --fps 30
    """
    from retime.io.warp_json import read_warp
    from retime.media.timelines.carrying import Carrier
    from retime.media.timelines.events import carry_events
    from retime.media.timelines.followed import followed_curve

    must_differ(source, target)
    must_differ(warp, target)
    curve, notes = followed_curve(read_warp(warp), channel)
    begins = seconds(offset, "offset", fps)
    carrier = Carrier(curve, offset=begins, outside=outside, fps=fps)
    carry_events(source, target, carrier)
    fields = {
        "output": target,
        "events": carrier.kept + carrier.clamped,
        "dropped": carrier.dropped,
    }
    report(fields, as_json=as_json, notes=[*notes, *_outside_notes(carrier)])


def _outside_notes(carrier: Carrier) -> list[Note]:
    """Return notes on events that the result does not show."""
    notes = []
    if carrier.dropped:
        told = f"{carrier.dropped} events are not shown, and gone (--outside clamp)"
        notes.append(Note(told, code="events-dropped", events=carrier.dropped))
    if carrier.clamped:
        told = f"{carrier.clamped} events are not shown, and moved to the nearest moment"
        notes.append(Note(told, code="events-clamped", events=carrier.clamped))
    return notes
