"""``retime video``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from retime.cli.console import progress, report
from retime.cli.options import Fps, Json, file_option, must_differ, must_have_a_folder, seconds


def video(
    source: Annotated[Path, typer.Argument(metavar="IN", help="The video file.")],
    target: Annotated[
        Path, typer.Argument(metavar="OUT", help="Where to write it: .mp4, .m4v or .mov.")
    ],
    warp: Annotated[Path, file_option("--warp", "The warp to retime it by.")],
    offset: Annotated[
        str,
        typer.Option(
            "--offset", help="Where the motion's time 0 lies in the video (s).", metavar="TIME"
        ),
    ] = "0",
    fps: Fps = None,
    frames: Annotated[
        Literal["nearest", "blend"],
        typer.Option("--frames", help="Show the nearest picture, or mix the two around a moment."),
    ] = "nearest",
    audio: Annotated[
        Literal["keep-pitch", "keep", "drop"],
        typer.Option(
            "--audio",
            help="Let the sound follow at its own pitch, keep it as it was recorded, or leave it "
            "out.",
        ),
    ] = "keep-pitch",
    music: Annotated[
        Path | None,
        file_option("--music", "A song in place of the video's sound; the warp leaves it alone."),
    ] = None,
    music_start: Annotated[
        str,
        typer.Option(
            "--music-start",
            help="Time of the music at which the result starts (s).",
            metavar="TIME",
        ),
    ] = "0",
    channel: Annotated[
        str | None,
        typer.Option("--channel", help="Which of the warp's curves to follow, if it has several."),
    ] = None,
    quality: Annotated[
        int, typer.Option("--quality", help="0 is lossless, 51 is worst.", min=0, max=51)
    ] = 18,
    as_json: Json = False,
) -> None:
    """Retime a video by a warp, frame by frame, with its sound.

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
        "output": str(target),
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
