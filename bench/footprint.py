"""What a build of all kernels takes, beside the most allowed, and how large an installation is."""

from __future__ import annotations

import importlib.metadata
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import retime
from bench.timing import Figure

_ROOT = Path(__file__).resolve().parents[1]
_CPU_SECONDS, _COMPILER_MEGABYTES = 45.0, 1000.0


def figures() -> Iterator[Figure]:
    seconds, megabytes = _build()
    yield Figure("build of all kernels, CPU", seconds, "at most", _CPU_SECONDS)
    yield Figure("its largest process", megabytes, "at most", _COMPILER_MEGABYTES, "MB")
    own = sum(f.stat().st_size for f in Path(retime.__file__).parent.rglob("*") if f.is_file())
    needs = sum(map(_size, _requirements("retime")))
    peers = _size("numpy") + _size("scipy")
    yield Figure("retime, installed", own / 1e6, "numpy and scipy", peers / 1e6, "MB")
    yield Figure("what it needs, installed", needs / 1e6, "numpy and scipy", peers / 1e6, "MB")


def _build() -> tuple[float, float]:
    """Build all kernels; return the CPU seconds and the megabytes of the largest process."""
    nanobind = [sys.executable, "-m", "nanobind", "--cmake_dir"]
    place = subprocess.check_output(nanobind, text=True).strip()
    options = (f"-Dnanobind_DIR={place}", f"-DPython_EXECUTABLE={sys.executable}")
    cmake = (sys.executable, "-m", "cmake")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [*cmake, "-S", _ROOT, "-B", folder, *options], check=True, stdout=subprocess.DEVNULL
        )
        build = subprocess.Popen([*cmake, "--build", folder], stdout=subprocess.DEVNULL)
        _, code, usage = os.wait4(build.pid, 0)
    if code:
        sys.exit("the kernels were not built")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1e3


def _requirements(name: str, seen: frozenset[str] = frozenset()) -> frozenset[str]:
    """Return the distributions that one needs on this machine, at any depth, without extras."""
    for line in importlib.metadata.requires(name) or ():
        need = re.split(r"[^\w.-]", line)[0]
        if "extra ==" not in line and need not in seen and _is_installed(need):
            seen = _requirements(need, seen | {need})
    return seen


def _is_installed(name: str) -> bool:
    try:
        importlib.metadata.distribution(name)
    except importlib.metadata.PackageNotFoundError:  # it is for other systems
        return False
    return True


def _size(name: str) -> int:
    files = importlib.metadata.files(name) or ()
    return sum(place.stat().st_size for f in files if (place := Path(f.locate())).exists())
