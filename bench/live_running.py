"""A running ``retime live`` that follows a motion, for benchmarks of the server."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import retime


@dataclass(frozen=True)
class Serving:
    """A server and where it is reached."""

    process: subprocess.Popen[str]
    feed: str
    """The address of the feed, with its key, as frames in binary."""
    ports: tuple[int, ...]
    """Where the stream of each performer comes in."""

    @property
    def port(self) -> int:
        """Where the first performer's stream comes in."""
        return self.ports[0]

    def feed_of(self, performer: int) -> str:
        """Return the address of a performer's feed, counted from 1."""
        return f"{self.feed}&performer={performer}"


@contextmanager
def serving(motion: retime.Motion, performers: int = 1) -> Iterator[Serving]:
    """Serve a motion to some performers; the server ends with the block."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["live", "--feed", "0", "--json"]
        for k in range(performers):
            path = Path(folder) / f"walk-{k + 1}.npz"
            retime.write(motion, path)
            command += [str(path), "--in", "vmc://127.0.0.1:0"]
        with subprocess.Popen(
            [sys.executable, "-m", "retime", *command], stdout=subprocess.PIPE, text=True
        ) as running:
            assert running.stdout is not None
            opened = json.loads(running.stdout.readline())
            threading.Thread(target=running.stdout.read, daemon=True).start()
            page, _, token = opened["feed"].partition("/?token=")
            feed = f"{page.replace('http', 'ws')}/feed?format=binary&token={token}"
            try:
                ports = tuple(int(place.rpartition(":")[2]) for place in opened["ins"])
                yield Serving(running, feed, ports)
            finally:
                running.terminate()
