"""``retime plot``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from retime.cli.console import report
from retime.cli.options import (
    Json,
    OneAnimation,
    must_be_a_picture,
    must_read_plainly,
    must_take_a_skeleton,
    word,
)
from retime.errors import InputError
from retime.evaluate.reading import Reading
from retime.parameters import About


def plot(
    files: Annotated[
        Sequence[Path],
        word("FILE... OUT", "Warps, motions or a table of lengths, and the picture file."),
    ],
    *,
    poses: Annotated[int, About("Number of poses of a film strip.", minimum=2, maximum=60)] = 12,
    recipe: Annotated[
        Path | None, About("Recipe with a sync step; draws its accents and beats.")
    ] = None,
    audio: Annotated[Path | None, About("Song whose waveform to draw, with --recipe.")] = None,
    animation: OneAnimation = None,
    as_json: Json = False,
    reading: Reading,
) -> None:
    """Draw warps with their playback speed, motions as film strips, or a table of lengths.

    Examples
    --------
    retime plot slow.json slow.png

    retime plot jump.bvh retimed.bvh strips.png

    retime plot slash.lengths.json slash.png

    retime plot dance.bvh beats.png --recipe sync.json --audio song.mp3
    """
    if len(files) < 2:
        raise InputError("give a warp or a motion, and the picture to write")
    *sources, target = files
    must_be_a_picture(target)
    kinds = {s.suffix.lower() == ".json" for s in sources}
    if recipe is not None or audio is not None:
        _draw_music(sources, target, recipe, audio, reading, animation)
    elif len(kinds) > 1:
        raise InputError("draw warps or motions, not both in one picture")
    elif kinds == {True}:
        _draw_warps(sources, target, reading)
    else:
        _draw_motions(sources, target, reading, animation, poses)
    report({"picture": target}, as_json=as_json)


def _draw_warps(files: list[Path], target: Path, reading: Reading) -> None:
    from retime.io.length_json import is_length_table, read_lengths
    from retime.io.warp_json import read_warp
    from retime.plot.length_tables import draw_lengths
    from retime.plot.warps import draw_warps

    must_read_plainly(reading, "warps are drawn")
    tables = [file for file in files if is_length_table(file)]
    if tables:
        if len(files) > 1:
            raise InputError(f"{tables[0]} is a table of lengths; draw it in a picture of its own")
        draw_lengths(read_lengths(tables[0]), target)
        return
    draw_warps({file.stem: read_warp(file) for file in files}, target)


def _draw_motions(
    files: list[Path], target: Path, reading: Reading, animation: str | None, poses: int
) -> None:
    from retime.plot.strips import draw_strips

    must_take_a_skeleton(reading, files)
    motions = {f.stem: reading.for_file(f).read(f, animation=animation) for f in files}
    draw_strips(motions, target, poses=poses)


def _draw_music(
    sources: list[Path],
    target: Path,
    recipe: Path | None,
    audio: Path | None,
    reading: Reading,
    animation: str | None,
) -> None:
    """Draw the sync step of a recipe over the song."""
    from retime.cli.sync import wave_of
    from retime.evaluate import Evaluator, Job
    from retime.plot.music import draw_sync
    from retime.recipe.json import read_recipe

    if recipe is None or len(sources) != 1:
        raise InputError("beats are drawn from one motion and the --recipe that syncs it")
    made = read_recipe(recipe)
    job = Job(source=sources[0], recipe=made, reading=reading, animation=animation)
    solved = [s for s in Evaluator().evaluate(job).solved if s.step.method == "sync"]
    if not solved:
        raise InputError(f"{recipe} has no step that syncs to music")
    draw_sync(solved[-1].given, solved[-1].step.parameters, target, wave=wave_of(audio))
