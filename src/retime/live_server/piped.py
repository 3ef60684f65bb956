"""Perform a BVH file from a pipe, row by row as it arrives."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator, Callable

from retime.arrays import FloatArray
from retime.errors import FormatError, InputError
from retime.io.bvh.coming import ComingBvh, posed
from retime.live_server.avatar import ROOT, Avatar
from retime.live_server.vmc import BundleWriter
from retime.motion import Motion

# Rows that are read ahead of their time.
_AHEAD = 256
# Delayed rows are played at this many times normal speed.
_CATCHES_UP = 4.0


class PipedReplay:
    """The datagrams of rows that arrive through a pipe.

    ``first`` is the figure with its first row, read from ``coming``. Rows that arrive early, such
    as those of a complete file, wait for their time. Late rows are played at once: the clock of the
    stream is that of their arrival.
    """

    def __init__(self, coming: ComingBvh, first: Motion) -> None:
        self._coming, self._first = coming, first
        self.avatar = Avatar(first)
        self._step = 1.0 / first.rate

    async def play(self, clock: Callable[[], float]) -> AsyncIterator[bytes]:
        """Yield the datagram of each row at its time; an empty one for an invalid row."""
        rows = _Rows(self._coming)
        writer = BundleWriter(self.avatar.roles)
        start = clock()
        yield writer.frame(self.avatar.bones_of(self._first), ROOT, 0.0)
        number, due = 0, start
        async for row in rows:
            number += 1
            due = max(start + number * self._step, due + self._step / _CATCHES_UP, clock())
            wait = due - clock()
            if wait > 0:
                await asyncio.sleep(wait)
            try:
                frame = None if row is None else posed(self._first, row)
            except InputError:
                frame = None
            yield (
                b""
                if frame is None
                else writer.frame(self.avatar.bones_of(frame), ROOT, clock() - start)
            )


class _Rows:
    """Read rows in a thread, so that a pipe without data does not block the server."""

    def __init__(self, coming: ComingBvh) -> None:
        self._coming = coming
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[FloatArray | StopIteration | None] = asyncio.Queue()
        self._places = threading.Semaphore(_AHEAD)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended
            with contextlib.suppress(OSError, FormatError):  # what came so far is performed
                for row in self._coming.rows():
                    self._places.acquire()
                    self._loop.call_soon_threadsafe(self._queue.put_nowait, row)
            self._loop.call_soon_threadsafe(self._queue.put_nowait, StopIteration())

    def __aiter__(self) -> _Rows:
        return self

    async def __anext__(self) -> FloatArray | None:
        row = await self._queue.get()
        if isinstance(row, StopIteration):
            raise StopAsyncIteration
        self._places.release()
        return row
