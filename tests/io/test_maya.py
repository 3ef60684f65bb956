"""Maya's .anim files: read by names and hierarchy, and retimed character by character."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import retime
from maya_making import anim, curve, walker
from mutating import mutants
from retime import FormatError, InputError, TimeWarp, apply, quat, samples
from retime.errors import RetimeError
from retime.io.files import passed_on
from retime.io.maya.document import TICKS, Document, parse


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "walk.anim"
    path.write_text(walker())
    return path


def parsed(path: Path) -> Document:
    return parse(path.read_bytes(), path)


def one_track(path: Path, *keys: str, **more: object) -> retime.Motion:
    path.write_text(anim(curve("a", "translateX", keys, **more)))  # type: ignore[arg-type]
    return retime.read(path)


def test_joints_have_the_names_and_the_hierarchy_of_the_file(file: Path) -> None:
    motion = retime.read(file)
    assert motion.skeleton.names == ("hip", "ns:left|toe", "right")
    assert motion.skeleton.parents.tolist() == [-1, 0, 0]
    assert motion.fps == 24.0
    assert motion.domain == pytest.approx((1 / 24, 49 / 24))
    assert retime.positions(motion)[-1, 0] == pytest.approx([0.6, 0.915, 0])
    assert quat.angle(motion.rotations[-1, 2], quat.identity()) > 0.2
    assert retime.read(file, fps=48).duration == pytest.approx(1.0)
    assert "no-model" in {getattr(n, "code", "") for n in motion.notes}


def test_a_fixed_tangent_is_the_slope_a_frame(tmp_path: Path) -> None:
    """Maya itself wrote such a key: a line from 0.795937, and 42.792758 degrees."""
    motion = one_track(
        tmp_path / "a.anim",
        "1.00002 0.795937 fixed fixed 1 0 0 42.792758 1 42.792758 1",
        "1.9999796 1.721675 linear linear 1 0 0",
        "3 2.773587 linear linear 1 0 0",
    )
    (track,) = parsed(tmp_path / "a.anim").tracks
    middle = np.array([1.25, 1.5, 1.75]) / 24
    line = np.interp(middle * 24, [1.00002, 1.9999796], [0.795937, 1.721675])
    assert np.abs(track.curve.at(middle, TICKS) - line).max() < 1e-5
    assert motion.translations["a"][0] == pytest.approx([0.795937, 0, 0])


def test_rules_of_tangents(tmp_path: Path) -> None:
    """By Hermite's formula: half way, an eighth of the difference of the slopes is added."""
    for kind, first, second in (
        ("linear", 2.5, 2.5), ("flat", 0, 0), ("spline", 2.5, 1.875), ("clamped", 2.5, 1.875),
        ("auto", 0, 1.875), ("autoease", 0, 1.875),
    ):  # fmt: skip
        keys = [f"{t} {v} {kind} {kind} 1 0 0" for t, v in ((0, 0), (4, 10), (8, 15))]
        one_track(tmp_path / "a.anim", *keys)
        (track,) = parsed(tmp_path / "a.anim").tracks
        found = track.curve.at(np.array([2 / 24]), TICKS)[0]
        assert found == pytest.approx(5 + 4 * (first - second) / 8), kind
    for kind, value in (("step", 0.0), ("stepnext", 10.0)):
        keys = [f"{t} {v} flat {kind} 1 0 0" for t, v in ((0, 0), (4, 10))]
        assert one_track(tmp_path / "a.anim", *keys).translations["a"][2, 0] == value


def test_a_copy_has_the_same_bytes(file: Path, tmp_path: Path) -> None:
    file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n").replace(b"hip", b"h\xffp"))
    retime.write(retime.read(file), tmp_path / "a.anim")
    assert (tmp_path / "a.anim").read_bytes() == file.read_bytes()


X = np.linspace(0, 1, 200)
WARPS = {
    "stretch": ([0.0, 4.0], [0.0, 1.0]),
    "bend": (4 * X, X + 0.06 * np.sin(2 * np.pi * X)),
    "back": ([0.0, 4.0], [1.0, 0.0]),
    "hold": ([0.0, 1.0, 2.0, 4.0], [0.0, 0.3, 0.3, 1.0]),
    "trim": ([0.0, 1.5], [0.2, 0.7]),
    "cut": ([0.0, 1.0, 1.0, 2.0], [0.0, 0.3, 0.6, 1.0]),
}


@pytest.mark.parametrize("name", WARPS)
def test_curves_stand_at_warped_times(file: Path, tmp_path: Path, name: str) -> None:
    motion, out = retime.read(file), tmp_path / "a.anim"
    x, y = (np.asarray(a) for a in WARPS[name])
    warp = TimeWarp(x, motion.domain[0] + motion.duration * y)
    retime.write(apply(motion, warp, exact=True), out)
    t = np.linspace(*warp.domain, 601)[1:-1] + 1e-4
    near = np.r_[np.arange(1, 50, 12), 17, 20, 33] / 24
    t = t[(np.abs(warp(t)[:, None] - near).min(axis=1) > 2e-3) & (np.abs(t - 1) > 2e-3)]
    for one, other in zip(parsed(file).tracks, parsed(out).tracks, strict=True):
        extent = max(float(np.ptp(one.curve.values)), 1.0)
        off = np.abs(one.curve.at(warp(t), TICKS) - other.curve.at(t, TICKS)).max()
        assert off < 1e-3 * extent, one.attribute
    assert retime.read(out).duration == pytest.approx(warp.duration, abs=1e-6)


def test_a_stretch_changes_times_and_fixed_tangents_alone(file: Path, tmp_path: Path) -> None:
    motion, out = retime.read(file), tmp_path / "a.anim"
    retime.write(apply(motion, TimeWarp([0, 2 * motion.duration], motion.domain)), out)
    before, after = (p.read_text().splitlines() for p in (file, out))
    assert len(before) == len(after)
    for one, other in zip(before, after, strict=True):
        if one.startswith("    ") and "linear linear 1 0 0;" not in one:
            a, b = one.split(), other.split()
            assert (a[1:7], len(a)) == (b[1:7], len(b))
        elif not one.startswith(("    ", "startTime", "endTime")):
            assert one == other
    assert "    0 0 linear linear 1 0 0;\n    1 9 linear" in out.read_text()  # driven by a value
    assert after[5:7] == ["startTime 0;", "endTime 96;"]
    # A weighted tangent keeps its side in value, and has twice the time.
    for at in (-4, -2):
        old, new = (
            [float(w.strip(";")) for w in rows[56].split()[at:][:2]] for rows in (before, after)
        )
        sides = [v[1] * np.exp(1j * np.radians(v[0])) for v in (old, new)]
        assert sides[1].real == pytest.approx(2 * sides[0].real)
        assert sides[1].imag == pytest.approx(sides[0].imag)


def test_joints_follow_their_own_channels(file: Path, tmp_path: Path) -> None:
    motion, out = retime.read(file), tmp_path / "a.anim"
    a, b = motion.domain
    bent = ([a, a + 1, b], [a, a + 0.7, b])
    retime.write(apply(motion, TimeWarp([a, b], [a, b], channels={"right": bent})), out)
    before, after = (p.read_text().split("anim ns:left") for p in (file, out))
    assert before[0] == after[0]
    assert before[1] != after[1]


def test_what_cannot_be_written_is_refused(file: Path, tmp_path: Path) -> None:
    motion, out = retime.read(file), tmp_path / "a.anim"
    turned = quat.multiply(motion.rotations, quat.exp(np.array([0.3, 0, 0])))
    with pytest.raises(InputError, match="'hip' was edited; only the timing"):
        retime.write(replace(motion, rotations=turned), out)
    assert not out.exists()
    # Without a file, the suffix stands for Unity, whose sentence is the same.
    with pytest.raises(InputError, match="retimed in place"):
        retime.write(samples.walk(), out)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda s: s.replace("1 0 auto", "x 0 auto", 1), "anim:16: 'x' is not a number"),
        (lambda s: s.replace("1 0 auto", "99 0 auto", 1), "anim:16: the times of a curve"),
        (lambda s: s.replace("1 0 auto", "1 inf auto", 1), "inf is not finite"),
        (lambda s: s.replace("25 30 auto auto 1 0 0", "25 30"), "anim:17: expected a time"),
        (lambda s: s[: s.index("49 60")], "braces are not closed"),
        (lambda s: s.replace("anim translate.translateX translateX hip 0 2 0;", ""), "no curve"),
        (lambda s: s.replace("hip 0 2 0", "hip", 1), "three whole numbers"),
        (lambda s: s.split("anim trans", maxsplit=1)[0], "no curves"),
    ],
)
def test_bad_files_get_a_sentence(file: Path, change: object, says: str) -> None:
    file.write_text(change(file.read_text()))  # type: ignore[operator]
    with pytest.raises(FormatError, match=says):
        retime.read(file)


def test_damaged_files_are_sentences(tmp_path: Path) -> None:
    path = tmp_path / "m.anim"
    for mutant in mutants(walker().encode(), seed=5):
        path.write_bytes(mutant)
        with contextlib.suppress(RetimeError), passed_on():  # anything else would be a fault
            motion = retime.read(path)
            if motion.duration < 600:
                retime.write(apply(motion, TimeWarp([0, 2], motion.domain)), tmp_path / "o.anim")
