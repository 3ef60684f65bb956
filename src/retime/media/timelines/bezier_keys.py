"""Bezier keys for a graph editor, as JSON or as a table: in seconds, and in frames where asked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

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
        document: dict[str, Any] = {"format": "retime-bezier", "version": 1}
        if fps is not None:
            document |= {"fps": fps, "first_frame": first_frame}
        document["keys"] = [_key(row) for row in points]
        for key, row in zip(document["keys"], frames if frames is not None else (), strict=False):
            key["frames"] = _key(row)
        write_json(document, path)
    elif path.suffix.lower() == ".csv":
        names = [*COLUMNS, *((f"{c}_frame" for c in COLUMNS) if frames is not None else ())]
        table = points if frames is None else np.concatenate([points, frames], axis=1)
        lines = [",".join(f"{v:.9g}" for v in row) for row in table]
        write_bytes(path, ["\n".join([",".join(names), *lines, ""]).encode()])
    else:
        raise InputError(f"Bezier keys are .json or .csv, not {path.suffix or 'no suffix'!r}")


def _key(row: Any) -> dict[str, list[float]]:
    return {"key": row[:2].tolist(), "left": row[2:4].tolist(), "right": row[4:].tolist()}
