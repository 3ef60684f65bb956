"""The report of a batch: a page, and the table of its results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from retime.batch.gate import GATED
from retime.batch.manifest import Row, read_rows
from retime.batch.table import write_csv, write_parquet
from retime.errors import InputError, RetimeError
from retime.io import read
from retime.motion import Motion
from retime.notes import Note
from retime.plot.batch_report import Strip, write_batch_report

# At most this many of the worst results are drawn.
_DRAWN = 6


def report_batch(folder: Path, page: Path | None = None) -> dict[str, Any]:
    """Write a batch's page and tables; return their paths and the counts.

    The page is ``report.html`` in the folder of results where none is named. Tables are beside it.
    """
    about, rows = read_rows(folder)
    if not rows:
        raise InputError(f"{folder} contains no results yet")
    page = page or folder / "report.html"
    limits: Mapping[str, Mapping[str, Any]] = about.get("gate", {})
    strips = [s for row in _worst(rows, limits) if (s := _strip(folder, about, row)) is not None]
    table, parquet = page.with_suffix(".csv"), page.with_suffix(".parquet")
    write_csv(rows, table)
    has_parquet = write_parquet(rows, parquet)
    tables = [table.name, *([parquet.name] if has_parquet else [])]
    write_batch_report(
        page, rows, title=folder.resolve().name, about=about, limits=limits,
        measures=GATED, strips=strips, tables=tables,
    )  # fmt: skip
    counts = {s: sum(s in (row.verdict, row.state) for row in rows)
              for s in ("accepted", "rejected", "failed", "running")}  # fmt: skip
    notes: list[Note] = []
    if not has_parquet:
        notes.append(Note("no Parquet table: pyarrow is not installed", code="no-parquet"))
    return {"page": str(page), "table": str(table), "results": len(rows), **counts, "notes": notes}


def _worst(rows: Sequence[Row], limits: Mapping[str, Mapping[str, Any]]) -> list[Row]:
    """Choose the results that miss the gate by most; without a gate, those that skate most."""
    done = [row for row in rows if row.state == "done"]
    if not limits:
        done.sort(key=lambda row: -(row.measures or {}).get("foot_skate", 0.0))
        return done[:_DRAWN]
    rejected = [row for row in done if row.verdict == "rejected"]
    rejected.sort(key=lambda row: -_excess(row.measures or {}, limits))
    return rejected[:_DRAWN]


def _excess(measures: Mapping[str, float], limits: Mapping[str, Mapping[str, Any]]) -> float:
    """Return by how much the worst measure exceeds its limit, relative to the limit."""
    worst = 0.0
    for name, limit in limits.items():
        value = measures.get(name)
        for end, sign in (("max", 1.0), ("min", -1.0)):
            if value is not None and end in limit:
                worst = max(worst, sign * (value - limit[end]) / max(abs(limit[end]), 1e-9))
    return worst


def _strip(folder: Path, about: Mapping[str, Any], row: Row) -> Strip | None:
    """Read a result and its source, if they still exist."""
    result = _motion(folder / row.verdict / row.name)
    if result is None:
        return None
    source = _motion(Path(about.get("library", "")) / row.clip)
    return Strip(row.name, row.reasons, source, result)


def _motion(path: Path) -> Motion | None:
    try:
        motion = read(path)
    except (OSError, RetimeError):
        return None
    return motion if len(motion) else None
