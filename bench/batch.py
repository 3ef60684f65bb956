"""A thousand clips: two workers against one, and what a batch costs beside the work itself.

The clips are those of the shared mocap folder, repeated to a thousand; the recipe is a spline of
nine tenths of their length, every measure taken. It takes a quarter of an hour.
The ratio is the median of five pairs of runs. Overhead is the time of a run with one worker, from
its start to its end, less what that worker says its clips took. Beside each pair stands what two
processes that only count get done against one: on a machine that others use, more than that cannot
be had.
"""

from __future__ import annotations

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

MOCAP = Path(__file__).parents[2] / "shared" / "mocap"
CLIPS = int(os.environ.get("RETIME_BENCH_CLIPS", "1000"))
ROUNDS = 5
_FACTOR = 0.9
RECIPE = Recipe([Step("spline")])


def _library(folder: Path) -> list[Path]:
    """Repeat clips, as links, to a thousand."""
    once = folder / "once"
    once.mkdir(parents=True)
    for file in sorted(MOCAP.glob("*.bvh")):
        shutil.copyfile(file, once / file.name)
    if not any(once.iterdir()):
        for name in ("jump", "walk", "run", "swing"):
            retime.write(getattr(samples, name)(), once / f"{name}.bvh")
    clips = sorted(once.iterdir())
    library = folder / "library"
    library.mkdir()
    for k in range(CLIPS):
        source = clips[k % len(clips)]
        (library / f"{source.stem}-{k:04d}.bvh").hardlink_to(source)
    return clips


def _run(folder: Path, workers: int) -> tuple[float, float]:
    """Seconds of a whole run, and of those what the clips took in the processes that did them."""
    out = folder / "out"
    shutil.rmtree(out, ignore_errors=True)
    batch = Batch(recipe=RECIPE, library=folder / "library", out=out, vary=(f"duration={_FACTOR}",))
    backend = open_backend("local", workers)
    spent: list[float] = []
    start = time.perf_counter()
    try:
        summary = run_batch(batch, backend, lambda row, _: spent.append(row.seconds))
        seconds = time.perf_counter() - start
    finally:
        backend.close()
    assert summary.accepted == CLIPS, summary
    return seconds, sum(spent)


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


def _curve(folder: Path, known: dict[int, float]) -> None:
    """Rates of one to four workers; beyond the processors there is nothing to gain."""
    rates = [(n, CLIPS / (known.get(n) or _run(folder, n)[0])) for n in (1, 2, 3, 4)]
    line = ", ".join(f"{n}: {rate:.0f}/s" for n, rate in rates)
    print(f"batch: clips a second by workers, {os.cpu_count()} processors: {line}")


def figures() -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _library(folder)
        ones, twos, works, bare = [], [], [], []
        for k in range(ROUNDS):
            one, work = _run(folder, 1)
            two, _ = _run(folder, 2)
            ones.append(one)
            works.append(work)
            twos.append(two)
            bare.append(_bare())
            print(
                f"batch: pair {k + 1}: one worker {one:.1f} s, {work:.1f} s of it for the clips; "
                f"two workers {two:.1f} s, {one / two:.2f} x (bare counting {bare[-1]:.2f} x); "
                f"load {os.getloadavg()[0]:.1f}",
                flush=True,
            )
        _curve(folder, {1: statistics.median(ones), 2: statistics.median(twos)})
    ratio = statistics.median(a / b for a, b in zip(ones, twos, strict=True))
    over = statistics.median(1e3 * (a - b) / CLIPS for a, b in zip(ones, works, strict=True))
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
