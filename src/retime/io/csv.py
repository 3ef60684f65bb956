"""Write tables of joint positions: one row per frame, for spreadsheets and scripts."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from retime.io.files import write_bytes
from retime.motion import Motion
from retime.motion.kinematics import positions

_ROWS_A_CHUNK = 256


def write_motion(motion: Motion, path: str | Path, *, drop_rest: bool = False) -> None:
    """Write time in seconds, and x, y, z of every joint in metres with Y up.

    ``drop_rest`` changes nothing: a rest frame that was set aside has no time, and is never a row.
    """
    write_bytes(path, _lines(motion))


def _lines(motion: Motion) -> Iterator[bytes]:
    names = motion.skeleton.names
    yield _row(["time", *(f"{n}.{axis}" for n in names for axis in "xyz")])
    points = positions(motion).reshape(len(motion), -1)
    table = np.concatenate([motion.times[:, None], points], axis=1)
    line = ",".join(["%.6f"] * table.shape[1]) + "\n"
    for start in range(0, len(table), _ROWS_A_CHUNK):
        chunk = table[start : start + _ROWS_A_CHUNK].tolist()
        yield "".join(line % tuple(row) for row in chunk).encode()


def _row(cells: list[str]) -> bytes:
    """Write a line of text cells; commas and quotes in a joint's name are quoted."""
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerow(cells)
    return buffer.getvalue().encode()
