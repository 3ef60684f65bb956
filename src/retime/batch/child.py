"""The process in which clips are worked on: tasks come in as lines of JSON, outcomes go out.

Its first line says that it is ready, so that loading is no part of a task's time.

It ends with whoever started it, in the middle of a task too, and may be killed at any moment.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import sys
import tempfile
import threading
from dataclasses import asdict
from pathlib import Path
from typing import BinaryIO

from retime.batch.task import Task, do_task

__all__ = ["main"]


def _listen(source: BinaryIO, lines: queue.SimpleQueue[bytes]) -> None:
    while line := source.readline():
        lines.put(line)
    os._exit(0)  # nobody is left to tell


def _warm_up() -> None:
    """Load what every clip needs, compiled code too, before a clip's time begins to count."""
    from retime import __version__, samples, write
    from retime.batch.clip_files import file_sha256

    with tempfile.TemporaryDirectory() as folder:
        clip = Path(folder) / "clip.bvh"
        write(samples.jump(fps=10), clip)
        recipe = {"format": "retime-recipe", "version": 1, "steps": [{"method": "spline"}]}
        target = str(Path(folder) / "out.bvh")
        do_task(Task("", str(clip), file_sha256(clip), recipe, target, version=__version__))


def main() -> None:
    """Work until the standard input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the coordinator to answer
    # What libraries print must not end up between the outcomes.
    target = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    _warm_up()
    target.write(b"ready\n")
    target.flush()
    lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(sys.stdin.buffer, lines), daemon=True).start()
    while True:
        outcome = do_task(Task(**json.loads(lines.get())))
        target.write(json.dumps(asdict(outcome)).encode() + b"\n")
        target.flush()


if __name__ == "__main__":
    main()
