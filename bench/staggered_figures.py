"""Figures of Staggered Poses, made again: 4 (finding poses), 7 (a walk), 8 (a lift, a jump)."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from bench.performances import MOCAP
from retime import Motion, Pose, StaggeredPoses, find_body, positions, read, samples
from retime.body.measure.metrics import flights
from retime.plot.overlays import draw_overlay
from retime.plot.poses import draw_poses
from retime.plot.strips import draw_strips


def _clip(name: str, instead: Motion) -> Motion:
    file = MOCAP / f"{name}.bvh"
    return read(file) if file.exists() else instead


def figures(folder: Path) -> None:
    """Write all; bundled motions stand in where the clips are not at hand."""
    run = StaggeredPoses.from_motion(_clip("16_35", samples.run()))
    draw_poses(run, folder / "staggered-figure-4.png")
    walk = _clip("16_16", samples.walk())
    # More than by default, to be seen in a small picture.
    both = figure_7(walk, 3.0)[1]
    hand = walk.skeleton.names[find_body(walk).roles["right_hand"]]
    stride = np.linspace(0.3, 0.6, 6) * walk.duration
    draw_overlay(walk, both.motion(), stride, folder / "staggered-figure-7.png", joint=hand)
    draw_poses(both, folder / "staggered-figure-7-knots.png")
    plain = lift()
    draw_strips(
        {"made from five poses": plain.motion(), "stronger": stronger(plain).motion()},
        folder / "staggered-figure-8-lift.png",
    )
    jump = _clip("16_06", samples.jump())
    take_off, landing = flights(jump)[0]
    around = np.linspace(take_off - 0.25, landing + 0.35, 7)
    hips = jump.skeleton.names[find_body(jump).roles["head"]]
    draw_overlay(
        jump, leap(jump).motion(), around, folder / "staggered-figure-8-jump.png", joint=hips
    )


def figure_7(walk: Motion, by: float = 1.5) -> tuple[StaggeredPoses, StaggeredPoses]:
    """Reshape the arms of a walk at its extreme poses, then loosen them by a succession."""
    poses = StaggeredPoses.from_motion(walk, keep=0.5)
    arms = ["left_upper_arm", "left_lower_arm", "right_upper_arm", "right_lower_arm"]
    shaped = poses.exaggerate(by, joints=arms)
    loose = shaped
    for side in ("left", "right"):
        loose = loose.succession(f"{side}_upper_arm", 0.04, 1.5)
    return shaped, loose


# For each pose of the lift: drop of the hips, bend of the back, height of the hands.
_LIFT = (
    (0.0, 0.0, None),
    (-0.02, -4.0, None),
    (-0.32, 50.0, 0.25),
    (-0.03, -6.0, 1.0),
    (0.0, 2.0, 0.95),
)


def lift() -> StaggeredPoses:
    """Build a lift from scratch: five poses, feet kept on the ground and hands brought to a box."""
    figure = samples.jump()
    rest = Pose(figure.rotations[0], {"Hips": figure.root_translation[0]})
    poses = StaggeredPoses.from_poses(
        figure.skeleton, [rest] * 5, [0.0, 0.5, 1.1, 1.9, 2.6], fps=60, units=figure.units
    )
    body, place = find_body(figure), positions(figure)[0]
    feet = {r: place[body.roles[r]] for r in ("left_foot", "right_foot")}
    middle = np.mean(list(feet.values()), axis=0)
    for k, (sink, bend, hands) in enumerate(_LIFT):
        hips = rest.translations["Hips"] + np.array([0.0, sink, 0.4 * min(sink, 0.0)])
        poses = poses.edit(k, translations={"Hips": hips}, when="extreme")
        poses = poses.turn({"Spine": [bend, 0, 0]}, poses=[k]).reach(k, feet, when="extreme")
        if hands is not None:
            ahead = middle[2] + (0.42 if hands > 0.5 else 0.3)
            box = {
                "left_hand": np.array([middle[0] + 0.14, hands, ahead]),
                "right_hand": np.array([middle[0] - 0.14, hands, ahead]),
            }
            poses = poses.reach(k, box, when="extreme")
    return poses


def stronger(poses: StaggeredPoses) -> StaggeredPoses:
    """Anticipate more, hold the box nearer, and let the arms come after the body."""
    edited = poses.exaggerate(0.5, relative_to="next", joints=["Spine"], poses=[1])
    edited = edited.exaggerate(0.25, relative_to="next", joints=["Spine"], poses=[2])
    bent = {"left_lower_arm": [-25, 0, 0], "right_lower_arm": [-25, 0, 0]}
    edited = edited.turn(bent, poses=[3, 4])
    for side in ("left", "right"):
        edited = edited.succession(f"{side}_shoulder", 0.04, 1.3, poses=[3])
    return edited.retime(2, 1.2)


def leap(jump: Motion) -> StaggeredPoses:
    """A more expressive leap: deeper before it, wider in the air, looser arms."""
    poses = StaggeredPoses.from_motion(jump, keep=0.6)
    edited = poses.exaggerate(0.5)
    for side in ("left", "right"):
        edited = edited.succession(f"{side}_upper_arm", 0.025, 1.5)
    return edited
