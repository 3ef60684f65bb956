"""Bezier keys for a graph editor, as JSON or as a table: in seconds, and in frames if requested."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from retime.arrays import FloatArray
from retime.errors import InputError
from retime.io.files import write_bytes
from retime.io.json_text import write_json
from retime.timing.curves import BezierCurve

COLUMNS = ("output", "source", "left_output", "left_source", "right_output", "right_source")


def write_keys(
    curve: BezierCurve, path: str | Path, *, fps: float | None = None, first_frame: float = 0.0
) -> None:
    """Write a curve's keys and handles.

    The file is a .json or a .csv. With ``fps`` every time is given in frames of this rate too,
    where ``first_frame`` stands at 0 s.
    """
    path = Path(path)
    points = np.concatenate([curve.keys, curve.left, curve.right], axis=1)
    frames = None if fps is None else points * fps + first_frame
    if path.suffix.lower() == ".json":
        told = {} if fps is None else {"fps": fps, "first_frame": first_frame}
        keys = [_key(row) for row in points]
        for key, row in zip(keys, () if frames is None else frames, strict=False):
            key["frames"] = _key(row)
        write_json({"format": "retime-bezier", "version": 1, **told, "keys": keys}, path)
    elif path.suffix.lower() == ".csv":
        write_bytes(path, [_table(points, frames).encode()])
    else:
        raise InputError(f"Bezier keys are .json or .csv, not {path.suffix or 'no suffix'!r}")


def _table(points: FloatArray, frames: FloatArray | None) -> str:
    names, table = list(COLUMNS), points
    if frames is not None:
        names += [f"{c}_frame" for c in COLUMNS]
        table = np.concatenate([points, frames], axis=1)
    lines = [",".join(f"{v:.9g}" for v in row) for row in table]
    return "\n".join([",".join(names), *lines, ""])


def _key(row: Any) -> dict[str, Any]:
    return {"key": row[:2].tolist(), "left": row[2:4].tolist(), "right": row[4:].tolist()}
