"""The manifest: what was done to which clip, on disk before it counts.

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
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from retime.errors import InputError
from retime.io.files import lock_file
from retime.recipe import json as recipe_json
from retime.recipe.upgrade import VERSION, upgrade_name

_NAME = re.compile(r"^manifest(-\d+of\d+)?\.sqlite$")


@dataclass(frozen=True)
class Row:
    """What is known of one result."""

    name: str
    """The result, relative to its folder."""
    clip: str
    """The clip, relative to the library."""
    copy: int = 0
    """Which copy; 0 where there is only one."""
    clip_size: int = 0
    clip_stamp: int = 0
    """Bytes of the clip and when it was changed (ns): while both stay, its hash is taken over."""
    clip_sha256: str = ""
    recipe_sha256: str = ""
    """Hashes of the clip, and of all else that decides the result."""
    retime: str = ""
    """The version that made it."""
    varied: Mapping[str, Any] | None = None
    """What was drawn for it."""
    state: str = "running"
    """``running``, ``done`` or ``failed``."""
    verdict: str = ""
    """``accepted`` or ``rejected``, where it is done."""
    reasons: tuple[str, ...] = ()
    """Why it was rejected."""
    measures: Mapping[str, float] | None = None
    """Of the result."""
    physics: bool = False
    """Whether feasibility was asked for."""
    notes: tuple[str, ...] = ()
    """What was found, assumed or changed."""
    sha256: str = ""
    size: int = 0
    """Hash and number of the result's bytes."""
    seconds: float = 0.0
    clip_seconds: float = 0.0
    """Time that the work took, and the result's duration."""
    failure: str = ""
    error: str = ""
    """What kind of failure, and the sentence."""


_COLUMNS = [f.name for f in fields(Row)]
_JSON = ("varied", "reasons", "measures", "notes")
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
        self._held = path.with_suffix(".lock").open("ab")
        taken = f"another batch works in {path.parent}; wait for it, or choose another folder"
        lock_file(self._held, taken)
        self._db = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        try:
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = NORMAL")
            self._db.executescript(_TABLE)
            found = self.about().get("version", VERSION)
            if not isinstance(found, int) or found > VERSION:
                raise InputError(
                    f"{path} is of version {found}, written by a newer retime; this one continues "
                    f"versions up to {VERSION}"
                )
            if found < VERSION:
                self._upgrade(found)
        except sqlite3.DatabaseError as e:
            self.close()
            raise _damaged(path, e) from None
        except BaseException:
            self.close()
            raise

    def _upgrade(self, version: int) -> None:
        """Write what is known of an older batch under present names; its results are kept."""
        about = _upgraded_about(self.about(), version)
        rows = [self.row(name) for name in self.names()]
        self.tell(about)
        for row in rows:
            if row is not None:
                self.put(_upgraded_row(row, version))

    def about(self) -> dict[str, Any]:
        """Return what is said of the batch as a whole."""
        with self._reading():
            found = self._db.execute("SELECT key, value FROM about").fetchall()
            return {key: json.loads(value) for key, value in found}

    def tell(self, about: Mapping[str, Any]) -> None:
        """Say something of the batch as a whole."""
        values = [(key, json.dumps(value)) for key, value in {**about, "version": VERSION}.items()]
        with self._lock, self._transaction():
            self._db.executemany("INSERT OR REPLACE INTO about VALUES (?, ?)", values)

    def row(self, name: str) -> Row | None:
        """Look a result up."""
        with self._reading():
            found = self._db.execute(
                f"SELECT {', '.join(_COLUMNS)} FROM results WHERE name = ?", (name,)
            ).fetchone()
            return None if found is None else _row(found)

    def clip(self, clip: str) -> tuple[int, int, str] | None:
        """Return size, stamp and hash of a clip as they were found last."""
        with self._reading():
            found: tuple[int, int, str] | None = self._db.execute(
                "SELECT clip_size, clip_stamp, clip_sha256 FROM results "
                "WHERE clip = ? AND clip_sha256 != '' LIMIT 1",
                (clip,),
            ).fetchone()
        return found

    def put(self, row: Row) -> None:
        """Write a row; it is committed when this returns."""
        values = [getattr(row, c) for c in _COLUMNS]
        marks = ", ".join("?" * len(_COLUMNS))
        packed = [json.dumps(v) if c in _JSON else v for c, v in zip(_COLUMNS, values, strict=True)]
        with self._lock, self._transaction():
            self._db.execute(f"INSERT OR REPLACE INTO results VALUES ({marks})", packed)

    def names(self) -> Iterator[str]:
        """List the results that it knows."""
        with self._reading():
            found = self._db.execute("SELECT name FROM results").fetchall()
        return (name for (name,) in found)

    @contextlib.contextmanager
    def _reading(self) -> Iterator[None]:
        """Read one at a time; what a damaged file gives is a sentence."""
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
        """Let go of it."""
        with contextlib.suppress(sqlite3.Error):
            self._db.close()
        self._held.close()


@contextlib.contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Say in a sentence that a manifest is damaged: as a file, or in what its rows hold."""
    try:
        yield
    except (sqlite3.OperationalError, InputError):
        raise  # a full disk or a lock is no damage; a sentence is one already
    except (sqlite3.DatabaseError, ValueError, TypeError, AttributeError, RecursionError) as e:
        raise _damaged(path, e) from None


def _damaged(path: Path, error: Exception) -> InputError:
    return InputError(
        f"{path} is damaged ({error}); move it away and run the batch again, which makes all of "
        "its results again"
    )


def _row(values: tuple[Any, ...]) -> Row:
    found = dict(zip(_COLUMNS, values, strict=True))
    for name in _JSON:
        value = json.loads(found[name])
        found[name] = tuple(value) if isinstance(value, list) else value
    found["physics"] = bool(found["physics"])
    return Row(**found)


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
    """Return the present name in ``METHOD.PARAMETER=VALUES``; a step by number stays as it is."""
    target, mark, values = text.partition("=")
    method, dot, name = target.rpartition(".")
    return f"{method}{dot}{upgrade_name(method, name, version)}{mark}{values}"


def manifest_files(folder: Path) -> list[Path]:
    """List the manifests of a folder: one, or one of each shard; none where it is no batch's."""
    if not folder.is_dir():
        return []
    return sorted(p for p in folder.iterdir() if _NAME.match(p.name))


def read_rows(folder: Path) -> tuple[dict[str, Any], list[Row]]:
    """Read all rows of a batch's folder, and what is said of it, while it may still run."""
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
    with _readable(path), contextlib.closing(sqlite3.connect(path)) as db:
        found = db.execute("SELECT key, value FROM about").fetchall()
        told = {key: json.loads(value) for key, value in found}
        version = told.get("version", VERSION)
        listed = db.execute(f"SELECT {', '.join(_COLUMNS)} FROM results ORDER BY name")
        rows = [_upgraded_row(_row(values), version) for values in listed]
        return _upgraded_about(told, version), rows
