"""VMD: read with the usual skeleton, and retimed in place on whole frames."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import retime
from mutating import mutants
from retime import FormatError, InputError, TimeWarp, apply, quat, samples
from retime.errors import RetimeError
from retime.io.files import passed_on
from retime.io.vmd.document import Document, bone_track, decoded, parse
from vmd_making import BONES, MODEL, dance, pmx, vmd


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "dance.vmd"
    path.write_bytes(dance())
    return path


def parsed(path: Path) -> Document:
    return parse(path.read_bytes(), path)


def off(one: Path, other: Path, warp: TimeWarp, name: str | None = None) -> float:
    """Return the largest difference at whole frames: units or radians."""
    frames = np.arange(round(warp.domain[1] * 30) + 1.0)
    worst = 0.0
    a, b = (parsed(p).by_name("bones") for p in (one, other))
    assert a.keys() == b.keys()
    for bone in a:
        tracks = [bone_track(found[bone], one) for found in (a, b)]
        channel = decoded(bone) if decoded(bone) == name else None
        place, turn = tracks[0].at(warp(frames / 30, channel) * 30)
        made, turned = tracks[1].at(frames)
        worst = max(worst, float(np.abs(place - made).max()), float(quat.angle(turn, turned).max()))
    return worst


def test_a_dance_is_a_body_in_metres(file: Path) -> None:
    motion = retime.read(file)
    assert (len(motion), motion.fps) == (91, 30.0)
    assert set(BONES) <= set(motion.skeleton.names)
    assert retime.find_body(motion).name("left_upper_arm") == "左腕"
    assert 1.0 < retime.positions(motion)[0][:, 1].max() < 1.7
    # Its space is left-handed: the left arm is on the figure's left, which is +X here.
    arms = [retime.positions(motion)[0, motion.skeleton.index(n), 0] for n in ("左腕", "右腕")]
    assert arms[0] > arms[1]
    codes = [getattr(n, "code", "") for n in motion.notes]
    assert "no-model" in codes


@pytest.mark.parametrize(("index", "unicode"), [(1, 0), (2, 1), (4, 0)])
def test_a_model_beside_it_is_the_skeleton(file: Path, index: int, unicode: int) -> None:
    (file.parent / "other.pmx").write_bytes(pmx(index=index, unicode=unicode))
    motion = retime.read(file)
    names = [name for name, _, _ in MODEL]
    assert set(motion.skeleton.names) == set(names)
    first = retime.positions(replace(motion, rotations=0 * motion.rotations + [1, 0, 0, 0]))[0]
    moved = {"センター", "左足ＩＫ"}
    for name, parent, place in MODEL:
        j = motion.skeleton.index(name)
        above = motion.skeleton.parents[j]
        assert motion.skeleton.names[above] == names[parent] if parent >= 0 else above < 0
        if name == "左腕":  # beside the bone above it, as in the model: left-handed, 8 cm a unit
            offset = (np.array(place) - MODEL[parent][2]) * [0.08, 0.08, -0.08]
            assert first[j] - first[above] == pytest.approx(offset, abs=1e-5)
        assert (name in motion.translations) == (name in moved or parent < 0)
    codes = {getattr(n, "code", "") for n in motion.notes}
    assert "skeleton-found" in codes
    assert "no-model" not in codes
    assert retime.io.format_of(file).companions(file) == [file.parent / "other.pmx"]


def test_a_model_can_be_named_and_its_long_names_are_cut_off(tmp_path: Path) -> None:
    motion, model = tmp_path / "a.vmd", tmp_path / "models" / "b.pmx"
    model.parent.mkdir()
    model.write_bytes(pmx())
    turn = (0.6, 0, 0, 0.8)
    motion.write_bytes(vmd({MODEL[-1][0][:7]: [(0, (0, 0, 0), turn, bytes(64))]}))
    found = retime.read(motion, skeleton=model)
    assert quat.angle(found.rotations[0, found.skeleton.index(MODEL[-1][0])], quat.identity()) > 1
    out = tmp_path / "o.vmd"
    retime.write(found, out)
    assert out.read_bytes() == motion.read_bytes()


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"Pmd", "not a model"),
        (pmx()[:400], "ends early"),
        (pmx((("a", 1, (0, 0, 0)), ("b", 0, (0, 0, 0)))), "in a circle"),
        (pmx((("a", -1, (0, np.nan, 0)),)), "not finite"),
        (pmx()[:9] + b"\x07" + pmx()[10:], "header"),
    ],
)
def test_bad_models_get_a_sentence(file: Path, data: bytes, says: str) -> None:
    (file.parent / "dance.pmx").write_bytes(data)
    with pytest.raises(FormatError, match=f"dance.pmx.*{says}"):
        retime.read(file)


def test_curves_of_beziers_are_followed(tmp_path: Path) -> None:
    """A curve of MikuMikuDance by its definition: x and y are cubics of one parameter."""
    path = tmp_path / "a.vmd"
    path.write_bytes(dance())
    track = bone_track(parsed(path).by_name("bones")["センター".encode("shift_jis")], path)
    x1, y1, x2, y2 = track.handles[2, 1]
    s = np.linspace(0, 1, 50)
    x, y = (
        3 * (1 - s) ** 2 * s * p + 3 * (1 - s) * s**2 * q + s**3 for p, q in ((x1, x2), (y1, y2))
    )
    found = track.at(15 + 15 * x)[0][:, 1]
    a, b = track.places[1:3, 1]
    assert np.abs(found - (a + y * (b - a))).max() < 1e-6


def test_a_copy_has_the_same_bytes(file: Path, tmp_path: Path) -> None:
    retime.write(retime.read(file), tmp_path / "a.vmd")
    assert (tmp_path / "a.vmd").read_bytes() == file.read_bytes()


X = np.linspace(0, 1, 200)
WARPS = {
    "stretch": TimeWarp([0, 6], [0, 3]),
    "odd": TimeWarp([0, 4.1], [0, 3]),
    "bend": TimeWarp(4 * X, 3 * (X + 0.06 * np.sin(2 * np.pi * X))),
    "back": TimeWarp([0, 4], [3, 0]),
    "hold": TimeWarp([0, 1, 2, 4], [0, 1, 1, 3]),
    "trim": TimeWarp([0, 1.5], [0.9, 2.4]),
    "cut": TimeWarp([0, 1, 1, 2], [0, 1, 2, 3]),
}


@pytest.mark.parametrize("name", WARPS)
def test_bones_stand_at_warped_times(file: Path, tmp_path: Path, name: str) -> None:
    out, warp = tmp_path / "a.vmd", WARPS[name]
    motion = retime.read(file)
    retime.write(apply(motion, warp), out)
    end = round(warp.domain[1] * 30) / 30
    warp = warp if abs(end - warp.domain[1]) < 1e-9 else TimeWarp([0, end], [0, 3])
    assert off(file, out, warp) < 0.02
    keys = [len(parsed(p).sections["bones"]) for p in (file, out)]
    assert keys[1] <= keys[0] if name == "stretch" else keys[1] < 4 * keys[0]


def test_a_stretch_keeps_curves_and_everything_else(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "a.vmd"
    retime.write(apply(retime.read(file), WARPS["stretch"]), out)
    before, after = parsed(file), parsed(out)
    assert before.head == after.head
    for name in ("bones", "morphs"):
        a, b = before.by_name(name), after.by_name(name)
        assert list(a) == list(b)
        for bone in a:
            assert [r[:15] for r in a[bone]] == [r[:15] for r in b[bone]]
            assert [r[19:] for r in a[bone]] == [r[19:] for r in b[bone]]
    for name in ("light", "show"):
        a_, b_ = before.sections[name], after.sections[name]
        assert [r[4:] for r in a_] == [r[4:] for r in b_]
        assert after.frames(name).tolist() == (2 * before.frames(name)).tolist()


def test_morphs_follow(file: Path, tmp_path: Path) -> None:
    out, warp = tmp_path / "a.vmd", WARPS["bend"]
    retime.write(apply(retime.read(file), warp), out)
    frames = np.arange(121.0)
    (a,), (b,) = (parsed(p).by_name("morphs").values() for p in (file, out))
    tables = [np.array([np.frombuffer(r[15:19], "<u4")[0] for r in own], float) for own in (a, b)]
    weights = [np.array([np.frombuffer(r[19:], "<f4")[0] for r in own], float) for own in (a, b)]
    wanted = np.interp(warp(frames / 30) * 30, tables[0], weights[0])
    assert np.abs(np.interp(frames, tables[1], weights[1]) - wanted).max() < 0.006


def test_joints_follow_their_own_channels(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "a.vmd"
    warp = TimeWarp([0, 3], [0, 3], channels={"首": ([0, 1, 3], [0, 0.6, 3])})
    retime.write(apply(retime.read(file), warp), out)
    assert off(file, out, warp, "首") < 0.02


def test_what_cannot_be_written_is_refused(file: Path, tmp_path: Path) -> None:
    motion, out = retime.read(file), tmp_path / "a.vmd"
    turned = quat.multiply(motion.rotations, quat.exp(np.array([0.3, 0, 0])))
    with pytest.raises(InputError, match="only the timing"):
        retime.write(replace(motion, rotations=turned), out)
    with pytest.raises(InputError, match="retimed in place"):
        retime.write(samples.walk(), out)
    with pytest.raises(InputError, match="start at 0"):
        retime.write(apply(motion, TimeWarp([-1, 2], [0, 3])), out)
    assert not out.exists()


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "empty|not a motion"),
        (b"Vocaloid Motion Data file", "not a motion"),
        (b"Vocaloid Motion Data 0002".ljust(40, b"\0"), "within its header"),
        (vmd({}), "no keys of bones"),
        (dance()[:-80], "ends early"),
        (dance()[:200], "ends early"),
    ],
)
def test_bad_files_get_a_sentence(tmp_path: Path, data: bytes, says: str) -> None:
    (tmp_path / "a.vmd").write_bytes(data)
    with pytest.raises(FormatError, match=says):
        retime.read(tmp_path / "a.vmd")


def test_damaged_files_are_sentences(tmp_path: Path) -> None:
    path = tmp_path / "m.vmd"
    for mutant in mutants(dance(30, 10), seed=4):
        path.write_bytes(mutant)
        with contextlib.suppress(RetimeError), passed_on():  # anything else would be a fault
            motion = retime.read(path)
            if motion.duration < 60:
                retime.write(apply(motion, TimeWarp([0, 2], motion.domain)), tmp_path / "o.vmd")
    path.write_bytes(dance(30, 10))
    for mutant in mutants(pmx(), seed=4):
        (tmp_path / "m.pmx").write_bytes(mutant)
        with contextlib.suppress(RetimeError):
            retime.read(path)
