"""The Blender extension in real Blenders; what it does is compared with the library's own."""

from __future__ import annotations

import json
import os
import re
import runpy
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import matplotlib.image
import numpy as np
import pytest

import retime
from music_making import clicks, write_wave
from retime import Recipe, Step, TimeWarp, quat
from retime.body import find_body
from retime.hosts.engine import PROTOCOL
from retime.hosts.engine import _with_likely_unit as in_metres
from retime.methods.physics.figure.segments import BodyData, solids_of
from retime.motion import Motion

ROOT = Path(__file__).parents[2]
INSIDE = Path(__file__).parent / "inside"
SHARED = ROOT.parent / "shared"
# Environments with Blender as a Python module: today's, one whose actions have no slots, and the
# newest, which needs another Python.
BLENDERS = {"5.x": ".venv-blender", "4.2": ".venv-blender42", "5.2": ".venv-blender52"}
# Checks that run inside Blender, all in one.
CHECKS = [
    name
    for module in ("checks", "rig_checks", "scene_checks", "pose_checks", "music_checks")
    for name in re.findall(r"^def (check_\w+)", (INSIDE / f"{module}.py").read_text(), re.MULTILINE)
]
STRESS = bool(os.environ.get("RETIME_STRESS"))
if STRESS:
    CHECKS += ["check_all_clips", "check_the_engine_installs_without_network"]
# Where Blenders differ is in their actions; what else there is, one of them shows.
ABOUT_ACTIONS = [
    f"check_{name}"
    for name in (
        "it_is_installed_and_enabled", "rekey_to_length", "bake_to_length",
        "strip_and_its_removal", "strip_of_parts", "rig_controls_and_what_goes_along",
        "linked_data", "shared_action", "a_game_character",
    )
]  # fmt: skip


RUNS = {"5.x": CHECKS, **dict.fromkeys(("4.2", "5.2"), CHECKS if STRESS else ABOUT_ACTIONS)}
every_blender = pytest.mark.parametrize("ran", RUNS, indirect=True)
newest_blender = pytest.mark.parametrize("ran", ["5.x"], indirect=True)


def test_the_panels_show_what_the_methods_declare() -> None:
    script = runpy.run_path(str(ROOT / "blender" / "make_parameters.py"))
    assert script["page"]() == script["PAGE"].read_text(), "run make blender"


class Ran:
    """One Blender, after all checks ran in it."""

    def __init__(self, folder: Path, output: str) -> None:
        self.folder = folder
        lines = [s[6:] for s in output.splitlines() if s.startswith("CHECK ")]
        self.checks = {c["check"]: c for c in map(json.loads, lines)}
        self.output = output

    def motion(self, name: str) -> Motion:
        return in_metres(retime.read(self.folder / f"{name}.npz"))

    def poses(self, name: str) -> dict[str, Any]:
        with np.load(self.folder / f"{name}.npz") as loaded:
            return {k: loaded[k] for k in loaded.files}


_RAN: dict[str, Ran] = {}


@pytest.fixture
def ran(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """Run all checks in one Blender, once, in whatever order tests ask for it."""
    version = request.param
    name = BLENDERS[version]
    python = ROOT / name / "bin" / "python"
    if not python.exists():
        pytest.skip(f"no Blender {version}: there is no {name} with bpy in it")
    if not (SHARED / "mocap/16_06.bvh").exists():
        pytest.skip("no folder of real clips beside the project")
    if version not in _RAN:
        _RAN[version] = _run_checks(version, python, tmp_path_factory.mktemp("blender"))
    return _RAN[version]


def _run_checks(version: str, python: Path, folder: Path) -> Ran:
    build = [sys.executable, str(ROOT / "blender/build.py"), "--no-wheel", "--out", str(folder)]
    subprocess.run(build, check=True, capture_output=True)
    _write_files(folder)
    settings = {
        "RETIME_SHARED": str(SHARED),
        "RETIME_OUT": str(folder),
        "RETIME_ZIP": str(next(folder.glob("retime-blender-*.zip"))),
        "RETIME_ENGINE": sys.executable,
        "BLENDER_USER_RESOURCES": str(folder / "user"),
    }
    done = subprocess.run(
        [str(python), str(INSIDE / "run.py"), *RUNS[version]],
        env=os.environ | settings, capture_output=True, text=True, timeout=3600 if STRESS else 900,
    )  # fmt: skip
    return Ran(folder, done.stdout + done.stderr)


def _write_files(folder: Path) -> None:
    """Write what the checks import: warps, a recipe, a song, engines that misbehave."""
    write_wave(folder / "song.wav", clicks(0.25 + 0.5 * np.arange(24), 12.2))
    length = 407 / (1 / 0.0083333)
    warp = TimeWarp([5.0, 5.8, 7.5], [5.0, 6.4, 5.0 + length])  # a file need not start at 0
    retime.write_warp(warp, folder / "given-warp.json")
    recipe = Recipe([Step("spline", {"duration": 3.0}), Step("hold")])
    retime.write_recipe(recipe, folder / "given-recipe.json")
    (folder / "given-other.json").write_text('{"format": "something"}')
    warps = {
        "hold": TimeWarp([0, 1, 1.5, length + 0.5], [0, 1, 1, length]),
        "cut": TimeWarp([0, 1, 1, length - 0.5], [0, 1, 1.5, length]),
        "backwards": TimeWarp([0, 3.0], [length, 0]),
    }
    for name, odd in warps.items():
        retime.write_warp(odd, folder / f"given-{name}.json")
    answer = '{"id": 1, "done": true, "protocol": %d}'
    for name, script in (
        (
            "dying-engine",
            f"read a; echo '{answer % PROTOCOL}'; read b; "
            """echo '{"id": 2, "begun": true}'; echo 'out of luck' >&2; exit 3""",
        ),
        ("old-engine", f"read a; echo '{answer % 99}'; read b"),
    ):
        path = folder / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)


@pytest.mark.parametrize(
    "ran, check",
    [(b, c) for b, listed in RUNS.items() for c in listed],
    indirect=["ran"],
)
def test_inside_blender(ran: Ran, check: str) -> None:
    assert check in ran.checks, ran.output[-3000:]
    if ran.checks[check]["skipped"]:
        pytest.skip(ran.checks[check]["skipped"])
    assert not ran.checks[check]["said"], ran.checks[check]["said"]


def _same(found: Motion, wanted: Motion, tolerance: float = 1e-4) -> None:
    assert len(found) == len(wanted)
    assert quat.angle(found.rotations, wanted.rotations).max() < tolerance
    assert np.abs(found.root_translation - wanted.root_translation).max() < tolerance * 20


def _same_poses(found: dict[str, Any], source: Motion, wanted: Motion) -> None:
    assert quat.angle(found["turns"], wanted.rotations).max() < 1e-4
    scale = float(np.abs(wanted.root_translation).max())
    assert np.abs(found["places"] - wanted.root_translation).max() < 1e-4 * max(scale, 1.0)


@newest_blender
def test_captures_are_the_file(ran: Ran) -> None:
    seen = ran.motion("bvh-source")
    read = retime.read(SHARED / "mocap/16_06.bvh", rest_frame="keep")
    joints = [read.skeleton.index(n) for n in seen.skeleton.names]
    assert np.abs(retime.positions(seen) - retime.positions(read)[:, joints]).max() < 1e-4


@every_blender
@pytest.mark.parametrize(
    "name, duration, method",
    [("rekey", 300, "guided"), ("nla", 300, "spline"), ("glb", 90, "guided")],
)
def test_poses_at_warped_times_are_the_library_s(
    ran: Ran, name: str, duration: int, method: str
) -> None:
    source, found = ran.motion(f"{name}-source"), ran.poses(f"{name}-result")
    recipe = Recipe([Step(method, {"duration": duration / source.fps})])
    times = (found["frames"] - found["frames"][0]) / source.fps  # the first is the start
    _same_poses(found, source, recipe.evaluate(source, times=times))


@every_blender
def test_a_strip_retimed_twice(ran: Ran) -> None:
    once, twice = ran.poses("nla-result"), ran.poses("nla-twice")
    assert quat.angle(once["turns"], twice["turns"]).max() < 2e-4


@newest_blender
def test_markers_are_keytimes(ran: Ran) -> None:
    source, found = ran.motion("keytimes-source"), ran.poses("keytimes-result")
    assert quat.angle(found["turns"], source.rotations[[119, 259]]).max() < 1e-4


DRAG = {"keys": [{"time": 199, "joint": "RightHand", "shift": -12}]}
ARM = ["LeftArm", "LeftForeArm", "LeftHand"]
BAKED: dict[str, tuple[str, list[tuple[str, dict[str, Any]]]]] = {
    "bake-result": ("bake", [("spline", {"duration": 300})]),
    "physics-result": ("physics", [("physics", {"duration": 450, "gravity": 5.0})]),
    "shift-result": ("parts", [("surface", DRAG)]),
    "partstrip-result": ("partstrip", [("surface", DRAG)]),
    "succession-result": ("parts", [("stagger", {"succession": [["LeftArm", 3, 1.5]]})]),
    "exaggerate-result": ("parts", [("stagger", {"exaggerate": 0.3, "joints": ARM})]),
    "hold_feet-result": ("parts", [("hold", {})]),
    "secondary-result": ("parts", [("secondary", {"strength": 0.8, "joints": ARM})]),
    "glb-exaggerate": ("glb", [("stagger", {"exaggerate": 0.3})]),
    "files-recipe": ("files", [("spline", {"duration": 3.0}), ("hold", {})]),
}  # fmt: skip


def _in_seconds(values: dict[str, Any], fps: float) -> dict[str, Any]:
    """Bring what the table has in frames to seconds."""
    out = dict(values)
    if out.get("duration", 0) > 10:
        out["duration"] /= fps
    if "keys" in out:
        out["keys"] = [
            {**k, "time": k["time"] / fps, "shift": k["shift"] / fps} for k in out["keys"]
        ]
    if "succession" in out:
        out["succession"] = [(j, s / fps, p) for j, s, p in out["succession"]]
    return out


@pytest.mark.parametrize(
    "ran, name",
    [("5.x", name) for name in BAKED]
    + [
        (old, name)
        for old in ("4.2", "5.2")
        for name in ("bake-result", "partstrip-result", "glb-exaggerate")
    ],
    indirect=["ran"],
)
def test_results_are_the_library_s(ran: Ran, name: str) -> None:
    origin, steps = BAKED[name]
    source = ran.motion(f"{origin}-source")
    recipe = Recipe([Step(m, _in_seconds(v, source.fps)) for m, v in steps])
    wanted = recipe.evaluate(source)
    found = ran.motion(name)
    # A strip that plays re-keyed curves interpolates between frames as Blender does.
    _same(found, wanted, 1e-2 if name == "partstrip-result" else 1e-4)


@newest_blender
def test_staggered_bones_are_the_library_s(ran: Ran) -> None:
    source = ran.motion("parts-source")
    later = {n: k * 2 / source.fps for k, n in enumerate(ARM)}
    edits = [{"do": "refine_poses", "refinements": later}]
    wanted = Recipe([Step("stagger", {"edits": edits})]).evaluate(source)
    _same(ran.motion("stagger-result"), wanted)


@newest_blender
def test_a_warp_file_is_applied_from_the_action_s_start(ran: Ran) -> None:
    source = ran.motion("files-source")
    warp = TimeWarp([0, 0.8, 2.5], [0, 1.4, 407 * 0.0083333])
    _same(ran.motion("files-warp"), retime.apply(source, warp, fps=source.fps))


@newest_blender
def test_checks_are_the_library_s(ran: Ran) -> None:
    source = ran.motion("check-source")
    shown = json.loads((ran.folder / "check.json").read_text())
    for name, value in retime.metrics.measure(source).items():
        label = name.removesuffix("_seconds").replace("_", " ").capitalize()
        number, *unit = shown[label].split()
        frames = source.fps if unit == ["frames"] else 1.0
        assert "s" not in unit
        assert float(number) == pytest.approx(value * frames, rel=1e-3, abs=1e-9)


@every_blender
def test_the_rig_is_at_its_warped_poses(ran: Ran) -> None:
    source, found = ran.motion("rig-source"), ran.poses("rig-result")
    assert quat.angle(found["turns"], source.rotations[[0, 20, 60]]).max() < 1e-4


def _kilograms(motion: Motion) -> float:
    body = find_body(motion)
    return float(
        sum(s.mass for s in solids_of(motion, body, BodyData({}, {}, {}, {}), None).values())
    )


@newest_blender
def test_a_rigify_figure_weighs_what_it_does_as_bvh(ran: Ran) -> None:
    rig, plain = ran.motion("rigify-body"), retime.read(ran.folder / "metarig.bvh")
    assert _kilograms(rig) == pytest.approx(_kilograms(plain), rel=0.2)
    assert find_body(rig).roles.keys() == find_body(plain).roles.keys()


@newest_blender
@pytest.mark.parametrize(
    "kind, roles",
    [("arp", 22), ("metahuman", 22), ("numbered", 20), ("mixamo", 22), ("mixamo-plain", 22)],
)
def test_other_rigs_are_persons(ran: Ran, kind: str, roles: int) -> None:
    motion = ran.motion(f"rig-{kind}")
    body = find_body(motion)
    assert len(body.limbs) == 4
    assert {"hips", "head", "left_toe", "right_hand"} <= body.roles.keys()
    assert len(body.roles) == roles
    assert 50 < _kilograms(motion) < 90


def test_the_window_shows_the_panel(tmp_path: Path) -> None:
    """Drive a Blender with a window; ``tests/blender/windowed.sh`` sets one up."""
    blender = os.environ.get("RETIME_BLENDER") or shutil.which("blender")
    if blender is None:
        pytest.skip("no Blender with a window: neither RETIME_BLENDER nor blender is there")
    xvfb = shutil.which("Xvfb")
    if xvfb is None:
        pytest.skip("no Xvfb to open a window in")
    build = [sys.executable, str(ROOT / "blender/build.py"), "--no-wheel", "--out", str(tmp_path)]
    subprocess.run(build, check=True, capture_output=True)
    settings = {
        "RETIME_SHARED": str(SHARED),
        "RETIME_OUT": str(tmp_path),
        "RETIME_ZIP": str(next(tmp_path.glob("retime-blender-*.zip"))),
        "RETIME_ENGINE": sys.executable,
        "BLENDER_USER_RESOURCES": str(tmp_path / "user"),
        "LIBGL_ALWAYS_SOFTWARE": "1",
        "RETIME_SCREEN": str(tmp_path / "Xvfb_screen0"),
    }
    read, write = os.pipe()  # Xvfb writes the number of its display there
    screen = ["-screen", "0", "1600x1200x24", "-displayfd", str(write), "-fbdir", str(tmp_path)]
    server = subprocess.Popen([xvfb, *screen], pass_fds=[write], stderr=subprocess.DEVNULL)
    try:
        os.close(write)
        with os.fdopen(read) as told:
            settings["DISPLAY"] = f":{told.readline().strip()}"
        done = subprocess.run(
            [blender, "--factory-startup", "--python-exit-code", "3", "--window-geometry", "0",
             "0", "1600", "1200", "--python", str(INSIDE / "window.py")],
            env=os.environ | settings, capture_output=True, text=True, timeout=240,
        )  # fmt: skip
    finally:
        server.terminate()
        server.wait()
    said = done.stdout[-3000:] + done.stderr[-2000:]
    assert done.returncode == 0, said
    assert "WINDOW retimed 302" in done.stdout, said  # frame 1 is a T-pose
    assert "Finding the best timing" in done.stdout, said
    assert "406 frames became 300; the rest pose at frame 1 stays" in done.stdout, said
    assert "WINDOW undone True" in done.stdout, said
    pictures = {n: _screen(tmp_path / f"{n}.xwd") for n in ("view", "graph", "nla", "retimed")}
    for name, picture in pictures.items():
        matplotlib.image.imsave(tmp_path / f"{name}.png", picture)
        assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 200, f"{name} is empty"
    # Each editor shows the same panel beside another content.
    assert (pictures["graph"] != pictures["nla"]).any(axis=2).mean() > 0.01


def _screen(path: Path) -> Any:
    """Read a screen as the X server keeps it (XWD, 32 bits a pixel): colours (H, W, 3)."""
    data = path.read_bytes()
    head = np.frombuffer(data, ">u4", 20)
    size, width, height, bits, line, colours = (int(head[k]) for k in (0, 4, 5, 11, 12, 19))
    assert bits == 32
    rows = np.frombuffer(data, np.uint8, height * line, size + 12 * colours).reshape(height, line)
    return rows[:, : 4 * width].reshape(height, width, 4)[:, :, 2::-1]
