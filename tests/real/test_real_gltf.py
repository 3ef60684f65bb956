"""glTF files of other makers, read back by three.js: an independent reader."""

from __future__ import annotations

import json
import shutil
import struct
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import retime
from retime import Recipe, Step, SurfaceKey, TimeWarp, apply, guided, quat
from retime.arrays import FloatArray
from retime.io.gltf import contents
from retime.io.gltf.animations import channels_of
from retime.io.gltf.document import load

SHARED = Path(__file__).parents[3] / "shared" / "samples"
THREE = Path(__file__).parents[1] / "three"
pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared sample files are absent")
three_js = pytest.mark.skipif(
    shutil.which("node") is None or not (THREE / "node_modules" / "three").is_dir(),
    reason="three.js is not installed: run `npm ci` in tests/three",
)
FILES = [
    "RobotExpressive",
    "khronos_CesiumMan",
    "khronos_InterpolationTest",
    "khronos_RiggedFigure",
]


def clips() -> list[tuple[str, int]]:
    found = [(name, n) for name in FILES for n in range(20) if (SHARED / f"{name}.glb").exists()]
    return [(f, n) for f, n in found if n < len(contents(SHARED / f"{f}.glb"))]


def played(path: Path, animation: int, times: FloatArray) -> tuple[float, FloatArray]:
    """Play an animation in three.js: its end, and every node's world matrix at times."""
    command = ["node", "sample.mjs", str(path), str(animation), json.dumps(times.tolist())]
    done = subprocess.run(
        command, cwd=THREE, capture_output=True, text=True, check=True, timeout=60
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return float(found["duration"]), np.array(found["poses"])


def parts(path: Path) -> tuple[dict[str, Any], bytes]:
    data = path.read_bytes()
    size = struct.unpack_from("<I", data, 12)[0]
    return json.loads(data[20 : 20 + size]), data[28 + size :]


def same_but_animations(one: Path, other: Path, changed: int) -> None:
    (old, body), (new, longer) = parts(one), parts(other)
    for name in old:
        if name not in ("animations", "accessors", "bufferViews", "buffers"):
            assert new[name] == old[name], name
    for name in ("accessors", "bufferViews"):
        assert new[name][: len(old[name])] == old[name]
    length = old["buffers"][0]["byteLength"]
    assert longer[:length] == body[:length]
    for n, animation in enumerate(old["animations"]):
        assert n == changed or new["animations"][n] == animation


@three_js
@pytest.mark.parametrize(("name", "animation"), clips()[:1] + clips()[3::4])
def test_a_stretch_is_read_back_by_three(name: str, animation: int, tmp_path: Path) -> None:
    file, out = SHARED / f"{name}.glb", tmp_path / "out.glb"
    motion = retime.read(file, animation=animation)
    start, end = motion.domain
    slow = TimeWarp([start, start + 1.5 * (end - start)], [start, end])
    retime.write(apply(motion, slow), out)
    same_but_animations(file, out, animation)
    t = np.linspace(start + 1e-3, end - 1e-3, 40)
    length, before = played(file, animation, t)
    longer, after = played(out, animation, start + 1.5 * (t - start))
    assert longer - start == pytest.approx(1.5 * (length - start), abs=1e-4)
    size = max(1.0, float(np.abs(before).max()))
    if "Step" in contents(file)[animation]["name"]:
        return  # at a step either side is right
    assert np.abs(before - after).max() < 1e-4 * size


@three_js
@pytest.mark.parametrize("name", ["RobotExpressive", "khronos_CesiumMan"])
def test_a_bent_warp_is_read_back_by_three(name: str, tmp_path: Path) -> None:
    file, out = SHARED / f"{name}.glb", tmp_path / "out.glb"
    motion = retime.read(file)
    start, end = motion.domain
    x = np.linspace(0, 1, 300)
    warp = TimeWarp(
        start + 1.3 * (end - start) * x, start + (end - start) * (x + 0.1 * np.sin(2 * np.pi * x))
    )
    retime.write(apply(motion, warp), out)
    t = np.linspace(start + 1e-3, warp.domain[1] - 1e-3, 60)
    _, before = played(file, 0, warp(t))
    _, after = played(out, 0, t)
    size = max(1.0, float(np.abs(before).max()))
    assert np.abs(before - after).max() < 1e-4 * size


@three_js
def test_a_new_file_opens_in_three(tmp_path: Path) -> None:
    walk = retime.samples.walk()
    retime.write(walk, tmp_path / "walk.glb")
    t = walk.times[::40]
    length, matrices = played(tmp_path / "walk.glb", 0, t)
    assert length == pytest.approx(walk.duration, abs=1e-5)
    places = matrices[:, : len(walk.skeleton), 12:15]
    assert np.abs(places - retime.positions(walk)[::40]).max() < 1e-4


@pytest.mark.parametrize(("name", "animation"), clips())
def test_an_identity_returns_the_file(name: str, animation: int, tmp_path: Path) -> None:
    file, out = SHARED / f"{name}.glb", tmp_path / "out.glb"
    motion = retime.read(file, animation=animation)
    retime.write(apply(motion, TimeWarp.identity(*motion.domain)), out)
    assert parts(out) == parts(file)


def test_a_jump_is_guided_end_to_end(run: Any, tmp_path: Path) -> None:
    file, out = SHARED / "RobotExpressive.glb", tmp_path / "out.glb"
    command = ("guided", file, out, "--animation", "Jump", "--duration", "0.51", "--json")
    status, told, err = run(*command)
    assert status == 0, err
    assert json.loads(told)["duration_s"] == pytest.approx(0.51)  # nothing is rounded to frames
    listed = {c["name"]: c for c in contents(out)}
    assert listed["Jump"]["duration_s"] == pytest.approx(0.51, abs=1e-4)
    jump = [c["name"] for c in contents(file)].index("Jump")
    same_but_animations(file, out, jump)
    motion = retime.read(file, animation="Jump")
    warp = guided(motion, duration=0.51).warp
    t = np.linspace(*warp.domain, 200)
    for one, other in zip(*(channels_of(load(f), jump) for f in (file, out)), strict=True):
        wanted, found = one.sampler.at(warp(t)), other.sampler.at(t)
        extent = max(1.0, float(np.ptp(one.sampler.values, axis=0).max()))
        turns = one.path == "rotation"  # q and -q are one rotation
        off = quat.angle(wanted, found) if turns else np.abs(wanted - found)
        assert off.max() < 3.5e-4 * extent  # 0.02 degrees


def test_a_hand_is_dragged_in_place(tmp_path: Path) -> None:
    file, out = SHARED / "RobotExpressive.glb", tmp_path / "out.glb"
    motion = retime.read(file, animation="Punch")
    hand = retime.find_body(motion).name("right_hand")
    key = SurfaceKey(time=0.4, joint=hand, shift=-0.1)
    result = Recipe([Step("surface", {"keys": [key], "constraints": "free"})]).evaluate(motion)
    retime.write(result, out)
    same_but_animations(file, out, [c["name"] for c in contents(file)].index("Punch"))
    again = retime.read(out, animation="Punch", fps=120)
    before = retime.read(file, animation="Punch", fps=120)
    body = retime.find_body(before)
    end, hips = body.limbs["right_arm"].end, body.roles["hips"]
    asked, there = (retime.positions(m)[round(120 * t)] for m, t in ((before, 0.4), (again, 0.3)))
    off = (there[end] - there[hips]) - (asked[end] - asked[hips])
    assert np.linalg.norm(off) < 0.02


@pytest.mark.parametrize("name", FILES)
def test_files_tell_what_they_hold(name: str) -> None:
    file = SHARED / f"{name}.glb"
    motion = retime.read(file)
    assert motion.units.metres == 1.0
    assert motion.units.up == "Y"
    body = retime.find_body(motion)
    assert body.is_biped == (name != "khronos_InterpolationTest")
    if name == "RobotExpressive":
        assert body.limbs["left_leg"].linked
        assert body.name("left_foot") == "Foot.L"
