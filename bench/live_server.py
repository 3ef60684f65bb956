"""The live server: what it adds between a pose that comes in and the partner that goes out.

A stream of 60 poses a second goes over a real socket into ``retime live`` in a process of its own;
the feed says of each frame which pose it knows of. The peer passes the same datagrams on as they
are, over the same sockets: what any server on this machine would add.
"""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from websockets.sync.client import connect

from bench.live_running import serving
from bench.timing import Figure
from retime import samples
from retime.live_server.replay import Replay
from retime.serving.frames import parse_frame

SECONDS = 12.0
PAUSE = (6.0, 7.0)


def _send(address: tuple[str, int], frames: list[tuple[float, bytes]], sent: list[float]) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
        start = time.monotonic()
        for at, data in frames:
            time.sleep(max(0.0, start + at - time.monotonic()))
            sent.append(time.monotonic())
            out.sendto(data, address)


def _passed_on(frames: list[tuple[float, bytes]]) -> np.ndarray:
    """Latencies of datagrams that are passed on as they are, by a thread of this process."""
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as middle,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as end,
    ):
        for each in (middle, end):
            each.bind(("127.0.0.1", 0))
            each.settimeout(5)
        came: list[float] = []
        sent: list[float] = []

        def pass_on() -> None:
            for _ in frames:
                middle.sendto(middle.recv(65_535), end.getsockname())

        def hear() -> None:
            for _ in frames:
                end.recv(65_535)
                came.append(time.monotonic())

        threads = [threading.Thread(target=f) for f in (pass_on, hear)]
        for thread in threads:
            thread.start()
        _send(middle.getsockname(), frames, sent)
        for thread in threads:
            thread.join()
    return np.subtract(came, sent)


def _cpu(process: int) -> float:
    """Return the seconds of CPU that a process has used (Linux)."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(performers: int = 1) -> tuple[np.ndarray, np.ndarray, float]:
    """Latency of the first performer's poses to the feed, gaps while no pose comes, and CPU.

    The last is the seconds of CPU of the server for each pose, with the frames that go out.
    """
    motion = samples.walk(seconds=SECONDS)
    frames = [(at, data) for at, data in Replay(motion).frames() if not PAUSE[0] < at < PAUSE[1]]
    sent: list[float] = []
    heard: list[tuple[float, float]] = []
    with serving(motion, performers) as server, connect(server.feed_of(1)) as feed:
        feed.recv()
        before = _cpu(server.process.pid)
        senders = [
            threading.Thread(target=_send, args=(("127.0.0.1", port), frames, moments))
            for port, moments in zip(
                server.ports, [sent, *([] for _ in server.ports)], strict=False
            )
        ]
        for sender in senders:
            sender.start()
        while senders[0].is_alive():
            header, _ = parse_frame(feed.recv(decode=False))
            heard.append((time.monotonic(), -1.0 if header["pose"] is None else header["pose"]))
        for sender in senders:
            sender.join()
        cpu = (_cpu(server.process.pid) - before) / (performers * len(frames))
    came, poses = np.array(heard).T
    found = []
    for (at, _), when in zip(frames, sent, strict=True):
        if at < 1 or PAUSE[0] <= at < PAUSE[1] + 1:
            continue
        knows = np.flatnonzero((came >= when) & (poses >= at - 1e-4))
        if len(knows):
            found.append(came[knows[0]] - when)
    start = sent[0]
    quiet = came[(came > start + PAUSE[0]) & (came < start + PAUSE[1])]
    return np.array(found), np.diff(quiet), cpu


def figures() -> Iterator[Figure]:
    latency, gaps, cpu = measure()
    of_three, _, cpu_of_three = measure(3)
    peer = _passed_on(list(Replay(samples.walk(seconds=3.0)).frames()))
    name = "datagrams passed on as they are"
    for share, wanted in ((0.5, 5), (0.95, 12), (0.99, 20)):
        yield Figure(
            f"pose to feed, p{100 * share:.0f} (wanted: {wanted} ms)",
            float(np.quantile(latency, share)), name, float(np.quantile(peer, share)),
        )  # fmt: skip
    yield Figure(
        "the same, three performers, p99 (wanted: 30 ms)",
        float(np.quantile(of_three, 0.99)), name, float(np.quantile(peer, 0.99)),
    )  # fmt: skip
    yield Figure("CPU a pose, with the frames sent", cpu, "three performers", cpu_of_three)
    yield Figure("longest gap while nobody comes in (wanted: 50 ms)", float(gaps.max()),
                 "its own interval", 1 / 90)  # fmt: skip
