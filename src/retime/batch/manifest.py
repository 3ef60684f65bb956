"""The manifest: the result of each clip, written to disk before it counts.

One process writes it: the coordinator. In the journal's mode of SQLite (WAL) a killed process loses
nothing that was committed; a power cut may lose the last commits, which costs a repetition and no
more, so the disk is not waited for at each.
"""

from __future__ import annotations

import contextlib
import json
import re
import sqlite3
import threading
import typing
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal

from retime.bounded_json import parse
from retime.coercion import coerce, is_number
from retime.errors import InputError, RetimeError
from retime.io.files import lock_file, must_be_ordinary
from retime.recipe.json import VERSION

_NAME = re.compile(r"^manifest(-\d+of\d+)?\.sqlite$")


@dataclass(frozen=True)
class Row:
    """Record of one result."""

    name: str
    """The result, relative to its folder."""
    clip: str
    """The clip, relative to the library."""
    copy: int = 0
    """Number of the copy; 0 if there is only one."""
    clip_size: int = 0
    clip_stamp: int = 0
    """Bytes of the clip and when it was changed (ns): while both stay, its hash is kept."""
    clip_sha256: str = ""
    recipe_sha256: str = ""
    """Hashes of the clip, and of all else that decides the result."""
    retime: str = ""
    """The version that made it."""
    varied: Mapping[str, Any] | None = None
    """Its drawn values."""
    state: Literal["running", "done", "failed"] = "running"
    verdict: Literal["", "accepted", "rejected"] = ""
    """Empty until it is done."""
    reasons: tuple[str, ...] = ()
    """Why it was rejected."""
    measures: Mapping[str, float] | None = None
    """Of the result."""
    physics: bool = False
    """Whether feasibility was requested."""
    notes: tuple[str, ...] = ()
    """Findings, assumptions and changes."""
    sha256: str = ""
    size: int = 0
    """Hash and number of the result's bytes."""
    seconds: float = 0.0
    clip_seconds: float = 0.0
    """Time that the work took, and the result's duration."""
    failure: str = ""
    error: str = ""
    """Kind of failure, and the message."""


_COLUMNS = [f.name for f in fields(Row)]
_KINDS = typing.get_type_hints(Row)
_JSON = ("varied", "reasons", "measures", "notes")
_ALL = f"SELECT {', '.join(_COLUMNS)} FROM results"
_TABLE = f"""
CREATE TABLE IF NOT EXISTS about (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS results (
  name TEXT PRIMARY KEY, {", ".join(c for c in _COLUMNS if c != "name")}
);
CREATE INDEX IF NOT EXISTS clips ON results (clip);
"""


class Manifest:
    """An open manifest; only one process has it open for writing.

    The folder of its file must exist.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        lock = path.with_suffix(".lock")
        must_be_ordinary(path)
        must_be_ordinary(lock)
        self._held = lock.open("ab")
        taken = f"another batch works in {path.parent}; wait for it, or choose another folder"
        lock_file(self._held, taken)
        self._db = _connected(path)
        try:
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = NORMAL")
            self._db.executescript(_TABLE)
            self.about()
            with self._reading():  # damaged rows are refused before any work
                for stored in self._db.execute(_ALL):
                    _row(stored)
        except (sqlite3.DatabaseError, UnicodeError) as e:  # UnicodeError: in SQLite's message
            self.close()
            raise _damaged(path, e) from None
        except BaseException:
            self.close()
            raise

    def about(self) -> dict[str, Any]:
        """Return the facts about the whole batch."""
        with self._reading():
            return _about(self._db, self.path)

    def tell(self, about: Mapping[str, Any]) -> None:
        """Set a fact about the whole batch."""
        values = [(key, json.dumps(value)) for key, value in {**about, "version": VERSION}.items()]
        with self._lock, self._transaction():
            self._db.executemany("INSERT OR REPLACE INTO about VALUES (?, ?)", values)

    def row(self, name: str) -> Row | None:
        """Look a result up."""
        return self._first("name = ?", name)

    def clip(self, clip: str) -> tuple[int, int, str] | None:
        """Return the recorded size, time stamp and hash of a clip."""
        row = self._first("clip = ? AND clip_sha256 != ''", clip)
        return None if row is None else (row.clip_size, row.clip_stamp, row.clip_sha256)

    def _first(self, where: str, value: str) -> Row | None:
        with self._reading():
            stored = self._db.execute(f"{_ALL} WHERE {where} LIMIT 1", (value,)).fetchone()
            return None if stored is None else _row(stored)

    def put(self, row: Row) -> None:
        """Write a row; it is committed when this returns."""
        values = {c: getattr(row, c) for c in _COLUMNS}
        packed = [json.dumps(v) if c in _JSON else v for c, v in values.items()]
        marks = ", ".join("?" * len(_COLUMNS))
        with self._lock, self._transaction():
            self._db.execute(f"INSERT OR REPLACE INTO results VALUES ({marks})", packed)

    def names(self) -> Iterator[str]:
        """List the recorded results."""
        with self._reading():
            names = self._db.execute("SELECT name FROM results").fetchall()
        return (str(name) for (name,) in names)

    @contextlib.contextmanager
    def _reading(self) -> Iterator[None]:
        with self._lock, _readable(self.path):
            yield

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        with _readable(self.path):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                with contextlib.suppress(sqlite3.Error):
                    self._db.execute("ROLLBACK")
                raise

    def close(self) -> None:
        """Close the database."""
        with contextlib.suppress(sqlite3.Error):
            self._db.close()
        self._held.close()


@contextlib.contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Raise an error that describes the damage of a manifest, in its file or its rows."""
    try:
        yield
    except sqlite3.OperationalError:
        raise  # a full disk or a lock is not damage
    except _VersionError:
        raise
    except (sqlite3.DatabaseError, RetimeError, UnicodeError) as e:
        raise _damaged(path, e) from None


class _VersionError(InputError):
    """A manifest of another version, which is not damaged."""


def _damaged(path: Path, error: Exception) -> InputError:
    return InputError(
        f"{path} is damaged ({error}); remove it and run the batch again, which makes all results "
        "again"
    )


def _connected(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
    db.text_factory = lambda data: data.decode("utf-8", "replace")
    return db


def _about(db: sqlite3.Connection, path: Path) -> dict[str, Any]:
    """Return the facts about a batch; one of another version is an ``InputError``."""
    stored = db.execute("SELECT key, value FROM about").fetchall()
    about = {str(key): parse(str(value)) for key, value in stored}
    version = about.get("version", VERSION)
    if version != VERSION:
        raise _VersionError(
            f"{path} is of version {version!r}, and this retime continues batches of version "
            f"{VERSION}; choose another folder for the results"
        )
    return about


def _row(stored: Sequence[Any]) -> Row:
    """Make a row from the values of the database; invalid ones are an ``InputError``."""
    values = dict(zip(_COLUMNS, stored, strict=True))
    values |= {name: parse(str(values[name])) for name in _JSON}
    values["physics"] = bool(values["physics"])
    row = Row(**{name: coerce(value, _KINDS[name], name) for name, value in values.items()})
    if not all(map(is_number, (row.measures or {}).values())):
        raise InputError(f"a measure of {row.name} is not a number")
    return row


def manifest_files(folder: Path) -> list[Path]:
    """List the manifests of a folder: one, or one of each shard; none where it is not a batch's."""
    if not folder.is_dir():
        return []
    return sorted(p for p in folder.iterdir() if _NAME.match(p.name))


def read_rows(folder: Path) -> tuple[dict[str, Any], list[Row]]:
    """Read all rows and facts of a batch's folder; the batch may still run."""
    about: dict[str, Any] = {}
    rows: list[Row] = []
    for path in manifest_files(folder):
        try:
            told, listed = _read_manifest(path)
        except sqlite3.OperationalError as e:
            raise InputError(f"{path} cannot be read: {e}") from None
        about |= told
        rows += listed
    return about, sorted(rows, key=lambda row: row.name)


def _read_manifest(path: Path) -> tuple[dict[str, Any], list[Row]]:
    with _readable(path), contextlib.closing(_connected(path)) as db:
        return _about(db, path), [_row(stored) for stored in db.execute(_ALL)]
