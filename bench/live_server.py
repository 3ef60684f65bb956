"""The live server: what it adds between a pose that comes in and the partner that goes out.

A stream of 60 poses a second goes over a real socket into ``retime live`` in a process of its own;
the feed says of each frame which pose it knows of. The peer passes the same datagrams on as they
are, over the same sockets: what any server on this machine would add.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator

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


def measure() -> tuple[np.ndarray, np.ndarray]:
    """Latency of each pose to the feed, and the gaps between frames while no pose comes."""
    motion = samples.walk(seconds=SECONDS)
    frames = [(at, data) for at, data in Replay(motion).frames() if not PAUSE[0] < at < PAUSE[1]]
    sent: list[float] = []
    heard: list[tuple[float, float]] = []
    with serving(motion) as server, connect(server.feed) as feed:
        feed.recv()
        address = ("127.0.0.1", server.port)
        sending = threading.Thread(target=_send, args=(address, frames, sent))
        sending.start()
        while sending.is_alive():
            header, _ = parse_frame(feed.recv(decode=False))
            heard.append((time.monotonic(), -1.0 if header["pose"] is None else header["pose"]))
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
    return np.array(found), np.diff(quiet)


def figures() -> Iterator[Figure]:
    latency, gaps = measure()
    peer = _passed_on(list(Replay(samples.walk(seconds=3.0)).frames()))
    name = "datagrams passed on as they are"
    yield Figure("pose to feed, p50 (wanted: 10 ms)", float(np.median(latency)), name,
                 float(np.median(peer)))  # fmt: skip
    yield Figure("pose to feed, p99 (wanted: 25 ms)", float(np.quantile(latency, 0.99)), name,
                 float(np.quantile(peer, 0.99)))  # fmt: skip
    yield Figure("longest gap while nobody comes in (wanted: 50 ms)", float(gaps.max()),
                 "its own interval", 1 / 90)  # fmt: skip
