"""Running the studio: a socket on loopback, an address with a key, and a clean end."""

from __future__ import annotations

import asyncio
import socket
import sys
import webbrowser
from pathlib import Path
from urllib.parse import quote

import uvicorn

from retime.errors import InputError, RetimeError
from retime.serving.addresses import (
    hosts,
    is_every_address,
    is_loopback,
    listen,
    reachable_at,
    shown,
)
from retime.serving.guard import Guard
from retime.serving.http import http_config
from retime.studio.app import STATIC, make_app
from retime.studio.hub import Hub
from retime.studio.session import Session
from retime.studio.workers import Workers
from retime.studio.workspace import Workspace, sha256_of


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

    The project's ``folder`` is made where there is none, and ``motions`` are taken in where they
    are not in it yet. Windows may look into ``root``, else into the folder around the project. Port
    0 takes a free one; with ``browser`` a window is opened.
    """
    if not (STATIC / "index.html").exists():
        raise InputError(
            "the studio's pages are not built: run `make studio` in retime's source folder (it "
            "needs Node.js 20.19 or later), or install a released wheel, which holds them"
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
    )
    server = uvicorn.Server(http_config(guard, most_message=8 << 20, most_connections=128))
    address = f"http://{shown(reachable_at(host))}:{port}/?token={quote(guard.token)}"
    print(f"retime studio: {address}", flush=True)
    print(f"Project: {session.workspace.folder}   (Ctrl+C ends it; everything is kept)", flush=True)
    if not is_loopback(host):
        print(
            f"Warning: {host} can be reached from other machines. Whoever has the address can read "
            f"and write files under {session.workspace.root}.",
            file=sys.stderr,
            flush=True,
        )
    opening = asyncio.create_task(_open(hub, motions, address if browser else None))
    try:
        await server.serve(sockets=[listening])
    finally:
        opening.cancel()
        await hub.close()


async def _open(hub: Hub, motions: list[Path], address: str | None) -> None:
    """Take in the motions that were named, and open a window."""
    if address is not None:
        await asyncio.to_thread(webbrowser.open, address)
    known = {m.sha256 for m in hub.session.project.motions.values()}
    for place in motions:
        if sha256_of(place) in known:
            continue
        try:
            hub.session.start_with(await hub.intake.named(place))
            hub.changed()
        except RetimeError as e:
            hub.session.notices.append(f"{place.name} was not loaded. {e}")
            print(f"retime: {e}", file=sys.stderr, flush=True)
            hub.changed()
