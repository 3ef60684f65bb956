"""A worker process: jobs come in on standard input, frames and answers go out on standard output.

Both ways a message is its length (u32, little-endian) and its bytes. An outgoing message starts
with a line of JSON with its kind and its job, and may have a frame after it. The server survives
wrong files, bugs and crashes of native code in here. It may kill this process at any time.
"""

from __future__ import annotations

import queue
import threading
import time
import traceback
from typing import IO, Any

import msgspec

from retime.errors import RetimeError
from retime.process.inside import (
    leave_interrupts_to_parent,
    own_output,
    queued_messages,
    send_message,
)
from retime.studio import jobs
from retime.studio.wording import studio_error

# Progress is told at most this often, seconds.
_OFTEN = 0.05


class Order(msgspec.Struct, frozen=True):
    """A message of the server: a job with its number, or a push for the running job."""

    number: int
    job: jobs.Job | None = None
    push: tuple[float, float] | None = None


class Said(msgspec.Struct, frozen=True, omit_defaults=True):
    """The header of a worker's message about a job."""

    number: int
    kind: str
    text: str = ""
    share: float | None = None
    step: int | None = None
    ours: bool = False
    answer: Any = None


def pack(said: Said, body: bytes = b"") -> bytes:
    """Put a message together."""
    return b"".join([msgspec.json.encode(said), b"\n", body])


def unpack(data: bytes) -> tuple[Said, bytes]:
    """Take a message apart."""
    head, _, body = data.partition(b"\n")
    return msgspec.json.decode(head, type=Said), body


class Worker:
    """Reads orders and does them, one after the other.

    Orders come in on standard input, answers go to ``target``.
    """

    def __init__(self, target: IO[bytes]) -> None:
        from retime.studio.evaluation import FrameMaker

        self._target = target
        self._orders: queue.Queue[Order] = queue.Queue()
        self._pushes: queue.Queue[tuple[float, float]] = queue.Queue()
        self._evaluator = FrameMaker(self._progress)
        self._number = 0
        self._told = 0.0

    def run(self) -> None:
        """Do jobs until the server ends."""
        threading.Thread(target=self._listen, daemon=True).start()
        while True:
            order = self._orders.get()
            if order.job is not None:
                self._do(order.number, order.job)

    def _listen(self) -> None:
        messages = queued_messages(framed=True)
        while True:
            order = msgspec.json.decode(messages.get(), type=Order)
            if order.push is not None:
                self._pushes.put(order.push)
            else:
                self._orders.put(order)

    def _say(self, said: Said, body: bytes = b"") -> None:
        send_message(self._target, pack(said, body), framed=True)

    def _progress(self, text: str, share: float | None) -> None:
        now = time.monotonic()
        if now - self._told >= _OFTEN:
            self._told = now
            self._say(Said(self._number, "progress", text, share))

    def _pushed(self) -> tuple[float, float] | None:
        last = None
        while not self._pushes.empty():
            last = self._pushes.get_nowait()
        return last

    def _do(self, number: int, job: jobs.Job) -> None:
        self._number = number
        try:
            body, answer = self._done(number, job)
            self._say(Said(number, "done", answer=answer), body)
        except RetimeError as e:
            self._say(Said(number, "problem", studio_error(e), step=e.step))
        except MemoryError:
            self._say(Said(number, "problem", "There is not enough memory for it. Cut the clip."))
        except Exception as e:
            traceback.print_exc()
            text = f"{type(e).__name__}: {e}. This is a bug in retime; its log has the details."
            self._say(Said(number, "problem", text, ours=True))

    def _done(self, number: int, job: jobs.Job) -> tuple[bytes, Any]:
        e = self._evaluator
        match job:
            case jobs.Inspect():
                return b"", e.inspect(job)
            case jobs.Load():
                return e.load(job), None
            case jobs.Mesh():
                e.mesh(job)
                return b"", None
            case jobs.Result():
                return e.result(job), None
            case jobs.Resolve():
                return b"", e.resolve(job)
            case jobs.Live():
                return e.live(job), None
            case jobs.Suggest():
                return b"", msgspec.to_builtins(e.suggest(job))
            case jobs.Physics():
                return e.physics(job), None
            case jobs.Watch():
                self._pushed()  # what was pushed before is of no use now
                show = lambda frame: self._say(Said(number, "frame"), frame)  # noqa: E731
                return e.watch(job, show, self._pushed), None
            case jobs.Export():
                e.export(job)
                return b"", None


def main() -> None:
    """Run a worker on this process's standard streams."""
    leave_interrupts_to_parent()
    Worker(own_output()).run()


if __name__ == "__main__":
    main()
