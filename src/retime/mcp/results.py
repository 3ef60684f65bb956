"""Answers about motions and results: few numbers, rounded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from retime.arrays import FloatArray
from retime.body.measure.metrics import MEASURES, measure

if TYPE_CHECKING:
    from retime.evaluate import Evaluated, Evaluator
    from retime.motion import Motion
    from retime.timing import TimeWarp

# Most knots of a warp, and the error of time at which fewer suffice, seconds.
_MOST_KNOTS, _CLOSE = 64, 0.004
_FIGURES = ("foot_skate", "plant_drift", "flight_error", "flight_seconds", "jerk")


def rounded(value: Any) -> Any:
    """Return data with numbers of three digits or to a thousandth, for JSON."""
    if isinstance(value, Mapping):
        return {str(k): rounded(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(v) for v in value]
    if isinstance(value, float):
        short = round(value, 3) if abs(value) >= 1 else float(f"{value:.3g}")
        return int(short) if short.is_integer() else short
    return value


def knots_of(warp: TimeWarp) -> list[list[float]]:
    """Return output and source times of at most 64 knots, between which the warp is straight.

    The one with the largest error is added until all errors are below 4 ms.
    """
    body = warp.of_body()
    x, y = np.asarray(body.output), np.asarray(body.source)
    kept = [0, len(x) - 1]
    while len(kept) < min(_MOST_KNOTS, len(x)):
        error: FloatArray = np.abs(np.interp(x, x[kept], y[kept]) - y)
        error[kept] = 0.0
        worst = int(error.argmax())
        if error[worst] < _CLOSE:
            break
        kept = sorted([*kept, worst])
    return [[round(float(a), 3), round(float(b), 3)] for a, b in zip(x[kept], y[kept], strict=True)]


def size_of(motion: Motion) -> dict[str, Any]:
    """Return the length of a motion, its frames and their rate."""
    return {"duration": motion.duration, "frames": len(motion), "fps": motion.rate}


def figures_of(found: Evaluated, delivered: Motion, evaluator: Evaluator) -> dict[str, Any]:
    """Measure a result, beside uniform speed if its length differs, and beside the source."""
    from retime.evaluate import Job
    from retime.recipe import Recipe, Step

    columns = {"result": measure(delivered, source=found.source, warp=found.warp)}
    if abs(found.motion.duration - found.source.duration) > 0.5 / found.source.rate:
        step = Step("spline", {"duration": found.motion.duration})
        job = Job(source=found.source, recipe=Recipe([step]), fps=found.motion.rate, exact=True)
        same = evaluator.evaluate(job, name="uniform")
        columns["uniform"] = measure(same.motion, source=same.source, warp=same.warp)
    columns["source"] = measure(found.source)
    return by_measure(columns, _FIGURES)


def by_measure(
    columns: Mapping[str, Mapping[str, float]], names: tuple[str, ...] = tuple(MEASURES)
) -> dict[str, Any]:
    """Return a row for each measure, by its name and unit; ``of`` names the columns."""
    out: dict[str, Any] = {"of": list(columns)}
    for name in names:
        row = [values.get(name) for values in columns.values()]
        if any(value is not None for value in row):
            unit = MEASURES[name].unit
            out[f"{name} {unit}".strip()] = row
    return out


def facts_of(motion: Motion) -> dict[str, Any]:
    """Return what is in a motion: joints, contacts, flights, possible lengths, keytimes."""
    from retime.body import find_body
    from retime.body.contacts import detect_contacts
    from retime.body.measure.metrics import flights
    from retime.io import contacts_in_file
    from retime.methods.guided import suggest_keytimes
    from retime.motion.kinematics import height

    body = find_body(motion)
    spans: dict[str, list[tuple[float, float]]] = {}
    for contact in contacts_in_file(motion) or detect_contacts(motion):
        spans.setdefault(contact.joint, []).append((contact.start, contact.end))
    return {
        **size_of(motion),
        "start": motion.start,
        "height": (body.height or height(motion.skeleton)) * motion.units.metres,
        "joints": _first(list(motion.skeleton.names), 40),
        "contacts": {joint: _first(times, 12) for joint, times in spans.items()},
        "flights": _first(flights(motion), 24),
        "possible_lengths": possible_lengths(motion),
        "keytimes": [s.time for s in suggest_keytimes(motion)],
    }


def _first(values: list[Any], most: int) -> list[Any]:
    return values if len(values) <= most else [*values[:most], f"and {len(values) - most} more"]


# Longer clips are not solved for the range of lengths that a body could perform, seconds.
_LONG = 60.0


def possible_lengths(motion: Motion) -> dict[str, Any]:
    """Return the shortest and the longest length by each method; ``None`` is without a limit."""
    from retime.errors import RetimeError
    from retime.methods.guided import GuidedParameters
    from retime.methods.physics import PhysicsModel

    shortest = np.ceil(motion.duration / GuidedParameters().max_speed * motion.rate) / motion.rate
    out: dict[str, Any] = {"guided": [float(shortest), None]}
    if motion.duration <= _LONG:
        try:
            model = PhysicsModel(motion)
            out["physics"] = [model.minimum_duration(), model.maximum_duration()]
        except RetimeError:
            pass  # a figure without roles has no masses
    return out
