"""A long performance over a bad network: does the server follow throughout, in flat memory?

``python -m bench.live_hour 3600`` plays a walk again and again into ``retime live`` over a real
socket: a fifth of the packets is lost, the clock stalls, restarts and jumps, the sender changes
its port, falls silent, and is drowned by floods of another sender. Each performance is judged by
the time that the feed shows, at the moment at which the server made the frame.
``python -m bench.live_hour 3600 --simulated`` plays the same packets
in simulated time, without a network: what the machine's load does not excuse.
"""

from __future__ import annotations

import argparse
import random
import resource
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np
from websockets.sync.client import connect

import retime
from bench.live_running import serving
from retime import samples
from retime.live_server.avatar import ROOT, Avatar
from retime.live_server.follower import Cue, Follower, Part
from retime.live_server.server import LiveServer
from retime.live_server.vmc import BundleWriter
from retime.serving.frames import parse_frame

RATE, LENGTH, WAIT, LOSS, SHOWN = 60.0, 10.0, 2.0, 0.2, 90.0
TROUBLES = ("stall", "restart", "jump", "port", "silence", "flood", "none")
_JUNK = b"/VMC/Ext/Bone/Pos" + bytes(40)
_PER_FRAME = 100
# A frame that would be sent later than this is left out, seconds.
_LATE = 0.05


@dataclass(frozen=True)
class Moment:
    """What happens at one frame of the sender."""

    live: float
    """Seconds since the first performance began."""
    source: float
    """The motion's time."""
    trouble: int
    """Which trouble this performance has; -1 where its frames are not judged."""
    port: int
    """From which of the sender's ports it goes out."""
    data: bytes | None
    """The datagram; none where it is lost."""
    junk: int
    """Datagrams of another sender that come before it."""


def performances(motion: retime.Motion, seconds: float) -> Iterator[Moment]:
    """Perform again and again, each time with one trouble in the middle, and then stand."""
    avatar = Avatar(motion)
    writer, dice = BundleWriter(avatar.roles), random.Random(0)
    clock, port, begun, at = 0.0, 0, 0.0, LENGTH / 2
    for trouble in cycle(TROUBLES):
        if begun >= seconds:
            return
        for k in range(int((LENGTH + WAIT) * RATE)):
            live = k / RATE
            amid = at < live < at + 1
            clock += 0.0 if trouble == "stall" and amid else 1.01 / RATE
            if k == int(at * RATE):
                clock = 0.0 if trouble == "restart" else clock + 500.0 * (trouble == "jump")
                port += trouble == "port"
            judged = 1.0 < live < LENGTH - 0.5 and not at - 0.05 < live < at + 0.55
            judged = judged and not (trouble == "silence" and at < live < at + 1.5)
            source = min(live, LENGTH)
            lost = (trouble == "silence" and amid) or dice.random() < LOSS
            yield Moment(
                begun + live,
                source,
                TROUBLES.index(trouble) if judged else -1,
                port,
                None if lost else writer.frame(avatar.bones(source), ROOT, clock),
                _PER_FRAME if trouble == "flood" and amid else 0,
            )
        begun += LENGTH + WAIT


@dataclass
class Log:
    """What was performed and what was shown, by one clock."""

    performed: list[tuple[float, float, int]]
    """Moment, the motion's time, and the trouble."""
    shown: list[tuple[float, float]]
    """Moment, and the time that went out."""
    late: int = 0
    """Frames that the sender could not send in time, and did not send."""

    def report(self) -> str:
        """Print the errors by trouble and where they are; return a summary."""
        at, source, trouble = np.array(self.performed).T
        came, found = np.array(self.shown).T
        keep = (came > at[0]) & (came < at[-1])
        k = np.searchsorted(at, came[keep])
        error, trouble, came = np.abs(found[keep] - source[k]), trouble[k], came[keep] - at[0]
        for number, name in enumerate(TROUBLES):
            of = error[trouble == number]
            if len(of):
                near = 100 * (of < 0.15).mean()
                print(f"{name:8} within 150 ms {near:6.2f} %, worst {of.max():.2f} s")
        off = np.flatnonzero((error >= 0.15) & (trouble >= 0))
        for part in np.split(off, np.flatnonzero(np.diff(came[off]) > 0.5) + 1):
            if len(part):
                print(
                    f"  off by up to {error[part].max():.2f} s from {came[part[0]]:.2f} to "
                    f"{came[part[-1]]:.2f} s, at {source[k[part[0]]]:.2f} s of the motion "
                    f"({TROUBLES[int(trouble[part[0]])]})"
                )
        error = error[trouble >= 0]
        return (
            f"live: {at[-1] - at[0]:.0f} s with stalls, restarts, jumps, new ports, silences, "
            f"floods and 20 % loss: error {1e3 * np.median(error):.0f} ms median, "
            f"{1e3 * np.percentile(error, 99):.0f} ms p99, within 150 ms in "
            f"{100 * (error < 0.15).mean():.2f} % of {len(error)} frames"
        )


# ---- in real time


class Sender:
    """Sends a performance over the network, at its own times."""

    def __init__(self, port: int) -> None:
        self.address = ("127.0.0.1", port)
        self.own: dict[int, socket.socket] = {}
        self.other = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)

    def send(self, moment: Moment) -> None:
        """Send what goes out at a moment."""
        for _ in range(moment.junk):
            self.other.sendto(_JUNK, self.address)
        if moment.port not in self.own:
            for old in self.own.values():
                old.close()
            self.own = {moment.port: socket.socket(socket.AF_INET, socket.SOCK_DGRAM)}
        if moment.data is not None:
            self.own[moment.port].sendto(moment.data, self.address)


def _resident(process: int) -> float:
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


def in_real_time(motion: retime.Motion, seconds: float) -> None:
    """Play into a running server, and judge what its feed shows."""
    log = Log([], [])
    with serving(motion) as server:
        sender, done = Sender(server.port), threading.Event()

        def play() -> None:
            begun = time.monotonic()
            for moment in performances(motion, seconds):
                time.sleep(max(0.0, begun + moment.live - time.monotonic()))
                log.performed.append((time.monotonic(), moment.source, moment.trouble))
                if log.performed[-1][0] - begun - moment.live < _LATE:
                    sender.send(moment)
                else:  # this program had to wait: a performer's program sends the newest pose
                    log.late += 1
            done.set()

        playing = threading.Thread(target=play)
        playing.start()
        memory: list[tuple[float, float]] = []
        with connect(server.feed) as feed:
            feed.recv()
            while not done.is_set():
                header, _ = parse_frame(feed.recv(decode=False))
                log.shown.append((header["clock"], header["time"]))
                if not memory or log.shown[-1][0] - memory[-1][0] > 10:
                    memory.append((log.shown[-1][0], _resident(server.process.pid)))
        playing.join()
    held = np.array(memory)[:, 1]
    third = max(len(held) // 3, 1)
    memory_text = f"memory {held[third]:.1f} MB after a third, {held[-1]:.1f} MB at the end"
    print(f"{log.report()}; {log.late} frames not sent for want of time; {memory_text}")


# ---- in simulated time


class _Listener:
    """A feed that keeps what it is told."""

    listeners = 0

    def __init__(self) -> None:
        self.cue: Cue | None = None

    def send(self, cue: Cue, *rest: Any) -> None:
        self.cue = cue


def in_simulated_time(motion: retime.Motion, seconds: float) -> Log:
    """Play the same packets into a server whose clock is that of the performance."""
    log, now = Log([], []), 0.0
    listener = _Listener()
    server = LiveServer(
        Follower([Part("walk", motion)]), rate=SHOWN, feed=listener, clock=lambda: now
    )
    ticks = 0
    for moment in performances(motion, seconds):
        while ticks / SHOWN < moment.live:
            now = ticks / SHOWN
            log.shown.append((now, server.tick(now).time))
            ticks += 1
        now = moment.live
        log.performed.append((now, moment.source, moment.trouble))
        for _ in range(moment.junk):
            server.receive(_JUNK, ("127.0.0.1", 1), now)
        if moment.data is not None:
            server.receive(moment.data, ("127.0.0.1", 1000 + moment.port), now)
    return log


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("seconds", type=float, nargs="?", default=600.0)
    parser.add_argument("--simulated", action="store_true")
    given = parser.parse_args()
    motion = samples.walk(seconds=LENGTH)
    if given.simulated:
        print(in_simulated_time(motion, given.seconds).report())
    else:
        in_real_time(motion, given.seconds)


if __name__ == "__main__":
    main()
