"""A batch's results as a table, for spreadsheets and data frames."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from retime.batch.manifest import Row
from retime.io.files import write_bytes

_FIRST = ("name", "clip", "copy", "state", "verdict")
_LAST = ("seconds", "clip_seconds", "size", "sha256", "clip_sha256", "recipe_sha256", "retime")


def as_records(rows: Sequence[Row]) -> tuple[list[str], list[dict[str, Any]]]:
    """Return the columns and the rows; measures and varied parameters are columns too."""
    measures = sorted({m for row in rows for m in row.measures or {}})
    varied = sorted({v for row in rows for v in row.varied or {}})
    columns = [*_FIRST, "reasons", *measures, *(f"vary {v}" for v in varied), *_LAST]
    columns += ["failure", "error", "notes"]
    return columns, [dict.fromkeys(columns) | _record(row) for row in rows]


def _record(row: Row) -> dict[str, Any]:
    told = {c: getattr(row, c) for c in (*_FIRST, *_LAST, "failure", "error")}
    told |= {"reasons": "; ".join(row.reasons), "notes": "; ".join(row.notes)}
    varied = {f"vary {v}": value for v, value in (row.varied or {}).items()}
    return told | dict(row.measures or {}) | varied


def write_csv(rows: Sequence[Row], path: Path) -> None:
    """Write a table that every spreadsheet reads."""
    columns, records = as_records(rows)
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    write_bytes(path, [text.getvalue().encode()])


def write_parquet(rows: Sequence[Row], path: Path) -> bool:
    """Write a table of typed columns; false where pyarrow is not installed."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        return False
    columns, records = as_records(rows)
    values = {c: [record[c] for record in records] for c in columns}
    buffer = io.BytesIO()
    pq.write_table(pa.table({c: _typed(v) for c, v in values.items()}), buffer)
    write_bytes(path, [buffer.getvalue()])
    return True


def _typed(values: list[Any]) -> list[Any]:
    """Give a column one type: varied values may be numbers in some rows and text in others."""
    kinds = {type(v) for v in values if v is not None}
    if kinds <= {int, float, bool} or kinds <= {str}:
        return values
    return [None if v is None else str(v) for v in values]
