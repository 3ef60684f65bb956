"""Write C3D files: new points, analog channels and event times in a copy of the file."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from retime.arrays import FloatArray
from retime.errors import InputError
from retime.io.as_read import is_as_read, kept_of, must_be_even, warp_of
from retime.io.c3d.library import LIBRARY
from retime.io.c3d.reader import C3dFile
from retime.io.files import read_bytes, write_bytes
from retime.motion import Motion
from retime.temporary import temporary_folder
from retime.timing import TimeWarp


def write_motion(motion: Motion, path: str | Path, *, drop_rest: bool = False) -> None:
    """Write a motion back into a copy of its C3D file. Options are those of ``retime.write``."""
    kept = _writable(motion, path)
    if is_as_read(motion, kept.motion) and motion.fps == kept.told_fps:
        write_bytes(path, [kept.data])
        return
    source = _Source(kept, warp_of(motion) or TimeWarp.identity(*kept.motion.domain))
    channel = f"{motion.skeleton.names[0]}:translation"
    frames = source.frames(motion.times, channel)
    ratio = kept.analog_samples // len(kept.valid)
    fine = motion.start + np.arange(len(motion) * ratio) / (max(ratio, 1) * motion.fps)
    analog = source.frames(fine, channel, beyond=True) * ratio
    arrays = {
        "points": _points(motion, kept, source),
        "frames": frames,
        "analog": np.minimum(analog, max(kept.analog_samples - 1, 0)),
    }
    with temporary_folder() as folder:
        own, new = Path(folder) / "in.c3d", Path(folder) / "out.c3d"
        own.write_bytes(kept.data)
        request = {
            "do": "write",
            "path": str(own),
            "into": str(new),
            "rate": motion.fps,
            "events": _events(kept, source, channel),
        }
        size = len(kept.data) + arrays["points"].nbytes
        LIBRARY.ask(request, arrays, folder=folder, size=size, path=path, verb="written")
        write_bytes(path, [read_bytes(new)])


def _writable(motion: Motion, path: str | Path) -> C3dFile:
    """Return the data of the motion's file, or raise an error if it cannot be written back."""
    kept = kept_of(motion, C3dFile)
    if kept is None:
        raise InputError(
            f"{path}: only points that were read from a C3D file can be written as C3D; write a "
            "skeleton's joints as .csv"
        )
    if not motion.skeleton.same_joints(kept.motion.skeleton):
        raise InputError(f"{path}: the points are no longer those of the file")
    must_be_even(motion, "C3D")
    if not len(motion):
        raise InputError("the motion has no frames")
    return kept


class _Source:
    """Find the frames of the file for times of a retimed motion."""

    def __init__(self, kept: C3dFile, warp: TimeWarp) -> None:
        self.kept = kept
        self.warp = warp
        self.last = len(kept.valid) - 1

    def frames(self, times: FloatArray, channel: str, *, beyond: bool = False) -> FloatArray:
        """Return fractional frames of the file for times of the motion.

        With ``beyond``, time continues after the warp's end, as the analog samples of the last
        frame do.
        """
        source = self.warp(times, channel)
        if beyond:
            source = self._continued(source, times, channel)
        position = (source - self.kept.motion.start) * self.kept.motion.fps
        if self.warp.loop and self.last > 0:
            position = position % self.last
        near = np.round(position)
        position = np.where(np.abs(position - near) < 1e-6, near, position)
        return np.clip(position, 0, self.last + beyond)

    def _continued(self, source: FloatArray, times: FloatArray, channel: str) -> FloatArray:
        """Continue source times at normal speed after the warp's end."""
        after = np.maximum(times - self.warp.domain[1], 0.0)
        graph = self.warp.channel(channel)
        source = source + np.copysign(after, graph.y[-1] - graph.y[0])
        if self.warp.loop:
            source = np.where(after > 0, np.clip(source, *self.warp.source_range), source)
        return source

    def cycles(self) -> list[float]:
        """Return the source times by which the cycles that the warp shows are shifted."""
        motion = self.kept.motion
        period = self.last / motion.fps
        if not self.warp.loop or period <= 0:
            return [0.0]
        first, last = np.floor((np.array(self.warp.source_range) - motion.start) / period)
        return [k * period for k in range(int(first), int(last) + 1)]


def _points(motion: Motion, kept: C3dFile, source: _Source) -> FloatArray:
    """Return all the file's points (F, P, 3); hidden ones are NaN."""
    out = np.full((len(motion), kept.valid.shape[1], 3), np.nan)
    for name, k in zip(motion.skeleton.names, kept.shown, strict=True):
        position = source.frames(motion.times, f"{name}:translation")
        before = np.floor(position).astype(np.int64)
        after = np.where(position > before, np.minimum(before + 1, source.last), before)
        seen = kept.valid[before, k] & kept.valid[after, k]
        out[:, k] = np.where(seen[:, None], motion.translations[name], np.nan)
    return out


def _events(kept: C3dFile, source: _Source, channel: str) -> list[list[float]]:
    """Carry events through the warp: the number of each and its new time, once for each cycle."""
    shown = source.warp.channel(channel).y
    back = source.warp.looped(False).inverse
    return sorted(
        [float(number), float(back(time + shift, channel))]
        for number, (time, _, _) in enumerate(kept.events)
        for shift in source.cycles()
        if shown.min() <= time + shift <= shown.max()
    )
