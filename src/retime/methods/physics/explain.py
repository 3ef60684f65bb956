"""Explain why a timing is impossible: the violated limit, where, by how much, and a fix."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from retime.arrays import FloatArray, ReadOnlyArrays
from retime.one_line import one_line
from retime.pictured import Pictured

if TYPE_CHECKING:
    from retime.methods.physics.capable import CapableBody
    from retime.methods.physics.model import PhysicsModel

# Number of infeasible frames that are analysed; others get the cause of the nearest.
_LOOKED_INTO = 120
# Largest gap between infeasible frames of one violation, seconds.
_APART = 0.1
# Relative difference of a fall from gravity that is not worth a number.
_NO_FALL = 0.01
_NOTHING = -1  # no limit is broken
# Limits of the force and the moment on the root, by row. What is missing is in body weights, or in
# body weights times metres.
_ROOT = (
    ("friction", "the ground would have to pull sideways beyond its friction, by {:.2f} weights"),
    ("ground", "the ground would have to pull, or push harder than it can, by {:.2f} weights"),
    ("friction", "the ground would have to pull sideways beyond its friction, by {:.2f} weights"),
    ("balance", "no force under the feet keeps the balance, by {:.2f} weights times metres"),
    ("balance", "no force under the feet keeps the turn, by {:.2f} weights times metres"),
    ("balance", "no force under the feet keeps the balance, by {:.2f} weights times metres"),
)


@dataclass(frozen=True)
class Violation(Pictured):
    """A part of a motion with an infeasible timing.

    Parameters
    ----------
    start, end : float
        Source times, seconds.
    cause : str
        The violated limit: ``flight``, ``friction``, ``ground``, ``balance``, a joint's torque, or
        the ``bounds`` of the search.
    text : str
        The same as a sentence.
    distance : float
        Largest distance from the feasible region, in p'^2 (p'' in 5/s).
    rate, feasible_rate : float
        The playback speed there, and the nearest feasible one.
    """

    start: float
    end: float
    cause: str
    text: str
    distance: float
    rate: float
    feasible_rate: float


@one_line()
@dataclass(frozen=True, eq=False, repr=False)
class Explanation(ReadOnlyArrays):
    """Violations of a timing, per frame and in sentences."""

    times: FloatArray
    """Source times of the frames. Shape (F,)."""
    timing: FloatArray
    """(p'', p'^2) of the timing there. Shape (F, 2)."""
    distance: FloatArray
    """Distance of each from its region; 0 inside, infinite if nothing is feasible. Shape (F,)."""
    violations: tuple[Violation, ...]
    """Infeasible parts, in order."""

    @property
    def feasible(self) -> bool:
        """Whether the timing is feasible."""
        return not self.violations

    @property
    def share(self) -> float:
        """Fraction of the frames that are feasible."""
        return float((self.distance <= 0).mean())

    def to_json(self) -> dict[str, Any]:
        """Return the values as a dictionary."""
        return {
            "feasible": self.feasible,
            "feasible_share": self.share,
            "violations": [
                {
                    key: None if isinstance(value, float) and not np.isfinite(value) else value
                    for key, value in asdict(v).items()
                }
                for v in self.violations
            ],
        }


def explain_timing(model: PhysicsModel, timing: FloatArray, tolerance: float) -> Explanation:
    """Explain a timing (F, 2) of (p'', p'^2) at a model's frames."""
    times = model.times
    distance = model.distances(timing)
    distance[distance <= tolerance] = 0.0
    outside = np.flatnonzero(distance > 0)
    violations = []
    if len(outside):
        gaps = np.flatnonzero(np.diff(times[outside]) > _APART) + 1
        budget = max(1, _LOOKED_INTO // (len(gaps) + 1))
        for frames in np.split(outside, gaps):
            violations.append(_violation(model, timing, distance, frames, budget))
    return Explanation(times, timing, distance, tuple(violations))


def _violation(
    model: PhysicsModel, timing: FloatArray, distance: FloatArray, frames: Any, budget: int
) -> Violation:
    worst = int(frames[np.argmax(np.where(np.isfinite(distance[frames]), distance[frames], 1e9))])
    looked = frames[np.unique(np.linspace(0, len(frames) - 1, budget).round().astype(int))]
    causes: dict[str, list[tuple[float, str]]] = {}
    for k in {*map(int, looked), worst}:
        cause, size, text = cause_of(model, timing[k], k)
        causes.setdefault(cause, []).extend([(size, text)] * (1 + (k == worst)))
    cause = max(causes, key=lambda c: len(causes[c]))
    _, text = max(causes[cause])
    region = model.regions[worst]
    feasible = float("nan")
    if not region.empty:
        feasible = float(np.sqrt(max(region.nearest((timing[worst][0], timing[worst][1]))[1], 0.0)))
    return Violation(
        float(model.times[frames[0]]),
        float(model.times[frames[-1]]),
        cause,
        text,
        float(distance[worst]),
        float(np.sqrt(max(timing[worst][1], 0.0))),
        feasible,
    )


def cause_of(model: CapableBody, timing: FloatArray, frame: int) -> tuple[str, float, str]:
    """Return the limit that binds most at a frame: the dual of the least common excess.

    Also returns the size of the excess, and both as a sentence.
    """
    from scipy.optimize import linprog

    limits, support = model.limits[frame], model.maps[frame] * model.weight
    y, x = timing
    torques = model.torques
    value = (torques.gravity + torques.change * y + torques.speed * x)[frame] / limits
    if model.flight[frame] and np.abs(value[:6]).max() > 1:
        fall = _speed_of_fall(model, timing, frame)
        if abs(fall - 1) > _NO_FALL:
            text = f"in flight the body would fall {fall:.2f} times as fast as it can"
        else:
            text = "in flight the body would have to turn or drift as nothing can make it"
        return "flight", abs(float(np.log(fall))), text
    rows = support / limits[:, None]
    # If unlimited strength is enough, the cause is the weakest joint, otherwise the ground.
    for blamed in (slice(6, None), slice(0, 6)):
        row, excess = _to_blame(value, rows, blamed, linprog)
        if row == _NOTHING:
            text = "the speed is above 4× or changes too abruptly (by more than 60/s)"
            return "bounds", 0.0, text
        if row is not None and row < 6:
            missing = excess * limits[row] / model.weight
            return _ROOT[row][0], missing, _ROOT[row][1].format(missing)
        if row is not None:
            name = model._measured.figure.joint_of(row)
            text = f"{name} would need {1 + excess:.2f} times its torque of {limits[row]:.0f} Nm"
            return f"torque of {name}", excess, text
    return "unknown", 0.0, "no cause could be found"


def _speed_of_fall(model: CapableBody, timing: FloatArray, frame: int) -> float:
    """Return how fast a body falls, p'^2 relative to that of gravity."""
    region = model.regions[frame]
    true = float(model.usual_speeds[frame])
    if not region.empty:
        true = region.nearest((float(timing[0]), float(timing[1])))[1]
    return float(max(timing[1], 1e-6) / max(true, 1e-6))


def _to_blame(
    value: FloatArray, rows: FloatArray, blamed: slice, linprog: Any
) -> tuple[int | None, float]:
    """Find the row whose limit costs most if only some may be violated, and the least excess.

    The row is ``None`` if no excess of these limits is enough.


    min t: -(1 + s t) <= value - rows l <= 1 + s t, l >= 0; s is 1 for the rows that may be broken.
    With the root's rows alone, torques have no limit.
    """
    soft = np.zeros(len(value))
    soft[blamed] = 1.0
    hard = np.ones(len(value), bool)
    if blamed.start == 0:
        hard[6:] = False
    count = rows.shape[1]
    above, below = np.c_[-rows, -soft][hard], np.c_[rows, -soft][hard]
    found = linprog(
        np.r_[np.zeros(count), 1.0],
        A_ub=np.vstack([above, below]),
        b_ub=np.r_[(1 - value)[hard], (1 + value)[hard]],
        bounds=[(0, None)] * (count + 1),
        method="highs",
    )
    if found.status != 0:
        return None, 0.0
    if found.fun <= 1e-9:
        return _NOTHING, 0.0
    price = np.abs(found.ineqlin.marginals)
    price = price[: hard.sum()] + price[hard.sum() :]
    return int(np.flatnonzero(hard)[np.argmax(price * soft[hard])]), float(found.fun)
