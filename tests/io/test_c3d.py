"""C3D: points retimed and written back into a copy of their file. ezc3d makes and judges it."""

from __future__ import annotations

import struct
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import retime
from mutating import mutants
from retime import FormatError, InputError, TimeWarp, apply, find_body, positions
from retime.arrays import FloatArray
from retime.errors import MissingDependencyError, RetimeError
from retime.io import contacts_in_file
from retime.io.c3d import library

ezc3d = pytest.importorskip("ezc3d", reason="ezc3d is not installed (retime[c3d])")

LABELS = ["Ann:LANK", "Ann:LTOE", "Ann:RANK", "Ann:RTOE", "ghost"]
EVENTS = [(0.1, "Left", "Foot Strike"), (0.6, "Left", "Foot Off"), (0.55, "Right", "Foot Strike")]
RATE, FRAMES, RATIO = 100.0, 120, 10


def places() -> FloatArray:
    """Where the points are, (F, P, 3) in millimetres."""
    t = np.arange(FRAMES) / RATE
    out = np.zeros((FRAMES, len(LABELS), 3))
    for k in range(len(LABELS)):
        out[:, k] = np.stack([100 * k + 50 * np.sin(3 * t), 1000 * t, 20 + 50 * k + 0 * t], axis=1)
    return out


def make(
    path: Path, *, units: str = "mm", screen: str = "+Z", analogs: bool = True, first: int = 0
) -> Path:
    c3d = ezc3d.c3d()
    parameters, data = c3d["parameters"], c3d["data"]
    c3d["header"]["points"]["first_frame"] = first
    parameters["POINT"]["RATE"]["value"] = [RATE]
    parameters["POINT"]["UNITS"]["value"] = [units]
    parameters["POINT"]["LABELS"]["value"] = list(LABELS)
    if screen:
        c3d.add_parameter("POINT", "Y_SCREEN", screen)
    points = np.ones((4, len(LABELS), FRAMES))
    points[:3] = places().transpose(2, 1, 0)
    residuals = np.full((1, len(LABELS), FRAMES), 2.0)
    residuals[0, 1, 10:20] = -1  # a toe is hidden for a while
    residuals[0, 4] = -1  # and one point always
    points[:3][:, residuals[0] < 0] = np.nan
    data["points"] = points
    masks = np.zeros((7, len(LABELS), FRAMES), dtype=bool)
    data["meta_points"] = {"residuals": residuals, "camera_masks": masks}
    if analogs:
        parameters["ANALOG"]["RATE"]["value"] = [RATE * RATIO]
        parameters["ANALOG"]["LABELS"]["value"] = ["Fz", "emg"]
        parameters["ANALOG"]["UNITS"]["value"] = ["N", "V"]
        samples = np.arange(FRAMES * RATIO)
        data["analogs"] = np.stack([samples, np.sin(samples / 30)])[None].astype(float)
    for time, side, label in EVENTS:
        c3d.add_event([0, time], side, label)
    c3d.add_parameter("SUBJECTS", "NAMES", "Ann")
    c3d.add_parameter("SUBJECTS", "MASS", [61.5])
    c3d.write(str(path))
    return path


@pytest.fixture
def walk(tmp_path: Path) -> Path:
    return make(tmp_path / "walk.c3d")


def test_points_are_roots_that_move(walk: Path) -> None:
    motion = retime.read(walk)
    assert motion.skeleton.names == tuple(LABELS[:4])
    assert set(motion.skeleton.parents.tolist()) == {-1}
    assert (motion.fps, motion.start, len(motion)) == (RATE, 0.0, FRAMES)
    assert (motion.units.metres, motion.units.up, motion.units.how) == (0.001, "Z", "declared")
    seen = np.ones((FRAMES, 4), dtype=bool)
    seen[10:20, 1] = False
    found = np.stack(list(motion.translations.values()), axis=1)
    assert np.abs(found - places()[:, :4])[seen].max() < 1e-4
    x, y, z = np.moveaxis(positions(motion)[seen], -1, 0)
    assert np.abs(np.stack([x, -z, y], axis=-1) * 1000 - places()[:, :4][seen]).max() < 1e-3


def test_hidden_samples_are_bridged_and_hidden_again(walk: Path, tmp_path: Path) -> None:
    motion = retime.read(walk)
    assert any("10 of 120 frames: frames 10 to 19 (Ann:LTOE)" in n for n in motion.notes)
    assert any("1 points are never seen" in n for n in motion.notes)
    toe = motion.translations["Ann:LTOE"]
    line = np.linspace(toe[9], toe[20], 12)
    assert np.abs(toe[9:21] - line).max() < 1e-9
    slow = apply(motion, TimeWarp([0, 2 * motion.duration], [0, motion.duration]))
    retime.write(slow, tmp_path / "slow.c3d")
    judge = ezc3d.c3d(str(tmp_path / "slow.c3d"))["data"]
    residuals = judge["meta_points"]["residuals"][0]
    assert np.flatnonzero(residuals[1] < 0).tolist() == list(range(19, 40))
    assert (residuals[4] < 0).all()
    assert np.isnan(judge["points"][0, 1, 19:40]).all()
    assert (residuals[0] == 2.0).all()


def test_units_and_axes(tmp_path: Path) -> None:
    units = retime.read(make(tmp_path / "a.c3d", units="m", screen="+Y")).units
    assert (units.metres, units.up, units.how) == (1.0, "Y", "declared")
    motion = retime.read(make(tmp_path / "b.c3d", units="furlong", screen=""))
    assert (motion.units.metres, motion.units.up, motion.units.how) == (0.001, "Z", "assumed")
    assert any("'furlong' is not a known unit" in n for n in motion.notes)
    assert any("the file has no up axis" in n for n in motion.notes)
    assert retime.read(tmp_path / "b.c3d", scale=0.01, up="Y").units.metres == 0.01


def test_foot_events_are_contacts(walk: Path, run: Callable[..., tuple[int, str, str]]) -> None:
    motion = retime.read(walk)
    assert find_body(motion).name("left_toe") == "Ann:LTOE"
    assert not find_body(motion).is_biped
    found = [(c.joint, round(c.start, 3), round(c.end, 3)) for c in contacts_in_file(motion)]
    assert found == [("Ann:LTOE", 0.1, 0.6), ("Ann:RTOE", 0.55, 1.19)]
    status, out, _ = run("info", walk)
    assert status == 0
    assert "Ann:LTOE: 0.10-0.60 s" in out
    assert "height" not in out


def test_an_unedited_file_keeps_its_bytes(walk: Path, tmp_path: Path) -> None:
    retime.write(retime.read(walk), tmp_path / "same.c3d")
    assert (tmp_path / "same.c3d").read_bytes() == walk.read_bytes()


def parameters(path: Path) -> dict[str, Any]:
    listed = ezc3d.c3d(str(path))["parameters"]
    return {
        f"{group}:{name}": np.asarray(value["value"]).tolist()
        for group, held in listed.items()
        for name, value in held.items()
        if name != "__METADATA__"
    }


def test_a_retimed_file_is_the_same_but_for_its_timing(walk: Path, tmp_path: Path) -> None:
    motion = retime.read(walk)
    out = tmp_path / "slow.c3d"
    slow = apply(motion, TimeWarp([0, 2 * motion.duration], [0, motion.duration]))
    retime.write(slow, out)
    old, new = parameters(walk), parameters(out)
    assert old.keys() == new.keys()
    changed = {n for n in old if old[n] != new[n]}
    assert changed - {"ROTATION:DATA_START"} == {"POINT:FRAMES", "EVENT:TIMES"}
    assert np.abs(np.array(new["EVENT:TIMES"])[1] - 2 * np.array([0.1, 0.6, 0.55])).max() < 1e-5
    judge = ezc3d.c3d(str(out))["data"]
    assert judge["points"].shape == (4, 5, 239)
    assert np.abs(judge["points"][:3, 0, ::2].T - places()[:, 0]).max() < 1e-3
    analog = judge["analogs"][0]
    assert analog.shape == (2, 239 * RATIO)
    # Channels go on through the last frame's own samples, at the source's pace.
    wanted = np.minimum(np.arange(2390) / 2, 1190) + np.r_[np.zeros(2381), np.arange(1, 10)]
    assert np.abs(analog[0] - wanted).max() < 1e-3
    again = retime.read(out)
    assert np.abs(positions(again)[:, 0] - positions(slow)[:, 0]).max() < 1e-6


def test_an_identity_leaves_points_channels_and_events(walk: Path, tmp_path: Path) -> None:
    motion = retime.read(walk)
    retime.write(apply(motion, TimeWarp.identity(*motion.domain)), tmp_path / "i.c3d")
    assert parameters(tmp_path / "i.c3d") == parameters(walk)
    old, new = (ezc3d.c3d(str(p))["data"] for p in (walk, tmp_path / "i.c3d"))
    assert np.array_equal(old["analogs"], new["analogs"])
    assert np.array_equal(old["points"], new["points"], equal_nan=True)


def test_rates_cuts_reversals_and_loops(walk: Path, tmp_path: Path) -> None:
    motion = retime.read(walk)
    out = tmp_path / "o.c3d"
    retime.write(apply(motion, TimeWarp.identity(*motion.domain), fps=50), out)
    assert parameters(out)["POINT:RATE"] == [50.0]
    assert parameters(out)["ANALOG:RATE"] == [500.0]
    # What a warp does not show is gone; what it shows backwards comes in the other order.
    retime.write(apply(motion, TimeWarp([0, 0.64], [1.19, 0.55])), out)
    again = retime.read(out)
    assert isinstance(again.origin, retime.motion.Origin)
    found = [(round(t, 2), side) for t, side, _ in again.origin.kept.events]
    assert found == [(0.59, "Left"), (0.64, "Right")]
    held = TimeWarp([0, 0.3, 1.3, 2.19], [0, 0.3, 0.3, 1.19])
    retime.write(apply(motion, held), out)
    times = parameters(out)["EVENT:TIMES"][1]
    assert times == pytest.approx([0.1, 1.6, 1.55], abs=1e-6)


def test_a_rate_that_was_given_is_written(walk: Path, tmp_path: Path) -> None:
    plain, slow = retime.read(walk), retime.read(walk, fps=RATE / 2)
    retime.write(slow, tmp_path / "slow.c3d")
    again = retime.read(tmp_path / "slow.c3d")
    assert (again.fps, len(again)) == (RATE / 2, FRAMES)
    # Its events stay at their frames.
    told, twice, kept = (contacts_in_file(m) for m in (plain, slow, again))
    assert told
    for one, other in ((twice, told), (kept, told)):
        assert [c.start for c in one] == pytest.approx([2 * c.start for c in other], abs=1e-6)


def test_a_clip_that_starts_late_keeps_its_events_in_time(tmp_path: Path) -> None:
    path = make(tmp_path / "late.c3d", first=50)
    motion = retime.read(path)
    assert motion.start == pytest.approx(0.5)
    assert [c.joint for c in contacts_in_file(motion)] == ["Ann:LTOE", "Ann:RTOE"]
    start, end = motion.domain
    retime.write(apply(motion, TimeWarp([start, start + 2.38], [start, end])), tmp_path / "o.c3d")
    again = retime.read(tmp_path / "o.c3d")
    assert again.start == pytest.approx(0.5)
    assert parameters(tmp_path / "o.c3d")["EVENT:TIMES"][1] == pytest.approx([0.7, 0.6], abs=1e-6)


def test_files_without_analogs(tmp_path: Path) -> None:
    motion = retime.read(make(tmp_path / "a.c3d", analogs=False))
    retime.write(apply(motion, TimeWarp([0, 2], [0, motion.duration])), tmp_path / "b.c3d")
    assert len(retime.read(tmp_path / "b.c3d")) == 201


def test_other_formats(
    walk: Path, tmp_path: Path, run: Callable[..., tuple[int, str, str]]
) -> None:
    motion = retime.read(walk)
    for suffix in ("bvh", "npz", "csv", "glb"):
        status, _, said = run("convert", walk, tmp_path / f"o.{suffix}")
        assert status == 0, said
    again = retime.read(tmp_path / "o.npz")
    assert np.abs(positions(again) - positions(motion)).max() < 1e-9
    status, _, said = run("convert", tmp_path / "o.bvh", tmp_path / "no.c3d")
    assert status == 2
    assert "only points that were read from a C3D file" in said
    renamed = replace(
        motion,
        skeleton=replace(motion.skeleton, names=("a", "b", "c", "d")),
        translations=dict(zip("abcd", motion.translations.values(), strict=True)),
    )
    with pytest.raises(InputError, match="no longer those of the file"):
        retime.write(renamed, tmp_path / "no.c3d")
    assert not (tmp_path / "no.c3d").exists()


def test_a_missing_part_is_named(walk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingDependencyError, match=r"\[c3d\]"):
        retime.read(walk)


def test_bad_files_are_sentences(walk: Path, tmp_path: Path) -> None:
    data = walk.read_bytes()
    bad = tmp_path / "bad.c3d"
    cases = {
        "not a C3D file": b"not a C3D file" * 100,
        "or is cut off": data[:600],
        "are outside the file": bytes([200]) + data[1:],
        "unknown processor type": data[: 512 + 3] + b"\x07" + data[512 + 4 :],
        "120 frames of 5 points do not fit": data[:-2000],
        "contains no points": data[:2] + b"\0\0" + data[4:],
    }
    for word, content in cases.items():
        bad.write_bytes(content)
        with pytest.raises(FormatError, match=word):
            retime.read(bad)
    with pytest.raises(InputError, match="no rest pose"):
        retime.read(walk, rest_frame="first")


def test_a_library_whose_process_was_killed_is_started_again(walk: Path) -> None:
    retime.read(walk)
    library.LIBRARY.server.kill()
    assert len(retime.read(walk)) == FRAMES


def test_the_process_ends_with_the_program(walk: Path) -> None:
    code = (
        "import sys, retime; retime.read(sys.argv[1]);"
        "from retime.io.c3d import library; print(library.LIBRARY.server.pid)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(walk)], capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    assert not Path(f"/proc/{int(done.stdout)}/exe").exists()


def test_damaged_files_are_read_or_refused(
    walk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some of these crash the library, or send it round in circles."""
    monkeypatch.setattr(library.LIBRARY, "seconds", 0.5)
    read = 0
    bad = tmp_path / "bad.c3d"
    for mutant in mutants(walk.read_bytes(), seed=8, head=3000):
        bad.write_bytes(mutant)
        try:
            motion = retime.read(bad)
            retime.write(apply(motion, TimeWarp.identity(*motion.domain)), tmp_path / "o.c3d")
            read += 1
        except RetimeError:
            pass
    assert read > 20
    monkeypatch.undo()
    assert len(retime.read(walk)) == FRAMES


def by_hand(processor: int, *, integers: bool) -> bytes:
    """Make a C3D file as its standard says: processors and samples that ezc3d does not write."""
    order = ">" if processor == 86 else "<"
    frames, labels, scale = 12, ["LTOE", "RTOE"], 0.5
    floats = not integers

    def real(*values: float) -> bytes:
        if processor != 85:
            return struct.pack(f"{order}{len(values)}f", *values)
        # DEC's numbers are a quarter of IEEE's, their two words the other way round.
        words = struct.pack(f"<{len(values)}f", *(4 * v for v in values))
        return b"".join(words[k + 2 : k + 4] + words[k : k + 2] for k in range(0, len(words), 4))

    def parameter(name: str, group: int, kind: int, sizes: list[int], data: bytes) -> bytes:
        body = struct.pack("bB", kind, len(sizes)) + bytes(sizes) + data + b"\0"
        head = struct.pack("bb", len(name), group) + name.encode()
        return head + struct.pack(f"{order}h", 2 + len(body)) + body

    def group(name: str, number: int) -> bytes:
        head = struct.pack("bb", len(name), -number) + name.encode()
        return head + struct.pack(f"{order}h", 3) + b"\0"

    signed = -scale if floats else scale
    listed = group("POINT", 1) + b"".join(
        parameter(name, 1, kind, sizes, data)
        for name, kind, sizes, data in (
            ("USED", 2, [], struct.pack(f"{order}h", 2)),
            ("FRAMES", 2, [], struct.pack(f"{order}h", frames)),
            ("DATA_START", 2, [], struct.pack(f"{order}h", 4)),
            ("SCALE", 4, [], real(signed)),
            ("RATE", 4, [], real(50.0)),
            ("LABELS", -1, [4, 2], "".join(labels).encode()),
            ("UNITS", -1, [2], b"cm"),
        )
    )
    listed += group("ANALOG", 2) + parameter("USED", 2, 2, [], struct.pack(f"{order}h", 0))
    section = (bytes([1, 80, 2, processor]) + listed + b"\0\0").ljust(1024, b"\0")
    header = bytes([2, 80]) + struct.pack(f"{order}5H", 2, 0, 1, frames, 10)
    header += real(signed) + struct.pack(f"{order}HH", 4, 0) + real(50.0)
    data = b""
    for f in range(frames):
        for k in range(2):
            hidden = k == 1 and f == 5
            place = [10 + f, 20 * k, 5]
            if floats:
                data += real(*place, -1 if hidden else 0)
            else:
                steps = [round(v / scale) for v in place]
                data += struct.pack(f"{order}4h", *steps, -1 if hidden else 0)
    return header.ljust(512, b"\0") + section + data.ljust(-(-len(data) // 512) * 512, b"\0")


@pytest.mark.parametrize("integers", [True, False])
@pytest.mark.parametrize("processor", [84, 85])
def test_integers_and_other_processors(tmp_path: Path, processor: int, integers: bool) -> None:
    path = tmp_path / "old.c3d"
    path.write_bytes(by_hand(processor, integers=integers))
    motion = retime.read(path)
    assert (len(motion), motion.fps, motion.units.metres) == (12, 50.0, 0.01)
    toe = motion.translations["LTOE"]
    assert toe.tolist() == [[10 + f, 0, 5] for f in range(12)]
    assert any("1 of 12 frames: frame 5 (RTOE)" in n for n in motion.notes)
    retime.write(apply(motion, TimeWarp([0, 0.44], [0, 0.22])), tmp_path / "o.c3d")
    again = retime.read(tmp_path / "o.c3d")
    assert np.abs(again.translations["LTOE"][::2] - toe).max() < 1e-5
    path.write_bytes(by_hand(86, integers=integers))
    with pytest.raises(FormatError, match="MIPS"):
        retime.read(path)
    path.write_bytes(by_hand(processor, integers=integers)[:-512])
    with pytest.raises(FormatError, match="do not fit"):
        retime.read(path)


def test_captured_points_get_a_sentence_from_physics(tmp_path: Path) -> None:
    """Plug-in-gait points have feet that touch the ground, and no bones."""
    points = {
        "LASI": (-120, 100, 1000), "RASI": (120, 100, 1000), "C7": (0, -100, 1500),
        "LANK": (-110, 0, 80), "LTOE": (-100, 150, 30), "LHEE": (-100, -50, 30),
        "RANK": (110, 0, 80), "RTOE": (100, 150, 30), "RHEE": (100, -50, 30),
    }  # fmt: skip
    c3d = ezc3d.c3d()
    c3d["parameters"]["POINT"]["RATE"]["value"] = [100.0]
    c3d["parameters"]["POINT"]["UNITS"]["value"] = ["mm"]
    c3d["parameters"]["POINT"]["LABELS"]["value"] = list(points)
    table = np.ones((4, len(points), FRAMES))
    t = np.arange(FRAMES) / RATE
    for k, (x, y, z) in enumerate(points.values()):
        table[:3, k] = [x + 0 * t, y + 40 * np.sin(6 * t + x), z + 0 * t]
    c3d["data"]["points"] = table
    c3d.write(str(tmp_path / "pig.c3d"))
    motion = retime.read(tmp_path / "pig.c3d")
    with pytest.raises(retime.InputError, match="captured points without bones"):
        retime.physics(motion, duration=1.5)
