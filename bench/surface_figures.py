"""Figures of the paper on bilateral time control surfaces: 1, 3, 5, 7, 8, and Table 1's actions."""

from __future__ import annotations

import csv
from pathlib import Path
from time import perf_counter

import numpy as np

from bench.performances import MOCAP
from retime import (
    ControlSurfaces,
    Motion,
    Recipe,
    Step,
    SurfaceKey,
    find_body,
    read,
    samples,
)
from retime.motion.kinematics import joint_speeds
from retime.plot.overlays import draw_overlay
from retime.plot.surfaces import draw_joint_times, draw_paths, draw_surfaces

# Clip, action, and the drags of figures 1, 7 and 8: time, joint, shift, gamma.
ACTIONS: dict[str, tuple[str, list[tuple[float, str, float, float]]]] = {
    "64_01": ("golf", [(2.68, "RightHand", -0.2, 0.35)]),
    "111_32": ("yawn", [(4.5, "RightHand", -0.4, 0.46)]),
    "124_01": ("throw", [(3.7, "RightHand", -0.2, 0.3)]),
    "124_07": ("swing", [(2.82, "LeftHand", -0.3, 0.46)]),
    "10_01": ("kick", [(4.97, "RightFoot", -0.25, 0.63)]),
    "90_02": ("cartwheel", [(4.1, "LeftHand", 0.2, 0.65)]),
    "05_06": ("dance", [(4.2, "LeftFoot", 0.2, 0.36), (5.6, "RightHand", -0.2, 0.47)]),
}


# Table 1: the motion, the clip used for it (a throw for bowling, slow punches for tai chi), the
# joint, dragged at its fastest moment, the shift, and the paper's gamma.
TABLE_1: list[tuple[str, str, str, float, float]] = [
    ("soccer kick", "10_01", "right_foot", -0.25, 0.63),
    ("bowling", "124_01", "right_hand", -0.2, 0.43),
    ("cartwheeling", "90_02", "left_hand", 0.2, 0.65),
    ("tai chi", "punches-slow", "right_hand", -0.2, 0.45),
    ("stretching", "111_32", "right_hand", -0.4, 0.46),
    ("ballet", "05_02", "right_hand", -0.2, 0.36),
    ("dance 1", "60_01", "left_hand", -0.2, 0.30),
    ("dance 2", "05_06", "right_hand", -0.2, 0.47),
    ("arm swing", "124_07", "left_hand", -0.3, 0.30),
    ("pole swing", "01_02", "left_foot", -0.2, 0.46),
]


def keys_of(name: str) -> list[SurfaceKey]:
    """The keys of one of the actions."""
    return [SurfaceKey(time=t, joint=j, shift=s, gamma=g) for t, j, s, g in ACTIONS[name][1]]


def _clip(name: str) -> Motion | None:
    if name in samples.SAMPLES:
        return samples.sample(name).motion
    files = (folder / f"{name}.bvh" for folder in (MOCAP, MOCAP.parent / "mocap-more"))
    return next((read(file) for file in files if file.exists()), None)


def _table_1(path: Path) -> None:
    """Write what each of Table 1's edits does: its range, and when the joint really arrives."""
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(
            ("motion", "clip", "joint", "time s", "shift s", "gamma s", "from s", "to s",
             "arrives s", "off by m", "editing s")
        )  # fmt: skip
        for what, name, role, shift, gamma in TABLE_1:
            motion = _clip(name)
            if motion is None:
                continue
            joint = find_body(motion).roles[role]
            speed = joint_speeds(motion)[:, joint]
            inner = abs(motion.times - motion.times.mean()) < 0.35 * motion.duration
            time = float(motion.times[inner][speed[inner].argmax()])
            key = SurfaceKey(
                time=time, joint=motion.skeleton.names[joint], shift=shift, gamma=gamma
            )
            begun = perf_counter()
            surfaces = ControlSurfaces(motion, [key])
            (low, high), (arrived,) = surfaces.spans[0], surfaces.arrivals()
            taken = perf_counter() - begun
            rows.writerow(
                (what, name, key.joint, f"{time:.2f}", shift, gamma, f"{low:.2f}", f"{high:.2f}",
                 f"{arrived.measured:.3f}", f"{arrived.distance:.3f}", f"{taken:.2f}")
            )  # fmt: skip


def figures(folder: Path) -> None:
    """Write all that clips are at hand for; a bundled swing stands in for golf."""
    _table_1(folder / "surface-table-1.csv")
    for name, (what, _) in ACTIONS.items():
        motion = _clip(name)
        if motion is not None:
            _overlay(motion, name, folder / f"surface-{what}.png")
    golf = _clip("64_01")
    keys = keys_of("64_01")
    if golf is None:
        golf, keys = samples.swing(), [SurfaceKey(time=1.2, joint="RightHand", shift=0.2)]
    surfaces = ControlSurfaces(golf, keys)
    draw_joint_times(surfaces, folder / "surface-figure-7.png")
    draw_surfaces(surfaces, folder / "surface-figure-5.png")
    draw_paths(surfaces, folder / "surface-figure-3.png")


def _overlay(motion: Motion, name: str, path: Path) -> None:
    """Draw the result over the source, around the first key."""
    keys = keys_of(name)
    result = Recipe([Step("surface", {"keys": keys})]).evaluate(motion)
    arrival = keys[0].time + keys[0].shift
    times = np.linspace(arrival - 0.24, arrival + 0.36, 6).clip(*motion.domain)
    draw_overlay(motion, result, times, path, joint=keys[0].joint)
