"""Run the tasks of a worker in separate processes that can be killed.

Neither loky nor Dask can end one task. A signal cannot either: compiled code does not look for it,
and Dask's tasks run in threads. So each thread of a worker keeps one child process, which does one
task after the other and is killed when a task takes too long; a crash of compiled code, or a clip
that takes all memory, ends the child and costs that clip only. A child has one thread of linear
algebra, set before numpy is loaded, so results do not depend on the worker's own settings.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import asdict

from retime.batch.task import Outcome, Task
from retime.process.child import ONE_THREAD, Child

# Idle time after which a child is ended, seconds: cluster workers outlive batches.
_IDLE = 60.0


class _Worker:
    """A child process that runs tasks in sequence."""

    def __init__(self) -> None:
        # -P: never import modules from the folder that a worker was started in.
        command = [sys.executable, "-P", "-m", "retime.batch.child"]
        self.child = Child(command, env=os.environ | ONE_THREAD)
        self.since = 0.0
        self.ready = False

    def do(self, task: Task) -> Outcome:
        if not self.ready:  # the time limit of the task excludes loading retime
            self.ready = bool(self.child.receive())
        begun = time.monotonic()
        self.child.send(json.dumps(asdict(task)).encode())
        reply = self.child.receive(task.timeout)
        if reply:
            return Outcome(**json.loads(reply))
        seconds = time.monotonic() - begun
        self.child.end()
        if reply is None:
            text = f"it took longer than {task.timeout:g} s and was ended"
            return Outcome(task.name, "time", text, seconds=seconds)
        status = self.child.process.wait()
        how = f"signal {-status}" if status < 0 else f"status {status}"
        text = f"the process that worked on it ended by itself ({how})"
        return Outcome(task.name, "crash", text, seconds=seconds)


_lock = threading.Lock()
_idle: list[_Worker] = []
_busy: list[_Worker] = []
_watches: set[str] = set()


def run_isolated(task: Task, coordinator: int | None = None) -> Outcome:
    """Do a task in a child process; errors of a clip are returned, not raised.

    ``coordinator`` is the process that started this worker, which ends with it.
    """
    if task.problem:
        return Outcome(task.name, "input", task.problem)
    if coordinator is not None and os.getppid() == coordinator:
        _once("parent", lambda: _end_with(coordinator))
    _once("idle", _end_idle)
    worker = _take()
    try:
        return worker.do(task)
    except BaseException:
        worker.child.kill()
        raise
    finally:
        _give_back(worker)


def _take() -> _Worker:
    with _lock:
        while _idle:
            worker = _idle.pop()
            if worker.child.alive:
                break
            worker.child.end()
        else:
            worker = _Worker()
        _busy.append(worker)
        return worker


def _give_back(worker: _Worker) -> None:
    worker.since = time.monotonic()
    with _lock:
        _busy.remove(worker)
        if worker.child.alive:
            _idle.append(worker)


def end_children() -> None:
    """Kill the children of this process."""
    with _lock:
        workers, _idle[:] = _idle[:], []
        for worker in _busy:
            worker.child.kill()  # the thread that waits for it handles the end
    for worker in workers:
        worker.child.end()


def _once(name: str, run: Callable[[], None]) -> None:
    """Start a watching thread once per process."""
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
            old = [w for w in _idle if now - w.since > _IDLE]
            _idle[:] = [w for w in _idle if w not in old]
        for worker in old:
            worker.child.end()


def _end_with(coordinator: int) -> None:
    """End this worker when the coordinator has ended; a killed batch leaves no processes."""
    while os.getppid() == coordinator:
        time.sleep(0.5)
    os._exit(1)
