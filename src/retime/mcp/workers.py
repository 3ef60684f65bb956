"""The server's side of the child processes: one request at a time, within a deadline."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import tempfile
import threading
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from retime.errors import InputError, RetimeError
from retime.process.child import ONE_THREAD, Ended, JobServer, TimedOut

# How long a request may take, and how soon a cancelled one ends; seconds.
_SECONDS, _NOTICED = 120.0, 0.1
_PROCESSES = 2

Heard = Callable[[float, float, str], Awaitable[None]]


@dataclass(frozen=True)
class Answer:
    """The answer to a request: text, and perhaps a picture (PNG)."""

    text: str
    picture: bytes = b""


class Failed(RetimeError):
    """A request that was refused, in an assistant's terms."""


class Workers:
    """Two processes, so that a long request of one client does not stop another."""

    def __init__(self, folder: Path) -> None:
        # -P: files in the folder are never imported.
        command = [sys.executable, "-P", "-m", "retime.mcp.worker", str(folder)]
        # Files of others are in the common temporary folder.
        self._temporary = tempfile.TemporaryDirectory(
            prefix="retime-mcp-", ignore_cleanup_errors=True
        )
        own = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), self._temporary.name)
        env = os.environ | ONE_THREAD | own | {"MPLBACKEND": "agg"}
        servers = [JobServer(command, env=env, cwd=folder, stderr=None) for _ in range(_PROCESSES)]
        # The last one that was used comes first: its process runs, and has motions in memory.
        self._free: asyncio.LifoQueue[JobServer] = asyncio.LifoQueue()
        for server in servers:
            self._free.put_nowait(server)
        self._servers = servers
        self._threads = ThreadPoolExecutor(_PROCESSES, "retime-worker")

    async def do(self, job: Mapping[str, Any], heard: Heard) -> Answer:
        """Answer a request; if the caller is cancelled, its process is ended."""
        server = await self._free.get()
        loop, cancelled = asyncio.get_running_loop(), threading.Event()

        def tell(message: Mapping[str, Any]) -> None:
            numbers = float(message["progress"]), float(message["total"])
            asyncio.run_coroutine_threadsafe(_tell(heard, *numbers, message["word"]), loop)

        work = loop.run_in_executor(self._threads, _answer, server, job, tell, cancelled)
        work.add_done_callback(lambda _: self._free.put_nowait(server))
        try:
            return await asyncio.shield(work)
        except asyncio.CancelledError:
            cancelled.set()
            work.add_done_callback(lambda done: done.exception())  # nobody waits for it
            raise

    def close(self) -> None:
        """End the processes at once."""
        for server in self._servers:
            server.kill()
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._temporary.cleanup()


async def _tell(heard: Heard, done: float, total: float, word: str) -> None:
    with contextlib.suppress(Exception):  # the client has left, or was answered meanwhile
        await heard(done, total, word)


def _answer(
    server: JobServer,
    job: Mapping[str, Any],
    tell: Callable[[Mapping[str, Any]], None],
    cancelled: threading.Event,
) -> Answer:
    """Have a request answered, in a thread."""

    def wanted() -> bool:
        return not cancelled.is_set()

    last: Mapping[str, Any] = {}
    try:
        messages: Any = server.do(job, seconds=_SECONDS, wait=_NOTICED, wanted=wanted)
        with contextlib.closing(messages):  # closed early, they end the process
            for message in messages:
                if not wanted():
                    raise Failed("the request was cancelled")
                if message is not None:
                    last = message
                    if "progress" in message:
                        tell(message)
                    if "ready" in message:
                        server.push(True)
    except TimedOut:
        raise Failed(
            f"this takes longer than {_SECONDS:g} seconds and was stopped; nothing was written: "
            "cut the clip, or use a quicker method"
        ) from None
    except Ended:
        raise InputError(
            "the process that worked on this ended unexpectedly and nothing was written; it will "
            "be started again"
        ) from None
    if "error" in last:
        raise Failed(str(last["error"]))
    return Answer(str(last.get("text", "")), last.get("body", b""))
