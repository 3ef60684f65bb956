"""A long performance over a bad network: does the server follow throughout, in flat memory?

``python -m bench.live_hour 3600`` plays a walk again and again into ``retime live`` over a real
socket: a fifth of the packets is lost, the clock stalls, restarts and jumps, the sender changes
its port, falls silent, and is drowned by floods of another sender. Each performance is judged by
the time that the feed shows.
"""

from __future__ import annotations

import random
import resource
import socket
import sys
import threading
import time
from pathlib import Path

import numpy as np
from websockets.sync.client import connect

import retime
from bench.live_running import serving
from retime import samples
from retime.live_server.avatar import ROOT, Avatar
from retime.live_server.vmc import BundleWriter
from retime.serving.frames import parse_frame

RATE, LENGTH, WAIT = 60.0, 10.0, 2.0
TROUBLES = ("stall", "restart", "jump", "port", "silence", "flood", "none")


class Sender:
    """A performer with troubles."""

    def __init__(self, port: int, motion: retime.Motion) -> None:
        self.address = ("127.0.0.1", port)
        self.avatar = Avatar(motion)
        self.writer = BundleWriter(self.avatar.roles)
        self.dice = random.Random(0)
        self.out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.other = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.clock = 0.0
        self.truth: list[tuple[float, float, int]] = []
        """This machine's time, the motion's, and the trouble; -1 where it is not judged."""

    def perform(self, trouble: str) -> None:
        """Perform once, with one trouble in the middle, then stand."""
        begun = time.monotonic()
        at = LENGTH / 2
        frames = int((LENGTH + WAIT) * RATE)
        for k in range(frames):
            live = k / RATE
            time.sleep(max(0.0, begun + live - time.monotonic()))
            source = min(live, LENGTH)
            self.clock += 0.0 if trouble == "stall" and at < live < at + 1 else 1.01 / RATE
            if k == int(at * RATE):
                if trouble == "restart":
                    self.clock = 0.0
                elif trouble == "jump":
                    self.clock += 500.0
                elif trouble == "port":
                    self.out.close()
                    self.out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            quiet = trouble == "silence" and at < live < at + 1
            judged = 1.0 < live < LENGTH - 0.5 and not at - 0.05 < live < at + 0.55
            judged = judged and not (trouble == "silence" and at < live < at + 1.5)
            what = TROUBLES.index(trouble) if judged else -1
            self.truth.append((time.monotonic(), source, what))
            if trouble == "flood" and at < live < at + 1:
                for _ in range(100):
                    self.other.sendto(b"/VMC/Ext/Bone/Pos" + bytes(40), self.address)
            if quiet or self.dice.random() < 0.2:
                continue
            data = self.writer.frame(self.avatar.bones(source), ROOT, self.clock)
            self.out.sendto(data, self.address)


def _resident(process: int) -> float:
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


def main(seconds: float) -> None:
    motion = samples.walk(seconds=LENGTH)
    with serving(motion) as server:
        sender = Sender(server.port, motion)
        done = threading.Event()

        def play() -> None:
            end = time.monotonic() + seconds
            for k in range(1_000_000):
                if time.monotonic() > end:
                    break
                sender.perform(TROUBLES[k % len(TROUBLES)])
            done.set()

        playing = threading.Thread(target=play)
        playing.start()
        seen: list[tuple[float, float]] = []
        memory: list[tuple[float, float]] = []
        with connect(server.feed) as feed:
            feed.recv()
            while not done.is_set():
                header, _ = parse_frame(feed.recv(decode=False))
                seen.append((time.monotonic(), header["time"]))
                if not memory or seen[-1][0] - memory[-1][0] > 10:
                    memory.append((seen[-1][0], _resident(server.process.pid)))
        playing.join()
    at, source, trouble = np.array(sender.truth).T
    came, shown = np.array(seen).T
    keep = (came > at[0]) & (came < at[-1])
    k = np.searchsorted(at, came[keep])
    error = np.abs(shown[keep] - source[k])
    for number, name in enumerate(TROUBLES):
        of = error[trouble[k] == number]
        if len(of):
            print(
                f"{name:8} within 150 ms {100 * (of < 0.15).mean():6.2f} %, worst {of.max():.2f} s"
            )
    error = error[trouble[k] >= 0]
    held = np.array(memory)[:, 1]
    third = max(len(held) // 3, 1)
    print(
        f"live: {at[-1] - at[0]:.0f} s with stalls, restarts, jumps, new ports, silences, floods "
        f"and 20 % loss: error {1e3 * np.median(error):.0f} ms median, "
        f"{1e3 * np.percentile(error, 99):.0f} ms p99, within 150 ms in "
        f"{100 * (error < 0.15).mean():.2f} % of {len(error)} frames; memory {held[third]:.1f} MB "
        f"after a third, {held[-1]:.1f} MB at the end"
    )


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 600.0)
