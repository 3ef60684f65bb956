"""``retime lengths``."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from retime.cli.command import Of
from retime.cli.console import report
from retime.cli.each import Row, do_each
from retime.cli.options import (
    OUTPUT,
    Json,
    OneAnimation,
    must_be_a_picture,
    must_differ,
    must_have_a_folder,
    word,
)
from retime.cli.streams import from_stream
from retime.errors import InputError
from retime.evaluate.reading import Reading
from retime.length_tables.parameters import LengthsParameters
from retime.parameters import About, build, resolved
from retime.times import Clock

if TYPE_CHECKING:
    from retime.length_tables import LengthReport

Engine = Literal["unity", "unreal", "godot", "three"]
_SUFFIX = ".lengths.json"


def lengths(
    source: Annotated[Path, word("IN", "Motion file, or a folder of them.", parse=from_stream)],
    target: Annotated[
        Path, word("OUT", "Table to write (.json), or a folder for a table of each clip.")
    ],
    *,
    parameters: Annotated[dict[str, Any], Of(LengthsParameters)],
    runtime: Annotated[
        Engine | None, About("Also copy the player of an engine beside the table.")
    ] = None,
    plot: Annotated[Path | None, About("Also draw the table.", panel=OUTPUT)] = None,
    animation: OneAnimation = None,
    as_json: Json = False,
    reading: Reading,
) -> None:
    """Make a table of a clip's timing at any length, for game engines.

    Moments are where they belong at each length: a hit at 35 % of it, or after 0.45 s.

    Examples
    --------
    retime lengths slash.fbx slash.lengths.json --moment hit=0.72s --pin hit=35%

    retime lengths slash.fbx slash.lengths.json --window 0.8:1.1=0.25 --runtime unity

    retime lengths clips tables --from 50% --to 150%
    """
    if source.is_dir():
        if plot is not None or animation is not None:
            raise InputError(f"--{'plot' if plot else 'animation'} is of one clip, not of a folder")
        do_each(_tasks(source, target, parameters, reading), as_json=as_json)
    else:
        _must_be_a_table(source, target)
        if plot is not None:
            must_be_a_picture(plot)
        found = _table(source, target, parameters, reading, animation, judge=True)
        if plot is not None:
            from retime.plot.length_tables import draw_lengths

            draw_lengths(found.table, plot)
        fields = _as_json(found, target) if as_json else _as_text(found, target)
        report(fields, as_json=as_json, notes=found.notes)
    if runtime is not None:
        beside = target if source.is_dir() else target.parent
        shutil.copytree(_runtimes() / runtime, beside / f"retime-{runtime}", dirs_exist_ok=True)


def _must_be_a_table(source: Path, target: Path) -> None:
    if target.suffix.lower() != ".json":
        raise InputError(f"{target}: a table's name ends in .json, such as walk{_SUFFIX}")
    must_differ(source, target)
    must_have_a_folder(target)


def _table(
    source: Path,
    target: Path,
    parameters: Mapping[str, Any],
    reading: Reading,
    animation: str | None = None,
    *,
    judge: bool,
) -> LengthReport:
    """Make and write the table of a clip."""
    from retime.io.length_json import write_lengths
    from retime.length_tables import report as judged

    motion = reading.for_file(source).read(source, animation=animation)
    p = resolved(build(LengthsParameters, parameters), Clock.of(motion))
    found = judged(motion, p, judge=judge)
    write_lengths(found.table, target)
    return found


def _tasks(
    folder: Path, out: Path, parameters: Mapping[str, Any], reading: Reading
) -> dict[str, Callable[[], Row]]:
    """Return what makes the table of each clip of a folder."""
    from retime.batch.plan import clip_suffixes

    if out.exists() and not out.is_dir():
        raise InputError(f"{out} is a file; give a folder")
    build(LengthsParameters, parameters)  # what is wrong for every clip is told once
    suffixes = clip_suffixes()
    clips = sorted(p for p in folder.rglob("*") if p.suffix.lower() in suffixes and p.is_file())
    if not clips:
        raise InputError(f"the folder {folder} has no motion")
    made: dict[Path, Path] = {}

    def make(clip: Path) -> Row:
        target = out / clip.relative_to(folder).with_suffix(_SUFFIX)
        if made.setdefault(target, clip) != clip:
            raise InputError(f"{target} is the table of {made[target]}; rename one of the clips")
        target.parent.mkdir(parents=True, exist_ok=True)
        found = _table(clip, target, parameters, reading, judge=False)
        low, high = found.span
        notes = "; ".join(map(str, found.notes))
        return {"table": target, "shortest s": f"{low:.3f}", "longest s": f"{high:.3f}",
                "bytes": found.size, "notes": notes}  # fmt: skip

    return {clip.relative_to(folder).as_posix(): partial(make, clip) for clip in clips}


def _as_json(found: LengthReport, target: Path) -> dict[str, Any]:
    return {
        "output": target,
        "lengths_s": [found.span[0], found.table.duration, found.span[1]],
        "bytes": found.size,
        "moments": found.moments,
        "gain": found.gain,
        "lost": found.lost,
    }


def _as_text(found: LengthReport, target: Path) -> dict[str, Any]:
    def listed(times: tuple[float, float, float]) -> str:
        return ", ".join(f"{time:.3f}" for time in times) + " s"

    fields = {
        "output": target,
        "shortest, own, longest": listed((found.span[0], found.table.duration, found.span[1])),
        **{f"{name} at these": listed(times) for name, times in found.moments.items()},
        "size": f"{found.size} bytes",
    }
    if found.gain is not None and found.lost is not None:
        fields["gain"] = f"{100 * found.gain:.1f} % over uniform speed"
        fields["gain lost"] = f"{100 * found.lost:.1f} % of it, between the rows"
    return fields


def _runtimes() -> Path:
    """Return the folder of the engines' players: a part of the wheel, or of a clone."""
    package = Path(__file__).parents[1]
    return next(p for p in (package / "runtimes", package.parents[1] / "runtimes") if p.is_dir())
