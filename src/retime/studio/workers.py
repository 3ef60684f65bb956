"""The server's side of the worker processes: one solves, one answers; either may be killed.

Each works on one job at a time. A job that waits is replaced by a newer one of the same purpose:
the latest wins. When the solver is killed, to cancel what it does, the other, which runs already,
takes its place, and the killed one is started again in the other's.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import msgspec

from retime.errors import RetimeError
from retime.process.child import ONE_THREAD, Ended, JobServer
from retime.studio import jobs

# -P: what lies in the folder that the studio was started in is never imported.
_COMMAND = [sys.executable, "-P", "-m", "retime.studio.worker"]


class Stopped(RetimeError):
    """The job was cancelled, or a newer one took its place."""


class WorkerDied(RetimeError):
    """The process ended while it worked."""


class Said(msgspec.Struct, frozen=True):
    """A worker's message about a job: progress, a frame, or how it ended."""

    word: str = ""
    progress: float | None = None
    body: bytes = b""
    answer: Any = None
    error: str | None = None
    step: int | None = None


Listener = Callable[[Said], None]


@dataclass(eq=False)
class _Task:
    purpose: str
    job: jobs.Job
    listener: Listener
    future: asyncio.Future[Said]

    def stop(self, error: RetimeError) -> None:
        if not self.future.done():
            self.future.set_exception(error)

    def hear(self, said: Said) -> None:
        if not self.future.done():
            self.listener(said)


@dataclass(eq=False)
class _Line:
    """Jobs that wait for one process, and the one that it works on."""

    server: JobServer
    waiting: dict[str, _Task] = field(default_factory=dict)
    running: _Task | None = None


class Workers:
    """Two processes: ``solve`` for results in windows, ``answer`` for all other jobs."""

    def __init__(self) -> None:
        env = os.environ | ONE_THREAD
        self._lines = {
            role: _Line(JobServer(_COMMAND, env=env, stderr=None)) for role in ("solve", "answer")
        }
        self._threads = ThreadPoolExecutor(4, "retime-worker")  # a killed job may still hold one
        self._works: set[asyncio.Task[None]] = set()
        self._closed = False

    async def start(self) -> None:
        """Start both."""
        for line in self._lines.values():
            await self._in_thread(line.server.start)

    async def close(self) -> None:
        """End both at once."""
        self._closed = True
        for task in self._tasks():
            task.stop(Stopped("the studio ends"))
        for line in self._lines.values():
            line.waiting.clear()
            line.server.kill()
        await asyncio.gather(*self._works)
        self._threads.shutdown()
        for line in self._lines.values():
            line.server.end()

    async def _in_thread(self, call: Callable[[], Any]) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._threads, call)

    # ---- jobs

    async def run(
        self, role: str, purpose: str, job: jobs.Job, listener: Listener = lambda said: None
    ) -> Said:
        """Do a job; one of the same purpose that still waits is dropped with :class:`Stopped`."""
        line = self._lines[role]
        task = _Task(purpose, job, listener, asyncio.get_running_loop().create_future())
        if purpose in line.waiting:
            line.waiting.pop(purpose).stop(Stopped("a newer one took its place"))
        line.waiting[purpose] = task
        self._next(line)
        return await task.future

    def drop(self, purpose: str) -> None:
        """Forget a job that waits."""
        for line in self._lines.values():
            if purpose in line.waiting:
                line.waiting.pop(purpose).stop(Stopped("it is not needed any more"))

    def purposes(self, *starts: str) -> list[str]:
        """List the purposes with a prefix of jobs that wait or run."""
        return [task.purpose for task in self._tasks() if task.purpose.startswith(starts)]

    def running(self, purpose: str) -> bool:
        """Return whether a job of a purpose is being worked on."""
        return any(True for _ in self._running(purpose))

    def push(self, purpose: str, moment: float, rate: float) -> None:
        """Push a search that is being watched."""
        for _, line in self._running(purpose):
            line.server.push((moment, rate))

    async def cancel(self, purpose: str) -> bool:
        """Stop a job by ending its process; return false if no job of the purpose runs."""
        self.drop(purpose)
        for task, line in list(self._running(purpose)):
            task.stop(Stopped("Stopped. The document is unchanged."))
            gone, other = line.server, self._lines["answer"]
            if other.running is None:
                line.server, other.server = other.server, gone
            line.running = None
            gone.kill()
            self._next(line)
            return True
        return False

    def _running(self, purpose: str) -> Iterator[tuple[_Task, _Line]]:
        for line in self._lines.values():
            if line.running is not None and line.running.purpose == purpose:
                yield line.running, line

    def _tasks(self) -> list[_Task]:
        lines = self._lines.values()
        running = [line.running for line in lines if line.running is not None]
        return [*(task for line in lines for task in line.waiting.values()), *running]

    # ---- work

    def _next(self, line: _Line) -> None:
        if line.running is None and line.waiting and not self._closed:
            line.running = line.waiting.pop(next(iter(line.waiting)))
            self._begin(self._work(line, line.running))

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        self._works.add(task := asyncio.create_task(work))
        task.add_done_callback(self._works.discard)

    async def _work(self, line: _Line, task: _Task) -> None:
        server = line.server
        try:
            said = await self._in_thread(lambda: self._done(server, task))
        except Ended:
            task.stop(
                WorkerDied(
                    "The process that computes it ended unexpectedly. It is started again; try "
                    "another setting."
                )
            )
            if not self._closed:
                self._begin(self._in_thread(server.start))
        else:
            if not task.future.done():
                task.future.set_result(said)
        if line.running is task:
            line.running = None
            self._next(line)

    def _done(self, server: JobServer, task: _Task) -> Said:
        """Do a job, in a thread; return the last message about it."""
        loop = task.future.get_loop()
        job = {"job": msgspec.to_builtins(task.job)}
        said = Said()
        for message in server.do(job, wanted=lambda: not task.future.done()):
            said = msgspec.convert(message, Said)
            if message is not None and not message.keys() & {"done", "error"}:
                with contextlib.suppress(RuntimeError):  # the loop has ended
                    loop.call_soon_threadsafe(task.hear, said)
        return said
