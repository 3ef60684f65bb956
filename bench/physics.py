"""Physics-based retiming against independent solvers, and the paper's table of times.

Clarabel solves the speed-up as a second-order cone program, toppra the minimum time, highspy the
feasible regions by 16 linear programs a frame.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from bench.performances import MOCAP
from bench.timing import Figure, seconds
from retime import Motion, PhysicsModel, Skeleton, read, samples
from retime.methods.physics.limits.regions import (
    MOST_CHANGE,
    MOST_SPEED,
    UNIT,
)
from retime.methods.physics.search.durations import interval_regions

# Figure 12: milliseconds a frame (Force, Feasible, Bake, Obj, NP-Obj, Naive).
FIGURE_12 = {
    "16_16": (66, 12, 0.78, 0.0014, 0.0044, 78),
    "C10": (33, 5, None, 0.00027, 0.00076, 38),
    "C100": (170, 20, 0.037, 0.00029, 0.0046, 190),
    "C1000": (1850, 250, 0.21, 0.00029, 0.050, 2100),
}


def conic_optimum(
    model: PhysicsModel,
    duration: float,
    *,
    alpha: float = 1e4,
    beta: float = 1.0,
    smoothness: float = 0.3,
) -> float:
    """The least objective of a speed-up, by Clarabel: an independent statement of the problem.

    Variables are b, w <= sqrt(b), the intervals' times t >= step / mean w, for each end of each
    interval the nearest feasible point c and r >= (alpha |z - c|^2 + beta |torques|^2) / w, and for
    smoothness q <= sqrt(b0 b1).
    """
    import clarabel
    from scipy import sparse

    baked = model.baked()
    steps = np.diff(model.times)
    n, m = len(model.times), len(steps)
    at_b, at_w, at_t, at_r = 0, n, 2 * n, 2 * n + m
    at_c = at_r + 2 * m
    at_q = at_c + 4 * m
    size = at_q + m
    rows: list[int] = []
    columns: list[int] = []
    values: list[float] = []
    right: list[float] = []
    cones: list[Any] = []

    def add(terms: list[tuple[int, float]], bound: float) -> None:
        """sum(terms) + slack == bound"""
        for column, value in terms:
            rows.append(len(right))
            columns.append(column)
            values.append(value)
        right.append(bound)

    slowest, fastest = 0.05**2, 6.0**2
    for k in range(n):
        add([(at_b + k, -1.0)], -slowest)
        add([(at_b + k, 1.0)], fastest)
    for k in range(m):
        for side in range(2):
            corners = baked.corners[baked.starts[k + side] : baked.starts[k + side + 1]]
            c = at_c + 4 * k + 2 * side
            for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True):
                edge = b - a
                length = np.linalg.norm(edge)
                if length > 1e-12:
                    normal = np.array([edge[1], -edge[0]]) / length
                    add([(c, normal[0]), (c + 1, normal[1])], float(normal @ a))
    add([(at_t + k, 1.0) for k in range(m)], duration)
    cones.append(clarabel.NonnegativeConeT(len(right)))
    Affine = tuple[list[tuple[int, float]], float]

    def product(u: Affine, v: Affine, parts: list[Affine]) -> None:
        """u v >= |parts|^2, as a second-order cone"""
        add([(j, -c) for j, c in u[0] + v[0]], u[1] + v[1])
        add([(j, -c) for j, c in u[0]] + v[0], u[1] - v[1])
        for terms, constant in parts:
            add([(j, -2 * c) for j, c in terms], 2 * constant)
        cones.append(clarabel.SecondOrderConeT(2 + len(parts)))

    for k in range(n):
        product(([(at_b + k, 1.0)], 0.0), ([], 1.0), [([(at_w + k, 1.0)], 0.0)])
    for k in range(m):
        product(([(at_b + k, 1.0)], 0.0), ([(at_b + k + 1, 1.0)], 0.0), [([(at_q + k, 1.0)], 0.0)])
    for k in range(m):
        mean: Affine = ([(at_w + k, 0.5), (at_w + k + 1, 0.5)], 0.0)
        product(([(at_t + k, 1.0)], 0.0), mean, [([], float(np.sqrt(steps[k])))])
        slope = 1 / (2 * steps[k] * UNIT)
        y = [(at_b + k + 1, slope), (at_b + k, -slope)]
        x = [(at_b + k, 0.5), (at_b + k + 1, 0.5)]
        for side in range(2):
            c = at_c + 4 * k + 2 * side
            q = baked.matching[k + side]
            square = np.array(
                [[q[3], q[2] / 2, q[4] / 2], [q[2] / 2, q[0], q[1] / 2], [q[4] / 2, q[1] / 2, q[5]]]
            )
            scale, axes = np.linalg.eigh(square)
            root = (axes * np.sqrt(np.maximum(scale, 0))).T
            far = float(np.sqrt(alpha * baked.firmness[k + side]))
            parts: list[Affine] = [
                ([(j, far * v) for j, v in y] + [(c, -far)], 0.0),
                ([(j, far * v) for j, v in x] + [(c + 1, -far)], 0.0),
            ]
            for row in np.sqrt(beta) * root:
                if np.abs(row).max() > 1e-9:
                    terms = [(j, row[0] * v) for j, v in y] + [(j, row[1] * v) for j, v in x]
                    parts.append((terms, float(row[2])))
            product(([(at_r + 2 * k + side, 1.0)], 0.0), mean, parts)
    matrix = sparse.csc_matrix((values, (rows, columns)), shape=(len(right), size))
    cost = np.zeros(size)
    cost[at_r : at_r + 2 * m] = np.repeat(0.5 * steps, 2)
    usual = model.usual_speeds
    bend = smoothness * (duration / float(steps.sum())) ** 2 / steps
    cost[at_b : at_b + m] += bend / usual[:-1]
    cost[at_b + 1 : at_b + n] += bend / usual[1:]
    cost[at_q : at_q + m] = -2 * bend / np.sqrt(usual[:-1] * usual[1:])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    none = sparse.csc_matrix((size, size))
    solver = clarabel.DefaultSolver(none, cost, matrix, np.array(right), cones, settings)
    return float(solver.solve().obj_val)


def toppra_minimum(model: PhysicsModel) -> float:
    """The minimum time by toppra, on the same intervals' polygons."""
    import toppra
    from toppra.constraint import ConstraintType, DiscretizationType
    from toppra.constraint.linear_constraint import LinearConstraint

    step = float(model.times[1] - model.times[0])
    (starts, corners), _ = interval_regions(model.regions.flat, step)
    cells = [corners[a:b] * [UNIT, 1.0] for a, b in itertools.pairwise(starts)]

    class Polygons(LinearConstraint):  # type: ignore[misc]
        """b in a polygon of (u, x) at each grid point."""

        def __init__(self) -> None:
            super().__init__()
            self.discretization_type = DiscretizationType.Collocation
            self.constraint_type = ConstraintType.CanonicalLinear
            self.dof = 1
            self.identical = False

        def compute_constraint_params(self, path: Any, gridpoints: Any, *_: Any) -> Any:
            most = max(map(len, cells))
            n = len(gridpoints)
            a, b, c = np.zeros((n, most)), np.zeros((n, most)), np.full((n, most), -1.0)
            for k, corners in enumerate(cells):
                edge = np.roll(corners, -1, axis=0) - corners
                normal = np.c_[edge[:, 1], -edge[:, 0]]
                length = np.linalg.norm(normal / [1, UNIT], axis=1)
                normal = normal / np.maximum(length, 1e-12)[:, None]
                m = len(corners)
                a[k, :m], b[k, :m] = normal.T
                c[k, :m] = -(normal * corners).sum(axis=1) - 1e-9
            f = np.tile(np.eye(most), (n, 1, 1))
            return a, b, c, f, np.zeros((n, most)), None, np.tile([0.0, MOST_SPEED], (n, 1))

    path = toppra.SplineInterpolator(
        [0, model.times[-1] - model.times[0]], np.array([[0.0], [1.0]])
    )
    grid = model.times - model.times[0]
    solver = toppra.algorithm.TOPPRA([Polygons()], path, gridpoints=grid, solver_wrapper="seidel")
    # The start is free here, and given there; a hair of room is for its solver's rounding.
    fastest = model.extremes.fastest
    assert fastest is not None
    ends = (1 - 1e-6) * np.sqrt(fastest[[0, -1]])
    _, speed, _ = solver.compute_parameterization(*ends)
    return float((2 * np.diff(grid) / (speed[1:] + speed[:-1])).sum())


def highs_regions(model: PhysicsModel, frames: Any, directions: int = 16) -> None:
    """Regions by linear programs in some directions, warm started, as section 3.3 does."""
    import highspy

    for k in frames:
        limits, support = model.limits[k], model.maps[k] * model.weight
        t = model.torques
        matrix = np.c_[t.change[k], t.speed[k], -support] / limits[:, None]
        base = t.gravity[k] / limits
        count = matrix.shape[1]
        solver = highspy.Highs()
        solver.silent()
        low = np.r_[-MOST_CHANGE, 0.0, np.zeros(count - 2)]
        high = np.r_[MOST_CHANGE, MOST_SPEED, np.full(count - 2, 100.0)]
        solver.addVars(count, low, high)
        index = np.arange(count, dtype=np.int32)
        for row, b in zip(matrix, base, strict=True):
            solver.addRow(-1 - b, 1 - b, count, index, row)
        for angle in np.arange(directions) * 2 * np.pi / directions:
            solver.changeColCost(0, -np.cos(angle) / 10)
            solver.changeColCost(1, -np.sin(angle))
            solver.run()


def chain(links: int, frames: int = 60) -> Motion:
    """A hanging chain of links of three degrees of freedom each, swinging."""
    rng = np.random.default_rng(0)
    skeleton = Skeleton(
        tuple(f"Link{k}" for k in range(links)),
        np.arange(links) - 1,
        np.tile([0.0, -0.1, 0.0], (links, 1)),
    )
    t = np.arange(frames) / 60
    phase = rng.uniform(0, 6, (links, 3))
    angle = 0.2 * np.sin(2 * np.pi * t[:, None, None] + phase)
    from retime import quat

    return Motion(
        skeleton, quat.exp(angle), {"Link0": np.tile([0.0, 3.0, 0.0], (frames, 1))}, fps=60
    )


def figures() -> Iterator[Figure]:
    jump = read(MOCAP / "16_06.bvh") if MOCAP.is_dir() else samples.jump()
    model = PhysicsModel(jump)
    half = 0.55 * jump.duration
    begun = time.perf_counter()
    fresh = PhysicsModel(jump)
    fresh.baked()
    print(f"physics: set-up of {len(model.times)} frames: {time.perf_counter() - begun:.2f} s")
    _, found = model.solve(duration=half)
    begun = time.perf_counter()
    best = conic_optimum(model, half)
    conic = time.perf_counter() - begun
    print(f"physics: objective {found.objective:.5g}, Clarabel's {best:.5g}, "
          f"ratio {found.objective / best:.6f}, bound {found.bound:.5g}")  # fmt: skip
    yield Figure("speed-up", seconds(lambda: model.solve(duration=half)), "Clarabel SOCP", conic)
    first = model.warp(duration=half)
    key = float(np.median(model.times))
    drag = seconds(lambda: model.solve(duration=half, keytimes=[(0.5 * half, key)], start=first))
    print(f"physics: a dragged keytime is solved again in {1e3 * drag:.0f} ms")
    heavier = seconds(lambda: model.changed(mass_scale={"chest": 2.0}).baked(), repeats=3)
    print(f"physics: another mass is ready in {1e3 * heavier:.0f} ms")
    ours, theirs = model.minimum_duration(), toppra_minimum(model)
    print(f"physics: minimum {ours:.5f} s, toppra's {theirs:.5f} s")

    def fastest() -> None:
        model.__dict__.pop("extremes")
        model.minimum_duration()

    yield Figure("minimum time", seconds(fastest), "toppra", seconds(lambda: toppra_minimum(model)))
    frames = range(0, len(model.times), 8)
    within = model.regions.within
    polygons = seconds(lambda: [within.polygon(k) for k in frames])
    programs = seconds(lambda: highs_regions(model, frames), repeats=2)
    yield Figure(f"exact polygons, {len(frames)} frames", polygons, "highspy, 16 LPs", programs)
    figure_12()


def figure_12() -> list[tuple[str, ...]]:
    """Print figure 12: milliseconds a frame, the paper's beside ours."""
    walk = read(MOCAP / "16_16.bvh") if MOCAP.is_dir() else samples.walk()
    clips = {"16_16": walk, "C10": chain(10), "C100": chain(100), "C1000": chain(1000, 20)}
    out = []
    print("physics: figure 12, ms a frame (the paper's)")
    names = ("Force", "Feasible", "Bake", "Obj", "NP-Obj", "Naive")
    print("      " + "".join(f"{n:>20}" for n in names))
    for name, clip in clips.items():
        found = _times(clip)
        cells = [
            f"{v:.4g} ({'x' if p is None else p})"
            for v, p in zip(found, FIGURE_12[name], strict=True)
        ]
        print(f"{name:6}" + "".join(f"{c:>20}" for c in cells))
        out.append((name, *cells))
    return out


def _times(clip: Motion) -> tuple[float, ...]:
    from retime.methods.physics.search.problem import TimingProblem, objective_of

    frames = len(clip)
    start = time.perf_counter()
    model = PhysicsModel(clip, cutoff=0)
    _ = model.torques, model.maps
    force = time.perf_counter() - start
    _ = model.limits
    start = time.perf_counter()
    _ = model.regions
    feasible = time.perf_counter() - start
    start = time.perf_counter()
    baked = model.baked()
    baking = time.perf_counter() - start
    problem = TimingProblem(
        model.times,
        baked,
        [(len(model.times) - 1, 1.0)],
        [],
        0.05,
        np.full(len(model.times), 6.0),
        False,
        100,
        1,
    )
    b = np.ones(len(model.times))
    objective = seconds(lambda: objective_of(problem, b))
    t, scale = model.torques, model.limits[:, 6:]
    plain = seconds(
        lambda: (((t.gravity + t.speed)[:, 6:] - model.reference_torques) / scale**2).sum()
    )
    naive = force + feasible + plain
    return tuple(1e3 * v / frames for v in (force, feasible, baking, objective, plain, naive))
