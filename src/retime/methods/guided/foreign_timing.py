"""Follow a foreign or edited reference, with a free or a given length.

minimise over rho(s)  sum_i C_i(rho_i) + mu rho_i^2 + lam (rho_i+1 - rho_i)^2

over input frames, exactly on a grid of log rates; C is the regret of the windows. Output time is
the integral of e^-rho. Keytimes and a given length change rates where evidence is weakest.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace

import numpy as np

from retime.arrays import FloatArray
from retime.errors import InfeasibleError
from retime.methods.guided.own_timing import keep_own_timing
from retime.methods.guided.problem import SLOWEST, Found, Problem, must_keep_speeds
from retime.methods.guided.windows import RATES, Evidence, find_evidence
from retime.notes import Note, Remedy
from retime.timing import TimeWarp

# Cost of the squared log rate, and of its squared change from frame to frame (at 30 fps).
_STAY, _CHANGE = 0.1, 3.0
# Smoothing of the rates on the grid by a Gaussian, frames.
_BLUR = 1.5
# The stiffness of a rate is the cost of leaving it by this many levels, a third of an octave.
_LEAVE = 4
# Rounds of Newton's method, its largest step, and when lengths are met, in frames.
_ROUNDS, _MOST, _MET = 60, 0.5, 1e-9
# Stiffness of a rate at its limit.
_STIFF = 1e6
# Fraction of similar frames below which a larger scale is suggested.
_LITTLE = 0.25
# Regret below which windows are too ambiguous to distribute a given length.
_FAINT = 0.1


def follow_reference(problem: Problem, length: float | None) -> Found:
    """Find the warp that plays parts similar to the reference at the speed of the reference."""
    p = problem.p
    evidence = problem.curve.last(
        "evidence",
        (problem.rate, p.similarity, problem.tall),
        lambda: find_evidence(
            problem.curve.poses,
            problem.references,
            rate=problem.rate,
            similarity=p.similarity,
            tall=problem.tall,
        ),
    )
    frames = np.linspace(*problem.domain, len(evidence.likeness))
    note = Note(
        f"{100 * evidence.alike:.0f} % of the clip resembles the reference"
        + ("" if evidence.alike > 0.995 else "; the rest keeps its timing"),
        Remedy(parameter="similarity") if evidence.alike < _LITTLE else None,
        code="guided-evidence",
        share=evidence.alike,
    )
    faint = length is not None and evidence.alike > 0.5 and evidence.decisive < _FAINT
    # If few joints move, as in boxing, windows match at any speed: use absolute speeds.
    found = (
        keep_own_timing(problem, length)
        if faint and length
        else _by_rates(problem, length, evidence)
    )
    return replace(found, evidence=np.c_[frames, evidence.likeness], notes=(*found.notes, note))


def _by_rates(problem: Problem, length: float | None, evidence: Evidence) -> Found:
    rates = _Rates(problem, evidence)
    fixed = _fixed(problem, length)
    found = rates.free()
    if len(fixed) > 1:
        found = rates.through(found, fixed)
    start, end = problem.domain
    step = (end - start) / problem.curve.frames
    output = start + rates.output_frames(found) * step
    if length is not None:
        output[-1] = start + length
    warp = problem.draw(output, np.linspace(start, end, len(output)))
    spline = problem.spline(warp.duration)
    known = {"guided": rates.cost(warp), "spline": rates.cost(spline)}
    if len(fixed) > 1 and known["guided"] > known["spline"] and problem.allows(spline):
        warp, known["guided"] = spline, known["spline"]
    return Found(warp, rates.cost, known)


def _fixed(problem: Problem, length: float | None) -> list[tuple[float, float]]:
    """Return the fixed (output frame, input frame) pairs: start, keytimes and a given end."""
    start, end = problem.domain
    step = (end - start) / problem.curve.frames
    points = must_keep_speeds(problem, length)
    return [((o - start) / step, (s - start) / step) for o, s in points]


@dataclass(frozen=True, eq=False)
class _Rates:
    """Log rates (n,) of the input frames: found, adjusted to fixed times, and scored."""

    problem: Problem
    evidence: Evidence

    @property
    def _change(self) -> float:
        return _CHANGE * self.problem.rate / 30

    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """Return the lowest and the highest log rate (n,) of each frame."""
        frames = np.arange(len(self.evidence.likeness), dtype=float)
        low, high = np.full(len(frames), SLOWEST), np.full(len(frames), np.inf)
        for first, last, slowest, fastest in self.problem.limits():
            a, b = self.problem.position(np.array([first, last]))
            inside = (frames >= a - 1e-9) & (frames <= b + 1e-9)
            low[inside] = np.maximum(low[inside], slowest)
            high[inside] = np.minimum(high[inside], max(fastest, SLOWEST))
        if (low > high).any():
            raise InfeasibleError("no timing meets all limits of speed; widen them")
        return np.log(low), np.log(high)

    def free(self) -> FloatArray:
        """Find the rates of least cost, of any length."""
        from scipy.ndimage import gaussian_filter1d

        from retime.methods.guided.window_kernels import least_path

        costs = self.evidence.regret + _STAY * RATES**2
        low, high = self.bounds()
        level = RATES[1] - RATES[0]
        # To the nearest level; the exact bounds are applied below.
        outside = (low[:, None] - level / 2 > RATES) | (high[:, None] + level / 2 < RATES)
        outside &= ~outside.all(axis=1, keepdims=True)
        costs = np.where(outside, 1e9, costs)
        loop, n = self.problem.p.loop, len(costs)
        if loop:
            costs = np.concatenate([costs, costs[1:], costs[1:]])
        change = self._change * (np.arange(len(RATES)) * level) ** 2
        path = RATES[least_path(costs, change)]
        if loop:
            path = path[n - 1 : 2 * n - 1]
            path[-1] = path[0]
        wide = _BLUR * self.problem.rate / 30
        inner = path[:-1] if loop else path
        blurred = gaussian_filter1d(inner, wide, mode="wrap" if loop else "nearest")
        if loop:
            blurred = np.r_[blurred, blurred[0]]
        out: FloatArray = np.clip(blurred, low, high)
        return out

    def output_frames(self, rates: FloatArray) -> FloatArray:
        """Integrate the rates; return the output frames (n,) of the input frames."""
        pace = np.exp(-rates)
        out: FloatArray = np.r_[0.0, np.cumsum((pace[1:] + pace[:-1]) / 2)]
        return out

    def through(self, free: FloatArray, fixed: list[tuple[float, float]]) -> FloatArray:
        """Adjust rates to fixed times with the least regret.

        minimise  sum kappa_i x_i^2 + lam (x_i+1 - x_i)^2  so that every stretch has its length;
        kappa is the cost of leaving the found rate.
        """
        low, high = self.bounds()
        moments = [s for _, s in fixed]
        weights = np.array([_hats(b, len(free)) - _hats(a, len(free))
                            for a, b in itertools.pairwise(moments)])  # fmt: skip
        lengths = np.diff([o for o, _ in fixed])
        least, most = weights @ np.exp(-high), weights @ np.exp(-low)
        if (lengths < least - 1e-6).any() or (lengths > most + 1e-6).any():
            raise InfeasibleError(
                "no timing meets all limits of speed; widen them, or move or drop a keytime"
            )
        stiff = self._stiffness(free)
        x = np.zeros(len(free))
        for _ in range(_ROUNDS):
            pace = weights * np.exp(-(free + x))
            if np.abs(pace.sum(axis=1) - lengths).max() < _MET:
                break
            solved = self._solve(stiff, pace.T)
            short = pace.sum(axis=1) + pace @ x - lengths
            new = solved @ np.linalg.lstsq(pace @ solved, short, rcond=None)[0]
            x = x + np.clip(new - x, -_MOST, _MOST)
            bent = np.clip(free + x, low, high)
            held = bent != free + x
            if held.any():
                x = bent - free
                stiff = np.where(held, _STIFF, stiff)
                free = np.where(held, bent, free)
                x[held] = 0.0
        return free + x

    def _stiffness(self, rates: FloatArray) -> FloatArray:
        level = RATES[1] - RATES[0]
        here = np.clip(np.rint((rates - RATES[0]) / level).astype(int), 0, len(RATES) - 1)
        i, regret = np.arange(len(rates)), self.evidence.regret
        up = regret[i, np.minimum(here + _LEAVE, len(RATES) - 1)]
        down = regret[i, np.maximum(here - _LEAVE, 0)]
        leave = np.maximum(np.minimum(up, down) - regret[i, here], 0)
        out: FloatArray = leave / (_LEAVE * level) ** 2 + _STAY
        return out

    def _solve(self, stiff: FloatArray, right: FloatArray) -> FloatArray:
        from scipy.linalg import solveh_banded

        bands = np.zeros((2, len(stiff)))
        bands[1] = stiff
        bands[1, 1:] += self._change
        bands[1, :-1] += self._change
        bands[0, 1:] = -self._change
        out: FloatArray = solveh_banded(bands, right)
        return out

    def cost(self, warp: TimeWarp) -> float:
        """Return the cost of a delivered warp: regret, and costs of rates and their changes."""
        problem = self.problem
        start, end = problem.domain
        source = np.linspace(start, end, len(self.evidence.likeness))
        shown = warp.inverse(source)
        step = (end - start) / problem.curve.frames
        rates = np.log(step / np.maximum(np.diff(shown), 1e-9))
        rates = np.r_[rates[:1], (rates[1:] + rates[:-1]) / 2, rates[-1:]]
        place = np.clip((rates - RATES[0]) / (RATES[1] - RATES[0]), 0, len(RATES) - 1)
        level = np.minimum(place.astype(int), len(RATES) - 2)
        i, share = np.arange(len(rates)), place - level
        regret = self.evidence.regret
        paid = (1 - share) * regret[i, level] + share * regret[i, level + 1]
        total = paid.sum() + _STAY * (rates**2).sum() + self._change * (np.diff(rates) ** 2).sum()
        return float(total)


def _hats(end: float, n: int) -> FloatArray:
    """Integrate the n hat functions of a piecewise linear curve from 0 to a moment in frames."""

    def upto(moment: float) -> FloatArray:
        u = np.clip(moment - np.arange(n) + 1, 0.0, 2.0)
        area: FloatArray = np.where(u <= 1, u**2 / 2, 1 - (2 - u) ** 2 / 2)
        return area

    out: FloatArray = upto(end) - upto(0.0)
    return out
