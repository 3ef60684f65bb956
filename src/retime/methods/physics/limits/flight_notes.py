"""Notes about the gravity of flights, and how it was corrected."""

from __future__ import annotations

import numpy as np

from retime.methods.physics.gravity import EARTH
from retime.methods.physics.limits.flights import OFF_UNSURE, Flights, GravityFrom
from retime.notes import Note, Remedy
from retime.sentences import Moment, Sentence, listed

# Factors on the speed by wrong frame rates, and how near to one the rate of flights must be.
_FRAME_RATES, _LIKE_RATE = (0.25, 0.5, 2.0, 4.0), 0.12
# Fraction of frames with undetected contacts above which there is a note.
_MUCH_HELD = 0.02


def flight_notes(found: Flights, source: GravityFrom) -> list[Note]:
    """Return notes on the gravity of flights, corrections, and possible causes."""
    notes = _held_notes(found)
    if found.listed:
        notes.append(_gravity_note(found))
    if found.corrected:
        notes.append(_corrected_note(found, source))
    elif source == "recording":
        notes += _kept_notes(found)
    return notes


def _gravity_note(found: Flights) -> Note:
    clear = [f for f in found.listed if f.clear]
    told = clear or list(found.listed)
    words = [
        Sentence("{gravity:.3g} at {time:.3g}", gravity=f.gravity, time=Moment(f.start))
        for f in told[:6]
    ]
    more = f" and {len(told) - 6} more" if len(told) > 6 else ""
    return Note(
        "{share:.0%} of the clip is flight; fitted gravity in m/s²: {words}"
        + more
        + ("" if clear else " (not clear)"),
        code="flights",
        share=float(found.mask.mean()),
        words=listed(words),
        flights=[(f.start, f.end, f.gravity, f.clear) for f in found.listed],
    )


def _held_notes(found: Flights) -> list[Note]:
    share = float(found.unseen.mean())
    if share <= _MUCH_HELD or found.unseen.all():
        return []
    return [
        Note(
            f"in {share:.0%} of the clip nothing touches and the body does not fall: it is assumed "
            "to be held, and forces have no limits there",
            Remedy(
                "if it jumps, correct the frame rate or the scale; otherwise give the contacts",
                parameter="contacts",
            ),
            code="held-unseen",
            share=share,
        )
    ]


def _kept_notes(found: Flights) -> list[Note]:
    off = [f for f in found.listed if f.clear and abs(f.gravity / EARTH - 1) > OFF_UNSURE]
    if not off:
        return []
    return [
        Note(
            f"{len(off)} flights do not fall with {EARTH} m/s²; their recorded timing is kept",
            Remedy("bring them to gravity", parameter="gravity_from", value="auto"),
            code="flights-kept",
            flights=len(off),
        )
    ]


def _corrected_note(found: Flights, source: GravityFrom) -> Note:
    changed = [f for f in found.listed if f.corrected]
    rates = [float(np.sqrt(f.speed)) for f in changed]
    typical = float(np.median(rates))
    fact = (
        f"{len(changed)} of {len(found.listed)} flights do not fall with {EARTH} m/s² and are "
        f"taken to be true at {typical:.2f} times their speed"
    )
    remedy = Remedy("keep the timing", parameter="gravity_from", value="recording")
    whole = bool((np.abs(np.log(found.speeds) - 2 * np.log(typical)) < 0.2).all())
    if len(changed) == 1 and source == "auto":
        # One flight alone leaves both possible.
        if whole:
            fact += ", and the whole clip with them"
            remedy = Remedy("correct the flight only", parameter="gravity_from", value="flights")
        else:
            fact += ", and the rest of the clip is kept"
            remedy = Remedy("correct the whole clip", parameter="gravity_from", value="gravity")
    likely = [r for r in _FRAME_RATES if abs(np.log(typical / r)) < _LIKE_RATE]
    if whole and likely:
        fact += f": the frame rate in the file may be {1 / likely[0]:g} times the true one"
        if len(changed) > 1:
            remedy = Remedy("give the frame rate", parameter="reading.fps")
    return Note(fact, remedy, code="gravity-corrected", flights=len(changed), rate=typical)
