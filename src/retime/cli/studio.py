"""``retime studio``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from retime.errors import InputError, MissingDependencyError


def studio(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[FILE|PROJECT]...", help="Motions, a sound, or the folder of a project."
        ),
    ] = None,
    project: Annotated[
        Path | None,
        typer.Option(
            "--project",
            metavar="FOLDER",
            help="Folder of the project. Default: beside the first file.",
        ),
    ] = None,
    root: Annotated[
        Path | None,
        typer.Option(
            "--root",
            metavar="FOLDER",
            help="Only folder from which files may be opened. Default: the project's.",
        ),
    ] = None,
    port: Annotated[
        int, typer.Option("--port", metavar="N", help="Port; 0 uses a free one (default 0).")
    ] = 0,
    host: Annotated[
        str,
        typer.Option(
            "--host",
            metavar="ADDRESS",
            help="Address to listen on (default 127.0.0.1). Any other address lets other machines "
            "connect.",
        ),
    ] = "127.0.0.1",
    browser: Annotated[bool, typer.Option(help="Open a browser window.")] = True,
) -> None:
    """Edit timing in the browser.

    Edits are kept in a project folder (NAME.retime) as they are made; opening it again brings back
    all of them, undo included. Example: retime studio jump.bvh
    """
    from retime.studio.workspace import project_folder

    try:
        from retime.studio.server import serve
    except ModuleNotFoundError:
        raise MissingDependencyError("the studio", "studio") from None
    if not 0 <= port <= 65535:
        raise InputError(f"port {port} is not between 0 and 65535")
    folder, motions = project_folder(files or [], project)
    serve(folder, motions, root=root, host=host, port=port, browser=browser)
