"""The process that works on clips: it reads tasks and writes outcomes as lines of JSON.

Its first line reports that it is ready, so that loading does not count as a task's time.

It ends with its parent process, even during a task, and may be killed at any time.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from retime.batch.task import Task, do_task
from retime.process.inside import (
    leave_interrupts_to_parent,
    own_output,
    queued_messages,
    send_message,
)
from retime.temporary import temporary_folder


def _warm_up() -> None:
    """Load all modules before a clip's time limit starts."""
    from retime import __version__, samples, write
    from retime.batch.clip_files import file_sha256

    with temporary_folder() as folder:
        clip = Path(folder) / "clip.bvh"
        write(samples.jump(fps=10), clip)
        recipe = {"format": "retime-recipe", "version": 2, "steps": [{"method": "spline"}]}
        target = str(Path(folder) / "out.bvh")
        do_task(Task("", str(clip), file_sha256(clip), recipe, target, version=__version__))


def main() -> None:
    """Work until the standard input ends."""
    leave_interrupts_to_parent()
    target = own_output()
    _warm_up()
    send_message(target, b"ready")
    messages = queued_messages()
    while True:
        outcome = do_task(Task(**json.loads(messages.get())))
        send_message(target, json.dumps(asdict(outcome)).encode())


if __name__ == "__main__":
    main()
