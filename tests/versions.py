"""Test retime with the lowest, or the newest, versions that it allows of what it needs.

    python tests/versions.py lowest
    python tests/versions.py newest --extras studio live

It makes a virtual environment with the Python that runs it, installs retime there with some extras,
and runs the tests that need nothing else. Lowest are the versions that ``pyproject.toml`` names, so
the lowest supported Python is the one to run it with: newer ones have no wheels of some of them.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
EXTRAS = ("studio", "live", "c3d", "usd", "notebook")
TOOLS = ("hypothesis", "pytest", "numpydoc")
TESTS = (
    "tests/timing", "tests/motion", "tests/test_times.py", "tests/test_bounds.py",
    "tests/io/test_bvh_reading.py", "tests/io/test_npz.py", "tests/recipe", "tests/cli/test_cli.py",
    "tests/io/test_c3d.py", "tests/studio/test_guard.py", "tests/studio/test_project.py",
    "tests/live_server/test_vmc.py", "tests/live_server/test_feed_strangers.py",
)  # fmt: skip


def requirements(extras: list[str]) -> list[str]:
    """List what is needed: retime's own, some extras, and the tools of these tests."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    optional = project["optional-dependencies"]
    named = [r for r in optional["dev"] if re.match(r"[\w-]+", r)[0] in TOOLS]  # type: ignore[index]
    return [*project["dependencies"], *(r for e in extras for r in optional[e]), *named]


def lowest(requirement: str) -> str:
    """Return a requirement of the lowest version that another one allows.

    >>> lowest("numpy>=2.2,<2.6")
    'numpy==2.2'
    """
    return re.sub(r"^([\w.-]+)>=([\w.]+)[^;]*", r"\1==\2", requirement)


def main() -> None:
    """Install, test, and end with the status of the tests."""
    ask = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    ask.add_argument("which", choices=("lowest", "newest"))
    ask.add_argument("--extras", nargs="*", default=list(EXTRAS))
    ask.add_argument("--tests", nargs="*", default=list(TESTS))
    asked = ask.parse_args()
    needed = requirements(asked.extras)
    if asked.which == "lowest":
        needed = [lowest(r) for r in needed]
    with tempfile.TemporaryDirectory(prefix="retime-versions-") as place:
        subprocess.run([sys.executable, "-m", "venv", place], check=True)
        python = Path(place) / ("Scripts" if os.name == "nt" else "bin") / "python"
        pip = [str(python), "-m", "pip", "--disable-pip-version-check", "--quiet"]
        subprocess.run([*pip, "install", "--only-binary=:all:", "--upgrade", *needed], check=True)
        # Installed, not only found: tests call its command, and children ask for its version.
        subprocess.run([*pip, "install", "--no-deps", "--editable", str(ROOT)], check=True)
        subprocess.run([*pip, "check"], check=True)
        subprocess.run([*pip, "list"], check=True)
        environment = os.environ | {"MPLBACKEND": "agg"}
        environment.pop("PYTHONPATH", None)
        environment["PATH"] = f"{python.parent}{os.pathsep}{os.environ['PATH']}"
        command = [str(python), "-m", "pytest", "-q", "-p", "no:cacheprovider", *asked.tests]
        if asked.which == "lowest":  # old versions use what newer ones of others have deprecated
            command += ["-W", "default::DeprecationWarning"]
        sys.exit(subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode)


if __name__ == "__main__":
    main()
