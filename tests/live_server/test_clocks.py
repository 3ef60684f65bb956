"""Clocks that stall, start anew, jump and drift, from an independent sender over real UDP."""

from __future__ import annotations

import asyncio
import json
import os
import random
import selectors
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from websockets.sync.client import connect

import retime
from live_server_running import Running
from live_streams import most_memory
from retime import InputError, samples
from retime.live_server.avatar import ROOT, Avatar
from retime.live_server.follower import Follower, Part
from retime.live_server.humanoid import BONE_NAMES
from retime.live_server.performer import Assembler
from retime.live_server.places import StreamAddress
from retime.live_server.reception import Reception
from retime.live_server.server import LiveServer
from retime.live_server.vmc import BundleWriter, Packet
from retime.serving.frames import parse_frame

RATE = 60.0
# Live times at which something happens to the clock, and what.
EVENTS = {1.5: "stalls", 3.0: "starts anew", 4.2: "jumps", 5.4: "comes from a new port"}
SILENCE, BACK, END = 6.6, 7.8, 9.0
FASTEST = 8.0


def stamp_at(live: float) -> float:
    """A clock that is 3 % slow, stands from 1.5 to 2.3 s, starts at 0 at 3 s and jumps at 4.2 s."""
    slow = 50 + 0.97 * live
    if 1.5 <= live < 2.3:
        return 50 + 0.97 * 1.5
    if live < 3:
        return slow
    if live < 4.2:
        return live - 3
    if live < BACK:
        return live - 3 + 1000
    return live - BACK + 7


def performance(motion: Any) -> tuple[list[dict[str, Any]], np.ndarray, np.ndarray]:
    """Frames of a motion that waits while nobody sends."""
    avatar = Avatar(motion)
    live = np.arange(0, END, 1 / RATE)
    live = live[(live < SILENCE) | (live >= BACK)]
    source = 0.8 * np.where(live < SILENCE, live, live - (BACK - SILENCE))
    frames = []
    for at, here in zip(live, source, strict=True):
        bones = [
            (BONE_NAMES[role], [-x, y, z, i, -j, -k, w])
            for role, (x, y, z, w, i, j, k) in zip(avatar.roles, avatar.bones(here), strict=True)
        ]
        port = 0 if at < 5.4 else 1 if at < BACK else 2
        frames.append({"live": at, "stamp": stamp_at(at), "port": port, "bones": bones})
    return frames, live, source


def test_following_goes_on_whatever_the_senders_clock_does(tmp_path: Path) -> None:
    motion = samples.walk(seconds=9.0)
    retime.write(motion, tmp_path / "motion.npz")
    frames, _, source = performance(motion)
    (tmp_path / "frames.json").write_text(json.dumps({"frames": frames}))
    seen: list[tuple[float, float]] = []
    with Running(tmp_path / "motion.npz", "--in", "vmc://127.0.0.1:0", "--feed", "0") as running:
        page, _, token = running.opened["feed"].partition("/?token=")
        with connect(f"{page.replace('http', 'ws')}/feed?format=binary&token={token}") as feed:
            feed.recv()
            host, port = running.address
            sender = subprocess.Popen(
                [sys.executable, str(Path(__file__).with_name("sender.py")), host, str(port),
                 str(tmp_path / "frames.json")],
                stdout=subprocess.PIPE, text=True,
            )  # fmt: skip
            sent: list[tuple[float, float]] = []
            assert sender.stdout is not None
            reading = threading.Thread(
                target=lambda: sent.extend(tuple(json.loads(line)) for line in sender.stdout or ())
            )
            reading.start()
            while reading.is_alive():
                header, _ = parse_frame(feed.recv(decode=False))
                seen.append((header["clock"], header["time"]))
            sender.wait()
            sender.stdout.close()
    begun = sent[0][1] - sent[0][0]
    at = np.array([s[0] for s in seen]) - begun
    shown = np.array([s[1] for s in seen])
    right = np.interp(at, [moment - begun for _, moment in sent], source)
    error = np.abs(shown - right)
    for event, what in [*EVENTS.items(), (BACK, "comes from a new sender")]:
        after = (at > event + 0.5) & (at < event + 1.15)
        assert after.any()
        assert error[after].max() < 0.15, f"a clock that {what}: {error[after].max():.2f} s off"
    # The partner is steered, and never jumps; what is measured is the feed's own frames.
    moving = (at > 0.5) & (at < END)
    steps, seconds = np.diff(shown[moving]), np.diff(at[moving])
    assert (steps >= -0.4 * seconds - 1e-6).all()  # back only as slowly as after a stop
    assert steps.max() < 0.3, "the partner jumps"
    assert (steps > FASTEST * np.maximum(seconds, 1 / 30)).mean() == 0


@pytest.mark.parametrize("drift", [0.9, 0.97, 1.0, 1.03])
def test_moments_stay_near_arrivals_however_clocks_drift(drift: float) -> None:
    assembler = Assembler()
    off = []
    for k in range(1200):
        now = 100 + k / RATE
        bones = {"hips": (0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0)}
        for frame in assembler.add(Packet(bones=bones, time=drift * k / RATE), now):
            off.append(now - frame.moment)
    assert len(off) > 1000
    assert np.max(np.abs(off)) < 0.11  # 10 % of the second in which the offset is told


def test_a_new_port_is_heard_sooner_than_a_new_machine() -> None:
    reception = Reception()
    reception.listen_to(("10.0.0.1", 5), 0.0)
    assert not reception.listens_to(("10.0.0.1", 6), 0.2)
    assert reception.listens_to(("10.0.0.1", 6), 0.3)
    assert not reception.listens_to(("10.0.0.2", 6), 1.9)
    assert reception.listens_to(("10.0.0.2", 6), 2.0)


def test_a_sender_that_returns_gets_the_stage_back() -> None:
    reception = Reception()
    first, second = ("10.0.0.1", 5), ("10.0.0.1", 6)
    for k in range(10):
        reception.listen_to(first, k / 60)
    assert reception.listens_to(second, 0.5)  # after 0.35 s of silence
    assert reception.listen_to(second, 0.5)
    for k in range(60):
        reception.listen_to(second, 0.5 + k / 60)
    assert reception.listens_to(first, 1.5)  # back, although the second goes on
    assert reception.listen_to(first, 1.5)
    assert not reception.listens_to(second, 1.55)
    for k in range(12):
        reception.listen_to(second, 3.0 + k)
    assert reception.listens_to(first, 11.0)
    assert not reception.listens_to(first, 14.1)  # gone for too long


def test_only_a_chosen_sender_is_heard() -> None:
    reception = Reception(("10.0.0.1", None))
    assert not reception.admits(("10.0.0.2", 5), 0.0)
    assert reception.admits(("10.0.0.1", 5), 0.0)
    assert not Reception(("10.0.0.1", 4)).admits(("10.0.0.1", 5), 0.0)
    assert StreamAddress.parse_sender("127.0.0.1:4000") == ("127.0.0.1", 4000)
    assert StreamAddress.parse_sender("127.0.0.1") == ("127.0.0.1", None)
    for bad in ("", "127.0.0.1:x", "127.0.0.1:99999"):
        with pytest.raises(InputError, match="--sender"):
            StreamAddress.parse_sender(bad)


def test_an_hour_of_troubles_is_followed_in_flat_memory() -> None:
    """Accelerated: stalls, restarts, jumps, silences, a fifth lost, and floods of strangers."""
    motion = samples.punches()
    server = LiveServer(Follower([Part("punches", motion)]), clock=lambda: 0.0)
    avatar = Avatar(motion)
    writer = BundleWriter(avatar.roles)
    bones = [avatar.bones(t) for t in np.arange(0, motion.duration, 1 / 30)]
    dice = random.Random(0)
    now, clock, grown, off = 0.0, 0.0, [], []
    performances = 600 if os.environ.get("RETIME_STRESS") else 7
    for turn in range(performances):
        trouble = ("stall", "restart", "jump", "port", "silence", "flood", "none")[turn % 7]
        port = turn // 7 + (trouble == "port")
        for k in range(len(bones) + 60):
            now += 1 / 30
            middle = 50 <= k < 70
            clock += 0.0 if trouble == "stall" and middle else 1.01 / 30
            if k == 50:
                clock = 0.0 if trouble == "restart" else clock + 500 * (trouble == "jump")
            if trouble == "flood" and middle:
                for _ in range(20):
                    server.receive(b"/flood" + bytes(30), ("10.0.0.9", 1), now)
            source = min(k, len(bones) - 1)
            if dice.random() > 0.2 and not (trouble == "silence" and middle):
                data = writer.frame(bones[source], ROOT, clock)
                server.receive(data, ("10.0.0.1", 100 + port), now)
            cue = server.tick(now)
            if 30 < k < 50 or 85 < k < len(bones) - 5:
                off.append(abs(cue.time - motion.start - source / 30))
        grown.append(most_memory())
    assert np.mean(np.array(off) < 0.15) > 0.97
    assert grown[-1] - grown[2] < 8 << 20


class SimulatedWait(selectors.DefaultSelector):
    """Time passes where a loop would wait."""

    now = 0.0

    def select(self, timeout: float | None = None) -> Any:
        self.now += timeout or 0.0
        return super().select(0.0)


def frames_out(poses: list[float], seconds: float) -> np.ndarray:
    """Return when frames go out, 90 a second, while poses come at given times."""
    motion = samples.punches()
    waiting = SimulatedWait()
    loop = asyncio.SelectorEventLoop(waiting)
    loop.time = lambda: waiting.now  # type: ignore[method-assign]
    out: list[float] = []

    class Ear:
        listeners = 0

        def send(self, cue: Any, now: float, *figures: Any) -> None:
            out.append(now)

    server = LiveServer(Follower([Part("a", motion)]), feed=Ear(), clock=loop.time)
    writer, bones = BundleWriter(Avatar(motion).roles), Avatar(motion).bones(motion.start)

    async def show() -> None:
        for at in poses:
            data = writer.frame(bones, ROOT, at)
            loop.call_at(at, server.receive, data, ("127.0.0.1", 5), at)
        loop.call_at(seconds, server.over.set)
        await server.run()

    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        runner.run(show())
    return np.array(out)


@pytest.mark.parametrize("rate", [24.0, 60.0, 90.0, 250.0])
def test_a_pose_goes_out_within_half_a_period_and_the_rate_is_kept(rate: float) -> None:
    even = frames_out([], 1.0)
    assert np.ptp(np.diff(even)) < 1e-6
    poses = list(0.0013 + np.arange(0, 1.0, 1 / rate))
    out = frames_out(poses, 1.0)
    assert abs(len(out) - len(even)) <= 1
    assert np.diff(out).min() > 0.49 / 90
    # The first one has to wait for the second, to be known as whole.
    waits = [out[out >= at - 1e-9][0] - at for at in poses[1:] if at < 0.95]
    assert max(waits) < (0.6 if rate <= 60 else 1.1) / 90
