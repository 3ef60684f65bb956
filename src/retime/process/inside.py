"""Exchange messages with the parent process: the child's side."""

from __future__ import annotations

import math
import os
import queue
import signal
import sys
import threading
from typing import IO

from retime.process.child import LENGTH, read_message

# Additional memory that a request may use: a constant, and a multiple of the file's size.
_SOME_MEMORY, _MEMORY_PER_BYTE = 1 << 30, 10


def leave_interrupts_to_parent() -> None:
    """Ignore Ctrl-C: a terminal sends it to all processes, and the parent ends this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def own_output() -> IO[bytes]:
    """Reserve standard output for messages; output of libraries goes to the log."""
    target = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return target


def send_message(target: IO[bytes], message: bytes, *, framed: bool = False) -> None:
    """Send a message to the parent."""
    target.write(LENGTH.pack(len(message)) + message if framed else message + b"\n")
    target.flush()


def queued_messages(*, framed: bool = False) -> queue.SimpleQueue[bytes]:
    """Put the parent's messages into a queue; the process ends when the parent has ended."""
    messages: queue.SimpleQueue[bytes] = queue.SimpleQueue()

    def listen() -> None:
        while message := read_message(sys.stdin.buffer, framed):
            messages.put(message)
        os._exit(0)  # the parent has ended; drop the computation

    threading.Thread(target=listen, daemon=True).start()
    return messages


def bound_memory(size: int) -> None:
    """Raise the memory limit of this process for a file, if the system supports limits."""
    try:
        import resource

        with open("/proc/self/statm", encoding="ascii") as f:
            used = int(f.read().split()[0]) * resource.getpagesize()
        limit = used + _SOME_MEMORY + _MEMORY_PER_BYTE * size
        resource.setrlimit(resource.RLIMIT_AS, (limit, resource.getrlimit(resource.RLIMIT_AS)[1]))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    except (ImportError, OSError, ValueError):
        pass


def bound_time(seconds: float) -> None:
    """End this process after some seconds of work, if the system supports it."""
    try:
        import resource

        spent = resource.getrusage(resource.RUSAGE_SELF)
        limit = math.ceil(spent.ru_utime + spent.ru_stime + seconds)
        resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.getrlimit(resource.RLIMIT_CPU)[1]))
    except (ImportError, OSError, ValueError):
        pass
