"""What in a capture is probably a fault."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

import retime
from retime import Motion, concatenate, quat, samples
from retime.body.measure.suspicions import suspicions
from retime.cli.console import said

SHARED = Path(__file__).parents[3] / "shared"
WALK = samples.walk()


def codes(motion: Motion) -> list[str]:
    return [n.code for n in suspicions(motion)]


@pytest.mark.parametrize("name", ["walk", "jump", "run", "punches", "swing", "toss", "handshake"])
def test_the_samples_are_beyond_suspicion(name: str) -> None:
    made = getattr(samples, name)()
    assert codes(made if isinstance(made, Motion) else made[0]) == []


def _t_pose(motion: Motion, frames: int) -> Motion:
    shape = (frames, *motion.rotations.shape[1:])
    place = np.tile(motion.root_translation[0], (frames, 1))
    root = motion.skeleton.names[0]
    return replace(
        motion, rotations=np.broadcast_to(quat.identity(1), shape), translations={root: place}
    )


@pytest.mark.parametrize("count", [2, 5])
def test_rest_poses_of_some_frames_are_noticed(count: int) -> None:
    arms = WALK.rotations.copy()
    arms[:, 3:12] = quat.multiply(
        quat.from_axis_angle([0, 0, 1], np.full((*arms.shape[:1], 9), 1.2)), arms[:, 3:12]
    )
    moving = replace(WALK, rotations=arms)
    (before,) = suspicions(concatenate(_t_pose(moving, count), moving))
    assert (before.code, before.values["frames"], before.values["where"]) == (
        "rest-poses",
        count,
        "first",
    )
    assert f"(retime trim --from {count}f)" in said(before)
    found = suspicions(concatenate(moving, _t_pose(moving, count)))
    (after,) = [n for n in found if n.code == "rest-poses"]
    assert (after.values["where"], after.values["frames"]) == ("last", count)
    assert f"(retime trim --to {len(moving) - 1}f)" in said(after)


def test_a_jump_of_the_root_is_noticed() -> None:
    root = WALK.skeleton.names[0]
    way = WALK.root_translation.copy()
    way[60:] += [3.0, 0.0, 0.0]
    found = suspicions(replace(WALK, translations={root: way}))
    (jump,) = [n for n in found if n.code == "root-jumps"]
    assert jump.values["frames"] == [60]
    assert "3 m at frame 60" in jump


def test_a_tilted_floor_is_noticed() -> None:
    turn = quat.from_axis_angle([1, 0, 0], np.radians(5.0))
    root = WALK.skeleton.names[0]
    rotations = WALK.rotations.copy()
    rotations[:, 0] = quat.multiply(np.broadcast_to(turn, rotations[:, 0].shape), rotations[:, 0])
    way = quat.rotate(np.broadcast_to(turn, rotations[:, 0].shape), WALK.root_translation)
    tilted = replace(WALK, rotations=rotations, translations={root: way})
    assert "floor-tilted" in codes(tilted)


def test_feet_that_never_rest_are_noticed() -> None:
    root = WALK.skeleton.names[0]
    t = WALK.times[:, None]
    sway = 0.5 * np.concatenate([np.sin(5 * t), np.sin(7 * t) + 1.5, np.cos(4 * t)], axis=1)
    floating = replace(WALK, translations={root: WALK.root_translation + sway})
    assert "feet-never-rest" in codes(floating)


def test_info_and_check_remark(run: Callable[..., tuple[int, str, str]], tmp_path: Path) -> None:
    root = WALK.skeleton.names[0]
    way = WALK.root_translation.copy()
    way[60:] += [3.0, 0.0, 0.0]
    retime.write(replace(WALK, translations={root: way}), tmp_path / "a.bvh")
    for command in ("info", "check"):
        status, _, err = run(command, tmp_path / "a.bvh")
        assert status == 0
        assert "the root jumps between frames: 3 m at frame 60" in err


def _standing(motion: Motion, frames: int) -> Motion:
    """Put a stand in the first pose before a motion."""
    first = np.zeros(frames, int)
    return concatenate(
        replace(
            motion,
            rotations=motion.rotations[first],
            translations={n: t[first] for n, t in motion.translations.items()},
        ),
        motion,
    )


@pytest.mark.parametrize(
    "motion, said",
    [
        (samples.run(), "nothing touches and the body does not fall; at 60 frames per second"),
        (_standing(samples.jump(), 300), "in the air the body is 3 g away from free fall"),
    ],
    ids=["run", "jump"],
)
def test_check_explains_a_flight_that_does_not_fall(
    run: Callable[..., tuple[int, str, str]], tmp_path: Path, motion: Motion, said: str
) -> None:
    true, fast = tmp_path / "true.bvh", tmp_path / "fast.bvh"
    retime.write(motion, true)
    retime.write(replace(motion, fps=2 * motion.fps), fast)
    assert said in run("check", fast)[2]
    assert "fall" not in run("check", true)[2]
    assert "fall" not in run("check", fast, "--source-fps", f"{motion.fps}")[2]
    # The source shows what the retiming changed.
    assert "fall" not in run("check", fast, "--source", true)[2]


def test_flights_that_do_not_fall_are_a_suspicion() -> None:
    fast = replace(_standing(samples.jump(), 300), fps=2 * samples.jump().fps)
    assert codes(fast) == ["flight-without-fall"]
    assert suspicions(fast, as_recorded=False) == []


def test_check_with_physics_names_one_rate_once(
    run: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    # More than the 120 frames per second that physics computes with.
    retime.write(replace(samples.run(), fps=121.0001), tmp_path / "fast.bvh")
    status, out, _ = run("check", tmp_path / "fast.bvh", "--physics", "--json")
    assert status == 0
    found = json.loads(out)
    assert found["note_codes"].count("frame-rate-doubtful") == 1
    assert [n for n in found["notes"] if "frames per second" in n] == [
        n for n in found["notes"] if "at 60.5 frames per second" in n
    ]
    _, _, err = run("check", tmp_path / "fast.bvh", "--physics")
    assert err.count("frames per second") == err.count("(--source-fps 60.5)") == 1


@pytest.mark.parametrize(
    "name, rest_frame, wanted",
    [
        ("mocap-more/07_12.bvh", "auto", []),
        ("mocap-more/07_12.bvh", "keep", ["rest-poses", "root-jumps"]),
        ("mocap-more/03_01.bvh", "auto", ["floor-tilted"]),
        ("mocap-more/75_01.bvh", "auto", ["flight-without-fall"]),
        ("mocap-more/88_01.bvh", "auto", ["contacts-unknown"]),
        ("mocap-more/143_01.bvh", "auto", ["frame-rate-doubtful"]),
        ("mocap/02_01.bvh", "auto", []),
        ("samples/makehuman_zombieWalk1.bvh", "auto", []),
        ("samples/three_pirouette.bvh", "auto", []),
    ],
)
def test_real_captures(name: str, rest_frame: Literal["auto", "keep"], wanted: list[str]) -> None:
    if not (SHARED / name).exists():
        pytest.skip("the shared captures are not here")
    assert codes(retime.read(SHARED / name, rest_frame=rest_frame)) == wanted
