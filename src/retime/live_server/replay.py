"""Play a file like a live performance, without a motion capture suit."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np

from retime.errors import InputError
from retime.io.warp_json import read_warp
from retime.live_server.avatar import ROOT, Avatar
from retime.live_server.vmc import BundleWriter
from retime.motion import Motion
from retime.timing import TimeWarp

# A curve of speed is summed up in steps of this many seconds.
_STEP = 1 / 240
# Seconds that a file may play, at the most.
_LONGEST = 24 * 3600
_FASTEST = 16.0


def speed_curve(text: str, start: float, end: float) -> TimeWarp:
    """Parse the playback speed of a file to a warp from live time, from 0, to file time.

    ``text`` is a number (``0.8``), speeds at live times with straight lines between them
    (``0:1,2:0.5,3:0.5,4:1.5``), or a warp file (``slow.json``). ``start`` and ``end`` are the
    file's first and last time.
    """
    if text.lower().endswith(".json"):
        return read_warp(Path(text))
    times, speeds = _speeds(text)
    # Beyond the last given speed the file goes on at it until its end.
    length = times[-1] + (end - start) / speeds[-1]
    if length > _LONGEST:
        raise InputError(
            f"--speed {text!r}: the file would play for {length / 3600:.3g} hours; "
            f"the maximum is {_LONGEST // 3600}"
        )
    live = np.append(np.arange(0.0, length, _STEP), length)
    rate = np.interp(live, times, speeds)
    passed = 0.5 * (rate[1:] + rate[:-1]) * np.diff(live)
    source = start + np.concatenate([[0.0], np.cumsum(passed)])
    last = int(np.searchsorted(source, end))
    if last < len(source):
        share = (end - source[last - 1]) / max(source[last] - source[last - 1], 1e-12)
        live[last] = live[last - 1] + share * (live[last] - live[last - 1])
        source[last] = end
    return TimeWarp(live[: last + 1], source[: last + 1])


def _speeds(text: str) -> tuple[list[float], list[float]]:
    """Read speeds at live times."""
    times, speeds = [], []
    for part in text.split(","):
        at, _, speed = part.rpartition(":")
        try:
            times.append(float(at) if at else 0.0)
            speeds.append(float(speed))
        except ValueError:
            raise InputError(
                f"--speed {text!r}: {part!r} is not a speed; write a number, TIME:SPEED,TIME:SPEED "
                "or a warp file"
            ) from None
    if not all(0 <= s <= _FASTEST for s in speeds) or not all(0 <= t <= 1e5 for t in times):
        raise InputError(f"--speed {text!r}: speeds lie between 0 and {_FASTEST:g}, times above 0")
    if any(b <= a for a, b in pairwise(times)):
        raise InputError(f"--speed {text!r}: the times must rise")
    if speeds[-1] == 0:
        raise InputError(f"--speed {text!r}: with a speed of 0 at the end it would never end")
    return times, speeds


class Replay:
    """The datagrams of a replayed motion.

    How fast it goes is told as :func:`speed_curve` reads it; ``rate`` is frames per second.
    """

    def __init__(self, motion: Motion, *, speed: str = "1", rate: float = 60.0) -> None:
        self.avatar = Avatar(motion)
        self.warp = speed_curve(speed, *motion.domain)
        self.rate = rate
        self.duration = float(self.warp.domain[1] - self.warp.domain[0])

    def frames(self) -> Iterator[tuple[float, bytes]]:
        """Yield each frame's live time in seconds, from 0, and its datagram."""
        writer = BundleWriter(self.avatar.roles)
        start = float(self.warp.domain[0])
        for k in range(int(self.duration * self.rate) + 1):
            time = k / self.rate
            yield time, writer.frame(self.avatar.bones(float(self.warp(start + time))), ROOT, time)

    async def play(self, clock: Callable[[], float]) -> AsyncIterator[bytes]:
        """Yield each frame's datagram when its time has come."""
        start = clock()
        for live, data in self.frames():
            wait = start + live - clock()
            if wait > 0:
                await asyncio.sleep(wait)
            yield data
