"""``retime batch``."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any

from retime.batch.options import CLUSTER, BatchOptions
from retime.cli.console import note, report
from retime.cli.options import word
from retime.notes import Note
from retime.parameters import About

# Number of failures to list at the end; the manifest has all.
_LISTED = 5


def batch(
    recipe_file: Annotated[Path, word("RECIPE", "Recipe file.")],
    options: BatchOptions,
    *,
    gate: Annotated[
        Path | None, About("TOML file of thresholds that accept or reject results.")
    ] = None,
    table: Annotated[
        Path | None,
        About(
            "CSV or TOML file of parameters for single clips. A CSV file has a column 'clip' "
            "and columns named as for --vary; a TOML file has a table for each clip."
        ),
    ] = None,
    shard: Annotated[
        str | None,
        About("Process one part of the library, such as 2/8.", metavar="K/N", panel=CLUSTER),
    ] = None,
    jobs: Annotated[
        int | None,
        About("Number of clips to process at a time. Default: one per processor.", minimum=1),
    ] = None,
    backend: Annotated[
        str,
        About(
            "Run in processes or Dask threads of this machine, or on a cluster.",
            metavar="local|dask|dask://HOST:PORT",
            panel=CLUSTER,
        ),
    ] = "local",
    tls_ca: Annotated[
        Path | None, About("Certificate of the cluster's authority (PEM).", panel=CLUSTER)
    ] = None,
    tls_cert: Annotated[
        Path | None, About("Client certificate for the cluster (PEM).", panel=CLUSTER)
    ] = None,
    tls_key: Annotated[
        Path | None, About("Key of the client certificate (PEM).", panel=CLUSTER)
    ] = None,
    as_json: Annotated[bool, About("Print one line of JSON per result.", flag="json")] = False,
) -> None:
    """Apply a recipe to every clip of a library, and sort the results by quality.

    Results are written to OUT/accepted and OUT/rejected; retime report OUT makes a page of them.
    The exit status is 1 if a clip failed.

    Examples
    --------
    retime batch recipe.json library out --gate gate.toml

    retime batch recipe.json library out --vary duration=0.8..1.25 --copies 5 --seed 7

    retime batch recipe.json library out --table clips.csv

    retime batch gentler.json library out --gate gate.toml --only rejected

    retime batch recipe.json library out --backend dask://10.0.0.1:8786
    """
    from retime.batch.backends import Tls, open_backend
    from retime.batch.clip_table import ClipTable, read_clip_table
    from retime.batch.gate import Gate, read_gate
    from retime.batch.plan import Shard
    from retime.batch.run import Batch, run_batch
    from retime.recipe.json import read_recipe

    tls = Tls.of(tls_ca, tls_cert, tls_key)
    recipe = read_recipe(recipe_file)
    reading = options.reading
    if reading.skeleton is not None:  # workers may run in another folder
        reading = replace(reading, skeleton=str(Path(reading.skeleton).absolute()))
    asked = Batch(
        **vars(replace(options, reading=reading)),
        recipe=recipe,
        gate=Gate({}) if gate is None else read_gate(gate),
        table=ClipTable() if table is None else read_clip_table(table, recipe),
        shard=None if shard is None else Shard.parse(shard),
    )
    failures: list[str] = []
    where = open_backend(backend, jobs, tls)
    try:
        with _shown(as_json, failures) as told:
            summary = run_batch(asked, where, told)
    except KeyboardInterrupt:
        note("finished results are kept; continue with --resume")
        raise
    finally:
        where.close()
    _say(summary, failures, as_json)
    if summary.failed:
        raise SystemExit(1)


def _say(summary: Any, failures: list[str], as_json: bool) -> None:
    fields = asdict(summary)
    damaged = fields.pop("damaged")
    notes = [*_failure_notes(failures), *_earlier_notes(summary), *_damage_notes(damaged)]
    if as_json:
        print(json.dumps({"event": "end", **fields, "notes": notes}))
        return
    fields["replaced"] = summary.replaced or None
    fields["strangers"] = summary.strangers or None
    fields["seconds"] = round(summary.seconds, 2)
    fields["per_second"] = _per_second(summary)
    report(fields, as_json=False, notes=notes)


def _per_second(summary: Any) -> float:
    """Return the results made per second."""
    worked = summary.finished - summary.kept
    return worked / summary.seconds if summary.seconds else 0.0


def _failure_notes(failures: list[str]) -> list[Note]:
    notes = [Note(text, code="clip-failed") for text in failures[:_LISTED]]
    if len(failures) > _LISTED:
        more = f"{len(failures) - _LISTED} more failed; retime report OUT lists them"
        notes.append(Note(more, code="clips-failed", clips=len(failures)))
    return notes


def _damage_notes(damaged: list[str]) -> list[Note]:
    notes = [Note(text, code="row-damaged") for text in damaged[:_LISTED]]
    if len(damaged) > _LISTED:
        more = f"{len(damaged) - _LISTED} more rows were damaged; their results are new"
        notes.append(Note(more, code="rows-damaged", rows=len(damaged)))
    return notes


def _earlier_notes(summary: Any) -> list[Note]:
    """Return notes on results of earlier runs."""
    notes = []
    if summary.replaced:
        notes.append(
            Note(
                f"{summary.replaced} results of earlier runs were made again, because their clip, "
                "the recipe, the drawn values or the version of retime changed",
                code="results-replaced",
                results=summary.replaced,
            )
        )
    if summary.strangers:
        notes.append(
            Note(
                f"{summary.strangers} results of earlier runs are not part of this one (their "
                "clips are gone, or other copies are made); files and report keep them",
                code="results-of-other-runs",
                results=summary.strangers,
            )
        )
    return notes


@contextlib.contextmanager
def _shown(as_json: bool, failures: list[str]) -> Iterator[Callable[[Any, Any], None]]:
    """Show results: a line of JSON for each, or a bar on a terminal."""
    with _bar() as advance:

        def told(row: Any, summary: Any) -> None:
            if row.state == "failed":
                failures.append(f"{row.name}: {row.error}")
            if as_json:
                print(json.dumps(_line(row, summary)), flush=True)
            advance(summary)

        yield told


def _line(row: Any, summary: Any) -> dict[str, Any]:
    kept = ("name", "clip", "copy", "state", "verdict", "reasons", "varied", "measures")
    more = ("sha256", "seconds", "failure", "error")
    fields = {name: getattr(row, name) for name in (*kept, *more)}
    return {"event": "result", "done": summary.finished, "total": summary.total, **fields}


@contextlib.contextmanager
def _bar() -> Iterator[Callable[[Any], None]]:
    if not sys.stderr.isatty():
        yield lambda summary: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]:.1f}/s"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[failed]} failed, {task.fields[rejected]} rejected"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None, rate=0.0, failed=0, rejected=0)

        def advance(summary: Any) -> None:
            bar.update(
                task,
                completed=summary.finished,
                total=summary.total,
                rate=_per_second(summary),
                failed=summary.failed,
                rejected=summary.rejected,
            )

        yield advance
