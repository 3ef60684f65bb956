"""Notes about a timing: whether it is optimal, infeasible parts, tolerated errors."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from retime.errors import InfeasibleError
from retime.methods.physics.explain import cause_of
from retime.methods.physics.parameters import ModelWarpParameters
from retime.methods.physics.search.problem import Solution
from retime.methods.physics.search.request import Request
from retime.notes import Note, Remedy
from retime.sentences import Duration, Moment
from retime.timing import TimeWarp

if TYPE_CHECKING:
    from retime.methods.physics.capable import CapableBody
    from retime.methods.physics.model import PhysicsModel

# Tolerance of feasibility, in p'^2.
TOLERANCE = 0.05
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
        force = np.linalg.norm(model._recorded.residual[touching, :3], axis=1) / model.weight
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
                f"to hold the recorded poses, joints get up to {model.lent:.2f} times their "
                "strength",
                code="strength-lent",
                factor=model.lent,
            )
        )
    return notes


def natural_length(
    model: PhysicsModel, p: ModelWarpParameters
) -> tuple[ModelWarpParameters, list[Note]]:
    """Return a free duration if none is given and that of the recording is not feasible."""
    if p.duration is not None or not is_plain(p):
        return p, []
    own = float(np.ptp(model.times))
    least, most = model.minimum_duration(), model.maximum_duration()
    if model._measured.flights.corrected:
        fact = "flights are retimed to match gravity, so the length of the clip changes"
    elif least is not None and own < least * (1 - _ROUNDING):
        fact = "the length of the clip, {own:.3g}, is shorter than feasible, so it changes"
    elif most is not None and own > most * (1 + _ROUNDING):
        fact = "the length of the clip, {own:.3g}, is longer than feasible, so it changes"
    else:
        return p, []
    remedy = Remedy("ask for a length", parameter="duration")
    note = Note(fact, remedy, code="length-from-gravity", own=Duration(own))
    return replace(p, duration="free"), [note]


def is_plain(p: ModelWarpParameters) -> bool:
    """Return whether only a length is requested."""
    asked = p.keytimes or p.rates or p.locked or p.joint_speeds
    return not (asked or p.loop or p.watch is not None)


def long_note(model: PhysicsModel, asked: float | None) -> Note | None:
    """Return a note if the length is longer than feasible."""
    most = None if asked is None else model.extremes.longest(model.times)
    if asked is None or most is None or asked <= most * (1 + _ROUNDING):
        return None
    return Note(
        "{asked:.3g} is longer than the longest feasible duration, {most:.3g}: it is slow motion",
        Remedy("use the longest", parameter="duration", value=down(most, model.step)),
        code="longer-than-possible",
        asked=Duration(asked),
        most=Duration(most),
    )


def impossible_note(model: PhysicsModel) -> Note:
    """Return a note on the cause if no timing is feasible, whatever its length."""
    frame = model.extremes.stuck
    if model.regions[frame].empty:
        cause, _, text = cause_of(model, np.array([0.0, model.usual_speeds[frame]]), frame)
    else:
        cause, text = "joined", "the speeds that are feasible before and after cannot be joined"
    empty = len(model.empty_frames)
    return Note(
        f"no timing is feasible: at {{time:.3g}} {text}"
        + (f" ({empty} of {len(model.times)} frames are impossible)" if empty else ""),
        code="nothing-feasible",
        time=Moment(float(model.times[frame])),
        cause=cause,
        frames=empty,
        of=len(model.times),
    )


def optimum_note(found: Solution) -> Note:
    """Return a note on the optimality of a timing."""
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
    return Note(
        f"{at}: {kind}", code=code, objective=found.objective, steps=found.steps, gap=found.gap
    )


def _percent(share: float) -> str:
    return f"{100 * share:.2g} %"


def beyond_notes(model: PhysicsModel, warp: TimeWarp) -> list[Note]:
    """Return notes on the infeasible parts of a solution."""
    timing = model.timing_of(warp)
    distance = model.distances(timing)
    outside = np.flatnonzero(np.isfinite(distance) & (distance > TOLERANCE))
    if not len(outside):
        return []
    worst = int(outside[np.argmax(distance[outside])])
    cause, size, text = cause_of(model, timing[worst], worst)
    return [
        Note(
            "{frames} of {of} frames exceed the limits of the body, most at {time:.3g}: " + text,
            code="beyond-feasible",
            frames=len(outside),
            of=len(model.times),
            time=Moment(float(model.times[worst])),
            cause=cause,
            size=size,
        )
    ]


def rate_notes(model: CapableBody, request: Request, most_change: float | None) -> list[Note]:
    """Return notes on given speeds that the body cannot have there, with the nearest possible ones.

    No feasible timing is faster at any frame than the fastest, or slower than the slowest.
    """
    notes: list[Note] = []
    if model.extremes_with(request.fixed, most_change).fastest is not None:
        return notes
    for moment, rate in request.fixed:
        others = [(t, r) for t, r in request.fixed if t != moment]
        found = model.extremes_with(others, most_change)
        if found.fastest is None or found.slowest is None:
            continue
        frame = int(np.abs(model.times - moment).argmin())
        low, high = float(found.slowest[frame]), float(found.fastest[frame])
        if low - TOLERANCE <= rate * rate <= high + TOLERANCE:
            continue
        least, most = np.sqrt([low, high])
        notes.append(
            Note(
                "the speed at {moment:.3g} is {rate:.3g}; the body can have {least:.3g} to "
                "{most:.3g} there",
                Remedy(f"use {np.clip(rate, least, most):.3g}", parameter="rates"),
                code="rate-not-possible",
                moment=Moment(moment),
                rate=rate,
                least=float(least),
                most=float(most),
            )
        )
    return notes


def refused(note: Note, p: ModelWarpParameters) -> Note:
    """Return a note on infeasible parts as an error, with what to change."""
    parts = ("rates", "locked", "joint_speeds", "keytimes")
    asked = next((name for name in parts if getattr(p, name)), "duration")
    remedy = Remedy("change what is asked for there, or allow it", parameter=asked)
    return Note(note, remedy, code=note.code, **note.values)


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


def up(seconds: float, step: float) -> float:
    """Round up to whole frames, and then to milliseconds."""
    return float(np.ceil(1e3 * step * np.ceil(seconds / step - 1e-6) - 1e-6)) / 1e3


def down(seconds: float, step: float) -> float:
    """Round down to whole frames, and then to milliseconds."""
    return float(np.floor(1e3 * step * np.floor(seconds / step + 1e-6) + 1e-6)) / 1e3
