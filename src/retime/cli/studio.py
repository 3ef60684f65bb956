"""``retime studio``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from retime.errors import InputError, MissingDependencyError


def studio(
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[FILE|PROJECT]...", help="Motions, or a project's folder."),
    ] = None,
    project: Annotated[
        Path | None, typer.Option("--project", help="Folder of the project; else beside the file.")
    ] = None,
    root: Annotated[
        Path | None,
        typer.Option("--root", help="Files are read under this folder alone; else the project's."),
    ] = None,
    port: Annotated[int, typer.Option("--port", help="Port; 0 takes a free one.")] = 0,
    host: Annotated[
        str,
        typer.Option("--host", help="Address to listen at. Others than loopback let others in."),
    ] = "127.0.0.1",
    browser: Annotated[bool, typer.Option(help="Open a browser window.")] = True,
) -> None:
    """See and shape timing in the browser.

    Edits are kept in a project folder (NAME.retime) as they are made; opening it again brings back
    all of them, undo included. Example: retime studio jump.bvh
    """
    from retime.studio.workspace import project_folder

    try:
        from retime.studio.server import serve
    except ModuleNotFoundError:
        raise MissingDependencyError("the studio", "studio") from None
    if not 0 <= port <= 65535:
        raise InputError(f"port {port} is none; they go from 0 to 65535")
    folder, motions = project_folder(files or [], project)
    serve(folder, motions, root=root, host=host, port=port, browser=browser)
