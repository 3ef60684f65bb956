"""``retime video``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from retime.cli.console import progress, report
from retime.cli.options import Fps, Json, file_option, must_differ, must_have_a_folder, seconds


def video(
    source: Annotated[Path, typer.Argument(metavar="IN", help="Video file.")],
    target: Annotated[
        Path, typer.Argument(metavar="OUT", help="File to write: .mp4, .m4v or .mov.")
    ],
    warp: Annotated[Path, file_option("--warp", "Warp to apply (required).")],
    offset: Annotated[
        str,
        typer.Option(
            "--offset",
            help="Video time at time 0 of the motion (s, default 0).",
            metavar="TIME",
        ),
    ] = "0",
    fps: Fps = None,
    frames: Annotated[
        Literal["nearest", "blend"],
        typer.Option(
            "--frames",
            metavar="nearest|blend",
            help="Show the nearest video frame, or blend two of them (default nearest).",
        ),
    ] = "nearest",
    audio: Annotated[
        Literal["keep-pitch", "keep", "drop"],
        typer.Option(
            "--audio",
            metavar="keep-pitch|keep|drop",
            help="Stretch the sound and keep its pitch, keep the sound unchanged, or remove it "
            "(default keep-pitch).",
        ),
    ] = "keep-pitch",
    music: Annotated[
        Path | None,
        file_option("--music", "Song that replaces the sound of the video; it is not retimed."),
    ] = None,
    music_start: Annotated[
        str,
        typer.Option(
            "--music-start",
            help="Time in the song at which the result starts (s, default 0).",
            metavar="TIME",
        ),
    ] = "0",
    channel: Annotated[
        str | None,
        typer.Option("--channel", metavar="NAME", help="Channel of the warp, if it has several."),
    ] = None,
    quality: Annotated[
        int,
        typer.Option(
            "--quality",
            metavar="N",
            help="Quality from 0 (lossless) to 51 (worst), default 18.",
            min=0,
            max=51,
        ),
    ] = 18,
    as_json: Json = False,
) -> None:
    """Retime a video and its sound with a warp.

    Examples
    --------
    retime video take.mp4 out.mp4 --warp w.json --offset 2.4

    retime video take.mp4 out.mp4 --warp w.json --frames blend --audio drop

    retime video take.mp4 out.mp4 --warp w.json --music song.mp3 --music-start 0.38
    """
    from retime.io.warp_json import read_warp
    from retime.media.video import retime_video
    from retime.media.video.opening import look_at

    must_differ(source, target)
    must_differ(warp, target)
    if music is not None:
        must_differ(music, target)
    must_have_a_folder(target)
    curve = read_warp(warp)
    with progress("retiming") as told:
        made = retime_video(
            source,
            target,
            curve,
            offset=seconds(offset, "offset", lambda: look_at(source)[1]),
            fps=fps,
            frames=frames,
            audio=audio,
            music=music,
            music_start=seconds(music_start, "music-start"),
            channel=channel,
            quality=quality,
            progress=told,
        )
    fields = {
        "output": target,
        "frames": made.frames,
        "fps": float(made.rate),
        "duration_s": made.duration,
        "shows_s": [float(made.source[0]), float(made.source[-1])],
        "size": f"{made.size[0]}x{made.size[1]}",
        "sound": _sound(made.sound, audio, music),
    }
    report(fields, as_json=as_json, notes=made.notes)


def _sound(there: bool, audio: str, music: Path | None) -> str:
    if not there:
        return "none"
    if music is not None:
        return music.name
    return "as recorded" if audio == "keep" else "follows the warp"
