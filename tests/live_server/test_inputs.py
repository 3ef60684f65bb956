"""Trackers, several performers, standard input, cues, pages of other sites and encryption."""

from __future__ import annotations

import json
import math
import resource
import shutil
import socket
import ssl
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from pythonosc.osc_bundle_builder import IMMEDIATELY, OscBundleBuilder
from pythonosc.osc_message_builder import OscMessageBuilder
from pythonosc.osc_packet import OscPacket
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

import retime
from live_server_running import Running
from live_streams import frames_of
from retime import FormatError, InputError, Motion, samples
from retime.io.bvh.coming import ComingBvh, posed
from retime.live import record
from retime.live_server.cues import CuePoint, CueSender
from retime.live_server.follower import Follower, Part
from retime.live_server.server import LiveServer
from retime.live_server.spool import Spool
from retime.live_server.vmc import parse_packet

LOOPBACK = "127.0.0.1"
ROLES = ("head", "left_hand", "right_hand")


def message(address: str, *values: Any) -> Any:
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


def turned(points: np.ndarray, angle: float, scale: float) -> np.ndarray:
    cos, sin = math.cos(angle), math.sin(angle)
    x, y, z = np.moveaxis(scale * points, -1, 0)
    return np.stack([cos * x + sin * z + 1.5, y, cos * z - sin * x - 0.7], axis=-1)


def devices(kind: str, places: np.ndarray) -> bytes:
    """Return a datagram of a headset and two controllers, in Unity's axes."""
    head, left, right = ([-float(p[0]), float(p[1]), float(p[2])] for p in places)
    turn = [0.0, 0.0, 0.0, 1.0]
    if kind == "vmc":
        return bundle([
            message("/VMC/Ext/Hmd/Pos", "HMD-7", *head, *turn),
            message("/VMC/Ext/Con/Pos", "serial-b", *right, *turn),
            message("/VMC/Ext/Con/Pos", "serial-a", *left, *turn),
        ])  # fmt: skip
    return bundle([
        message("/tracking/trackers/head/position", *head),
        message("/tracking/trackers/1/position", *right),
        message("/tracking/trackers/1/rotation", 0.0, 0.0, 0.0),
        message("/tracking/trackers/2/position", *left),
    ])  # fmt: skip


@pytest.mark.parametrize("kind", ["vmc", "vrchat"])
def test_head_and_two_hands_are_followed_after_a_calibration_pose(kind: str) -> None:
    motion = samples.punches()
    follower = Follower([Part("punches", motion)])
    recording = record(motion).only(ROLES)
    server = LiveServer(follower, clock=lambda: 0.0)
    rng = np.random.default_rng(0)
    # Worn a little off the joints, by somebody smaller, elsewhere and facing elsewhere.
    off = np.array([[0.0, 0.1, 0.05], [0.0, -0.05, 0.03], [0.02, -0.05, 0.0]])

    def send(source: float, now: float) -> None:
        places = turned(recording.at(source), 2.1, 0.9) + off
        data = devices(kind, places + rng.normal(0, 0.002, (3, 3)))
        server.receive(data, (LOOPBACK, 5), now)

    for k in range(30):
        send(0.0, k / 60)
    waiting = server.status
    assert waiting.calibrating
    assert follower.state == "waiting"
    for k in range(30, 90):
        send(0.0, k / 60)
    status = server.status
    assert not status.calibrating
    assert sorted(status.worn) == sorted(ROLES)
    found = []
    times = np.arange(0, motion.duration, 1 / 60)
    for k, at in enumerate(0.9 * times):
        send(float(at), 1.5 + k / 60)
        assert follower.aligner is not None
        found.append((follower.aligner.time - motion.start, follower.aligner.confidence))
    time_found, sure = np.array(found).T
    error = np.abs(time_found - 0.9 * times)
    assert np.median(error) < 0.1
    assert sure.max() < 0.7  # three joints tell less than a body


def test_trackers_without_usable_numbers_are_left_out() -> None:
    packet = parse_packet(bundle([
        message("/VMC/Ext/Tra/Pos", "one", float("nan"), 0.0, 0.0, 0.0, 0.0, 0.0, 1.0),
        message("/tracking/trackers/3/position", 0.0, 1.0),
        message("/tracking/trackers/4/position", 1.0, 1.0, 2.0),
        message("/tracking/trackers/4/rotation", 0.0, 90.0, 0.0),
    ]))  # fmt: skip
    assert list(packet.trackers) == ["tra 4"]
    x, y, z, w, i, j, k = packet.trackers["tra 4"]
    assert (x, y, z) == (-1.0, 1.0, 2.0)
    # Unity's +Z turned by 90 degrees about Y is +X there, which is -X here.
    assert np.allclose([w, i, j, k], [math.sqrt(0.5), 0, -math.sqrt(0.5), 0])


def send_in_time(address: tuple[str, int], motion: Motion, seconds: float) -> None:
    times = np.arange(0, seconds, 1 / 60)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
        begun = time.monotonic()
        for at, data in frames_of(motion, times, motion.start + times):
            time.sleep(max(0.0, begun + at - time.monotonic()))
            out.sendto(data, address)


def certificate(folder: Path) -> tuple[Path, Path]:
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("openssl is not installed")
    paths = folder / "cert.pem", folder / "key.pem"
    subprocess.run(
        [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
         "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-out", paths[0], "-keyout",
         paths[1]],
        check=True, capture_output=True,
    )  # fmt: skip
    return paths


def test_two_performers_an_encrypted_feed_another_site_and_cues(tmp_path: Path) -> None:
    jump, punches = samples.jump(), samples.punches()
    retime.write(jump, tmp_path / "jump.npz")
    retime.write(punches, tmp_path / "punches.npz")
    cert, key = certificate(tmp_path)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as ears:
        ears.bind((LOOPBACK, 0))
        ears.settimeout(20)
        goal = f"osc://{LOOPBACK}:{ears.getsockname()[1]}/light/go"
        anywhere = f"vmc://{LOOPBACK}:0"
        with Running(
            tmp_path / "jump.npz", tmp_path / "punches.npz", "--in", anywhere, "--in", anywhere,
            "--feed", "0", "--tls", f"{cert},{key}", "--origin", "https://show.example",
            "--cue", f"punches:0.8={goal}", "--cue", f"punches:99={goal}",
        ) as running:  # fmt: skip
            ports = [int(a.rpartition(":")[2]) for a in running.opened["ins"]]
            page, _, token = running.opened["feed"].partition("/?token=")
            assert page.startswith("https://")
            trusted = ssl.create_default_context(cafile=str(cert))
            place = f"{page.replace('https', 'wss')}/feed?token={token}"
            with (
                pytest.raises((InvalidStatus, ConnectionClosed)),
                connect(place, ssl=trusted, origin=Origin("https://other.example")) as refused,
            ):
                refused.recv()
            with connect(
                f"{place}&performer=2",
                ssl=trusted,
                origin=Origin("https://show.example"),
            ) as feed:
                assert json.loads(feed.recv())["performers"] == 2
                sending = [
                    threading.Thread(target=send_in_time, args=((LOOPBACK, p), m, 1.6))
                    for p, m in zip(ports, (jump, punches), strict=True)
                ]
                for thread in sending:
                    thread.start()
                seen = [json.loads(feed.recv()) for _ in range(100)]
                for thread in sending:
                    thread.join()
            assert {s["reference"] for s in seen} == {"punches"}
            states = {(line["performer"], line["cue"]["part"]) for line in running.lines
                      if line["type"] == "status"}  # fmt: skip
            assert states == {(1, "jump"), (2, "punches")}
            (heard,) = [m.message for m in OscPacket(ears.recv(65_535)).messages]
            assert (heard.address, round(heard.params[0], 3)) == ("/light/go", 0.8)
            ears.settimeout(0.3)
            with pytest.raises(TimeoutError):
                ears.recv(65_535)  # once, and only what was passed


def test_a_cue_is_sent_once_when_it_is_passed_and_not_jumped() -> None:
    cues = CueSender([CuePoint.parse(f"{t}=osc://{LOOPBACK}:9/go") for t in (0, 1, 2, 3)])
    for time_shown in (0.0, 0.5, 1.0, 1.0, 1.2):
        cues.pass_to("walk", time_shown)
    assert [c.time for c in cues.sent] == [0, 1]
    cues.pass_to("walk", 2.5, jumped=True)
    cues.pass_to("walk", 3.1)
    assert [c.time for c in cues.sent] == [0, 1, 3]
    cues.close()


def test_a_cue_by_midi_is_a_note_and_a_port_that_fails_stops_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With a port in the place of a device; messages are made as mido makes them."""
    heard: list[Any] = []

    class Port:
        def __init__(self, name: str | None) -> None:
            if name == "gone":
                raise RuntimeError("no MIDI here")
            heard.append(("open", name))

        def send(self, message: Any) -> None:
            heard.append(message)
            if len(heard) > 3:
                raise ValueError("unplugged")

        def close(self) -> None:
            heard.append("closed")

    def message(kind: str, **values: int) -> tuple[str, dict[str, int]]:
        return kind, values

    monkeypatch.setitem(sys.modules, "mido", SimpleNamespace(open_output=Port, Message=message))
    cues = CueSender([CuePoint.parse(f"{t}=midi://My%20Port/{59 + t}") for t in (1, 2)])
    for shown in (0.5, 1.1, 2.1, 2.2):
        cues.pass_to("walk", shown)
    cues.close()
    on, off = ("note_on", {"note": 60, "velocity": 100}), ("note_off", {"note": 60})
    other = ("note_on", {"note": 61, "velocity": 100})
    assert heard == [("open", "My Port"), on, off, other, "closed"]
    with pytest.raises(InputError, match="cannot be opened"):
        CueSender([CuePoint.parse("1=midi://gone/60")])


@pytest.mark.parametrize("text", ["1", "x=osc://a:1/b", "1=osc://a/b", "1=midi://a/200", "1=no"])
def test_a_cue_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="--cue"):
        CuePoint.parse(text)


def run(*arguments: str | Path, **options: Any) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "retime", "live", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, timeout=120, check=False, **options)


def test_a_clip_on_standard_input_is_performed_the_papers_way(tmp_path: Path) -> None:
    motion = samples.punches()
    retime.write(motion, tmp_path / "punches.bvh")
    found = run(
        tmp_path / "punches.bvh", "--replay", "-", "--speed", "4", "--aligner", "predictive",
        "--gamma", "auto", "--omega", "0.02", "--cost", "derivative",
        "--score", tmp_path / "score.json", input=(tmp_path / "punches.bvh").read_bytes(),
    )  # fmt: skip
    assert found.returncode == 0, found.stderr
    frames = json.loads((tmp_path / "score.json").read_text())["performances"][0]["frames"]
    assert len(frames) > 30


def test_a_pipe_that_trickles_is_followed_as_it_comes(tmp_path: Path) -> None:
    """Half a clip in real time, a stop, a bad row; all while the rest has not been written."""
    motion = samples.punches()
    path = tmp_path / "punches.bvh"
    retime.write(motion, path)
    head, rows = _rows(path)
    command = [sys.executable, "-m", "retime", "live", path, "--replay", "-", "--json"]
    with subprocess.Popen(
        list(map(str, command)), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        running.stdin.write(head + rows[0])
        running.stdin.flush()
        lines = (json.loads(line) for line in running.stdout)
        assert next(lines)["type"] == "open"
        begun = time.monotonic()
        sent = 0
        for sent in range(1, int(0.6 * len(rows))):
            time.sleep(max(0.0, begun + sent / motion.fps - time.monotonic()))
            running.stdin.write(rows[sent])
            running.stdin.flush()
        running.stdin.write("1 2 three\n")
        running.stdin.flush()
        told = next(line for line in lines if line.get("malformed"))
        assert told["cue"]["part"] == "punches"
        assert abs(told["cue"]["heard"] - motion.times[sent]) < 0.4
        running.stdin.close()
        *_, end = lines
        assert end["type"] == "end"
    assert running.returncode == 0


def _rows(path: Path) -> tuple[str, list[str]]:
    lines = path.read_text().splitlines(keepends=True)
    start = next(k for k, line in enumerate(lines) if line.startswith("Frame Time")) + 1
    return "".join(lines[:start]), lines[start:]


def test_bvh_that_comes_in_pieces_is_what_is_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "punches.bvh"
    retime.write(samples.punches(), path)
    whole, data = retime.read(path), path.read_bytes()
    pieces = iter([data[k : k + 777] for k in range(0, len(data), 777)])
    coming = ComingBvh(lambda n: next(pieces, b""))
    (tmp_path / "first.bvh").write_bytes(coming.first)
    first = retime.read(tmp_path / "first.bvh")
    rows = [row for row in coming.rows() if row is not None]
    assert len(rows) == len(whole) - 1
    last = posed(first, rows[-1])
    np.testing.assert_allclose(retime.positions(last)[0], retime.positions(whole)[-1], atol=1e-9)
    with pytest.raises(InputError, match=r"expected \d+ values in a row, found 3"):
        posed(first, rows[0][:3])
    for bad in (b"HIERARCHY\n", b"x" * 3_000_000, b"MOTION\nFrame Time: 1\n"):
        some = iter([bad])
        with pytest.raises(FormatError, match="standard input"):
            ComingBvh(lambda n, some=some: next(some, b""))  # type: ignore[misc]


def test_a_full_disk_is_told_at_once_and_recovered_from(tmp_path: Path) -> None:
    motion = samples.punches()
    retime.write(motion, tmp_path / "punches.npz")
    limit = 100_000
    found = run(
        tmp_path / "punches.npz", "--replay", tmp_path / "punches.npz", "--speed", "2",
        "--replay-rate", "120", "--record", tmp_path / "kept.npz",
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )  # fmt: skip
    said = found.stderr.decode()
    assert found.returncode == 1, said
    first = next(line for line in said.splitlines() if line.startswith("Error:"))
    assert "recording stopped" in first
    assert "--record" in first
    # With room again, the next run finds what was kept.
    again = Spool(tmp_path / "kept.npz")
    assert again.recovered == tmp_path / "kept.recovered.npz"
    assert again.close() is None
    assert 0.4 < retime.read(again.recovered).duration < 3.0
