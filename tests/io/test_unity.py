"""Unity clips: read by the paths of their curves, and retimed character by character."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import retime
from mutating import mutants
from retime import FormatError, InputError, TimeWarp, apply, positions, quat, samples
from retime.errors import RetimeError
from retime.io.files import passed_on
from retime.io.unity.clip import STEP, Clip, parse_clip
from unity_making import clip, clip_of, curve, small_clip

WALK = samples.walk()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "walk.anim"
    path.write_text(clip_of(WALK))
    return path


def parsed(path: Path) -> Clip:
    return parse_clip(path.read_bytes(), path)


def bent(motion: retime.Motion, length: float) -> TimeWarp:
    x = np.linspace(0, 1, 200)
    y = x + 0.04 * np.sin(2 * np.pi * x)
    return TimeWarp(length * x, motion.domain[0] + motion.duration * y)


def test_a_clip_is_a_body(file: Path) -> None:
    motion = retime.read(file)
    assert motion.fps == 30.0
    assert motion.skeleton.names[1:] == WALK.skeleton.names
    names = list(WALK.skeleton.names)
    at = [motion.skeleton.index(n) for n in names]
    t = WALK.times[::4]
    shown = apply(motion, TimeWarp.identity(*motion.domain), times=t)
    assert np.abs(positions(shown)[:, at] - positions(WALK)[::4][:, : len(names)]).max() < 1e-5
    assert retime.find_body(motion).name("left_foot") == "LeftFoot"


def test_a_copy_has_the_same_bytes(file: Path, tmp_path: Path) -> None:
    retime.write(retime.read(file), tmp_path / "a.anim")
    assert (tmp_path / "a.anim").read_bytes() == file.read_bytes()


@pytest.mark.parametrize("back", [False, True])
@pytest.mark.parametrize("kind", ["stretch", "bend"])
def test_all_curves_stand_at_warped_times(
    file: Path, tmp_path: Path, kind: str, back: bool
) -> None:
    motion, out = retime.read(file), tmp_path / "a.anim"
    warp = TimeWarp([0, 3.0], motion.domain) if kind == "stretch" else bent(motion, 3.0)
    warp = warp.reverse() if back else warp
    retime.write(apply(motion, warp, exact=True), out)
    before, after = parsed(file), parsed(out)
    t = np.linspace(0.001, 2.999, 400)
    steps = [
        s for x in before.tracks for s in x.sampler.times[1:][np.diff(x.sampler.times) < 2 * STEP]
    ]
    t = t[np.abs(warp(t)[:, None] - np.array(steps)).min(axis=1) > 1e-3]
    for one, other in zip(before.tracks, after.tracks, strict=True):
        if one.kind != "m_PPtrCurves":
            extent = max(1.0, float(np.ptp(one.sampler.values)))
            off = np.abs(one.sampler.at(warp(t)) - other.sampler.at(t)).max()
            assert off < 3e-4 * extent, one.path
    keys = [sum(len(x.keys) for x in c.tracks) for c in (before, after)]
    assert keys[1] <= (keys[0] + 2 if kind == "stretch" else 1.5 * keys[0])
    assert after.settings["m_StopTime"][1] == pytest.approx(3.0)
    assert retime.read(out).duration == pytest.approx(3.0, abs=1e-5)


def test_only_times_and_tangents_change(file: Path, tmp_path: Path) -> None:
    motion, out = retime.read(file), tmp_path / "a.anim"
    retime.write(apply(motion, TimeWarp([0, 2 * motion.duration], motion.domain)), out)
    before, after = file.read_text().splitlines(), out.read_text().splitlines()
    moved = ("time:", "inSlope:", "outSlope:", "w:", "m_StopTime:", "- time:")
    kept = [[x for x in lines if not x.strip().startswith(moved)] for lines in (before, after)]
    assert kept[0] == kept[1]
    values = [[x for x in lines if "value:" in x] for lines in (before, after)]
    assert values[0] == values[1]
    assert "  - time: 1\n    functionName: Step" in out.read_text()


def test_a_step_stays_a_step(tmp_path: Path) -> None:
    path, out = tmp_path / "a.anim", tmp_path / "b.anim"
    path.write_text(
        clip({"FloatCurves": curve([0, 1, 2, 3], [0, 5, 7, 9], "", "Muscle", (1, 2))}, 3)
    )
    motion = retime.read(path)
    retime.write(apply(motion, bent(motion, 30.0), exact=True), out)
    (track,) = parsed(out).tracks
    assert out.read_text().count("outSlope: Infinity") == 2
    assert out.read_text().count("inSlope: Infinity") == 2
    assert [track.sampler.at(np.array([t]))[0, 0] for t in (15.0, 22.0)] == [5.0, 7.0]


def test_humanoid_muscles_are_retimed_with_the_body(tmp_path: Path) -> None:
    times = np.linspace(0, 2, 9)
    rows = [curve(times, np.sin(times + n), "", f"RootT.{a}") for n, a in enumerate("xyz")]
    turn = [
        curve(times, np.cos(times) if a == "w" else 0 * times, "", f"RootQ.{a}") for a in "xyzw"
    ]
    muscle = curve(times, np.cos(3 * times), "", "Left Arm Down-Up")
    path, out = tmp_path / "a.anim", tmp_path / "b.anim"
    path.write_text(clip({"FloatCurves": "".join([*rows, *turn, muscle])}, 2.0))
    motion = retime.read(path)
    assert motion.skeleton.names == ("Root",)
    assert any(n.code == "no-model" for n in motion.notes if hasattr(n, "code"))
    assert np.abs(motion.root_translation[:, 1] - np.sin(motion.times + 1)).max() < 0.02
    warp = bent(motion, 3.0)
    retime.write(apply(motion, warp, exact=True), out)
    t = np.linspace(0, 3, 100)
    for one, other in zip(parsed(path).tracks, parsed(out).tracks, strict=True):
        assert np.abs(one.sampler.at(warp(t)) - other.sampler.at(t)).max() < 3e-4


def test_joints_follow_their_own_channels(file: Path, tmp_path: Path) -> None:
    motion, out = retime.read(file), tmp_path / "a.anim"
    d = motion.duration
    bent_ = ([0, 1, d], [0, 0.7, d])
    warp = TimeWarp([0, d], [0, d], channels={"Head": bent_})
    retime.write(apply(motion, warp), out)
    t = np.linspace(0, d, 120)
    for one, other in zip(parsed(file).tracks, parsed(out).tracks, strict=True):
        if one.kind == "m_RotationCurves":
            shown = np.interp(t, *bent_) if one.path.endswith("/Head") else t
            assert np.abs(one.sampler.at(shown) - other.sampler.at(t)).max() < 5e-4


def test_what_cannot_be_written_is_refused(file: Path, tmp_path: Path) -> None:
    motion, out = retime.read(file), tmp_path / "a.anim"
    turned = quat.multiply(motion.rotations, quat.exp(np.array([0.3, 0, 0])))
    with pytest.raises(InputError, match="only the timing"):
        retime.write(replace(motion, rotations=turned), out)
    with pytest.raises(InputError, match="retimed in place"):
        retime.write(WALK, out)
    assert not out.exists()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda s: "", "Force Text|empty"),
        (lambda s: "binary", "Force Text"),
        (lambda s: s.replace("time: 0\n", "time: x\n", 1), "has no number"),
        (lambda s: s.replace("time: 0\n", "time: 9\n", 1), "do not rise"),
        (lambda s: s.replace("value: {x", "value: {y: NaN, x", 1), "different numbers|finite"),
        (lambda s: s.replace("value: {x:", "value: {{x:", 1), "braces"),
        (lambda s: s[: s.index("  m_RotationCurves")], "no curves"),
    ],
)
def test_bad_clips_get_a_sentence(file: Path, change: object, says: str) -> None:
    file.write_text(change(file.read_text()))  # type: ignore[operator]
    with pytest.raises(FormatError, match=says):
        retime.read(file)


def test_damaged_clips_are_sentences(tmp_path: Path) -> None:
    path = tmp_path / "m.anim"
    for mutant in mutants(small_clip().encode(), seed=7):
        path.write_bytes(mutant)
        with contextlib.suppress(RetimeError), passed_on():  # anything else would be a fault
            motion = retime.read(path)
            retime.write(apply(motion, TimeWarp([0, 2], motion.domain)), tmp_path / "o.anim")
