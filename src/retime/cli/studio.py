"""``retime studio``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from retime.cli.options import word
from retime.errors import MissingDependencyError
from retime.parameters import About


def studio(
    files: Annotated[
        Sequence[Path],
        word("[FILE|PROJECT]...", "Motions, a sound, or the folder of a project."),
    ] = (),
    project: Annotated[
        Path | None,
        About("Folder of the project. Default: beside the first file.", metavar="FOLDER"),
    ] = None,
    root: Annotated[
        Path | None,
        About(
            "Only folder from which files may be opened. Default: the project's.", metavar="FOLDER"
        ),
    ] = None,
    port: Annotated[
        int, About("Port; 0 is any free one (default 0).", minimum=0, maximum=65535)
    ] = 0,
    host: Annotated[
        str,
        About(
            "Address to listen on. Any other address lets other machines connect.",
            metavar="ADDRESS",
        ),
    ] = "127.0.0.1",
    browser: Annotated[bool, About("Open a browser window.")] = True,
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
    folder, motions = project_folder(list(files), project)
    serve(folder, motions, root=root, host=host, port=port, browser=browser)
