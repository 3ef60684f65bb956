"""The partner's hand meets the performer's: judged on what goes out."""

from __future__ import annotations

import socket
from dataclasses import replace

import numpy as np
import pytest
from bench import performances as trials

import retime
from live_streams import frames_of
from retime import InputError, Motion, samples
from retime.live_server.follower import Follower, Part
from retime.live_server.performer import Assembler, Performer
from retime.live_server.server import LiveServer
from retime.live_server.touch import Touch, TouchPair, found_pairs
from retime.live_server.vmc import parse_packet
from retime.motion.kinematics import positions

HANDS = TouchPair("right_hand", "right_hand")


class Stage:
    """A server with a socket that hears what goes out, on clocks that the test winds."""

    def __init__(self, part: Part) -> None:
        self.ears = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.ears.bind(("127.0.0.1", 0))
        self.out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.out.connect(self.ears.getsockname())
        self.server = LiveServer(Follower([part]), outs=[self.out], clock=lambda: 0.0)
        self.heard, self.partner = Assembler(), Performer(["right_hand", "hips", "head"])

    def play(self, performance: Motion, source: np.ndarray, rate: float = 60.0) -> np.ndarray:
        """Perform; return live time, shown time, and the partner's and performer's hands."""
        rows = []
        live = np.arange(len(source)) / rate
        for now, data in frames_of(performance, live, source):
            self.server.receive(data, ("127.0.0.1", 1), now)
            cue = self.server.tick(now + 1e-4)
            for frame in self.heard.add(parse_packet(self.ears.recv(65_535)), now):
                hand, hips, _ = self.partner.pose(frame)
                own = self.server._seen()["right_hand"]
                rows.append((now, cue.time, *hand, *own, *hips))
        return np.array(rows)

    def close(self) -> None:
        self.ears.close()
        self.out.close()


def off_by(rows: np.ndarray, touch: Touch) -> np.ndarray:
    """Distance of the partner's hand from the recorded offset, where the hands touch in full."""
    inside = np.array([touch.weight(t) == 1 for t in rows[:, 1]])
    wanted = np.array([touch.offset(t) for t in rows[inside, 1]])
    out: np.ndarray = np.linalg.norm(rows[inside, 2:5] - rows[inside, 5:8] - wanted, axis=1)
    return out


def moved(motion: Motion, way: tuple[float, float, float]) -> Motion:
    root = motion.skeleton.names[0]
    return replace(
        motion,
        translations={**motion.translations, root: motion.translations[root] + np.array(way)},
        origin=None,
    )


@pytest.mark.parametrize("way", [(0, 0.06, -0.1), (0.3, 0, 0.2)])
def test_the_partners_hand_keeps_the_recorded_offset(way: tuple[float, float, float]) -> None:
    ours, theirs = samples.handshake()
    touch = Touch(HANDS, ours, theirs)
    assert touch.spans
    live = np.arange(0, ours.duration, 1 / 60)
    found = {}
    for name, touches in (("with", (HANDS,)), ("without", ())):
        stage = Stage(Part("shake", ours, theirs, touches=touches))
        try:
            found[name] = stage.play(moved(ours, way), ours.start + live)
        finally:
            stage.close()
    off = off_by(found["with"], touch)
    assert len(off) > 10
    assert off.max() < 0.02
    assert off_by(found["without"], touch).max() > 0.08
    # Eased: no frame moves the hand faster than the ease allows beyond what was recorded.
    steps = [np.linalg.norm(np.diff(found[n][:, 2:5], axis=0), axis=1) for n in found]
    assert steps[0].max() < steps[1].max() + 1.6 * np.linalg.norm(way) / 0.25 / 60 + 0.01


def test_the_figure_comes_along_where_its_arm_is_too_short() -> None:
    ours, theirs = samples.handshake()
    between = positions(ours)[0, 0] - positions(theirs)[0, 0]
    away = 0.45 * between / np.linalg.norm(between)
    rows = []
    for way in ((0.0, 0.0, 0.0), (float(away[0]), 0.0, float(away[2]))):
        stage = Stage(Part("shake", ours, theirs, touches=(HANDS,)))
        try:
            rows.append(stage.play(moved(ours, way), ours.start + np.arange(0, 2.2, 1 / 60)))
        finally:
            stage.close()
    came = np.linalg.norm(rows[1][:, 8:11] - rows[0][:, 8:11], axis=1).max()
    assert 0.1 < came < 0.5


def test_touching_hands_are_found_in_both_recordings() -> None:
    ours, theirs = samples.handshake()
    assert HANDS in found_pairs(ours, theirs)
    assert found_pairs(samples.punches(), moved(samples.punches(), (3, 0, 0))) == ()


@pytest.mark.parametrize("text", ["right_hand", "tail=right_hand", "right_hand=tail"])
def test_a_touch_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="--touch"):
        TouchPair.parse(text)


@pytest.mark.skipif(not trials.MOCAP.is_dir(), reason="no folder of real clips beside the project")
def test_another_take_of_a_real_handshake_is_met() -> None:
    ours, theirs, take = (
        retime.read(trials.MOCAP / f"{name}.bvh") for name in ("18_01", "19_01", "18_02")
    )
    touch = Touch(HANDS, ours, theirs)
    stage = Stage(Part("shake", ours, theirs, touches=(HANDS,)))
    try:
        rows = stage.play(take, take.start + np.arange(0, min(take.duration, 3.0), 1 / 60))
    finally:
        stage.close()
    off = off_by(rows, touch)
    assert len(off) > 10
    # Surely followed, the hands keep their offset; where the place is not sure they let go.
    assert np.median(off) < 0.02


def test_a_relocation_is_cross_faded() -> None:
    motion = samples.punches()
    stage = Stage(Part("punches", motion))
    source = np.concatenate([np.arange(0, 1.2, 1 / 60), np.arange(2.6, 3.8, 1 / 60)])
    try:
        rows = stage.play(motion, motion.start + source)
    finally:
        stage.close()
    jump = int(np.argmax(np.diff(rows[:, 1])))
    assert np.diff(rows[:, 1])[jump] > 0.75  # the time jumps
    recorded = positions(motion)
    fastest = np.linalg.norm(np.diff(recorded, axis=0), axis=2).max() * motion.rate
    speed = np.linalg.norm(np.diff(rows[:, 2:5], axis=0), axis=1) * 60
    assert speed[jump : jump + 20].max() < fastest  # and the hand does not
    assert rows[jump + 1, 0] - 1.2 < 0.5  # soon after the skip
    assert abs(rows[-1, 1] - motion.start - source[-1]) < 0.1
