"""Strangers at the feed: the owner's listener keeps its frames, and a key is good for one."""

from __future__ import annotations

import contextlib
import http.client
import itertools
import os
import socket
import stat
import struct
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("uvicorn", reason="the feed needs retime[live]")

from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

import retime
from live_server_running import Running
from retime import InputError, samples
from retime.serving.keys import key_in

MASK = b"\0\0\0\0"
OPEN = (
    "GET /feed?format=binary&token={key} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
    "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("feed")
    retime.write(samples.walk(), folder / "walk.npz")
    walk, key = folder / "walk.npz", folder / "feed.key"
    with Running(walk, "--replay", walk, "--speed", "0.01", "--feed", "0", "--key", key) as running:
        yield running


@pytest.fixture(scope="module")
def owner(server: Running) -> Iterator[Owner]:
    listening = Owner(server)
    yield listening
    listening.close()


class Owner:
    """Listens to the feed all the time."""

    def __init__(self, server: Running) -> None:
        page, _, key = server.new_feed().partition("/?token=")
        self.port = int(page.rpartition(":")[2])
        self._place = f"ws://127.0.0.1:{self.port}/feed?format=binary&token={key}"
        self.at: list[float] = []
        self._over = threading.Event()
        self._reading = threading.Thread(target=self._read, daemon=True)
        self._reading.start()
        server.wait(lambda line: line.get("listeners", 0) > 0)

    def _read(self) -> None:
        with contextlib.suppress(ConnectionClosed), connect(self._place) as feed:
            while not self._over.is_set():
                feed.recv()
                self.at.append(time.monotonic())

    def longest_gap(self, since: float) -> float:
        """Return the longest time without a frame, seconds."""
        at = [since, *(t for t in list(self.at) if t > since), time.monotonic()]
        return max(b - a for a, b in itertools.pairwise(at))

    def close(self) -> None:
        self._over.set()
        self._reading.join(5)


def _frame(kind: int, body: bytes, length: int | None = None) -> bytes:
    """Return a masked frame; one that says another length than it has where asked."""
    size = len(body) if length is None else length
    head = struct.pack(">BBH", 0x80 | kind, 0x80 | 126, size) if size < 1 << 16 else struct.pack(
        ">BBQ", 0x80 | kind, 0x80 | 127, size
    )  # fmt: skip
    return head + MASK + body


WAITING = {
    "nothing": b"",
    "half a head": b"GET /feed HTTP/1.1\r\nHost: x\r\n",
    "half a body": b"POST /status HTTP/1.1\r\nHost: x\r\nContent-Length: 99999\r\n\r\nabc",
    "no HTTP": bytes(range(256)) * 4,
    "a head of 1 MB": b"GET / HTTP/1.1\r\nX: " + b"a" * (1 << 20),
    "10,000 headers": b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 10_000,
    "a header twice": b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\nContent-Length: 1\r\n"
    b"Content-Length: 2\r\n\r\n",
    "a wrong token": OPEN.format(key="wrong", port=1).encode(),
}


@pytest.mark.parametrize("said", WAITING)
def test_strangers_do_not_stop_the_owners_frames(owner: Owner, server: Running, said: str) -> None:
    begun = time.monotonic()
    with contextlib.ExitStack() as kept:
        for _ in range(150):
            s = kept.enter_context(socket.create_connection(("127.0.0.1", owner.port), timeout=5))
            with contextlib.suppress(OSError):  # closed before all of it was sent
                s.sendall(WAITING[said])
        # Another listener of the owner's is let in meanwhile.
        page, _, key = server.new_feed().partition("/?token=")
        with connect(f"{page.replace('http', 'ws')}/feed?token={key}", open_timeout=5) as feed:
            feed.recv(timeout=5)
            feed.recv(timeout=5)
        time.sleep(0.1)
    assert owner.longest_gap(begun) < 2
    assert server.process.poll() is None


@pytest.mark.parametrize(
    "sent",
    [
        _frame(2, b"x", length=1 << 40),
        _frame(1, b"a" * (1 << 17)),
        _frame(9, b"p" * 200),
        _frame(1, b"\xff\xfe"),
        _frame(2, b"y" * 1000) * 300,
        b"\xff" * 64,
    ],
    ids=["a huge length", "too long", "a long ping", "no UTF-8", "many", "reserved bits"],
)
def test_a_listener_that_sends_nonsense_hurts_only_itself(
    owner: Owner, server: Running, sent: bytes
) -> None:
    begun = time.monotonic()
    key = server.new_feed().partition("/?token=")[2]
    with socket.create_connection(("127.0.0.1", owner.port), timeout=10) as s:
        s.sendall(OPEN.format(key=key, port=owner.port).encode())
        assert s.recv(12).startswith(b"HTTP/1.1 101")
        with contextlib.suppress(OSError):
            s.sendall(sent)
        time.sleep(0.1)
    assert owner.longest_gap(begun) < 2
    assert server.process.poll() is None


def test_a_listener_that_reads_nothing_costs_no_memory(owner: Owner, server: Running) -> None:
    if not Path("/proc/self/statm").exists():
        pytest.skip("memory is read from /proc")

    def resident() -> int:
        pages = Path(f"/proc/{server.process.pid}/statm").read_text().split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")

    begun, before = time.monotonic(), resident()
    key = server.new_feed().partition("/?token=")[2]
    with socket.create_connection(("127.0.0.1", owner.port), timeout=10) as s:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        s.sendall(OPEN.format(key=key, port=owner.port).encode())
        time.sleep(1.5)
        assert resident() - before < 20 << 20
    assert owner.longest_gap(begun) < 2


def test_a_key_is_good_for_one_listener_and_a_kept_key_for_many(
    owner: Owner, server: Running
) -> None:
    key = server.new_feed().partition("/?token=")[2]
    place = f"ws://127.0.0.1:{owner.port}/feed"
    with connect(f"{place}?token={key}") as feed:
        session = json_of(feed.recv())["session"]
    with pytest.raises(InvalidStatus), connect(f"{place}?token={key}"):
        pass
    with connect(f"{place}?token={session}") as feed:
        assert "session" not in json_of(feed.recv())
    kept = Path(str(server.process.args[-2])).read_text().strip()  # type: ignore[index]
    for _ in range(2):
        with connect(place, additional_headers={"Authorization": f"Bearer {kept}"}) as feed:
            assert "session" not in json_of(feed.recv())
    # A program that asks by HTTP is told its session in a header; a page gets a cookie.
    asking = http.client.HTTPConnection("127.0.0.1", owner.port, timeout=10)
    bearer = {"Authorization": f"Bearer {server.new_feed().partition('/?token=')[2]}"}
    asking.request("GET", "/status", headers=bearer)
    reply = asking.getresponse()
    reply.read()
    assert reply.status == 200
    bearer = {"Authorization": f"Bearer {reply.headers['retime-session']}"}
    asking.request("GET", "/status", headers=bearer)
    assert asking.getresponse().status == 200
    asking.close()


def json_of(text: str | bytes) -> dict[str, object]:
    import json

    out = json.loads(text)
    assert isinstance(out, dict)
    return out


@pytest.mark.skipif(os.name == "nt", reason="modes of files are POSIX's")
def test_a_kept_key_is_private(tmp_path: Path) -> None:
    path = tmp_path / "feed.key"
    key = key_in(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert key_in(path) == key
    path.chmod(0o644)
    with pytest.raises(InputError, match="chmod 600"):
        key_in(path)
    path.chmod(0o600)
    path.write_text("short")
    with pytest.raises(InputError, match="holds no key"):
        key_in(path)
    with pytest.raises(InputError, match="not an ordinary file"):
        key_in(tmp_path)
