"""Run a server: open sockets, serve the feed, and shut down cleanly."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

from retime.errors import InputError, RetimeError
from retime.live_server.avatar import Avatar
from retime.live_server.cues import CuePoint, CueSender
from retime.live_server.follower import Follower
from retime.live_server.piped import PipedReplay
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
class Station:
    """One performer: the input address, the follower, and the output addresses."""

    follower: Follower
    """Who finds the time."""
    heard: StreamAddress | None = None
    """Where the performer's stream comes in."""
    outs: tuple[StreamAddress, ...] = ()
    """Where the partner goes."""
    replay: Replay | PipedReplay | None = None
    """A file that performs, in place of a stream."""
    record: Path | None = None
    """Where what comes is kept."""
    sender: tuple[str, int | None] | None = None
    """The only host, and port, that may perform. Default: the first that sends."""


@dataclass(frozen=True)
class ServerPlan:
    """What to serve."""

    stations: tuple[Station, ...]
    """Performers; of several, each is followed on their own."""
    rate: float = 90.0
    """Frames per second that go out."""
    feed: tuple[str, int] | None = None
    """Host and port of the feed; port 0 takes a free one."""
    page: Path | None = None
    """A folder of pages that the feed serves."""
    origins: tuple[str, ...] = ()
    """Other sites whose pages may listen to the feed, with the key."""
    key: str | None = None
    """A key of the feed that may be used again and again."""
    tls: tuple[Path, Path] | None = None
    """Certificate and key of the feed."""
    cues: tuple[CuePoint, ...] = ()
    """What goes out when the recording passes chosen moments."""


@dataclass(frozen=True)
class Opened:
    """Where a server can be reached."""

    heard: tuple[str, ...]
    """Addresses of the streams."""
    feed: str | None
    """Address of the feed's page, with a key that is good for one listener."""
    warnings: tuple[str, ...]
    """What others could do."""
    recovered: tuple[Path, ...]
    """What earlier runs had left unfinished, made whole."""


@dataclass(frozen=True)
class Ended:
    """How serving ended."""

    notes: tuple[str, ...]
    """What is left to say."""
    failed: bool
    """Whether a recording could not be kept."""


def serve(
    plan: ServerPlan,
    *,
    opened: Callable[[Opened], None],
    told: Callable[[Status], None],
    again: Callable[[str], None] = lambda address: None,
) -> Ended:
    """Serve until it is interrupted, or until a replay has ended.

    ``opened`` is called once with where it can be reached, ``told`` several times per second with
    what goes on, ``again`` with the address of the feed for another client when its key was used.
    """
    notes: list[str] = []
    failed = False
    with contextlib.ExitStack() as kept:
        places: list[_Place] = []
        for station in plan.stations:
            heard = None
            if station.heard is not None:
                heard = kept.enter_context(station.heard.listening())
            outs = [kept.enter_context(place.sending()) for place in station.outs]
            places.append(_Place(station, heard, outs))
        listening = None
        if plan.feed is not None:
            listening = kept.enter_context(listen(*plan.feed, parameter="feed"))
        try:
            for place in places:
                if place.station.record is not None:
                    place.spool = Spool(place.station.record)
            # Datagrams are watched for, which Windows' usual loop cannot do.
            loop = asyncio.SelectorEventLoop if sys.platform == "win32" else None
            with asyncio.Runner(loop_factory=loop) as runner:
                runner.run(_serve(plan, places, listening, opened, told, again, kept))
        except KeyboardInterrupt:
            pass  # asked to end
        finally:
            for place in places:
                if place.server is not None and place.server.failed is not None:
                    notes.append(place.server.failed)
                    failed = True
                    if place.spool is not None:
                        place.spool.leave()
                elif place.spool is not None:
                    said, lost = _recorded(place.spool)
                    notes += said
                    failed = failed or lost
    return Ended(tuple(notes), failed)


@dataclass
class _Place:
    """Open sockets and files of one performer."""

    station: Station
    heard: socket.socket | None
    outs: list[socket.socket]
    spool: Spool | None = None
    server: LiveServer | None = None


def _recorded(spool: Spool) -> tuple[list[str], bool]:
    """End a recording; return what came of it, and whether it could not be written."""
    try:
        motion = spool.close()
    except (RetimeError, OSError) as e:
        return [
            f"the recording could not be written ({e}). What came is in {spool.beside}; make room "
            f"and start retime live with --record {spool.path} again, which recovers it first"
        ], True
    if motion is not None:
        return [f"recorded {spool.count} frames to {spool.path}", *map(str, motion.notes)], False
    if spool.count:
        return ["too little came for a recording: it takes two frames"], False
    return ["nothing came, so nothing was recorded"], False


async def _serve(
    plan: ServerPlan,
    places: list[_Place],
    listening: socket.socket | None,
    opened: Callable[[Opened], None],
    told: Callable[[Status], None],
    again: Callable[[str], None],
    kept: contextlib.ExitStack,
) -> None:
    feeds: list[Any] = [None] * len(places)
    run_feed, end_feed, address = None, None, None
    if listening is not None and plan.feed is not None:
        feeds, run_feed, end_feed, address = _feed(plan, listening, plan.feed[0], again)
    over = asyncio.Event()
    for place, feed in zip(places, feeds, strict=True):
        cues = CueSender(plan.cues) if plan.cues else None
        if cues is not None:
            kept.callback(cues.close)
        place.server = LiveServer(
            place.station.follower,
            outs=place.outs,
            rate=plan.rate,
            spool=place.spool,
            feed=feed,
            cues=cues,
            over=over,
            sender=place.station.sender,
        )
    servers = [place.server for place in places if place.server is not None]
    loop = asyncio.get_running_loop()
    for ending in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(NotImplementedError, ValueError, RuntimeError):
            loop.add_signal_handler(ending, over.set)
    at = tuple(
        str(StreamAddress(p.station.heard.host, p.heard.getsockname()[1]))
        for p in places
        if p.heard is not None and p.station.heard is not None
    )
    recovered = (p.spool.recovered for p in places if p.spool is not None)
    opened(Opened(at, address, _warnings(plan), tuple(r for r in recovered if r is not None)))
    serving = None if run_feed is None else asyncio.ensure_future(run_feed())
    telling = asyncio.create_task(_tell(servers, told))
    try:
        await asyncio.gather(
            *(
                server.run(place.heard, place.station.replay)
                for place, server in zip(places, servers, strict=True)
            )
        )
    finally:
        telling.cancel()
        for number, server in enumerate(servers, 1):
            told(replace(server.status, performer=number))
        if serving is not None and end_feed is not None:
            end_feed()
            await serving


def _warnings(plan: ServerPlan) -> tuple[str, ...]:
    """Return warnings about access by other machines."""
    warnings = []
    for heard in (s.heard for s in plan.stations):
        if heard is not None and not heard.is_loopback:
            warnings.append(f"{heard.host} can be reached by other machines: anybody may perform")
    if plan.feed is not None and not is_loopback(plan.feed[0]):
        warnings.append(
            f"{plan.feed[0]} can be reached by other machines: anyone with the key can see the feed"
        )
    return tuple(warnings)


async def _tell(servers: list[LiveServer], told: Callable[[Status], None]) -> None:
    while True:
        for number, server in enumerate(servers, 1):
            told(replace(server.status, performer=number))
        await asyncio.sleep(_TOLD_EVERY)


def _feed(
    plan: ServerPlan, listening: socket.socket, host: str, again: Callable[[str], None]
) -> tuple[list[Any], Callable[[], Awaitable[None]], Callable[[], None], str]:
    """Make the feeds: themselves, what serves it, what ends that, and its address."""
    from retime.live_server.feed import Feed, feed_app
    from retime.serving.guard import Guard
    from retime.serving.http import BoundedServer

    class Server(BoundedServer):
        def capture_signals(self) -> contextlib.AbstractContextManager[None]:  # type: ignore[override]
            return contextlib.nullcontext()  # the server hears signals, and ends both

    if plan.page is not None and not (plan.page / "index.html").is_file():
        raise InputError(f"{plan.page} contains no index.html to serve")
    feeds = [Feed(_hello(s.follower, plan.rate, len(plan.stations))) for s in plan.stations]
    port = listening.getsockname()[1]
    guard = Guard(
        feed_app(feeds, plan.page),
        hosts=hosts(host, port),
        port=port,
        name="live",
        every_address=is_every_address(host),
        one_time=True,
        programs=True,
        lasting=plan.key,
        origins=plan.origins,
    )
    server = Server(guard, most_message=1 << 16, most_waiting=64)
    if plan.tls is not None:
        _must_be_certificate(*plan.tls)
        server.config.ssl_certfile, server.config.ssl_keyfile = map(str, plan.tls)

    def end() -> None:
        server.should_exit = True

    scheme = "http" if plan.tls is None else "https"

    def address(key: str) -> str:
        return f"{scheme}://{shown(reachable_at(host))}:{port}/?token={quote(key)}"

    guard.used = lambda key: again(address(guard.new_key()))
    return feeds, lambda: server.serve(sockets=[listening]), end, address(guard.token)


def _hello(follower: Follower, rate: float, performers: int) -> dict[str, Any]:
    """Return the first message for a client."""
    parts = follower.parts.values()
    return {
        "performer": list(follower.joints),
        "partner": {p.name: list(Avatar(p.shown).roles) for p in parts},
        "parents": {p.name: list(Avatar(p.shown).parents) for p in parts},
        "legs": {p.name: Avatar(p.shown).leg_length for p in parts},
        "touches": {p.name: [pair.partner for pair in p.touches] for p in parts},
        "references": {p.name: [float(t) for t in p.reference.domain] for p in parts},
        "rate": rate,
        "performers": performers,
    }


def _must_be_certificate(certificate: Path, key: Path) -> None:
    """Refuse, before anything is served, files that are not a certificate and key."""
    import ssl

    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key)
    except (OSError, ssl.SSLError) as e:
        raise InputError(
            f"--tls {certificate},{key}: cannot load the certificate and its key ({e}). Give two "
            "PEM files."
        ) from None


def send_replay(replay: Replay, outs: tuple[StreamAddress, ...]) -> int:
    """Send a file over the network at its own times, and return the number of frames."""

    async def send() -> int:
        loop = asyncio.get_running_loop()
        start, count = loop.time(), 0
        for live, data in replay.frames():
            await asyncio.sleep(max(start + live - loop.time(), 0.0))
            for out in sockets:
                with contextlib.suppress(OSError):  # no receiver yet
                    out.send(data)
            count += 1
        return count

    with contextlib.ExitStack() as kept:
        sockets = [kept.enter_context(place.sending()) for place in outs]
        return asyncio.run(send())
