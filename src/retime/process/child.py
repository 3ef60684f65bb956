"""Have jobs done in child processes: the parent's side.

Everything that runs in a separate process goes through here: native file libraries, the studio's
workers, a batch's clips and the Blender extension's engine. A job is a line of JSON with an ``id``,
and so is each message about it, with the same ``id``: ``begun`` comes first, ``done`` or ``error``
last. After a message with ``bytes`` come that many bytes, its ``body``.

Only the standard library is used, because the Blender extension contains a copy of this module.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import queue
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import IO, Any

Message = dict[str, Any]
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
# Time that a process may take to start and to begin a job: a cold start reads much from disk.
_SECONDS_TO_BEGIN = 120.0


class Ended(Exception):
    """The process ended before the job was done."""

    def __init__(self, status: int, *, begun: bool) -> None:
        how = f"signal {-status}" if status < 0 else f"status {status}"
        super().__init__(f"the process that worked on it ended by itself ({how})")
        self.begun = begun


class TimedOut(Exception):
    """The job was not done in time, and its process was ended."""


def read_message(stream: IO[bytes]) -> Message | None:
    """Read a message; ``None`` where the stream has ended, in the middle of one too."""
    message = None
    while not isinstance(message, dict):
        line = stream.readline()
        if not line.endswith(b"\n"):
            return None
        with contextlib.suppress(ValueError):  # printed before the output was reserved
            message = json.loads(line)
    size = message.pop("bytes", None)
    if size is not None:
        message["body"] = stream.read(size)
        if len(message["body"]) < size:
            return None
    return message


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
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        cwd: Any = None,
        stderr: Any = subprocess.DEVNULL,
    ) -> None:
        self.owner = os.getpid()
        self.killed = False
        self._messages: queue.Queue[Message | None] = queue.Queue()
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
            while stream is not None and (message := read_message(stream)) is not None:
                self._messages.put(message)
        self._messages.put(None)

    @property
    def alive(self) -> bool:
        """Whether it runs, and belongs to this process and not to one that was forked."""
        return self.owner == os.getpid() and self.process.poll() is None

    def send(self, message: Message) -> None:
        """Send a message; one that has ended is noticed on receiving."""
        stream = self.process.stdin
        with contextlib.suppress(OSError, ValueError):
            if stream is not None:
                stream.write(json.dumps(message).encode() + b"\n")
                stream.flush()

    def receive(self, seconds: float | None) -> Message | None:
        """Wait for a message: ``None`` after a timeout, ``Ended`` if the process has ended."""
        try:
            message = self._messages.get(timeout=seconds)
        except queue.Empty:
            return None
        if message is None:
            self._messages.put(None)  # repeated reads after the end return the end again
            killed = self.killed
            self.end()
            raise Ended(self.process.wait(), begun=killed)
        return message

    def kill(self) -> None:
        """Kill the process."""
        self.killed = True
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


class JobServer:
    """A process that does jobs, one after the other.

    It is started when the first job comes, and again after it has ended. Any thread may give it
    jobs, which take turns. After a fork, both processes have their own.

    Parameters
    ----------
    command : sequence of str
        Command to run, whose program ends in ``retime.process.inside.serve_jobs``.
    **options
        As for :class:`Child`.
    """

    def __init__(self, command: Sequence[str], **options: Any) -> None:
        self._command, self._options = command, options
        self._child: Child | None = None
        self._turn = threading.Lock()
        self._number = 0
        _servers.add(self)

    @property
    def pid(self) -> int | None:
        """The process's number, while one runs."""
        return self._child.process.pid if self._child is not None and self._child.alive else None

    def start(self) -> None:
        """Start the process, so that the next job does not wait for it."""
        with self._turn:
            self._started()

    def do(
        self,
        job: Mapping[str, Any],
        *,
        seconds: float | None = None,
        wait: float | None = None,
        wanted: Callable[[], bool] = lambda: True,
    ) -> Iterator[Message | None]:
        """Do a job: yield the messages about it, the last one with ``done`` or ``error``.

        A process that ends before it has begun the job is replaced once. An iteration that is
        closed early ends the process.

        Parameters
        ----------
        job : mapping
            The job, as plain data.
        seconds : float, optional
            Raise ``TimedOut`` if it takes longer, not counting the start of the process.
        wait : float, optional
            Yield ``None`` when nothing was heard for this long.
        wanted : callable, optional
            Whether the job is still wanted when its turn comes; otherwise it ends at once.
        """
        with self._turn:
            for again in (False, True):
                try:
                    message = yield from self._messages(job, seconds, wait, wanted)
                    break
                except BaseException as e:
                    self._stop()
                    if again or not isinstance(e, Ended) or e.begun or not wanted():
                        raise
        yield message

    def _messages(
        self,
        job: Mapping[str, Any],
        seconds: float | None,
        wait: float | None,
        wanted: Callable[[], bool],
    ) -> Any:
        """Yield the messages about a job before the last one, and return that."""
        if not wanted():
            raise Ended(0, begun=True)
        child = self._started()
        self._number += 1
        child.send({**job, "id": self._number})
        until: float | None = time.monotonic() + _SECONDS_TO_BEGIN
        begun = False
        while True:
            left = None if until is None else max(until - time.monotonic(), 0.0)
            try:
                message = child.receive(
                    min((s for s in (left, wait) if s is not None), default=None)
                )
            except Ended as e:
                e.begun |= begun
                raise
            if message is None:
                if until is not None and time.monotonic() >= until:
                    raise TimedOut
                yield None
            elif message.get("id") != self._number:
                continue
            elif message.get("begun"):
                begun, until = True, None if seconds is None else time.monotonic() + seconds
            elif "done" in message or "error" in message:
                return message
            else:
                yield message

    def push(self, value: Any) -> None:
        """Send a value to the job that is being done."""
        if self._child is not None:
            self._child.send({"push": value})

    def _started(self) -> Child:
        if self._child is None or not self._child.alive:
            self._stop()
            self._child = Child(self._command, **self._options)
        return self._child

    def _stop(self) -> None:
        child, self._child = self._child, None
        if child is not None and child.owner == os.getpid():
            child.end()

    def kill(self) -> None:
        """End the process, in the middle of a job too."""
        child = self._child
        if child is not None and child.owner == os.getpid():
            child.kill()
            child.process.wait()
        if self._turn.acquire(blocking=False):
            self._stop()
            self._turn.release()

    def end(self) -> None:
        """End the process after the job that is being done."""
        with self._turn:
            self._stop()


_servers: weakref.WeakSet[JobServer] = weakref.WeakSet()


@atexit.register
def _end_all() -> None:
    for server in list(_servers):
        server.kill()


def _after_fork() -> None:
    for server in list(_servers):
        server._turn = threading.Lock()  # the thread that held it is not in this process


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
