"""FBX as text: read as the binary form is, and retimed in place character by character."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import retime
from fbx_making import CUBIC, USER, Maker, as_text, differ, evaluated, made_of
from mutating import mutants
from retime import TimeWarp, apply, quat, samples
from retime.errors import RetimeError
from retime.io.fbx.tree import parse

WALK = samples.walk()[:40]


def _file(version: int = 7400) -> Maker:
    maker = made_of(WALK)
    maker.tree = type(maker.tree)(maker.tree.data, version, (), b"", 0)
    maker.mesh(1001)
    return maker


@pytest.mark.parametrize("version", [7100, 7300, 7700])
def test_text_is_read_as_its_binary_form(tmp_path: Path, version: int) -> None:
    text = retime.read(_file(version).write_text(tmp_path / "text.fbx"))
    binary = retime.read(made_of(WALK).write(tmp_path / "binary.fbx"))
    assert text.skeleton.names == binary.skeleton.names
    np.testing.assert_allclose(retime.positions(text), retime.positions(binary), atol=1e-6)
    assert text.fps == binary.fps


def test_an_identity_leaves_the_characters(tmp_path: Path) -> None:
    path = _file().write_text(tmp_path / "a.fbx")
    retime.write(retime.read(path), tmp_path / "b.fbx")
    assert (tmp_path / "b.fbx").read_bytes() == path.read_bytes()


def test_only_keys_and_spans_change(tmp_path: Path) -> None:
    path = _file().write_text(tmp_path / "a.fbx")
    motion = retime.read(path)
    warp = TimeWarp([0, 2.0], [0, motion.duration])
    retime.write(apply(motion, warp, exact=True), tmp_path / "b.fbx")
    before, after = (p.read_text().splitlines() for p in (path, tmp_path / "b.fbx"))
    kinds = ("KeyTime", "a: ", 'P: "Local', 'P: "Reference', "LocalTime", "ReferenceTime", "}")
    kept = [[x for x in lines if not x.strip().startswith(kinds)] for lines in (before, after)]
    assert kept[0] == kept[1]
    assert "; the end" in after
    again = retime.read(tmp_path / "b.fbx")
    assert again.duration == pytest.approx(2.0, abs=1e-6)
    # ufbx itself reads the text, and shows what the warp says.
    times = np.linspace(0, 2.0, 11)
    shown = evaluated(tmp_path / "b.fbx", times)
    wanted = evaluated(path, warp(times))
    assert differ(shown, wanted) < 1e-3


def test_cubic_keys_keep_their_tangents_in_text(tmp_path: Path) -> None:
    for version in (7100, 7400):
        maker = Maker(version)
        hips = maker.model("Hips")
        layer = maker.stack("swing", 0.0, 2.0)
        slopes = (30.0, -20.0, 0.0, 0.0)
        table = np.array([[0, 0, 0], [40, 5, 0], [10, 0, 3]])
        maker.animate(
            layer, hips, "Lcl Rotation", [0, 1, 2], table, flags=CUBIC | USER, data=slopes
        )
        text = maker.write_text(tmp_path / f"{version}.fbx")
        times = np.linspace(0, 2, 21)
        motion = retime.read(text, fps=10)
        judged = evaluated(text, times)["Hips"][:, 3:7]
        assert quat.angle(motion.rotations[:, 0], judged).max() < 1e-4
        slow = apply(motion, TimeWarp([0, 3], [0, 2]), exact=True)
        retime.write(slow, tmp_path / "slow.fbx")
        shown = evaluated(tmp_path / "slow.fbx", 1.5 * times)["Hips"][:, 3:7]
        assert quat.angle(shown, judged).max() < 1e-4


def test_an_edited_joint_is_baked_into_the_text(tmp_path: Path) -> None:
    path = _file().write_text(tmp_path / "a.fbx")
    motion = retime.read(path)
    turned = motion.rotations.copy()
    turned[:, 2] = quat.multiply(
        quat.from_axis_angle([1, 0, 0], np.full(len(motion), 0.4)), turned[:, 2]
    )
    edited = replace(motion, rotations=turned)
    retime.write(edited, tmp_path / "b.fbx")
    again = retime.read(tmp_path / "b.fbx")
    assert quat.angle(again.rotations[:, 2], turned[:, 2]).max() < 1e-4


def test_damaged_text_is_a_sentence(tmp_path: Path) -> None:
    maker = Maker()
    hips = maker.model("Hips")
    maker.animate(maker.stack("a", 0.0, 1.0), hips, "Lcl Rotation", [0, 1], np.eye(3)[:2])
    data = maker.write_text(tmp_path / "a.fbx").read_bytes()
    for mutant in mutants(data, seed=3):
        (tmp_path / "m.fbx").write_bytes(mutant)
        with contextlib.suppress(RetimeError):  # anything else would be a fault
            retime.read(tmp_path / "m.fbx")


def test_a_real_file_is_read_the_same_as_text(tmp_path: Path) -> None:
    source = Path(__file__).parents[3] / "shared/samples/assimp_animation_with_skeleton.fbx"
    if not source.exists():
        pytest.skip("the shared samples are not here")
    tree = parse(source.read_bytes())
    body = "".join(as_text(n, 0, tree.version) for n in tree.nodes)
    (tmp_path / "text.fbx").write_text(f"; FBX {tree.version} project file\n{body}")
    binary, text = retime.read(source), retime.read(tmp_path / "text.fbx")
    assert text.skeleton.names == binary.skeleton.names
    size = np.abs(retime.positions(binary)).max()
    off = np.abs(retime.positions(text) - retime.positions(binary)).max()
    assert off < 1e-5 * max(size, 1.0)
    slow = apply(text, TimeWarp([0, 2 * text.duration], [0, text.duration]), exact=True)
    retime.write(slow, tmp_path / "slow.fbx")
    again = retime.read(tmp_path / "slow.fbx")
    assert again.duration == pytest.approx(2 * binary.duration, abs=1e-4)
