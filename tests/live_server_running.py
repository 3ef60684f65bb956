"""A live server that really runs."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


class Running:
    """A live server in a process of its own."""

    def __init__(self, *arguments: str | Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "retime", "live", *map(str, arguments), "--json"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.lines: list[dict[str, Any]] = []
        self._given: set[str] = set()
        assert self.process.stdout is not None
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self.opened = self.wait(lambda line: line["type"] == "open")

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(json.loads(line))

    def wait(self, wanted: Callable[[dict[str, Any]], bool], seconds: float = 60) -> dict[str, Any]:
        """Wait for a line; fail with what was said where none comes."""
        end = time.monotonic() + seconds
        seen = 0
        while time.monotonic() < end:
            while seen < len(self.lines):
                if wanted(self.lines[seen]):
                    return self.lines[seen]
                seen += 1
            if self.process.poll() is not None and not self._reader.is_alive():
                assert self.process.stderr is not None
                pytest.fail(f"it ended: {self.process.stderr.read()}")
            time.sleep(0.02)
        pytest.fail(f"nothing came of {self.lines[-1:]}")

    @property
    def address(self) -> tuple[str, int]:
        host, _, port = self.opened["in"].removeprefix("vmc://").rpartition(":")
        return host, int(port)

    def new_feed(self) -> str:
        """Return the feed's address for another listener: each is good for one."""
        told = self.wait(
            lambda line: line["type"] in ("open", "feed") and line["feed"] not in self._given
        )
        self._given.add(told["feed"])
        return str(told["feed"])

    def kill(self) -> None:
        """End it at once, if it runs."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self._reader.join(5)
        for pipe in (self.process.stdout, self.process.stderr):
            assert pipe is not None
            pipe.close()

    def __enter__(self) -> Running:
        return self

    def __exit__(self, *error: object) -> None:
        self.kill()

    def stop(self) -> tuple[int, str]:
        """End it as Ctrl+C does; return its status and what it said."""
        self.process.send_signal(signal.SIGINT)
        status = self.process.wait(20)
        self._reader.join(5)
        assert self.process.stderr is not None
        return status, self.process.stderr.read()
