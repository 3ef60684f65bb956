"""glTF: the same file with new timing, and nothing else touched."""

from __future__ import annotations

import base64
import copy
import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import retime
from gltf_making import Maker, glb, parts
from retime import (
    FormatError,
    Motion,
    Recipe,
    Step,
    TimeWarp,
    apply,
    positions,
    quat,
    samples,
)
from retime.arrays import FloatArray
from retime.errors import RetimeError
from retime.io.gltf import contents, write_motions
from retime.io.gltf.animations import channels_of
from retime.io.gltf.document import Document, load
from retime.io.gltf.samplers import Sampler, key_mover, rekeyed
from retime.timing.graph import Graph


@pytest.fixture
def walk_glb(tmp_path: Path) -> Path:
    path = tmp_path / "walk.glb"
    retime.write(samples.walk(), path)
    return path


def wave(t: FloatArray) -> FloatArray:
    return np.stack([np.sin(t), np.cos(2 * t), t**2], axis=1)


def allowed(sampler: Sampler) -> float:
    """How far a retimed track may be off: radians, or its unit."""
    return 2e-4 * (1.0 if sampler.turns else max(1.0, float(np.ptp(sampler.values, axis=0).max())))


def bent(start: float, end: float, length: float) -> TimeWarp:
    """A warp that speeds up and slows down."""
    x = np.linspace(0, 1, 200)
    y = x + 0.1 * np.sin(2 * np.pi * x)
    return TimeWarp(start + length * x, start + (end - start) * y)


# ---- new files


def test_a_new_file_holds_the_motion_and_a_body(walk_glb: Path) -> None:
    walk, again = samples.walk(), retime.read(walk_glb)
    assert again.duration == pytest.approx(walk.duration)
    joints = [again.skeleton.index(n) for n in walk.skeleton.names]
    assert np.abs(positions(again)[:, joints] - positions(walk)).max() < 1e-5
    document, _ = parts(walk_glb)
    assert document["skins"][0]["joints"] == list(range(len(walk.skeleton)))
    assert document["meshes"][0]["primitives"][0]["attributes"].keys() >= {"POSITION", "JOINTS_0"}


def test_original_and_retimed_stand_side_by_side(tmp_path: Path) -> None:
    walk = samples.walk()
    slow = apply(walk, TimeWarp([0, 6], [0, walk.duration]))
    retime.write(slow, tmp_path / "both.glb", original=walk)
    listed = contents(tmp_path / "both.glb")
    assert [c["name"] for c in listed] == ["retimed", "original"]
    assert [c["duration_s"] for c in listed] == pytest.approx([6.0, walk.duration])


def test_a_body_is_bound_where_it_rests(tmp_path: Path) -> None:
    """Also under scales: the inverse of each joint's rest transform, so that it lies as drawn."""
    walk = samples.walk()
    scales = np.ones((len(walk.skeleton), 3))
    scales[2] = [2.0, 2.0, 2.0]
    skeleton = replace(walk.skeleton, rest_scales=scales)
    retime.write(replace(walk, skeleton=skeleton), tmp_path / "big.glb")
    document, body = parts(tmp_path / "big.glb")
    accessor = document["accessors"][document["skins"][0]["inverseBindMatrices"]]
    at = document["bufferViews"][accessor["bufferView"]]["byteOffset"]
    inverse = np.frombuffer(body, "<f4", 16 * accessor["count"], at).reshape(-1, 4, 4)
    matrices: list[FloatArray] = []
    for j, p in enumerate(skeleton.parents):
        own = np.eye(4)
        own[:3, :3] = quat.to_matrix(skeleton.rest_rotations[j]) * scales[j]
        own[:3, 3] = skeleton.offsets[j] * walk.units.metres
        matrices.append(own if p < 0 else matrices[p] @ own)
    for matrix, found in zip(matrices, inverse, strict=True):
        assert np.abs(matrix @ found.T - np.eye(4)).max() < 1e-5


def test_z_up_becomes_y_up(tmp_path: Path) -> None:
    walk = samples.walk()
    turned = replace(walk, units=retime.Units(0.01, "Z"))
    retime.write(turned, tmp_path / "z.glb")
    again = retime.read(tmp_path / "z.glb")
    joints = [again.skeleton.index(n) for n in walk.skeleton.names]
    assert np.abs(positions(again)[:, joints] - positions(turned)).max() < 1e-5


# ---- in place


def test_an_identity_changes_nothing(walk_glb: Path, tmp_path: Path) -> None:
    retime.write(retime.read(walk_glb), tmp_path / "same.glb")
    assert parts(tmp_path / "same.glb") == parts(walk_glb)
    walk = retime.read(walk_glb)
    still = apply(walk, TimeWarp.identity(*walk.domain))
    retime.write(still, tmp_path / "still.glb")
    assert parts(tmp_path / "still.glb") == parts(walk_glb)


def test_a_stretch_moves_keys_and_adds_none(walk_glb: Path, tmp_path: Path) -> None:
    walk = retime.read(walk_glb)
    start, end = walk.domain
    out = tmp_path / "slow.glb"
    retime.write(apply(walk, TimeWarp([start, 1.5 * end], [start, end])), out)
    (old, body), (new, longer) = parts(walk_glb), parts(out)
    assert longer[: old["buffers"][0]["byteLength"]] == body[: old["buffers"][0]["byteLength"]]
    assert new["accessors"][: len(old["accessors"])] == old["accessors"]
    assert new["bufferViews"][: len(old["bufferViews"])] == old["bufferViews"]
    assert len(new["accessors"]) == len(old["accessors"]) + 1  # one line of times for all
    for name in ("nodes", "meshes", "skins", "materials", "scenes", "asset"):
        assert new[name] == old[name]
    for one, other in zip(
        old["animations"][0]["samplers"], new["animations"][0]["samplers"], strict=True
    ):
        assert one["output"] == other["output"]
    assert retime.read(out).duration == pytest.approx(1.5 * walk.duration, abs=1e-5)


@pytest.mark.parametrize("path", ["translation", "rotation", "scale", "weights"])
@pytest.mark.parametrize("kind", ["LINEAR", "STEP", "CUBICSPLINE"])
@pytest.mark.parametrize("backwards", [False, True])
def test_tracks_follow_a_bent_warp(tmp_path: Path, path: str, kind: str, backwards: bool) -> None:
    maker, times = Maker(), np.linspace(0.5, 2.5, 9)
    draw = np.random.default_rng(1)
    if path == "rotation":
        values = np.stack([quat.from_axis_angle([0, 1, 0], a)[[1, 2, 3, 0]] for a in times])
        slope = np.gradient(values, times, axis=0)
    else:
        values = wave(times) if path != "weights" else wave(times)[:, :1]
        slope = np.gradient(values, times, axis=0) + 0.1 * draw.normal(size=values.shape)
    rows = np.stack([slope, values, slope], axis=1) if kind == "CUBICSPLINE" else values
    maker.animate(
        path, times, rows.reshape(-1, values.shape[1]) if path != "weights" else rows.ravel(), kind
    )
    file = maker.write(tmp_path / "a.glb")
    motion = retime.read(file)
    warp = bent(0.5, 2.5, 3.0)
    if backwards:
        warp = warp.reverse()
    retime.write(apply(motion, warp), tmp_path / "b.glb")
    (old,), (new,) = (channels_of(load(f), 0) for f in (file, tmp_path / "b.glb"))
    t = np.linspace(0.5, 3.5, 777)[1:-1]
    before, after = old.sampler.at(warp(t)), new.sampler.at(t)
    if kind == "STEP":
        near = np.abs(warp(t)[:, None] - times).min(axis=1) < 2e-3  # at a step either side is right
        before, after = before[~near], after[~near]
    off = quat.angle(before, after) if path == "rotation" else np.abs(before - after).max(axis=1)
    assert off.max() < allowed(old.sampler)
    assert new.sampler.times[0] == pytest.approx(0.5, abs=1e-6)
    assert new.sampler.times[-1] == pytest.approx(3.5, abs=1e-5)


def test_keys_are_added_only_where_a_track_moves() -> None:
    times = np.array([0.0, 1.0, 2.0, 3.0])
    values = np.array([[0.0, 0, 0], [0, 0, 0], [1, 0, 0], [1, 0, 0]])
    track = Sampler(times, values, None, "LINEAR", False)
    graph = bent(0.0, 3.0, 3.0).body
    made, same = rekeyed(track, key_mover(graph))
    assert not same
    inner = (made.times > made.times[1] + 1e-9) & (made.times < made.times[-2] - 1e-9)
    assert inner.sum() == len(made.times) - 4  # none in the two still stretches
    t = np.linspace(0, 3, 500)
    assert np.abs(made.at(t) - track.at(graph.at(t))).max() < 1e-4
    straight, same = rekeyed(track, key_mover(Graph(np.array([0.0, 6]), np.array([0.0, 3]))))
    assert same
    assert straight.times.tolist() == [0, 2, 4, 6]


@pytest.mark.parametrize("kind", ["LINEAR", "CUBICSPLINE"])
@pytest.mark.parametrize("apart", [4, 12])
def test_sparse_keys_stay_sparse(tmp_path: Path, kind: str, apart: int) -> None:
    """Tangents bend with the warp; keys are added only where that is not enough."""
    walk, maker = samples.walk(), Maker()
    times, values = walk.times[::apart], walk.rotations[::apart, :, [1, 2, 3, 0]]
    tracks = [values[:, j] for j in range(len(walk.skeleton))]
    maker.json["nodes"] = [{"name": name} for name in walk.skeleton.names]
    for j, track in enumerate(tracks):
        slope = np.gradient(track, times, axis=0)
        rows = np.stack([slope, track, slope], axis=1) if kind == "CUBICSPLINE" else track
        maker.animate("rotation", times, rows.reshape(-1, 4), kind, node=j)
    channels = [{**a["channels"][0], "sampler": n} for n, a in enumerate(maker.json["animations"])]
    table = [a["samplers"][0] for a in maker.json["animations"]]
    maker.json["animations"] = [{"channels": channels, "samplers": table}]
    motion = retime.read(maker.write(tmp_path / "a.glb"))
    x = np.linspace(0, 1, 400)
    y = motion.duration * (x + 0.03 * np.sin(4 * np.pi * x))
    warp = TimeWarp(0.75 * motion.duration * x, y)
    retime.write(apply(motion, warp, exact=True), tmp_path / "b.glb")
    old, new = (channels_of(load(tmp_path / f), 0) for f in ("a.glb", "b.glb"))
    keys = [sum(len(c.sampler.times) for c in found) for found in (old, new)]
    assert keys[1] <= 1.5 * keys[0]
    t = np.linspace(*warp.domain, 500)
    for one, other in zip(old, new, strict=True):
        assert quat.angle(one.sampler.at(warp(t)), other.sampler.at(t)).max() < 4e-4


@pytest.mark.parametrize("length", [0.2, 1.5, 40.0])
@pytest.mark.parametrize("back", [False, True])
def test_a_jump_keeps_both_its_sides(length: float, back: bool) -> None:
    just_after = float(np.nextafter(np.float32(0.5), np.float32(1)))
    times = np.array([0, 0.25, 0.5, just_after, 0.75, 1.0])
    values = np.array([[0.0], [1], [2], [100], [101], [102]])
    source = np.array([1.0, 0.0] if back else [0.0, 1.0])
    track = Sampler(times, values, None, "LINEAR", False)
    made, _ = rekeyed(track, key_mover(Graph(np.array([0.0, length]), source)))
    assert made.values[:, 0].tolist() == sorted(values[:, 0], reverse=back)
    assert (np.diff(made.times.astype(np.float32)) > 0).all()


def test_an_even_rate_of_its_own_is_kept(tmp_path: Path) -> None:
    walk = samples.walk(fps=30.03)
    retime.write(walk, tmp_path / "ntsc.glb")
    again = retime.read(tmp_path / "ntsc.glb")
    assert len(again) == len(walk)
    assert again.rate == pytest.approx(30.03, rel=1e-5)
    assert again.sample_times is None


def test_a_hold_and_a_cut_off_end(tmp_path: Path) -> None:
    maker = Maker()
    times = np.linspace(0, 2, 5)
    maker.animate("translation", times, wave(times))
    motion = retime.read(maker.write(tmp_path / "a.glb"))
    for warp in (TimeWarp([0, 1, 1.5, 2.5], [0, 1, 1, 2]), TimeWarp([0, 1], [0.3, 1.7])):
        retime.write(apply(motion, warp), tmp_path / "b.glb")
        (old,), (new,) = (channels_of(load(tmp_path / f), 0) for f in ("a.glb", "b.glb"))
        t = np.linspace(*warp.domain, 300)
        assert np.abs(old.sampler.at(warp(t)) - new.sampler.at(t)).max() < 1e-4


@pytest.mark.parametrize("kind", ["LINEAR", "STEP"])
def test_a_jump_of_time_is_a_jump_of_the_track(tmp_path: Path, kind: str) -> None:
    maker, times = Maker(), np.linspace(0, 2, 21)
    maker.animate("translation", times, wave(times), kind)
    motion = retime.read(maker.write(tmp_path / "a.glb"))
    warp = TimeWarp([0, 1, 1, 2], [0, 0.3, 1.7, 2])
    retime.write(apply(motion, warp), tmp_path / "b.glb")
    (old,), (new,) = (channels_of(load(tmp_path / f), 0) for f in ("a.glb", "b.glb"))
    t = np.linspace(0, 2, 400)
    t = t[np.abs(t - 1) > 1e-3]
    off = np.abs(old.sampler.at(warp(t)) - new.sampler.at(t)).max(axis=1)
    if kind == "STEP":
        off = off[np.abs(warp(t)[:, None] - times).min(axis=1) > 2e-3]
    assert off.max() < 1e-4


def test_retiming_twice_bakes_nothing(walk_glb: Path, tmp_path: Path) -> None:
    walk = retime.read(walk_glb)
    twice = apply(apply(walk, bent(0, walk.duration, 3.0)), bent(0, 3.0, 5.0))
    retime.write(twice, tmp_path / "twice.glb")
    (before, _), (after, _) = parts(walk_glb), parts(tmp_path / "twice.glb")
    assert len(after["animations"][0]["channels"]) == len(before["animations"][0]["channels"])
    total = bent(0, walk.duration, 3.0) @ bent(0, 3.0, 5.0)
    t = np.linspace(0, 5, 300)
    old, new = (channels_of(load(f), 0) for f in (walk_glb, tmp_path / "twice.glb"))
    for one, other in zip(old, new, strict=True):
        off = np.abs(one.sampler.at(total(t)) - other.sampler.at(t)).max()
        assert off < allowed(one.sampler)
    # What is changed by hand is seen, however it was retimed before.
    turned = twice.rotations.copy()
    turned[:, 5] = quat.multiply(turned[:, 5], quat.exp(np.array([0.3, 0, 0])))
    retime.write(replace(twice, rotations=turned), tmp_path / "hand.glb")
    again = retime.read(tmp_path / "hand.glb", fps=60)
    assert quat.angle(again.rotations[40, 5], turned[40, 5]) < 0.02


@pytest.mark.parametrize("kind", ["LINEAR", "STEP"])
@pytest.mark.parametrize("source", [[0, 2, 2], [2, 0, 0]])
def test_a_hold_at_the_end_lasts(tmp_path: Path, kind: str, source: list[float]) -> None:
    maker, times = Maker(), np.linspace(0, 2, 5)
    maker.animate("translation", times, wave(times), kind)
    motion = retime.read(maker.write(tmp_path / "a.glb"))
    retime.write(apply(motion, TimeWarp([0, 1, 3], source)), tmp_path / "b.glb")
    assert contents(tmp_path / "b.glb")[0]["duration_s"] == pytest.approx(3.0)


@pytest.mark.parametrize("path", ["translation", "rotation"])
@pytest.mark.parametrize("step", [0.0, 1.4])
def test_splines_that_swing_between_equal_keys(tmp_path: Path, path: str, step: float) -> None:
    """A piece that leaves and comes back, and rotations far apart: judged by their speed."""
    maker, times = Maker(), np.arange(4.0)
    if path == "rotation":
        values = np.stack([quat.from_axis_angle([0, 1, 0], step * t)[[1, 2, 3, 0]] for t in times])
        slope = np.tile([0.0, 0.4, 0.0, 0.1], (4, 1))
    else:
        values, slope = np.stack([step * times] * 3, axis=1), np.tile([3.0, -3.0, 0.0], (4, 1))
    rows = np.stack([slope, values, slope], axis=1).reshape(-1, values.shape[1])
    maker.animate(path, times, rows, "CUBICSPLINE")
    motion = retime.read(maker.write(tmp_path / "a.glb"))
    warp = bent(0, 3, 4)
    retime.write(apply(motion, warp), tmp_path / "b.glb")
    (old,), (new,) = (channels_of(load(tmp_path / f), 0) for f in ("a.glb", "b.glb"))
    t = np.linspace(0, 4, 500)
    before, after = old.sampler.at(warp(t)), new.sampler.at(t)
    off = quat.angle(before, after) if path == "rotation" else np.abs(before - after).max(axis=1)
    assert off.max() < allowed(old.sampler)


def test_keys_at_one_time_are_a_jump(tmp_path: Path) -> None:
    maker = Maker()
    places = [[0, 0, 0], [1, 0, 0], [5, 0, 0], [6, 0, 0]]
    maker.animate("translation", [0, 1, 1, 3], places)
    file = maker.write(tmp_path / "a.glb")
    motion = retime.read(file)
    retime.write(apply(motion, TimeWarp.identity(*motion.domain)), tmp_path / "same.glb")
    assert parts(tmp_path / "same.glb") == parts(file)
    retime.write(apply(motion, TimeWarp([0, 6], [0, 3])), tmp_path / "slow.glb")
    (track,) = channels_of(load(tmp_path / "slow.glb"), 0)
    assert track.sampler.at(np.array([1.98, 2.02]))[:, 0] == pytest.approx([0.99, 5.005], abs=1e-3)


def test_a_single_key_stays_finite(tmp_path: Path) -> None:
    maker = Maker()
    maker.animate("translation", [0], np.ones((3, 3)), "CUBICSPLINE")
    animation = maker.json["animations"][0]
    at, out = maker.accessor([0, 3], "SCALAR"), maker.accessor(np.zeros((2, 3)), "VEC3")
    animation["samplers"].append({"input": at, "output": out})
    animation["channels"].append({"sampler": 1, "target": {"node": 0, "path": "scale"}})
    motion = retime.read(maker.write(tmp_path / "a.glb"))
    retime.write(apply(motion, TimeWarp([0, 1], [1, 2])), tmp_path / "b.glb")
    for channel in channels_of(load(tmp_path / "b.glb"), 0):
        assert np.isfinite(channel.sampler.at(np.linspace(0, 1, 5))).all()


def test_a_buffer_that_is_not_in_the_file_is_left_alone(walk_glb: Path, tmp_path: Path) -> None:
    """Packed meshes name a buffer that only stands for what they unpack to."""
    document, body = parts(walk_glb)
    fallback = {"byteLength": 64, "extensions": {"EXT_meshopt_compression": {"fallback": True}}}
    document["buffers"].append(fallback)
    (tmp_path / "packed.glb").write_bytes(glb(document, body))
    walk = retime.read(tmp_path / "packed.glb")
    retime.write(apply(walk, TimeWarp([0, 2], [0, walk.duration])), tmp_path / "out.glb")
    after, _ = parts(tmp_path / "out.glb")
    assert after["buffers"][1] == fallback
    assert retime.read(tmp_path / "out.glb").duration == pytest.approx(2.0, abs=1e-5)


def test_each_joint_follows_its_own_channel(walk_glb: Path, tmp_path: Path) -> None:
    walk = retime.read(walk_glb)
    start, end = walk.domain
    late = ([start, 1.0, end], [start, 1.2, end])
    warp = TimeWarp([start, end], [start, end], channels={"LeftArm": late})
    retime.write(apply(walk, warp), tmp_path / "out.glb")
    old, new = (channels_of(load(f), 0) for f in (walk_glb, tmp_path / "out.glb"))
    t = np.linspace(start, end, 400)
    for one, other in zip(old, new, strict=True):
        moves = one.node == walk.skeleton.index("LeftArm") and one.path == "rotation"
        expected = one.sampler.at(warp(t, "LeftArm") if moves else t)
        assert np.abs(expected - other.sampler.at(t)).max() < 1e-4
    (before, _), (after, _) = parts(walk_glb), parts(tmp_path / "out.glb")
    pairs = zip(
        before["animations"][0]["samplers"], after["animations"][0]["samplers"], strict=True
    )
    assert sum(a != b for a, b in pairs) == 1


def test_only_edited_joints_are_baked(walk_glb: Path, tmp_path: Path) -> None:
    walk = retime.read(walk_glb)
    edits = [{"do": "turn", "joints": {"LeftArm": [0, 0, 30]}}]
    out = Recipe([Step("stagger", {"edits": edits, "constraints": "free"})]).evaluate(walk)
    retime.write(out, tmp_path / "out.glb")
    (before, _), (after, _) = parts(walk_glb), parts(tmp_path / "out.glb")
    old, new = before["animations"][0], after["animations"][0]
    for one, other in zip(old["channels"], new["channels"], strict=True):
        same = old["samplers"][one["sampler"]] == new["samplers"][other["sampler"]]
        target = one["target"]
        assert same != (target == {"node": walk.skeleton.index("LeftArm"), "path": "rotation"})
    again = retime.read(tmp_path / "out.glb")
    assert quat.angle(again.rotations, out.rotations).max() < 1e-6


def test_cartoon_adds_translation_tracks(walk_glb: Path, tmp_path: Path) -> None:
    key = retime.SurfaceKey(time=1.0, joint="LeftHand", shift=-0.15)
    step = Step("surface", {"keys": [key], "cartoon": 1.0, "constraints": "free"})
    out = Recipe([step]).evaluate(retime.read(walk_glb))
    retime.write(out, tmp_path / "out.glb")
    again = retime.read(tmp_path / "out.glb")
    assert np.abs(positions(again) - positions(out)).max() < 1e-4
    assert "LeftHand" in again.translations


def test_several_animations_go_back_into_one_file(tmp_path: Path) -> None:
    maker, times = Maker(), np.linspace(0, 2, 5)
    for kind in ("translation", "scale", "weights"):
        maker.animate(kind, times, wave(times) if kind != "weights" else times)
    file = maker.write(tmp_path / "a.glb")
    document = load(file)
    from retime.io.gltf.reader import motion_of

    first, last = (motion_of(document, n, None) for n in (0, 2))
    slow = [apply(m, TimeWarp([0, 4], [0, 2])) for m in (first, last)]
    write_motions(slow, tmp_path / "b.glb")
    assert [c["duration_s"] for c in contents(tmp_path / "b.glb")] == [4.0, 2.0, 4.0]
    one = retime.read(file, animation="scale LINEAR")
    retime.write(apply(one, TimeWarp([0, 1], [0, 2])), tmp_path / "c.glb")
    (old, _), (new, _) = parts(file), parts(tmp_path / "c.glb")
    assert new["animations"][0] == old["animations"][0]
    assert new["animations"][2] == old["animations"][2]


# ---- what files are like


def mixamo(tmp_path: Path) -> tuple[Motion, Path]:
    """Write a walk as Mixamo's files come out of converters: scaled by 1/100, names marked."""
    walk = samples.walk()
    retime.write(walk, tmp_path / "plain.glb")
    document, body = parts(tmp_path / "plain.glb")
    data = bytearray(body)
    for node in document["nodes"][:-1]:  # the last is the body
        node["name"] = "mixamorig:" + node["name"]
        node["translation"] = [100 * v for v in node["translation"]]
    for channel in document["animations"][0]["channels"]:
        if channel["target"]["path"] == "translation":
            output = document["animations"][0]["samplers"][channel["sampler"]]["output"]
            accessor = document["accessors"][output]
            at = document["bufferViews"][accessor["bufferView"]]["byteOffset"]
            track = np.frombuffer(bytes(data), "<f4", accessor["count"] * 3, at) * 100
            data[at : at + track.nbytes] = track.astype("<f4").tobytes()
    roots = document["scenes"][0]["nodes"]
    turn = quat.from_axis_angle([0, 1, 0], 0.5)[[1, 2, 3, 0]].tolist()
    document["nodes"].append(
        {"name": "Armature", "scale": [0.01] * 3, "rotation": turn, "children": [roots[0]]}
    )
    document["scenes"][0]["nodes"] = [len(document["nodes"]) - 1, *roots[1:]]
    path = tmp_path / "mixamo.glb"
    path.write_bytes(glb(document, bytes(data)))
    return walk, path


def test_a_scaled_and_turned_armature_counts(tmp_path: Path) -> None:
    walk, path = mixamo(tmp_path)
    motion = retime.read(path)
    joints = [motion.skeleton.index(f"mixamorig:{n}") for n in walk.skeleton.names]
    turn = quat.from_axis_angle([0, 1, 0], 0.5)
    wanted = quat.rotate(turn, positions(walk))
    assert np.abs(positions(motion)[:, joints] - wanted).max() < 1e-5
    assert retime.kinematics.height(motion.skeleton) == pytest.approx(
        retime.kinematics.height(walk.skeleton) * walk.units.metres, rel=0.01
    )
    assert retime.find_body(motion).name("left_foot") == "mixamorig:LeftFoot"
    # A translation that is baked comes back in the node's own numbers.
    lifted = {**motion.translations}
    lifted["mixamorig:Hips"] = lifted["mixamorig:Hips"] + [0.0, 0.2, 0.0]
    retime.write(replace(motion, translations=lifted), tmp_path / "out.glb")
    again = retime.read(tmp_path / "out.glb")
    assert np.abs(positions(again)[:, joints] - wanted - [0, 0.2, 0]).max() < 1e-4


@pytest.mark.parametrize("version", [0, 1])
def test_a_vrm_file_says_who_is_who(tmp_path: Path, version: int) -> None:
    retime.write(samples.walk(), tmp_path / "walk.glb")
    document, body = parts(tmp_path / "walk.glb")
    names = [n.get("name") for n in document["nodes"]]
    roles = {
        "hips": "Hips",
        "leftFoot": "LeftFoot",
        "leftToes": "LeftToe",
        "rightUpperArm": "RightArm",
    }
    bones = {bone: names.index(name) for bone, name in roles.items()}
    if version:
        humanoid: Any = {"humanBones": {b: {"node": n} for b, n in bones.items()}}
        document["extensions"] = {"VRMC_vrm": {"humanoid": humanoid}}
    else:
        humanoid = {"humanBones": [{"bone": b, "node": n} for b, n in bones.items()]}
        document["extensions"] = {"VRM": {"humanoid": humanoid}}
    for n, node in enumerate(document["nodes"]):
        node["name"] = f"J{n}"
    (tmp_path / "avatar.glb").write_bytes(glb(document, body))
    found = retime.find_body(retime.read(tmp_path / "avatar.glb"))
    for role, bone in (("left_foot", "leftFoot"), ("left_toe", "leftToes"), ("hips", "hips")):
        assert found.name(role) == f"J{bones[bone]}"
    assert found.confidence["left_foot"] == 1.0


def test_integers_and_sparse_values_are_read(tmp_path: Path) -> None:
    maker, times = Maker(), np.array([0.0, 0.5, 1.0])
    turns = np.stack([quat.from_axis_angle([0, 0, 1], a)[[1, 2, 3, 0]] for a in (0, 1, 2)])
    maker.animate("rotation", times, np.round(turns * 32767), component=5122, normalized=True)
    maker.animate("translation", times, np.zeros((3, 3)))
    index = maker.view(np.array([1], "u1").tobytes())
    value = maker.view(np.array([[5, 6, 7]], "<f4").tobytes())
    maker.json["accessors"][-1]["sparse"] = {
        "count": 1, "indices": {"bufferView": index, "componentType": 5121},
        "values": {"bufferView": value},
    }  # fmt: skip
    file = maker.write(tmp_path / "a.glb")
    first = retime.read(file, animation=0)
    assert quat.angle(first.rotations[0, 0], quat.identity(1)[0]) < 1e-4
    assert quat.angle(first.rotations[-1, 0], quat.from_axis_angle([0, 0, 1], 2.0)) < 1e-4
    second = retime.read(file, animation="translation LINEAR")
    assert second.root_translation[second.frame_at(0.5)[0]].tolist() == [5, 6, 7]
    slow = apply(first, TimeWarp([0, 2], [0, 1]))
    retime.write(slow, tmp_path / "b.glb")
    document, _ = parts(tmp_path / "b.glb")
    kept = document["animations"][0]["samplers"][0]["output"]
    assert document["accessors"][kept]["componentType"] == 5122  # the values stay as they were


def test_text_files_and_files_beside(walk_glb: Path, tmp_path: Path) -> None:
    walk = retime.read(walk_glb)
    slow = apply(walk, TimeWarp([0, 2 * walk.duration], [0, walk.duration]))
    retime.write(slow, tmp_path / "slow.gltf")
    inside = retime.read(tmp_path / "slow.gltf")
    assert inside.duration == pytest.approx(2 * walk.duration, abs=1e-5)
    document, body = parts(walk_glb)
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "walk 1.bin").write_bytes(body)
    document["buffers"][0]["uri"] = "data/walk%201.bin"
    (tmp_path / "beside.gltf").write_text(json.dumps(document))
    beside = retime.read(tmp_path / "beside.gltf")
    assert np.abs(positions(beside) - positions(walk)).max() < 1e-9
    (tmp_path / "elsewhere").mkdir()
    out = tmp_path / "elsewhere" / "out.gltf"
    retime.write(apply(beside, TimeWarp([0, 1], [0, walk.duration])), out)
    assert retime.read(out).duration == pytest.approx(1.0, abs=1e-5)  # the data came along
    as_glb = tmp_path / "elsewhere" / "out.glb"
    retime.write(beside, as_glb)
    assert np.abs(positions(retime.read(as_glb)) - positions(walk)).max() < 1e-9


def test_names_that_stand_twice_and_nodes_with_a_matrix(tmp_path: Path) -> None:
    maker = Maker()
    matrix = np.eye(4)
    matrix[:3, 3] = [1, 2, 3]
    maker.json["nodes"] = [
        {"name": "Bone", "children": [1]}, {"name": "Bone", "matrix": matrix.T.ravel().tolist()},
    ]  # fmt: skip
    maker.json["skins"] = [{"joints": [0, 1]}]
    maker.animate("rotation", [0, 1], [[0, 0, 0, 1], [0, 1, 0, 0]])
    motion = retime.read(maker.write(tmp_path / "a.glb"))
    assert motion.skeleton.names == ("Bone", "Bone#2")
    assert positions(motion)[0, 1].tolist() == [1, 2, 3]
    assert not any("sheared" in note for note in motion.notes)
    matrix[0, 1] = 0.5
    maker.json["nodes"][1]["matrix"] = matrix.T.ravel().tolist()
    assert any("sheared" in n for n in retime.read(maker.write(tmp_path / "a.glb")).notes)


def test_weights_and_pointers_follow_the_root(tmp_path: Path) -> None:
    maker = Maker()
    maker.animate("translation", [0, 1, 2], wave(np.array([0.0, 1, 2])))
    times = maker.accessor([0, 0.7, 2], "SCALAR")
    animation = maker.json["animations"][0]
    pointer = {"path": "pointer", "extensions": {"KHR_animation_pointer": {"pointer": "/x"}}}
    draw = np.random.default_rng(2)
    for width in (1, 2, 3, 4):
        weights = maker.accessor(draw.random(3 * width), "SCALAR")
        kind = {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4"}[width]
        colour = maker.accessor(draw.random((3, width)), kind)
        for output, target in ((weights, {"node": 0, "path": "weights"}), (colour, pointer)):
            animation["samplers"].append({"input": times, "output": output})
            animation["channels"].append(
                {"sampler": len(animation["samplers"]) - 1, "target": target}
            )
    motion = retime.read(maker.write(tmp_path / "a.glb"))
    warp = bent(0, 2, 3)
    retime.write(apply(motion, warp), tmp_path / "b.glb")
    old, new = (channels_of(load(tmp_path / f), 0) for f in ("a.glb", "b.glb"))
    t = np.linspace(0, 3, 200)
    for one, other in zip(old, new, strict=True):
        off = np.abs(one.sampler.at(warp(t)) - other.sampler.at(t)).max()
        assert off < allowed(one.sampler)
    (before, _), (after, _) = parts(tmp_path / "a.glb"), parts(tmp_path / "b.glb")
    for a, b in zip(
        before["animations"][0]["samplers"], after["animations"][0]["samplers"], strict=True
    ):
        kinds = [d["accessors"][x["output"]]["type"] for d, x in ((before, a), (after, b))]
        assert kinds[0] == kinds[1]


# ---- the command line


def test_animations_from_the_command_line(run: Any, walk_glb: Path, tmp_path: Path) -> None:
    status, out, _ = run("info", walk_glb, "--json")
    assert status == 0
    assert json.loads(out)["animations"][0]["name"] == "motion"
    assert (
        run("apply", walk_glb, tmp_path / "o.glb", "--animation", "all", "--duration", "2")[0] == 0
    )
    assert contents(tmp_path / "o.glb")[0]["duration_s"] == pytest.approx(2.0)
    status, _, err = run(
        "apply", walk_glb, tmp_path / "p.glb", "--animation", "Jump", "--duration", "2"
    )
    assert status == 2
    assert "there are: motion" in err
    for odd in ("²", "9" * 5000):
        assert (
            run("apply", walk_glb, tmp_path / "p.glb", "--animation", odd, "--duration", "2")[0]
            == 2
        )
    document, body = parts(walk_glb)
    document["animations"].append({"name": "pose", "channels": [], "samplers": []})
    (tmp_path / "two.glb").write_bytes(glb(document, body))
    status, _, err = run(
        "apply", tmp_path / "two.glb", tmp_path / "o2.glb", "--animation", "all", "--duration", "2"
    )
    assert status == 0
    assert "pose: a single pose" in err
    status, _, err = run(
        "surface",
        walk_glb,
        tmp_path / "s.glb",
        "--at",
        "1",
        "--joint",
        "LeftHand",
        "--shift",
        "0.1",
        "--plot",
        tmp_path / "s.png",
        "--strip",
        tmp_path / "s.png",
    )
    assert status == 2
    assert "written twice" in err
    retime.write(samples.walk(), tmp_path / "w.bvh")
    status, _, err = run(
        "apply", tmp_path / "w.bvh", tmp_path / "q.bvh", "--animation", "x", "--duration", "2"
    )
    assert status == 2
    assert "has one motion" in err


# ---- bad input


MESHOPT: dict[str, Any] = {"EXT_meshopt_compression": {}}


def broken(document: dict[str, Any], change: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
    new = copy.deepcopy(document)
    change(new)
    return new


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda d: d["asset"].update(version="1.0"), "version '1.0'"),
        (lambda d: d.pop("animations"), "has no animation"),
        (lambda d: d["accessors"][-1].update(count=10**9), "out of bounds"),
        (lambda d: d["accessors"][-1].update(bufferView=999), "names bufferViews 999"),
        (lambda d: d["accessors"][-1].update(componentType=1), "unknown type"),
        (lambda d: d["bufferViews"][-1].update(byteLength=10**9), "out of bounds"),
        (lambda d: d["bufferViews"][-1].update(buffer=7), "names buffers 7"),
        (lambda d: d["bufferViews"][-1].update(extensions=MESHOPT), "not an animation's"),
        (lambda d: d["nodes"][1].update(children=[0]), "its own ancestor"),
        (lambda d: d["nodes"][0].update(children=[1, 1]), "two parents"),
        (lambda d: d["nodes"][0].update(children=[99]), "names nodes 99"),
        (lambda d: d["nodes"][0].update(translation=["x", 0, 0]), "3 numbers"),
        (lambda d: d["buffers"][0].update(uri="../secret.bin"), "is not followed"),
        (lambda d: d["buffers"][0].update(uri="/etc/passwd"), "is not followed"),
        (lambda d: d["buffers"][0].update(uri="http://host/x.bin"), "is not followed"),
        (lambda d: d["buffers"][0].update(uri="gone.bin"), "is missing"),
        (lambda d: d["buffers"][0].update(uri="data:x/y;base64,@@"), "is broken"),
        (lambda d: d["animations"][0]["channels"][0].update(sampler=999), "names sampler 999"),
        (lambda d: d["animations"][0]["samplers"][0].update(interpolation="MAGIC"), "MAGIC"),
        (lambda d: d.update(nodes=5), "not a list"),
        (lambda d: d["asset"].update(minVersion="2.1"), "2.1"),
        (lambda d: d["nodes"][0].update(rotation=[1e308, 0, 0, 1]), "finite numbers"),
        (lambda d: d["accessors"][-1].update(type=[]), "unknown type"),
        (lambda d: d["accessors"][-1].update(componentType={}), "unknown type"),
        (lambda d: d["buffers"][0].update(uri="a%00b"), "no file's"),
        (lambda d: d["buffers"][0].update(uri="\ud800"), "no file's|is missing"),
        (lambda d: d["buffers"][0].update(uri="x" * 5000), "no file's|is missing"),
    ],
)  # fmt: skip
def test_broken_files_get_a_sentence(
    walk_glb: Path, tmp_path: Path, change: Any, sentence: str
) -> None:
    document, body = parts(walk_glb)
    bad = tmp_path / "bad.glb"
    bad.write_bytes(glb(broken(document, change), body))
    with pytest.raises(FormatError, match=sentence):
        retime.read(bad)


def test_odd_neighbours_do_not_matter(walk_glb: Path, tmp_path: Path) -> None:
    """Another animation, a skin or a name that is odd is no reason to refuse this one."""
    document, body = parts(walk_glb)
    document["animations"] += [{"channels": 5}, {"channels": [{"target": []}], "samplers": []}, {}]
    document["skins"][0]["joints"] = 5
    document["nodes"][0]["extras"] = {"odd": "\ud800"}
    (tmp_path / "odd.glb").write_bytes(glb(document, body))
    walk = retime.read(tmp_path / "odd.glb", animation=0)
    retime.write(apply(walk, TimeWarp([0, 2], [0, walk.duration])), tmp_path / "out.glb")
    assert parts(tmp_path / "out.glb")[0]["nodes"][0]["extras"] == {"odd": "\ud800"}


def test_what_is_named_often_is_not_read_without_bound(tmp_path: Path) -> None:
    maker = Maker()
    maker.animate("weights", [0], [0])
    maker.json["accessors"].append({"componentType": 5126, "count": 1 << 22, "type": "SCALAR"})
    huge = len(maker.json["accessors"]) - 1
    animation = maker.json["animations"][0]
    animation["samplers"] = [{**animation["samplers"][0], "output": huge} for _ in range(100)]
    target = {"node": 0, "path": "weights"}
    animation["channels"] = [{"sampler": n, "target": target} for n in range(100)]
    with pytest.raises(FormatError, match="more values than fit"):
        retime.read(maker.write(tmp_path / "a.glb"))
    plain = Maker()
    plain.animate("translation", [0, 1], np.zeros((2, 3)))
    file = plain.write(tmp_path / "b.glb")
    document, body = parts(file)
    document["buffers"] += [{"byteLength": 0, "uri": "b.glb"}] * 60_000
    file.write_bytes(glb(document, body))
    assert retime.read(file).duration == 1.0


def test_truncated_files_get_a_sentence(walk_glb: Path, tmp_path: Path) -> None:
    data = walk_glb.read_bytes()
    for cut in (0, 3, 11, 19, 30, 200, len(data) // 2, len(data) - 1):
        (tmp_path / "bad.glb").write_bytes(data[:cut])
        with pytest.raises(FormatError):
            retime.read(tmp_path / "bad.glb")


def test_a_link_out_of_the_folder_is_not_followed(walk_glb: Path, tmp_path: Path) -> None:
    document, body = parts(walk_glb)
    folder = tmp_path / "inside"
    folder.mkdir()
    (tmp_path / "outside.bin").write_bytes(body)
    (folder / "link.bin").symlink_to(tmp_path / "outside.bin")
    document["buffers"][0]["uri"] = "link.bin"
    (folder / "a.gltf").write_text(json.dumps(document))
    with pytest.raises(FormatError, match="is not followed"):
        retime.read(folder / "a.gltf")


def test_zeros_without_data_are_bounded(tmp_path: Path) -> None:
    maker = Maker()
    maker.animate("translation", [0, 1], np.zeros((2, 3)))
    maker.json["accessors"][-1] = {"componentType": 5126, "count": 10**12, "type": "VEC3"}
    with pytest.raises(FormatError, match="no data"):
        retime.read(maker.write(tmp_path / "a.glb"))


def test_an_endless_animation_is_refused(tmp_path: Path) -> None:
    maker = Maker()
    maker.animate("translation", [0, 1e30], np.zeros((2, 3)))
    with pytest.raises(FormatError, match="more than fits"):
        retime.read(maker.write(tmp_path / "a.glb"))


def test_mutated_files_never_crash(walk_glb: Path, tmp_path: Path) -> None:
    """Bytes flipped, cut and repeated, numbers in the JSON replaced: a sentence, or a motion."""
    rounds = 100_000 if os.environ.get("RETIME_STRESS") else 120
    draw = np.random.default_rng(11)
    maker, times = Maker(), np.linspace(0, 1, 4)
    maker.json["nodes"] = [{"name": "A", "children": [1]}, {"name": "B", "scale": [2, 2, 2]}]
    maker.animate("rotation", times, np.tile([0, 0, 0, 1], (4, 1)))
    maker.animate("translation", times, wave(times), node=1)
    data = maker.write(tmp_path / "seed.glb").read_bytes()
    text = json.dumps(maker.json)
    odd = [-1, 0, 1, 2, 7, 10**6, 2**31, 2**63, -(2**40), 1e308, "x", None, [], {}, True]
    bad = tmp_path / "bad.glb"
    read = 0
    for _ in range(rounds):
        if draw.integers(2):
            changed = bytearray(data)
            for _ in range(draw.integers(1, 6)):
                changed[draw.integers(len(changed))] = draw.integers(256)
            mutant = bytes(changed[: draw.integers(len(changed) // 2, len(changed) + 1)])
        else:
            document = json.loads(text)
            _replace_somewhere(document, draw, odd)
            mutant = glb(document, maker.body)
        bad.write_bytes(mutant)
        try:
            motion = retime.read(bad)
            retime.write(apply(motion, TimeWarp([0, 2], [0, 1])), tmp_path / "out.glb")
            read += 1
        except RetimeError:
            pass
    assert read > rounds // 20  # some mutants are still good files


def _replace_somewhere(value: Any, draw: Any, odd: list[Any]) -> None:
    """Replace one leaf of a document by something odd."""
    while True:
        keys = list(value) if isinstance(value, dict) else list(range(len(value)))
        if not keys:
            return
        key = keys[int(draw.integers(len(keys)))]
        if isinstance(value[key], dict | list) and value[key] and draw.integers(5):
            value = value[key]
            continue
        value[key] = odd[int(draw.integers(len(odd)))]
        return


def test_a_document_is_not_changed_by_writing(walk_glb: Path, tmp_path: Path) -> None:
    walk = retime.read(walk_glb)
    kept = walk.origin.kept.document if walk.origin is not None else None
    assert isinstance(kept, Document)
    before = copy.deepcopy(kept.json)
    slow = apply(walk, TimeWarp([0, 9], [0, walk.duration]))
    retime.write(slow, tmp_path / "a.glb")
    retime.write(slow, tmp_path / "b.glb")
    assert kept.json == before
    assert (tmp_path / "a.glb").read_bytes() == (tmp_path / "b.glb").read_bytes()


def test_data_in_the_text_is_read(walk_glb: Path, tmp_path: Path) -> None:
    document, body = parts(walk_glb)
    text = base64.b64encode(body).decode()
    document["buffers"][0]["uri"] = f"data:application/octet-stream;base64,{text}"
    (tmp_path / "a.gltf").write_text(json.dumps(document))
    again = retime.read(tmp_path / "a.gltf")
    assert np.abs(positions(again) - positions(retime.read(walk_glb))).max() == 0.0


def test_what_is_no_glb_is_said(tmp_path: Path) -> None:
    for data, word in ((b"", "empty"), (b"HIERARCHY", "not a GLB file")):
        (tmp_path / "a.glb").write_bytes(data)
        with pytest.raises(FormatError, match=word):
            retime.read(tmp_path / "a.glb")


def test_a_file_that_keeps_its_rate_says_so(
    run: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    retime.write(samples.walk(fps=30.0), tmp_path / "walk.glb")
    status, _, told = run("convert", tmp_path / "walk.glb", tmp_path / "o.glb", "--fps", "24")
    assert status == 2
    assert "keeps the keys and the frame rate" in told
    words = ("apply", tmp_path / "walk.glb", tmp_path / "o.glb", "--duration", "3")
    status, said, told = run(*words, "--fps", "60", "--json")
    assert status == 0, told
    page = json.loads(said)
    assert (page["fps"], page["frames"]) == (30.0, 91)
    assert any("the file keeps its rate" in note for note in page["notes"])
    assert run("convert", tmp_path / "walk.glb", tmp_path / "o.bvh", "--fps", "24")[0] == 0
