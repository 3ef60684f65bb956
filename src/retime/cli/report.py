"""``retime report``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from retime.arrays import FloatArray
from retime.cli.console import report as print_report
from retime.cli.options import (
    Json,
    OneAnimation,
    Shortest,
    SourceMotion,
    TrueWarp,
    WarpIn,
    must_read_plainly,
    must_take_a_skeleton,
    read_source,
    with_reading,
)
from retime.errors import InputError
from retime.evaluate.reading import Reading
from retime.motion import Motion
from retime.timing import TimeWarp


@with_reading
def report(
    file: Annotated[Path, typer.Argument(metavar="IN", help="Motion file, or folder of a batch.")],
    reading: Reading,
    target: Annotated[
        Path | None,
        typer.Argument(
            metavar="OUT", help=".html file to write. Default for a batch: in its folder."
        ),
    ] = None,
    source: SourceMotion = None,
    warp: WarpIn = None,
    truth: TrueWarp = None,
    recipe: Annotated[
        Path | None,
        typer.Option(
            "--recipe",
            help="Recipe that was applied to --source. Its warp and reference are drawn.",
            metavar="FILE",
        ),
    ] = None,
    min_contact: Shortest = 0.1,
    animation: OneAnimation = None,
    as_json: Json = False,
) -> None:
    """Write one page about a motion: metrics, warp, film strips, contacts, worst frames.

    For the folder of a batch: distributions, the worst results, reasons for rejection, and a table.

    Examples
    --------
    retime report out.bvh out.html --source walk.bvh --warp warp.json

    retime report batch-folder
    """
    if target is not None and target.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"{target}: a report is an HTML page; give a name that ends in .html")
    if file.is_dir():
        must_read_plainly(reading, "the report on a batch is about its results")
        _report_batch(file, target, as_json)
        return
    from retime.io.warp_json import read_warp
    from retime.plot.report import write_report

    if target is None:
        raise InputError("give the page to write: retime report IN OUT.html")
    if recipe is not None and source is None:
        raise InputError("a recipe is run on its source: give --source too")
    must_take_a_skeleton(reading, [file] if source is None else [file, source])
    motion = reading.for_file(file).read(file, animation=animation)
    if not len(motion):
        raise InputError(f"{file} has no frames to report on")
    original = None if source is None else read_source(source, reading, animation)
    used, right = (None if w is None else read_warp(w) for w in (warp, truth))
    evidence = None
    if recipe is not None and original is not None:
        made, evidence = _made(original, recipe)
        used = used or made
    write_report(
        target,
        motion,
        title=file.name,
        source=original,
        warp=used,
        truth=right,
        evidence=evidence,
        min_contact=min_contact,
    )
    print_report({"page": str(target)}, as_json=as_json, notes=motion.notes)


def _made(source: Motion, recipe: Path) -> tuple[TimeWarp, FloatArray | None]:
    """Return a recipe's warp, and how closely it followed a reference."""
    from retime.evaluate import Evaluator, Job
    from retime.evaluate.evaluator import evidence_of
    from retime.recipe.json import read_recipe

    found = Evaluator().evaluate(Job(source=source, recipe=read_recipe(recipe)))
    return found.warp, evidence_of(found)


def _report_batch(folder: Path, page: Path | None, as_json: bool) -> None:
    from retime.batch.manifest import manifest_files
    from retime.batch.report import report_batch

    if not manifest_files(folder):
        raise InputError(f"{folder} is not a batch's folder: it has no manifest")
    fields = report_batch(folder, page)
    notes = fields.pop("notes")
    print_report(fields, as_json=as_json, notes=notes)
