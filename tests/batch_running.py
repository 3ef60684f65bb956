"""Batches that really run: libraries, commands as processes, a Dask cluster over TCP."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

import retime
from retime import Recipe, Step, samples
from retime.batch.manifest import Row, read_rows
from retime.cli import main


def make_library(folder: Path, *, bad: bool = False) -> Path:
    """Write a library of a few short clips, in folders and of two formats."""
    for name in ("jump.bvh", "walks/walk.bvh", "walks/run.npz", "swing.bvh", "deep/er/jump.glb"):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        make = getattr(samples, path.stem)
        retime.write(make(fps=24.0), path)
    if bad:
        (folder / "bad.bvh").write_text("HIERARCHY\nnonsense")
    return folder


def write_spline(path: Path) -> Path:
    retime.write_recipe(Recipe([Step("spline")]), path)
    return path


def start(*arguments: str | Path, **options: Any) -> subprocess.Popen[str]:
    """Start a command as a process of its own."""
    command = [sys.executable, "-P", "-c", "from retime.cli import main; main()"]
    return subprocess.Popen(
        [*command, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


def finish(process: subprocess.Popen[str]) -> tuple[int, list[dict[str, Any]], str]:
    """Wait for a command: status, its lines of JSON, what it said beside."""
    out, err = process.communicate(timeout=120)
    return process.returncode, [json.loads(line) for line in out.splitlines()], err


def run_batch_command(*arguments: str | Path) -> tuple[int, list[dict[str, Any]], str]:
    """Run a batch in this process: status, lines of JSON, standard error."""
    status: Any = 0
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main(["batch", *map(str, arguments), "--json"])
        except SystemExit as e:
            status = e.code or 0
    return int(status), [json.loads(line) for line in out.getvalue().splitlines()], err.getvalue()


def hashes(out: Path) -> dict[str, str]:
    """Hash every result that lies in a folder, accepted or rejected."""
    return {
        path.relative_to(out).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for place in ("accepted", "rejected")
        for path in sorted((out / place).rglob("*"))
        if path.is_file()
    }


def rows(out: Path) -> dict[str, Row]:
    return {row.name: row for row in read_rows(out)[1]}


class Cluster:
    """A Dask scheduler and workers, processes that speak TCP."""

    def __init__(self, logs: Path, tls: Sequence[str] = ()) -> None:
        self.logs, self.tls = logs, list(tls)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.address = f"127.0.0.1:{self.port}"
        self.workers: list[subprocess.Popen[bytes]] = []
        self._files: list[IO[bytes]] = []
        self.scheme = "tls" if tls else "tcp"
        host = f"{self.scheme}://127.0.0.1" if tls else "127.0.0.1"
        self.scheduler = self._start("scheduler", "--host", host, "--port", str(self.port))
        self._await_log("scheduler", r"Scheduler at")

    def _start(
        self, kind: str, *arguments: str, name: str = "", **env: str
    ) -> subprocess.Popen[bytes]:
        log = (self.logs / f"{name or kind}.log").open("wb")
        self._files.append(log)
        module = f"distributed.cli.dask_{kind}"
        return subprocess.Popen(
            [sys.executable, "-m", module, *arguments, *self.tls, "--no-dashboard"],
            stdout=log,
            stderr=subprocess.STDOUT,
            env=os.environ | env,
        )

    def add_worker(self, **env: str) -> subprocess.Popen[bytes]:
        name = f"worker{len(self.workers)}"
        one = self._start(
            "worker",
            f"{self.scheme}://{self.address}",
            "--no-nanny",
            "--nthreads",
            "1",
            name=name,
            **env,
        )
        self.workers.append(one)
        return one

    def await_workers(self) -> None:
        for k in range(len(self.workers)):
            self._await_log(f"worker{k}", r"Registered to")

    def _await_log(self, name: str, pattern: str) -> None:
        until = time.monotonic() + 60
        path = self.logs / f"{name}.log"
        while not re.search(pattern, path.read_text(errors="replace")):
            if time.monotonic() > until:
                raise TimeoutError(f"{name}: {path.read_text(errors='replace')[-2000:]}")
            time.sleep(0.05)

    def stop(self) -> None:
        for process in (*self.workers, self.scheduler):
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            process.wait()
        for file in self._files:
            file.close()


@contextlib.contextmanager
def cluster(logs: Path, tls: Sequence[str] = ()) -> Iterator[Cluster]:
    made = Cluster(logs, tls)
    try:
        yield made
    finally:
        made.stop()
