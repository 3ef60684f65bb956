"""The feed: a WebSocket for pages and game engines, and the page that shows it if one is given."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket, WebSocketDisconnect

from retime.arrays import FloatArray
from retime.live_server.follower import Cue
from retime.serving.frames import pack_frame
from retime.serving.guard import SESSION

PROTOCOL = 1
# More windows and engines than this are turned away.
_MOST_LISTENERS = 32


class _Listener:
    """One connection: the newest frame waits for it, and no older one."""

    def __init__(self, binary: bool) -> None:
        self.binary = binary
        self.waiting: str | bytes | None = None
        self.some = asyncio.Event()

    def post(self, data: str | bytes) -> None:
        self.waiting = data
        self.some.set()

    async def next(self) -> str | bytes:
        while self.waiting is None:
            self.some.clear()
            await self.some.wait()
        data, self.waiting = self.waiting, None
        return data


def feed_app(feeds: Sequence[Feed], page: Path | None = None) -> Starlette:
    """Return the application that serves feeds, one for each performer, and a folder of pages.

    ``/feed`` and ``/status`` are the first performer's; ``?performer=2`` asks for the second.
    """

    def asked(given: Mapping[str, str]) -> Feed | None:
        number = given.get("performer", "1")
        whole = number.isdecimal() and 1 <= int(number) <= len(feeds)
        return feeds[int(number) - 1] if whole else None

    async def serve(socket: WebSocket) -> None:
        feed = asked(socket.query_params)
        if feed is None:
            await socket.accept()
            await socket.close(code=4404, reason="there is no such performer")
            return
        await feed.serve(socket)

    async def status(request: Request) -> Response:
        feed = asked(request.query_params)
        if feed is None:
            return PlainTextResponse("there is no such performer\n", status_code=404)
        return feed.status()

    routes: list[Any] = [WebSocketRoute("/feed", serve), Route("/status", status)]
    if page is not None:
        routes.append(Mount("/", StaticFiles(directory=page, html=True)))
    else:
        routes.append(Route("/", _no_page))
    return Starlette(routes=routes)


class Feed:
    """Sends every frame of one performer to all clients.

    ``hello`` is what a listener is told first: names of joints and recordings.
    """

    def __init__(self, hello: dict[str, Any]) -> None:
        self._hello = {"type": "hello", "protocol": PROTOCOL, **hello}
        self._listeners: set[_Listener] = set()
        self._last: dict[str, Any] = {}

    @property
    def listeners(self) -> int:
        """Number of connected clients."""
        return len(self._listeners)

    def send(
        self,
        cue: Cue,
        now: float,
        pose_time: float | None,
        performer: FloatArray | None,
        partner: FloatArray | None,
        bones: list[Any],
        touches: FloatArray,
    ) -> None:
        """Send the cue, our time, that of the last pose, both figures, bones and touches."""
        header = {
            "type": "frame",
            "clock": now,
            "reference": cue.part,
            "time": cue.time,
            "rate": cue.rate,
            "heard": cue.heard,
            "pose": pose_time,
            "confidence": cue.confidence,
            "phase": cue.phase,
            "late": cue.late,
            "state": cue.state,
        }
        self._last = header
        if not self._listeners:
            return
        text: str | None = None
        block: bytes | None = None
        for listener in self._listeners:
            if listener.binary:
                block = block or _binary(header, performer, partner, bones, touches)
                listener.post(block)
            else:
                text = text or json.dumps(
                    header
                    | {
                        "performer": _rounded(performer),
                        "partner": _rounded(partner),
                        "bones": _rounded(bones, 6),
                        "touches": _rounded(touches),
                    }
                )
                listener.post(text)

    async def serve(self, socket: WebSocket) -> None:
        """Send frames to one client until it disconnects."""
        await socket.accept()
        if len(self._listeners) >= _MOST_LISTENERS:
            await socket.close(code=4429, reason="too many listeners")
            return
        listener = _Listener(socket.query_params.get("format") == "binary")
        session = socket.scope.get(SESSION)
        hello = self._hello if session is None else self._hello | {"session": session}
        await socket.send_text(json.dumps(hello))
        self._listeners.add(listener)
        leaving = asyncio.create_task(_until_gone(socket))
        try:
            while not leaving.done():
                coming = asyncio.create_task(listener.next())
                await asyncio.wait({coming, leaving}, return_when=asyncio.FIRST_COMPLETED)
                if not coming.done():
                    coming.cancel()
                    return
                data = coming.result()
                await (socket.send_text(data) if isinstance(data, str) else socket.send_bytes(data))
        except (WebSocketDisconnect, RuntimeError):
            pass  # gone in the middle of a frame
        finally:
            self._listeners.discard(listener)
            leaving.cancel()

    def status(self) -> Response:
        """Return the last sent values, without the figures."""
        return JSONResponse({**self._last, "listeners": self.listeners})


async def _until_gone(socket: WebSocket) -> None:
    """Wait for a listener to leave; what it says is not listened to."""
    try:
        while True:
            await socket.receive()
    except (WebSocketDisconnect, RuntimeError):
        return


async def _no_page(request: Request) -> Response:
    return PlainTextResponse(
        "retime live is running. Frames come at /feed (a WebSocket); --page FOLDER serves a page "
        "of yours here, such as examples/live in retime's sources.\n"
    )


def _rounded(values: Any, digits: int = 4) -> Any:
    if values is None:
        return None
    rows = np.asarray(values, float)
    return [
        None if not np.isfinite(row).all() else [round(v, digits) for v in row.tolist()]
        for row in rows
    ]


def _binary(
    header: dict[str, Any],
    performer: FloatArray | None,
    partner: FloatArray | None,
    bones: list[Any],
    touches: FloatArray,
) -> bytes:
    figures = (("performer", performer, 3), ("partner", partner, 3), ("bones", bones or None, 7))
    arrays = {n: np.empty((0, width)) if v is None else v for n, v, width in figures}
    arrays["touches"] = touches

    def text(listed: list[tuple[str, list[int]]]) -> bytes:
        blocks = [{"name": n, "shape": shape} for n, shape in listed]
        return json.dumps(header | {"arrays": blocks}).encode()

    return pack_frame(text, arrays)
