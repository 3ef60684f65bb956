"""The clock of a MIDI file: its quarter notes and bars in seconds, by its tempo map."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from retime.arrays import FloatArray
from retime.errors import FormatError

# Microseconds per quarter note if the file has no tempo: 120 bpm.
_DEFAULT = 500_000
_MOST = 200_000
# Kinds of meta events.
_TEMPO, _METER, _END_OF_TRACK = 0x51, 0x58, 0x2F
# Bytes after each kind of channel message.
_LENGTHS = {0x80: 2, 0x90: 2, 0xA0: 2, 0xB0: 2, 0xC0: 1, 0xD0: 1, 0xE0: 2}


def quarter_notes(data: bytes, path: Path) -> tuple[FloatArray, FloatArray]:
    """Return the times of quarter notes and of bars, until the last event."""
    division, tracks = _tracks(data, path)
    events = _Events()
    try:
        last = max(events.walk(track) for track in tracks)
    except IndexError:
        raise FormatError("the MIDI file is damaged", path=path) from None
    if last <= 0:
        raise FormatError("the MIDI file has no events in time", path=path)
    count = last // division + 1
    if count > _MOST:
        raise FormatError(
            f"the MIDI file has {count} quarter notes, too many for a song", path=path
        )
    ticks = np.arange(count) * division
    changes = sorted({0: _DEFAULT, **events.tempi}.items())
    at = np.array([t for t, _ in changes], dtype=float)
    pace = np.array([p for _, p in changes]) / 1e6 / division
    start = np.r_[0.0, np.cumsum(np.diff(at) * pace[:-1])]
    k = np.searchsorted(at, ticks, side="right") - 1
    times = start[k] + (ticks - at[k]) * pace[k]
    bars = _bars(events.meters, division, last)
    return times, times[[b for b in bars if b < len(times)]]


def _bars(meters: dict[int, int], division: int, last: int) -> list[int]:
    """Return the quarter notes at which bars start."""
    out: list[int] = []
    changes = sorted(meters.items())
    for k, (tick, length) in enumerate(changes):
        end = changes[k + 1][0] if k + 1 < len(changes) else last + 1
        step = max(length, 1)
        out += list(range(-(-tick // division), -(-end // division), step))
    return out


def _tracks(data: bytes, path: Path) -> tuple[int, list[bytes]]:
    if data[:4] != b"MThd" or len(data) < 14:
        raise FormatError("not a MIDI file", path=path)
    division = int.from_bytes(data[12:14], "big")
    if division & 0x8000 or division == 0:
        raise FormatError("the MIDI file counts video frames, not notes", path=path)
    tracks, at = [], 8 + int.from_bytes(data[4:8], "big")
    while at + 8 <= len(data):
        size = int.from_bytes(data[at + 4 : at + 8], "big")
        if data[at : at + 4] == b"MTrk":
            tracks.append(data[at + 8 : at + 8 + size])
        at += 8 + size
    if not tracks:
        raise FormatError("there is no track in the MIDI file", path=path)
    return division, tracks


class _Events:
    """Collect tempi (microseconds) and meters (quarter notes per bar) by tick."""

    def __init__(self) -> None:
        self.tempi: dict[int, int] = {}
        self.meters: dict[int, int] = {}

    def walk(self, track: bytes) -> int:
        """Read a track's events and return the last tick; a damaged track is an ``IndexError``."""
        at, tick, running = 0, 0, 0
        while at < len(track):
            delta, at = _number(track, at)
            tick += delta
            status = track[at]
            if status & 0x80:
                at += 1
            else:
                status = running
            if status == 0xFF:
                kind = track[at]
                size, at = _number(track, at + 1)
                self._meta(kind, track[at : at + size], tick)
                if kind == _END_OF_TRACK:
                    break
                at += size
            elif status in (0xF0, 0xF7):
                size, at = _number(track, at)
                at += size
            elif status & 0xF0 in _LENGTHS:
                running = status
                at += _LENGTHS[status & 0xF0]
            else:
                raise IndexError
        return tick

    def _meta(self, kind: int, body: bytes, tick: int) -> None:
        if kind == _TEMPO and len(body) == 3:
            self.tempi[tick] = max(int.from_bytes(body, "big"), 1)
        elif kind == _METER and len(body) >= 2 and (4 * body[0]) % (1 << body[1]) == 0:
            self.meters[tick] = 4 * body[0] >> body[1]


def _number(data: bytes, at: int) -> tuple[int, int]:
    """Read a number of variable length, and where it ends."""
    value = 0
    for _ in range(4):
        byte = data[at]
        at += 1
        value = value << 7 | byte & 0x7F
        if not byte & 0x80:
            break
    return value, at
