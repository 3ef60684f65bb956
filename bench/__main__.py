"""Run all benchmarks and print their tables; ``python -m bench NAME...`` runs some."""

from __future__ import annotations

import importlib
import sys

from rich.console import Console
from rich.table import Table

from bench.timing import Figure

# Modules with a function ``figures()`` that yields lines.
MODULES = ("startup", "bvh", "apply", "guided")


def main() -> None:
    wanted = sys.argv[1:] or MODULES
    console = Console(width=110)
    for name in wanted:
        table = Table("what", "ours", "peer", "peer's", "ratio", title=name, title_justify="left")
        lines: list[Figure] = list(importlib.import_module(f"bench.{name}").figures())
        for line in lines:
            table.add_row(
                line.what,
                f"{1e3 * line.ours_s:.1f} ms",
                line.peer,
                f"{1e3 * line.peer_s:.1f} ms",
                f"{line.ratio:.1f} x",
            )
        console.print(table)


main()
