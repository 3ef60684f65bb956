"""The web application of the studio: routes and the socket, which call the hub."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import get_args
from urllib.parse import quote

import msgspec
from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket, WebSocketDisconnect

from retime.errors import InputError, RetimeError
from retime.studio import jobs, messages
from retime.studio.hub import MOST_UPLOAD, Hub
from retime.studio.music import music_route
from retime.studio.project import Version
from retime.studio.window import Window
from retime.studio.wording import studio_error

STATIC = Path(__file__).parent / "static"
_WINDOWS = 32  # more are refused: each is sent every change
_MOST_MESSAGE = 8 << 20  # bytes of one message from a window
_GONE, _FULL, _NONSENSE = 1011, 1013, 1007


def make_app(hub: Hub, *, static: Path = STATIC) -> Starlette:
    """Make the application, wrapped in the guard."""

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        await hub.close()

    async def socket(connection: WebSocket) -> None:
        await connection.accept()
        if len(hub.windows) >= _WINDOWS:
            await connection.close(_FULL, "too many windows are open")
            return
        window = hub.join()
        work = [
            asyncio.create_task(_send(connection, window)),
            asyncio.create_task(_receive(connection, window, hub)),
            asyncio.create_task(window.lost.wait()),
        ]
        try:
            await asyncio.wait(work, return_when=asyncio.FIRST_COMPLETED)
        finally:
            hub.leave(window)
            for task in work:
                task.cancel()
            await asyncio.gather(*work, return_exceptions=True)
        if window.lost.is_set():  # it may never read again: it is not asked
            await asyncio.wait_for(connection.close(_GONE, "the window did not keep up"), 1)

    async def page(_: Request) -> Response:
        return FileResponse(static / "index.html")

    async def upload(request: Request) -> Response:
        name = request.query_params.get("name", "")[:255]
        try:
            version = _version(request)
            if int(request.headers.get("content-length") or 0) > MOST_UPLOAD:
                raise InputError(
                    f"It is larger than {MOST_UPLOAD >> 20} MB, the limit for files in a window. "
                    "Start the studio with the file's path instead."
                )
            workspace = hub.session.workspace
            place = await workspace.receive(name, request.stream(), MOST_UPLOAD)
            await hub.take(name, place, version)
        except RetimeError as e:
            return _problem(f"{name or 'The file'} was not loaded", e)
        except ClientDisconnect:
            return Response(status_code=400)  # given up on the way; what had come is removed
        return JSONResponse({})

    async def export(request: Request) -> Response:
        form = request.query_params.get("format", "")
        try:
            if form not in (*get_args(jobs.EXPORTS), "all"):
                raise InputError(f"There is no export as {form[:20]!r}.")
            place, name = await hub.export(form, _version(request), _rate(request))  # type: ignore[arg-type]
        except RetimeError as e:
            return _problem("It was not exported", e)
        return StreamingResponse(
            _read_and_remove(place),
            media_type="application/octet-stream",
            headers={"content-disposition": f"attachment; filename*=UTF-8''{quote(name)}"},
        )

    async def mesh(request: Request) -> Response:
        try:
            place, made = await hub.mesh(request.path_params["id"])
        except RetimeError as e:
            return _problem("The mesh is not shown", e)
        remove = BackgroundTask(place.unlink, missing_ok=True) if made else None
        return FileResponse(place, media_type="application/octet-stream", background=remove)

    async def audio(_: Request) -> Response:
        try:
            place = await asyncio.to_thread(hub.audio)
        except RetimeError as e:
            return _problem("There is no such file", e)
        return FileResponse(place, media_type="application/octet-stream")

    return Starlette(
        routes=[
            Route("/", page),
            Route("/upload", upload, methods=["POST"]),
            Route("/export", export),
            Route("/motions/{id}/mesh", mesh),
            Route("/audio", audio),
            music_route(hub),
            WebSocketRoute("/ws", socket),
            Mount("/", StaticFiles(directory=static)),
        ],
        lifespan=lifespan,
    )


async def _send(connection: WebSocket, window: Window) -> None:
    try:
        while True:
            data = await window.next()
            if isinstance(data, bytes):
                await connection.send_bytes(data)
            else:
                await connection.send_text(data)
    except (WebSocketDisconnect, RuntimeError):
        pass  # it is gone; whoever reads from it finds out too


async def _receive(connection: WebSocket, window: Window, hub: Hub) -> None:
    decoder = msgspec.json.Decoder(messages.ClientMessage)
    while True:
        received = await connection.receive()
        if received["type"] == "websocket.disconnect":
            return
        text = received.get("text") or ""
        if len(text) > _MOST_MESSAGE:
            await connection.close(_NONSENSE, "too long a message")
            return
        try:
            message = decoder.decode(text)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as e:
            window.post(messages.Problem("The message was not understood", str(e)[:300]))
            continue
        await hub.receive(window, message)


async def _read_and_remove(place: Path) -> AsyncIterator[bytes]:
    """Send a file that was made for this, and remove it whatever comes in between."""
    try:
        with place.open("rb") as f:
            while chunk := await asyncio.to_thread(f.read, 1 << 20):
                yield chunk
    finally:
        place.unlink(missing_ok=True)


def _version(request: Request) -> Version:
    given = request.query_params.get("version", "A")
    if given not in ("A", "B"):
        raise InputError("A version is A or B.")
    return "A" if given == "A" else "B"


def _rate(request: Request) -> float | None:
    given = request.query_params.get("fps", "")
    try:
        return float(given) if given else None
    except ValueError:
        raise InputError(f"A frame rate is a number, not {given[:20]!r}.") from None


def _problem(title: str, error: RetimeError) -> Response:
    """Say what is wrong, in the one shape that windows know."""
    return JSONResponse(
        {"type": "problem", "title": title, "text": studio_error(error)}, status_code=422
    )
