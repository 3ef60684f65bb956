"""The paper's own formulation: whole frames, any change of speed, and a moving average."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from retime.arrays import FloatArray
from retime.errors import InputError
from retime.methods.guided.costs import FeatureWeights, ReferenceFrames, cost_table
from retime.methods.guided.features import TAU
from retime.methods.guided.moving_average import moving_average
from retime.methods.guided.parameters import MOST_UPSAMPLING, Limit
from retime.methods.guided.problem import Found, Problem, key_cells, steepest
from retime.methods.guided.search import Path, find_free_path, find_path, find_priced_path
from retime.notes import Note
from retime.timing import TimeWarp

_NEVER_SLOWER, _USUAL_UPSAMPLING = 1, 4
# Steps grow with upsampling, and the work with their square.
_MOST_STEPS_UPSAMPLED = 16
# Longer inputs are searched with a Lagrange multiplier on the length first.
_LONG = 5000
# Optimality gap of the multiplier search above which the full search is done.
_SMALL_GAP = 1e-3
# Largest number of values in the table of costs: a gigabyte of doubles.
_MOST_TABLE = 1 << 27
# Window of the moving average (section 3.4), seconds.
_AVERAGE = 1 / 6


def search_as_the_paper(problem: Problem) -> Found:
    """Find the path of least cost through whole frames, and average it to a curve."""
    p = problem.p
    length = problem.length
    upsample = p.upsample or _upsampling(problem, length)
    weights = FeatureWeights.of(TAU, 1 / problem.rate)
    steps, capped = _steps(problem, upsample)
    poses = problem.curve.cells(upsample)
    if len(poses) * steps * steps > _MOST_TABLE:
        raise InputError(
            f"{len(poses)} frames with steps up to {steps} are too many; lower the rate, the "
            "upsampling or the largest speed"
        )
    step_costs = cost_table(poses, problem.references, steps, weights, neighbours=p.neighbours)
    _forbid(step_costs, problem, upsample)
    if length is None:
        if p.keytimes:
            raise InputError(
                "a free duration has no keytimes; give a duration, or remove the keytimes"
            )
        path = find_free_path(step_costs, p.frame_cost)
        length = (len(path.frames) - 1) / problem.rate
        keys = [(0, 0), (len(path.frames) - 1, len(poses) - 1)]
    else:
        keys = key_cells(problem, length, upsample, steps)
        path = _path(step_costs, problem.frames_of(length), keys)
    fixed = sorted({t for t, _ in keys} | _edges(problem, path, p.speed_limits, upsample))
    window = 2 * round(_AVERAGE * problem.rate / 2) + 1
    frames = moving_average(path.frames.astype(float), fixed, window, loop=p.loop)
    reference, m = ReferenceFrames.of(problem.references, weights), len(path.frames)

    def cost(warp: TimeWarp) -> float:
        return reference.score(problem.curve.at(problem.shown(warp, m)), p.neighbours)

    notes = []
    if capped:
        most = steps / upsample
        told = f"speeds are at most {most:g} times the source's here"
        notes.append(Note(told, code="speed-capped", speed=most))
    warp = problem.frames_drawn(frames / upsample, length)
    return Found(warp, cost, gap=path.gap, notes=tuple(notes))


def _upsampling(problem: Problem, length: float | None) -> int:
    """Choose the upsampling: none if time only gets shorter, otherwise twice the stretch."""
    if length is None:
        return _USUAL_UPSAMPLING
    p = problem.p
    start, end = problem.domain
    slow, _ = steepest([(start, start), *p.keytimes, (start + length, end)])
    if slow <= 1 + 1e-9 and problem.own and (p.min_speed is None or p.min_speed >= 1):
        return _NEVER_SLOWER
    return int(min(max(_USUAL_UPSAMPLING, np.ceil(2 * slow)), MOST_UPSAMPLING))


def _steps(problem: Problem, upsample: int) -> tuple[int, bool]:
    """Largest step in input frames, and whether upsampling made it smaller than requested."""
    steps = max(int(np.ceil(problem.p.max_speed * upsample - 1e-9)), 1)
    if upsample > 1 and steps > _MOST_STEPS_UPSAMPLED:
        return max(_MOST_STEPS_UPSAMPLED, 2 * upsample), True
    return min(steps, problem.curve.frames * upsample), False


def _forbid(step_costs: FloatArray, problem: Problem, upsample: int) -> None:
    """Forbid speeds outside their limits."""
    speed = (1 + np.arange(step_costs.shape[0])) / upsample
    times = problem.domain[0] + np.arange(step_costs.shape[2]) / (problem.rate * upsample)
    for first, last, slowest, fastest in problem.limits():
        bad = (speed < slowest - 1e-9) | (speed > fastest + 1e-9)
        inside = (times >= first - 1e-9) & (times <= last + 1e-9)
        if bad.any():
            step_costs[(bad[:, None] | bad)[:, :, None] & inside] = np.inf


def _path(step_costs: FloatArray, m: int, keys: list[tuple[int, int]]) -> Path:
    if step_costs.shape[2] > _LONG and len(keys) == 2:
        found = find_priced_path(step_costs, m)
        if found is not None and found.gap <= _SMALL_GAP:
            return found
    return find_path(step_costs, m, keys)


def _edges(problem: Problem, path: Path, limits: Sequence[Limit], upsample: int) -> set[int]:
    """Return the output frames at which limits start and end; averages do not cross them."""
    times = problem.domain[0] + path.frames / (problem.rate * upsample)
    out: set[int] = set()
    for first, last, *_ in limits:
        inside = np.flatnonzero((times >= first - 1e-9) & (times <= last + 1e-9))
        if len(inside):
            # The steps into and out of the part are limited too.
            out |= {max(int(inside[0]) - 1, 0), min(int(inside[-1]) + 1, len(times) - 1)}
    return out
