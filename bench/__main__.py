"""Run all benchmarks and print their tables; ``python -m bench NAME...`` runs some."""

from __future__ import annotations

import importlib
import sys

from rich.console import Console
from rich.table import Table

from bench.timing import Figure

# Modules with a function ``figures()`` that yields lines.
MODULES = (
    "startup",
    "footprint",
    "kernels",
    "bvh",
    "apply",
    "contacts",
    "guided",
    "live",
    "live_server",
    "physics",
    "staggered",
    "posing",
    "surface",
    "joint_timing",
    "gltf",
    "video",
    "fbx",
    "studio",
    "batch",
    "blender",
)


def _text(value: float, unit: str) -> str:
    if unit != "s":
        return f"{value:.1f} {unit}"
    return f"{1e6 * value:.0f} us" if value < 1e-3 else f"{1e3 * value:.1f} ms"


def main() -> None:
    wanted = sys.argv[1:] or MODULES
    console = Console(width=110)
    for name in wanted:
        table = Table("what", "ours", "peer", "peer's", "ratio", title=name, title_justify="left")
        lines: list[Figure] = list(importlib.import_module(f"bench.{name}").figures())
        for line in lines:
            table.add_row(
                line.what,
                _text(line.ours, line.unit),
                line.peer,
                _text(line.theirs, line.unit),
                f"{line.ratio:.1f} x" if line.ratio >= 0.1 else f"1/{1 / line.ratio:.0f} x",
            )
        console.print(table)


main()
