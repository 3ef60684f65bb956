"""What came, kept: every frame goes to disk as it comes, and becomes a motion when all is over."""

from __future__ import annotations

import contextlib
import itertools
import json
from pathlib import Path
from typing import BinaryIO

import numpy as np

from retime import quat
from retime.edits import apply
from retime.errors import InputError
from retime.io import format_of, write
from retime.io.files import lock_file, read_bytes
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
_HEADER = json.dumps({"format": "retime-stream", "version": 1, "roles": list(_ROLES)}).encode()
_HEADER_SIZE = 4096
# Clocks of a sender and of this machine that differ by more between two frames, seconds, are not
# of one run.
_ASTRAY = 0.5
# Nobody waits longer than this, seconds, to see in a recording that nothing came.
_LONGEST_SILENCE = 60.0
_NONE: Bone = (float("nan"),) * 7


class Spool:
    """Keeps a stream in a file beside the recording's place, a frame a row.

    A run that was killed leaves the file; the next one with the same name makes a recording of it
    first, under a name that is free, so nothing is lost. One process at a time has it.

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
        try:
            self._file: BinaryIO = self._beside.open("a+b", buffering=1 << 16)
        except OSError as e:
            raise InputError(f"cannot record to {self._beside}: {e.strerror}") from None
        taken = f"another program records to {path}; give another name with --record"
        lock_file(self._file, taken)
        try:
            self.recovered = self._recover()
        except BaseException:
            self._file.close()
            raise
        self._file.truncate(0)
        self._file.write(_HEADER.ljust(_HEADER_SIZE - 1) + b"\n")
        self.count = 0
        self._last: Frame | None = None
        self._time = 0.0

    def _recover(self) -> Path | None:
        self._file.seek(0)
        data = self._file.read()
        if data and not data.startswith(_HEADER):
            raise InputError(
                f"{self._beside} is in the way, and no recording of this retime; move it, or give "
                "another name with --record"
            )
        motion = _motion_of(data)
        if motion is None:
            return None
        target = _free(self.path.with_stem(self.path.stem + ".recovered"))
        write(motion, target)
        return target

    def add(self, frame: Frame) -> None:
        """Keep a frame."""
        row = [self._time_of(frame), *(frame.root or _NONE)]
        for role in _ROLES:
            row += frame.bones.get(role, _NONE)
        self._file.write(np.array(row, "<f8").tobytes())
        self.count += 1

    def _time_of(self, frame: Frame) -> float:
        """When a frame was: by the sender's clock, as long as that goes as ours does.

        A sender that begins anew, or another one, has another clock; then ours tells how long it
        took.
        """
        if self._last is not None:
            step, took = frame.time - self._last.time, frame.moment - self._last.moment
            self._time += step if step > 0 and abs(step - took) < _ASTRAY else max(took, 0.0)
        self._last = frame
        return self._time

    def close(self) -> Motion | None:
        """Write the recording; return it, or ``None`` where nothing came."""
        with contextlib.suppress(OSError):  # a full disk; the rows before are whole
            self._file.close()
        motion = _motion_of(read_bytes(self._beside))
        if motion is not None:
            write(motion, self.path)
        self._beside.unlink()
        return motion


def _free(path: Path) -> Path:
    """Return a path that nobody has: with a number, where others have come before."""
    names = (path.with_stem(f"{path.stem}-{n}") for n in itertools.count(2))
    return next(p for p in itertools.chain([path], names) if not p.exists())


def _motion_of(data: bytes) -> Motion | None:
    """Make a motion of the frames on disk; ``None`` where there are fewer than two."""
    rows = np.frombuffer(data[_HEADER_SIZE:][: (len(data) - _HEADER_SIZE) // 8 * 8], "<f8")
    rows = rows[: len(rows) // _WIDTH * _WIDTH].reshape(-1, _WIDTH)
    rows = rows[np.isfinite(rows[:, 0])]
    before = np.maximum.accumulate(np.r_[-np.inf, rows[:, 0]])[:-1]
    rows = rows[rows[:, 0] > before]
    steps = np.diff(rows[:, 0], prepend=rows[:1, 0])
    times = np.cumsum(np.minimum(steps, _LONGEST_SILENCE))
    bones = rows[:, 1:].reshape(len(rows), 1 + len(_ROLES), 7)
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
    made = apply(motion, TimeWarp.identity(*motion.domain), fps=fps)
    silences = int((steps > _LONGEST_SILENCE).sum())
    if not silences:
        return made
    return made.with_notes(
        f"nothing came for more than {_LONGEST_SILENCE:g} s, {silences} times: these are "
        f"{_LONGEST_SILENCE:g} s in the recording"
    )


def _held(track: FloatArray) -> FloatArray:
    """Fill what did not come with what came before it, or first."""
    known = np.isfinite(track[:, 0])
    last = np.maximum.accumulate(np.where(known, np.arange(len(track)), -1))
    last[last < 0] = int(np.argmax(known))
    return track[last]
