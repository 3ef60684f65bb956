"""How quickly the package loads and the command line answers, against plain Python and numpy."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

from bench.timing import Figure, seconds


def _run(*arguments: str) -> float:
    return seconds(lambda: subprocess.run([sys.executable, *arguments], check=True, stdout=-3))


def figures() -> Iterator[Figure]:
    numpy = _run("-c", "import numpy")
    yield Figure("import retime", _run("-c", "import retime"), "import numpy", numpy)
    typer = _run("-c", "import typer, rich.console")
    yield Figure("retime --help", _run("-m", "retime", "--help"), "import typer and rich", typer)
