"""``retime mcp``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from retime.cli.options import word
from retime.errors import InputError, MissingDependencyError
from retime.parameters import About

# Where a server listens by default.
_HOST, _PORT = "127.0.0.1", 8766


def mcp(
    folder: Annotated[Path, word("[FOLDER]", "Only folder that may be read and written.")] = Path(),
    *,
    http: Annotated[
        str | None,
        About(
            f"Serve over HTTP instead of standard input and output (default {_HOST}:{_PORT}). Port "
            "0 uses a free one; any other host lets other machines connect.",
            metavar="[HOST:PORT]",
        ),
    ] = None,
    key: Annotated[
        Path | None,
        About("Private file with the key for --http; created if it does not exist."),
    ] = None,
) -> None:
    """Let an assistant inspect, retime and check motions, over the Model Context Protocol.

    Examples
    --------
    retime mcp clips

    retime mcp clips --http 127.0.0.1:8766 --key mcp.key
    """
    try:
        from retime.mcp.server import serve_http, serve_streams
    except ModuleNotFoundError:
        raise MissingDependencyError("the server for assistants", "mcp") from None
    from retime.mcp.folder import Folder
    from retime.serving.keys import key_in

    root = Folder(folder).root
    if http is None:
        if key is not None:
            raise InputError("--key needs --http")
        serve_streams(root)
        return
    host, port = _address(http)
    serve_http(root, host, port, key=None if key is None else key_in(key))


def _address(text: str) -> tuple[str, int]:
    host, _, port = (text or f"{_HOST}:{_PORT}").rpartition(":")
    if not port.isdecimal() or int(port) > 65535:
        raise InputError(f"--http {text!r} is not an address; write {_HOST}:{_PORT}")
    return host.strip("[]") or _HOST, int(port)
