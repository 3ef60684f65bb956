"""Guided time warping, syncing and the solver of both, beside peers and the former implementation.

- Table 1 of the paper at its own sizes. The peer scores every triple with scikit-learn's
  brute-force neighbours and searches with a plain numpy recurrence; the paper's times (2.4 GHz
  Pentium 4, C++ and MATLAB) stand beside the names.
- The default formulation, and syncing, beside recorded times of the implementation before it, which
  searched a table of costs, and tried 48 smoothing splines.
- The convex part of the solver beside Clarabel, which is also the oracle of its tests.
- What is delivered, beside uniform speed.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import retime
from bench.timing import Figure, in_turns, seconds
from retime import Motion, _native, samples
from retime.methods.guided import guide, guided
from retime.methods.guided.paper import WEIGHTS, corridor, score_table
from retime.methods.music import sync
from retime.pacing import Character, Elastic, Key, Points, Problem, Speed, solve

# Trial: input, output and reference frames, largest step, the paper's seconds (score + search).
TABLE_1 = {
    "V1": (493, 280, 493, 8, 4.0),
    "V2": (316, 180, 316, 10, 3.1),
    "V3": (378, 180, 378, 8, 3.3),
    "V4": (486, 320, 486, 8, 3.6),
    "V5": (401, 150, 101, 4, 1.0),
    "V6": (601, 301, 301, 8, 5.1),
    "V7": (573, 143, 45, 8, 2.7),
    "V8": (1524, 0, 91, 8, 2.6),  # of any length
}
SHARED = Path(__file__).parents[2] / "shared"
# The former implementation, in seconds: measured once on one core, before it was removed.
FORMER = {
    "guided, 8 s, a dragged keytime": 0.019,
    "guided, 8 s, the first answer": 0.027,
    "guided, 38 s, a dragged keytime": 0.092,
    "guided, 5 min, a dragged keytime": 0.800,
    "sync, 38 s, a dragged stiffness": 0.286,
}


def signal(frames: int, seed: int, columns: int = 75) -> Any:
    """Return a smooth random signal, with as many columns as 25 moving joints have."""
    rough = np.random.default_rng(seed).normal(size=(frames + 20, columns))
    box = np.ones(21) / 21
    return np.stack([np.convolve(v, box, mode="valid") for v in rough.T], axis=1)


def figures() -> Iterator[Figure]:
    yield from _table_1()
    yield from _dragged()
    yield from _convex()
    _delivered()


# ---- the paper's formulation


def paper_cost(x: Any, z: Any, m: int, steps: int) -> float:
    """Return the cost of the best path of m frames, or of any length if m is 0."""
    return paper_search(score_table(x, [z], steps), m)


def paper_search(table: Any, m: int) -> float:
    """Return the cost of the best path through a table of scores."""
    if not m:
        return float(_native.paper.free_path(table, 0.0)[0])
    ends = corridor(table.shape[1], [(0, 0), (m - 1, len(table) - 1)])
    return float(_native.paper.path(table, *ends)[0])


def _peer_cost(x: Any, z: Any, m: int, steps: int) -> float:
    from sklearn.neighbors import NearestNeighbors

    n = len(x)
    known = _features(z[:-2], z[1:-1], z[2:])
    index = NearestNeighbors(n_neighbors=3, algorithm="brute").fit(known)
    table = np.full((steps, steps, n), np.inf)
    for a, b in itertools.product(range(steps), repeat=2):
        j = np.arange(a + 1, n - 1 - b)
        triples = _features(x[j - 1 - a], x[j], x[j + 1 + b])
        table[a, b, j] = index.kneighbors(triples)[0].mean(axis=1)
    return _numpy_search(table, m)


def _features(before: Any, here: Any, after: Any) -> Any:
    """Return the features (2) of triples of poses."""
    parts = zip(np.sqrt(WEIGHTS), (here, after - before, after - 2 * here + before), strict=True)
    return np.concatenate([weight * part for weight, part in parts], axis=1)


def _numpy_search(table: Any, m: int) -> float:
    """Search by the recurrence (3), (4), a layer at a time; of any length, frame by frame."""
    steps, _, n = table.shape
    cost = np.full((steps, n), np.inf)  # of showing frame j after a step of a + 1
    for a in range(min(steps, n - 1)):
        cost[a, 1 + a] = 0.0
    for _ in range(m - 2):
        new = np.full_like(cost, np.inf)
        for b in range(steps):
            new[b, 1 + b :] = (cost + table[:, b])[:, : n - 1 - b].min(axis=0)
        cost = new
    for j in range(1, 0 if m else n - 1):
        for b in range(min(steps, n - 1 - j)):
            cost[b, j + 1 + b] = min(cost[b, j + 1 + b], (cost[:, j] + table[:, b, j]).min())
    return float(cost[:, n - 1].min())


def _table_1() -> Iterator[Figure]:
    ratios = []
    for name, (n, m, r, steps, paper) in TABLE_1.items():
        x, z = signal(n, 1), signal(r, 2)
        assert abs(paper_cost(x, z, m, steps) - _peer_cost(x, z, m, steps)) < 1e-6
        runs = (partial(cost, x, z, m, steps) for cost in (paper_cost, _peer_cost))
        ours, theirs = in_turns(*runs, rounds=2)
        ratios.append(theirs / ours)
        yield Figure(f"{name} (paper {paper:.1f} s)", ours, "scikit-learn + numpy", theirs)
    mean = float(np.exp(np.mean(np.log(ratios))))
    print(f"guided, table 1: geometric mean {mean:.0f} x, least {min(ratios):.0f} x")


# ---- the default formulation


def _lasting(seconds: float) -> Motion:
    """Return a recorded clip of a length, joined from shorter ones where there is no long one."""
    paths = sorted(SHARED.glob("mocap*/*.bvh"))
    clips = [retime.read(p) for p in paths[:12]] if paths else [samples.walk(), samples.jump()]
    clips = [c for c in clips if c.skeleton.same_joints(clips[0].skeleton)]
    while sum(c.duration for c in clips) < 1.1 * seconds:
        clips += clips
    joined = retime.concatenate([replace(c, start=0.0) for c in clips])
    return joined.between(joined.start, joined.start + seconds)


def _dragged() -> Iterator[Figure]:
    for what, length in (("8 s", 8.0), ("38 s", 38.0), ("5 min", 300.0)):
        motion = _lasting(length)
        yield _recorded(f"guided, {what}, a dragged keytime", _dragging(motion))
        if length == 8.0:
            # A copy has no cached features.
            first = partial(_first_answer, motion)
            yield _recorded(f"guided, {what}, the first answer", seconds(first))
        if length == 38.0:
            drag = partial(_dragged_stiffness, motion, itertools.count())
            yield _recorded(f"sync, {what}, a dragged stiffness", seconds(drag))


def _first_answer(motion: Motion) -> object:
    return guided(replace(motion), duration=0.75 * motion.duration).warp


def _dragged_stiffness(motion: Motion, calls: Iterator[int]) -> object:
    return sync(motion, bpm=110.0, stiffness=1 + 1e-6 * next(calls)).warp


def _recorded(what: str, ours: float) -> Figure:
    return Figure(what, ours, "the former (recorded)", FORMER[what])


def _dragging(motion: Motion) -> float:
    """Time a keytime in the middle that moves by a hundredth of a second at each call."""
    length, middle = 0.75 * motion.duration, motion.start + 0.51 * motion.duration
    at = itertools.cycle(motion.start + 0.5 * length + np.linspace(0, 0.1, 10))
    return seconds(lambda: guided(motion, duration=length, keytimes=[(next(at), middle)]).warp)


def _convex() -> Iterator[Figure]:
    """The elastic and wanted part, with keys and limits: Clarabel finds the same optimum."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    from convex_timing import convex_output

    for length in (3.0, 8.0):
        values = np.exp(np.random.default_rng(3).normal(0, 1, 20))
        track: Any = partial(np.interp, xp=np.linspace(0, length, 20), fp=values)
        wanted = np.linspace(0.1, 0.7, 9) * length
        terms = (Elastic(track), Points(wanted, 1.25 * wanted, np.full(9, 20.0)))
        keys = (Key(0.0, 0.0), Key(0.8 * length, length))
        speeds = (Speed(0, length, 0.5, 3.0),)
        problem = Problem((Character((0.0, length), terms, keys, speeds),))
        ours: Callable[[], Any] = partial(solve, problem)
        apart = np.abs(ours().curves[0][0] - convex_output(problem)).max()
        taken = in_turns(ours, partial(convex_output, problem), rounds=3)
        what = f"the convex part, {length:.0f} s (curves {1e3 * apart:.3f} ms apart)"
        yield Figure(what, taken[0], "Clarabel", taken[1])


def _delivered() -> None:
    """Print the delivered cost against uniform speed, and changes of rate per 1/30 s."""
    paths = sorted(SHARED.glob("mocap*/*.bvh"))[::3]
    clips = [retime.read(p) for p in paths] if paths else [samples.walk(), samples.jump()]
    clips = [m.between(m.start, m.start + 12) if m.duration > 12 else m for m in clips]
    for share in (0.6, 0.8, 1.4):
        costs, changes = [], []
        for motion in clips:
            found = guide(motion, duration=share * motion.duration)
            costs.append(found.costs["guided"] / found.costs["uniform"])
            rate = found.warp.rate(np.arange(*found.warp.domain, 1 / 30))
            changes.append(np.abs(np.diff(rate)).max())
        print(
            f"guided: {len(clips)} clips at {100 * share:.0f} %: delivered / uniform cost mean "
            f"{np.mean(costs):.3f}, most {max(costs):.3f}; largest change of rate, median "
            f"{np.median(changes):.2f}, most {max(changes):.2f}"
        )
