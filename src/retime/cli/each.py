"""Commands on many files: each is done, or its reason is listed at the end."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from retime.cli.console import progress, report, said, table
from retime.errors import RetimeError
from retime.notes import Note

Row = Mapping[str, Any]


def do_each(tasks: Mapping[str, Callable[[], Row]], *, as_json: bool) -> None:
    """Do tasks by name and print their rows; the exit status is 1 if one failed.

    A failure does not stop the others.
    """
    rows: list[Row] = []
    failed: dict[str, str] = {}
    with progress("working") as told:
        for number, (name, do) in enumerate(tasks.items()):
            told(number, len(tasks), name)
            try:
                rows.append({"name": name, **do()})
            except RetimeError as error:
                failed[name] = said(error.note)
    notes = [Note(f"{name}: {reason}", code="failed", name=name) for name, reason in failed.items()]
    if as_json:
        report({"done": rows, "failed": failed}, as_json=True, notes=notes)
    else:
        if rows:
            table([tuple(map(str, row.values())) for row in rows], header=tuple(rows[0]))
        report({"done": len(rows), "failed": len(failed)}, as_json=False, notes=notes)
    if failed:
        raise SystemExit(1)
