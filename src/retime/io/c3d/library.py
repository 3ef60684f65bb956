"""The C3D library at arm's length: asked through a pipe, given a time, and started again."""

from __future__ import annotations

import atexit
import contextlib
import importlib.util
import json
import os
import queue
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from retime.errors import FormatError, MissingDependencyError

__all__ = ["ask"]

_SECONDS, _SECONDS_PER_MB = 10.0, 2.0
_SECONDS_TO_START = 120.0
# Started by its path, it imports no more than it needs.
_PROGRAM = Path(__file__).with_name("child.py")


class _Child:
    """A process that answers one request after another."""

    def __init__(self) -> None:
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        self.owner = os.getpid()
        self.process = subprocess.Popen(
            [sys.executable, "-P", str(_PROGRAM)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            text=True,
            encoding="utf-8",
        )
        self.ready = False
        self.lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        with contextlib.suppress(ValueError):  # closed meanwhile
            for line in self.process.stdout:
                self.lines.put(line)
        self.lines.put("")

    def ask(self, request: dict[str, Any], seconds: float) -> dict[str, Any] | None:
        """Return the answer, or ``None`` where the process died or the time ran out."""
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
            if not self.ready:  # a start takes its time, which is no file's fault
                self.ready = bool(self.lines.get(timeout=_SECONDS_TO_START))
            line = self.lines.get(timeout=seconds)
            answer: dict[str, Any] | None = json.loads(line) if line else None
        except (OSError, queue.Empty, ValueError):
            return None
        return answer

    def end(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()


_lock = threading.Lock()
_child: _Child | None = None


def ask(request: dict[str, Any], size: int, path: str) -> Any:
    """Let the library do something with a file of some size; what it cannot do is a sentence.

    Parameters
    ----------
    request : dict
        What to do, as the child has it.
    size : int
        Bytes of the file: large ones get more time.
    path : str
        The file that a person knows, for what is said.
    """
    global _child
    if importlib.util.find_spec("ezc3d") is None:
        raise MissingDependencyError("reading and writing C3D", "c3d")
    with _lock:
        if _child is None or _child.owner != os.getpid():  # a fork does not share its parent's
            _child = _Child()
        answer = _child.ask(request, _SECONDS + _SECONDS_PER_MB * size / 1e6)
        if answer is None:
            _child.end()
            _child = None
    if answer is None:
        raise FormatError("the file is damaged: the C3D library breaks down on it", path=path)
    if "error" in answer:
        verb = "read" if request["do"] == "read" else "written"
        raise FormatError(f"not a C3D file that can be {verb} ({answer['error']})", path=path)
    return answer["ok"]


@atexit.register
def _end() -> None:
    if _child is not None and _child.owner == os.getpid():
        _child.end()
