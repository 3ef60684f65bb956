"""Every field of every message with a value that is none, or in the wrong order, one by one."""

from __future__ import annotations

import json
import math
import random
import socket
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pythonosc.osc_bundle_builder import IMMEDIATELY, OscBundleBuilder
from pythonosc.osc_message_builder import OscMessageBuilder
from pythonosc.osc_packet import OscPacket

import retime
from live_server_running import Running
from live_stage import Body, Sent, Stage, off, right, scene, stream
from retime.live_server.follower import Part
from retime.live_server.vmc import Packet, parse_packet

Values = list[Any]
Spoil = Callable[[Values, int], Values]

TURNED = [0.1, 1.1, 0.2, 0.0, 0.6, 0.0, 0.8]
MESSAGES: dict[str, Values] = {
    "/VMC/Ext/OK": [1, 3, 0, 1],
    "/VMC/Ext/T": [0.5],
    "/VMC/Ext/Root/Pos": ["root", *TURNED],
    "/VMC/Ext/Bone/Pos": ["Hips", *TURNED],
    "/VMC/Ext/Hmd/Pos": ["HMD-7", *TURNED],
    "/VMC/Ext/Con/Pos": ["serial-a", *TURNED],
    "/VMC/Ext/Tra/Pos": ["serial-t", *TURNED],
    "/tracking/trackers/1/position": [0.1, 1.0, 0.3],
    "/tracking/trackers/1/rotation": [0.0, 90.0, 10.0],
}
BONE, ROOT = "/VMC/Ext/Bone/Pos", "/VMC/Ext/Root/Pos"


def put(value: float) -> Spoil:
    return lambda values, k: [*values[:k], value, *values[k + 1 :]]


def retyped(values: Values, k: int) -> Values:
    return put(0.5 if isinstance(values[k], str) else "no")(values, k)  # type: ignore[arg-type]


def swapped(values: Values, k: int) -> Values:
    """Return the values with one in the place of the next."""
    out, other = list(values), (k + 1) % len(values)
    out[k], out[other] = out[other], out[k]
    return out


def shortened(values: Values, k: int) -> Values:
    return values[:k]


NO_VALUES: dict[str, Spoil] = {
    "nan": put(math.nan),
    "inf": put(math.inf),
    "-inf": put(-math.inf),
    "1e30": put(1e30),
    "type": retyped,
    "too few": shortened,
}
FIELDS = [(address, k) for address, values in MESSAGES.items() for k in range(len(values))]
# Fields without which a stream is as good.
HARMLESS = [(address, k) for address, k in FIELDS if address != BONE]


def message(address: str, values: Values) -> Any:
    built = OscMessageBuilder(address)
    for value in values:
        built.add_arg(value, "s" if isinstance(value, str) else "f")
    return built.build()


def bundle(messages: list[Any]) -> bytes:
    built = OscBundleBuilder(IMMEDIATELY)
    for each in messages:
        built.add_content(each)
    data: bytes = built.build().dgram
    return data


def spoilt(data: bytes, address: str, spoil: Spoil, k: int) -> bytes:
    """Spoil a field of all messages of a bundle at an address, or of one that is added."""
    found = [(m.message.address, list(m.message.params)) for m in OscPacket(data).messages]
    if address == "/VMC/Ext/OK" or address not in dict(found):
        found = [(a, v) for a, v in found if a != address] + [(address, MESSAGES[address])]
    return bundle([message(a, spoil(v, k) if a == address else v) for a, v in found])


def parsed(messages: dict[str, Values]) -> Packet:
    return parse_packet(bundle([message(a, v) for a, v in messages.items()]))


@pytest.mark.parametrize("kind", NO_VALUES)
@pytest.mark.parametrize("address", MESSAGES)
def test_a_message_without_usable_values_is_left_out(address: str, kind: str) -> None:
    """The other messages of its bundle are read, and it is counted."""
    without = parsed({a: v for a, v in MESSAGES.items() if a != address})
    if address == "/VMC/Ext/OK":
        return  # nothing is read of it
    # There is one headset, whatever its name.
    unread = address == "/VMC/Ext/Hmd/Pos" and kind != "too few"
    for k in range(unread, len(MESSAGES[address])):
        found = parsed(MESSAGES | {address: NO_VALUES[kind](MESSAGES[address], k)})
        assert found == replace(without, broken=1), k


def bursts(fields: list[tuple[str, int]], spoil: Callable[[int], Spoil], every: float) -> Any:
    """Return streams with a burst of 0.3 s for each field, and when each burst ends."""
    motion, _ = scene("punches")
    body = Body(motion, size=0.97)
    first, length = 0.6, 3.6
    many = int((length - first) / every)

    for start in range(0, len(fields), many):
        part = fields[start : start + many]

        def sent(part: list[tuple[str, int]] = part) -> Iterator[Sent]:
            for number, (arrival, data, sender) in enumerate(
                stream(body, lambda t: motion.start + t, length)
            ):
                which, into = divmod(arrival - first, every)
                if 0 <= which < len(part) and into < 0.3:
                    address, k = part[int(which)]
                    data = spoilt(data, address, spoil(number), k)
                yield arrival, data, sender

        yield sent(), [first + n * every + 0.3 for n in range(len(part))]


def mixed(number: int) -> Spoil:
    """Return another kind for each frame."""
    return list(NO_VALUES.values())[number % len(NO_VALUES)]


def played(sent: Iterator[Sent]) -> Any:
    motion, partner = scene("punches")
    return Stage(Part("punches", motion, partner)).play(sent)


def test_what_is_no_bone_costs_nothing() -> None:
    motion, _ = scene("punches")
    source = lambda time: motion.start + time  # noqa: E731
    for spoil in (mixed, lambda number: swapped):
        fields = HARMLESS if spoil is mixed else [f for f in HARMLESS if f[0] != ROOT]
        for sent, _ in bursts(fields, spoil, 0.3):
            shown = [s for s in played(sent) if s.now > 0.5]
            assert abs(off(shown, source)).max() < 0.06
            assert all(s.cue.state != "silent" for s in shown)


@pytest.mark.parametrize(
    ("address", "spoil"),
    [(BONE, mixed), (BONE, lambda number: swapped), (ROOT, lambda number: swapped)],
    ids=["bones", "bones swapped", "root swapped"],
)
def test_bones_are_right_again_within_a_second(address: str, spoil: Callable[[int], Spoil]) -> None:
    motion, _ = scene("punches")
    source = lambda time: motion.start + time  # noqa: E731
    for sent, ends in bursts([(address, k) for k in range(8)], spoil, 1.5):
        shown = played(sent)
        for end in ends:
            assert right(shown, source, end + 1.0, end + 1.2) == 1.0, (address, end)


def test_a_running_server_survives_bursts_of_bad_values(tmp_path: Path) -> None:
    """Over real UDP: every kind of bad value in turn; followed to the end, and nothing logged."""
    motion, _ = scene("punches")
    retime.write(motion, tmp_path / "punches.npz")
    dice = random.Random(0)
    spoils = [*NO_VALUES.values(), swapped, shortened]
    score = tmp_path / "score.json"
    with Running(
        tmp_path / "punches.npz", "--in", "vmc://127.0.0.1:0", "--score", score
    ) as running:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
            begun = time.monotonic()
            sent = stream(Body(motion), lambda t: motion.start + t, motion.duration)
            for at, data, _ in sent:
                time.sleep(max(0.0, begun + at - time.monotonic()))
                for address, values in MESSAGES.items() if 0.6 <= at < 0.9 else ():
                    data = spoilt(data, address, dice.choice(spoils), dice.randrange(len(values)))
                out.sendto(data, running.address)
        running.wait(lambda line: line["type"] == "status" and line["cue"]["state"] == "silent")
        assert any(line.get("malformed", 0) > 0 for line in running.lines)
        status, said = running.stop()
    assert status == 0, said
    assert len(said.splitlines()) <= 2, said
    frames = json.loads(score.read_text())["performances"][0]["frames"]
    late = [abs(f["source"] - motion.start - f["time"]) for f in frames if f["time"] > 1.9]
    assert late
    assert max(late) < 0.15
