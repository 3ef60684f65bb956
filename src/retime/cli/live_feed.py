"""The options of ``retime live`` that serve frames to browsers."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any

from retime.errors import InputError, MissingDependencyError
from retime.parameters import About

# Where frames are served if only an address is given.
_FEED_PORT = 8765


@dataclass(frozen=True, kw_only=True)
class Feed:
    """Where and to whom frames are served."""

    feed: Annotated[
        str | None,
        About(
            f"Serve frames over a WebSocket (default port {_FEED_PORT}). Port 0 uses a free one; "
            "host 0.0.0.0 lets other machines connect.",
            metavar="[HOST:]PORT",
        ),
    ] = None
    page: Annotated[
        Path | None,
        About("Serve the web page in this folder with the feed.", metavar="FOLDER", panel="Feed"),
    ] = None
    origin: Annotated[
        Sequence[str],
        About(
            "Let pages of another site read the feed with its key, such as https://show.example.",
            metavar="URL",
            panel="Feed",
        ),
    ] = ()
    key: Annotated[
        Path | None,
        About("Private file with a reusable key for the feed; created if it does not exist."),
    ] = None
    tls: Annotated[
        str | None,
        About(
            "Encrypt the feed (https, wss) with these PEM files.",
            metavar="CERTIFICATE,KEY",
            panel="Feed",
        ),
    ] = None

    def for_plan(self) -> dict[str, Any]:
        """Return the fields of a plan of the server."""
        from retime.serving.keys import key_in

        if self.feed is not None:
            _must_have_server()
        elif alone := next((f.name for f in fields(self) if getattr(self, f.name)), None):
            raise InputError(f"--{alone} needs the feed: give --feed, too")
        return {
            "feed": None if self.feed is None else host_and_port(self.feed),
            "page": self.page,
            "origins": self.origin,
            "key": None if self.key is None else key_in(self.key),
            "tls": None if self.tls is None else _two_files(self.tls),
        }


def _must_have_server() -> None:
    try:
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ModuleNotFoundError:
        raise MissingDependencyError("the feed", "live") from None


def host_and_port(text: str) -> tuple[str, int]:
    """Read where the feed is served; port 0 stands for any."""
    host, _, port = text.rpartition(":")
    if _is_address(text):  # an address alone
        host, port = text, str(_FEED_PORT)
    if not port.isdecimal() or not 0 <= int(port) <= 65535:
        raise InputError(f"--feed {text!r} is not a port; write 8765, 127.0.0.1:8765, or 0 for any")
    return host.strip("[]") or "127.0.0.1", int(port)


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text.strip("[]"))
    except ValueError:
        return text == "localhost"
    return True


def _two_files(text: str) -> tuple[Path, Path]:
    """Read the paths of a certificate and its key."""
    certificate, comma, key = text.partition(",")
    if not comma:
        raise InputError(f"--tls {text!r}: write CERTIFICATE,KEY, two PEM files")
    return Path(certificate), Path(key)
