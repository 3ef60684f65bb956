"""Fork processes from a template that has loaded its modules already.

Most of a worker's start is the import of numpy, scipy and compiled functions. A template process
imports them once and forks a process for each request, within milliseconds and with shared memory.
The template runs one thread only, so that a fork copies no lock that another thread holds.

Requests are packets on a Unix socket, with the pipes of the new process attached. There are no
replies: the template writes the id of the process, and later its exit code, to a pipe of its own.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import json
import os
import select
import selectors
import signal
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from typing import IO

_NUMBER = struct.Struct("<i")
_MOST_BYTES = 1 << 16
_SIGNAL_WHEN_PARENT_ENDS = 1  # PR_SET_PDEATHSIG


class Template:
    """The parent's end of a template process.

    ``control`` is a socket whose other end a template reads with :func:`wait_for_fork`;
    ``process`` is the template, where it was started by this process.
    """

    def __init__(
        self, control: socket.socket, process: subprocess.Popen[bytes] | None = None
    ) -> None:
        self._control, self._process = control, process
        self._started = 0
        self._lock = threading.Lock()

    @classmethod
    def start(cls, command: Sequence[str], *, env: Mapping[str, str]) -> Template | None:
        """Start a template; its command gets the number of its socket as last argument.

        Returns ``None`` on systems that cannot fork this way: only Linux can watch a process
        without a signal handler, and forks of a loaded process are not safe on macOS.
        """
        if not hasattr(os, "pidfd_open"):
            return None
        ours, theirs = control_sockets()
        with theirs:
            number = theirs.fileno()
            process = subprocess.Popen([*command, str(number)], env=env, pass_fds=[number])
        return cls(ours, process)

    def fork(self, arguments: Sequence[str]) -> Forked:
        """Start a process; raise ``OSError`` where the template has ended."""
        pipes = [os.pipe() for _ in range(3)]
        (given, to), (of, answers), (status, told) = pipes
        with self._lock:
            self._started += 1
            number = self._started
        packet = json.dumps({"fork": number, "arguments": list(arguments)}).encode()
        try:
            socket.send_fds(self._control, [packet], [given, answers, told])
        except OSError:
            for mine in (to, of, status):
                os.close(mine)
            raise
        finally:
            for theirs in (given, answers, told):
                os.close(theirs)
        return Forked(self, number, status, os.fdopen(to, "wb"), os.fdopen(of, "rb"))

    def signal(self, number: int, value: int) -> None:
        """Send a signal to a forked process; do nothing if it has ended."""
        with contextlib.suppress(OSError):
            self._control.send(json.dumps({"signal": value, "to": number}).encode())

    def close(self) -> None:
        """End the template, and with it the processes that it forked."""
        self._control.close()
        if self._process is not None:
            self._process.kill()  # it has no unwritten data
            self._process.wait()


class Forked:
    """A process that a template forked; it is used like a ``subprocess.Popen``."""

    def __init__(
        self, template: Template, number: int, status: int, stdin: IO[bytes], stdout: IO[bytes]
    ) -> None:
        self.stdin: IO[bytes] | None = stdin
        self.stdout: IO[bytes] | None = stdout
        self.returncode: int | None = None
        self._template, self._number = template, number
        self._status: int | None = status
        self._told = b""
        self._lock = threading.Lock()

    def __del__(self) -> None:
        if self._status is not None:
            os.close(self._status)

    def poll(self) -> int | None:
        """Return the exit code; ``None`` while it runs."""
        return self._read(0, 2)

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end, and return the exit code."""
        code = self._read(timeout, 2)
        if code is None:
            raise subprocess.TimeoutExpired("a forked process", timeout or 0.0)
        return code

    @property
    def pid(self) -> int:
        """The id of the process; waits until it has been forked."""
        self._read(None, 1)
        if len(self._told) < _NUMBER.size:
            raise ProcessLookupError("the process was never started")
        return int(_NUMBER.unpack_from(self._told)[0])

    def send_signal(self, value: int) -> None:
        """Send a signal."""
        self._template.signal(self._number, value)

    def terminate(self) -> None:
        """Ask it to end."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """End it at once; without its template, it has ended already."""
        self.send_signal(signal.SIGKILL)

    def _read(self, seconds: float | None, numbers: int) -> int | None:
        """Read the first numbers of its status within some seconds; return the exit code."""
        with self._lock:
            while self._status is not None and len(self._told) < numbers * _NUMBER.size:
                if not _readable(self._status, seconds):
                    break
                data = os.read(self._status, 2 * _NUMBER.size)
                self._told += data
                if not data or len(self._told) >= 2 * _NUMBER.size:
                    os.close(self._status)
                    self._status = None
                    known = len(self._told) >= 2 * _NUMBER.size
                    # The template ended first, so the exit status is unknown.
                    self.returncode = (
                        _NUMBER.unpack_from(self._told, _NUMBER.size)[0] if known else -1
                    )
        return self.returncode


def _readable(descriptor: int, seconds: float | None) -> bool:
    """Wait for data; unlike ``select.select``, with descriptors of any number."""
    ready = select.poll()
    ready.register(descriptor, select.POLLIN)
    return bool(ready.poll(None if seconds is None else 1000 * seconds))


def control_sockets() -> tuple[socket.socket, socket.socket]:
    """Return both ends of a template's socket."""
    return socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)


# ---- the other end


def wait_for_fork(control: socket.socket) -> list[str]:
    """Fork a process for each request; return its arguments in the new process only.

    The template itself never returns from here: it exits when the other end is closed.
    """
    gc.collect()
    gc.freeze()  # garbage collection in a fork would copy all pages that it touches
    forks = _Forks(control)
    while True:
        arguments = forks.serve()
        if arguments is not None:
            return arguments


class _Forks:
    """Processes that a template has forked and that still run."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._watched = selectors.DefaultSelector()
        self._watched.register(control, selectors.EVENT_READ)
        self._by_number: dict[int, _Fork] = {}

    def serve(self) -> list[str] | None:
        """Handle the next event; in a new process, return its arguments."""
        for key, _ in self._watched.select():
            if isinstance(key.data, _Fork):
                self._reap(key.data)
                continue
            data, pipes, _, _ = socket.recv_fds(self._control, _MOST_BYTES, 3)
            if not data:
                sys.exit(0)
            request = json.loads(data)
            if "fork" in request:
                if self._fork(request["fork"], pipes):
                    return list(request["arguments"])
            elif (fork := self._by_number.get(request["to"])) is not None:
                # not reaped yet, so its process id is still valid
                os.kill(fork.process, request["signal"])
        return None

    def _fork(self, number: int, pipes: Sequence[int]) -> bool:
        """Fork; return whether this is the new process."""
        stdin, stdout, status = pipes
        sys.stdout.flush()
        sys.stderr.flush()
        template = os.getpid()
        process = os.fork()
        if process == 0:
            _end_with(template)
            self._leave(stdin, stdout, status)
            return True
        os.close(stdin)
        os.close(stdout)
        os.write(status, _NUMBER.pack(process))
        fork = _Fork(number, process, os.pidfd_open(process), status)
        self._by_number[number] = fork
        self._watched.register(fork.handle, selectors.EVENT_READ, fork)
        return False

    def _leave(self, stdin: int, stdout: int, status: int) -> None:
        """Set the streams of a new process, and close those of the template."""
        os.dup2(stdin, 0)
        os.dup2(stdout, 1)
        for mine in (stdin, stdout, status):
            os.close(mine)
        self._watched.close()
        self._control.close()
        for fork in self._by_number.values():
            os.close(fork.handle)
            os.close(fork.status)

    def _reap(self, fork: _Fork) -> None:
        code = os.waitstatus_to_exitcode(os.waitpid(fork.process, 0)[1])
        with contextlib.suppress(OSError):  # its caller has ended
            os.write(fork.status, _NUMBER.pack(code))
        self._watched.unregister(fork.handle)
        os.close(fork.handle)
        os.close(fork.status)
        del self._by_number[fork.number]


def _end_with(parent: int) -> None:
    """Have the kernel kill this process when its parent ends."""
    ctypes.CDLL(None).prctl(_SIGNAL_WHEN_PARENT_ENDS, signal.SIGKILL)
    if os.getppid() != parent:  # it ended before
        os._exit(1)


class _Fork:
    """A process: its id, a handle to watch, and the pipe that reports its end."""

    def __init__(self, number: int, process: int, handle: int, status: int) -> None:
        self.number, self.process, self.handle, self.status = number, process, handle, status
