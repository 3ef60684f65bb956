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
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from retime.batch.salvage import damage, readable_text, salvaged, set_aside
from retime.bounded_json import parse
from retime.coercion import is_number, is_whole
from retime.errors import FormatError, InputError
from retime.io.files import lock_file, must_be_ordinary
from retime.recipe import json as recipe_json
from retime.recipe.upgrade import VERSION, upgrade_name

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
    state: str = "running"
    """``running``, ``done`` or ``failed``."""
    verdict: str = ""
    """``accepted`` or ``rejected``, if it is done."""
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
_JSON = ("varied", "reasons", "measures", "notes")
_KINDS: dict[str, Any] = {
    **dict.fromkeys(("copy", "clip_size", "clip_stamp", "physics", "size"), int),
    **dict.fromkeys(("seconds", "clip_seconds"), (int, float)),
}
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
        self.damaged: list[str] = []
        self._db = _connected(path)
        try:
            wrong = damage(path, _COLUMNS)
            if wrong is not None:
                self._replace(wrong)
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = NORMAL")
            self._db.executescript(_TABLE)
            found = self.about().get("version", VERSION)
            if not isinstance(found, int) or isinstance(found, bool) or found < 1:
                found = VERSION  # damaged data: each row is checked separately
            if found > VERSION:
                raise InputError(
                    f"{path} is of version {found}, written by a newer retime; this one continues "
                    f"versions up to {VERSION}"
                )
            if found < VERSION:
                self._upgrade(found)
        except (sqlite3.DatabaseError, UnicodeError) as e:
            self.close()
            raise _damaged(path, e) from None
        except BaseException:
            self.close()
            raise

    def _replace(self, wrong: str) -> None:
        """Replace a damaged file by a new one with the rows that can still be read."""
        self._db.close()
        kept = set_aside(self.path)
        about, found = salvaged(kept, ("key", "value"), _COLUMNS)
        self._db = _connected(self.path)
        self._db.executescript(_TABLE)
        count = 0
        with self._transaction():
            for key, value in about:
                self._db.execute("INSERT OR REPLACE INTO about VALUES (?, ?)", (key, value))
            marks = ", ".join("?" * len(_COLUMNS))
            for values in found:
                with contextlib.suppress(ValueError):
                    checked_row(values)
                    self._db.execute(f"INSERT OR REPLACE INTO results VALUES ({marks})", values)
                    count += 1
        self.damaged.append(
            f"{self.path.name} was damaged ({wrong}): {count} results were taken over, the others "
            f"are made again; the damaged file is kept as {kept.name}"
        )

    def _upgrade(self, version: int) -> None:
        """Rewrite a batch of an older version with the current names; its results are kept."""
        about = _upgraded_about(self.about(), version)
        rows = [self.row(name) for name in self.names()]
        self.tell(about)
        for row in rows:
            if row is not None:
                self.put(_upgraded_row(row, version))

    def about(self) -> dict[str, Any]:
        """Return the facts about the whole batch."""
        with self._reading():
            found = self._db.execute("SELECT key, value FROM about").fetchall()
            return _told(found)

    def tell(self, about: Mapping[str, Any]) -> None:
        """Set a fact about the whole batch."""
        values = [(key, json.dumps(value)) for key, value in {**about, "version": VERSION}.items()]
        with self._lock, self._transaction():
            self._db.executemany("INSERT OR REPLACE INTO about VALUES (?, ?)", values)

    def row(self, name: str) -> Row | None:
        """Look a result up."""
        with self._reading():
            found = self._db.execute(
                f"SELECT {', '.join(_COLUMNS)} FROM results WHERE name = ?", (name,)
            ).fetchone()
        if found is None:
            return None
        try:
            return checked_row(found)
        except ValueError as e:
            self.damaged.append(f"{name}: its row in {self.path.name} was damaged ({e})")
            return None

    def clip(self, clip: str) -> tuple[int, int, str] | None:
        """Return the recorded size, time stamp and hash of a clip."""
        with self._reading():
            found: tuple[int, int, str] | None = self._db.execute(
                "SELECT clip_size, clip_stamp, clip_sha256 FROM results "
                "WHERE clip = ? AND clip_sha256 != '' LIMIT 1",
                (clip,),
            ).fetchone()
        sound = found is not None and list(map(type, found)) == [int, int, str]
        return found if sound else None

    def put(self, row: Row) -> None:
        """Write a row; it is committed when this returns."""
        values = [getattr(row, c) for c in _COLUMNS]
        marks = ", ".join("?" * len(_COLUMNS))
        packed = [json.dumps(v) if c in _JSON else v for c, v in zip(_COLUMNS, values, strict=True)]
        with self._lock, self._transaction():
            self._db.execute(f"INSERT OR REPLACE INTO results VALUES ({marks})", packed)

    def names(self) -> Iterator[str]:
        """List the recorded results."""
        with self._reading():
            found = self._db.execute("SELECT name FROM results").fetchall()
        return (name for (name,) in found if isinstance(name, str))

    @contextlib.contextmanager
    def _reading(self) -> Iterator[None]:
        """Read rows one at a time; a damaged file is an ``InputError``."""
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
    except (sqlite3.OperationalError, InputError):
        raise  # a full disk or a lock is not damage; a RetimeError is already a message
    except (sqlite3.DatabaseError, ValueError, TypeError, AttributeError, RecursionError) as e:
        raise _damaged(path, e) from None


def _damaged(path: Path, error: Exception) -> InputError:
    return InputError(
        f"{path} is damaged ({error}); continue the batch, which keeps what can be read of it and "
        "makes the other results again"
    )


def _connected(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
    db.text_factory = readable_text
    return db


def _told(found: list[tuple[Any, Any]]) -> dict[str, Any]:
    """Return the facts about a batch without damaged ones, which a run sets again."""
    out = {}
    for key, value in found:
        with contextlib.suppress(FormatError):
            out[str(key)] = parse(value if isinstance(value, str) else "")
    return out


def checked_row(values: Sequence[Any]) -> Row:
    """Make a row from the values of the database; raise a ``ValueError`` for invalid ones."""
    found = dict(zip(_COLUMNS, values, strict=True))
    for name, value in found.items():
        kind = _KINDS.get(name, str)
        if name in _JSON:
            if not isinstance(value, str):
                raise ValueError(f"{name} is not text")
            try:
                found[name] = _unpacked(name, parse(value))
            except FormatError as e:
                raise ValueError(f"{name}: {e}") from None
        elif not isinstance(value, kind) or (kind is not str and not 0 <= value < 1 << 63):
            raise ValueError(f"{name} is {str(value)[:40]!r}")
    if found["state"] not in ("running", "done", "failed"):
        raise ValueError(f"its state is {found['state'][:40]!r}")
    if found["verdict"] not in ("", "accepted", "rejected"):
        raise ValueError(f"its verdict is {found['verdict'][:40]!r}")
    found["physics"] = bool(found["physics"])
    return Row(**found)


def _unpacked(name: str, value: Any) -> Any:
    if name in ("reasons", "notes"):
        if isinstance(value, list) and all(isinstance(v, str) for v in value):
            return tuple(value)
        raise ValueError(f"{name} is not a list of sentences")
    if value is None:
        return None
    if not isinstance(value, dict):
        raise ValueError(f"{name} is not an object")
    if name == "measures" and not all(map(is_number, value.values())):
        raise ValueError("a measure is not a number")
    return value


def _upgraded_about(about: dict[str, Any], version: int) -> dict[str, Any]:
    recipe = about.get("recipe")
    if version >= VERSION or not isinstance(recipe, dict):
        return about
    present = recipe_json.to_document(recipe_json.from_document(recipe))
    vary = [_upgraded_name(text, version) for text in about.get("vary", [])]
    return {**about, "recipe": present, "vary": vary, "version": VERSION}


def _upgraded_row(row: Row, version: int) -> Row:
    if version >= VERSION or not row.varied:
        return row
    return replace(row, varied={_upgraded_name(k, version): v for k, v in row.varied.items()})


def _upgraded_name(text: str, version: int) -> str:
    """Return the present name in ``METHOD.PARAMETER=VALUES``; a step by number is unchanged."""
    target, mark, values = text.partition("=")
    method, dot, name = target.rpartition(".")
    return f"{method}{dot}{upgrade_name(method, name, version)}{mark}{values}"


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
        found = db.execute("SELECT key, value FROM about").fetchall()
        version = _told(found).get("version", VERSION)
        version = version if is_whole(version) else VERSION
        told = _upgraded_about(_told(found), version)
        rows, bad = [], 0
        for values in db.execute(f"SELECT {', '.join(_COLUMNS)} FROM results ORDER BY name"):
            try:
                rows.append(_upgraded_row(checked_row(values), version))
            except ValueError:
                bad += 1
        if bad:
            told["damaged"] = bad
        return told, rows
