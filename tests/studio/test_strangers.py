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
import uvicorn

from retime.serving import connections
from retime.serving.addresses import listen
from retime.serving.http import http_config
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


def test_a_head_must_arrive_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    assert connections.SECONDS_FOR_HEAD == 10
    monkeypatch.setattr(connections, "SECONDS_FOR_HEAD", 0.5)
    monkeypatch.setattr(connections, "SECONDS_IN_PEACE", 0.2)

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"in"})

    listening = listen("127.0.0.1", 0)
    server = uvicorn.Server(http_config(app, most_message=1000, most_connections=5))
    running = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    running.start()
    try:
        with socket.create_connection(listening.getsockname(), timeout=5) as slow:
            begun = time.monotonic()
            with contextlib.suppress(OSError):  # closed
                while time.monotonic() - begun < 5:
                    slow.sendall(b"GET / HTTP/1.1\r\n"[: 1 + int(time.monotonic() - begun)])
                    time.sleep(0.1)
            assert 0.3 < time.monotonic() - begun < 4
        # Strangers that come between a connection and its request do not take its place at once.
        with contextlib.ExitStack() as kept:
            place = listening.getsockname()
            owner, *others = (
                kept.enter_context(socket.create_connection(place, timeout=5)) for _ in range(16)
            )
            owner.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            assert owner.recv(12) == b"HTTP/1.1 200"
            # Those that wait longer than a moment make room.
            time.sleep(0.3)
            later = kept.enter_context(socket.create_connection(place, timeout=5))
            assert others[0].recv(1) == b""
            later.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            assert later.recv(12) == b"HTTP/1.1 200"
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
