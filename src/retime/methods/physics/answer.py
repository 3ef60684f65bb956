"""Answer a request for a timing: solve it, refuse it with what is possible, or stretch another."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from retime.errors import InfeasibleError
from retime.methods.physics import outcome
from retime.methods.physics.gravity import note_of_gravity
from retime.methods.physics.outcome import down, up
from retime.methods.physics.parameters import ModelWarpParameters
from retime.methods.physics.search.durations import clock_of
from retime.methods.physics.search.request import Leg, Request
from retime.notes import Note, Remedy
from retime.sentences import Duration, Moment
from retime.timing import TimeWarp

if TYPE_CHECKING:
    from retime.methods.physics.model import PhysicsModel

# Shortest length that is solved anyway, relative to the shortest feasible one: strength, friction
# and noise are estimated, and half the length of a jump is often up to 13 % below it.
_BELOW = 0.85
# Length that is offered, relative to the shortest: at this one no frame is beyond its limits. The
# search may not reach the longest, at which a body that could stand still hardly moves.
_OFFERED, _OFFERED_LONG = 1.01, (1.0, 0.99, 0.95, 0.9, 0.8, 0.6)
# Length, relative to the shortest, of the timing that is sped up evenly to a length that is too
# short: at the shortest itself, rates change abruptly.
_ABOVE_LEAST = 1.1
# Relative tolerance of durations.
_ROUNDING = 1e-6
_IMPOSSIBLE = ("longer-than-possible", "nothing-feasible")


def answer(model: PhysicsModel, p: ModelWarpParameters) -> TimeWarp:
    """Return the warp of a request, with notes; raise with what is possible if it is refused."""
    p, said = outcome.natural_length(model, p)
    request = model._request(p)
    asked = None if request.free else request.keys[-1][0] - request.begin
    short = shortfall_of(model, request, p.most_change)
    long = outcome.long_note(model, asked)
    if model.extremes.stuck >= 0:
        said = [*said, outcome.impossible_note(model)]
    strict = p.infeasible == "refuse"
    if short is not None and (strict or (p.infeasible == "auto" and short.share < _BELOW)):
        raise InfeasibleError(short.note)
    if strict:
        _must_be_possible(model, p, request, [n for n in (long, *said) if n is not None])
    request.must_have_speeds()
    notes: list[Note] = [*model.notes, *note_of_gravity(model.gravity), *said]
    if outcome.is_plain(p) and long is not None:
        free = model.warp(**(vars(p) | {"duration": "free", "infeasible": "auto"}))
        return _stretched(free, float(long.values["asked"]), long)
    if outcome.is_plain(p) and short is not None and p.infeasible == "even":
        return _fast_motion(model, p, short, notes)
    notes += [n for n in (short and short.note, long) if n]
    nodes, found = model._solve(p, request, short=short, strict=strict)
    output = request.begin + found.times
    if asked is not None:
        output[-1] = request.begin + asked
    warp = TimeWarp(output, nodes, loop=p.loop)
    notes.append(outcome.optimum_note(found))
    if p.watch is None:
        beyond = outcome.beyond_notes(model, warp)
        if beyond and strict:
            raise InfeasibleError(outcome.refused(beyond[0], p))
        notes += beyond
    return warp.with_notes(*notes)


def _must_be_possible(
    model: PhysicsModel, p: ModelWarpParameters, request: Request, notes: list[Note]
) -> None:
    """Raise if a length is too long, a given speed is not possible, or nothing is."""
    refused = [n for n in notes if n.code in _IMPOSSIBLE]
    refused = refused or outcome.rate_notes(model, request, p.most_change)
    if not refused:
        return
    note = refused[0]
    if note.code == "longer-than-possible" and outcome.is_plain(p):
        for share in _OFFERED_LONG:
            value = down(share * float(note.values["most"]), model.step)
            try:
                model.warp(**(vars(p) | {"duration": value}))
            except InfeasibleError:
                continue
            remedy = Remedy("use a shorter one", parameter="duration", value=value)
            note = Note(note.fact, remedy, code=note.code, **note.values)
            break
    raise InfeasibleError(note)


def _fast_motion(
    model: PhysicsModel, p: ModelWarpParameters, short: Shortfall, notes: list[Note]
) -> TimeWarp:
    """Play the best timing of a feasible length evenly faster, to a shorter one."""
    length = _ABOVE_LEAST * short.least
    factor = length / short.leg.seconds
    longer = model._request(replace(p, duration=length))
    nodes, found = model._solve(p, longer, faster=factor)
    fast = Note(
        f"the timing of {{length:.3g}} is played {factor:.2f} times as fast: flights fall "
        f"{factor**2:.1f} times as fast as gravity",
        code="fast-motion",
        length=Duration(length),
        factor=factor,
    )
    best = TimeWarp(longer.begin + found.times, nodes).with_notes(*notes)
    return _stretched(best, short.leg.seconds, short.note, fast)


def _stretched(warp: TimeWarp, duration: float, *notes: Note) -> TimeWarp:
    """Return a warp that is played evenly, in another length."""
    begin = warp.output[0]
    output = begin + (warp.output - begin) * duration / warp.duration
    output[-1] = begin + duration
    return TimeWarp(output, warp.source, loop=warp.loop).with_notes(*warp.notes, *notes)


@dataclass(frozen=True)
class Shortfall:
    """A part of a request that is too short.

    Parameters
    ----------
    leg : Leg
        The part, between two keytimes.
    least : float
        Its shortest feasible duration, seconds.
    note : Note
        A sentence with a feasible value.
    """

    leg: Leg
    least: float
    note: Note

    @property
    def share(self) -> float:
        """The requested duration relative to the shortest."""
        return self.leg.seconds / self.least


def shortfall_of(
    model: PhysicsModel, request: Request, most_change: float | None
) -> Shortfall | None:
    """Return the part of a request that is shortest relative to what is feasible, if any is.

    The fastest feasible timing is the fastest at every frame, so its times bound those of all
    parts. Given speeds and the bound of their change are kept where that is possible.
    """
    found = model.extremes_with(request.fixed, most_change)
    if found.fastest is None:
        found = model.extremes
    if found.fastest is None:
        return None
    clock = clock_of(found.fastest, model.times)
    source = [(leg.first[1], leg.past[1]) for leg in request.legs]
    least = np.diff(np.interp(source, model.times, clock).reshape(-1, 2), axis=1).ravel()
    shares = np.array([leg.seconds for leg in request.legs]) / least
    if not (shares < 1 - _ROUNDING).any():
        return None
    worst = int(shares.argmin())
    leg, most = request.legs[worst], found.longest(model.times)
    return Shortfall(leg, float(least[worst]), _short(model, request, leg, least[worst], most))


def _short(
    model: PhysicsModel, request: Request, leg: Leg, least: float, most: float | None
) -> Note:
    """Return a note on a part that is too short, with the nearest time that is long enough."""
    enough = leg.first[0] + up(_OFFERED * least, model.step)
    fact = "{asked:.3g} is shorter than the shortest feasible duration, {least:.3g}"
    if len(request.all_legs) > 1:
        fact = "from {start:.3g} to {end:.3g} of the source, " + fact
    elif most is not None:
        # A body that cannot wait has hardly any other length.
        enough = min(enough, leg.first[0] + max(down(most, model.step), least))
    if leg == request.all_legs[-1]:
        length = up(enough - request.begin, model.step)
        remedy = Remedy("use the shortest", parameter="duration", value=length)
    else:
        remedy = Remedy(
            "show {source:.3f} at {when:.3f} or later", parameter="keytimes",
            source=Moment(leg.past[1]), when=Moment(enough),
        )  # fmt: skip
    return Note(
        fact, remedy, code="shorter-than-possible", asked=Duration(leg.seconds),
        least=Duration(least), share=leg.seconds / least, start=Moment(leg.first[1]),
        end=Moment(leg.past[1]),
    )  # fmt: skip
