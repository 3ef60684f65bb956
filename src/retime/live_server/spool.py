"""Record a stream: every frame is written to disk at once, and a motion is made at the end."""

from __future__ import annotations

import contextlib
import itertools
import json
from pathlib import Path
from typing import BinaryIO

import numpy as np

from retime import apply
from retime.arrays import FloatArray
from retime.errors import InputError
from retime.io import format_of, write
from retime.io.files import lock_file, read_bytes
from retime.live_server.humanoid import BONE_NAMES, nearest_parent
from retime.live_server.performer import Frame
from retime.live_server.stream_time import StreamTime
from retime.live_server.vmc import Bone
from retime.motion import Motion, Units, quat
from retime.motion.skeleton import Skeleton
from retime.notes import Note
from retime.timing import TimeWarp

_ROLES = tuple(BONE_NAMES)
# A frame on disk: its time, then seven numbers of the root and of every role; NaN where none came.
_WIDTH = 1 + 7 * (1 + len(_ROLES))
_HEADER = json.dumps({"format": "retime-stream", "version": 1, "roles": list(_ROLES)}).encode()
_HEADER_SIZE = 4096
# Longer pauses of the stream are shortened to this in a recording (s).
_LONGEST_SILENCE = 60.0
_NONE: Bone = (float("nan"),) * 7


# A bone whose place in its parent varies by no more than this does not stretch, metres.
_RIGID = 1e-3


class Spool:
    """Stores a stream in a file next to the recording, one row per frame.

    A run that was killed leaves the file; the next one with the same name makes a recording of it
    first, under a name that is free, so nothing is lost. One process at a time has it.

    ``path`` is where the recording goes; its suffix tells the format.
    """

    def __init__(self, path: Path) -> None:
        form = format_of(path)
        if not (form.writes and form.reads and form.fresh):
            raise InputError(f"{path}: a recording cannot be written in this format; try .npz")
        if not path.resolve().parent.is_dir():
            raise InputError(f"there is no folder {path.resolve().parent} to record into")
        self.path = path
        self.beside = path.with_name(path.name + ".part")
        try:
            self._file: BinaryIO = self.beside.open("a+b", buffering=1 << 16)
        except OSError as e:
            raise InputError(f"cannot record to {self.beside}: {e.strerror}") from None
        taken = f"another program is recording to {path}; give another name with --record"
        lock_file(self._file, taken)
        try:
            self.recovered = self._recover()
        except BaseException:
            self._file.close()
            raise
        self._file.truncate(0)
        self._file.write(_HEADER.ljust(_HEADER_SIZE - 1) + b"\n")
        self.count = 0
        self._time = StreamTime(0.0)

    def _recover(self) -> Path | None:
        self._file.seek(0)
        data = self._file.read()
        if data and not data.startswith(_HEADER):
            raise InputError(
                f"{self.beside} exists and is not a recording of retime. Move it, or give another "
                "name with --record"
            )
        motion = _motion_of(data)
        if motion is None:
            return None
        target = _free(self.path.with_stem(self.path.stem + ".recovered"))
        write(motion, target)
        return target

    def add(self, frame: Frame) -> None:
        """Store a frame."""
        row = [self._time.at(frame.time, frame.moment), *(frame.root or _NONE)]
        for role in _ROLES:
            row += frame.bones.get(role, _NONE)
        self._file.write(np.array(row, "<f8").tobytes())
        self.count += 1

    def leave(self) -> None:
        """Keep the stored frames, so that the next run can recover them."""
        with contextlib.suppress(OSError):  # a full disk; the rows before are whole
            self._file.close()

    def close(self) -> Motion | None:
        """Write the recording; return it, or ``None`` if nothing was received."""
        self.leave()
        motion = _motion_of(read_bytes(self.beside))
        if motion is not None:
            write(motion, self.path)
        self.beside.unlink()
        return motion


def _free(path: Path) -> Path:
    """Return an unused path, with a number if the name exists."""
    names = (path.with_stem(f"{path.stem}-{n}") for n in itertools.count(2))
    return next(p for p in itertools.chain([path], names) if not p.exists())


def _motion_of(data: bytes) -> Motion | None:
    """Make a motion of the frames on disk; ``None`` where there are fewer than two."""
    rows = _rows_of(data)
    steps = np.diff(rows[:, 0], prepend=rows[:1, 0])
    times = np.cumsum(np.minimum(steps, _LONGEST_SILENCE))
    bones = rows[:, 1:].reshape(len(rows), 1 + len(_ROLES), 7)
    there = [bool(np.isfinite(bone).any()) for bone in bones[..., 0].T]
    roles = [r for k, r in enumerate(_ROLES) if there[k + 1]]
    if len(rows) < 2 or not roles:
        return None
    held = {r: _held(bones[:, 1 + _ROLES.index(r)]) for r in roles}
    root = _held(bones[:, 0]) if there[0] else np.tile([0, 0, 0, 1.0, 0, 0, 0], (len(rows), 1))
    fps = float(max(1.0, round(1 / float(np.median(np.diff(times))))))
    motion = Motion(
        *_figure(held, root),
        sample_times=times - times[0],
        fps=fps,
        units=Units(how="declared"),
    )
    made = apply(motion, TimeWarp.identity(*motion.domain), fps=fps)
    silences = int((steps > _LONGEST_SILENCE).sum())
    if not silences:
        return made
    return made.with_notes(
        Note(
            f"nothing came for more than {_LONGEST_SILENCE:g} s, {silences} times: these are "
            f"{_LONGEST_SILENCE:g} s in the recording",
            code="silences-shortened",
            silences=silences,
        )
    )


def _rows_of(data: bytes) -> FloatArray:
    """Return the whole rows of a file whose times rise."""
    rows = np.frombuffer(data[_HEADER_SIZE:][: (len(data) - _HEADER_SIZE) // 8 * 8], "<f8")
    rows = rows[: len(rows) // _WIDTH * _WIDTH].reshape(-1, _WIDTH)
    rows = rows[np.isfinite(rows[:, 0])]
    before = np.maximum.accumulate(np.r_[-np.inf, rows[:, 0]])[:-1]
    rising: FloatArray = rows[rows[:, 0] > before]
    return rising


def _figure(
    held: dict[str, FloatArray], root: FloatArray
) -> tuple[Skeleton, FloatArray, dict[str, FloatArray]]:
    """Make a skeleton, rotations and translations of bones by role, and of the figure's root."""
    roles = list(held)
    parents = [nearest_parent(r, roles) for r in roles]
    rotations = np.stack([held[r][:, 3:] for r in roles], axis=1)
    places = {}
    for k, (role, parent) in enumerate(zip(roles, parents, strict=True)):
        if parent is None:
            places[BONE_NAMES[role]] = root[:, :3] + quat.rotate(root[:, 3:], held[role][:, :3])
            rotations[:, k] = quat.multiply(root[:, 3:], rotations[:, k])
        elif np.ptp(held[role][:, :3], axis=0).max() > _RIGID:
            places[BONE_NAMES[role]] = held[role][:, :3]  # it does not only turn
    skeleton = Skeleton(
        names=tuple(BONE_NAMES[r] for r in roles),
        parents=np.array([-1 if p is None else roles.index(p) for p in parents]),
        offsets=np.array([np.median(held[r][:, :3], axis=0) for r in roles]),
    )
    return skeleton, quat.normalize(rotations), places


def _held(track: FloatArray) -> FloatArray:
    """Fill gaps with the previous value, or the first one."""
    known = np.isfinite(track[:, 0])
    last = np.maximum.accumulate(np.where(known, np.arange(len(track)), -1))
    last[last < 0] = int(np.argmax(known))
    return track[last]
