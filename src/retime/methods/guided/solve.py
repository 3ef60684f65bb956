"""Guided time warping of any signal: features, search and curve put together."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from retime.arrays import FloatArray
from retime.errors import InfeasibleError, InputError
from retime.methods.guided.costs import (
    FeatureWeights,
    cost_table,
    reference_features,
    signal_cost,
)
from retime.methods.guided.features import TAU
from retime.methods.guided.moving_average import moving_average
from retime.methods.guided.parameters import Limit, SearchParameters
from retime.methods.guided.search import (
    Path,
    cost_of,
    find_free_path,
    find_path,
    find_priced_path,
)
from retime.timing import TimeWarp
from retime.timing.curves import keytime_warp, monotone_cubic

__all__ = ["Guidance", "Search", "solve"]

# With upsampling, steps grow with it, and work with their square.
_MOST_STEPS_UPSAMPLED = 16
# Longer inputs are searched by price first.
_LONG = 5000
# Beyond this bound on what a priced search may have missed, the search is done in full.
_SMALL_GAP = 1e-3
# Frames whose step_costs are kept at once, at most: about a gigabyte of doubles at 8 steps.
_MOST_TABLE = 1 << 31


@dataclass(frozen=True, eq=False)
class Search:
    """What to solve: a signal, where its timing comes from, and what must hold.

    Parameters
    ----------
    poses : array (n, D)
        Input, ``upsample`` frames to every frame of the output at the source's own speed.
    references : tuple of array (R, D)
        Where the timing comes from, at ``rate``.
    domain : (float, float)
        Times of the first and the last input frame, seconds.
    rate : float
        Frames per second of the output.
    upsample : int
        Input frames per output frame at the source's own speed.
    """

    poses: FloatArray
    references: tuple[FloatArray, ...]
    domain: tuple[float, float]
    rate: float
    upsample: int

    @property
    def input_rate(self) -> float:
        """Input frames per second."""
        return self.rate * self.upsample


@dataclass(frozen=True, eq=False)
class Guidance:
    """A guided warp and what it cost.

    Parameters
    ----------
    warp : TimeWarp
        The warp.
    costs : dict
        The objective (1) of the guided frames, of the spline through the keytimes, and of uniform
        speed: ``guided``, ``spline``, ``uniform``.
    gap : float
        Certified bound on how far the search is from the best, as a share; 0 where it is the best.
    frames : array (m,)
        Input frames that the search chose.
    """

    warp: TimeWarp
    costs: dict[str, float]
    gap: float
    frames: FloatArray


def solve(problem: Search, p: SearchParameters) -> Guidance:
    """Solve for a warp."""
    keytimes = p.keytimes
    start, end = problem.domain
    n = len(problem.poses)
    if n < 3:
        raise InputError("guided time warping needs at least three frames")
    length = end - start if p.duration is None else p.duration
    if not isinstance(length, str) and not (np.isfinite(length) and length > 0):
        raise InputError(f"the duration must be above 0 s, not {length:g} s")
    steps, capped = _steps(problem, p.max_speed)
    weights = FeatureWeights.of(TAU, 1 / problem.rate)
    if n * steps * steps * 8 > _MOST_TABLE:
        raise InputError(
            f"{n} frames with steps up to {steps} are too many; lower the rate, the upsampling or "
            "the largest speed"
        )
    step_costs = cost_table(
        problem.poses,
        problem.references,
        steps,
        weights,
        neighbours=p.neighbours,
        precision=p.precision,
    )
    plain = step_costs
    if p.speed_change_cost or p.speed_limits or p.min_speed is not None:
        step_costs = _limited(step_costs, problem, p)
    if isinstance(length, str):
        if keytimes:
            raise InputError("a free duration takes no keytimes; give a duration, or none of them")
        path = find_free_path(step_costs, p.frame_cost)
        keys = [(0, 0), (len(path.frames) - 1, n - 1)]
        length = (len(path.frames) - 1) / problem.rate
    else:
        m = max(round(length * problem.rate), 1) + 1
        keys = _key_frames(problem, m, length, keytimes, steps)
        path = _search(problem, step_costs, m, keys, p.search)
    fixed = sorted({t for t, _ in keys} | _edges(problem, path, p.speed_limits))
    guided = _curve(problem, path, fixed, length, keytimes, p.average, p.loop)
    spline = keytime_warp(problem.domain, duration=length, keytimes=keytimes, loop=p.loop)
    warp = guided if p.influence >= 1 else spline.blend(guided, p.influence)
    features = reference_features(problem.references, weights)
    costs = {"guided": cost_of(path.frames, plain)}
    uniform = keytime_warp(problem.domain, duration=length)
    for name, other in (("spline", spline), ("uniform", uniform)):
        shown = _shown(problem, other, len(path.frames))
        costs[name] = signal_cost(shown, features, weights, p.neighbours)
    notes = [
        f"cost {costs['guided']:.4g}; the spline through the keytimes {costs['spline']:.4g}, "
        f"uniform speed {costs['uniform']:.4g}"
    ]
    if costs["guided"] > 1.01 * costs["spline"]:
        notes.append(
            "the spline costs less: steps of whole frames are coarse here; a larger upsample, such "
            f"as {min(4 * problem.upsample, 16)}, may do better"
        )
    if p.influence < 1:
        costs["blended"] = signal_cost(
            _shown(problem, warp, len(path.frames)), features, weights, p.neighbours
        )
        notes.append(f"blended with the spline, the warp costs {costs['blended']:.4g}")
    if capped:
        notes.append(f"speeds are at most {steps / problem.upsample:g} times the source's here")
    if path.gap > 1e-9:
        notes.append(f"found by price, within {100 * path.gap:.2g} % of the best")
    return Guidance(warp.with_notes(*notes), costs, path.gap, path.frames.astype(float))


def _steps(problem: Search, max_speed: float) -> tuple[int, bool]:
    """Largest step in input frames, and whether upsampling made it smaller than asked for."""
    steps = max(int(np.ceil(max_speed * problem.upsample - 1e-9)), 1)
    if problem.upsample > 1 and steps > _MOST_STEPS_UPSAMPLED:
        return max(_MOST_STEPS_UPSAMPLED, 2 * problem.upsample), True
    return min(steps, len(problem.poses) - 1), False


def _limited(step_costs: FloatArray, problem: Search, p: SearchParameters) -> FloatArray:
    """Charge changes of speed, and forbid speeds outside their limits."""
    step_costs = step_costs.copy()
    steps = step_costs.shape[0]
    speed = (1 + np.arange(steps)) / problem.upsample
    if p.speed_change_cost:
        change = p.speed_change_cost * np.abs(speed[:, None] - speed)
        # Added to what is finite only: an infinite cost stays what it is.
        step_costs += change[:, :, None].astype(step_costs.dtype)
    start, end = problem.domain
    spans = [] if p.min_speed is None else [(start, end, p.min_speed, np.inf)]
    times = start + np.arange(step_costs.shape[2]) / problem.input_rate
    for first, last, slowest, fastest in [*spans, *p.speed_limits]:
        if not (first < last and 0 <= slowest <= fastest):
            raise InputError(
                f"the limit {first:g} to {last:g} s at {slowest:g} to {fastest:g} times the speed "
                "makes no sense"
            )
        inside = (times >= first - 1e-9) & (times <= last + 1e-9)
        bad = (speed < slowest - 1e-9) | (speed > fastest + 1e-9)
        forbidden = bad[:, None] | bad
        step_costs[forbidden[:, :, None] & inside] = np.inf
    return step_costs


def _key_frames(
    problem: Search,
    m: int,
    duration: float,
    keytimes: Sequence[tuple[float, float]],
    steps: int,
) -> list[tuple[int, int]]:
    """Bring keytimes to frames, both ends included; where they cannot be met, say what could."""
    start, _ = problem.domain
    n = len(problem.poses)
    # Also checks that they rise and lie inside.
    keytime_warp(problem.domain, duration=duration, keytimes=keytimes)
    keys = [(0, 0)]
    for output, source in sorted(keytimes):
        key = (
            round((output - start) * problem.rate),
            round((source - start) * problem.input_rate),
        )
        if key not in ((0, 0), (m - 1, n - 1)):
            keys.append(key)
    keys.append((m - 1, n - 1))
    for (t0, q0), (t1, q1) in itertools.pairwise(keys):
        wide, far = t1 - t0, q1 - q0
        where = (
            f"between output {start + t0 / problem.rate:.3g} and {start + t1 / problem.rate:.3g} s"
        )
        if wide <= 0 or far <= 0:
            raise InfeasibleError(
                f"two keytimes {where} fall on the same frame at {problem.rate:g} fps; move them "
                "apart, or raise the rate"
            )
        if far > steps * wide:
            need = far / wide / problem.upsample
            nearest = (m - 1 + int(np.ceil(far / steps)) - wide) / problem.rate
            most = steps / problem.upsample
            # Where upsampling caps the speed, a larger max_speed would change nothing.
            way = (
                "let no other part be slower than the source, which allows more, or move a keytime"
                if problem.upsample > 1 and steps >= _MOST_STEPS_UPSAMPLED
                else f"raise max_speed to {np.ceil(10 * need) / 10:g}"
            )
            raise InfeasibleError(
                f"{where} the speed would have to be {need:.3g} times the source's, above "
                f"{most:g}; {way}, or take a duration of {nearest:.3g} s"
            )
        if far < wide:
            need = int(np.ceil(wide / (far / problem.upsample)))
            nearest = (m - 1 + far - wide) / problem.rate
            raise InfeasibleError(
                f"{where} the motion would have to be slower than upsampling by "
                f"{problem.upsample} allows; upsample by {need} or more, or take a duration of "
                f"{nearest:.3g} s"
            )
    return keys


def _search(
    problem: Search,
    step_costs: FloatArray,
    m: int,
    keys: list[tuple[int, int]],
    search: Literal["exact", "coarse"],
) -> Path:
    if search == "coarse":
        return _coarse(problem, step_costs, m, keys)
    if len(problem.poses) > _LONG and len(keys) == 2:
        found = find_priced_path(step_costs, m)
        if found is not None and found.gap <= _SMALL_GAP:
            return found
    return find_path(step_costs, m, keys)


def _coarse(problem: Search, step_costs: FloatArray, m: int, keys: list[tuple[int, int]]) -> Path:
    """Search at about 5 Hz first, then in full only near what was found (section 3.3)."""
    skip = max(round(problem.rate / 5), 1)
    steps, _, n = step_costs.shape
    few_out = max((m - 1) // skip, 1) + 1
    few_in = np.round(np.linspace(0, n - 1, max((n - 1) // skip, 1) + 1)).astype(np.int64)
    weights = FeatureWeights.of(0.1, skip / problem.rate)
    references = tuple(z[::skip] for z in problem.references)
    if sum(max(len(z) - 2, 0) for z in references) < 3 or few_out < 3 or len(few_in) < few_out:
        return find_path(step_costs, m, keys)
    coarse = cost_table(problem.poses[few_in], references, min(steps, len(few_in) - 1), weights)
    rough = sorted({(0, 0), (few_out - 1, len(few_in) - 1)})
    try:
        found = find_path(coarse, few_out, rough)
        guess = np.interp(np.linspace(0, 1, m), np.linspace(0, 1, few_out), few_in[found.frames])
        near = np.round(guess).astype(np.int64)
        return find_path(step_costs, m, keys, near=near, margin=2 * skip * problem.upsample)
    except InfeasibleError:
        return find_path(step_costs, m, keys)


def _edges(problem: Search, path: Path, limits: Sequence[Limit]) -> set[int]:
    """Find the output frames between which limits hold: averaging must not mix across them."""
    times = problem.domain[0] + path.frames / problem.input_rate
    out: set[int] = set()
    for first, last, *_ in limits:
        inside = np.flatnonzero((times >= first - 1e-9) & (times <= last + 1e-9))
        if len(inside):
            # The steps into and out of the stretch are limited too.
            out |= {max(int(inside[0]) - 1, 0), min(int(inside[-1]) + 1, len(times) - 1)}
    return out


def _curve(
    problem: Search,
    path: Path,
    fixed: Sequence[int],
    duration: float,
    keytimes: Sequence[tuple[float, float]],
    average: float,
    loop: bool,
) -> TimeWarp:
    """Average the frames, put keytimes back to the digit, and draw a smooth curve through them."""
    start, end = problem.domain
    m = len(path.frames)
    window = 2 * round(average * problem.rate / 2) + 1
    source = moving_average(path.frames.astype(float), fixed, window, loop=loop)
    output = start + np.arange(m) * (duration / (m - 1))
    source = start + source * ((end - start) / (len(problem.poses) - 1))
    exact = {round((o - start) * problem.rate): (o, s) for o, s in keytimes}
    for t, (o, s) in exact.items():
        if 0 < t < m - 1:
            output[t], source[t] = o, s
    output[0], source[0], output[-1], source[-1] = start, start, start + duration, end
    # A keytime between two frames may lie past its neighbour; the neighbour gives way.
    fresh = np.ones(m, dtype=bool)
    for t in exact:
        for k in (t - 1, t + 1):
            if 0 < k < m - 1 and k not in exact:
                risen = (output[k] - output[t]) * (k - t) > 0 and (source[k] - source[t]) * (
                    k - t
                ) > 0
                fresh[k] &= risen
    return TimeWarp(*monotone_cubic(output[fresh], source[fresh], loop=loop), loop=loop)


def _shown(problem: Search, warp: TimeWarp, m: int) -> FloatArray:
    """Poses that another warp would show at the output's frames."""
    start, end = problem.domain
    t = np.linspace(*warp.domain, m)
    position = (warp(t) - start) / (end - start) * (len(problem.poses) - 1)
    before = np.clip(np.floor(position).astype(np.int64), 0, len(problem.poses) - 2)
    share = (position - before)[:, None]
    out: FloatArray = (1 - share) * problem.poses[before] + share * problem.poses[before + 1]
    return out
