"""Run the studio: a socket on loopback, an address with a key, and a clean shutdown."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import sys
import webbrowser
from pathlib import Path
from urllib.parse import quote

from retime.errors import InputError
from retime.serving.addresses import (
    hosts,
    is_every_address,
    is_loopback,
    listen,
    reachable_at,
    shown,
)
from retime.serving.guard import Guard
from retime.serving.http import BoundedServer
from retime.studio.app import STATIC, make_app
from retime.studio.hub import Hub
from retime.studio.session import Session
from retime.studio.workers import Workers
from retime.studio.workspace import Workspace, sha256_of

_OPENING = "open-studio.html"
_PAGE = """<!doctype html>
<meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>retime studio</title>
<meta http-equiv="refresh" content="0;url={address}">
<p><a href="{address}">Open the studio</a></p>
"""


def serve(
    folder: Path,
    motions: list[Path],
    *,
    root: Path | None = None,
    host: str = "127.0.0.1",
    port: int = 0,
    browser: bool = True,
) -> None:
    """Serve a project until it is interrupted.

    The project's ``folder`` is created if it does not exist, and new ``motions`` are added to it.
    Windows may open files below ``root``, by default the parent folder of the project. Port 0 uses
    a free one; with ``browser`` a window is opened.
    """
    if not (STATIC / "index.html").exists():
        raise InputError(
            "this installation has no pages of the studio, because Node.js was missing when it was "
            "built: install Node.js 20.19 or later and install retime again, run `make studio` in "
            "its source folder, or install a released wheel"
        )
    folder = folder.absolute()
    workspace = Workspace(folder, root.absolute() if root is not None else folder.parent)
    listening = listen(host, port)
    try:
        session = Session(workspace)
    except BaseException:
        listening.close()
        raise
    try:
        asyncio.run(_serve(session, motions, listening, host, browser))
    except KeyboardInterrupt:
        pass  # the server has ended tidily
    finally:
        listening.close()
        session.close()


async def _serve(
    session: Session, motions: list[Path], listening: socket.socket, host: str, browser: bool
) -> None:
    workers = Workers()
    await workers.start()
    hub = Hub(session, workers)
    port = listening.getsockname()[1]
    guard = Guard(
        make_app(hub),
        hosts=hosts(host, port),
        port=port,
        name="studio",
        every_address=is_every_address(host),
        one_time=True,
    )
    server = BoundedServer(guard, most_message=8 << 20, most_waiting=128)
    keys = _Keys(guard, f"http://{shown(reachable_at(host))}:{port}/", session.workspace.folder)
    print(f"retime studio: {keys.printed()}", flush=True)
    print(
        f"Project: {session.workspace.folder}   (press Ctrl+C to stop; everything is saved)",
        flush=True,
    )
    if not is_loopback(host):
        print(
            f"Warning: {host} can be reached from other machines. Anyone with the address can read "
            f"and write files under {session.workspace.root}.",
            file=sys.stderr,
            flush=True,
        )
    opening = asyncio.create_task(_open(hub, motions, keys.in_a_file() if browser else None))
    try:
        await server.serve(sockets=[listening])
    finally:
        opening.cancel()
        keys.forget()
        await hub.close()


class _Keys:
    """Addresses of the studio, each with a key that opens it once.

    Other users of the machine can read the command line that a browser is started with. It names
    a private file, and the page in that file leads on to the address.
    """

    def __init__(self, guard: Guard, place: str, folder: Path) -> None:
        self._guard, self._place = guard, place
        self._file = folder / _OPENING
        self._printed, self._filed = guard.token, ""
        guard.used = self._used

    def printed(self) -> str:
        """Return the address for a person to copy."""
        return self._address(self._printed)

    def in_a_file(self) -> str | None:
        """Return the address of a private page that opens the studio; none if it cannot be."""
        self._filed = self._guard.new_key()
        try:
            self._file.unlink(missing_ok=True)
            handle = os.open(self._file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "w", encoding="utf-8") as f:
                f.write(_PAGE.format(address=self._address(self._filed)))
        except OSError:
            return None
        return self._file.as_uri()

    def forget(self) -> None:
        """Remove the page."""
        with contextlib.suppress(OSError):
            self._file.unlink(missing_ok=True)

    def _address(self, key: str) -> str:
        return f"{self._place}?token={quote(key)}"

    def _used(self, key: str) -> None:
        if key == self._filed:
            self.forget()
        elif key == self._printed:
            self._printed = self._guard.new_key()
            print(f"Another browser: {self.printed()}", flush=True)


async def _open(hub: Hub, motions: list[Path], address: str | None) -> None:
    """Take in the motions that were named, and open a window."""
    if address is not None:
        await asyncio.to_thread(webbrowser.open, address)
    project = hub.session.project
    known = {m.sha256 for m in project.motions.values()}
    if project.audio is not None:
        known.add(project.audio.sha256)
    for place in motions:
        if sha256_of(place) in known:
            continue
        why = await hub.open_named(place)
        if why is not None:
            print(f"retime: {place.name} was not loaded. {why}", file=sys.stderr, flush=True)
