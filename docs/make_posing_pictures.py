"""Draw docs/pictures of reaching, secondary motion and tween tools, on bundled motions."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import numpy as np

from retime import (
    Motion,
    Skeleton,
    StaggeredPoses,
    TimeWarp,
    Units,
    apply,
    positions,
    quat,
    samples,
)
from retime.arrays import FloatArray
from retime.body.solve.posing import Help
from retime.methods.secondary import Follower
from retime.methods.staggered.edits.tween_edits import Ease
from retime.plot.style import INK, ORIGINAL, RETIMED, canvas, plain, save

PICTURES = Path(__file__).with_name("pictures")


def draw_response() -> None:
    """Draw how a follower lags, overshoots and settles."""
    times = np.linspace(0, 2.5, 301)
    u = np.clip((times - 0.3) / 0.4, 0, 1)
    angle = (60 * u**3 * (10 - 15 * u + 6 * u * u))[:, None]
    figure = canvas(7.0, 3.0)
    axes = figure.subplots()
    axes.plot(times, angle, color=ORIGINAL, linewidth=2, label="source")
    for damping, style in ((0.3, "-"), (1.0, "--")):
        behind = angle + Follower(2.0, damping).lag(times, angle)
        name = f"frequency 2 Hz, damping {damping:g}"
        axes.plot(times, behind, style, color=RETIMED, linewidth=2, label=name)
    axes.set_xlabel("time (s)", color=INK)
    axes.set_ylabel("angle (degrees)", color=INK)
    axes.legend(frameon=False, fontsize=9)
    plain(axes)
    save(figure, PICTURES / "secondary-response.png")


def pointing() -> Motion:
    """Make an arm that waves a little and points ahead, on a trunk that turns to and fro."""
    times = np.linspace(0, 3, 181)
    turn = np.radians(45) * np.sin(2 * np.pi * times)
    wave = np.radians(12) * np.sin(6 * np.pi * times)
    axis = np.array([0.0, 1.0, 0.0])
    rotations = quat.identity(len(times), 4)
    rotations[:, 1] = quat.from_axis_angle(axis, turn)
    rotations[:, 2] = quat.from_axis_angle(axis, wave - turn)
    offsets = np.array([[0, 0, 0], [0, 0, 0], [0.2, 0, 0], [0, 0, 0.6]], dtype=float)
    skeleton = Skeleton(("Hips", "Trunk", "Arm", "Hand"), np.array([-1, 0, 1, 2]), offsets)
    still = {"Hips": np.zeros((len(times), 3))}
    return Motion(skeleton, rotations, still, fps=60.0, units=Units(1.0))


def draw_modes() -> None:
    """Draw an arm that points ahead when its trunk alone is late, sampled in both ways."""
    source = pointing()
    ends = source.domain
    times = np.linspace(*ends, 361)
    late = {"Trunk": (times, times - 0.12 * np.sin(np.pi * times / 3) ** 2)}
    made = {
        "source": source,
        "relative to the trunk": apply(source, TimeWarp(ends, ends, channels=late)),
        "in space": apply(source, TimeWarp(ends, ends, channels=late, in_space=["Trunk", "Arm"])),
    }
    figure = canvas(8.0, 3.4)
    above, angles = figure.subplots(1, 2, width_ratios=(1.2, 1.0))
    for row, ((name, motion), color, style) in enumerate(
        zip(made.items(), (ORIGINAL, RETIMED, RETIMED), ("-", "--", "-"), strict=True)
    ):
        points = positions(motion)
        away = points[:, 3] - points[:, 2]
        facing = np.degrees(np.arctan2(away[:, 0], away[:, 2]))
        angles.plot(motion.times, facing, style, color=color, linewidth=1.8, label=name)
        for column, frame in enumerate(range(60, 121, 10)):
            place = np.array([column * 0.75, -row * 1.0])
            shoulder, hand = (points[frame, j][[0, 2]] + place for j in (2, 3))
            above.plot(*zip(2 * place - shoulder, shoulder, strict=True), color=INK, linewidth=2)
            above.plot(*zip(shoulder, hand, strict=True), style, color=color, linewidth=2.2)
        above.text(-1.9, -row * 1.0 + 0.1, name, color=INK, fontsize=9)
    above.set_aspect("equal")
    above.axis("off")
    above.set_title("shoulders and an arm, from above, over 1 s", color=INK, fontsize=10)
    angles.set_title("direction of the arm (degrees)", color=INK, fontsize=10, loc="left")
    angles.set_xlabel("time (s)", color=INK)
    plain(angles)
    save(figure, PICTURES / "joint-times-modes.png")


def draw_eases() -> None:
    """Draw the angle of an arm at a pose that is held, snapped to, anticipated and settled."""
    walk = samples.walk()
    poses = StaggeredPoses.from_motion(walk)
    k, joint = 7, walk.skeleton.index("LeftArm")
    window = (walk.times >= poses.times[k - 2]) & (walk.times <= poses.times[k + 2])
    figure = canvas(8.0, 4.4)
    rows = figure.subplots(2, 2, sharex=True, sharey=True)
    reference = quat.conjugate(walk.rotations[0, joint])

    def swing(motion: Motion) -> FloatArray:
        vectors = quat.log(quat.multiply(motion.rotations[window, joint], reference))
        axis = np.linalg.svd(quat.log(quat.multiply(walk.rotations[:, joint], reference)))[2][0]
        return np.asarray(np.degrees(vectors @ axis))

    presets: tuple[Ease, ...] = get_args(Ease)
    for axes, preset in zip(rows.flat, presets, strict=True):
        eased = poses.ease(k, preset, joints=["LeftArm"]).motion(constraints="free")
        axes.plot(walk.times[window], swing(walk), color=ORIGINAL, linewidth=1.5)
        axes.plot(walk.times[window], swing(eased), color=RETIMED, linewidth=2)
        axes.set_title(preset, color=INK, fontsize=10, loc="left")
        plain(axes)
    for axes in rows[1]:
        axes.set_xlabel("time (s)", color=INK)
    for axes in rows[:, 0]:
        axes.set_ylabel("angle (degrees)", color=INK)
    save(figure, PICTURES / "tween-eases.png")


def draw_reach() -> None:
    """Draw one reach by the arm alone, with the torso, and with the whole body."""
    jump = samples.jump()
    poses = StaggeredPoses.from_motion(jump)
    frame = round(float(poses.times[1]) * jump.rate)
    hand = jump.skeleton.index("RightHand")
    target = positions(jump)[frame, hand] + [0.1, -0.35, 0.45]
    figure = canvas(8.0, 3.4)
    helps: tuple[Help, ...] = get_args(Help)
    for axes, help in zip(figure.subplots(1, 3, sharey=True), helps, strict=True):
        posed = poses.reach(1, {"right_hand": target}, help=help).motion(constraints="free")
        for motion, colour in ((jump, ORIGINAL), (posed, RETIMED)):
            points = positions(motion, end_sites=True)[frame]
            bones = [(p, j) for j, p in enumerate(motion.skeleton.parents.tolist()) if p >= 0]
            sites = motion.skeleton.end_sites
            bones += [(s.parent, len(motion.skeleton) + n) for n, s in enumerate(sites)]
            for a, b in bones:
                axes.plot(points[[a, b], 2], points[[a, b], 1], color=colour, linewidth=2)
        axes.plot(target[2], target[1], "o", color=INK, markersize=6, fillstyle="none")
        left = np.linalg.norm(positions(posed)[frame, hand] - target)
        axes.set_title(f"{help}: {1000 * left:.0f} mm away", color=INK, fontsize=10, loc="left")
        axes.set_aspect("equal")
        axes.axis("off")
    save(figure, PICTURES / "reach-help.png")


def main() -> None:
    """Draw all pictures."""
    draw_response()
    draw_modes()
    draw_eases()
    draw_reach()


if __name__ == "__main__":
    main()
