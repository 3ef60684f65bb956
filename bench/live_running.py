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
    port: int
    """Where the performer's stream comes in."""


@contextmanager
def serving(motion: retime.Motion) -> Iterator[Serving]:
    """Serve a motion; the server ends with the block."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "walk.npz"
        retime.write(motion, path)
        command = ["live", str(path), "--in", "vmc://127.0.0.1:0", "--feed", "0", "--json"]
        with subprocess.Popen(
            [sys.executable, "-m", "retime", *command], stdout=subprocess.PIPE, text=True
        ) as running:
            assert running.stdout is not None
            opened = json.loads(running.stdout.readline())
            threading.Thread(target=running.stdout.read, daemon=True).start()
            page, _, token = opened["feed"].partition("/?token=")
            feed = f"{page.replace('http', 'ws')}/feed?format=binary&token={token}"
            try:
                yield Serving(running, feed, int(opened["in"].rpartition(":")[2]))
            finally:
                running.terminate()
