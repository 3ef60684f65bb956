"""Processes that do pieces of an attack; one that dies or hangs is a finding, and is replaced.

A pool of :mod:`multiprocessing` waits forever for the answer of a process that died. Here every
process has its own pipe. Before each input it writes the input to ``current`` in its folder, so
what it was reading when it died is known.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import resource
import shutil
import signal
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

SECONDS_OF_SILENCE = 60.0
"""How long a process may work on one input: a signal does not interrupt native code."""
MOST_MEMORY = 8 << 30
"""Address space of a process: one that wants more gets a MemoryError and spares the machine."""
PIECES_OF_A_PROCESS = 60


@dataclass(frozen=True)
class Piece:
    """A part of a campaign."""

    name: str
    """The target."""
    count: int
    """How many inputs."""
    seed: int
    """What they are drawn from."""
    folder: str
    """Where corpus and findings are kept."""


Findings = list[tuple[str, bytes, str]]
Work = Callable[[Piece, Path], Findings]
"""Does a piece in a folder of its own, with ``current`` in it."""


class _Worker:
    """One process, and the piece that it is at."""

    def __init__(self, work: Work, folder: Path) -> None:
        context = multiprocessing.get_context("spawn")
        self.answers, theirs = context.Pipe()
        self.folder = folder
        self.process = context.Process(target=_run, args=(work, theirs, folder), daemon=False)
        self.process.start()
        theirs.close()
        self.piece: Piece | None = None
        self.pieces = 0
        self.begun = time.monotonic()

    def give(self, piece: Piece) -> None:
        self.piece, self.pieces, self.begun = piece, self.pieces + 1, time.monotonic()
        (self.folder / "current").unlink(missing_ok=True)
        (self.folder / "number").unlink(missing_ok=True)
        with contextlib.suppress(OSError):  # it died between two pieces: its pipe tells next
            self.answers.send(piece)

    def is_silent(self) -> bool:
        """Whether the same input has been read for too long, or none was begun."""
        with contextlib.suppress(OSError):
            return time.time() - (self.folder / "current").stat().st_mtime > SECONDS_OF_SILENCE
        return (
            time.monotonic() - self.begun > 5 * SECONDS_OF_SILENCE
        )  # seeds compile what they need

    def last_input(self) -> bytes:
        with contextlib.suppress(OSError):
            return (self.folder / "current").read_bytes()
        return b""

    def inputs_begun(self) -> int:
        with contextlib.suppress(OSError, ValueError):
            return int((self.folder / "number").read_text())
        return 0

    def end(self) -> None:
        """End the process and all that it started, and remove its folder."""
        with contextlib.suppress(OSError):
            os.killpg(self.process.pid or 0, signal.SIGKILL)
        self.process.kill()
        self.process.join()
        self.answers.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def _run(work: Work, answers: Connection, folder: Path) -> None:
    os.setsid()  # what it starts is ended with it
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = MOST_MEMORY if hard == resource.RLIM_INFINITY else min(MOST_MEMORY, hard)
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))
    folder.mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(EOFError, OSError):
        while True:
            piece = answers.recv()
            answers.send(work(piece, folder))


def do_all(
    pieces: Iterable[Piece], work: Work, processes: int, folder: Path
) -> Iterator[tuple[str, int, Findings]]:
    """Do pieces in processes; yield each target's name, inputs done, and findings.

    After a death or a hang the rest of the piece is done with another seed.
    """
    left = deque(pieces)
    workers: list[_Worker] = []
    made = 0
    try:
        while left or workers:
            while left and len(workers) < processes:
                made += 1
                place = folder / f"run-{os.getpid()}-{made}"
                place.mkdir(parents=True, exist_ok=True)
                workers.append(_Worker(work, place))
                workers[-1].give(left.popleft())
            ready: list[Any] = wait([w.answers for w in workers], timeout=1.0)
            for worker in list(workers):
                piece = worker.piece
                assert piece is not None
                if worker.answers in ready:
                    try:
                        found = worker.answers.recv()
                    except (EOFError, OSError):
                        worker.process.join(5)
                        found = None
                        text = _death(worker.process.exitcode)
                elif worker.is_silent():
                    found, text = None, f"hung: one input took over {SECONDS_OF_SILENCE:.0f} s"
                else:
                    continue
                if found is not None:
                    yield piece.name, piece.count, found
                    if left and worker.pieces < PIECES_OF_A_PROCESS:
                        worker.give(left.popleft())
                        continue
                else:
                    done = min(worker.inputs_begun(), piece.count)
                    yield piece.name, done, [(piece.name, worker.last_input(), text)]
                    if 0 < done < piece.count:  # 0: it cannot even read the seeds
                        rest = piece.count - done
                        left.append(replace(piece, count=rest, seed=piece.seed + 10**9 + done))
                workers.remove(worker)
                worker.end()
    finally:
        for worker in workers:
            worker.end()


def _death(status: int | None) -> str:
    if status is not None and status < 0:
        with contextlib.suppress(ValueError):
            return f"the process died of {signal.Signals(-status).name}"
    return f"the process ended with status {status}"
