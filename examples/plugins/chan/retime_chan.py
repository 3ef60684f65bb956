"""Camera tracks (.chan): a line for each frame, with its place and its angles.

Match-moving programs exchange cameras in such files: frame, x, y, z, rotations about X, Y and Z in
degrees (Z first, then X, then Y), and sometimes the field of view. They have no frame rate.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from retime import FormatError, InputError, Motion, quat
from retime.io import Format

FORMAT = Format("chan", (".chan",), "retime_chan", "camera tracks of match-moving programs")
_RATE = 24.0


def read_motion(path: str | Path, *, fps: float | None = None) -> Motion:
    """Read a camera as a motion of one joint; ``fps`` is the frame rate (default 24)."""
    rows = []
    for number, line in enumerate(Path(path).read_text().splitlines(), 1):
        words = line.split("#")[0].split()
        if words:
            rows.append(_row(words, path, number))
    if not rows:
        raise FormatError("it has no frames", path=path)
    table = np.array(rows)
    x, y, z = (quat.from_axis_angle(np.eye(3)[k], np.radians(table[:, 4 + k])) for k in range(3))
    turn = quat.multiply(y, quat.multiply(x, z))
    return Motion.from_arrays(
        turn[:, None],
        [-1],
        fps=_RATE if fps is None else fps,
        names=["Camera"],
        root_translation=table[:, 1:4],
    )


def _row(words: list[str], path: str | Path, number: int) -> list[float]:
    try:
        found = [float(word) for word in words[:7]]
    except ValueError:
        raise FormatError("expected numbers", path=path, line=number) from None
    if len(found) < 7 or not np.isfinite(found).all():
        raise FormatError("expected 7 finite numbers", path=path, line=number)
    return found


def write_motion(motion: Motion, path: str | Path) -> None:
    """Write the first joint of a motion as a camera."""
    if len(motion.skeleton) != 1:
        raise InputError("a .chan file has one camera, and this motion has several joints")
    m = quat.to_matrix(motion.rotations[:, 0])
    x = np.arcsin(np.clip(-m[:, 1, 2], -1.0, 1.0))
    y, z = np.arctan2(m[:, 0, 2], m[:, 2, 2]), np.arctan2(m[:, 1, 0], m[:, 1, 1])
    turns = np.degrees(np.unwrap(np.stack([x, y, z], axis=1), axis=0))
    table = np.concatenate([motion.root_translation, turns], axis=1)
    lines = [f"{n} " + " ".join(f"{v:.9g}" for v in row) for n, row in enumerate(table, 1)]
    Path(path).write_text("\n".join(lines) + "\n")
