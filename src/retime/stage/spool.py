"""What came, kept: every frame goes to disk as it comes, and becomes a motion when all is over."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import BinaryIO

import numpy as np

from retime import quat
from retime.edits import apply
from retime.errors import InputError
from retime.io import format_of, write
from retime.io.files import read_bytes
from retime.motion import Motion, Units
from retime.quat import FloatArray
from retime.skeleton import Skeleton
from retime.stage.humanoid import BONE_NAMES, nearest_parent
from retime.stage.performer import Frame
from retime.stage.vmc import Bone
from retime.warp import TimeWarp

__all__ = ["Spool"]

_ROLES = tuple(BONE_NAMES)
# A frame on disk: its time, then seven numbers of the root and of every role; NaN where none came.
_WIDTH = 1 + 7 * (1 + len(_ROLES))
_FORMAT = {"format": "retime-stream", "version": 1, "roles": list(_ROLES)}
_NONE: Bone = (float("nan"),) * 7


class Spool:
    """Keeps a stream in a file beside the recording's place, a frame a row.

    A run that was killed leaves the file; the next one with the same name makes a recording of it
    first, so nothing is lost.

    Parameters
    ----------
    path : Path
        Where the recording goes; its suffix tells the format.
    """

    def __init__(self, path: Path) -> None:
        if not format_of(path).writes:
            raise InputError(f"{path}: a recording cannot be written in this format; try .npz")
        if not path.resolve().parent.is_dir():
            raise InputError(f"there is no folder {path.resolve().parent} to record into")
        self.path = path
        self._beside = path.with_name(path.name + ".part")
        self.recovered = self._recover()
        header = json.dumps(_FORMAT).encode()
        try:
            self._file: BinaryIO = self._beside.open("wb", buffering=1 << 16)
        except OSError as e:
            raise InputError(f"cannot record to {self._beside}: {e.strerror}") from None
        self._file.write(header + b" " * (4095 - len(header)) + b"\n")
        self.count = 0

    def _recover(self) -> Path | None:
        if not self._beside.exists():
            return None
        target = self.path.with_stem(self.path.stem + ".recovered")
        motion = _motion_of(self._beside)
        if motion is None:
            return None
        write(motion, target)
        return target

    def add(self, frame: Frame) -> None:
        """Keep a frame."""
        row = [frame.time, *(frame.root or _NONE)]
        for role in _ROLES:
            row += frame.bones.get(role, _NONE)
        self._file.write(np.array(row, "<f8").tobytes())
        self.count += 1

    def close(self) -> Motion | None:
        """Write the recording; return it, or ``None`` where nothing came."""
        with contextlib.suppress(OSError):  # a full disk; the rows before are whole
            self._file.close()
        motion = _motion_of(self._beside)
        if motion is not None:
            write(motion, self.path)
        self._beside.unlink()
        return motion


def _motion_of(path: Path) -> Motion | None:
    """Make a motion of the frames on disk; ``None`` where there are fewer than two."""
    data = read_bytes(path)
    rows = np.frombuffer(data[4096:], "<f8")
    rows = rows[: len(rows) // _WIDTH * _WIDTH].reshape(-1, _WIDTH)
    keep = np.concatenate([[True], np.diff(rows[:, 0]) > 0]) if len(rows) else np.empty(0, bool)
    rows = rows[keep]
    times, bones = rows[:, 0], rows[:, 1:].reshape(len(rows), 1 + len(_ROLES), 7)
    there = np.isfinite(bones[..., 0]).any(axis=0)
    roles = [r for k, r in enumerate(_ROLES) if there[k + 1]]
    if len(rows) < 2 or not roles:
        return None
    held = {r: _held(bones[:, 1 + _ROLES.index(r)]) for r in roles}
    root = _held(bones[:, 0]) if there[0] else np.tile([0, 0, 0, 1.0, 0, 0, 0], (len(rows), 1))
    parents = [nearest_parent(r, roles) for r in roles]
    rotations = np.stack([held[r][:, 3:] for r in roles], axis=1)
    places = {}
    for k, (role, parent) in enumerate(zip(roles, parents, strict=True)):
        if parent is None:
            places[BONE_NAMES[role]] = root[:, :3] + quat.rotate(root[:, 3:], held[role][:, :3])
            rotations[:, k] = quat.multiply(root[:, 3:], rotations[:, k])
    skeleton = Skeleton(
        names=tuple(BONE_NAMES[r] for r in roles),
        parents=np.array([-1 if p is None else roles.index(p) for p in parents]),
        offsets=np.array([np.median(held[r][:, :3], axis=0) for r in roles]),
    )
    fps = float(max(1.0, round(1 / float(np.median(np.diff(times))))))
    motion = Motion(
        skeleton,
        quat.normalize(rotations),
        places,
        sample_times=times - times[0],
        fps=fps,
        units=Units(how="declared"),
    )
    return apply(motion, TimeWarp.identity(*motion.domain), fps=fps)


def _held(track: FloatArray) -> FloatArray:
    """Fill what did not come with what came before it, or first."""
    known = np.isfinite(track[:, 0])
    last = np.maximum.accumulate(np.where(known, np.arange(len(track)), -1))
    last[last < 0] = int(np.argmax(known))
    return track[last]
