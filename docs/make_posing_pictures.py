"""Draw docs/pictures of reaching, secondary motion and tween tools, on bundled motions."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import numpy as np

from retime import Motion, StaggeredPoses, positions, quat, samples
from retime.arrays import FloatArray
from retime.body.posing import Help
from retime.methods.secondary import Follower
from retime.methods.staggered.tween_edits import Ease
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
    draw_eases()
    draw_reach()


if __name__ == "__main__":
    main()
