"""Tasks in processes of their own, which can be killed: what a worker of any backend calls.

Neither loky nor Dask can end one task. A signal cannot either: compiled code does not look for it,
and Dask's tasks run in threads. So each thread of a worker keeps one child process, which does one
task after the other and is killed when a task takes too long; a crash of compiled code, or a clip
that takes all memory, ends the child and costs that clip only. A child has one thread of linear
algebra, set before numpy is loaded, so results do not depend on the worker's own settings.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import asdict
from typing import IO

from retime.batch.task import Outcome, Task

__all__ = ["end_children", "run_isolated"]

_ONE_THREAD = dict.fromkeys(
    (
        "OPENBLAS_NUM_THREADS",
        "OMP_NUM_THREADS",
        "MKL_NUM_THREADS",
        "VECLIB_MAXIMUM_THREADS",
        "NUMEXPR_NUM_THREADS",
        "NUMBA_NUM_THREADS",
    ),
    "1",
)
# A child without a task for so long is ended, seconds: cluster workers outlive batches.
_IDLE = 60.0


class _Child:
    def __init__(self) -> None:
        self.process = subprocess.Popen(
            # -P: what lies in the folder that a worker was started in is never imported.
            [sys.executable, "-P", "-m", "retime.batch.child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | _ONE_THREAD,
        )
        self.since = 0.0
        self.timed_out = False
        self.ready = False

    def ask(self, task: Task) -> Outcome:
        if not self.ready:  # loading retime is no part of the task's time
            self._pipes()[1].readline()
            self.ready = True
        begun = time.monotonic()
        timer = None
        if task.timeout is not None:
            timer = threading.Timer(task.timeout, self._time_is_up)
            timer.daemon = True
            timer.start()
        try:
            reply = self._exchange(json.dumps(asdict(task)).encode() + b"\n")
        finally:
            if timer is not None:
                timer.cancel()
        if reply.endswith(b"\n"):
            return Outcome(**json.loads(reply))
        seconds = time.monotonic() - begun
        self.end()
        if self.timed_out:
            text = f"it took longer than {task.timeout:g} s and was ended"
            return Outcome(task.name, "time", text, seconds=seconds)
        status = self.process.returncode
        how = f"signal {-status}" if status < 0 else f"status {status}"
        text = f"the process that worked on it ended by itself ({how})"
        return Outcome(task.name, "crash", text, seconds=seconds)

    def _exchange(self, line: bytes) -> bytes:
        source, target = self._pipes()
        with contextlib.suppress(OSError):
            source.write(line)
            source.flush()
            return target.readline()
        return b""

    def _pipes(self) -> tuple[IO[bytes], IO[bytes]]:
        source, target = self.process.stdin, self.process.stdout
        if source is None or target is None:
            raise OSError("the child has no pipes")
        return source, target

    def _time_is_up(self) -> None:
        self.timed_out = True
        self.process.kill()

    def end(self) -> None:
        """End it, whatever it does."""
        self.process.kill()
        self.process.wait()
        for pipe in self._pipes():
            with contextlib.suppress(OSError):
                pipe.close()

    @property
    def alive(self) -> bool:
        return not self.timed_out and self.process.poll() is None


_lock = threading.Lock()
_idle: list[_Child] = []
_busy: list[_Child] = []
_watches: set[str] = set()


def run_isolated(task: Task, coordinator: int | None = None) -> Outcome:
    """Do a task in a child process; nothing is ever raised for a clip's sake.

    Parameters
    ----------
    task : Task
        What to do.
    coordinator : int, optional
        Process that this worker must not outlive, where that one started it.
    """
    if task.problem:
        return Outcome(task.name, "input", task.problem)
    if coordinator is not None and os.getppid() == coordinator:
        _once("parent", lambda: _end_with(coordinator))
    _once("idle", _end_idle)
    child = _take()
    try:
        return child.ask(task)
    except BaseException:
        child.process.kill()
        raise
    finally:
        _give_back(child)


def _take() -> _Child:
    with _lock:
        while _idle:
            child = _idle.pop()
            if child.alive:
                break
            child.end()
        else:
            child = _Child()
        _busy.append(child)
        return child


def _give_back(child: _Child) -> None:
    child.since = time.monotonic()
    with _lock:
        _busy.remove(child)
        if child.alive:
            _idle.append(child)


def end_children() -> None:
    """End the children of this process, whatever they do."""
    with _lock:
        children, _idle[:] = _idle[:], []
        for child in _busy:
            child.process.kill()  # whoever waits for its answer takes it from there
    for child in children:
        child.end()


def _once(name: str, run: Callable[[], None]) -> None:
    """Start a watching thread once a process."""
    with _lock:
        if name in _watches:
            return
        _watches.add(name)
    threading.Thread(target=run, daemon=True, name=f"retime-{name}").start()


def _end_idle() -> None:
    while True:
        time.sleep(_IDLE / 4)
        now = time.monotonic()
        with _lock:
            old = [c for c in _idle if now - c.since > _IDLE]
            _idle[:] = [c for c in _idle if c not in old]
        for child in old:
            child.end()


def _end_with(coordinator: int) -> None:
    """End this worker when the coordinator is gone: a killed batch leaves no process behind."""
    while os.getppid() == coordinator:
        time.sleep(0.5)
    os._exit(1)
