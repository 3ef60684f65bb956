"""Build the kernels with address and undefined-behaviour sanitizers, and attack them.

Run by ``make sanitize``, on Linux. It runs the kernels' tests, and mutated files through the
readers: an access outside an array, or an operation that C++ does not define, ends the process with
a report.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build" / "sanitize"
TESTS = ("tests/native", "tests/numeric", "tests/motion", "tests/timing", "tests/body")
# Python imports it at start: the kernels of this build take the place of the installed ones.
FINDER = """
import importlib.abc, importlib.util, sys

class Sanitized(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == "retime._native":
            return importlib.util.spec_from_file_location(name, {library!r})

sys.meta_path.insert(0, Sanitized())
"""


def main(inputs: str = "20000") -> None:
    """Build, test and attack; exit where one of them fails."""
    # The build tools come as wheels beside this interpreter.
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    if not (shutil.which("cmake") and shutil.which("ninja")):
        sys.exit("make sanitize needs cmake and ninja")
    nanobind = subprocess.check_output(
        [sys.executable, "-m", "nanobind", "--cmake_dir"], text=True
    ).strip()
    defined = {
        "RETIME_SANITIZE": "ON",
        "Python_EXECUTABLE": sys.executable,
        "nanobind_DIR": nanobind,
        "CMAKE_BUILD_TYPE": "Debug",
    }
    settings = [f"-D{name}={value}" for name, value in defined.items()]
    subprocess.run(["cmake", "-S", ROOT, "-B", BUILD, "-G", "Ninja", *settings], check=True)
    subprocess.run(["cmake", "--build", BUILD], check=True)
    library = next(BUILD.glob("_native*.so"))
    (BUILD / "sitecustomize.py").write_text(FINDER.format(library=str(library)))
    compiler = os.environ.get("CXX", "c++")
    preloaded = [
        subprocess.check_output([compiler, f"-print-file-name={name}"], text=True).strip()
        for name in ("libasan.so", "libubsan.so")
    ]
    environment = os.environ | {
        "LD_PRELOAD": " ".join(preloaded),
        # Python leaves memory allocated at exit, and ezc3d frees arrays as if they were none.
        "ASAN_OPTIONS": "detect_leaks=0:alloc_dealloc_mismatch=0:quarantine_size_mb=16",
        "PYTHONPATH": str(BUILD),
        "RETIME_SANITIZED": "1",
    }
    for command in (
        ["-m", "pytest", "-q", "-n", str(min(os.cpu_count() or 1, 8)), *TESTS],
        ["tests/stress/driver.py", "--inputs", inputs],
    ):
        ran = subprocess.run([sys.executable, *command], cwd=ROOT, env=environment, check=False)
        if ran.returncode:
            sys.exit(ran.returncode)


if __name__ == "__main__":
    main(*sys.argv[1:])
