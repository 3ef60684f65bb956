"""A bad second on the way: wrong heights, missing bones, values that are none. Truth is known."""

from __future__ import annotations

import json
import math
import random
import socket
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pythonosc.osc_bundle_builder import IMMEDIATELY, OscBundleBuilder
from pythonosc.osc_message_builder import OscMessageBuilder
from pythonosc.osc_packet import OscPacket

import retime
from live_server_running import Running
from live_stage import SHARED, Body, Change, Sent, Stage, off, right, scene, stream
from retime.live_server.follower import Part
from retime.live_server.vmc import Bone

REAL = ("18_01", "18_04", "18_08", "18_12", "20_01", "20_05", "20_11", "22_04", "22_11", "22_17")
SCENES = [
    "handshake",
    "punches",
    *(
        pytest.param(
            name,
            marks=pytest.mark.skipif(
                not (SHARED / "pairs").is_dir(), reason="no folder of real clips beside the project"
            ),
        )
        for name in REAL
    ),
]


def raised(way: float, start: float, end: float) -> Change:
    """Raise the hips between two times, in metres."""

    def change(time: float, bones: dict[str, Bone], root: Bone) -> tuple[dict[str, Bone], Bone]:
        if start <= time < end:
            x, y, z, *turn = bones["hips"]
            w, i, j, k = turn
            bones = bones | {"hips": (x, y + way, z, w, i, j, k)}
        return bones, root

    return change


def without(role: str, start: float, end: float) -> Change:
    def change(time: float, bones: dict[str, Bone], root: Bone) -> tuple[dict[str, Bone], Bone]:
        if start <= time < end:
            bones = {r: b for r, b in bones.items() if r != role}
        return bones, root

    return change


# The change, and the time from which on the performer must be followed again.
HEIGHTS: dict[str, tuple[Change, float]] = {
    "0.9 m too low for 0.3 s": (raised(-0.9, 1.0, 1.3), 1.3),
    "0.3 m too low for 0.3 s": (raised(-0.3, 1.0, 1.3), 1.3),
    "0.4 m higher from then on": (raised(0.4, 1.0, math.inf), 1.0),
    "3 poses too low at the start": (raised(-1.0, 0.0, 3 / 60), 0.05),
    "4 poses too low at the start": (raised(-1.0, 0.0, 4 / 60), 0.07),
    "20 poses too low at the start": (raised(-1.0, 0.0, 20 / 60), 0.33),
    "no hips for 0.3 s": (without("hips", 1.0, 1.3), 1.3),
    "no left upper leg for 0.3 s": (without("left_upper_leg", 1.0, 1.3), 1.3),
}


@pytest.mark.parametrize("name", SCENES)
def test_wrong_heights_and_missing_bones_heal_within_a_second(name: str) -> None:
    motion, partner = scene(name, 4.0)
    body, source = Body(motion, size=0.95), lambda time: motion.start + min(time, motion.duration)
    for case, (change, end) in HEIGHTS.items():
        if motion.duration > end + 1.0:
            stage = Stage(Part(name, motion, partner))
            length = min(motion.duration, end + 1.5)
            shown = stage.play(stream(body, source, length, change=change))
            assert right(shown, source, end + 1.0) == 1.0, case


@pytest.mark.parametrize("name", ["handshake", "punches"])
def test_a_copy_is_as_exact_from_another_floor(name: str) -> None:
    motion, _ = scene(name)
    found = []
    for way in (0.0, 0.4):
        stage = Stage(Part(name, motion))
        sent = stream(Body(motion), lambda t: motion.start + t, 2.0, change=raised(way, 0, 9))
        found.append([s.cue.heard for s in stage.play(sent)])
    np.testing.assert_allclose(found[0], found[1], atol=0.002)


def message(address: str, values: list[Any]) -> Any:
    built = OscMessageBuilder(address)
    for value in values:
        built.add_arg(value, "s" if isinstance(value, str) else "f")
    return built.build()


def spoilt(data: bytes, address: str, spoil: Callable[[list[Any]], list[Any]]) -> bytes:
    """Return a bundle in which one kind of message is spoilt."""
    built = OscBundleBuilder(IMMEDIATELY)
    for timed in OscPacket(data).messages:
        values = list(timed.message.params)
        if timed.message.address == address:
            values = spoil(values)
        built.add_content(message(timed.message.address, values))
    out: bytes = built.build().dgram
    return out


def _number(value: float) -> Callable[[list[Any]], list[Any]]:
    """Put a value in the place of a random number of the message."""
    dice = random.Random(1)

    def spoil(values: list[Any]) -> list[Any]:
        numbers = [k for k, v in enumerate(values) if not isinstance(v, str)]
        out = list(values)
        out[dice.choice(numbers)] = value
        return out

    return spoil


SPOILS: dict[str, Callable[[list[Any]], list[Any]]] = {
    "nan": _number(math.nan),
    "inf": _number(math.inf),
    "1e30": _number(1e30),
    "text": lambda values: ["no" if not isinstance(v, str) else v for v in values],
    "a number for the name": lambda values: [0.5, *values[1:]],
    "too few": lambda values: values[:-1],
    "reversed": lambda values: values[::-1],
    "nothing": lambda values: [],
}
FIELDS = ("/VMC/Ext/T", "/VMC/Ext/Root/Pos", "/VMC/Ext/Bone/Pos")


@cache
def performer_of(name: str) -> Body:
    return Body(scene(name)[0], size=0.97)


@pytest.mark.parametrize("name", ["handshake", "punches"])
@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("spoil", SPOILS)
def test_bad_values_in_bursts_are_left_out(name: str, field: str, spoil: str) -> None:
    """A clock and a root that are none cost nothing; bones cost no more than their absence."""
    motion, partner = scene(name)
    stage = Stage(Part(name, motion, partner))
    source = lambda time: motion.start + time  # noqa: E731
    body, length = performer_of(name), min(motion.duration, 2.1)

    def sent() -> Iterator[Sent]:
        for arrival, data, sender in stream(body, source, length):
            burst = 0.8 <= arrival < 1.1
            yield arrival, spoilt(data, field, SPOILS[spoil]) if burst else data, sender

    shown = stage.play(sent())
    late = np.abs(off([s for s in shown if s.now > 0.5], source))
    if field != "/VMC/Ext/Bone/Pos":
        assert np.median(late) < 0.02
        assert late.max() < 0.06
        assert all(s.cue.state != "silent" for s in shown)
    assert right(shown, source, 1.5) == 1.0
    assert stage.server.reception.malformed <= 19


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 1e30, -3e9])
def test_three_seconds_without_a_clock_are_as_good_as_any(value: float) -> None:
    motion, partner = scene("handshake")
    source = lambda time: motion.start + time  # noqa: E731
    stage = Stage(Part("handshake", motion, partner))
    stamp = lambda time: value if time >= 0.5 else time  # noqa: E731
    shown = stage.play(stream(Body(motion), source, motion.duration, stamp=stamp))
    late = np.abs(off([s for s in shown if s.now > 0.4], source))
    assert np.median(late) < 0.009
    assert late.max() < 0.03


def test_it_does_not_follow_what_it_does_not_see() -> None:
    """Poses that move come without hips: the partner stands, and the state is not following."""
    motion, _ = scene("punches")
    stage = Stage(Part("punches", motion))
    sent = stream(
        Body(motion), lambda t: motion.start + t, 2.0, change=without("hips", 1.0, math.inf)
    )
    shown = stage.play(sent)
    assert {s.cue.state for s in shown if 0.3 < s.now < 1.0} == {"following"}
    assert {s.cue.state for s in shown if s.now > 1.65} == {"lost"}


def test_a_running_server_survives_bursts_of_bad_values(tmp_path: Path) -> None:
    """Over real UDP: every kind of bad value in turn; followed to the end, and nothing logged."""
    motion, _ = scene("punches")
    retime.write(motion, tmp_path / "punches.npz")
    kinds = [(field, spoil) for field in FIELDS for spoil in SPOILS.values()]
    score = tmp_path / "score.json"
    with Running(
        tmp_path / "punches.npz", "--in", "vmc://127.0.0.1:0", "--score", score
    ) as running:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
            begun = time.monotonic()
            sent = stream(Body(motion), lambda t: motion.start + t, motion.duration)
            for k, (at, data, _) in enumerate(sent):
                time.sleep(max(0.0, begun + at - time.monotonic()))
                burst = 0.6 <= at < 0.9
                out.sendto(spoilt(data, *kinds[k % len(kinds)]) if burst else data, running.address)
        running.wait(lambda line: line["type"] == "status" and line["cue"]["state"] == "silent")
        assert any(line.get("malformed", 0) > 0 for line in running.lines)
        status, said = running.stop()
    assert status == 0, said
    assert len(said.splitlines()) <= 2, said
    frames = json.loads(score.read_text())["performances"][0]["frames"]
    late = [abs(f["source"] - motion.start - f["time"]) for f in frames if f["time"] > 1.9]
    assert late
    assert max(late) < 0.15
