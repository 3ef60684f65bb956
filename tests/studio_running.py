"""A studio that really runs, and windows that really talk to it."""

from __future__ import annotations

import contextlib
import http.client
import json
import queue
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from retime.serving.frames import parse_frame
from retime.studio.app import STATIC

Message = tuple[dict[str, Any], dict[str, Any]]


def skip_without_pages() -> None:
    """Skip a test that needs the studio's pages where they were not built."""
    if not (STATIC / "index.html").exists():
        pytest.skip("the studio's pages are not built; run make studio (it needs Node.js)")


class Window:
    """A window's end of the socket."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.requests = 0
        self.seen: list[dict[str, Any]] = []

    def send(self, **message: Any) -> int:
        if message["type"] in (
            "do",
            "preview",
            "discard",
            "ask",
            "sample",
            "locate",
            "retry",
            "listen",
        ):
            self.requests += 1
            message.setdefault("request", self.requests)
        self.socket.send(json.dumps(message))
        return self.requests

    def do(self, **command: Any) -> int:
        return self.send(type="do", command=command)

    def next(
        self, kind: str, wanted: Callable[[dict[str, Any]], bool] = lambda h: True, wait: float = 60
    ) -> Message:
        """Return the next message of a kind; what comes before it is kept in ``seen``."""
        until = time.monotonic() + wait
        while True:
            data = self.socket.recv(timeout=max(until - time.monotonic(), 0.01))
            header, arrays = (
                parse_frame(data) if isinstance(data, bytes) else (json.loads(data), {})
            )
            self.seen.append(header)
            if header["type"] == kind and wanted(header):
                return header, arrays


class Studio:
    """A server process on a project's folder."""

    def __init__(self, folder: Path, *files: Path, port: int = 0) -> None:
        self.folder = folder
        arguments = [
            "studio", *map(str, files),
            "--project", str(folder), "--root", str(folder.parent), "--no-browser",
            "--port", str(port),
        ]  # fmt: skip
        program = str(Path(sys.executable).with_name("retime"))
        self.process = subprocess.Popen([program, *arguments], stdout=subprocess.PIPE)
        self._addresses: queue.SimpleQueue[str] = queue.SimpleQueue()
        threading.Thread(target=self._listen, daemon=True).start()
        address = self.address
        found = re.search(r"127\.0\.0\.1:(\d+)/\?token=([\w-]+)$", address)
        assert found, address
        self.port, self.token = int(found[1]), found[2]
        status, headers, _ = self.ask("GET", f"/?token={self.token}", cookie="")
        assert status == 303, status
        self.cookie = headers["set-cookie"].split(";")[0]
        self._open = contextlib.ExitStack()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as lines:
            for line in lines:
                if b"/?token=" in line:
                    self._addresses.put(line.split()[-1].decode())
        self._addresses.put("")  # it has ended: nobody waits for an address in vain

    @property
    def address(self) -> str:
        """The address that was printed last; each opens the studio once, and is given out once."""
        return self._addresses.get(timeout=60)

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def ask(
        self, method: str, path: str, body: Any = None, *, cookie: str | None = None, **more: str
    ) -> tuple[int, dict[str, str], bytes]:
        """Make a request; further headers as keywords."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        cookie = self.cookie if cookie is None else cookie
        headers = ({"Cookie": cookie} if cookie else {}) | {
            k.replace("_", "-"): v for k, v in more.items()
        }
        try:
            connection.request(method, path, body, headers)
            reply = connection.getresponse()
            return reply.status, {k.lower(): v for k, v in reply.getheaders()}, reply.read()
        finally:
            connection.close()

    def upload(self, name: str, data: bytes, version: str = "A") -> tuple[int, Any]:
        status, _, body = self.ask(
            "POST", f"/upload?name={name}&version={version}", data, Origin=self.origin
        )
        return status, json.loads(body)

    def window(self, **more: str) -> Window:
        opened = connect(
            f"ws://127.0.0.1:{self.port}/ws",
            origin=Origin(more.pop("origin", self.origin)),
            additional_headers={"Cookie": self.cookie} | more,
            max_size=None,
            compression=None,
            close_timeout=0.5,  # a window with unread messages does not hear the server's goodbye
        )
        return Window(self._open.enter_context(opened))

    def workers(self) -> list[int]:
        """Return the ids of its worker processes."""
        return _children(self.process.pid)

    def rest(self) -> None:
        """Wait until the workers have done what they were asked for."""
        before = -1
        while (used := sum(map(_processor_time, self.workers()))) != before:
            before = used
            time.sleep(0.5)

    def kill(self) -> None:
        """End it as a power cut would."""
        self._close()
        self.process.kill()
        self.process.wait()

    def _close(self) -> None:
        with contextlib.suppress(ConnectionClosed):
            self._open.close()

    def stop(self) -> int:
        self._close()
        self.process.terminate()
        return self.process.wait(timeout=60)


def _children(process: int) -> list[int]:
    tasks = Path(f"/proc/{process}/task").iterdir()
    return [int(n) for task in tasks for n in (task / "children").read_text().split()]


def _processor_time(process: int) -> int:
    """Return what a process has used of processors, in ticks."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])
