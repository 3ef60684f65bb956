"""The process that works on clips, started by the threads of a batch and by workers of Dask."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from retime.batch.task import Task, do_task
from retime.process.inside import Say, serve_jobs
from retime.temporary import temporary_folder

# Idle time after which the process ends, seconds: workers of a cluster outlive batches.
_IDLE = 60.0


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


def _do(job: Mapping[str, Any], say: Say) -> Mapping[str, Any]:
    return {"outcome": asdict(do_task(Task(**job["task"])))}


def main() -> None:
    """Work until the parent ends, or has no more tasks."""
    _warm_up()
    serve_jobs(_do, idle=_IDLE)


if __name__ == "__main__":
    main()
