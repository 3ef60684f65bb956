"""Guided time warping at the paper's own sizes (Table 1), against scikit-learn and numpy.

The peer scores every triple with scikit-learn's brute-force neighbours and searches with a plain
numpy recurrence. Beside the figures stand the paper's times (2.4 GHz Pentium 4, C++ and MATLAB).
"""

from __future__ import annotations

import resource
import time
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from bench.timing import Figure, in_turns, seconds
from retime.methods.guided.costs import FeatureWeights, cost_table, reference_features
from retime.methods.guided.search import find_free_path, find_path, find_priced_path

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
    _long_clip()
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


def _long_clip() -> None:
    """Ten minutes at 30 Hz, the clip its own reference."""
    x = signal(18_000, 3)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.perf_counter()
    table = cost_table(x, [x], 8, WEIGHTS, precision="single")
    scored = time.perf_counter()
    found = find_priced_path(table, 10_000)
    done = time.perf_counter()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    gap = float("nan") if found is None else found.gap
    print(
        f"guided: n = r = 18000, s = 8: score {scored - start:.1f} s, "
        f"search {done - scored:.2f} s, gap {gap:.1e}, peak {peak / 1024:.0f} MB "
        f"(before {before / 1024:.0f} MB)"
    )


def _growth() -> None:
    for what, sizes in (("n", (250, 500, 1000, 2000)), ("s", (4, 8, 16)), ("r", (250, 500, 1000))):
        times = []
        for size in sizes:
            n, s, r = (size if what == k else d for k, d in (("n", 500), ("s", 8), ("r", 500)))
            x, z = signal(n, 1), signal(r, 2)
            times.append(seconds(partial(_ours, x, z, n // 2, s, "double"), repeats=2))
        line = ", ".join(f"{size}: {1e3 * t:.1f} ms" for size, t in zip(sizes, times, strict=True))
        print(f"guided: growth with {what}: {line}")
