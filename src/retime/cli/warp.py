"""``retime warp``: make, show, compose, invert, export and import warps, and carry events."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from retime.cli.console import report, table
from retime.cli.options import Json, file_option, must_differ, seconds, with_parameters
from retime.errors import InputError, did_you_mean
from retime.methods.spline import SplineParameters
from retime.notes import Note
from retime.times import Clock

WarpFile = Annotated[Path, typer.Argument(metavar="WARP", help="Warp file.")]
WarpOut = Annotated[Path, typer.Argument(metavar="OUT", help="File to write the warp to.")]
Offset = Annotated[
    str,
    typer.Option(
        "--offset",
        help="Time in the media or the list of the motion's time 0 (s, default 0).",
        metavar="TIME",
    ),
]
Channel = Annotated[
    str | None,
    typer.Option(
        "--channel", metavar="NAME", help="Channel of the warp to use. Default: the whole body."
    ),
]


warp = typer.Typer()


def _summary(warp: Any, path: Path) -> dict[str, Any]:
    import numpy as np

    start, end = warp.domain
    low, high = warp.source_range
    rates = np.abs(
        np.concatenate([warp.rate(g.x, n) for n, g in [(None, warp.body), *warp.channels.items()]])
    )
    return {
        "warp": str(path),
        "output_s": [start, end],
        "source_s": [low, high],
        "knots": len(warp.output),
        "channels": list(warp.channels),
        "slowest": float(rates.min()),
        "fastest": float(rates.max()),
        "loop": warp.loop,
    }


def _must_have(warp: Any, channel: str | None) -> None:
    if channel is not None and channel not in warp.channels:
        known = did_you_mean(channel, warp.channels)
        raise InputError(f"the warp has no channel {channel!r}{known}")


@warp.command()
@with_parameters(SplineParameters)
def make(
    target: WarpOut,
    parameters: dict[str, Any],
    motion: Annotated[Path | None, file_option("--for", "Motion to make the warp for.")] = None,
    length: Annotated[
        str | None,
        typer.Option(
            "--length", help="Length of the source, in place of --for (s).", metavar="TIME"
        ),
    ] = None,
    start: Annotated[
        str,
        typer.Option("--start", help="Start time of the source (s, default 0).", metavar="TIME"),
    ] = "0",
    fps: Annotated[
        float | None,
        typer.Option("--fps", metavar="HZ", help="Frame rate of the result.", min=0.001),
    ] = None,
    backwards: Annotated[
        bool, typer.Option("--backwards", help="Play the clip backwards.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Make a smooth warp through keytimes.

    Example: retime warp make slow.json --for jump.bvh --duration 4 --keytime 1.5=1.2
    """
    from retime.io import read
    from retime.io.warp_json import write_warp
    from retime.parameters import build, resolved

    if (motion is None) == (length is None):
        raise InputError(
            "give the clip that the warp is for (--for FILE), or its length in seconds (--length)"
        )
    if motion is not None:
        must_differ(motion, target)
    if target.suffix.lower() != ".json":
        raise InputError(f"a warp is a .json file, not {target.suffix or 'no suffix'!r}")
    if length is not None:
        first = seconds(start, "start", fps)
        clock = Clock((first, first + seconds(length, "length", fps)), fps)
    else:
        clock = Clock.of(read(motion or ""), fps)
    chosen = resolved(build(SplineParameters, parameters), clock)
    warp = _made(chosen, clock.domain, backwards)
    write_warp(warp, target)
    report(_summary(warp, target), as_json=as_json, notes=warp.notes)


def _made(p: SplineParameters, domain: tuple[float, float], backwards: bool) -> Any:
    from retime.methods.spline import domain_warp
    from retime.timing import TimeWarp

    if not backwards:
        return domain_warp(domain, p)
    if p.range is not None:
        raise InputError("only a whole clip can run backwards, not a range of it")
    # Time is mirrored first: the moment of a keytime is then met as it is given.
    mirror = sum(domain)
    keytimes = tuple((o, mirror - s) for o, s in p.keytimes)
    rates = tuple((mirror - s, rate) for s, rate in p.rates)
    warp = domain_warp(domain, replace(p, keytimes=keytimes, rates=rates))
    return TimeWarp(warp.output, mirror - warp.source, loop=warp.loop)


@warp.command()
def show(
    file: WarpFile,
    rows: Annotated[
        int,
        typer.Option(
            "--rows", metavar="N", help="Number of table rows (default 11).", min=2, max=1000
        ),
    ] = 11,
    channel: Annotated[
        str | None,
        typer.Option("--channel", metavar="NAME", help="Channel to show. Default: the whole body."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Show the time ranges and playback speeds of a warp, and a table of times.

    Example: retime warp show slow.json
    """
    import numpy as np

    from retime.io.warp_json import read_warp

    warp = read_warp(file)
    _must_have(warp, channel)
    report(_summary(warp, file), as_json=as_json, notes=warp.notes)
    if as_json:
        return
    t = np.linspace(*warp.domain, rows)
    columns = t, warp(t, channel), warp.rate(t, channel)
    lines = [tuple(f"{v:.4f}" for v in row) for row in zip(*columns, strict=True)]
    table(lines, header=("output s", "source s", "rate"))


@warp.command()
def compose(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="WARP... OUT", help="Warps, first to last, and the file to write."),
    ],
    as_json: Json = False,
) -> None:
    """Compose warps into one that applies them all, the first one first.

    Example: retime warp compose guided.json trimmed.json both.json
    """
    from retime.io.warp_json import read_warp, write_warp

    if len(files) < 3:
        raise InputError("give two warps or more, and the file to write")
    *sources, target = files
    for file in sources:
        must_differ(file, target)
    total = read_warp(sources[0])
    for file in sources[1:]:
        total = total @ read_warp(file)
    write_warp(total, target)
    report(_summary(total, target), as_json=as_json, notes=total.notes)


@warp.command()
def invert(file: WarpFile, target: WarpOut, as_json: Json = False) -> None:
    """Exchange output and source: the warp that undoes this one.

    Example: retime warp invert slow.json undo.json
    """
    from retime.io.warp_json import read_warp, write_warp

    must_differ(file, target)
    inverse = read_warp(file).inverse
    write_warp(inverse, target)
    report(_summary(inverse, target), as_json=as_json)


@warp.command()
def export(
    file: WarpFile,
    target: Annotated[
        Path,
        typer.Argument(
            metavar="OUT",
            help="File to write: Bezier keys (.json, .csv) or a timeline (.otio).",
        ),
    ],
    tolerance: Annotated[
        float | None,
        typer.Option(
            "--tolerance",
            metavar="S",
            help="Maximum error (s). Default: 0.001 for keys, half a frame for .otio.",
            min=1e-9,
        ),
    ] = None,
    fps: Annotated[
        float | None,
        typer.Option(
            "--fps",
            metavar="HZ",
            help="Frame rate of the .otio timeline; also adds frame numbers to keys.",
            min=0.001,
            max=1e6,
        ),
    ] = None,
    first_frame: Annotated[
        float,
        typer.Option("--first-frame", metavar="N", help="Frame number of keys at 0 s (default 0)."),
    ] = 0.0,
    media: Annotated[
        Path | None,
        file_option("--media", "Video that the .otio clip refers to."),
    ] = None,
    media_duration: Annotated[
        str | None,
        typer.Option(
            "--media-duration",
            metavar="S",
            help="Length of the video, if it cannot be read (s).",
        ),
    ] = None,
    offset: Offset = "0",
    channel: Channel = None,
    as_json: Json = False,
) -> None:
    """Export a warp as Bezier keys for a graph editor, or as cuts for a video editor.

    Examples
    --------
    retime warp export slow.json slow.csv --fps 24

    retime warp export slow.json slow.otio --media take.mp4 --offset 2.4
    """
    from retime.io.warp_json import read_warp

    must_differ(file, target)
    warp = read_warp(file)
    suffix = target.suffix.lower()
    if suffix == ".otio":
        _export_timeline(
            warp, target, tolerance, fps, media, media_duration, offset, channel, as_json
        )
        return
    if suffix not in (".json", ".csv"):
        raise InputError(
            f"export writes .json, .csv or .otio, not {target.suffix or 'no suffix'!r}"
        )
    if media is not None or media_duration is not None or offset != "0":
        raise InputError("--media and --offset go with an .otio file; keys have no media")
    from retime.media.timelines.bezier_keys import write_keys
    from retime.timing.curves import fit_bezier

    _must_have(warp, channel)
    tolerance = 1e-3 if tolerance is None else tolerance
    curve = fit_bezier(warp, tolerance=tolerance, channel=channel)
    write_keys(curve, target, fps=fps, first_frame=first_frame)
    fields = {"output": str(target), "keys": len(curve.keys), "tolerance_s": tolerance, "fps": fps}
    report(fields, as_json=as_json)


def _export_timeline(
    warp: Any,
    target: Path,
    tolerance: float | None,
    fps: float | None,
    media: Path | None,
    media_duration: str | None,
    offset: str,
    channel: str | None,
    as_json: bool,
) -> None:
    from retime.media.timelines.followed import followed_curve
    from retime.media.timelines.otio import Media, write_timeline

    shown = None
    if media is not None:
        must_differ(media, target)
        if media_duration is None or fps is None:
            from retime.media.video.opening import look_at

            length, rate = look_at(media)
            fps = fps or rate
        if media_duration is not None:
            length = seconds(media_duration, "media-duration", fps)
        shown = Media(media, length)
    elif media_duration is not None:
        raise InputError("--media-duration goes with --media")
    if fps is None:
        raise InputError("give the timeline's frame rate (--fps), or its media (--media)")
    curve, notes = followed_curve(warp, channel)
    begins = seconds(offset, "offset", fps)
    made = write_timeline(curve, target, fps=fps, media=shown, offset=begins, tolerance=tolerance)
    fields = {
        "output": str(target),
        "pieces": made.pieces,
        "freezes": made.freezes,
        "fps": fps,
        "largest_error_s": made.error,
        "tolerance_s": 0.5 / fps if tolerance is None else tolerance,
    }
    report(fields, as_json=as_json, notes=[*notes, *made.notes])


@warp.command("import")
def import_(
    file: Annotated[Path, typer.Argument(metavar="IN", help="OpenTimelineIO file (.otio).")],
    target: WarpOut,
    offset: Offset = "0",
    as_json: Json = False,
) -> None:
    """Make a warp from the cuts, speed changes and freezes of an OpenTimelineIO timeline.

    Example: retime warp import cut.otio cut.json
    """
    from retime.io.warp_json import write_warp
    from retime.media.timelines.otio import read_timeline

    must_differ(file, target)
    warp = read_timeline(file, offset=seconds(offset, "offset"))
    write_warp(warp, target)
    report(_summary(warp, target), as_json=as_json, notes=warp.notes)


@warp.command()
def events(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="EVENTS", help="Markers (.csv), labels (.txt) or subtitles (.srt, .vtt)."
        ),
    ],
    target: Annotated[Path, typer.Argument(metavar="OUT", help="File to write the events to.")],
    warp: Annotated[Path, file_option("--warp", "Warp to apply (required).")],
    offset: Offset = "0",
    fps: Annotated[
        float | None,
        typer.Option(
            "--fps",
            metavar="HZ",
            help="Frame rate of the list, if it counts frames.",
            min=0.001,
            max=1e6,
        ),
    ] = None,
    outside: Annotated[
        Literal["drop", "clamp"],
        typer.Option(
            "--outside",
            metavar="drop|clamp",
            help="Events outside the result: remove them, or move them to the nearest time "
            "(default drop).",
        ),
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
    said = list(notes)
    if carrier.dropped:
        told = f"{carrier.dropped} events are not shown, and gone (--outside clamp)"
        said.append(Note(told, code="events-dropped", events=carrier.dropped))
    if carrier.clamped:
        told = f"{carrier.clamped} events are not shown, and moved to the nearest moment"
        said.append(Note(told, code="events-clamped", events=carrier.clamped))
    fields = {
        "output": str(target),
        "events": carrier.kept + carrier.clamped,
        "dropped": carrier.dropped,
    }
    report(fields, as_json=as_json, notes=said)
