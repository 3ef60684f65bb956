"""``retime report``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from retime.arrays import FloatArray
from retime.cli.compared import Compared, Comparing
from retime.cli.console import report as print_report
from retime.cli.options import (
    Json,
    must_read_plainly,
    word,
)
from retime.errors import InputError
from retime.motion import Motion
from retime.parameters import About
from retime.timing import TimeWarp


def report(
    file: Annotated[Path, word("IN", "Motion file, or folder of a batch.")],
    target: Annotated[
        Path | None,
        word("OUT", ".html file to write. Default for a batch: in its folder."),
    ] = None,
    *,
    comparing: Comparing,
    recipe: Annotated[
        Path | None, About("Recipe that was applied to --source. Its warp and reference are drawn.")
    ] = None,
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
        must_read_plainly(comparing.reading, "the report on a batch is about its results")
        _report_batch(file, target, as_json)
        return
    if target is None:
        raise InputError("give the page to write: retime report IN OUT.html")
    if recipe is not None and comparing.source is None:
        raise InputError("a recipe is run on its source: give --source too")
    given = comparing.read(file)
    _report_motion(given, target, file.name, recipe, comparing.min_contact)
    print_report({"page": target}, as_json=as_json, notes=given.motion.notes)


def _report_motion(
    given: Compared, page: Path, title: str, recipe: Path | None, min_contact: float
) -> None:
    from retime.plot.report import write_report

    made, evidence = None, None
    if recipe is not None and given.source is not None:
        made, evidence = _made(given.source, recipe)
    write_report(
        page,
        given.motion,
        title=title,
        source=given.source,
        warp=given.warp or made,
        truth=given.truth,
        evidence=evidence,
        min_contact=min_contact,
    )


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
