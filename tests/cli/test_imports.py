"""What commands import: the larger modules of scipy take longer than most of them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from retime import samples, write

HEAVY = ("interpolate", "ndimage", "optimize", "signal", "spatial", "stats")
CODE = f"""
import sys
from retime.cli import main
try: main(sys.argv[1:])
except SystemExit as end: assert not end.code, end.code
heavy = {{f"scipy.{{name}}" for name in {HEAVY}}} | {{"matplotlib", "joblib"}}
sys.exit(sorted(heavy & set(sys.modules)) or 0)
"""


@pytest.mark.parametrize(
    "arguments",
    [
        "info jump.bvh",
        "contacts jump.bvh",
        "check jump.bvh",
        "convert jump.bvh out.glb",
        "apply jump.bvh out.bvh --duration 80%",
        "surface jump.bvh out.bvh --at 1.2 --joint RightHand --shift -0.1",
        "stagger jump.bvh out.bvh --keep 0.5 --exaggerate 0.3",
        "secondary jump.bvh out.bvh",
    ],
)
def test_commands_do_without_heavy_modules(arguments: str, tmp_path: Path) -> None:
    write(samples.jump(), tmp_path / "jump.bvh")
    command = [sys.executable, "-c", CODE, "--quiet", *arguments.split()]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
