"""Physics for the studio: regions, efforts and causes as one frame; a search to be watched."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from retime.arrays import FloatArray
from retime.evaluate.evaluator import warp_between
from retime.methods.physics.effort import ground_force, joint_effort
from retime.methods.physics.explain import Violation
from retime.methods.physics.model import PhysicsModel
from retime.methods.physics.parameters import PhysicsParameters, RequestParameters
from retime.methods.physics.physics import feasible_durations, model_of
from retime.parameters import values_of
from retime.recipe import Solved
from retime.studio import frame_headers, jobs
from retime.studio.wording import studio_notes
from retime.timing import TimeWarp

if TYPE_CHECKING:
    from retime.evaluate import Evaluated

# A step of the search is shown for so long, seconds: slow enough to be seen and pushed.
_PACE = 0.08
# A push acts on source times this far around its moment, seconds.
_PUSH_WIDTH = 0.1


def physics_frame(job: jobs.Physics, found: Evaluated, solved: Solved | None) -> bytes:
    """Make the frame with the limits of the body, and where a result exceeds them."""
    place = 0 if solved is None else found.solved.index(solved)
    given = found.source if solved is None else solved.given
    parameters = PhysicsParameters() if solved is None else solved.step.parameters
    model = model_of(given, parameters)
    least, most = feasible_durations(given, parameters)
    # What is judged is the whole timing from the step's input on; frames are told by source time.
    before = warp_between(found, 0, place)
    judged = warp_between(found, place)
    told = model.explain(judged)
    effort = joint_effort(model, told.timing)
    use = np.zeros((len(told.times), len(found.source.skeleton)))
    for name, share in effort.items():
        use[:, found.source.skeleton.index(name)] = share
    corners = [r.corners for r in model.regions]
    header = frame_headers.PhysicsHeader(
        version=job.result.version,
        revision=job.result.revision,
        request=job.request,
        least=least,
        most=most,
        mass=model.mass,
        friction=model.friction,
        violations=[_row(v, judged) for v in told.violations],
        notes=studio_notes(model.notes),
        arrays=[],
    )
    return frame_headers.frame(
        header,
        {
            "times": before(told.times),
            "timing": told.timing,
            "distance": np.minimum(told.distance, 1e6),
            "corners": np.concatenate(corners) if corners else np.zeros((0, 2)),
            "starts": np.r_[0, np.cumsum([len(c) for c in corners])],
            "force": ground_force(model, told.timing),
            "use": use,
        },
    )


def _row(violation: Violation, warp: TimeWarp) -> frame_headers.ViolationRow:
    start, end = warp.inverse([violation.start, violation.end])
    feasible = violation.feasible_rate if np.isfinite(violation.feasible_rate) else None
    if feasible is None:
        mend = "No speed is feasible there"
    else:
        mend = f"{feasible:.2f}× would do, now {violation.rate:.2f}×"
    return frame_headers.ViolationRow(
        violation.start, violation.end, float(start), float(end), violation.cause,
        violation.text[:1].upper() + violation.text[1:], mend, violation.rate, feasible,
    )  # fmt: skip


def watch_solution(
    solved: Solved, show: Callable[[TimeWarp], None], pushed: Callable[[], Any]
) -> TimeWarp:
    """Search for the timing of a physics step, and show every iteration.

    ``pushed`` returns what a person pushed since it was last asked, as (source s, rate), or
    ``None``; the search continues from there.
    """
    parameters: PhysicsParameters = solved.step.parameters
    model = model_of(solved.given, parameters)
    asked = values_of(parameters, RequestParameters)
    nodes = _nodes(model, asked)
    begin = float(model.times[0])
    next_at = time.monotonic()

    def watch(step: int, square_speed: FloatArray, objective: float) -> Any:
        nonlocal next_at
        speed = np.sqrt(np.maximum(square_speed, 1e-9))
        spent = 2 * np.diff(nodes) / (speed[1:] + speed[:-1])
        show(TimeWarp(begin + np.r_[0.0, np.cumsum(spent)], nodes))
        next_at = max(next_at + _PACE, time.monotonic())
        time.sleep(max(0.0, next_at - time.monotonic()))
        push = pushed()
        if push is None:
            return None
        moment, rate = push
        share = np.exp(-0.5 * ((nodes - moment) / _PUSH_WIDTH) ** 2)
        return ((1 - share) * speed + share * rate) ** 2

    return model.warp(**asked, watch=watch)


def _nodes(model: PhysicsModel, asked: dict[str, Any]) -> FloatArray:
    """Return the source times at which the search is told about."""
    from retime.methods.physics.search.request import Request

    span = (float(model.times[0]), float(model.times[-1]))
    request = Request.of(span, asked["duration"], asked["keytimes"], asked["rates"])
    return request.nodes(model.times)
