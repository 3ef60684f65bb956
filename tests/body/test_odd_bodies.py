"""Commands on bodies that are odd, incomplete or still: what can be said is said, never a crash."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import retime
from retime import Motion, Skeleton, samples
from retime.motion.quat import identity

Run = Callable[..., tuple[int, str, str]]


def _part(names: list[str], frames: int = 61) -> Motion:
    """A walk that kept only some of its joints; those whose parent is gone hang on the root."""
    walk = samples.walk()
    whole = walk.skeleton
    kept = [whole.index(n) for n in names]
    parents = [next((kept.index(p) for p in whole.chain(j)[1:] if p in kept), -1) for j in kept]
    skeleton = Skeleton(tuple(names), np.array(parents), whole.offsets[kept])
    root = walk.translations[whole.names[whole.roots[0]]][:frames]
    roots = {names[r]: root for r in skeleton.roots}
    return Motion(skeleton, walk.rotations[:frames][:, kept], roots, fps=walk.fps)


def _still(count: int, frames: int) -> Motion:
    """A chain of joints that do not move."""
    offsets = np.tile([0.0, 0.5, 0.0], (count, 1))
    names = tuple(f"bone{k}" for k in range(count))
    skeleton = Skeleton(names, np.arange(count) - 1, offsets)
    return Motion(skeleton, identity(frames, count), {names[0]: np.zeros((frames, 3))})


def _frames(motion: Motion, count: int) -> Motion:
    tracks = {n: t[:count] for n, t in motion.translations.items()}
    return Motion(motion.skeleton, motion.rotations[:count], tracks, fps=motion.fps)


def _held() -> Motion:
    walk = samples.walk()
    tracks = {n: np.repeat(t[:1], 60, axis=0) for n, t in walk.translations.items()}
    return Motion(walk.skeleton, np.repeat(walk.rotations[:1], 60, axis=0), tracks)


UPPER = ["Hips", "Spine", "Neck", "Head", "LeftArm", "LeftForeArm", "LeftHand"]
LEFT = ["Hips", "Spine", "Head", "LeftUpLeg", "LeftLeg", "LeftFoot", "LeftToe"]
BODIES: dict[str, Callable[[], Motion]] = {
    "no legs": lambda: _part(UPPER),
    "one leg": lambda: _part(LEFT),
    "three joints": lambda: _still(3, 30),
    "three joints of a leg": lambda: _part(["LeftUpLeg", "LeftLeg", "LeftFoot"]),
    "one joint": lambda: _still(1, 30),
    "all joints still": _held,
    "two frames": lambda: _frames(samples.walk(), 2),
    "one frame": lambda: _frames(samples.walk(), 1),
    "zero frames": lambda: _frames(samples.walk(), 0),
    "one joint, one frame": lambda: _still(1, 1),
    "one joint, zero frames": lambda: _still(1, 0),
}
# The rest of a command's line, {} being the folder.
COMMANDS: dict[str, list[str]] = {
    "info": [],
    "info, joints": ["--joints", "--json"],
    "check": [],
    "check, with itself": ["--source", "{in}", "--json"],
    "report": ["{}/out.html"],
    "plot": ["{}/out.png", "--poses", "2"],
    "apply": ["{}/out.bvh", "--duration", "2", "--hold"],
    "apply, to the archive": ["{}/out.npz", "--duration", "2", "--hold", "--json"],
    "convert": ["{}/out.bvh"],
    "convert, slower": ["{}/out.npz", "--fps", "24"],
}


def _assert_said(status: int, out: str, err: str) -> None:
    """Either it worked, or one line says why not; standard output holds no half of a result."""
    if status == 0:
        assert out.strip()
        assert all(line.startswith("note: ") for line in err.splitlines()), err
    else:
        assert (status, out) == (2, "")
        (line,) = err.splitlines()
        assert line.startswith("retime: ")
        assert len(line) > len("retime: ") + 10


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("body", BODIES)
def test_every_command_says_what_it_can(run: Run, tmp_path: Path, body: str, command: str) -> None:
    source = tmp_path / "in.bvh"
    retime.write(BODIES[body](), source)
    rest = [a.replace("{in}", str(source)).replace("{}", str(tmp_path)) for a in COMMANDS[command]]
    status, out, err = run(command.split(",")[0], source, *rest)
    _assert_said(status, out, err)
    if not body.endswith(("one frame", "zero frames")):  # those have no time to change or measure
        assert status == 0, err
    assert "nan" not in out.lower().replace(str(tmp_path).lower(), "")
    if status == 0 and rest and rest[0].startswith(str(tmp_path)):
        assert Path(rest[0]).stat().st_size > 0


@pytest.mark.parametrize("body", BODIES)
def test_info_tells_the_roles_it_found_and_no_others(run: Run, tmp_path: Path, body: str) -> None:
    source = tmp_path / "in.npz"
    motion = BODIES[body]()
    retime.write(motion, source)
    status, out, err = run("info", source, "--json")
    assert status == 0, err
    shown = json.loads(out)
    assert set(shown["roles"].values()) <= set(motion.skeleton.names)
    assert set(shown["roles_sure"]) == set(shown["roles"])
    if body.startswith(("three joints", "one joint")) and "leg" not in body:
        assert max(shown["roles_sure"].values(), default=0.0) <= 0.6
        assert "--map" in run("info", source)[1]


def test_check_says_that_there_are_no_feet(run: Run, tmp_path: Path) -> None:
    source = tmp_path / "in.bvh"
    retime.write(BODIES["no legs"](), source)
    status, out, err = run("check", source)
    assert status == 0
    assert "--map" in err
    assert "foot skate" not in out
    assert "jerk" in out


def test_holding_without_feet_says_so(run: Run, tmp_path: Path) -> None:
    source = tmp_path / "in.bvh"
    retime.write(BODIES["no legs"](), source)
    status, _, err = run("apply", source, tmp_path / "out.bvh", "--duration", "2", "--hold")
    assert status == 0
    assert "no contacts to hold were found" in err


MAPS = {
    "unknown role": ('{"left_fot": "LeftFoot"}', "left_foot"),
    "unknown joint": ('{"left_foot": "LeftFot"}', "LeftFoot"),
    "no object": ('["left_foot"]', "must map roles to joints"),
    "a number": ("3", "must map roles to joints"),
    "null": ("null", "must map roles to joints"),
    "no text": ('{"left_foot": 3}', "must map roles to joints"),
    "nested": ('{"left_foot": {"name": "LeftFoot"}}', "must map roles to joints"),
    "no JSON": ("left_foot: LeftFoot", "map.json"),
    "empty file": ("", "map.json"),
    "not a number of JSON": ('{"left_foot": NaN}', "map.json"),
    "empty role": ('{"": "LeftFoot"}', "role"),
    "empty joint": ('{"left_foot": ""}', "joint"),
}
MAPPED: dict[str, list[str]] = {
    "info": [],
    "check": [],
    "report": ["{}/out.html"],
    "apply": ["{}/out.bvh", "--duration", "2", "--hold"],
}


@pytest.mark.parametrize("command", MAPPED)
@pytest.mark.parametrize("name", MAPS)
def test_a_wrong_map_is_refused_in_one_line(
    run: Run, tmp_path: Path, name: str, command: str
) -> None:
    text, said = MAPS[name]
    source, roles = tmp_path / "in.bvh", tmp_path / "map.json"
    retime.write(samples.jump(), source)
    roles.write_text(text)
    rest = [a.replace("{}", str(tmp_path)) for a in MAPPED[command]]
    status, out, err = run(command, source, *rest, "--map", roles)
    _assert_said(status, out, err)
    assert status == 2
    assert said in err
    assert not list(tmp_path.glob("out.*"))


def test_a_map_that_is_not_there_or_no_file(run: Run, tmp_path: Path) -> None:
    source = tmp_path / "in.bvh"
    retime.write(samples.jump(), source)
    for roles in (tmp_path / "none.json", tmp_path):
        status, out, err = run("info", source, "--map", roles)
        _assert_said(status, out, err)
        assert status == 2


@pytest.mark.parametrize("text", ["{}", '{"left_foot": "bone2", "head": "bone0"}'])
def test_a_map_makes_roles_sure(run: Run, tmp_path: Path, text: str) -> None:
    source, roles = tmp_path / "in.npz", tmp_path / "map.json"
    retime.write(_still(3, 30), source)
    roles.write_text(text)
    for command in MAPPED:
        rest = [a.replace("{}", str(tmp_path)) for a in MAPPED[command]]
        _assert_said(*run(command, source, *rest, "--map", roles))
    _, out, _ = run("info", source, "--json", "--map", roles)
    shown = json.loads(out)
    given = json.loads(text)
    assert given.items() <= shown["roles"].items()
    assert all(shown["roles_sure"][r] == 1.0 for r in given)


def test_one_joint_may_be_every_role(run: Run, tmp_path: Path) -> None:
    """Nonsense that a person insists on is followed, and divides by no zero."""
    source, roles = tmp_path / "in.npz", tmp_path / "map.json"
    retime.write(_still(3, 30), source)
    roles.write_text(json.dumps(dict.fromkeys(retime.body.ROLES, "bone1")))
    for command in MAPPED:
        rest = [a.replace("{}", str(tmp_path)) for a in MAPPED[command]]
        _assert_said(*run(command, source, *rest, "--map", roles))
