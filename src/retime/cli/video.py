"""``retime video``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from retime.cli.console import progress, report
from retime.cli.options import Json, must_differ, must_have_a_folder, seconds, word
from retime.cli.warp_files import AppliedWarp, Channel
from retime.parameters import About
from retime.parameters_shared import Fps
from retime.times import Length


def video(
    source: Annotated[Path, word("IN", "Video file.")],
    target: Annotated[Path, word("OUT", "File to write: .mp4, .m4v or .mov.")],
    warp: AppliedWarp,
    offset: Annotated[Length, About("Video time at time 0 of the motion (s, default 0).")] = 0.0,
    fps: Fps = None,
    frames: Annotated[
        Literal["nearest", "blend"], About("Show the nearest video frame, or blend two of them.")
    ] = "nearest",
    audio: Annotated[
        Literal["keep-pitch", "keep", "drop"],
        About("Stretch the sound and keep its pitch, keep the sound unchanged, or remove it."),
    ] = "keep-pitch",
    music: Annotated[
        Path | None, About("Song that replaces the sound of the video; it is not retimed.")
    ] = None,
    music_start: Annotated[
        Length, About("Time in the song at which the result starts (s, default 0).")
    ] = 0.0,
    channel: Channel = None,
    quality: Annotated[
        int, About("Quality: 0 is lossless, 51 is the worst.", minimum=0, maximum=51)
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
