"""The server's side of the worker processes: one solves, one answers; either may be killed.

Each works on one job at a time. A job that waits is replaced by a newer one of the same purpose:
the latest wins. When the solver is killed, to cancel what it does, the other, which runs already,
takes its place, and a new process is started for the other's.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field

import msgspec

from retime.errors import RetimeError
from retime.process.child import ONE_THREAD, Child
from retime.studio import jobs
from retime.studio.worker import Order, Said, unpack

# A worker that dies of so many jobs in a row is started again only when the next job comes.
_MOST_CRASHES = 5
# -P: what lies in the folder that the studio was started in is never imported.
_COMMAND = [sys.executable, "-P", "-m", "retime.studio.worker"]


class Stopped(RetimeError):
    """The job was cancelled, or a newer one took its place."""


class WorkerDied(RetimeError):
    """The process ended while it worked."""


Listener = Callable[[Said, bytes], None]


@dataclass(eq=False)
class _Task:
    purpose: str
    job: jobs.Job
    listener: Listener
    future: asyncio.Future[tuple[Said, bytes]]
    begun: bool = False  # whether its process said anything of it
    again: bool = False  # whether it was given to a second process


@dataclass(eq=False)
class _Process:
    """One process and what it works on."""

    child: Child
    waiting: dict[str, _Task] = field(default_factory=dict)
    running: _Task | None = None
    number: int = 0
    crashes: int = 0
    gone: bool = False


class Workers:
    """Two processes: ``solve`` for results in windows, ``answer`` for all other jobs."""

    def __init__(self) -> None:
        self._by_role: dict[str, _Process] = {}
        self._replacing = asyncio.Lock()
        self._closed = asyncio.Event()
        self._ends: set[asyncio.Future[None]] = set()

    async def start(self) -> None:
        """Start both."""
        for role in ("solve", "answer"):
            self._by_role[role] = self._spawn()

    async def close(self) -> None:
        """End both at once."""
        self._closed.set()
        for worker in self._by_role.values():
            worker.child.kill()
            for task in [worker.running, *worker.waiting.values()]:
                if task is not None and not task.future.done():
                    task.future.set_exception(Stopped("the studio ends"))
        for worker in self._by_role.values():
            await asyncio.to_thread(worker.child.end)

    def _spawn(self) -> _Process:
        loop = asyncio.get_running_loop()

        def heard(message: bytes) -> None:
            with contextlib.suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(self._heard, worker, message)

        env = os.environ | ONE_THREAD
        worker = _Process(Child(_COMMAND, env=env, stderr=None, framed=True, heard=heard))
        return worker

    # ---- jobs

    async def run(
        self, role: str, purpose: str, job: jobs.Job, listener: Listener = lambda said, body: None
    ) -> tuple[Said, bytes]:
        """Do a job; one of the same purpose that still waits is dropped with :class:`Stopped`."""
        if self._by_role[role].gone:
            await self._replace(role, self._by_role[role])
        worker = self._by_role[role]
        future: asyncio.Future[tuple[Said, bytes]] = asyncio.get_running_loop().create_future()
        old = worker.waiting.pop(purpose, None)
        if old is not None and not old.future.done():
            old.future.set_exception(Stopped("a newer one took its place"))
        worker.waiting[purpose] = _Task(purpose, job, listener, future)
        self._next(worker)
        return await future

    def drop(self, purpose: str) -> None:
        """Forget a job that waits."""
        for worker in self._by_role.values():
            task = worker.waiting.pop(purpose, None)
            if task is not None and not task.future.done():
                task.future.set_exception(Stopped("it is not needed any more"))

    def purposes(self, *starts: str) -> list[str]:
        """List the purposes with a prefix of jobs that wait or run."""
        found = []
        for worker in self._by_role.values():
            running = [] if worker.running is None else [worker.running.purpose]
            found += [p for p in (*worker.waiting, *running) if p.startswith(starts)]
        return found

    def running(self, purpose: str) -> bool:
        """Return whether a job of a purpose is being worked on."""
        return any(w.running is not None and w.running.purpose == purpose
                   for w in self._by_role.values())  # fmt: skip

    def push(self, purpose: str, moment: float, rate: float) -> None:
        """Push a search that is being watched."""
        for worker in self._by_role.values():
            if worker.running is not None and worker.running.purpose == purpose:
                self._send(worker, Order(worker.number, push=(moment, rate)))

    async def cancel(self, purpose: str) -> bool:
        """Stop a job by ending its process; return false if no job of the purpose runs."""
        self.drop(purpose)
        for role, worker in self._by_role.items():
            task = worker.running
            if task is not None and task.purpose == purpose:
                if not task.future.done():
                    task.future.set_exception(Stopped("Stopped. The document is unchanged."))
                worker.running = None
                await self._replace(role, worker)
                return True
        return False

    async def _replace(self, role: str, gone: _Process) -> None:
        """Put another process in the place of one; a solver's is taken by the other.

        Callers that find it gone come here: the first replaces it, and the others wait.
        """
        gone.gone = True
        gone.child.kill()
        await asyncio.to_thread(gone.child.end)
        async with self._replacing:
            if self._closed.is_set() or self._by_role[role] is not gone:
                return
            other = self._by_role["answer"]
            if role == "solve" and other.running is None and not _is_over(other):
                self._by_role["solve"] = other
                other.waiting |= gone.waiting
                self._next(other)
                role, gone.waiting = "answer", {}
            fresh = self._spawn()
            if self._closed.is_set():
                fresh.child.end()
                return
            fresh.crashes, fresh.waiting = gone.crashes, gone.waiting
            self._by_role[role] = fresh
            self._next(fresh)

    def _next(self, worker: _Process) -> None:
        if worker.running is not None or not worker.waiting or _is_over(worker):
            return  # what waits for a process that is over goes to the one that takes its place
        purpose = next(iter(worker.waiting))
        task = worker.waiting.pop(purpose)
        worker.running = task
        worker.number += 1
        self._send(worker, Order(worker.number, task.job))

    def _send(self, worker: _Process, order: Order) -> None:
        worker.child.send(msgspec.json.encode(order))

    # ---- what they say

    def _heard(self, worker: _Process, message: bytes) -> None:
        if not message:
            self._ends.add(ended := asyncio.ensure_future(self._died(worker)))
            ended.add_done_callback(self._ends.discard)
            return
        said, body = unpack(message)
        task = worker.running
        if task is None or said.number != worker.number:
            return
        task.begun = True
        if said.kind in ("progress", "frame"):
            task.listener(said, body)
            return
        worker.running, worker.crashes = None, 0
        if not task.future.done():
            task.future.set_result((said, body))
        self._next(worker)

    async def _died(self, worker: _Process) -> None:
        """Start a worker again that ended by itself; what it worked on is told so."""
        role = next((r for r, w in self._by_role.items() if w is worker), None)
        if role is None or self._closed.is_set() or worker.gone:
            return  # it was killed on purpose
        worker.gone = True
        task, worker.running = worker.running, None
        died = WorkerDied(
            "The process that computes it ended unexpectedly. It is started again; try another "
            "setting."
        )
        if task is not None and not task.future.done():
            if task.begun or task.again or task.purpose in worker.waiting:
                worker.crashes += 1
                task.future.set_exception(died)
            else:  # its process was perhaps dying when it came
                task.again = True
                worker.waiting = {task.purpose: task, **worker.waiting}
        if worker.crashes < _MOST_CRASHES:
            await self._replace(role, worker)
            return
        for waiting in worker.waiting.values():
            if not waiting.future.done():
                waiting.future.set_exception(died)
        worker.waiting, worker.crashes = {}, 0


def _is_over(worker: _Process) -> bool:
    """Return whether a process has ended, though nobody may have been told yet."""
    return worker.gone or not worker.child.alive
