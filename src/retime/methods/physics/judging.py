"""Evaluate a motion by the gravity, masses, friction and contacts of its retiming."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from retime.arrays import FloatArray
from retime.body import find_body
from retime.methods.physics.explain import Explanation
from retime.methods.physics.gravity import gravity_noted, parse_gravity, written_gravity
from retime.methods.physics.limits.flights import Flight
from retime.methods.physics.model import PhysicsModel
from retime.methods.physics.parameters import ModelParameters
from retime.motion import Motion
from retime.notes import Note
from retime.one_line import one_line
from retime.parameters import build, values_of
from retime.pictured import Pictured
from retime.timing import TimeWarp

# Residuals that OpenSim's guide calls good, and still acceptable: newtons and newton metres, first
# of the largest, then of the root mean square.
_FORCE, _MOMENT = ((10.0, 25.0), (5.0, 10.0)), ((50.0, 75.0), (30.0, 50.0))
_ROWS = ("force across", "force up", "force ahead", "moment across", "moment up", "moment ahead")


@dataclass(frozen=True)
class Residual(Pictured):
    """Residual of one component that contacts cannot explain, as in OpenSim's residual tables.

    Parameters
    ----------
    name, unit : str
        The component, along the body's axes, and N or N·m.
    mean, rms, most : float
        Over all frames in contact or in flight.
    weights : float
        The root mean square in body weights (times metres).
    verdict : {"good", "okay", "bad"}
        By OpenSim's guide for forces that were measured in a laboratory.
    """

    name: str
    unit: str
    mean: float
    rms: float
    most: float
    weights: float
    verdict: str


@one_line()
@dataclass(frozen=True, eq=False, repr=False)
class Judgement(Pictured):
    """Feasibility of a motion, and residual forces."""

    explanation: Explanation
    residuals: tuple[Residual, ...]
    flights: tuple[Flight, ...]
    notes: tuple[Note, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the values as a dictionary."""
        return {
            **self.explanation.to_json(),
            "residuals": [vars(r) for r in self.residuals],
            "flights": [{"start": f.start, "end": f.end, "gravity": f.gravity, "clear": f.clear}
                        for f in self.flights],
            "notes": [str(n) for n in self.notes],
        }  # fmt: skip


def judged_by(steps: Iterable[Any], given: Mapping[str, Any]) -> ModelParameters:
    """Return a model's parameters: those of the last physics step, with overrides.

    Parameters
    ----------
    steps : iterable
        Parameters of a recipe's steps.
    given : mapping
        Loose values by name.
    """
    own = [p for p in steps if isinstance(p, ModelParameters)]
    values = values_of(own[-1], ModelParameters) if own else {}
    found: ModelParameters = build(ModelParameters, values | dict(given))
    return found


def judge(
    motion: Motion,
    p: ModelParameters,
    *,
    source: Motion | None = None,
    warp: TimeWarp | None = None,
) -> Judgement:
    """Evaluate a motion with the body of its source, if known, or with its own.

    Parameters
    ----------
    motion : Motion
        The result.
    p : ModelParameters
        Gravity, masses, friction, contacts and other model parameters.
    source : Motion, optional
        Its source.
    warp : TimeWarp, optional
        Warp to the time of the source, to evaluate the timing as the retiming does.
    """
    clip = motion if source is None else source
    used = written_gravity(parse_gravity(p.gravity, clip, find_body(clip)))
    meant = None if warp is None else gravity_noted(warp.notes)
    said = [
        Note(f"evaluated with a gravity of {used} m/s²", code="judged-by-gravity", gravity=used)
    ]
    if meant not in (None, used):
        said.append(
            Note(
                f"the warp was timed for a gravity of {meant} m/s²",
                code="timed-for-gravity",
                gravity=meant,
            )
        )
    found = _judged(motion, p, source, warp)
    return replace(found, notes=(*found.notes, *said))


def _judged(
    motion: Motion, p: ModelParameters, source: Motion | None, warp: TimeWarp | None
) -> Judgement:
    if source is not None and warp is not None:
        model = PhysicsModel(source, **values_of(p))
        told = model.explain(warp)
        residuals = residual_table(model, told.timing)
        return Judgement(told, residuals, model.flights, model.notes)
    # The timing of a motion without a source is not corrected.
    own = PhysicsModel(motion, **values_of(replace(p, gravity_from="recording")))
    body = own if source is None else PhysicsModel(source, **values_of(replace(p, contacts=None)))
    delivered = body.like(motion, own)
    told = delivered.explain()
    residuals = residual_table(delivered, told.timing)
    return Judgement(told, residuals, own.flights, own._measured.notes)


def residual_table(model: PhysicsModel, timing: FloatArray) -> tuple[Residual, ...]:
    """Return the residuals of a timing (F, 2) of (p'', p'^2), by component."""
    rest = model.rest_of(timing)[~model.held]
    if not len(rest):
        rest = np.zeros((1, 6))
    out = []
    for k, name in enumerate(_ROWS):
        rms = float(np.sqrt((rest[:, k] ** 2).mean()))
        most = float(np.abs(rest[:, k]).max())
        verdict = _verdict(most, rms, _FORCE if k < 3 else _MOMENT)
        unit = "N" if k < 3 else "N·m"
        mean = float(rest[:, k].mean())
        out.append(Residual(name, unit, mean, rms, most, rms / model.weight, verdict))
    return tuple(out)


def _verdict(most: float, rms: float, bounds: tuple[tuple[float, float], ...]) -> str:
    for word, at in (("good", 0), ("okay", 1)):
        if most <= bounds[0][at] and rms <= bounds[1][at]:
            return word
    return "bad"
