"""Do jobs for the parent process: the child's side."""

from __future__ import annotations

import json
import math
import os
import queue
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Mapping
from typing import IO, Any

from retime.bounded_json import MOST_LINE, bounded_lines, parse
from retime.errors import InputError, RetimeError

Say = Callable[[dict[str, Any]], None]
Do = Callable[[dict[str, Any], Say], Mapping[str, Any]]
Failed = Callable[[RetimeError], Mapping[str, Any]]

# Additional memory that a request may use: a constant, and a multiple of the file's size.
_SOME_MEMORY, _MEMORY_PER_BYTE = 1 << 30, 10


def _sentence(error: RetimeError) -> Mapping[str, Any]:
    return {"error": str(error)}


def serve_jobs(
    do: Do,
    *,
    failed: Failed = _sentence,
    pushed: Callable[[Any], None] = lambda value: None,
    idle: float | None = None,
) -> None:
    """Do the parent's jobs, one after the other; the process ends with its parent.

    Parameters
    ----------
    do : callable
        Called with a job and a function that sends a message about it; returns the last message,
        without its ``done``.
    failed : callable
        Converts an error to the last message, with an ``error``.
    pushed : callable
        Called in a thread with values for the running job.
    idle : float, optional
        Seconds without a job after which the process ends by itself.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends Ctrl-C to all processes
    target = _own_output()
    jobs: queue.SimpleQueue[Any] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(jobs, pushed), daemon=True).start()
    while True:
        try:
            job = jobs.get(timeout=idle)
        except queue.Empty:
            os._exit(0)  # the thread that listens holds standard input
        do_job(job, do, failed, lambda message: _send(target, message))


def do_job(job: Any, do: Do, failed: Failed, send: Say) -> None:
    """Do one job, or send why it failed; ``job`` may be the error on reading it."""
    number = job.get("id") if isinstance(job, dict) else None

    def say(message: Mapping[str, Any]) -> None:
        send({"id": number, **message})

    try:
        if isinstance(job, RetimeError):
            raise job
        if not isinstance(job, dict):
            raise InputError("a request is an object")
        say({"begun": True})
        say({**do(job, say), "done": True})
    except RetimeError as e:
        say(failed(e))
    except MemoryError:
        say({"error": "There is not enough memory for it. Cut the clip."})
    except Exception as e:
        traceback.print_exc()
        say(
            {"error": f"{type(e).__name__}: {e}. This is a bug in retime; its log has the details."}
        )


def _listen(jobs: queue.SimpleQueue[Any], pushed: Callable[[Any], None]) -> None:
    # Invalid text makes only its own line unreadable.
    with open(sys.stdin.fileno(), encoding="utf-8", errors="replace", closefd=False) as source:
        for line in bounded_lines(source):
            if not line.strip():
                continue
            job: Any
            try:
                job = parse(line, most_bytes=MOST_LINE)
            except RetimeError as e:
                job = InputError(f"a request is one line of JSON: {e}")
            if isinstance(job, dict) and "push" in job:
                pushed(job["push"])
            else:
                jobs.put(job)
    os._exit(0)  # the parent has ended; drop the computation


def _own_output() -> IO[bytes]:
    """Reserve standard output for messages; output of libraries goes to the log."""
    target = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return target


def _send(target: IO[bytes], message: Mapping[str, Any]) -> None:
    body = message.get("body")
    if body is not None:
        message = {k: v for k, v in message.items() if k != "body"} | {"bytes": len(body)}
    target.write(b"".join((json.dumps(message).encode(), b"\n", body or b"")))
    target.flush()


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
