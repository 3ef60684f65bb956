"""Damaged databases: detect them on opening, rename them, and read the intact rows."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any


def readable_text(data: bytes) -> str:
    """Return text from a database; invalid bytes are replaced, so that the row can be read."""
    return data.decode("utf-8", "replace")


def damage(path: Path, columns: Sequence[str]) -> str | None:
    """Return the damage of a database file, or ``None``; its table must have these columns."""
    if not path.exists() or not path.stat().st_size:
        return None
    try:
        with contextlib.closing(sqlite3.connect(path)) as db:
            (said,) = db.execute("PRAGMA quick_check(1)").fetchone()
            if said == "ok" and db.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone():
                db.execute("SELECT key, value FROM about LIMIT 0")
                db.execute(f"SELECT {', '.join(columns)} FROM results LIMIT 0")
            return None if said == "ok" else str(said)[:80]
    except sqlite3.OperationalError as e:
        told = str(e)
        # a lock or a full disk is not damage
        return told[:80] if told.startswith("no such") else None
    except sqlite3.DatabaseError as e:
        return str(e)[:80]
    except UnicodeError:  # from SQLite's message
        return "its text is no UTF-8"


def set_aside(path: Path) -> Path:
    """Rename a database with its journal files, and return its new path."""
    number = 1
    while (kept := path.with_name(f"damaged-{number}-{path.name}")).exists():
        number += 1
    path.rename(kept)
    for part in ("-wal", "-shm"):
        with contextlib.suppress(FileNotFoundError):
            path.with_name(path.name + part).rename(kept.with_name(kept.name + part))
    return kept


def salvaged(
    path: Path, about: Sequence[str], columns: Sequence[str]
) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    """Return the rows of the tables ``about`` and ``results`` that can still be read."""
    told = _rows(path, f"SELECT {', '.join(about)} FROM about")
    select = f"SELECT {', '.join(columns)} FROM results ORDER BY rowid"
    # Read rows from both ends up to the damage.
    found = {row[0]: row for row in (*_rows(path, select), *_rows(path, f"{select} DESC"))}
    return told, list(found.values())


def _rows(path: Path, select: str) -> list[tuple[Any, ...]]:
    out: list[tuple[Any, ...]] = []
    with (
        contextlib.suppress(sqlite3.Error, UnicodeError),
        contextlib.closing(sqlite3.connect(path)) as db,
    ):
        db.text_factory = readable_text
        for row in db.execute(select):
            out.append(row)
    return out
