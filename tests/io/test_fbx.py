"""FBX: the same file with new timing, and nothing else touched."""

from __future__ import annotations

import json
import pickle
import struct
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import retime
from fbx_cases import CLOSE
from fbx_making import (
    AUTO,
    BROKEN,
    CONSTANT,
    CUBIC,
    LINEAR,
    PROGRESSIVE,
    TCB,
    TICKS,
    USER,
    WEIGHTED,
    Maker,
    differ,
    evaluated,
    made_of,
    weights,
)
from mutating import ROUNDS
from retime import FormatError, InputError, Motion, TimeWarp, apply, quat, samples
from retime.arrays import FloatArray
from retime.errors import RetimeError
from retime.io.fbx import contents, write_motions
from retime.io.fbx.curves import Curve, linear_curve
from retime.io.fbx.document import load, property_rows
from retime.io.fbx.properties import packed, real, text, values
from retime.io.fbx.rekeying import Rekeyer
from retime.io.fbx.rotations import euler
from retime.io.fbx.tree import Node, empty_tree, parse, write
from retime.timing.graph import Graph

VERSIONS = (7100, 7300, 7400, 7500, 7700)


def figure(version: int = 7400, **settings: float) -> tuple[Maker, dict[str, int]]:
    """Make a rig with pivots, rotation orders and a mesh, and a clip of every kind of key."""
    maker = Maker(version, **settings)
    rig = maker.model("Rig", 0, "Null", Lcl_Scaling=[100.0] * 3, Lcl_Rotation=[-90.0, 0.0, 0.0])
    hips = maker.model(
        "Hips", rig, Lcl_Translation=[0.0, 1.0, 0.0], PreRotation=[10.0, 20.0, 30.0],
        PostRotation=[5.0, 0.0, -7.0], RotationOrder=2, RotationActive=1,
    )  # fmt: skip
    spine = maker.model(
        "Spine", hips, Lcl_Translation=[0.0, 0.3, 0.0], RotationPivot=[0.1, 0.2, 0.3],
        RotationOffset=[0.01, 0.0, 0.0], ScalingPivot=[0.0, 0.1, 0.0],
        ScalingOffset=[0.02, 0.0, 0.0], RotationActive=1,
    )  # fmt: skip
    head = maker.model(
        "Head", spine, Lcl_Translation=[0.0, 0.3, 0.0], RotationOrder=4, RotationActive=1
    )
    maker.model("Head_end", head, Lcl_Translation=[0.0, 0.2, 0.0])
    body = maker.model("Body", 0, "Mesh")
    maker.mesh(body)
    numbers = {"Rig": rig, "Hips": hips, "Spine": spine, "Head": head, "Body": body}
    numbers["walk"] = clip(maker, numbers, "walk", 1)
    return maker, numbers


STEPS = (0.9, 1.5)


def clip(maker: Maker, models: dict[str, int], name: str, seed: int) -> int:
    layer = maker.stack(name, 0.0, 2.0)
    times, draw = np.array([0, 0.4, *STEPS, 2.0]), np.random.default_rng(seed)
    broken = CUBIC | USER | BROKEN

    def wild() -> FloatArray:
        return 50 * draw.normal(size=(5, 3))

    hips, spine, head = (models[n] for n in ("Hips", "Spine", "Head"))
    maker.animate(layer, hips, "Lcl Translation", times, wild() / 50, flags=CUBIC | AUTO)
    maker.animate(layer, hips, "Lcl Rotation", times, wild(), flags=broken, data=[20, -30, 0, 0])
    maker.animate(
        layer, spine, "Lcl Rotation", times, wild(), flags=broken | WEIGHTED,
        data=[80, -90, weights(0.7, 0.2), 0],
    )  # fmt: skip
    grown = 1 + wild() / 250
    maker.animate(layer, spine, "Lcl Scaling", times, grown, flags=CUBIC | AUTO | PROGRESSIVE)
    mixed = [CUBIC | TCB, CUBIC | USER, CONSTANT, LINEAR, CUBIC | AUTO]
    maker.animate(layer, head, "Lcl Rotation", times, wild(), flags=mixed, data=[0.3, 0.2, 0.1, 0])
    return layer


@pytest.fixture
def walk_fbx(tmp_path: Path) -> Path:
    return figure()[0].write(tmp_path / "walk.fbx")


def curves_of(path: Path, animation: int = 0) -> dict[int, Curve]:
    motion = retime.read(path, animation=animation)
    assert motion.origin is not None
    found: dict[int, Curve] = motion.origin.kept.stack.curves
    return found


X = np.linspace(0, 1, 200)
WARPS = {
    "stretch": TimeWarp([0, 2.74], [0, 2]),
    "bend": TimeWarp(2.74 * X, 2 * (X + 0.1 * np.sin(2 * np.pi * X))),
    "back": TimeWarp([0, 2], [2, 0]),
    "bent back": TimeWarp(2.74 * X, 2 * (X + 0.1 * np.sin(2 * np.pi * X))[::-1]),
    "hold": TimeWarp([0, 0.8, 1.4, 2.4], [0, 0.8, 0.8, 2]),
    "hold at the end": TimeWarp([0, 2, 2.6], [0, 2, 2]),
    "trim": TimeWarp([0, 2], [0.46, 1.42]),
    "cut": TimeWarp([0, 0.82, 0.82, 2], [0, 0.6, 1.0, 2]),
    "late": TimeWarp([5, 7.5], [0, 2]),
    "still": TimeWarp([0, 1], [0.7, 0.7]),
}


def between_jumps(warp: TimeWarp, count: int = 301) -> FloatArray:
    """Return output times away from steps and cuts, where both sides are right."""
    t = np.linspace(*warp.domain, count)
    source, cuts = warp(t), warp.output[1:][np.diff(warp.output) == 0]
    far = np.abs(source[:, None] - np.array(STEPS)).min(axis=1) > 1e-3
    for cut in cuts:
        far &= np.abs(t - cut) > 1e-3
    kept: FloatArray = t[far]
    return kept


# ---- reading


@pytest.mark.parametrize("version", VERSIONS)
def test_poses_are_those_of_ufbx(tmp_path: Path, version: int) -> None:
    path = figure(version)[0].write(tmp_path / "a.fbx")
    motion = retime.read(path)
    assert motion.skeleton.names == ("Rig", "Hips", "Spine", "Head")
    assert [s.name for s in motion.skeleton.end_sites] == ["Head_end"]
    assert (len(motion), motion.fps, motion.units.metres) == (61, 30.0, 0.01)
    assert set(motion.scales) == {"Spine"}
    truth = evaluated(path, motion.times)
    for j, name in enumerate(motion.skeleton.names):
        assert quat.angle(motion.rotations[:, j], truth[name][:, 3:7]).max() < 2e-6
    # The rig's scale of 100 goes into what hangs on it; a pivot moves what turns about it.
    hips, spine = truth["Hips"], truth["Spine"]
    assert np.abs(motion.translations["Hips"] - 100 * hips[:, :3]).max() < 1e-4
    assert np.abs(motion.translations["Spine"] - 100 * spine[:, :3]).max() < 1e-4
    assert np.abs(motion.scales["Spine"] - spine[:, 7:]).max() < 1e-5


def test_frames_off_the_grid_are_exact(tmp_path: Path) -> None:
    maker, models = figure()
    maker.objects = [n for n in maker.objects if n.name != b"AnimationStack"]
    rows = maker.rows({"LocalStart": round(0.0123 * TICKS), "LocalStop": round(1.99 * TICKS)})
    maker.link(models["walk"], maker.add(b"AnimationStack", "walk", "", [rows]))
    motion = retime.read(maker.write(tmp_path / "a.fbx"))
    assert motion.domain == pytest.approx((0.0123, 1.99))
    truth = evaluated(tmp_path / "a.fbx", motion.times)
    assert np.abs(motion.translations["Spine"] - 100 * truth["Spine"][:, :3]).max() < 1e-3
    assert quat.angle(motion.rotations[:, 1], truth["Hips"][:, 3:7]).max() < 1e-5


@pytest.mark.parametrize(
    ("settings", "fps", "up", "metres"),
    [
        ({"TimeMode": 11}, 24.0, "Y", 0.01),
        ({"TimeMode": 9}, 30 / 1.001, "Y", 0.01),
        ({"TimeMode": 10, "UpAxis": 2}, 25.0, "Z", 0.01),
        ({"TimeMode": 14, "CustomFrameRate": 12.5, "UnitScaleFactor": 100.0}, 12.5, "Y", 1.0),
        ({"TimeMode": 1, "UnitScaleFactor": 2.54}, 120.0, "Y", 0.0254),
    ],
)
def test_rate_unit_and_axis_are_the_file_s(
    tmp_path: Path, settings: dict[str, Any], fps: float, up: str, metres: float
) -> None:
    motion = retime.read(figure(**settings)[0].write(tmp_path / "a.fbx"))
    assert motion.fps == pytest.approx(fps)
    assert motion.units.up == up
    assert motion.units.metres == pytest.approx(metres)
    assert motion.units.how == "declared"
    assert motion.duration == pytest.approx(2.0)


def test_an_odd_up_axis_is_turned(tmp_path: Path) -> None:
    path = figure(UpAxis=0, UpAxisSign=1)[0].write(tmp_path / "a.fbx")
    motion, plain = retime.read(path), retime.read(figure()[0].write(tmp_path / "b.fbx"))
    assert any("turned to Y" in note for note in motion.notes)
    turn = quat.between(np.array([1.0, 0, 0]), np.array([0.0, 1, 0]))
    assert (
        quat.angle(motion.rotations[:, 0], quat.multiply(turn, plain.rotations[0, 0])).max() < 1e-9
    )
    # Edited poses are turned back on the way out.
    path = tmp_path / "c.fbx"
    retime.write(nodding(motion, "Rig"), path)
    again = retime.read(path)
    assert quat.angle(again.rotations[:, 0], nodding(motion, "Rig").rotations[:, 0]).max() < 1e-4


def test_without_a_time_mode_keys_tell_the_rate(tmp_path: Path) -> None:
    maker, _ = figure(TimeMode=0)
    assert retime.read(maker.write(tmp_path / "a.fbx")).fps == 30.0  # 0.9 s is frame 27
    motion = retime.read(maker.write(tmp_path / "a.fbx"), fps=60)
    assert motion.fps == 60.0


def test_keys_between_frames_are_said(tmp_path: Path) -> None:
    maker = Maker(TimeMode=11)
    bone = maker.model("A")
    times = np.arange(0, 241) / 120
    maker.animate(maker.stack("a", 0, 2), bone, "Lcl Rotation", times, np.tile(times[:, None], 3))
    motion = retime.read(maker.write(tmp_path / "a.fbx"))
    assert motion.fps == 24.0
    assert any("the file also has keys on frames of 120 fps" in note for note in motion.notes)


def test_a_stack_without_a_span_has_that_of_its_keys(tmp_path: Path) -> None:
    maker = Maker()
    bone = maker.model("A")
    layer = maker.stack("a", 0, 0, spans=False)
    maker.animate(layer, bone, "Lcl Rotation", [1, 3], [[0, 0, 0], [90, 0, 0]])
    path = maker.write(tmp_path / "a.fbx")
    motion = retime.read(path)
    assert motion.domain == (1.0, 3.0)
    retime.write(apply(motion, TimeWarp([1, 2], [1, 3])), tmp_path / "b.fbx")
    assert retime.read(tmp_path / "b.fbx").domain == (1.0, 2.0)


# ---- retiming in place


def nodes_of(path: Path) -> tuple[Node, ...]:
    return parse(path.read_bytes()).nodes


ANIMATION = (b"AnimationCurve", b"AnimationStack")


def flat(node: Node) -> Any:
    return node.name, node.count, bytes(node.properties), [flat(c) for c in node.children]


def all_but_animation(path: Path) -> list[Any]:
    """Return every byte that retiming must not touch, whatever its place."""
    out: list[Any] = []
    for node in nodes_of(path):
        if node.name == b"Objects":
            out += [flat(c) for c in node.children if c.name not in ANIMATION]
        elif node.name not in (b"Takes", b"GlobalSettings"):
            out.append(flat(node))
    return out


def test_an_identity_changes_nothing(walk_fbx: Path, tmp_path: Path) -> None:
    retime.write(retime.read(walk_fbx), tmp_path / "a.fbx")
    assert (tmp_path / "a.fbx").read_bytes() == walk_fbx.read_bytes()


@pytest.mark.parametrize(
    ("version", "name"), [*((7400, name) for name in WARPS), *((v, "bend") for v in VERSIONS)]
)
def test_poses_stand_at_warped_times(tmp_path: Path, version: int, name: str) -> None:
    warp, path, out = WARPS[name], tmp_path / "a.fbx", tmp_path / "b.fbx"
    figure(version)[0].write(path)
    motion = retime.read(path)
    retime.write(apply(motion, warp, exact=True), out)
    t = between_jumps(warp)
    assert differ(evaluated(path, warp(t)), evaluated(out, t)) < CLOSE
    assert all_but_animation(path) == all_but_animation(out)
    again = retime.read(out)
    assert again.domain == pytest.approx(warp.domain, abs=1e-6)


def test_the_footer_moves_with_the_nodes(walk_fbx: Path, tmp_path: Path) -> None:
    motion = retime.read(walk_fbx)
    retime.write(apply(motion, WARPS["bend"]), tmp_path / "a.fbx")
    for path in (walk_fbx, tmp_path / "a.fbx"):
        data = path.read_bytes()
        assert data.endswith(bytes.fromhex("f85a8c6adef5d97eece90ce3758f290b"))
        assert struct.unpack_from("<I", data, len(data) - 140)[0] == 7400
        assert (len(data) - 140) % 16 == 0


def test_a_stretch_adds_no_keys_and_keeps_flags(walk_fbx: Path, tmp_path: Path) -> None:
    retime.write(apply(retime.read(walk_fbx), WARPS["stretch"], exact=True), tmp_path / "a.fbx")
    before, after = curves_of(walk_fbx), curves_of(tmp_path / "a.fbx")
    assert before.keys() == after.keys()
    for number, curve in before.items():
        new = after[number]
        assert np.array_equal(new.values, curve.values)
        assert np.array_equal(new.flags, curve.flags)
        assert np.abs(new.ticks / TICKS - 1.37 * curve.ticks / TICKS).max() < 1e-9


def test_few_keys_stay_few(walk_fbx: Path, tmp_path: Path) -> None:
    """A smooth warp of many knots bends cubics; it does not fill them with keys."""
    x = np.linspace(0, 1, 2000)
    smooth = TimeWarp(2 * x, 2 * (x + 0.05 * np.sin(np.pi * x) ** 2))
    retime.write(apply(retime.read(walk_fbx), smooth, exact=True), tmp_path / "a.fbx")
    t = between_jumps(smooth)
    assert differ(evaluated(walk_fbx, smooth(t)), evaluated(tmp_path / "a.fbx", t)) < CLOSE
    assert max(len(c.ticks) for c in curves_of(tmp_path / "a.fbx").values()) < 80


def test_steps_stay_steps(tmp_path: Path) -> None:
    maker = Maker()
    bone = maker.model("A")
    layer, times = maker.stack("a", 0, 2), [0, 0.5, 1.0, 2.0]
    table = np.array([[0, 0, 0], [10, 20, 30], [40, 50, 60], [70, 80, 90]])
    maker.animate(layer, bone, "Lcl Rotation", times, table, flags=CONSTANT)
    path = maker.write(tmp_path / "a.fbx")
    for name in ("bend", "bent back"):
        warp, out = WARPS[name], tmp_path / "b.fbx"
        retime.write(apply(retime.read(path), warp, exact=True), out)
        curves = curves_of(out)
        assert all(
            (c.segments.mode & CONSTANT).all() and len(c.ticks) == 4 for c in curves.values()
        )
        t = np.linspace(*warp.domain, 301)
        t = t[np.abs(warp(t)[:, None] - np.array(times)).min(axis=1) > 1e-3]
        assert differ(evaluated(path, warp(t)), evaluated(out, t)) < 1e-6


def test_each_joint_follows_its_own_channel(walk_fbx: Path, tmp_path: Path) -> None:
    early = TimeWarp([0, 2], [0, 2], channels={"Head": ([0, 1.5, 2], [0, 1.8, 2])})
    retime.write(apply(retime.read(walk_fbx), early), tmp_path / "a.fbx")
    t = between_jumps(early)
    t = t[np.abs(early(t, "Head")[:, None] - np.array(STEPS)).min(axis=1) > 1e-3]
    found = evaluated(tmp_path / "a.fbx", t)
    body, head = evaluated(walk_fbx, t), evaluated(walk_fbx, early(t, "Head"))
    assert differ(body | {"Head": head["Head"]}, found) < 1e-4


def test_the_translation_of_a_root_has_its_own_channel(tmp_path: Path) -> None:
    maker = Maker()
    bone = maker.model("A")
    layer, table = maker.stack("a", 0, 2), [[0, 0, 0], [90, 45, 30]]
    maker.animate(layer, bone, "Lcl Rotation", [0, 2], table)
    maker.animate(layer, bone, "Lcl Translation", [0, 2], table)
    path, out = maker.write(tmp_path / "a.fbx"), tmp_path / "b.fbx"
    warp = TimeWarp([0, 2], [0, 2], channels={"A:translation": ([0, 1, 2], [0, 0.3, 2])})
    retime.write(apply(retime.read(path), warp), out)
    t = np.linspace(0, 2, 41)
    found, turned = evaluated(out, t)["A"], evaluated(path, t)["A"]
    moved = evaluated(path, warp(t, "A:translation"))["A"]
    assert quat.angle(found[:, 3:7], turned[:, 3:7]).max() < 1e-5
    assert np.abs(found[:, :3] - moved[:, :3]).max() < 1e-4


def test_keys_outside_the_span_keep_their_distance(tmp_path: Path) -> None:
    maker = Maker()
    bone = maker.model("A")
    times = [-1.0, 0.0, 2.0, 5.0]
    table = np.array([[0.0, 0, 0], [10, 0, 0], [50, 0, 0], [0, 0, 0]])
    maker.animate(maker.stack("a", 0, 2), bone, "Lcl Rotation", times, table)
    path = maker.write(tmp_path / "a.fbx")
    retime.write(apply(retime.read(path), TimeWarp([0, 4], [0, 2])), tmp_path / "b.fbx")
    curve = next(iter(curves_of(tmp_path / "b.fbx").values()))
    assert (curve.ticks / TICKS).tolist() == pytest.approx([-1, 0, 4, 7])
    retime.write(apply(retime.read(path), TimeWarp([0, 4], [0.5, 1.5])), tmp_path / "c.fbx")
    curve = next(iter(curves_of(tmp_path / "c.fbx").values()))
    assert (curve.ticks / TICKS).tolist() == pytest.approx([0, 4])


def spans_of(path: Path, stack: int = 0) -> list[Any]:
    document = load(path)
    rows = property_rows(document.of_kind(b"AnimationStack")[stack].node)
    takes = document.top(b"Takes")
    assert takes is not None
    take = list(takes.named(b"Take"))[stack]
    found = [rows[n][0] for n in ("LocalStart", "LocalStop", "ReferenceStart", "ReferenceStop")]
    for name in (b"LocalTime", b"ReferenceTime"):
        node = take.child(name)
        assert node is not None
        found += values(node)
    return [
        *found,
        *(document.settings.get(n, [None])[0] for n in ("TimeSpanStart", "TimeSpanStop")),
    ]


def test_spans_follow(tmp_path: Path) -> None:
    maker, _ = figure(TimeSpanStart=0, TimeSpanStop=2 * TICKS)
    path = maker.write(tmp_path / "a.fbx")
    warp = TimeWarp([1, 4], [0, 2])
    retime.write(apply(retime.read(path), warp), tmp_path / "b.fbx")
    assert spans_of(tmp_path / "b.fbx") == [TICKS, 4 * TICKS] * 5
    maker, _ = figure(TimeSpanStart=0, TimeSpanStop=9 * TICKS)  # the scene's, not the clip's
    retime.write(apply(retime.read(maker.write(path)), warp), tmp_path / "b.fbx")
    assert spans_of(tmp_path / "b.fbx")[-2:] == [0, 9 * TICKS]


def test_morphs_and_cameras_follow_the_root(tmp_path: Path) -> None:
    maker, models = figure()
    lens = maker.model("Camera", 0, "Camera")
    moved = maker.curve([0, 1, 2], [0, 10, 5])
    maker.drive(models["walk"], lens, "Lcl Translation", {"d|X": moved})
    morph = maker.add(b"Deformer", "Smile", "BlendShapeChannel")
    shown = maker.curve([0, 1, 2], [0, 100, 0])
    maker.drive(models["walk"], morph, "DeformPercent", {"d|DeformPercent": shown})
    path = maker.write(tmp_path / "a.fbx")
    motion = retime.read(path)
    assert "Camera" not in motion.skeleton.names
    channels = {"Rig:translation": ([0, 2], [0, 1])}
    retime.write(apply(motion, TimeWarp([0, 2], [0, 2], channels=channels)), tmp_path / "b.fbx")
    after = curves_of(tmp_path / "b.fbx")
    for number, half in ((moved, 10), (shown, 100)):
        curve = after[number]
        assert curve.at(np.array([1.0, 2.0]), TICKS) == pytest.approx([half / 2, half])


def test_a_curve_that_goes_round_does_so_retimed(tmp_path: Path) -> None:
    maker = Maker()
    bone = maker.model("A")
    layer, tree = maker.stack("a", 0, 4), maker.tree
    goes_on = {}
    for mode in "RAMK":
        kind = tree.node(b"Type", [real(ord(mode), "I")])
        more = [
            tree.node(b"Post-Extrapolation", (), [kind, tree.node(b"Repetition", [real(-1, "I")])])
        ]
        goes_on[mode] = maker.curve([0, 1], [0, 30], more=more)
    maker.drive(
        layer, bone, "Lcl Rotation", {"d|X": goes_on["R"], "d|Y": goes_on["A"], "d|Z": goes_on["M"]}
    )
    maker.drive(layer, bone, "Lcl Translation", {"d|X": goes_on["K"]})
    path, out = maker.write(tmp_path / "a.fbx"), tmp_path / "b.fbx"
    motion = retime.read(path)
    t = motion.times
    inner = t % 1
    swing = np.where(np.floor(t) % 2 == 0, inner, 1 - inner)
    degrees = 30 * np.stack([inner, t, swing], axis=1)
    far = np.abs(t - np.round(t)) > 1e-6
    assert quat.angle(motion.rotations[far, 0], euler(degrees[far], "XYZ")).max() < 1e-5
    assert np.abs(motion.translations["A"][:, 0] - 30 * t).max() < 1e-4
    warp = TimeWarp([0, 2], [0, 4])
    retime.write(apply(motion, warp), out)
    again = retime.read(out, fps=60)
    assert quat.angle(again.rotations[far, 0], motion.rotations[far, 0]).max() < 1e-4
    assert np.abs(again.translations["A"] - motion.translations["A"]).max() < 1e-3
    found = evaluated(out, motion.times[far] / 2)["A"]
    assert quat.angle(found[:, 3:7], motion.rotations[far, 0]).max() < 1e-4


# ---- several animations


def test_only_the_chosen_stack_changes(tmp_path: Path) -> None:
    maker, models = figure()
    clip(maker, models, "jump", 2)
    path, out = maker.write(tmp_path / "a.fbx"), tmp_path / "b.fbx"
    assert [c["name"] for c in contents(path)] == ["walk", "jump"]
    motion = retime.read(path, animation="jump")
    retime.write(apply(motion, WARPS["bend"], exact=True), out)
    t = between_jumps(WARPS["bend"])
    assert differ(evaluated(path, t, 0), evaluated(out, t, 0)) < 1e-12
    assert differ(evaluated(path, WARPS["bend"](t), 1), evaluated(out, t, 1)) < CLOSE
    assert spans_of(path, 0) == spans_of(out, 0)
    assert any("the others: jump" in n for n in retime.read(path).notes)
    assert quat.angle(retime.read(path, animation=1).rotations, motion.rotations).max() == 0
    with pytest.raises(InputError, match="there are: walk, jump"):
        retime.read(path, animation="Run")


def test_all_stacks_go_back_into_one_file(tmp_path: Path) -> None:
    maker, models = figure()
    clip(maker, models, "jump", 2)
    path, out = maker.write(tmp_path / "a.fbx"), tmp_path / "b.fbx"
    motions = retime.io.read_all(path)
    warps = [WARPS["stretch"], WARPS["hold"]]
    write_motions([apply(m, w, exact=True) for m, w in zip(motions, warps, strict=True)], out)
    for n, warp in enumerate(warps):
        t = between_jumps(warp)
        assert differ(evaluated(path, warp(t), n), evaluated(out, t, n)) < 1e-4
        assert contents(out)[n]["duration_s"] == pytest.approx(warp.duration)


def test_a_curve_that_two_stacks_share_is_copied(tmp_path: Path) -> None:
    maker = Maker()
    bone = maker.model("A")
    shared = maker.curve([0, 1, 2], [0, 40, 10])
    for name in ("one", "two"):
        maker.drive(maker.stack(name, 0, 2), bone, "Lcl Rotation", {"d|X": shared})
    path, out = maker.write(tmp_path / "a.fbx"), tmp_path / "b.fbx"
    warp = TimeWarp([0, 3], [0, 2])
    retime.write(apply(retime.read(path, animation="two"), warp), out)
    t = np.linspace(0, 3, 61)
    assert differ(evaluated(path, t, 0), evaluated(out, t, 0)) < 1e-9
    assert differ(evaluated(path, warp(t), 1), evaluated(out, t, 1)) < 1e-5


def test_a_curve_that_two_joints_share_is_copied_where_their_times_differ(tmp_path: Path) -> None:
    maker = Maker()
    one = maker.model("A")
    other = maker.model("B", one)
    shared, layer = maker.curve([0, 1, 2], [0, 40, 10]), maker.stack("a", 0, 2)
    for bone in (one, other):
        maker.drive(layer, bone, "Lcl Rotation", {"d|X": shared})
    path, out = maker.write(tmp_path / "a.fbx"), tmp_path / "b.fbx"
    warp = TimeWarp([0, 2], [0, 2], channels={"B": ([0, 1, 2], [0, 0.5, 2])})
    retime.write(apply(retime.read(path), warp), out)
    t = np.linspace(0, 2, 41)
    found, before = evaluated(out, t), evaluated(path, t)
    assert differ({"A": found["A"]}, {"A": before["A"]}) < 1e-5
    assert differ({"B": found["B"]}, {"B": evaluated(path, warp(t, "B"))["B"]}) < 1e-5


def test_a_shared_layer_is_refused(tmp_path: Path) -> None:
    maker, _ = figure()
    other = maker.add(b"AnimationStack", "copy", "", [maker.rows({"LocalStop": 2 * TICKS})])
    layer = next(n for n in (1000 + k for k in range(200)) if n == figure()[1]["walk"])
    maker.link(layer, other)
    path = maker.write(tmp_path / "a.fbx")
    with pytest.raises(InputError, match="shares its curves with 'copy'"):
        retime.write(apply(retime.read(path), WARPS["stretch"]), tmp_path / "b.fbx")
    assert not (tmp_path / "b.fbx").exists()


def test_layers_are_retimed_together(tmp_path: Path) -> None:
    maker, models = figure()
    stack = models["walk"] - 1
    for seed, properties in ((3, {"BlendMode": 0}), (4, {"BlendMode": 2, "Weight": 40.0})):
        layer = maker.layer(stack, f"layer {seed}", **properties)
        table = 20 * np.random.default_rng(seed).normal(size=(3, 3))
        maker.animate(layer, models["Head"], "Lcl Rotation", [0, 1, 2], table, flags=CUBIC | AUTO)
        fade = maker.curve([0, 2], [10, 90])
        maker.drive(layer, layer, "Weight", {"d|Weight": fade})
    path, out = maker.write(tmp_path / "a.fbx"), tmp_path / "b.fbx"
    motion = retime.read(path)
    assert any("3 layers" in n for n in motion.notes)
    truth = evaluated(path, motion.times)["Head"]
    far = np.abs(motion.times[:, None] - np.array(STEPS)).min(axis=1) > 1e-3
    assert quat.angle(motion.rotations[far, 3], truth[far, 3:7]).max() < 1e-5
    warp = WARPS["bend"]
    retime.write(apply(motion, warp, exact=True), out)
    t = between_jumps(warp)
    assert differ(evaluated(path, warp(t)), evaluated(out, t)) < CLOSE
    # A pose of its own goes into the base layer, and the others leave the joint alone.
    retime.write(nodding(motion, "Head"), out)
    again = retime.read(out)
    assert quat.angle(again.rotations[far], nodding(motion, "Head").rotations[far]).max() < 1e-4


# ---- edited poses


def nodding(motion: Motion, *names: str) -> Motion:
    """Turn joints by some more."""
    rotations = motion.rotations.copy()
    for name in names:
        j = motion.skeleton.index(name)
        more = quat.exp(0.4 * np.sin(3 * motion.times)[:, None] * np.array([[1.0, 0.5, -0.3]]))
        rotations[:, j] = quat.multiply(rotations[:, j], more)
    return replace(motion, rotations=rotations)


@pytest.mark.parametrize("name", ["Rig", "Hips", "Spine", "Head"])
@pytest.mark.parametrize("version", [7400, 7700])
def test_edited_joints_are_baked(tmp_path: Path, name: str, version: int) -> None:
    path, out = figure(version)[0].write(tmp_path / "a.fbx"), tmp_path / "b.fbx"
    motion = apply(retime.read(path), WARPS["hold"], exact=True)
    wanted = nodding(motion, name)
    retime.write(wanted, out)
    again = retime.read(out)
    assert np.abs(again.times - wanted.times).max() < 1e-6
    j = motion.skeleton.index(name)
    assert quat.angle(again.rotations[:, j], wanted.rotations[:, j]).max() < 1e-4
    if name == "Spine":  # whose pivots move it when it turns
        off = np.abs(again.translations[name] - wanted.translations[name])
        assert off.max() < 1e-2  # of 100 cm
    t, truth = between_jumps(WARPS["hold"]), WARPS["hold"]
    others = evaluated(out, t)
    del others[name]
    before = evaluated(path, truth(t))
    del before[name]
    assert differ(before, others) < 1e-4


def test_a_joint_without_curves_gets_them(walk_fbx: Path, tmp_path: Path) -> None:
    motion = retime.read(walk_fbx)
    place = np.array([[0.0, 30.0, 0.0]]) + np.sin(motion.times)[:, None] * [[5.0, 3.0, 1.0]]
    edited = replace(nodding(motion, "Rig"), translations={**motion.translations, "Head": place})
    retime.write(edited, tmp_path / "b.fbx")
    again = retime.read(tmp_path / "b.fbx")
    assert quat.angle(again.rotations, edited.rotations).max() < 1e-4
    assert np.abs(again.translations["Head"] - place).max() < 1e-3
    found = evaluated(tmp_path / "b.fbx", motion.times)["Rig"]
    assert quat.angle(found[:, 3:7], edited.rotations[:, 0]).max() < 1e-4
    kinds = [t.kind for t in load(tmp_path / "b.fbx").objects.values()]
    before = [t.kind for t in load(walk_fbx).objects.values()]
    assert kinds.count(b"AnimationCurveNode") == before.count(b"AnimationCurveNode") + 2
    assert kinds.count(b"AnimationCurve") == before.count(b"AnimationCurve") + 6


@pytest.mark.parametrize("order", range(6))
def test_every_rotation_order_is_written(tmp_path: Path, order: int) -> None:
    maker = Maker()
    bone = maker.model("A", RotationOrder=order, PreRotation=[30.0, -20.0, 70.0], RotationActive=1)
    table = [[0, 0, 0], [170, 89.9, -40], [-100, -90, 200]]  # through the lock, too
    maker.animate(maker.stack("a", 0, 2), bone, "Lcl Rotation", [0, 1, 2], table)
    path = maker.write(tmp_path / "a.fbx")
    edited = nodding(retime.read(path), "A")
    retime.write(edited, tmp_path / "b.fbx")
    assert quat.angle(retime.read(tmp_path / "b.fbx").rotations, edited.rotations).max() < 1e-4
    curves = curves_of(tmp_path / "b.fbx").values()
    assert max(np.abs(np.diff(c.values)).max() for c in curves) < 180  # no turn the long way


def test_a_spheric_joint_is_retimed_but_not_edited(tmp_path: Path) -> None:
    maker = Maker()
    bone = maker.model("A", RotationOrder=6)
    maker.animate(maker.stack("a", 0, 2), bone, "Lcl Rotation", [0, 2], [[0, 0, 0], [50, 0, 0]])
    path = maker.write(tmp_path / "a.fbx")
    motion = retime.read(path)
    retime.write(apply(motion, WARPS["stretch"]), tmp_path / "b.fbx")
    with pytest.raises(InputError, match="'A' was edited"):
        retime.write(nodding(motion, "A"), tmp_path / "c.fbx")


def test_a_cycle_beyond_the_clip_is_sampled(tmp_path: Path) -> None:
    maker = Maker()
    bone = maker.model("A")
    layer, times = maker.stack("a", 0, 2), np.linspace(0, 2, 61)
    table = np.stack([30 * np.sin(np.pi * times)] * 3, axis=1)
    maker.animate(layer, bone, "Lcl Rotation", times, table)
    path = maker.write(tmp_path / "a.fbx")
    warp = TimeWarp([0, 4], [0, 4], loop=True)
    looped = apply(retime.read(path), warp, loop=True)
    retime.write(looped, tmp_path / "b.fbx")
    again = retime.read(tmp_path / "b.fbx")
    assert again.domain == pytest.approx((0, 4))
    assert quat.angle(again.rotations, looped.rotations).max() < 1e-4


def test_writing_does_not_change_what_was_read(walk_fbx: Path, tmp_path: Path) -> None:
    slow = apply(retime.read(walk_fbx), WARPS["bend"])
    for name in "ab":
        retime.write(slow, tmp_path / f"{name}.fbx")
    assert (tmp_path / "a.fbx").read_bytes() == (tmp_path / "b.fbx").read_bytes()


def test_a_motion_goes_to_another_process_and_back(walk_fbx: Path, tmp_path: Path) -> None:
    motion = retime.read(walk_fbx)
    copy = pickle.loads(pickle.dumps(motion))
    for one, name in ((motion, "a"), (copy, "b")):
        retime.write(apply(one, WARPS["bend"]), tmp_path / f"{name}.fbx")
    assert (tmp_path / "a.fbx").read_bytes() == (tmp_path / "b.fbx").read_bytes()


def test_times_that_cannot_be_counted_are_refused(walk_fbx: Path, tmp_path: Path) -> None:
    late = apply(retime.read(walk_fbx), TimeWarp([1e9, 1e9 + 2], [0, 2]))
    with pytest.raises(InputError, match="too large for FBX"):
        retime.write(late, tmp_path / "a.fbx")


def test_retiming_twice_bakes_nothing(walk_fbx: Path, tmp_path: Path) -> None:
    motion = retime.read(walk_fbx)
    twice = apply(
        apply(motion, WARPS["stretch"], exact=True), TimeWarp([0, 2], [0, 2.74]), exact=True
    )
    retime.write(twice, tmp_path / "a.fbx")
    after = curves_of(tmp_path / "a.fbx")
    assert all(len(after[n].ticks) == len(c.ticks) for n, c in curves_of(walk_fbx).items())


# ---- the command line


def test_from_the_command_line(run: Any, walk_fbx: Path, tmp_path: Path) -> None:
    status, out, _ = run("info", walk_fbx, "--json")
    assert status == 0
    found = json.loads(out)
    assert found["format"] == "fbx"
    assert found["animations"][0] | {"channels": 0} == {
        "name": "walk", "start_s": 0.0, "duration_s": 2.0, "fps": 30.0, "channels": 0, "layers": 1,
        "moves": ["rotation", "scale", "translation"],
        "interpolation": ["constant", "cubic", "linear"],
    }  # fmt: skip
    assert run("convert", walk_fbx, tmp_path / "a.bvh")[0] == 0
    assert retime.read(tmp_path / "a.bvh").duration == pytest.approx(2.0, abs=1e-4)
    assert run("convert", walk_fbx, tmp_path / "a.glb")[0] == 0
    for name, arguments in {
        "guided": ["guided", "--duration", "1.3"],
        "apply": ["apply", "--duration", "1.3", "--animation", "walk"],
        "all": ["apply", "--duration", "1.3", "--animation", "all"],
    }.items():
        command, *options = arguments
        target = tmp_path / f"{name}.fbx"
        status, out, err = run(command, walk_fbx, target, *options)
        assert status == 0, err
        assert contents(target)[0]["duration_s"] == pytest.approx(1.3)
    status, _, err = run(
        "apply", walk_fbx, tmp_path / "p.fbx", "--duration", "1", "--animation", "x"
    )
    assert status == 2
    assert "there are: walk" in err
    assert not (tmp_path / "p.fbx").exists()


def test_other_motions_are_not_written_as_fbx(run: Any, jump_file: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"retimed in place.*\.bvh"):
        retime.write(samples.walk(), tmp_path / "a.fbx")
    status, _, err = run("convert", jump_file, tmp_path / "a.fbx")
    assert status == 2
    assert "retimed in place" in err
    assert not (tmp_path / "a.fbx").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ["guided", "--duration", "2.1", "--hold"],
        ["surface", "--at", "1", "--joint", "LeftHand", "--shift", "-0.1"],
        ["stagger", "--succession", "RightArm:0.03:1.5"],
    ],
)
def test_methods_give_fbx_what_they_give_npz(
    run: Any, tmp_path: Path, arguments: list[str]
) -> None:
    """The same clip, as FBX and as retime's own: joints stand in the same places."""
    path = made_of(samples.walk()).write(tmp_path / "walk.fbx")
    clip = retime.read(path)
    assert np.abs(retime.positions(clip) - retime.positions(samples.walk())).max() < 1e-4
    command, *options = arguments
    assert run(command, path, tmp_path / "out.fbx", *options)[0] == 0
    assert run(command, path, tmp_path / "out.npz", *options, "--exact")[0] == 0
    wanted, found = retime.read(tmp_path / "out.npz"), retime.read(tmp_path / "out.fbx")
    assert found.duration == pytest.approx(wanted.duration, abs=1e-6)
    t = np.linspace(*wanted.domain, 60)
    one, other = (
        retime.positions(apply(m, TimeWarp.identity(*m.domain), times=t)) for m in (wanted, found)
    )
    assert np.abs(one - other).max() < 5e-3  # metres, both between frames of their own


# ---- bad input


def top(*nodes: Node, version: int = 7400) -> bytes:
    return b"".join(write(empty_tree(version), nodes))


def nested(depth: int) -> bytes:
    tree = empty_tree(7400)
    node = tree.node(b"A")
    for _ in range(depth):
        node = tree.node(b"A", (), [node])
    return top(node)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "empty"),
        (b"; FBX 7.3.0 project file\n; ----\n\nFBXHeaderExtension:  {\n", "no FBXVersion"),
        (b"; FBX 7.3.0\nFBXHeaderExtension:  {\n FBXVersion: 7300\n", "line 2: the braces of"),
        (b"; FBX 7.3.0\nFBXVersion: 7300\n }}", "line 3|no animation"),
        (b"; FBX 7.3.0\nFBXVersion: 7300\n ?: 3", "line 3: expected a node's name"),
        (b"; FBX 9.3.0\nFBXVersion: 9300\n", "newer than"),
        (b"glTF" + bytes(100), "not an FBX file"),
        (b"Kaydara FBX Binary  \x00\x1a\x00", "within its header"),
        (b"Kaydara FBX Binary  \x00\x1a\x01" + bytes(40), "big-endian"),
        (
            b"Kaydara FBX Binary  \x00\x1a\x00" + struct.pack("<I", 5000) + bytes(90),
            "5.0 is too old",
        ),
        (b"Kaydara FBX Binary  \x00\x1a\x00" + struct.pack("<I", 9000) + bytes(90), "newer than"),
        (
            b"Kaydara FBX Binary  \x00\x1a\x00" + struct.pack("<I", 7400) + bytes(5),
            "within its nodes",
        ),
        (top(), "no animation"),
        (nested(500), "deep"),
    ],
)
def test_other_files_get_a_sentence(tmp_path: Path, data: bytes, says: str) -> None:
    path = tmp_path / "a.fbx"
    path.write_bytes(data)
    with pytest.raises(FormatError, match=says):
        retime.read(path)


def lying(kind: str, count: int, encoding: int, payload: bytes) -> bytes:
    return kind.encode() + struct.pack("<III", count, encoding, len(payload)) + payload


BOMB = zlib.compress(bytes(1 << 24), 9)


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        (b"KeyTime", lying("l", 0xFFFFFFF, 1, BOMB), "too much"),
        (b"KeyTime", lying("l", 0x7FFFFFF, 1, b"x" * 90), "cannot hold"),
        (b"KeyTime", lying("l", 5, 1, BOMB), "has 41 bytes, expected 40"),
        (b"KeyTime", lying("l", 1 << 22, 1, BOMB), "cannot hold"),
        (b"KeyTime", lying("l", 2_000_000, 1, BOMB), "expected 16000000"),
        (b"KeyTime", lying("l", 5, 1, b"not zlib at all, sir"), "cannot be unpacked"),
        (b"KeyTime", lying("l", 5, 7, bytes(40)), "unknown way"),
        (b"KeyTime", lying("l", 500, 0, bytes(40)), "does not fit"),
        (b"KeyTime", packed("l", [5, 4, 3, 2, 1]), "do not rise"),
        (b"KeyTime", packed("d", [np.nan] * 5), "not whole numbers"),
        (b"KeyTime", packed("l", [1, 2]), "2 times and 5 values"),
        (b"KeyTime", text(b"0,1,2"), "has no array"),
        (b"KeyValueFloat", packed("f", [0, 1, np.nan, 3, 4]), "not all finite"),
        (b"KeyAttrFlags", packed("i", [4, 4]), "do not go together"),
        (b"KeyAttrRefCount", packed("i", [1, 1, 1, 1, 0]), "not those of 5 keys"),
        (b"KeyAttrRefCount", packed("i", [1, 1, -1, 1, 9]), "not those of 5 keys"),
        (b"KeyTime", b"?what", "unknown type"),
    ],
)
def test_lies_about_keys_get_a_sentence(
    tmp_path: Path, name: bytes, content: bytes, says: str
) -> None:
    maker, _ = figure()
    at = next(n for n, node in enumerate(maker.objects) if node.name == b"AnimationCurve")
    tree, node = maker.tree, maker.objects[at]
    children = [tree.with_properties(c, [content]) if c.name == name else c for c in node.children]
    maker.objects[at] = tree.with_children(node, children)
    with pytest.raises(FormatError, match=says):
        retime.read(maker.write(tmp_path / "a.fbx"))


@pytest.mark.parametrize("flags", [CUBIC | USER | BROKEN, CUBIC | AUTO, CUBIC | TCB, LINEAR])
@pytest.mark.parametrize("size", [1e30, 3e38])
def test_numbers_at_the_edge_are_held_or_refused(tmp_path: Path, flags: int, size: float) -> None:
    maker = Maker()
    table = [[0, 0, 0], [size, 0, 0], [-size, 0, 0]]
    maker.animate(
        maker.stack("a", 0, 2), maker.model("A"), "Lcl Translation", [0, 1, 2], table,
        flags=flags, data=[size, -size, 0, 0],
    )  # fmt: skip
    try:
        motion = retime.read(maker.write(tmp_path / "a.fbx"))
        retime.write(apply(motion, WARPS["bend"]), tmp_path / "b.fbx")
    except RetimeError:
        return
    assert all(np.isfinite(c.values).all() for c in curves_of(tmp_path / "b.fbx").values())


def test_a_clip_without_length_gets_a_sentence(tmp_path: Path) -> None:
    maker = Maker()
    bone = maker.model("A")
    maker.animate(maker.stack("still", 1, 1), bone, "Lcl Rotation", [1], [[0, 0, 0]])
    with pytest.raises(FormatError, match="'still' has no length"):
        retime.read(maker.write(tmp_path / "a.fbx"))


def test_an_endless_clip_is_refused(tmp_path: Path) -> None:
    maker = Maker()
    bone = maker.model("A")
    maker.animate(maker.stack("a", 0, 9e7), bone, "Lcl Rotation", [0, 1], [[0, 0, 0], [1, 1, 1]])
    with pytest.raises(FormatError, match="more than fits"):
        retime.read(maker.write(tmp_path / "a.fbx"))


def test_models_in_a_circle_get_a_sentence(tmp_path: Path) -> None:
    maker, models = figure()
    maker.link(models["Rig"], models["Head"])
    maker.links = maker.links[1:]
    with pytest.raises(FormatError):
        retime.read(maker.write(tmp_path / "a.fbx"))


def test_two_objects_of_one_number_get_a_sentence(tmp_path: Path) -> None:
    maker, _ = figure()
    maker._next = 1000
    maker.model("Twin")
    with pytest.raises(FormatError, match="two objects have the number"):
        retime.read(maker.write(tmp_path / "a.fbx"))


def test_truncated_files_get_a_sentence(walk_fbx: Path, tmp_path: Path) -> None:
    data = walk_fbx.read_bytes()
    for size in np.linspace(0, len(data) - 400, 60).astype(int):
        (tmp_path / "a.fbx").write_bytes(data[:size])
        with pytest.raises(FormatError):
            retime.read(tmp_path / "a.fbx")


def seed_file(path: Path) -> bytes:
    """Make a small file, so that what is changed matters."""
    maker = Maker(UpAxis=1)
    one = maker.model("A")
    other = maker.model("B", one, Lcl_Translation=[0.0, 1.0, 0.0])
    layer, times = maker.stack("a", 0, 1), [0, 0.5, 1]
    table = np.arange(9.0).reshape(3, 3)
    maker.animate(layer, one, "Lcl Translation", times, table)
    maker.animate(layer, other, "Lcl Rotation", times, 9 * table, flags=CUBIC | AUTO)
    return maker.write(path).read_bytes()


def test_mutated_files_never_crash(tmp_path: Path) -> None:
    """Bytes flipped, cut and repeated, properties replaced: a sentence, or a motion."""
    rounds = ROUNDS
    draw = np.random.default_rng(7)
    data = seed_file(tmp_path / "seed.fbx")
    tree = parse(data)
    bad, read = tmp_path / "bad.fbx", 0
    for _ in range(rounds):
        if draw.integers(2):
            changed = bytearray(data)
            for _ in range(draw.integers(1, 6)):
                changed[draw.integers(len(changed))] = draw.integers(256)
            cut = draw.integers(len(changed) // 2, len(changed)) if draw.integers(5) == 0 else None
            bad.write_bytes(bytes(changed[:cut]))
        else:
            nodes = [_mutated(tree, n, draw, 0.02) for n in tree.nodes]
            bad.write_bytes(b"".join(write(empty_tree(7400), nodes)))
        try:
            motion = retime.read(bad)
            retime.write(apply(motion, TimeWarp([0, 2], [0, 1])), tmp_path / "out.fbx")
            read += 1
        except RetimeError:
            pass
    assert read > rounds // 20  # some mutants are still good files


def _mutated(tree: Any, node: Node, draw: Any, share: float) -> Node:
    """Change a tree here and there: values, order, copies, losses."""
    children = [_mutated(tree, c, draw, share) for c in node.children]
    properties = bytearray(node.properties)
    if draw.random() < share and children:
        k = int(draw.integers(len(children)))
        change: Callable[[], Any] = [
            lambda: children.pop(k),
            lambda: children.append(children[k]),
            lambda: draw.shuffle(children),
        ][int(draw.integers(3))]
        change()
    if draw.random() < share and len(properties) > 1:
        properties[int(draw.integers(1, len(properties)))] = int(draw.choice([0, 1, 127, 128, 255]))
    return tree.remade(node.name, node.count, bytes(properties), tuple(children), node.closed)  # type: ignore[no-any-return]


@pytest.mark.parametrize("ticks", [1, 2000, 100_000])
def test_a_jump_keeps_both_its_sides(ticks: int) -> None:
    per_second = 46_186_158_000
    keys = np.array([0, 10**10, 10**10 + ticks, 2 * 10**10, 4 * 10**10], dtype=np.int64)
    curve = linear_curve(keys, np.array([0.0, 10, 80, 90, 100]))
    seconds = keys[-1] / per_second
    graph = Graph(np.array([0.0, 1.7 * seconds]), np.array([0.0, seconds]))
    made = Rekeyer(graph, per_second, (0.0, 1.7 * seconds)).moved(curve, 1e-6)
    assert made.values.tolist() == [0, 10, 80, 90, 100]
    middle, jump = 0.6 * seconds, keys[1:3] / per_second
    bent = Graph(np.array([0.0, 0.3 * seconds, seconds]), np.array([0.0, middle, seconds]))
    back = Graph(np.array([0.0, seconds]), np.array([seconds, 0.0]))
    twice = Graph(np.array([0.0, seconds / 2]), np.array([0.0, seconds]))
    for graph in (bent, back, twice):
        made = Rekeyer(graph, per_second, (0.0, float(graph.x[-1]))).moved(curve, 1e-6)
        shown = np.sort(graph.swap().at(jump) if graph is not back else seconds - jump)
        around = shown + np.array([-1e-4, 1e-4])
        before, after = made.at(around, per_second)
        asked = curve.at(graph.at(around), per_second)
        assert [before, after] == pytest.approx(asked.tolist(), abs=1e-2)


def test_jumps_of_a_tick_survive_double_speed() -> None:
    per_second = 46_186_158_000
    graph = Graph(np.array([0.0, 5.0]), np.array([0.0, 10.0]))
    for frame in range(1, 200):
        tick = round(frame * per_second / 30)
        keys = np.array([0, tick - 1, tick, 10 * per_second], dtype=np.int64)
        curve = linear_curve(keys, np.array([0.0, 0, 100, 100]))
        made = Rekeyer(graph, per_second, (0.0, 5.0)).moved(curve, 1e-6)
        assert made.values.tolist() == [0, 0, 100, 100]


@pytest.mark.parametrize(
    ("axes", "left"),
    [
        ({"UpAxis": 1, "FrontAxis": 2, "CoordAxis": 0}, False),
        ({"UpAxis": 2, "FrontAxis": 1, "CoordAxis": 0, "CoordAxisSign": -1}, False),
        ({"UpAxis": 1, "FrontAxis": 2, "FrontAxisSign": -1, "CoordAxis": 0}, True),
    ],
)
def test_hands_are_told_by_all_three_axes(axes: dict[str, int], left: bool, tmp_path: Path) -> None:
    motion = retime.read(figure(**axes)[0].write(tmp_path / "a.fbx"))
    assert any("left-handed" in note for note in motion.notes) == left
