"""Staggered poses: fitting against the paper's simplex search, and what an edit takes.

The peer minimises appendix A's objective by Nelder and Mead, compiled like our own code; it is run
on a part of the transitions and its time is scaled to all of them.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from bench.performances import MOCAP
from bench.timing import Figure, seconds
from retime import Motion, StaggeredPoses, TimeWarp, apply, read, samples
from retime.compiled import kernel
from retime.methods.staggered.kernels import arc_gaps, spline_at

# The peer fits one in this many transitions.
_SAMPLE = 12


@kernel
def _objective(tangents, ends, samples, shares, controls, work, at):  # type: ignore[no-untyped-def]
    """w_f f_f + w_c f_c with w_f = 1000 w_c (appendix A)."""
    controls[0] = ends[0]
    controls[3] = ends[1]
    lengths = 0.0
    for k in range(2):
        norm = 0.0
        for c in range(4):
            norm += tangents[4 * k + c] ** 2
        lengths += norm
        for c in range(4):
            controls[1 + k, c] = tangents[4 * k + c] / math.sqrt(norm)
    total = 0.0
    gap = arc_gaps(controls)
    for k in range(len(shares)):
        spline_at(controls, gap, shares[k], work, at)
        dot = 0.0
        for c in range(4):
            dot += samples[k, c] * at[c]
        total += math.acos(min(max(dot, -1.0), 1.0)) ** 2
    return 1000.0 * total / max(len(shares), 1) + abs(lengths - 2.0)


@kernel
def nelder_mead(ends, samples, shares, start, rounds):  # type: ignore[no-untyped-def]
    """Fit one transition's two tangents by the downhill simplex method."""
    n = 8
    controls = np.empty((4, 4))
    work = np.empty((5, 4))
    at = np.empty(4)
    simplex = np.empty((n + 1, n))
    values = np.empty(n + 1)
    for k in range(n + 1):
        simplex[k] = start
        if k:
            simplex[k, k - 1] += 0.05
        values[k] = _objective(simplex[k], ends, samples, shares, controls, work, at)
    for _ in range(rounds):
        order = np.argsort(values)
        simplex = simplex[order]
        values = values[order]
        if values[n] - values[0] <= 1e-10 * (abs(values[0]) + 1e-12):
            break
        centre = np.zeros(n)
        for k in range(n):
            centre += simplex[k] / n
        reflected = 2 * centre - simplex[n]
        value = _objective(reflected, ends, samples, shares, controls, work, at)
        if value < values[0]:
            far = 3 * centre - 2 * simplex[n]
            further = _objective(far, ends, samples, shares, controls, work, at)
            if further < value:
                reflected = far
                value = further
        elif value >= values[n - 1]:
            near = 0.5 * (centre + (reflected if value < values[n] else simplex[n]))
            nearer = _objective(near, ends, samples, shares, controls, work, at)
            if nearer < min(value, values[n]):
                reflected = near
                value = nearer
            else:
                for k in range(1, n + 1):
                    simplex[k] = 0.5 * (simplex[k] + simplex[0])
                    values[k] = _objective(simplex[k], ends, samples, shares, controls, work, at)
                continue
        simplex[n] = reflected
        values[n] = value
    return simplex[np.argmin(values)]


def simplex_seconds(poses: StaggeredPoses) -> float:
    """Time the paper's fit of all transitions, by a part of them."""
    work = []
    for j, curve in enumerate(poses.curves[: len(poses.source.skeleton)]):
        for a, b in zip(curve.knots[:-1], curve.knots[1:], strict=True):
            inside = (curve.times > a) & (curve.times < b)
            shares = (curve.times[inside] - a) / (b - a)
            track = poses.source.rotations[:, j]
            frames = np.searchsorted(curve.times, [a - 1e-9, b - 1e-9])
            work.append((track[frames], track[inside], shares))
    chosen = work[::_SAMPLE]
    straight = [
        np.concatenate([e[0] * 2 / 3 + e[1] / 3, e[0] / 3 + e[1] * 2 / 3]) for e, _, _ in chosen
    ]
    nelder_mead(*chosen[0], straight[0], 2)
    begun = time.perf_counter()
    for (ends, track, shares), start in zip(chosen, straight, strict=True):
        nelder_mead(ends, track, shares, start, 4000)
    return (time.perf_counter() - begun) * len(work) / len(chosen)


def _clip(name: str, instead: Motion, length: float) -> Motion:
    file = MOCAP / f"{name}.bvh"
    motion = read(file) if file.exists() else instead
    end = min(length, motion.duration)
    return apply(motion, TimeWarp([0, end], [0, end]), fps=120)


def _evaluated(edit: Callable[[], StaggeredPoses]) -> Motion:
    return edit().motion(constraints="free")


def figures() -> Iterator[Figure]:
    from retime.methods.staggered.making import _fitted

    walk = _clip("16_16", samples.walk(), 4.0)
    poses = StaggeredPoses.from_motion(walk)
    simplex = simplex_seconds(poses)
    size = f"{walk.duration:.1f} s, {len(walk.skeleton)} joints"
    peer = "Nelder-Mead, compiled"
    fit = seconds(lambda: _fitted(walk, poses.timing, "log"))
    yield Figure(f"fit, {size}", fit, peer, simplex)
    best = seconds(lambda: _fitted(walk, poses.timing, "levenberg-marquardt"))
    yield Figure("fit by Levenberg-Marquardt", best, peer, simplex)
    whole = seconds(lambda: StaggeredPoses.from_motion(walk))
    yield Figure("poses, refinements and fit", whole, peer, simplex)

    long = _clip("124_07", samples.walk(seconds=10), 10.0)
    poses = StaggeredPoses.from_motion(long)
    k = len(poses) // 2
    later = float(poses.times[k]) + 0.03
    whole = seconds(lambda: StaggeredPoses.from_motion(long))
    again = "finding them anew"
    edits: dict[str, Callable[[], StaggeredPoses]] = {
        "retime a pose": lambda: poses.retime(k, later),
        "reshape a pose": lambda: poses.exaggerate(0.3, poses=k),
        "reshape an arm": lambda: poses.turn({"LeftArm": [0, 0, 9]}),
        "exaggerate all": lambda: poses.exaggerate(0.3),
    }
    for what, edit in edits.items():
        taken = seconds(partial(_evaluated, edit), repeats=9)
        yield Figure(f"{what}, evaluate ({long.duration:.0f} s)", taken, again, whole)
    held = seconds(lambda: poses.exaggerate(0.3).motion(), repeats=9)
    yield Figure("exaggerate all, contacts held", held, again, whole)
