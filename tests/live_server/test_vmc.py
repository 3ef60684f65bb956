"""The wire: bones in Unity's frame, frames out of packets, and what is no packet at all."""

from __future__ import annotations

import os
import random
from typing import Any

import numpy as np
import pytest
from pythonosc.osc_bundle_builder import IMMEDIATELY, OscBundleBuilder
from pythonosc.osc_message_builder import OscMessageBuilder

import retime
from live_streams import bone_message, frames_of, most_memory
from retime import InputError, quat, samples
from retime.live import BayesAligner, tracked_points
from retime.live_server.avatar import ROOT, Avatar
from retime.live_server.follower import Follower, Part
from retime.live_server.humanoid import BONE_NAMES, nearest_parent
from retime.live_server.performer import Assembler, Frame, Performer
from retime.live_server.server import LiveServer
from retime.live_server.vmc import Bone, BundleWriter, Packet, parse_packet

STILL: Bone = (0.0, 0.1, 0.0, 1.0, 0.0, 0.0, 0.0)
HALF = float(np.sqrt(0.5))


def bundle(*messages: tuple[str, list[tuple[Any, str]]]) -> bytes:
    made = OscBundleBuilder(IMMEDIATELY)
    for address, values in messages:
        message = OscMessageBuilder(address)
        for value, kind in values:
            message.add_arg(value, kind)
        made.add_content(message.build())
    data: bytes = made.build().dgram
    return data


def test_the_left_arm_is_raised() -> None:
    # In Unity a figure faces +Z and its left arm points to -X; turned about z by -90 degrees, up.
    places = {"Hips": (0, 1, 0), "LeftUpperArm": (-0.2, 0.4, 0), "LeftLowerArm": (-0.3, 0, 0)}
    turns = dict.fromkeys(places, (0, 0, 0, 1)) | {"LeftUpperArm": (0, 0, -HALF, HALF)}
    assembler, performer = Assembler(), Performer(["left_upper_arm", "left_lower_arm"])
    for name, place in places.items():
        assembler.add(parse_packet(bone_message(name, *place, *turns[name])), 0.0)
    (frame,) = assembler.flush()
    shoulder, elbow = performer.pose(frame)
    np.testing.assert_allclose(shoulder, [0.2, 1.4, 0.0], atol=1e-6)  # our left is +X
    np.testing.assert_allclose(elbow, [0.2, 1.7, 0.0], atol=1e-6)  # above the shoulder


@pytest.mark.parametrize("name", ["punches", "walk", "jump", "handshake"])
def test_what_is_sent_is_what_arrives(name: str) -> None:
    motion = samples.sample(name).motion
    avatar = Avatar(motion)
    writer, assembler, performer = BundleWriter(avatar.roles), Assembler(), Performer(avatar.roles)
    for time in motion.times[:: max(1, len(motion) // 15)]:
        data = writer.frame(avatar.bones(time), ROOT, 1 + float(time))
        (frame,) = assembler.add(parse_packet(data), float(time)) or assembler.flush()
        np.testing.assert_allclose(performer.pose(frame), avatar.points(time), atol=1e-5)
        assert frame.time == pytest.approx(1 + time, abs=1e-6)


@pytest.mark.parametrize("name", ["punches", "walk", "jump"])
def test_another_figure_points_its_limbs_the_same_way(name: str) -> None:
    """Receivers hang the rotations on a figure that rests in a T-pose facing +Z."""
    motion = samples.sample(name).motion
    avatar = Avatar(motion)
    for time in motion.times[:: max(1, len(motion) // 10)]:
        bones = dict(zip(avatar.roles, avatar.bones(time), strict=True))
        points = dict(zip(avatar.roles, avatar.points(time), strict=True))
        turns: dict[str, np.ndarray] = {}
        for role in avatar.roles:
            above = nearest_parent(role, avatar.roles)
            own = np.array(bones[role][3:])
            turns[role] = own if above is None else quat.multiply(turns[above], own)
        for side, out in (("left", 1.0), ("right", -1.0)):
            for a, b, rest in (
                ("upper_arm", "lower_arm", [out, 0, 0]),
                ("lower_arm", "hand", [out, 0, 0]),
                ("upper_leg", "lower_leg", [0, -1, 0]),
                ("lower_leg", "foot", [0, -1, 0]),
            ):
                way = points[f"{side}_{b}"] - points[f"{side}_{a}"]
                way = way / np.linalg.norm(way)
                np.testing.assert_allclose(
                    quat.rotate(turns[f"{side}_{a}"], np.array(rest, float)), way, atol=1e-6
                )


def test_a_frame_in_many_packets_is_one_frame() -> None:
    assembler = Assembler()
    roles = list(BONE_NAMES)
    for k in range(3):
        at = 1.0 + k / 60
        found = []
        for role in roles:
            found += assembler.add(Packet({role: STILL}), at)
        # Nobody can know how many bones will come: the first frame ends with the second.
        assert [len(f.bones) for f in found] == [len(roles)] * (0, 2, 1)[k]


def test_a_lost_packet_ends_with_patience_and_late_ones_are_dropped() -> None:
    assembler = Assembler()
    assembler.add(Packet({"hips": STILL, "head": STILL}, time=1.0), 5.0)
    assert len(assembler.add(Packet({"hips": STILL}, time=1.1), 5.1)) == 1
    assert assembler.waits
    (frame,) = assembler.flush()
    assert set(frame.bones) == {"hips"}
    assert assembler.add(Packet({"hips": STILL, "head": STILL}, time=1.05), 5.2) == []
    assert assembler.late == 1
    assembler.add(Packet({"hips": STILL, "head": STILL}, time=0.0), 5.3)  # started anew
    (again,) = assembler.flush()
    assert again.time == 0.0


def test_jitter_is_taken_out_of_moments() -> None:
    assembler = Assembler()
    rng = np.random.default_rng(0)
    moments = []
    for k in range(200):
        sent = k / 60
        came = 100 + sent + 0.02 * rng.random()
        (frame,) = assembler.add(Packet({"hips": STILL}, time=sent), came) or assembler.flush()
        moments.append(frame.moment - sent)
    assert np.ptp(moments[60:]) < 0.002  # of 20 ms


def test_a_bone_that_does_not_come_is_held_for_a_moment_only() -> None:
    assembler, performer = Assembler(), Performer(["hips", "head"])

    def pose(time: float, *roles: str) -> np.ndarray:
        frames = assembler.add(Packet(dict.fromkeys(roles, STILL), time=time), time)
        frames += assembler.flush()
        return performer.pose(frames[-1])

    assert np.isfinite(pose(1.0, "hips", "head")).all()
    assert np.isfinite(pose(1.05, "hips")).all()
    assert np.isnan(pose(1.5, "hips")[1]).all()


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "OSC"),
        (b"\x00" * 40, "OSC"),
        (b"#bundle\x00" + b"\xff" * 30, "OSC"),
        (b"x" * 70_000, "too large"),
    ],
)
def test_bad_packets_get_a_sentence(data: bytes, said: str) -> None:
    with pytest.raises(InputError, match=said):
        parse_packet(data)


@pytest.mark.parametrize(
    "data",
    [
        bone_message("Hips", 1, 2, 3),
        bone_message("Hips", 0, 0, 0, 0, 0, 0, 0),
        bone_message("Hips", np.nan, 0, 0, 0, 0, 0, 1),
        bone_message("Hips", 1e30, 0, 0, 0, 0, 0, 1),
        bundle(("/VMC/Ext/T", [("now", "s")])),
        bundle(("/VMC/Ext/T", [(np.inf, "f")])),
        bundle(("/VMC/Ext/T", [(1e30, "f")])),
        bundle(("/VMC/Ext/T", [])),
        bundle(("/VMC/Ext/Root/Pos", [("root", "s"), *[(np.nan, "f")] * 7])),
        bundle(("/VMC/Ext/Bone/Pos", [(1.0, "f"), ("Hips", "s"), *[(0.0, "f")] * 6])),
    ],
)
def test_a_message_without_usable_values_is_left_out_and_counted(data: bytes) -> None:
    assert parse_packet(data) == Packet(broken=1)


def test_unknown_bones_are_listed_and_fingers_are_not() -> None:
    packet = parse_packet(
        bundle(
            *(
                ("/VMC/Ext/Bone/Pos", [(n, "s"), *((v, "f") for v in (0.0,) * 6), (1.0, "f")])
                for n in ("Tail", "LeftIndexProximal", "Hips")
            ),
            ("/VMC/Ext/Blend/Val", [("Joy", "s"), (0.5, "f")]),
        )
    )
    assert packet.unknown == ("Tail",)
    assert set(packet.bones) == {"hips"}


def test_random_and_mutated_packets_do_nothing() -> None:
    motion = samples.punches()
    server = LiveServer(Follower([Part("punches", motion)]))
    times = motion.times
    good = [data for _, data in frames_of(motion, times, times)]
    dice = random.Random(7)
    count = 1_000_000 if os.environ.get("RETIME_STRESS") else 10_000

    def attack(rounds: int) -> None:
        for k in range(rounds):
            data = bytearray(dice.choice(good))
            kind = dice.random()
            if kind < 0.2:
                data = bytearray(dice.randbytes(dice.randrange(0, 300)))
            elif kind < 0.8:
                for _ in range(dice.randrange(1, 8)):
                    data[dice.randrange(len(data))] = dice.randrange(256)
            else:
                data = data[: dice.randrange(len(data))]
            server.receive(bytes(data), ("127.0.0.1", 1 + dice.randrange(3)), k / 200)

    attack(count // 4)
    before = most_memory()
    attack(count - count // 4)
    assert server.reception.malformed > count // 20
    assert most_memory() - before < 8 << 20
    assert len(server.reception.unknown) <= 40


def test_a_clean_stream_is_followed_to_the_millisecond() -> None:
    motion = samples.punches()
    aligner = BayesAligner(motion)
    assembler, performer = Assembler(), Performer(aligner.joints)
    off = []
    for time, data in frames_of(motion, motion.times, motion.times):
        for frame in assembler.add(parse_packet(data), time):
            off.append(aligner.step(performer.pose(frame), frame.time) - frame.time)
    assert np.abs(off).max() < 0.005


def test_a_figure_without_hips_is_refused() -> None:
    skeleton = retime.Skeleton(("a", "b"), np.array([-1, 0]), np.array([[0, 0, 0], [0, 1, 0]]))
    motion = retime.Motion(skeleton, quat.identity(5, 2), {"a": np.zeros((5, 3))})
    with pytest.raises(InputError, match="hips"):
        Avatar(motion)


def test_tracked_joints_of_a_stream_are_those_of_the_motion() -> None:
    motion = samples.walk()
    aligner = BayesAligner(motion)
    points, _ = tracked_points(motion, aligner.joints)
    assembler, performer = Assembler(), Performer(aligner.joints)
    (_, data), *_ = frames_of(motion, motion.times[:1] + 1, motion.times[:1])
    (frame,) = assembler.add(parse_packet(data), 0.0) or assembler.flush()
    np.testing.assert_allclose(performer.pose(frame), points[0], atol=1e-5)


def test_bad_datagrams_are_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    data = bytearray(BundleWriter(["hips"]).frame([STILL], STILL, 1.0))
    data[data.index(b"/VMC/Ext/Root")] = 0x99
    parse_packet(bytes(data))
    assert caplog.records == []


def test_a_time_in_a_datagram_of_its_own_stamps_the_bones_that_follow() -> None:
    assembler = Assembler()
    frames = []
    for k in range(20):
        frames += assembler.add(Packet(time=1000 + k / 60), 7 + k / 60)
        frames += assembler.add(Packet({"hips": STILL}), 7 + k / 60 + 0.001)
    frames += assembler.flush()
    np.testing.assert_allclose([f.time for f in frames], 1000 + np.arange(20) / 60)
    np.testing.assert_allclose([f.moment for f in frames], 7.001 + np.arange(20) / 60, atol=1e-3)


def test_another_senders_clock_far_ahead_is_another_clock() -> None:
    assembler = Assembler()
    moments = []
    for k in range(60):
        stamp = k / 60 + (5000 if k >= 30 else 0)
        frames = assembler.add(Packet({"hips": STILL}, time=stamp), 7 + k / 60)
        moments += [f.moment for f in frames or assembler.flush()]
    np.testing.assert_allclose(moments, 7 + np.arange(60) / 60, atol=2e-3)


def test_one_bone_that_is_no_number_does_not_spoil_the_others() -> None:
    nan = float("nan")
    bad = (nan, nan, nan, 1.0, 0.0, 0.0, 0.0)
    packet = parse_packet(BundleWriter(["hips", "head"]).frame([STILL, bad], STILL, 1.0))
    assert set(packet.bones) == {"hips"}
    assert packet.broken == 1


def stamped(stamps: list[float], every: float = 1 / 60) -> list[Frame]:
    """Frames of packets with these stamps, which arrive at an even rate from 7 s on."""
    assembler, frames = Assembler(), []
    for k, stamp in enumerate(stamps):
        arrival = 7 + k * every
        frames += assembler.add(Packet({"hips": STILL}, time=stamp), arrival)
        frames += assembler.flush()
    return frames


@pytest.mark.parametrize(
    "stamps",
    [
        [min(k / 60, 1.0) for k in range(300)],  # the clock stands from 1 s on
        [k / 60 if k < 100 else k / 60 - 0.8 for k in range(300)],  # it is set back a little
        [k / 60 if k < 45 else (k - 45) / 60 for k in range(300)],  # it starts again early on
        [k / 60 if k < 100 else (k - 100) / 60 for k in range(300)],  # and later
        [k / 600 for k in range(300)],  # it runs at a tenth of the speed
    ],
    ids=["stands", "set back", "restarts early", "restarts", "slow"],
)
def test_frames_go_on_whatever_the_senders_clock_does(stamps: list[float]) -> None:
    moments = np.array([f.moment for f in stamped(stamps)])
    ends = np.r_[7.0, moments, 7 + 300 / 60]
    assert np.diff(ends).max() < 0.4  # silence begins at 0.5 s
    arrivals = 7 + np.arange(300) / 60
    near = np.abs(moments[:, None] - arrivals[None, :]).min(axis=1)
    assert near.max() < 0.3
