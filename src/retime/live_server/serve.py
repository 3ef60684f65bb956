"""Running a server: sockets opened, the feed served, an end that leaves everything in order."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from retime.errors import InputError, RetimeError
from retime.live_server.avatar import Avatar
from retime.live_server.follower import Follower
from retime.live_server.places import StreamAddress
from retime.live_server.replay import Replay
from retime.live_server.server import LiveServer, Status
from retime.live_server.spool import Spool
from retime.serving.addresses import (
    hosts,
    is_every_address,
    is_loopback,
    listen,
    reachable_at,
    shown,
)

# How often a display is told, seconds.
_TOLD_EVERY = 0.25


@dataclass(frozen=True)
class ServerPlan:
    """What to serve."""

    follower: Follower
    """Who finds the time."""
    heard: StreamAddress | None = None
    """Where the performer's stream comes in."""
    outs: tuple[StreamAddress, ...] = ()
    """Where the partner goes."""
    rate: float = 90.0
    """Frames a second that go out."""
    feed: tuple[str, int] | None = None
    """Host and port of the feed; port 0 takes a free one."""
    page: Path | None = None
    """A folder of pages that the feed serves."""
    replay: Replay | None = None
    """A file that performs, in place of a stream."""
    record: Path | None = None
    """Where what comes is kept."""


@dataclass(frozen=True)
class Opened:
    """Where a server can be reached."""

    heard: str | None
    """Address of the stream."""
    feed: str | None
    """Address of the feed's page, with its key."""
    warnings: tuple[str, ...]
    """What others could do."""
    recovered: Path | None
    """What an earlier run had left unfinished, made whole."""


def serve(
    plan: ServerPlan,
    *,
    opened: Callable[[Opened], None],
    told: Callable[[Status], None],
) -> list[str]:
    """Serve until it is interrupted, or until a replay has ended.

    ``opened`` is called once with where it can be reached, ``told`` several times a second with
    what goes on. Returns what is left to say.
    """
    with contextlib.ExitStack() as kept:
        heard = None
        if plan.heard is not None:
            heard = kept.enter_context(plan.heard.listening())
        outs = [kept.enter_context(place.sending()) for place in plan.outs]
        listening = None
        if plan.feed is not None:
            listening = kept.enter_context(listen(*plan.feed, parameter="feed"))
        spool = None if plan.record is None else Spool(plan.record)
        notes: list[str] = []
        try:
            # Datagrams are watched for, which Windows' usual loop cannot do.
            loop = asyncio.SelectorEventLoop if sys.platform == "win32" else None
            with asyncio.Runner(loop_factory=loop) as runner:
                runner.run(_serve(plan, heard, outs, listening, spool, opened, told, notes))
        except KeyboardInterrupt:
            pass  # asked to end
        finally:
            if spool is not None:
                notes += _recorded(spool)
    return notes


def _recorded(spool: Spool) -> list[str]:
    """End a recording, and say what came of it."""
    try:
        motion = spool.close()
    except (RetimeError, OSError) as e:
        return [f"the recording could not be written ({e}); what came lies in {spool.beside}"]
    if motion is not None:
        return [f"recorded {spool.count} frames to {spool.path}", *motion.notes]
    if spool.count:
        return ["too little came for a recording: it takes two frames"]
    return ["nothing came, so nothing was recorded"]


async def _serve(
    plan: ServerPlan,
    heard: socket.socket | None,
    outs: list[socket.socket],
    listening: socket.socket | None,
    spool: Spool | None,
    opened: Callable[[Opened], None],
    told: Callable[[Status], None],
    notes: list[str],
) -> None:
    feed, run_feed, end_feed, address = None, None, None, None
    if listening is not None and plan.feed is not None:
        feed, run_feed, end_feed, address = _feed(plan, listening, plan.feed[0])
    server = LiveServer(plan.follower, outs=outs, rate=plan.rate, spool=spool, feed=feed)
    loop = asyncio.get_running_loop()
    for ending in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(NotImplementedError, ValueError, RuntimeError):
            loop.add_signal_handler(ending, server.over.set)
    at = None
    if heard is not None and plan.heard is not None:
        at = str(StreamAddress(plan.heard.host, heard.getsockname()[1]))
    opened(Opened(at, address, _warnings(plan), None if spool is None else spool.recovered))
    serving = None if run_feed is None else asyncio.ensure_future(run_feed())
    telling = asyncio.create_task(_tell(server, told))
    try:
        await server.run(heard, plan.replay)
    finally:
        telling.cancel()
        told(server.status)
        if serving is not None and end_feed is not None:
            end_feed()
            await serving
        if server.failed is not None:
            notes.append(server.failed)


def _warnings(plan: ServerPlan) -> tuple[str, ...]:
    """Say what others could do."""
    warnings = []
    if plan.heard is not None and not plan.heard.is_loopback:
        warnings.append(f"{plan.heard.host} can be reached by other machines: anybody may perform")
    if plan.feed is not None and not is_loopback(plan.feed[0]):
        warnings.append(
            f"{plan.feed[0]} can be reached by other machines: anyone with the key can see the feed"
        )
    return tuple(warnings)


async def _tell(server: LiveServer, told: Callable[[Status], None]) -> None:
    while True:
        told(server.status)
        await asyncio.sleep(_TOLD_EVERY)


def _feed(
    plan: ServerPlan, listening: socket.socket, host: str
) -> tuple[Any, Callable[[], Awaitable[None]], Callable[[], None], str]:
    """Make the feed: itself, what serves it, what ends that, and its address."""
    import uvicorn

    from retime.live_server.feed import Feed
    from retime.serving.guard import Guard
    from retime.serving.http import http_config

    class Server(uvicorn.Server):
        def capture_signals(self) -> contextlib.AbstractContextManager[None]:  # type: ignore[override]
            return contextlib.nullcontext()  # the server hears signals, and ends both

    if plan.page is not None and not (plan.page / "index.html").is_file():
        raise InputError(f"{plan.page} holds no index.html to serve")
    parts = plan.follower.parts.values()
    hello = {
        "performer": list(plan.follower.joints),
        "partner": {p.name: list(Avatar(p.shown).roles) for p in parts},
        "references": {p.name: [float(t) for t in p.reference.domain] for p in parts},
        "rate": plan.rate,
    }
    feed = Feed(hello, plan.page)
    port = listening.getsockname()[1]
    guard = Guard(
        feed.app,
        hosts=hosts(host, port),
        port=port,
        name="live",
        every_address=is_every_address(host),
        programs=True,
    )
    server = Server(http_config(guard, most_message=1 << 16, most_connections=64))

    def end() -> None:
        server.should_exit = True

    address = f"http://{shown(reachable_at(host))}:{port}/?token={quote(guard.token)}"
    return feed, lambda: server.serve(sockets=[listening]), end, address


def send_replay(replay: Replay, outs: tuple[StreamAddress, ...]) -> int:
    """Play a file over the network at its own times, and return how many frames went out."""

    async def send() -> int:
        loop = asyncio.get_running_loop()
        start, count = loop.time(), 0
        for live, data in replay.frames():
            await asyncio.sleep(max(start + live - loop.time(), 0.0))
            for out in sockets:
                with contextlib.suppress(OSError):  # nobody there yet
                    out.send(data)
            count += 1
        return count

    with contextlib.ExitStack() as kept:
        sockets = [kept.enter_context(place.sending()) for place in outs]
        return asyncio.run(send())
