"""``retime sync``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from retime.cli.beats import Counting
from retime.cli.command import Of
from retime.cli.options import Input, Output, Retiming, WarpOut, must_be_pictures
from retime.cli.retiming import retime_file
from retime.errors import InputError
from retime.methods.music import SyncParameters
from retime.parameters import About


def sync(
    source: Input,
    target: Output,
    *,
    audio: Annotated[Path | None, About("Song: a sound file, or a video with sound.")] = None,
    counting: Counting,
    plot: Annotated[
        Path | None, About("Draw beats, accents and the warp over the waveform.")
    ] = None,
    warp: WarpOut = None,
    parameters: Annotated[
        dict[str, Any],
        Of(
            SyncParameters,
            leave_out=("beats",),
            advanced=("offset", "phase", "speed", "duration", "keytimes", "min_speed", "max_speed"),
        ),
    ],
    retiming: Retiming,
) -> None:
    """Move the accents of a motion onto the beats of a song, a file of beats, or a tempo.

    Examples
    --------
    retime sync dance.bvh out.bvh --audio song.mp3

    retime sync dance.bvh out.bvh --bpm 120 --strength 0.5

    retime sync dance.bvh out.bvh --audio song.mp3 --accents landings --every 2
    """
    from retime.recipe import Step

    must_be_pictures(source, plot)
    if audio is not None or counting.file is not None:
        parameters |= _beats(parameters, audio, counting, retiming.fps)
    elif counting != Counting():
        flag = next(name for name, value in vars(counting).items() if value).replace("_", "-")
        raise InputError(
            f"--{flag} goes with a song or a file of beats; give one, or another --bpm"
        )
    step = Step("sync", parameters)
    retime_file([step], source, target, retiming, warp_file=warp, beside=[plot])
    if plot is not None:
        from retime.plot.music import draw_sync

        draw_sync(retiming.read(source), step.parameters, plot, wave=wave_of(audio))


def _beats(
    parameters: dict[str, Any],
    audio: Path | None,
    counting: Counting,
    fps: float | None,
) -> dict[str, Any]:
    """Find the beats that the step is given; a tempo is the song's from here on."""
    from retime.media.audio.beat_list import find_beats

    bpm, offset = parameters.pop("bpm", None), parameters.pop("offset", None)
    found = find_beats(audio, bpm=bpm, offset=offset, fps=fps, **vars(counting))
    first = 0
    if len(found.downbeats) and "first_beat" not in parameters:
        first = int(abs(found.beats - found.downbeats[0]).argmin())
    given = {"beats": [round(float(b), 6) for b in found.beats]}
    return given | ({"first_beat": first} if first else {})


def wave_of(audio: Path | None) -> Any:
    """Read the waveform of a song: length in seconds, minimum and maximum per part."""
    if audio is None:
        return None
    from retime.media.audio.song import read_song

    song = read_song(audio)
    return song.duration, song.envelope(4000)
