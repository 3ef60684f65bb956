"""Guided time warping of any signal, by the chosen formulation."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field

from retime.arrays import FloatArray
from retime.compiled import one_blas_thread
from retime.errors import InputError
from retime.methods.guided.foreign_timing import follow_reference
from retime.methods.guided.own_timing import keep_own_timing
from retime.methods.guided.paper import search_as_the_paper
from retime.methods.guided.problem import Found, Problem
from retime.notes import Note
from retime.timing import TimeWarp

# Input frames from which BLAS may use all threads.
_LONG = 2000
# Costs below this are rounding errors.
_NO_COST = 1e-9


@dataclass(frozen=True, eq=False)
class Guidance:
    """A guided warp and its costs."""

    warp: TimeWarp
    """The warp."""
    costs: dict[str, float]
    """Costs of delivered curves, all by one scorer: ``guided``, the ``spline`` through the
    keytimes, ``uniform`` speed and, with an influence below 1, the ``blended`` curve.
    """
    gap: float = 0.0
    """Certified relative bound on the distance from the optimum; 0 at the optimum."""
    evidence: FloatArray | None = field(default=None)
    """Source times, and how much a foreign reference resembles the clip there, 0 to 1. Shape
    (n, 2).
    """


def solve(problem: Problem) -> Guidance:
    """Solve for a warp."""
    if problem.curve.frames < 2:
        raise InputError("guided time warping needs at least three frames")
    # Threads pay off for long clips only.
    with one_blas_thread() if problem.curve.frames < _LONG else contextlib.nullcontext():
        return _judged(problem, _found(problem))


def _judged(problem: Problem, found: Found) -> Guidance:
    p = problem.p
    length = found.warp.duration
    spline = problem.spline(length)
    costs = dict(found.known)
    if not costs:
        costs = {"guided": found.cost(found.warp), "spline": found.cost(spline)}
    costs["uniform"] = costs["spline"]
    if p.keytimes:
        costs["uniform"] = found.cost(problem.uniform(length))
    than = [_compared(costs, "uniform", "uniform speed")]
    if p.keytimes:
        than.append(_compared(costs, "spline", "a spline through the keytimes"))
    text = f"cost {_shown(costs['guided'])} (lower is more natural), {' and '.join(than)}"
    notes = [Note(text, code="guided-costs", costs=dict(costs))]
    dearer = costs["guided"] > 1.0001 * costs["spline"] + _NO_COST
    if dearer and p.formulation == "smooth":
        notes.append(
            Note("the spline costs less, but exceeds a speed limit", code="spline-costs-less")
        )
    warp = found.warp
    if p.influence < 1:
        warp = spline.blend(warp, p.influence)
        costs["blended"] = found.cost(warp)
        notes.append(
            Note(
                f"blended with the spline, the warp costs {_shown(costs['blended'])}",
                code="blended-cost",
                cost=costs["blended"],
            )
        )
    notes += found.notes
    if found.gap > 1e-9:
        notes.append(
            Note(
                f"found by a cost per frame, within {100 * found.gap:.2g} % of the best",
                code="optimality-gap",
                gap=found.gap,
            )
        )
    return Guidance(warp.with_notes(*notes), costs, found.gap, found.evidence)


def _found(problem: Problem) -> Found:
    if problem.p.formulation == "paper":
        return search_as_the_paper(problem)
    length = problem.length
    if length is None or not problem.own:
        return follow_reference(problem, length)
    return keep_own_timing(problem, length)


def _compared(costs: dict[str, float], other: str, name: str) -> str:
    """Return a text on the cost of a guided warp relative to another."""
    ours, theirs = costs["guided"], costs[other]
    if theirs <= _NO_COST < ours:
        return f"more than {name} (0)"
    share = 100 * (1 - ours / theirs) if theirs > _NO_COST else 0.0
    if abs(share) < 0.5:
        return f"the same as {name}"
    return f"{abs(share):.0f} % {'less' if share > 0 else 'more'} than {name} ({_shown(theirs)})"


def _shown(cost: float) -> str:
    if cost >= 9999.5:  # .4g would be in powers of ten
        return f"{float(f'{cost:.4g}'):,.0f}"
    return f"{cost:.4g}" if cost > _NO_COST else "0"
