"""The convex part of a timing problem of one character as a cone program, solved by Clarabel.

An independent oracle of ``retime.pacing``: terms ``Elastic``, ``Pace`` and ``Points``, with keys
and limits of speed.
"""

from __future__ import annotations

from typing import Any

import clarabel
import numpy as np
from scipy import sparse

from retime.pacing import Points, Problem


def convex_output(problem: Problem) -> Any:
    """Return the output times (n + 1,) of the nodes of least cost, from Clarabel."""
    (character,), (cells,) = problem.characters, problem.cells
    n, width = len(cells.width), cells.width
    points = [t for t in character.terms if isinstance(t, Points)]
    wanted = sum(len(t.source) for t in points)
    # Unknowns: the slowness u and a bound t >= u ln u of each cell, and what points are off by.
    size = 2 * n + wanted
    upto = sparse.lil_array((n + 1, size))  # output times after the first
    for k in range(n):
        upto[k + 1 :, k] = width[k]
    upto = upto.tocsr()
    start = next(k.output for k in character.keys if k.source == character.domain[0])

    def at(source: Any) -> Any:
        """Rows of output times, less the start, at source times."""
        after = np.clip(np.searchsorted(cells.nodes, source), 1, n)
        share = (source - cells.nodes[after - 1]) / width[after - 1]
        return (
            sparse.diags_array(1 - share) @ upto[after - 1]
            + sparse.diags_array(share) @ upto[after]
        )

    keys = [k for k in character.keys if k.source != character.domain[0]]
    equal = at(np.array([k.source for k in keys]))
    sides = np.array([k.output - start for k in keys])
    if points:
        off = sparse.csr_array(
            (np.ones(wanted), (range(wanted), range(2 * n, size))), (wanted, size)
        )
        source, output = (
            np.concatenate([getattr(t, a) for t in points]) for a in ("source", "output")
        )
        equal = sparse.vstack([equal, at(source) - off])
        sides = np.r_[sides, output - start]
    one = sparse.csr_array((np.ones(n), (range(n), range(n))), (n, size))
    # (-t, u, 1) in the exponential cone: u exp(-t / u) <= 1.
    cone = sparse.lil_array((3 * n, size))
    for k in range(n):
        cone[3 * k, n + k] = 1.0
        cone[3 * k + 1, k] = -1.0
    matrix = sparse.vstack([equal, one, -one, cone]).tocsc()
    right = np.concatenate([sides, cells.high, -cells.low, np.tile([0.0, 0.0, 1.0], n)])
    cones = [clarabel.ZeroConeT(len(sides)), clarabel.NonnegativeConeT(2 * n)]
    cones += [clarabel.ExponentialConeT()] * n
    weights = np.concatenate([np.zeros(2 * n), *(2 * t.weight for t in points)])
    cost = np.concatenate([-cells.weight - cells.pull, cells.weight, np.zeros(wanted)])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
    solver = clarabel.DefaultSolver(
        sparse.diags_array(weights).tocsc(), cost, matrix, right, cones, settings
    )
    return start + np.r_[0.0, np.cumsum(np.array(solver.solve().x)[:n] * width)]
