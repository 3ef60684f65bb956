"""Exchange messages with a child process: the parent's side.

Everything that runs in a separate process goes through here: native file libraries, the studio's
workers, a batch's clips and the Blender extension's engine. A message is a line, or with ``framed``
a length (u32, little-endian) and that many bytes.

Only the standard library is used, because the Blender extension contains a copy of this module.
"""

from __future__ import annotations

import contextlib
import os
import queue
import struct
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import IO, Any

LENGTH = struct.Struct("<I")
# Threads of linear algebra in a child would only compete with its siblings; set before numpy loads.
ONE_THREAD = dict.fromkeys(
    (
        "OPENBLAS_NUM_THREADS",
        "OMP_NUM_THREADS",
        "MKL_NUM_THREADS",
        "VECLIB_MAXIMUM_THREADS",
        "NUMEXPR_NUM_THREADS",
    ),
    "1",
)


def read_message(stream: IO[bytes], framed: bool) -> bytes:
    """Read a message; empty where the stream has ended, in the middle of one too."""
    if not framed:
        line = stream.readline()
        return line if line.endswith(b"\n") else b""
    head = stream.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return b""
    (length,) = LENGTH.unpack(head)
    body = stream.read(length)
    return body if len(body) == length else b""


class Child:
    """A running process.

    Parameters
    ----------
    command : sequence of str
        Command to run.
    env : mapping of str to str, optional
        Its environment; otherwise this process's.
    cwd : path, optional
        The folder it runs in.
    stderr : file, optional
        Where its log goes; otherwise nowhere.
    framed : bool
        Whether messages are framed, both ways; otherwise they are lines.
    heard : callable, optional
        Called in a thread with every message, and with an empty one when the process has ended;
        without it messages wait for :meth:`receive`.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        cwd: Any = None,
        stderr: Any = subprocess.DEVNULL,
        framed: bool = False,
        heard: Callable[[bytes], None] | None = None,
    ) -> None:
        self.owner = os.getpid()
        self.framed = framed
        self._messages: queue.Queue[bytes] = queue.Queue()
        self._heard = heard or self._messages.put
        self.process = subprocess.Popen(
            list(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            env=env,
            cwd=cwd,
            # On Windows a program with a window would open a console for its child.
            creationflags=0x08000000 if sys.platform == "win32" else 0,
        )
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        stream = self.process.stdout
        with contextlib.suppress(ValueError, OSError):  # closed meanwhile
            while stream is not None and (message := read_message(stream, self.framed)):
                self._heard(message)
        self._heard(b"")

    @property
    def alive(self) -> bool:
        """Whether it runs."""
        return self.process.poll() is None

    def send(self, message: bytes) -> bool:
        """Send a message; return false if the process has ended."""
        data = LENGTH.pack(len(message)) + message if self.framed else message + b"\n"
        stream = self.process.stdin
        try:
            if stream is None or stream.closed:
                return False
            stream.write(data)
            stream.flush()
        except OSError:
            return False
        return True

    def receive(self, seconds: float | None = None) -> bytes | None:
        """Wait for a message: empty if the process has ended, ``None`` after a timeout."""
        try:
            message = self._messages.get(timeout=seconds)
        except queue.Empty:
            return None
        if not message:
            self._messages.put(message)  # repeated reads after the end return the end again
        return message

    def kill(self) -> None:
        """Kill the process."""
        with contextlib.suppress(ProcessLookupError):
            self.process.kill()

    def end(self) -> None:
        """End the process, wait for its end, and close its pipes."""
        self.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
