"""Staggered poses: fitting against the paper's simplex search, and what an edit takes.

The peer is scipy's Nelder-Mead on appendix A's objective, with our own splines; it is run on a part
of the transitions and its time is scaled to all of them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from scipy.optimize import minimize

from bench.performances import MOCAP
from bench.timing import Figure, seconds
from retime import Motion, StaggeredPoses, TimeWarp, _native, apply, read, samples
from retime.arrays import FloatArray

# The peer fits one in this many transitions.
_SAMPLE = 12


def nelder_mead(
    ends: FloatArray, samples: FloatArray, shares: FloatArray, start: FloatArray, rounds: int
) -> FloatArray:
    """Fit one transition's two tangents by the downhill simplex method."""
    controls, knots = np.empty((1, 4, 4)), np.array([0.0, 1.0])
    controls[0, [0, 3]] = ends

    def objective(x: FloatArray) -> float:
        """w_f f_f + w_c f_c with w_f = 1000 w_c (appendix A)."""
        tangents = x.reshape(2, 4)
        squares = (tangents**2).sum(axis=1)
        controls[0, 1:3] = tangents / np.sqrt(squares)[:, None]
        there = _native.splines.evaluate_rotations(controls, knots, shares)
        angles = np.arccos(np.clip((there * samples).sum(axis=1), -1.0, 1.0))
        fit = (angles**2).sum() / max(len(shares), 1)
        return float(1000.0 * fit + abs(squares.sum() - 2.0))

    options = {"maxiter": rounds, "xatol": np.inf, "fatol": 1e-10}
    found = minimize(objective, start, method="Nelder-Mead", options=options)
    return np.asarray(found.x)


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
    from retime.methods.staggered.search.making import _fitted

    walk = _clip("16_16", samples.walk(), 4.0)
    poses = StaggeredPoses.from_motion(walk)
    simplex = simplex_seconds(poses)
    size = f"{walk.duration:.1f} s, {len(walk.skeleton)} joints"
    peer = "scipy's Nelder-Mead"
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
