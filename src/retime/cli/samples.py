"""``retime samples``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from retime.cli.console import progress, report, table
from retime.cli.options import Json
from retime.errors import InputError


def samples(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[get] NAME...",
            help="Motions to write, or to download with get. Default: list all.",
            show_default=False,
        ),
    ] = None,
    folder: Annotated[
        Path, typer.Option("--into", metavar="FOLDER", help="Folder to write to (default .).")
    ] = Path("."),
    suffix: Annotated[
        str, typer.Option("--format", metavar="bvh|npz", help="Format to write (default bvh).")
    ] = "bvh",
    cache: Annotated[
        Path | None,
        typer.Option(
            "--cache",
            help="Folder for downloads. Default: RETIME_CACHE, or the system's cache folder.",
            metavar="FOLDER",
        ),
    ] = None,
    base_url: Annotated[
        str | None,
        typer.Option(
            "--base-url",
            help="Address to download from. Default: RETIME_SAMPLES_URL, or the public copy.",
            metavar="URL",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """List the sample motions, write some to files, or download recorded ones.

    Examples
    --------
    retime samples

    retime samples jump walk --into .

    retime samples get cmu:16_06
    """
    if not names or names == ["get"]:
        _list(downloads_only=bool(names), as_json=as_json)
        return
    if not folder.is_dir():
        raise InputError(f"the folder {folder} does not exist; make it first")
    if names[0] == "get":
        files = _fetch(names[1:], folder, cache, base_url)
    else:
        files = _write(names, folder, suffix)
    report({"files": files}, as_json=as_json)


def _list(*, downloads_only: bool, as_json: bool) -> None:
    from retime.samples import SAMPLES
    from retime.samples.downloads import DOWNLOADS

    listed = {} if downloads_only else {n: text for n, (_, text) in SAMPLES.items()}
    fetched = {n: d.summary for n, d in DOWNLOADS.items()}
    if as_json:
        report({"samples": listed, "downloads": fetched}, as_json=True)
    else:
        table([*listed.items(), *((f"get {n}", text) for n, text in fetched.items())])


def _fetch(names: list[str], folder: Path, cache: Path | None, base_url: str | None) -> list[Path]:
    from retime.io.files import read_bytes, write_bytes
    from retime.samples.downloads import fetch

    files = []
    with progress("fetching") as told:
        for name in names:
            kept = fetch(name, cache=cache, base_url=base_url, progress=told)
            files.append(folder / kept.name)
            write_bytes(files[-1], [read_bytes(kept)])
    return files


def _write(names: list[str], folder: Path, suffix: str) -> list[Path]:
    from retime.io import write
    from retime.io.warp_json import write_warp
    from retime.samples import sample
    from retime.samples.downloads import DOWNLOADS

    wrong = next((n for n in names if n in DOWNLOADS), None)
    if wrong is not None:
        raise InputError(f"{wrong} must be downloaded: retime samples get {wrong}")
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
    return files
