"""``retime beats``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from retime.cli.console import report
from retime.cli.options import Json, must_differ, must_have_a_folder, seconds, word
from retime.parameters import About
from retime.times import Length

if TYPE_CHECKING:
    from retime.arrays import FloatArray
    from retime.media.audio.beat_list import BeatList


@dataclass(frozen=True, kw_only=True)
class Counting:
    """Beats from a file, and how they are counted."""

    file: Annotated[
        Path | None,
        About(
            "File of beats: times or labels (.txt), markers (.csv), .json, or MIDI (.mid).",
            flag="beats",
        ),
    ] = None
    double: Annotated[bool, About("Double the number of beats.")] = False
    half: Annotated[bool, About("Keep every second beat only.")] = False
    shift_half: Annotated[bool, About("Shift the beats by half a beat.")] = False


def beats(
    song: Annotated[Path, word("SONG", "Sound file, or video with sound.")],
    target: Annotated[
        Path | None,
        word("[OUT]", "File to write: labels (.txt), markers (.csv) or .json."),
    ] = None,
    *,
    bpm: Annotated[float | None, About("Tempo of the song, if it is known.")] = None,
    offset: Annotated[Length | None, About("Time of the first beat, with --bpm.", unit="s")] = None,
    counting: Counting,
    fps: Annotated[
        float | None,
        About("Frame rate of a table that counts frames.", metavar="HZ", minimum=0.001),
    ] = None,
    as_json: Json = False,
) -> None:
    """Find the beats of a song, and print them or write them to a file.

    The tempo may change. If the tracker counts twice or half as fast as you do, use --half or
    --double; if it counts the off-beat, use --shift-half. A song without a steady beat is an
    error: give --bpm and --offset, or a file of beats.

    Examples
    --------
    retime beats song.mp3

    retime beats song.mp3 beats.txt --half

    retime beats song.mp3 --bpm 120 --offset 0.2
    """
    from retime.media.audio.beat_files import write_beats
    from retime.media.audio.beat_list import find_beats

    if target is not None:
        must_differ(song, target)
        must_have_a_folder(target)
    found = find_beats(
        song,
        **vars(counting),
        bpm=bpm,
        offset=None if offset is None else seconds(offset, "offset"),
        fps=fps,
    )
    if target is not None:
        write_beats(found, target)
    fields = {"song": song, **_about(found), "output": target}
    if as_json:
        fields["onsets_s"] = _milliseconds(found.onsets)
    elif _is_steady(found):
        fields["bpm_range"] = None
    report(fields, as_json=as_json)


def _about(found: BeatList) -> dict[str, Any]:
    return {
        "duration_s": found.duration,
        "bpm": found.bpm,
        "bpm_range": list(found.bpm_range),
        "beats": len(found.beats),
        "beats_s": _milliseconds(found.beats),
        "downbeats_s": _milliseconds(found.downbeats) or "not clear",
        "onsets": len(found.onsets),
        "from": found.origin,
    }


def _is_steady(found: BeatList) -> bool:
    slow, fast = found.bpm_range
    return bool(fast - slow <= 0.03 * found.bpm)


def _milliseconds(times: FloatArray) -> list[float]:
    """Return times in seconds, rounded to milliseconds."""
    return [round(float(t), 3) for t in times]
