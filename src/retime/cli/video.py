"""``retime video``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from retime.cli.console import progress, report
from retime.cli.options import (
    Json,
    OneAnimation,
    must_differ,
    must_have_a_folder,
    must_read_plainly,
    seconds,
    word,
)
from retime.cli.warp_files import Channel
from retime.errors import InputError
from retime.evaluate.reading import Reading
from retime.parameters import About
from retime.parameters_shared import Fps
from retime.times import Length


def video(
    source: Annotated[Path, word("IN", "Video file, or with --lengths a motion.")],
    target: Annotated[Path, word("OUT", "File to write: .mp4, .m4v or .mov.")],
    *,
    warp: Annotated[Path | None, About("Warp to apply to the video.", metavar="FILE")] = None,
    lengths: Annotated[
        Path | None,
        About(
            "Instead: film a motion at the shortest, its own and the longest length of its table, "
            "above uniform speed.",
            metavar="FILE",
        ),
    ] = None,
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
    animation: OneAnimation = None,
    as_json: Json = False,
    reading: Reading,
) -> None:
    """Retime a video and its sound with a warp, or film a table of lengths.

    Examples
    --------
    retime video take.mp4 out.mp4 --warp w.json --offset 2.4

    retime video take.mp4 out.mp4 --warp w.json --frames blend --audio drop

    retime video take.mp4 out.mp4 --warp w.json --music song.mp3 --music-start 0.38

    retime video slash.fbx out.mp4 --lengths slash.lengths.json
    """
    from retime.io.warp_json import read_warp
    from retime.media.video import retime_video
    from retime.media.video.opening import look_at

    must_differ(source, target)
    if lengths is not None:
        sound = {"audio": audio != "keep-pitch", "music": music, "frames": frames != "nearest"}
        idle = {"warp": warp, "offset": offset, "channel": channel, **sound}
        _film(source, target, lengths, fps, [n for n, given in idle.items() if given], reading,
              animation, as_json=as_json)  # fmt: skip
        return
    if warp is None:
        raise InputError("give the warp of the video (--warp), or the motion's table (--lengths)")
    must_read_plainly(reading, "a video is retimed")
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


def _film(
    source: Path,
    target: Path,
    lengths: Path,
    fps: float | None,
    idle: list[str],
    reading: Reading,
    animation: str | None,
    *,
    as_json: bool,
) -> None:
    """Film a motion at the lengths of its table."""
    from retime.io.length_json import read_lengths
    from retime.media.video import film_lengths

    if idle:
        raise InputError(f"--{idle[0]} is of a video; leave it out with --lengths")
    must_have_a_folder(target)
    table = read_lengths(lengths)
    motion = reading.for_file(source).read(source, animation=animation)
    count = film_lengths(motion, table, target, fps=30.0 if fps is None else fps)
    report({"output": target, "frames": count}, as_json=as_json)


def _sound(there: bool, audio: str, music: Path | None) -> str:
    if not there:
        return "none"
    if music is not None:
        return music.name
    return "as recorded" if audio == "keep" else "follows the warp"
