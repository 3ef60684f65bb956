"""Change the height and the distance of a jump instead of its timing.

In flight the centre of mass must fall with gravity. Where its timing is to stay, a parabola is
added to the root's height that makes up the difference. A flight that takes longer also goes
farther at the speed that it has over the ground.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from retime.arrays import FloatArray
from retime.body.solve.flights import PUSH, flight_offsets, in_air
from retime.body.solve.holding import carried_contacts, contact_fix
from retime.body.solve.rising import lifted
from retime.body.solve.travelling import ground_shift, longer_path, travelled
from retime.errors import InfeasibleError
from retime.methods.physics.figure.segments import is_person
from retime.methods.physics.gravity import EARTH
from retime.methods.physics.limits.flights import Flight
from retime.motion import Motion
from retime.motion.edits import Edit, Timing, apply, apply_edits, correction_between
from retime.notes import Note, Remedy
from retime.sentences import Duration, Moment, Sentence, listed
from retime.timing import TimeWarp

if TYPE_CHECKING:
    from retime.methods.physics.model import PhysicsModel

# Largest speed of take-off of a person, m/s: that of a rise of 1.2 m on earth, which the best high
# jumpers reach. A recorded take-off may be faster.
_MOST_TAKE_OFF = float(np.sqrt(2 * EARTH * 1.2))
# Smallest change of height and distance that is reported, metres.
_UNSEEN = 5e-3
# Rounding of times, relative.
_ROUNDING = 1 + 1e-6


def flight_edit(model: PhysicsModel, motion: Motion, warp: TimeWarp, *, travel: bool) -> Timing:
    """Return the edit that changes heights, so that flights fall with the model's gravity.

    Parameters
    ----------
    model : PhysicsModel
        The model of the motion.
    motion : Motion
        The motion, in its own units.
    warp : TimeWarp
        Its new timing.
    travel : bool
        Whether flights also change their distance, so that they keep their speed over the ground.
    """
    flights = [f for f in model.flights if f.clear]
    if not flights:
        note = Note("no flight is clear: no jump was changed", code="no-clear-flight")
        return Timing(warp=warp.with_notes(note))
    spans = [(f.start, f.end) for f in flights]
    lands = [(float(a), float(b)) for a, b in (warp.inverse(span) for span in spans)]
    slowed = [(b - a) / f.seconds for (a, b), f in zip(lands, flights, strict=True)]
    down = -float(model.gravity[1])
    if is_person(model.motion, model._measured.body):
        _must_be_jumps(flights, slowed, down)
    more = [down - f.gravity / s**2 for s, f in zip(slowed, flights, strict=True)]
    base = apply(motion, warp, fps=motion.rate)
    offset = flight_offsets(base.times, lands, more)
    made = lifted(base, base, offset, in_air(base, lands))
    rises = [by * (b - a) ** 2 / 8 for (a, b), by in zip(lands, more, strict=True)]
    moments = [f.start for f in flights]
    notes, ground = _changes("height", ("higher", "lower"), moments, rises), None
    if travel:
        # The recorded fall tells how long the flight truly lasted.
        factors = [
            s * float(np.sqrt(EARTH / f.gravity)) for s, f in zip(slowed, flights, strict=True)
        ]
        path = longer_path(base, _farther(base.times, lands, factors))
        ground = ground_shift(base, path, carried_contacts(motion, warp))
        made = travelled(base, made, ground)
        ends = [[np.interp(span, base.times, path[:, k]) for k in (0, 2)] for span in lands]
        ways = [
            float(np.copysign(np.linalg.norm(np.ptp(e, axis=1)), f - 1))
            for e, f in zip(ends, factors, strict=True)
        ]
        notes += _changes("distance", ("farther", "less far"), moments, ways)
    plain = apply_edits(motion, [Edit(warp=warp)], times=base.times)
    correction = correction_between(plain, made)
    return Timing(
        warp=warp.with_notes(*notes),
        # Delivered frames may end a fraction of a frame later.
        correction=None if correction is None else correction.lasting(1 / motion.rate),
        ground=ground,
        fixes=(contact_fix(),),
    )


def _must_be_jumps(flights: Sequence[Flight], slowed: Sequence[float], gravity: float) -> None:
    """Raise if a flight lasts longer than the fastest take-off lets a person fly."""
    for flight, factor in zip(flights, slowed, strict=True):
        # A rise is a length: a recording shows it as it was, at whatever speed it is played.
        own = float(np.sqrt(flight.gravity * EARTH)) * flight.seconds / 2
        seconds = factor * flight.seconds
        most = 2 * max(own, _MOST_TAKE_OFF) / gravity
        if seconds <= most * _ROUNDING:
            continue
        raise InfeasibleError(
            Note(
                "the flight at {time:.3g} lasts {seconds:.3g} and would have to rise {rise:.1f} m; "
                "a person flies {most:.3g} at most with this gravity",
                Remedy("change when it lands instead", parameter="fit_flights", value="timing"),
                code="flight-too-high",
                time=Moment(flight.start),
                seconds=Duration(seconds),
                rise=gravity * seconds**2 / 8,
                most=Duration(most),
            )
        )


def _farther(
    times: FloatArray, spans: Sequence[tuple[float, ...]], factors: Sequence[float]
) -> FloatArray:
    """Return by what fraction the way is longer, (F,): in flights, and less and less beside them.

    The push before a flight gathers the speed, and the landing takes it up.
    """
    out = np.zeros(len(times))
    bounds = [-np.inf, *itertools.chain(*spans), np.inf]
    for k, ((start, end), factor) in enumerate(zip(spans, factors, strict=True)):
        before = min(PUSH, 0.5 * (start - bounds[2 * k]))
        after = min(PUSH, 0.5 * (bounds[2 * k + 3] - end))
        u = np.clip(np.minimum((times - start) / before, (end - times) / after) + 1, 0, 1)
        out += (factor - 1) * u**3 * (10 - 15 * u + 6 * u**2)
    return out


def _changes(
    what: str, ways: tuple[str, str], moments: Sequence[float], by: Sequence[float]
) -> list[Note]:
    """Return a note on the changed heights or distances of flights, in metres."""
    words = [
        Sentence(f"{abs(b):.2f} m {ways[b < 0]} at {{time:.3g}}", time=Moment(t))
        for t, b in zip(moments, by, strict=True)
        if abs(b) >= _UNSEEN
    ]
    if not words:
        fact = f"the {what} of flights already follows their timing"
        return [Note(fact, code=f"flight-{what}s", by=list(by))]
    return [Note("flights go {words}", code=f"flight-{what}s", words=listed(words), by=list(by))]
