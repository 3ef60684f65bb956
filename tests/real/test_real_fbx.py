"""FBX files of other makers, read back by ufbx and by Blender: independent readers."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import retime
from fbx_cases import CLOSE
from fbx_making import differ, evaluated
from retime import TimeWarp, apply, guided, quat
from retime.arrays import FloatArray
from retime.io.fbx import contents
from retime.io.fbx.document import load
from retime.io.fbx.tree import Node

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT.parent / "shared" / "samples" / "assimp_animation_with_skeleton.fbx"
BLENDER = ROOT / ".venv-blender" / "bin" / "python"
HELPER = ROOT / "tests" / "fbx_in_blender.py"
blender = pytest.mark.skipif(not BLENDER.exists(), reason=f"no bpy in {BLENDER.parents[1].name}")


def in_blender(*arguments: str | Path) -> None:
    command = [str(BLENDER), str(HELPER), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-2000:]


@pytest.fixture(scope="session")
def blender_fbx(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not BLENDER.exists():
        pytest.skip(f"no bpy in {BLENDER.parents[1].name}")
    path = tmp_path_factory.mktemp("fbx") / "made.fbx"
    in_blender("make", path)
    return path


@pytest.fixture(params=["assimp", "blender"])
def some_fbx(request: pytest.FixtureRequest) -> Path:
    if request.param == "assimp":
        if not SAMPLE.exists():
            pytest.skip("the shared sample files are absent")
        return SAMPLE
    path: Path = request.getfixturevalue("blender_fbx")
    return path


def bent(motion: retime.Motion) -> TimeWarp:
    a, b = motion.domain
    x = np.linspace(0, 1, 400)
    return TimeWarp(a + 1.4 * (b - a) * x, a + (b - a) * (x + 0.08 * np.sin(2 * np.pi * x)))


def flat(node: Node) -> Any:
    return node.name, node.count, bytes(node.properties), [flat(c) for c in node.children]


def untouched(path: Path) -> list[Any]:
    """Return all of a file but curves, stacks and takes."""
    document = load(path)
    out = [flat(n) for n in document.tree.nodes if n.name not in (b"Objects", b"Takes")]
    kinds = (b"AnimationCurve", b"AnimationStack")
    objects = document.top(b"Objects")
    assert objects is not None
    return [*out, *(flat(n) for n in objects.children if n.name not in kinds)]


def test_a_copy_is_the_same_file(some_fbx: Path, tmp_path: Path) -> None:
    retime.write(retime.read(some_fbx), tmp_path / "a.fbx")
    assert (tmp_path / "a.fbx").read_bytes() == some_fbx.read_bytes()


def test_poses_stand_at_warped_times(some_fbx: Path, tmp_path: Path) -> None:
    motion, out = retime.read(some_fbx), tmp_path / "a.fbx"
    truth = evaluated(some_fbx, motion.times)
    for j, name in enumerate(motion.skeleton.file_names):
        assert quat.angle(motion.rotations[:, j], truth[name][:, 3:7]).max() < 1e-6
    for warp in (
        bent(motion),
        bent(motion).reverse(),
        guided(motion, duration=0.7 * motion.duration).warp,
    ):
        retime.write(apply(motion, warp, exact=True), out)
        t = np.linspace(*warp.domain, 157)
        assert differ(evaluated(some_fbx, warp(t)), evaluated(out, t)) < CLOSE
        assert untouched(out) == untouched(some_fbx)
        assert contents(out)[0]["duration_s"] == pytest.approx(warp.duration)


def looked_at(path: Path, times: FloatArray, target: Path) -> dict[str, Any]:
    in_blender("look", path, json.dumps(times.tolist()), target)
    with np.load(target) as found:
        return dict(found)


@blender
def test_blender_sees_the_same_poses_and_mesh(blender_fbx: Path, tmp_path: Path) -> None:
    motion, out = retime.read(blender_fbx, animation="Walk"), tmp_path / "a.fbx"
    warp = bent(motion)
    retime.write(apply(motion, warp, exact=True), out)
    # Blender makes its own frames between keys: frames of the source stand on keys in both.
    source = motion.times[1:-1]
    before = looked_at(blender_fbx, source, tmp_path / "a.npz")
    after = looked_at(out, warp.inverse(source), tmp_path / "b.npz")
    for name in ("fps", "actions", "bones", "vertices", "materials", "groups"):
        assert np.array_equal(before[name], after[name]), name
    assert np.ptp(before["poses"], axis=0).max() > 0.3  # it does move
    assert np.abs(before["poses"] - after["poses"]).max() < 1e-4


@blender
def test_blender_sees_edited_poses(blender_fbx: Path, tmp_path: Path) -> None:
    motion, out = retime.read(blender_fbx, animation="Walk"), tmp_path / "a.fbx"
    from dataclasses import replace

    j = motion.skeleton.index("Arm.L")
    rotations = motion.rotations.copy()
    more = quat.exp(np.sin(3 * motion.times)[:, None] * [[0.5, 0.2, 0.1]])
    rotations[:, j] = quat.multiply(rotations[:, j], more)
    edited = replace(motion, rotations=rotations)
    retime.write(edited, out)
    before = looked_at(blender_fbx, motion.times, tmp_path / "a.npz")
    after = looked_at(out, motion.times, tmp_path / "b.npz")
    bones = list(before["bones"])
    moved = np.abs(before["poses"] - after["poses"]).max(axis=(0, 2, 3))
    arm = {"Arm.L", "Hand.L", "Hand.L_end"}
    assert all(moved[k] < 1e-5 for k, name in enumerate(bones) if name not in arm)
    at, hand = motion.skeleton.index("Hand.L"), bones.index("Hand.L")
    wanted, got = (retime.positions(m)[:, at] for m in (edited, motion))
    seen = (after["poses"] - before["poses"])[:, hand, :3, 3]
    off = np.linalg.norm(seen, axis=-1) - np.linalg.norm(wanted - got, axis=-1)
    assert np.abs(off).max() < 1e-4


def test_a_guided_copy_of_the_sample_converts(tmp_path: Path, run: Any) -> None:
    if not SAMPLE.exists():
        pytest.skip("the shared sample files are absent")
    assert run("guided", SAMPLE, tmp_path / "a.fbx", "--duration", "0.6")[0] == 0
    assert run("convert", tmp_path / "a.fbx", tmp_path / "a.bvh", "--fps", "24")[0] == 0
    status, out, _ = run("info", tmp_path / "a.fbx", "--json")
    assert status == 0
    assert json.loads(out)["duration_s"] == pytest.approx(0.6)
