"""CPU time of commands, beside what importing numpy and scipy.linalg takes.

A command runs without files that earlier commands left in the user's caches ("first use"), and
with them ("later"). Bytecode is present in both, as an installer leaves it.
"""

from __future__ import annotations

import functools
import hashlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import msgspec

from bench.timing import Figure, cpu_seconds, cpu_seconds_of_children
from retime.batch.task import Task
from retime.process.child import ONE_THREAD, JobServer
from retime.studio import jobs

# Arguments of commands on a clip of 3 s, and the most that they may take, in imports of the peer.
COMMANDS: dict[str, tuple[str, float]] = {
    "--help": ("--help", 0.4),
    "info": ("info jump.bvh", 1.6),
    "apply": ("apply jump.bvh out.bvh --duration 80%", 1.8),
    "surface": ("surface jump.bvh out.bvh --at 1.2 --joint RightHand --shift -0.1", 2.2),
    "guided": ("guided jump.bvh out.bvh --duration 80%", 2.2),
    "stagger": ("stagger jump.bvh out.bvh --keep 0.5 --exaggerate 0.3", 3.4),
    "physics": ("physics jump.bvh out.bvh --duration 110%", 5.6),
}
# The same for a worker process of the studio, until it has loaded a clip, and of a batch, until it
# has looked at one.
WORKER = 0.6
PEER = "import numpy, scipy.linalg"
_ROUNDS = 5


def figures() -> Iterator[Figure]:
    bare, numpy = (cpu_seconds([sys.executable, "-c", f"import {n}"]) for n in ("retime", "numpy"))
    yield Figure("import retime", bare, "import numpy", numpy)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _run("samples", "jump", "--into", name)
        commands = {n: _on(folder, c[0]) for n, c in COMMANDS.items()}
        first = {n: cpu_seconds(c, env=_caches(folder / n)) for n, c in commands.items()}
        peer, later = _in_turns(commands, _caches(folder / "all"))
        for when, taken in (("first use", first), ("later", later)):
            for n in COMMANDS:
                goal = f"goal: {1 / COMMANDS[n][1]:.1f} x"
                yield Figure(f"retime {n}, {when} ({goal})", taken[n], PEER, peer)
        for what, start in (("studio", _studio_worker), ("batch", _batch_worker)):
            run = functools.partial(start, folder / "jump.bvh")
            own = min(cpu_seconds_of_children(run) for _ in range(_ROUNDS))
            yield Figure(f"a worker of a {what} (goal: {1 / WORKER:.1f} x)", own, PEER, peer)


def _on(folder: Path, arguments: str) -> list[str]:
    files = (str(folder / a) if a.endswith(".bvh") else a for a in arguments.split())
    return [sys.executable, "-m", "retime", "--quiet", *files]


def _run(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "retime", *arguments], check=True, stdout=-3)


def _caches(folder: Path) -> dict[str, str]:
    """Return an environment in which nothing has been cached yet, but for bytecode."""
    own = dict.fromkeys(("XDG_CACHE_HOME", "NUMBA_CACHE_DIR"), str(folder))
    return {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"} | own


def _in_turns(
    commands: Mapping[str, Sequence[str]], env: Mapping[str, str]
) -> tuple[float, dict[str, float]]:
    """Time the peer and all commands in turns: the least of each, after a first that is not."""
    peer, least = float("inf"), dict.fromkeys(commands, float("inf"))
    for k in range(_ROUNDS + 1):
        own = cpu_seconds([sys.executable, "-c", PEER], env=env)
        taken = {n: cpu_seconds(c, env=env) for n, c in commands.items()}
        if k:
            peer, least = min(peer, own), {n: min(least[n], taken[n]) for n in least}
    return peer, least


def _studio_worker(clip: Path) -> None:
    job = jobs.Load(
        jobs.Clip("m1", "jump", str(clip), hashlib.sha256(clip.read_bytes()).hexdigest())
    )
    _do("retime.studio.worker", {"job": msgspec.to_builtins(job)})


def _batch_worker(clip: Path) -> None:
    _do("retime.batch.child", {"task": asdict(Task("", str(clip)))})


def _do(module: str, job: Mapping[str, Any]) -> None:
    server = JobServer([sys.executable, "-P", "-m", module], env=os.environ | ONE_THREAD)
    for _ in server.do(job):
        pass
    server.end()
