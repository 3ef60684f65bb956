"""Strangers at the door: the owner's windows keep working, and the key is worth nothing twice."""

from __future__ import annotations

import contextlib
import os
import socket
import stat
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from retime.serving import http
from retime.serving.addresses import listen
from studio_running import Studio, skip_without_pages

pytestmark = pytest.mark.skipif(os.name == "nt", reason="modes of files are POSIX's")


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    skip_without_pages()
    running = Studio(tmp_path_factory.mktemp("strangers") / "a.retime")
    yield running
    running.stop()


def strangers(studio: Studio, count: int, said: bytes) -> list[socket.socket]:
    out = []
    for _ in range(count):
        s = socket.create_connection(("127.0.0.1", studio.port), timeout=5)
        s.sendall(said)
        out.append(s)
    return out


@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"GET / HTTP/1.1\r\nHost: x\r\n",
        b"POST /upload HTTP/1.1\r\nHost: x\r\nContent-Length: 99999\r\n\r\nabc",
    ],
)
def test_strangers_that_wait_do_not_shut_the_owner_out(studio: Studio, said: bytes) -> None:
    window = studio.window()
    window.next("welcome", wait=10)
    waiting = strangers(studio, 300, said)
    try:
        begun = time.monotonic()
        assert studio.ask("GET", "/")[0] == 200
        studio.window().next("welcome", wait=10)  # a second window
        window.do(type="add_step", version="A", step={"method": "smooth"})
        window.next("document", lambda h: bool(h["project"]["versions"]["A"]), 10)
        assert time.monotonic() - begun < 5
    finally:
        for s in waiting:
            s.close()


def test_connections_without_a_request_are_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (http.SECONDS_FOR_HEAD, http.SECONDS_IN_A_CROWD) == (10, 1)
    monkeypatch.setattr(http, "SECONDS_FOR_HEAD", 0.8)
    monkeypatch.setattr(http, "SECONDS_IN_A_CROWD", 0.3)
    asked = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"in"})

    listening = listen("127.0.0.1", 0)
    server = http.BoundedServer(app, most_message=1000, most_waiting=5)
    running = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    running.start()

    def drip(s: socket.socket) -> float:
        """Send a head slowly; return how long that was allowed, seconds."""
        begun = time.monotonic()
        with contextlib.suppress(OSError):  # closed
            while time.monotonic() - begun < 5:
                s.sendall(b"X")
                time.sleep(0.05)
        return time.monotonic() - begun

    try:
        place = listening.getsockname()
        with socket.create_connection(place, timeout=5) as slow:
            assert 0.5 < drip(slow) < 4
        with socket.create_connection(place, timeout=5) as slow:
            slow.sendall(asked)  # a first request does not make it known
            assert slow.recv(12) == b"HTTP/1.1 200"
            assert 0.5 < drip(slow) < 4
        with contextlib.ExitStack() as kept:
            owner, *others = (
                kept.enter_context(socket.create_connection(place, timeout=5)) for _ in range(16)
            )
            owner.sendall(asked)
            assert owner.recv(12) == b"HTTP/1.1 200"
            begun = time.monotonic()
            assert all(s.recv(1) == b"" for s in others)
            assert time.monotonic() - begun < 0.7
    finally:
        server.should_exit = True
        running.join(10)


def test_a_key_opens_the_studio_once(studio: Studio) -> None:
    assert studio.ask("GET", f"/?token={studio.token}", cookie="")[0] == 403
    key = studio.address.partition("/?token=")[2]
    assert studio.ask("GET", f"/?token={key}", cookie="")[0] == 303
    assert studio.ask("GET", f"/?token={key}", cookie="")[0] == 403
    assert studio.ask("GET", f"/?token={key}")[0] == 303  # whoever is in stays in


def test_a_project_is_private(studio: Studio) -> None:
    for path in [studio.folder, *studio.folder.rglob("*")]:
        assert not stat.S_IMODE(path.stat().st_mode) & 0o077, path


def test_the_browsers_command_line_holds_no_key(tmp_path: Path) -> None:
    from retime.serving.guard import Guard
    from retime.studio.server import _Keys

    guard = Guard(None, hosts=["127.0.0.1:4242"], port=4242, one_time=True)
    keys = _Keys(guard, "http://127.0.0.1:4242/", tmp_path)
    told = keys.in_a_file()
    assert told is not None
    page = Path(told.removeprefix("file://"))
    assert stat.S_IMODE(page.stat().st_mode) == 0o600
    key = page.read_text().partition("/?token=")[2].partition('"')[0]
    assert len(key) >= 43
    assert key not in told
    assert key != guard.token
    guard.used(key)
    assert not page.exists()
