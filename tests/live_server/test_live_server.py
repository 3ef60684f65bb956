"""Running servers on loopback: real sockets, real losses, bad senders, and a clean end."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from bench import performances as trials

import retime
from live_server_running import Running
from live_streams import bone_message, disturbed, frames_of
from retime import InputError, samples
from retime.live_server.follower import Follower, Part
from retime.live_server.performer import Assembler, Performer
from retime.live_server.vmc import parse_packet
from retime.serving.frames import parse_frame

LOOPBACK = "127.0.0.1"


@pytest.fixture
def run_live() -> Iterator[Callable[..., Running]]:
    started: list[Running] = []

    def start(*arguments: str | Path) -> Running:
        started.append(Running(*arguments))
        return started[-1]

    yield start
    for running in started:
        running.kill()


@pytest.fixture(scope="session")
def punches(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("stage") / "punches.bvh"
    retime.write(samples.punches(), path)
    return path


def send(address: tuple[str, int], frames: list[tuple[float, bytes]], speed: float = 1.0) -> None:
    """Send datagrams at their times."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
        start = time.monotonic()
        for at, data in frames:
            time.sleep(max(0.0, start + at / speed - time.monotonic()))
            out.sendto(data, address)


@pytest.mark.skipif(not trials.MOCAP.is_dir(), reason="no folder of real clips beside the project")
def test_losses_on_the_way_cost_no_accuracy(
    run_live: Callable[..., Running], tmp_path: Path
) -> None:
    """A fifth lost, the rest shaken and out of order; as exact as the aligner's own test."""
    clip = retime.read(trials.MOCAP / "18_08.bvh")
    part = clip.times[(clip.times >= 3) & (clip.times <= 5.5)]
    crop = retime.apply(clip, retime.TimeWarp.identity(*clip.domain), times=part)
    reference = retime.apply(
        crop, retime.TimeWarp.identity(*crop.domain), times=np.arange(*crop.domain, 1 / 30)
    )
    retime.write(reference, tmp_path / "reference.npz")
    start, length = reference.domain[0], reference.duration
    live = np.arange(0, length, 1 / 60)
    warp = trials.example_warp(0.25, length)
    frames = list(frames_of(crop, live, start + warp(live)))
    shaken = disturbed(frames, loss=0.2, jitter=0.03)
    score = tmp_path / "score.json"
    running = run_live(tmp_path / "reference.npz", "--in", f"vmc://{LOOPBACK}:0", "--score", score)
    send(running.address, shaken)
    running.wait(lambda line: line["type"] == "status" and line["cue"]["state"] == "silent")
    status, said = running.stop()
    assert status == 0, said
    found = json.loads(score.read_text())["performances"][0]["frames"]
    times = np.array([f["time"] for f in found])
    source = np.array([f["source"] for f in found])
    off = 1e3 * np.abs(source - (start + warp(times)))
    assert len(found) > 0.5 * len(frames)
    assert off.mean() < 20  # what the aligner itself must reach with drops


def test_floods_strangers_and_nonsense_do_not_stop_it(
    run_live: Callable[..., Running], punches: Path
) -> None:
    """And afterwards, while nobody comes in, the partner goes out and rests."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as ears:
        ears.bind((LOOPBACK, 0))
        ears.settimeout(20)
        running = run_live(
            punches, "--in", f"vmc://{LOOPBACK}:0",
            "--out", f"vmc://{LOOPBACK}:{ears.getsockname()[1]}",
        )  # fmt: skip
        unknown = [(0.0, bone_message(name, 0, 0, 0, 0, 0, 0, 1)) for name in ("Tail", "Wing_L")]
        send(running.address, unknown)
        line = running.wait(lambda line: line["type"] == "status" and len(line["unknown"]) == 2)
        assert line["unknown"] == ["Tail", "Wing_L"]
        _perform_amid_a_flood(running)
        _drain(ears)
        assembler, performer = Assembler(), Performer(["hips", "left_hand", "right_hand"])
        poses = []
        for _ in range(40):  # nobody sends, and frames go on coming
            packet = parse_packet(ears.recv(65_535))
            poses += [performer.pose(f) for f in assembler.add(packet, time.monotonic())]
        assert len(poses) >= 35
        assert np.isfinite(poses).all()
        assert np.ptp(np.array(poses)[20:], axis=0).max() < 1e-3  # it has come to rest
        status, said = running.stop()
        assert status == 0, said


def _perform_amid_a_flood(running: Running) -> None:
    """Perform, with nonsense of one's own and a stranger, and see that it is followed."""
    motion = samples.punches()
    dice = random.Random(3)
    frames = list(frames_of(motion, motion.times, motion.times))
    stranger = threading.Thread(
        target=send, args=(running.address, [(t, frames[0][1]) for t, _ in frames])
    )
    time.sleep(0.3)  # until the sender before is no longer waited for
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
        start = time.monotonic()
        for k, (at, data) in enumerate(frames):
            if k == 5:
                stranger.start()
            time.sleep(max(0.0, start + at - time.monotonic()))
            out.sendto(data, running.address)
            for _ in range(5):
                out.sendto(dice.randbytes(dice.randrange(0, 400)), running.address)
    stranger.join()
    line = running.wait(
        lambda line: (
            line["type"] == "status"
            and line["packets"] > len(frames)
            and line["cue"]["state"] == "silent"
        )
    )
    assert line["malformed"] > len(frames)
    assert line["refused"] > len(frames) // 2
    assert line["cue"]["heard"] > motion.start + 0.9 * motion.duration


def _drain(ears: socket.socket) -> None:
    """Throw away what waits at a socket."""
    ears.setblocking(False)
    with contextlib.suppress(BlockingIOError):
        for _ in range(100_000):
            ears.recv(65_535)
    ears.settimeout(20)


def test_a_port_in_use_is_said(punches: Path, run: Any) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
        taken.bind((LOOPBACK, 0))
        port = taken.getsockname()[1]
        status, _, err = run("live", punches, "--in", f"vmc://{LOOPBACK}:{port}")
    assert status == 2
    assert "another program may have the port" in err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["gone.bvh"], "no such file"),
        (["REF", "--in", "http://x"], "not an address"),
        (["REF", "--in", "vmc://127.0.0.1:99999"], "not an address"),
        (["REF", "--speed", "2"], "--replay"),
        (["REF", "--page", "."], "--feed"),
        (["REF", "--feed", "nowhere"], "not a port"),
        (["REF", "--partner", "REF", "--partner", "REF"], "one for each"),
        (["REF", "--score", "x.txt"], "picture"),
        (["REF", "--record", "no/folder.npz"], "folder"),
        (["REF", "--record", "REF", "--replay", "REF"], "is the input"),
        (["REF", "--replay", "REF", "--record", "x.fbx"], "try .npz"),
        (["REF", "--replay", "REF", "--in", "vmc://127.0.0.1:39539"], "leave out --in"),
        (["SHORT"], "too short"),
    ],
)
def test_bad_arguments_get_a_sentence(
    arguments: list[str], said: str, punches: Path, run: Any, tmp_path: Path
) -> None:
    short = tmp_path / "short.npz"
    motion = samples.punches()
    whole = retime.TimeWarp.identity(*motion.domain)
    retime.write(retime.apply(motion, whole, times=motion.times[:4]), short)
    names = {"REF": str(punches), "SHORT": str(short)}
    status, _, err = run("live", *(names.get(a, a) for a in arguments))
    assert status == 2
    assert said in err


def test_a_replay_over_two_terminals(
    run_live: Callable[..., Running], punches: Path, run: Any, tmp_path: Path
) -> None:
    kept, score = tmp_path / "kept.npz", tmp_path / "timing.png"
    running = run_live(punches, "--in", f"vmc://{LOOPBACK}:0", "--record", kept, "--score", score)
    host, port = running.address
    status, _, err = run("perform", punches, "--speed", "2", "--out", f"vmc://{host}:{port}")
    assert status == 0, err
    running.wait(lambda line: line["type"] == "status" and line["cue"]["state"] == "silent")
    status, said = running.stop()
    assert status == 0, said
    assert score.stat().st_size > 5000
    motion, came = samples.punches(), retime.read(kept)
    assert came.duration == pytest.approx(motion.duration / 2, abs=0.1)
    at = came.duration / 2
    joints = ("left_hand", "right_hand", "head", "left_foot")
    one, two = (retime.find_body(m).roles for m in (came, motion))
    here = retime.positions(came)[int(came.frame_at(at)[0])]
    there = retime.positions(motion)[int(motion.frame_at(2 * at)[0])]
    for joint in joints:
        assert np.linalg.norm(here[one[joint]] - there[two[joint]]) < 0.1


def test_a_recording_that_was_killed_is_recovered(
    run_live: Callable[..., Running], punches: Path, tmp_path: Path
) -> None:
    kept = tmp_path / "kept.bvh"
    running = run_live(punches, "--in", f"vmc://{LOOPBACK}:0", "--record", kept)
    motion = samples.punches()
    send(running.address, list(frames_of(motion, motion.times, motion.times)), speed=2)
    line = running.wait(lambda line: line["type"] == "status" and line["cue"]["state"] == "silent")
    assert line["packets"] > 0.7 * len(motion)  # a busy machine loses some
    running.kill()
    assert not kept.exists()
    again = run_live(punches, "--in", f"vmc://{LOOPBACK}:0", "--record", kept)
    status, said = again.stop()
    assert status == 0
    assert "kept.recovered.bvh" in said
    assert len(retime.read(tmp_path / "kept.recovered.bvh")) > 0.5 * len(motion)
    assert "nothing came" in said


def test_a_stranger_s_file_is_not_recorded_over(tmp_path: Path) -> None:
    from retime.live_server.spool import Spool

    other = tmp_path / "take.npz.part"
    other.write_bytes(b"half a download" * 1000)
    with pytest.raises(InputError, match="is not a recording"):
        Spool(tmp_path / "take.npz")
    assert other.read_bytes() == b"half a download" * 1000


def test_a_recording_goes_on_when_the_sender_begins_anew(tmp_path: Path) -> None:
    from retime.live_server.performer import Frame
    from retime.live_server.spool import Spool

    bone = (0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    stamps = [*np.arange(100, 102, 0.02), 1e9, *np.arange(0, 2, 0.02)]
    kept = tmp_path / "kept.npz"
    spool = Spool(kept)
    with pytest.raises(InputError, match="another program is recording"):
        Spool(kept)
    for k, stamp in enumerate(stamps):
        spool.add(Frame(float(stamp), 5000 + 0.02 * k, {"hips": bone}, None))
    made = spool.close()
    assert made is not None
    assert made.duration == pytest.approx(0.02 * (len(stamps) - 1), abs=0.03)
    assert not (tmp_path / "kept.npz.part").exists()


def test_recoveries_do_not_write_over_each_other(tmp_path: Path) -> None:
    from retime.live_server.performer import Frame
    from retime.live_server.spool import Spool

    bone = (0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    names = []
    for silence in (0.0, 3600.0, 0.0):
        spool = Spool(tmp_path / "kept.npz")
        names.append(spool.recovered)
        for k in range(20):
            moment = 0.05 * k + silence * (k >= 10)
            spool.add(Frame(moment, moment, {"hips": bone}, None))
        spool._file.close()  # as a kill would
    assert [n and n.name for n in names] == [None, "kept.recovered.npz", "kept.recovered-2.npz"]
    long = retime.read(tmp_path / "kept.recovered-2.npz")
    assert long.duration == pytest.approx(60.9, abs=0.1)
    assert any("nothing came for more than 60 s" in note for note in long.notes)


def test_the_feed_and_who_may_listen(run_live: Callable[..., Running], punches: Path) -> None:
    import websockets

    running = run_live(  # few frames: they go to 32 listeners
        punches, "--in", f"vmc://{LOOPBACK}:0", "--feed", "0", "--partner", punches, "--rate", "20"
    )
    address, _, token = running.new_feed().partition("/?token=")
    address = address.replace("http", "ws")
    motion = samples.punches()
    sending = threading.Thread(
        target=send, args=(running.address, list(frames_of(motion, motion.times, motion.times)))
    )
    sending.start()

    async def listen(path: str, **headers: str) -> list[Any]:
        async with websockets.connect(address + path, additional_headers=headers) as sock:
            return [await asyncio.wait_for(sock.recv(), 20) for _ in range(12)]

    try:
        hello, *rest = asyncio.run(listen(f"/feed?token={token}"))
        assert json.loads(hello)["references"] == {"punches": list(motion.domain)}
        last = json.loads(rest[-1])
        assert set(last) >= {"time", "rate", "confidence", "state", "performer", "partner", "bones"}
        assert (
            len(last["partner"])
            == len(last["bones"])
            == len(json.loads(hello)["partner"]["punches"])
        )
        # The key is used up, and the next one is told; this listener has a session.
        session = json.loads(hello)["session"]
        assert len({token, session, running.new_feed().partition("/?token=")[2]}) == 3
        bearer = {"Authorization": f"Bearer {session}"}
        _, *blocks = asyncio.run(listen("/feed?format=binary", **bearer))
        header, arrays = parse_frame(blocks[-1])
        assert header["type"] == "frame"
        assert arrays["partner"].shape == (len(last["partner"]), 3)
        refused = [
            ("/feed", {}),
            ("/feed?token=wrong", {}),
            (f"/feed?token={token}", {}),
            (f"/feed?token={session}", {"Origin": "http://elsewhere.example"}),
            (f"/feed?token={session}", {"Host": "elsewhere.example"}),
        ]
        for path, headers in refused:
            with pytest.raises(websockets.exceptions.InvalidStatus):
                asyncio.run(listen(path, **headers))

        async def crowd() -> int:
            async with contextlib.AsyncExitStack() as kept:
                for _ in range(32):
                    place = f"{address}/feed?token={session}"
                    sock = await kept.enter_async_context(websockets.connect(place))
                    await asyncio.wait_for(sock.recv(), 20)
                one_more = await kept.enter_async_context(websockets.connect(place))
                with pytest.raises(websockets.exceptions.ConnectionClosed) as closed:
                    await asyncio.wait_for(one_more.recv(), 20)
                assert closed.value.rcvd is not None
                return closed.value.rcvd.code

        assert asyncio.run(crowd()) == 4429
    finally:
        sending.join()
    assert running.stop()[0] == 0


def test_a_full_disk_stops_the_recording_and_nothing_else(tmp_path: Path) -> None:
    from retime.live_server.server import LiveServer
    from retime.live_server.spool import Spool

    class Full(Spool):
        def add(self, frame: Any) -> None:
            raise OSError(28, "No space left on device")

    motion = samples.punches()
    full = Full(tmp_path / "kept.npz")
    server = LiveServer(Follower([Part("punches", motion)]), spool=full)
    for at, data in frames_of(motion, motion.times[:20], motion.times[:20]):
        server.receive(data, (LOOPBACK, 1), at)
    assert server.failed is not None
    assert server.failed.startswith("recording stopped: No space left on device")
    assert "--record" in server.failed
    assert server.follower.cue(1.0).state != "waiting"
    assert full.close() is None


def test_a_flood_from_elsewhere_does_not_silence_the_performer() -> None:
    """Nor does a pause of this program, which reads late what came in time."""
    from retime.live_server.places import StreamAddress
    from retime.live_server.server import LiveServer

    motion = samples.punches()
    server = LiveServer(Follower([Part("punches", motion)]))
    frames = [data for _, data in frames_of(motion, motion.times[:21], motion.times[:21])]

    async def read(heard: socket.socket) -> None:
        server._read(heard)

    with (
        StreamAddress(LOOPBACK, 0).listening() as heard,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as performer,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger,
    ):
        time.sleep(0.1)  # the first socket that asks for time stamps gets them a moment later
        performer.sendto(frames[0], heard.getsockname())
        asyncio.run(read(heard))
        for data in frames[1:]:
            performer.sendto(data, heard.getsockname())
        sent = time.monotonic()
        for _ in range(200):
            stranger.sendto(b"x", heard.getsockname())
        time.sleep(0.3)
        asyncio.run(read(heard))
    assert server.reception.packets == 21
    assert server.reception.refused == 200
    assert server.assembler.late == 0
    if sys.platform == "linux":  # which tells when they came
        assert server.reception.heard_at <= sent + 0.05


def test_a_bone_that_stretches_is_recorded_so(tmp_path: Path) -> None:
    from retime.live_server.performer import Frame
    from retime.live_server.spool import Spool

    spool = Spool(tmp_path / "kept.npz")
    for k in range(31):
        bones = {
            "hips": (0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0),
            "spine": (0.0, 0.2, 0.0, 1.0, 0.0, 0.0, 0.0),
            "head": (0.0, 0.5 + 0.002 * k, 0.0, 1.0, 0.0, 0.0, 0.0),
        }
        spool.add(Frame(k / 30, k / 30, bones, None))
    made = spool.close()
    assert made is not None
    again = retime.read(tmp_path / "kept.npz")
    head = retime.positions(again)[:, again.skeleton.index("Head"), 1]
    np.testing.assert_allclose(head, 1.7 + 0.002 * np.arange(31), atol=1e-6)
    assert "Spine" not in again.translations


def test_one_frame_is_too_little_for_a_recording(tmp_path: Path) -> None:
    from retime.live_server.performer import Frame
    from retime.live_server.serve import _recorded
    from retime.live_server.spool import Spool

    spool = Spool(tmp_path / "kept.npz")
    spool.add(Frame(0.0, 0.0, {"hips": (0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0)}, None))
    assert _recorded(spool) == (["too little came for a recording: it takes two frames"], False)
    nothing = _recorded(Spool(tmp_path / "none.npz"))
    assert nothing == (["nothing came, so nothing was recorded"], False)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("8765", ("127.0.0.1", 8765)),
        ("0", ("127.0.0.1", 0)),
        ("0.0.0.0", ("0.0.0.0", 8765)),
        ("0.0.0.0:0", ("0.0.0.0", 0)),
        ("[::]:9", ("::", 9)),
        ("::1", ("::1", 8765)),
    ],
)
def test_where_the_feed_is_served(text: str, place: tuple[str, int]) -> None:
    from retime.cli.live_feed import host_and_port

    assert host_and_port(text) == place
