"""Output of the commands: a table or JSON on stdout, notes and progress on stderr."""

from __future__ import annotations

import json
import logging
import os
import sys
import time
import traceback
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from typing import TYPE_CHECKING, Any, Literal

from retime.cli.streams import STREAMS
from retime.errors import InputError
from retime.notes import ROUTINE, Note, Presenter, Remedy, as_notes, present

if TYPE_CHECKING:
    from retime.parameters import Parameter


class _Loudness:
    quiet = False
    verbose = False


# Suffixes of field names, with factor, decimals and unit for display.
_UNITS = {
    "s": (1, 3, "s"),
    "m": (1, 3, "m"),
    "mps": (1, 2, "m/s"),
    "deg": (1, 1, "degrees"),
    "kg": (1, 1, "kg"),
    "share": (100, 1, "%"),
}


def set_loudness(word: Literal["", "quiet", "verbose"]) -> None:
    """Print only errors, or also the log with times."""
    if word and (_Loudness.quiet or _Loudness.verbose) and not getattr(_Loudness, word):
        raise InputError("--quiet and --verbose contradict each other; give one of them")
    _Loudness.quiet, _Loudness.verbose = word == "quiet", word == "verbose"
    quiet, verbose = _Loudness.quiet, _Loudness.verbose
    log = logging.getLogger("retime")
    log.setLevel(logging.ERROR if quiet else logging.DEBUG if verbose else logging.NOTSET)
    for handler in [h for h in log.handlers if isinstance(h, _Told)]:
        log.removeHandler(handler)
    if verbose:
        log.addHandler(_Told())


class _Told(logging.Handler):
    """Print the log with the seconds since the command began."""

    def __init__(self) -> None:
        super().__init__()
        self._start = time.perf_counter()

    def emit(self, record: logging.LogRecord) -> None:
        """Print a record."""
        passed = time.perf_counter() - self._start
        print(f"{passed:8.3f} s  {STREAMS.named(record.getMessage())}", file=sys.stderr)


def explain() -> None:
    """Print the traceback of an error with ``--verbose``."""
    if _Loudness.verbose:
        traceback.print_exc()


def note(text: str) -> None:
    """Print a note to stderr."""
    if not _Loudness.quiet:
        print(f"note: {STREAMS.named(said(text))}", file=sys.stderr)


def said(text: str) -> str:
    """Return a note or message with command-line options in place of parameters."""
    return present(text, _CommandLine())


# Flags of the running command by the names of the parameters: those of its method, and of reading.
METHOD_FLAGS: dict[str, str] = {}
READING_FLAGS: dict[str, str] = {}


class _CommandLine(Presenter):
    """Show parameters as options; those of a recipe file keep their names."""

    def parameter(self, name: str, item: str) -> str:
        """Return the option of a parameter."""
        flag = METHOD_FLAGS.get(name) or READING_FLAGS.get(name)
        return f"--{flag}" if flag else f"{name}{item}"

    def step(self, word: str, number: int, name: str) -> str:
        """Return the step of a recipe; the command of a method has no steps that a user knows."""
        return "" if METHOD_FLAGS and word == "step" else super().step(word, number, name)

    def remedy(self, remedy: Remedy) -> str:
        """Return the option to give, or the command."""
        scope, _, name = remedy.parameter.rpartition(".")
        if scope == "trim":
            return f"retime trim --{name} {remedy.value}"
        flags = (p.flag for p in _declared_in(scope) if p.name == name)
        flag = next(flags, name.replace("_", "-"))
        return f"--{flag}" if remedy.value is None else f"--{flag} {remedy.value}"


def _declared_in(scope: str) -> Iterable[Parameter]:
    """Return the parameters of reading, or of all methods that were used."""
    from retime.parameters import declared

    if scope == "reading":
        from retime.evaluate.reading import Reading

        return declared(Reading)
    if scope:
        return ()
    from retime.methods import METHODS

    # A remedy comes from a method that has run, so no other needs to be imported.
    used = [m for m in METHODS.values() if m.module in sys.modules]
    return (p for m in used for p in declared(m.parameters))


def report(fields: Mapping[str, Any], *, as_json: bool, notes: Iterable[Note] = ()) -> None:
    """Print a command's result: a line for each name and value, or JSON.

    Values may be paths. Without JSON, those that are ``None`` are left out.
    """
    notes = list(dict.fromkeys(as_notes(notes)))
    if _Loudness.quiet and "output" in fields and not as_json:
        return
    if STREAMS.written is not None:  # standard output is the result itself
        with redirect_stdout(sys.stderr):
            _print(fields, notes, as_json=as_json)
    else:
        _print(fields, notes, as_json=as_json)


def _print(fields: Mapping[str, Any], notes: Sequence[Note], *, as_json: bool) -> None:
    if as_json:
        _print_json({**fields, "notes": notes, "note_codes": [n.code for n in notes]})
        return
    table([_line(k, v) for k, v in fields.items() if v is not None])
    # Only `retime info` and --verbose print what needs no action.
    left_out = ROUTINE if "output" in fields and not _Loudness.verbose else ()
    for text in notes:
        if text.code not in left_out:
            note(text)


def _print_json(fields: Mapping[str, Any]) -> None:
    narrow = (sys.stdout.encoding or "utf-8").lower() not in ("utf-8", "utf8")
    print(json.dumps(fields, indent=1, ensure_ascii=narrow, default=os.fspath))


def _line(name: str, value: Any) -> tuple[str, str]:
    """Return a field for display, with the unit that ends its name after the number."""
    said, _, last = name.rpartition("_")
    if said and isinstance(value, float) and last in _UNITS:
        factor, digits, unit = _UNITS[last]
        return said.replace("_", " "), f"{round(factor * value, digits):g} {unit}"
    return name.replace("_", " "), _text(value)


def _text(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    if STREAMS.written is not None and value == STREAMS.written:
        return "standard output"
    if isinstance(value, list | tuple):
        return ", ".join(map(_text, value)) or "none"
    return str(value)


def table(rows: Sequence[tuple[str, ...]], header: tuple[str, ...] = ()) -> None:
    """Print rows in columns; text is not interpreted as markup."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    grid = Table(box=None, show_header=bool(header), pad_edge=False, header_style="bold")
    for k in range(len(rows[0]) if rows else len(header)):
        grid.add_column(header[k] if header else "", style="bold" if k == 0 else None)
    for row in rows:
        grid.add_row(*(Text(cell, overflow="fold") for cell in row))
    Console().print(grid)


@contextmanager
def progress(title: str) -> Iterator[Any]:
    """Show a bar on stderr if it is a terminal; yields ``(done, total, what) -> None``."""
    if not sys.stderr.isatty() or _Loudness.quiet:
        yield lambda done, total, what: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title)

        def told(done: int, total: int, what: str) -> None:
            bar.update(task, description=f"{title}: {what}", completed=done, total=total)

        yield told
