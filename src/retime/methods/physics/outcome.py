"""Notes about a timing: whether it is optimal, infeasible parts, tolerated errors."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from retime.errors import InfeasibleError
from retime.methods.physics.limits.regions import MOST_SPEED
from retime.methods.physics.parameters import ModelWarpParameters
from retime.methods.physics.search.problem import Solution
from retime.notes import Note, Remedy
from retime.sentences import Duration, Moment
from retime.timing import TimeWarp

if TYPE_CHECKING:
    from retime.methods.physics.capable import CapableBody
    from retime.methods.physics.model import PhysicsModel

# Relative tolerance of durations.
_ROUNDING = 1e-6
# Smallest force that is reported, in body weights.
_SMALL = 0.02
# Smallest factor of raised limits that is reported.
_LENT = 1.03


def forgiven_notes(model: CapableBody) -> list[Note]:
    """Return a note on unexplained forces of the recorded motion, in body weights."""
    notes = []
    touching = ~(model.flight | model.held)
    if touching.any():
        force = np.linalg.norm(model.residual[touching, :3], axis=1) / model.weight
        usual, most = float(np.median(force)), float(np.percentile(force, 95))
        if most > _SMALL:
            notes.append(
                Note(
                    f"the recording lacks {usual:.2f} body weights of force at the median and "
                    f"{most:.2f} at 95 %: this is treated as a measurement error",
                    code="forgiven",
                    median=usual,
                    most=most,
                )
            )
    if model.lent > _LENT:
        notes.append(
            Note(
                f"to move as recorded with the changed masses, joints get up to "
                f"{model.lent:.2f} times their strength",
                code="strength-lent",
                factor=model.lent,
            )
        )
    return notes


def natural_length(
    model: PhysicsModel, p: ModelWarpParameters
) -> tuple[ModelWarpParameters, list[Note]]:
    """Return a free duration if none is given and the recorded timing is corrected."""
    if p.duration is not None or not is_plain(p) or not model._measured.flights.corrected:
        return p, []
    note = Note(
        "flights are retimed to match gravity, so the length of the clip changes",
        Remedy("ask for a length", parameter="duration"),
        code="length-from-gravity",
    )
    return replace(p, duration="free"), [note]


def is_plain(p: ModelWarpParameters) -> bool:
    """Return whether only a length is requested."""
    return not (p.keytimes or p.rates or p.joint_speeds or p.loop or p.watch is not None)


def length_note(model: PhysicsModel, asked: float | None) -> Note | None:
    """Return a note if the length is shorter or longer than feasible."""
    if asked is None:
        return None
    least, most = model.minimum_duration(), model.maximum_duration()
    if least is not None and asked < least * (1 - _ROUNDING):
        fastest = float(np.sqrt(MOST_SPEED))
        if least < (1 + 1e-3) * float(np.ptp(model.times)) / fastest:
            fact = "{asked:.3g} is too short: the maximum speed is {fastest:g} times the source's"
        else:
            fact = "{asked:.3g} is shorter than the shortest feasible duration, {least:.3g}"
        return Note(
            f"{fact}; the result exceeds the limits as little as possible",
            code="shorter-than-possible",
            asked=Duration(asked),
            least=Duration(least),
            fastest=fastest,
        )
    if most is not None and asked > most * (1 + _ROUNDING):
        return Note(
            "{asked:.3g} is longer than the longest feasible duration, {most:.3g}: it is slow "
            "motion",
            code="longer-than-possible",
            asked=Duration(asked),
            most=Duration(most),
        )
    return None


def optimum_notes(model: PhysicsModel, found: Solution) -> list[Note]:
    """Return notes on the optimality of a timing and on infeasible frames."""
    notes = []
    empty = model.empty_frames
    if len(empty):
        notes.append(
            Note(
                "{frames} of {of} frames have no feasible timing at all (from {time:.3g} on); only "
                "torques count there",
                code="frames-without-timing",
                frames=len(empty),
                of=len(model.times),
                time=Moment(float(model.times[empty[0]])),
            )
        )
    at = f"objective {found.objective:.4g}"
    if found.certified:
        kind, code = f"the global optimum, proved after {found.steps} iterations", "optimum"
    elif not found.ended:
        kind, code = f"stopped after {found.steps} iterations", "stopped"
        kind += f", {_percent(found.gap)} from the bound" if found.convex else ", a local optimum"
    elif found.convex:
        kind = f"{_percent(found.gap)} from the bound after {found.steps} iterations"
        code = "near-optimum"
    else:
        kind, code = f"a local optimum after {found.steps} iterations", "local-optimum"
    notes.append(
        Note(
            f"{at}: {kind}",
            code=code,
            objective=found.objective,
            steps=found.steps,
            gap=found.gap,
        )
    )
    return notes


def _percent(share: float) -> str:
    return f"{100 * share:.2g} %"


def beyond_notes(model: PhysicsModel, warp: TimeWarp) -> list[Note]:
    """Return notes on the infeasible parts of a solution."""
    from retime.methods.physics.model import TOLERANCE

    distance = model.distances(model.timing_of(warp))
    outside = np.flatnonzero(np.isfinite(distance) & (distance > TOLERANCE))
    if not len(outside):
        return []
    start = float(model.times[outside[0]])
    return [
        Note(
            "{frames} of {of} frames slightly exceed the limits of the body (from {time:.3g} on)",
            code="beyond-feasible",
            frames=len(outside),
            of=len(model.times),
            time=Moment(start),
        )
    ]


def unmet(missed: float, *, rates: bool, keytimes: bool) -> InfeasibleError:
    """Return the error for a request that is not possible."""
    asked = [w for w, given in (("speeds", rates), ("keytimes", keytimes)) if given]
    missing = Duration(missed)
    if not asked:
        return InfeasibleError(
            "the duration cannot be met: it is off by {missing:.2g}; choose one nearer to that of "
            "the clip",
            missing=missing,
        )
    return InfeasibleError(
        "{wishes} cannot be met together: they are off by {missing:.2g}; leave out a speed or a "
        "keytime",
        wishes=" and ".join(["the duration", *asked]),
        missing=missing,
    )
