"""``retime samples``."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

from retime.cli.console import progress, report, table
from retime.cli.options import Json, word
from retime.errors import InputError, RetimeError
from retime.parameters import About


def samples(
    names: Annotated[
        Sequence[str],
        word("[[get] NAME...]", "Motions to write, or to download with get. Default: list all."),
    ] = (),
    folder: Annotated[Path, About("Folder to write to.", flag="into", metavar="FOLDER")] = Path(
        "."
    ),
    suffix: Annotated[str, About("Format to write.", flag="format", metavar="bvh|npz")] = "bvh",
    cache: Annotated[
        Path | None,
        About(
            "Folder for downloads. Default: RETIME_CACHE, or the system's cache folder.",
            metavar="FOLDER",
        ),
    ] = None,
    base_url: Annotated[
        str | None,
        About(
            "Address to download from. Default: RETIME_SAMPLES_URL, or the public copy.",
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
    if not names or tuple(names) == ("get",):
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


def _fetch(
    names: Sequence[str], folder: Path, cache: Path | None, base_url: str | None
) -> list[Path]:
    from retime.io.files import read_bytes, write_bytes
    from retime.samples.downloads import fetch

    with progress("fetching") as told:
        kept = [fetch(name, cache=cache, base_url=base_url, progress=told) for name in names]
    data = {folder / file.name: [read_bytes(file)] for file in kept}
    return _put({path: partial(write_bytes, chunks=data[path]) for path in data})


def _write(names: Sequence[str], folder: Path, suffix: str) -> list[Path]:
    from retime.io import write
    from retime.io.warp_json import write_warp
    from retime.samples import sample
    from retime.samples.downloads import DOWNLOADS

    wrong = next((n for n in names if n in DOWNLOADS), None)
    if wrong is not None:
        raise InputError(f"{wrong} must be downloaded: retime samples get {wrong}")
    files: dict[Path, Callable[[Path], None]] = {}
    for made in [sample(n) for n in names]:
        files[folder / f"{made.name}.{suffix}"] = partial(write, made.motion)
        if made.partner is not None:
            files[folder / f"{made.name}-partner.{suffix}"] = partial(write, made.partner)
        if made.prop is not None:
            prop = made.prop.skeleton.names[0].lower()
            files[folder / f"{made.name}-{prop}.{suffix}"] = partial(write, made.prop)
        if made.warp is not None:
            files[folder / f"{made.name}-truth.json"] = partial(write_warp, made.warp)
    return _put(files)


def _put(files: Mapping[Path, Callable[[Path], None]]) -> list[Path]:
    """Write files that are not there yet; each is given with the function that writes it.

    A different file of the same name may be a user's own clip: then none is written.
    """
    from retime.io.files import read_bytes

    present = {path for path in files if path.is_file()}
    with tempfile.TemporaryDirectory() as folder:
        for path in present:
            again = Path(folder, path.name)
            try:
                files[path](again)
            except RetimeError as e:  # the file that a person asked for is the one to name
                raise InputError(str(e).replace(str(again), str(path))) from None
            if read_bytes(path) != again.read_bytes():
                raise InputError(
                    f"{path} exists and is another file; move it, or write to another folder "
                    "(--into FOLDER)"
                )
    for path, write in files.items():
        if path not in present:
            write(path)
    return list(files)
