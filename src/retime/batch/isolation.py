"""Run the tasks of a worker in separate processes that can be killed.

Dask cannot end one task, and neither can a signal: compiled code does not look for it, and tasks
run in threads. So each thread has a child process, which does one task after the other and is
killed when a task takes too long; a crash of compiled code, or a clip that takes all memory, ends
the child and costs that clip only. A child has one thread of linear algebra, set before numpy is
loaded, so results do not depend on the worker's own settings.
"""

from __future__ import annotations

import os
import sys
import time
from dataclasses import asdict

from retime.batch.task import Outcome, Task
from retime.process.child import ONE_THREAD, Ended, JobServer, TimedOut

# -P: never import modules from the folder that a worker was started in.
_COMMAND = [sys.executable, "-P", "-m", "retime.batch.child"]
_servers: list[JobServer] = []
_free: list[JobServer] = []


def run_isolated(task: Task) -> Outcome:
    """Do a task in a child process; errors of a clip are returned, not raised."""
    if task.problem:
        return Outcome(task.name, "input", task.problem)
    server, begun = _taken(), time.monotonic()
    try:
        *_, answer = server.do({"task": asdict(task)}, seconds=task.timeout)
    except TimedOut:
        text = f"it took longer than {task.timeout:g} s and was ended"
        return Outcome(task.name, "time", text, seconds=time.monotonic() - begun)
    except Ended as e:
        return Outcome(task.name, "crash", str(e), seconds=time.monotonic() - begun)
    finally:
        _free.append(server)
    if answer is None or "outcome" not in answer:
        return Outcome(task.name, "fault", str(answer and answer.get("error")))
    return Outcome(**answer["outcome"])


def _taken() -> JobServer:
    """Return a process that is free, or another one: as many as tasks run at a time."""
    try:
        return _free.pop()
    except IndexError:
        _servers.append(JobServer(_COMMAND, env=os.environ | ONE_THREAD))
        return _servers[-1]


def end_children() -> None:
    """Kill the children of this process."""
    for server in list(_servers):
        server.kill()
