"""Files of beats: one number per line, labels, tables of markers, JSON, and tempo maps of MIDI."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from retime.arrays import FloatArray
from retime.errors import FormatError, InputError
from retime.io.files import read_bytes, write_bytes
from retime.io.json_text import parse_json, write_json
from retime.media.audio.midi import quarter_notes
from retime.media.timelines.labels import parse_labels
from retime.media.timelines.marker_table import parse_table
from retime.media.timelines.text_file import read_text

if TYPE_CHECKING:
    from retime.media.audio.beat_list import BeatList

Times = tuple[FloatArray, FloatArray]


def read_beat_times(path: str | Path, *, fps: float | None = None) -> Times:
    """Read beats and, if the file has them, downbeats, in seconds.

    Parameters
    ----------
    path : str or Path
        A .txt, .csv, .json, .mid or .midi file.
    fps : float, optional
        Frame rate of a table that counts frames.
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix not in READERS:
        raise InputError(f"beats are read from {', '.join(READERS)}, not {suffix or 'no suffix'!r}")
    if not path.is_file():
        raise InputError(f"no such file: {path}")
    beats, downbeats = READERS[suffix](path, fps)
    if len(beats) < 2:
        raise FormatError(f"{len(beats)} beats in the file; at least two are needed", path=path)
    if not np.isfinite(beats).all():
        raise FormatError("a beat is not a finite number", path=path)
    return np.unique(beats), np.unique(downbeats)


def write_beats(found: BeatList, path: str | Path) -> None:
    """Write beats: as a label track (.txt), a table of markers (.csv), or with onsets (.json)."""
    path = Path(path)
    suffix = path.suffix.lower()
    first = {f"{d:.6f}" for d in found.downbeats}
    times = [f"{b:.6f}" for b in found.beats]
    named = [(t, "downbeat" if t in first else "beat") for t in times]
    if suffix == ".txt":
        write_bytes(path, [f"{t}\t{t}\t{name}\n".encode() for t, name in named])
    elif suffix == ".csv":
        write_bytes(path, [b"time,name\n", *(f"{t},{name}\n".encode() for t, name in named)])
    elif suffix == ".json":
        about = {"format": "retime-beats", "version": 1, "bpm": found.bpm}
        times_of = {"beats": found.beats, "downbeats": found.downbeats, "onsets": found.onsets}
        write_json(about | {name: t.tolist() for name, t in times_of.items()}, path)
    else:
        raise InputError(f"beats are written as .txt, .csv or .json, not {suffix or 'no suffix'!r}")


def _text(path: Path, fps: float | None) -> Times:
    """Read one number per line, or a label track."""
    lines = enumerate(read_text(path).lines, 1)
    numbered = {n: line for n, line in lines if line.strip() and not line.startswith("#")}
    if not any("\t" in line.strip() for line in numbered.values()):
        times = [_time(line.strip(), path, n) for n, line in numbered.items()]
        return np.array(times), np.zeros(0)
    said = list(numbered.values())
    blocks = parse_labels(said, path).blocks
    starts = [b.start for b in blocks]
    first = [b.start for b, line in zip(blocks, said, strict=False) if "downbeat" in line.lower()]
    return np.array(starts), np.array(first)


def _time(text: str, path: Path, line: int) -> float:
    try:
        return float(text.replace(",", "."))
    except ValueError:
        raise FormatError(f"{text[:40]!r} is not a time in seconds", path=path, line=line) from None


def _table(path: Path, fps: float | None) -> Times:
    """Read a table of markers."""
    lines = read_text(path).lines
    blocks = parse_table(lines, path, fps).blocks
    rows = [line for line in lines[1:] if line.strip()]
    first = [b.start for b, row in zip(blocks, rows, strict=False) if "downbeat" in row.lower()]
    return np.array([b.start for b in blocks]), np.array(first)


def _json(path: Path, fps: float | None) -> Times:
    document: Any = parse_json(path)
    found = document.get("beats") if isinstance(document, dict) else document
    first = document.get("downbeats", []) if isinstance(document, dict) else []
    try:
        return np.array(found, dtype=float).reshape(-1), np.array(first, dtype=float).reshape(-1)
    except (TypeError, ValueError):
        raise FormatError('beats are a list of seconds, or {"beats": [...]}', path=path) from None


def _midi(path: Path, fps: float | None) -> Times:
    return quarter_notes(read_bytes(path), path)


READERS: dict[str, Callable[[Path, float | None], Times]] = {
    ".txt": _text,
    ".csv": _table,
    ".json": _json,
    ".mid": _midi,
    ".midi": _midi,
}
