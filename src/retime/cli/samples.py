"""``retime samples``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from retime.cli.console import report, table
from retime.cli.options import Json
from retime.errors import InputError


def add_to(app: typer.Typer, name: str) -> None:
    """Add the command."""
    app.command(name)(samples)


def samples(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="NAME...", help="Which to write; else a list.")
    ] = None,
    folder: Annotated[Path, typer.Option("--into", help="Folder to write to.")] = Path("."),
    suffix: Annotated[str, typer.Option("--format", help="bvh or npz.")] = "bvh",
    as_json: Json = False,
) -> None:
    """List the bundled motions, or write some to files.

    Examples
    --------
    retime samples

    retime samples jump walk --into .
    """
    from retime.io import write
    from retime.io.warp_json import write_warp
    from retime.samples import SAMPLES, sample

    if not names:
        if as_json:
            report({"samples": {n: text for n, (_, text) in SAMPLES.items()}}, as_json=True)
        else:
            table([(n, text) for n, (_, text) in SAMPLES.items()])
        return
    if not folder.is_dir():
        raise InputError(f"the folder {folder} does not exist; make it first")
    files = []
    for made in [sample(n) for n in names]:
        files.append(folder / f"{made.name}.{suffix}")
        write(made.motion, files[-1])
        if made.partner is not None:
            files.append(folder / f"{made.name}-partner.{suffix}")
            write(made.partner, files[-1])
        if made.warp is not None:
            files.append(folder / f"{made.name}-truth.json")
            write_warp(made.warp, files[-1])
    report({"files": [str(f) for f in files]}, as_json=as_json)
