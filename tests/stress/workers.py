"""Processes that do pieces of an attack; one that dies or hangs is a finding, and is replaced.

A pool of :mod:`multiprocessing` waits forever for the answer of a process that died. Here every
process has its own pipe, and a :class:`Record` of the input that it is reading, which outlives it.
"""

from __future__ import annotations

import contextlib
import mmap
import multiprocessing
import os
import resource
import shutil
import signal
import struct
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


class Record:
    """The input that a process reads, in a mapped file: a write costs no call of the system."""

    _HEAD = struct.Struct("<QQd")
    _LONGEST = 4 << 20

    def __init__(self, folder: Path) -> None:
        with open(folder / "record", "a+b") as file:
            file.truncate(self._HEAD.size + self._LONGEST)
            self._map = mmap.mmap(file.fileno(), self._HEAD.size + self._LONGEST)

    def begin(self, number: int, data: bytes) -> None:
        """Note that an input is read from now on; the first one is number 1, and 0 is none."""
        data = data[: self._LONGEST]
        self._map[self._HEAD.size : self._HEAD.size + len(data)] = data
        self._map[: self._HEAD.size] = self._HEAD.pack(number, len(data), time.monotonic())

    def last(self) -> tuple[int, bytes, float]:
        """Return the number of the input, the input, and the monotonic time of its beginning."""
        number, length, begun = self._HEAD.unpack(self._map[: self._HEAD.size])
        return number, self._map[self._HEAD.size : self._HEAD.size + length], begun

    def close(self) -> None:
        """Unmap the file."""
        self._map.close()


Findings = list[tuple[str, bytes, str]]
Work = Callable[[Piece, Path], Findings]
"""Does a piece in a folder of its own, where it keeps a :class:`Record`."""


class _Worker:
    """One process, and the piece that it is at."""

    def __init__(self, work: Work, folder: Path) -> None:
        context = multiprocessing.get_context("spawn")
        self.answers, theirs = context.Pipe()
        self.folder = folder
        self.record = Record(folder)
        self.process = context.Process(target=_run, args=(work, theirs, folder), daemon=False)
        self.process.start()
        theirs.close()
        self.piece: Piece | None = None
        self.pieces = 0

    def give(self, piece: Piece) -> None:
        self.piece, self.pieces = piece, self.pieces + 1
        self.record.begin(0, b"")
        with contextlib.suppress(OSError):  # it died between two pieces: its pipe tells next
            self.answers.send(piece)

    def is_silent(self) -> bool:
        """Whether the same input has been read for too long, or none was begun."""
        number, _, begun = self.record.last()
        # Reading the seeds compiles what they need.
        return time.monotonic() - begun > (1 if number else 5) * SECONDS_OF_SILENCE

    def end(self) -> None:
        """End the process and all that it started, and remove its folder."""
        with contextlib.suppress(OSError):
            os.killpg(self.process.pid or 0, signal.SIGKILL)
        self.process.kill()
        self.process.join()
        self.answers.close()
        self.record.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def _run(work: Work, answers: Connection, folder: Path) -> None:
    os.setsid()  # what it starts is ended with it
    if "RETIME_SANITIZED" not in os.environ:  # sanitizers reserve terabytes of addresses
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        most = MOST_MEMORY if hard == resource.RLIM_INFINITY else min(MOST_MEMORY, hard)
        resource.setrlimit(resource.RLIMIT_AS, (most, hard))
    folder.mkdir(parents=True, exist_ok=True)
    while True:
        try:
            piece = answers.recv()
        except (EOFError, OSError):  # the driver has ended
            return
        answers.send(work(piece, folder))


def do_all(
    pieces: Iterable[Piece], work: Work, processes: int, folder: Path
) -> Iterator[tuple[Piece, Findings]]:
    """Do pieces in processes; yield each with the inputs that were done, and its findings.

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
                    yield piece, found
                    if left and worker.pieces < PIECES_OF_A_PROCESS:
                        worker.give(left.popleft())
                        continue
                else:
                    number, data, _ = worker.record.last()
                    done = min(number, piece.count)
                    yield replace(piece, count=done), [(piece.name, data, text)]
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
