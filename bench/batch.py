"""A thousand clips: two workers against one, and what a batch costs beside the work itself.

The clips are those of the shared mocap folder, cut to 3.5 s so that a run takes half a minute,
repeated to a thousand; the recipe is a spline of nine tenths of their length, every measure taken.
The ratio is the median of five pairs of runs. Overhead is what one worker takes per clip, less what
the same work takes when it is called in a loop. Beside each pair stands what two processes that
only count get done against one: on a machine that others use, more than that cannot be had.
"""

from __future__ import annotations

import hashlib
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import retime
from bench.timing import Figure
from retime import Recipe, Step, samples
from retime.batch.backends import open_backend
from retime.batch.run import Batch, run_batch
from retime.batch.task import Task, do_task
from retime.recipe import to_document

MOCAP = Path(__file__).parents[2] / "shared" / "mocap"
CLIPS = int(os.environ.get("RETIME_BENCH_CLIPS", "1000"))
ROUNDS = 5
_SECONDS = 3.5
_FACTOR = 0.9
RECIPE = Recipe([Step("spline")])


def _library(folder: Path) -> list[Path]:
    """Write short clips and repeat them, as links, to a thousand."""
    short = folder / "short"
    short.mkdir(parents=True)
    files = sorted(MOCAP.glob("*.bvh"))
    motions = {f.name: retime.read(f) for f in files} or {
        f"{n}.bvh": getattr(samples, n)() for n in ("jump", "walk", "run", "swing")
    }
    for name, motion in motions.items():
        start, end = motion.domain
        part = retime.TimeWarp.identity(start, min(end, start + _SECONDS))
        retime.write(retime.apply(motion, part), short / name)
    clips = sorted(short.iterdir())
    library = folder / "library"
    library.mkdir()
    for k in range(CLIPS):
        source = clips[k % len(clips)]
        (library / f"{source.stem}-{k:04d}.bvh").hardlink_to(source)
    return clips


def _run(folder: Path, workers: int) -> float:
    out = folder / "out"
    shutil.rmtree(out, ignore_errors=True)
    batch = Batch(recipe=RECIPE, library=folder / "library", out=out, vary=(f"duration={_FACTOR}",))
    backend = open_backend("local", workers)
    start = time.perf_counter()
    try:
        summary = run_batch(batch, backend)
        seconds = time.perf_counter() - start
    finally:
        backend.close()
    assert summary.accepted == CLIPS, summary
    return seconds


def _direct(folder: Path, clips: list[Path], repeats: int) -> float:
    """Seconds per clip of the work alone, in this process."""
    from threadpoolctl import threadpool_limits

    tasks = [
        Task(
            clip.name, str(clip), hashlib.sha256(clip.read_bytes()).hexdigest(),
            to_document(RECIPE), str(folder / "direct" / clip.name), (0, _FACTOR),
            version=retime.__version__,
        )
        for clip in clips
    ]  # fmt: skip
    with threadpool_limits(1):
        assert not do_task(tasks[0]).failure
        start = time.perf_counter()
        for _ in range(repeats):
            for task in tasks:
                do_task(task)
        return (time.perf_counter() - start) / (repeats * len(tasks))


def _bare(seconds: float = 3.0) -> float:
    """How much more two processes that only count get done than one: what the machine gives."""
    code = (
        f"import time\nt, n = time.time() + {seconds}, 0\nwhile time.time() < t: n += 1\nprint(n)"
    )
    counts = []
    for many in (1, 2):
        command = [sys.executable, "-S", "-c", code]
        counting = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(many)]
        counts.append(sum(int(p.communicate()[0]) for p in counting))
    return counts[1] / counts[0]


def _curve(folder: Path) -> None:
    """Rates of one to four workers; beyond the processors there is nothing to gain."""
    rates = [(n, CLIPS / _run(folder, n)) for n in (1, 2, 3, 4)]
    line = ", ".join(f"{n}: {rate:.0f}/s" for n, rate in rates)
    print(f"batch: clips a second by workers, {os.cpu_count()} processors: {line}")


def figures() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        clips = _library(folder)
        ones, twos, alone, bare = [], [], [], []
        repeats = max(1, CLIPS // (4 * len(clips)))
        for k in range(ROUNDS):
            alone.append(_direct(folder, clips, repeats))
            ones.append(_run(folder, 1))
            twos.append(_run(folder, 2))
            bare.append(_bare())
            print(
                f"batch: pair {k + 1}: one worker {ones[-1]:.1f} s, two {twos[-1]:.1f} s, "
                f"{ones[-1] / twos[-1]:.2f} x (bare counting {bare[-1]:.2f} x); "
                f"alone {1e3 * alone[-1]:.1f} ms a clip; "
                f"load {os.getloadavg()[0]:.1f}"
            )
        _curve(folder)
    ratio = statistics.median(a / b for a, b in zip(ones, twos, strict=True))
    over = statistics.median(1e3 * (a / CLIPS - b) for a, b in zip(ones, alone, strict=True))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"batch: {CLIPS} clips, median of {ROUNDS}: two workers {ratio:.2f} x one; "
        f"two processes that only count {statistics.median(bare):.2f} x one"
    )
    print(f"batch: overhead {over:.1f} ms a clip; coordinator's peak memory {peak:.0f} MB")
    yield Figure(
        f"{CLIPS} clips, two workers", statistics.median(twos), "one worker",
        statistics.median(ones),
    )  # fmt: skip
