"""A worker process: the studio's jobs, whose results are frames and answers.

The server survives wrong files, bugs and crashes of native code in here. It may kill this process
at any time.
"""

from __future__ import annotations

import queue
import time
from collections.abc import Mapping
from typing import Any

import msgspec

from retime.process.inside import Say, serve_jobs
from retime.studio import jobs
from retime.studio.wording import studio_error

# Progress is told at most this often, seconds.
_OFTEN = 0.05


class Worker:
    """Does jobs; ``pushes`` are moments and rates of a search that is being watched."""

    def __init__(self) -> None:
        from retime.studio.evaluation import FrameMaker

        self.pushes: queue.SimpleQueue[tuple[float, float]] = queue.SimpleQueue()
        self._evaluator = FrameMaker(self._progress)
        self._say: Say = lambda message: None
        self._told = 0.0

    def do(self, given: Mapping[str, Any], say: Say) -> Mapping[str, Any]:
        """Do a job; the result has an ``answer``, or a frame as its ``body``."""
        self._say = say
        job = msgspec.convert(given["job"], jobs.Job)
        e = self._evaluator
        match job:
            case jobs.Inspect():
                return {"answer": e.inspect(job)}
            case jobs.Load():
                return {"body": e.load(job)}
            case jobs.Mesh():
                e.mesh(job)
            case jobs.Result():
                return {"body": e.result(job)}
            case jobs.Resolve():
                return {"answer": e.resolve(job)}
            case jobs.Live():
                return {"body": e.live(job)}
            case jobs.Suggest():
                return {"answer": msgspec.to_builtins(e.suggest(job))}
            case jobs.Physics():
                return {"body": e.physics(job)}
            case jobs.Watch():
                self._pushed()  # what was pushed before is of no use now
                return {"body": e.watch(job, lambda frame: say({"body": frame}), self._pushed)}
            case jobs.Export():
                e.export(job)
        return {}

    def _progress(self, text: str, share: float | None) -> None:
        now = time.monotonic()
        if now - self._told >= _OFTEN:
            self._told = now
            self._say({"word": text, "progress": share})

    def _pushed(self) -> tuple[float, float] | None:
        last = None
        while not self.pushes.empty():
            last = self.pushes.get_nowait()
        return last


def main() -> None:
    """Run a worker on this process's standard streams."""
    worker = Worker()
    serve_jobs(
        worker.do,
        failed=lambda e: {"error": studio_error(e), "step": e.step},
        pushed=worker.pushes.put,
    )


if __name__ == "__main__":
    main()
