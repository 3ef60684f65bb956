"""Guided time warping at the paper's own sizes (Table 1), against scikit-learn and numpy.

The peer scores every triple with scikit-learn's brute-force neighbours and searches with a plain
numpy recurrence. Beside the figures stand the paper's times (2.4 GHz Pentium 4, C++ and MATLAB).
The default formulation is measured end to end against the former default (the paper's formulation,
its curves scored frame by frame), and what it delivers against uniform speed.
"""

from __future__ import annotations

import itertools
import resource
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from retime.methods.guided.costs import FeatureWeights, cost_table, reference_features
from retime.methods.guided.problem import Problem
from retime.methods.guided.search import find_free_path, find_path
from retime.methods.guided.solve import solve
from retime.methods.guided.windows import find_evidence

import retime
from bench.timing import Figure, in_turns, seconds
from retime import Motion, samples
from retime.methods.guided import GuidedParameters, guide
from retime.methods.guided.features import pose_signals
from retime.methods.guided.pose_curve import FINE, PoseCurve
from retime.methods.guided.references import cut
from retime.motion.memory import last

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
WEIGHTS = FeatureWeights.of(0.1, 1 / 30)


def signal(frames: int, seed: int, columns: int = 75) -> Any:
    """A smooth random signal, with as many columns as 25 moving joints have."""
    rng = np.random.default_rng(seed)
    rough = rng.normal(size=(frames + 20, columns))
    box = np.ones(21) / 21
    return np.stack([np.convolve(v, box, mode="valid") for v in rough.T], axis=1)


def _ours(x: Any, z: Any, m: int, steps: int, precision: Any) -> float:
    table = cost_table(x, [z], steps, WEIGHTS, precision=precision)
    if not m:
        return find_free_path(table, 0.0).cost
    return find_path(table, m, [(0, 0), (m - 1, len(x) - 1)]).cost


def _peer(x: Any, z: Any, m: int, steps: int) -> float:
    from sklearn.neighbors import NearestNeighbors

    n = len(x)
    index = NearestNeighbors(n_neighbors=3, algorithm="brute").fit(reference_features([z], WEIGHTS))
    table = np.full((steps, steps, n), np.inf)
    for a in range(steps):
        for b in range(steps):
            j = np.arange(a + 1, n - 1 - b)
            triples = WEIGHTS.features(x[j - 1 - a], x[j], x[j + 1 + b])
            table[a, b, j] = index.kneighbors(triples)[0].mean(axis=1)
    return _numpy_search(table, m)


def _numpy_search(table: Any, m: int) -> float:
    """The recurrence (3), (4) in numpy, a layer at a time; of any length, frame by frame."""
    steps, _, n = table.shape
    cost = np.full((steps, n), np.inf)  # of showing frame j after a step of a + 1
    for a in range(steps):
        if 1 + a < n:
            cost[a, 1 + a] = 0.0
    if m:
        for _ in range(m - 2):
            new = np.full_like(cost, np.inf)
            for b in range(steps):
                new[b, 1 + b :] = (cost + table[:, b])[:, : n - 1 - b].min(axis=0)
            cost = new
    else:
        for j in range(1, n - 1):
            for b in range(min(steps, n - 1 - j)):
                cost[b, j + 1 + b] = min(cost[b, j + 1 + b], (cost[:, j] + table[:, b, j]).min())
    return float(cost[:, n - 1].min())


def figures() -> Iterator[Figure]:
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):  # one thread each: it is the work that is compared
        yield from _table_1()
        yield from _default()
    _delivered()
    _long_clip()
    _library()
    _growth()


def _table_1() -> Iterator[Figure]:
    ratios: dict[str, list[float]] = {"double": [], "single": []}
    for name, (n, m, r, steps, paper) in TABLE_1.items():
        x, z = signal(n, 1), signal(r, 2)
        assert abs(_ours(x, z, m, steps, "double") - _peer(x, z, m, steps)) < 1e-6
        theirs, *ours = in_turns(
            partial(_peer, x, z, m, steps),
            *(partial(_ours, x, z, m, steps, precision) for precision in ratios),
        )
        for (precision, found), took in zip(ratios.items(), ours, strict=True):
            found.append(theirs / took)
            what = f"{name}, {precision} (paper {paper:.1f} s)"
            yield Figure(what, took, "scikit-learn + numpy", theirs)
    for precision, found in ratios.items():
        mean = float(np.exp(np.mean(np.log(found))))
        print(f"guided: {precision}: geometric mean {mean:.0f} x, least {min(found):.0f} x")


def _clips(most: float) -> Iterator[Motion]:
    """Clips of a folder ``shared`` beside the project, cut; else the bundled motions."""
    found = sorted(SHARED.glob("mocap*/*.bvh"))
    for motion in map(retime.read, found) if found else (samples.walk(), samples.jump()):
        span = (motion.start, motion.start + most)
        yield cut(motion, span, "range") if motion.duration > most else motion


def _default() -> Iterator[Figure]:
    """The default and the paper's formulation end to end, dragging a keytime included."""
    clips = [m for m in itertools.islice(_clips(8.0), 0, None, 9) if m.duration > 5][:6]
    for what, share, keys in (("75 %", 0.75, 0), ("140 %", 1.4, 0), ("a dragged keytime", 0.75, 1)):

        def run(formulation: Any, share: float = share, keys: int = keys) -> None:
            for motion in clips:
                start, length = motion.start, share * motion.duration
                key = (start + 0.5 * length, start + 0.51 * motion.duration)
                found = guide(
                    motion, duration=length, keytimes=[key] * keys, formulation=formulation
                )
                if formulation == "paper":  # the former default scored two curves frame by frame
                    _score_plainly(motion, found.warp, 2)

        ours, theirs = in_turns(partial(run, "smooth"), partial(run, "paper"))
        yield Figure(f"{len(clips)} clips of 8 s, {what}", ours, "the former default", theirs)


def _score_plainly(motion: Motion, warp: retime.TimeWarp, times: int) -> None:
    """Score a warp by all differences of features, as the former default did."""
    signals = last(motion, "bench", (), lambda: pose_signals(motion, [motion], rate=30.0))
    features = reference_features(signals.references, WEIGHTS)
    moments = np.linspace(*warp.domain, round(warp.duration * 30) + 1)
    shown = signals.curve.at((warp(moments) - motion.start) * 30)
    for _ in range(times):
        for i in range(1, len(shown) - 1, 256):
            b = np.arange(i, min(i + 256, len(shown) - 1))
            triples = WEIGHTS.features(shown[b - 1], shown[b], shown[b + 1])
            square = ((triples[:, None] - features) ** 2).sum(-1)
            np.sqrt(np.partition(square, 2, axis=1)[:, :3]).mean(axis=1).sum()


def _delivered() -> None:
    """Delivered cost against uniform speed, and changes of rate per 1/30 s, over all clips."""
    clips = list(_clips(12.0))
    for share in (0.9, 0.75, 0.6, 1.4):
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


def _long_clip() -> None:
    """Ten minutes at 30 Hz, the clip its own reference, by the default formulation."""
    frames = 18_000
    fine = signal((frames - 1) * FINE + 1, 3)
    end = (frames - 1) / 30
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.perf_counter()
    found = solve(
        Problem(
            PoseCurve(fine),
            (fine[::FINE].copy(),),
            (0.0, end),
            30.0,
            GuidedParameters(duration=0.6 * end),
        )
    )
    done = time.perf_counter()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(
        f"guided: n = r = {frames}: {done - start:.1f} s, gap {found.gap:.1e}, peak "
        f"{peak / 1024:.0f} MB (before {before / 1024:.0f} MB)"
    )


def _library() -> None:
    """An hour of reference frames: the bundled walk at many speeds, in poses unlike its own too."""
    walk = samples.walk(seconds=8.0)
    signals = pose_signals(walk, [walk], rate=30.0)
    rng = np.random.default_rng(7)
    references = []
    for _ in range(360):
        place = np.arange(300) * np.exp(rng.uniform(-0.7, 0.7))
        there = np.abs((place + 240) % 480 - 240) % signals.curve.frames
        away = rng.normal(0, rng.uniform(0, 0.3), signals.curve.poses.shape[1])
        references.append(signals.curve.at(there) + away)
    for count in (36, 360):
        start = time.perf_counter()
        find_evidence(
            signals.curve.poses, references[:count], rate=30.0, similarity=0.1, tall=signals.tall
        )
        took = time.perf_counter() - start
        print(f"guided: 8 s against a library of {300 * count} frames: {took:.2f} s")


def _growth() -> None:
    for what, sizes in (("n", (250, 500, 1000, 2000)), ("s", (4, 8, 16)), ("r", (250, 500, 1000))):
        times = []
        for size in sizes:
            n, s, r = (size if what == k else d for k, d in (("n", 500), ("s", 8), ("r", 500)))
            x, z = signal(n, 1), signal(r, 2)
            times.append(seconds(partial(_ours, x, z, n // 2, s, "double"), repeats=2))
        line = ", ".join(f"{size}: {1e3 * t:.1f} ms" for size, t in zip(sizes, times, strict=True))
        print(f"guided: growth with {what}: {line}")
