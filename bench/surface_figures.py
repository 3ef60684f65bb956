"""Figures of the paper on bilateral time control surfaces: 1, 5, 7, 8, and Table 1's actions."""

from __future__ import annotations

import csv
from pathlib import Path

from bench.performances import MOCAP
from retime import ControlSurfaces, Motion, Recipe, Step, SurfaceKey, TimeWarp, apply, read, samples
from retime.plot.strips import draw_strips
from retime.plot.surfaces import draw_joint_times, draw_surfaces

# Clip, what it is, and the drags: time, joint, shift, gamma. Table 1 has kick, cartwheel, dance,
# stretching (here the yawn) and swing; figures 1, 7 and 8 golf, yawn, throw, swing and kick.
ACTIONS: dict[str, tuple[str, list[tuple[float, str, float, float]]]] = {
    "64_01": ("golf", [(2.68, "RightHand", -0.2, 0.35)]),
    "111_32": ("yawn", [(4.5, "RightHand", -0.4, 0.46)]),
    "124_01": ("throw", [(3.7, "RightHand", -0.2, 0.3)]),
    "124_07": ("swing", [(2.82, "LeftHand", -0.3, 0.46)]),
    "10_01": ("kick", [(4.97, "RightFoot", -0.25, 0.63)]),
    "90_02": ("cartwheel", [(4.1, "LeftHand", 0.2, 0.65)]),
    "05_06": ("dance", [(4.2, "LeftFoot", 0.2, 0.36), (5.6, "RightHand", -0.2, 0.47)]),
}


def keys_of(name: str) -> list[SurfaceKey]:
    """The keys of one of the actions."""
    return [SurfaceKey(time=t, joint=j, shift=s, gamma=g) for t, j, s, g in ACTIONS[name][1]]


def _clip(name: str) -> Motion | None:
    file = MOCAP / f"{name}.bvh"
    return read(file) if file.exists() else None


def figures(folder: Path) -> None:
    """Write all that clips are at hand for; a bundled swing stands in for golf."""
    with (folder / "surface-table-1.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(("clip", "motion", "time s", "joint", "shift s", "from s", "to s", "gamma s"))
        for name, (what, drags) in ACTIONS.items():
            motion = _clip(name)
            if motion is None:
                continue
            surfaces = ControlSurfaces(motion, keys_of(name))
            for drag, (low, high) in zip(drags, surfaces.spans, strict=True):
                t, joint, shift, gamma = drag
                rows.writerow((name, what, t, joint, shift, f"{low:.2f}", f"{high:.2f}", gamma))
            _strip(motion, name, folder / f"surface-{what}.png")
    golf = _clip("64_01")
    keys = keys_of("64_01")
    if golf is None:
        golf, keys = samples.swing(), [SurfaceKey(time=1.2, joint="RightHand", shift=0.2)]
    surfaces = ControlSurfaces(golf, keys)
    draw_joint_times(surfaces, folder / "surface-figure-7.png")
    draw_surfaces(surfaces, folder / "surface-figure-5.png")


def _strip(motion: Motion, name: str, path: Path) -> None:
    """Draw the original over the retimed motion, about the keys."""
    keys = keys_of(name)
    surfaces = ControlSurfaces(motion, keys)
    low = max(motion.domain[0], min(a for a, _ in surfaces.spans) - 0.1)
    high = min(motion.domain[1], max(b for _, b in surfaces.spans) + 0.1)
    cut = TimeWarp([0, high - low], [low, high])
    retimed = Recipe([Step("surface", {"keys": keys})]).evaluate(motion)
    draw_strips({"original": apply(motion, cut), "retimed": apply(retimed, cut)}, path, poses=9)
