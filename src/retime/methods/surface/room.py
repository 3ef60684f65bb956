"""Room in time: the range of a key, and the fraction of its drag that fits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from retime.errors import InputError
from retime.methods.surface.keys import ControlPoint, SurfaceKey
from retime.methods.surface.placing import Placed
from retime.methods.surface.propagation import Bump
from retime.notes import Note
from retime.parameters import Range
from retime.sentences import Duration, Moment, Span

__all__ = ["NOTHING", "Room", "check_times", "drag_cut", "make_room"]

# Shifts below this, in seconds, are ignored.
NOTHING = 1e-7
# Slowest and fastest speed of dragged segments, where there is room and where there is not.
# Accelerations grow with the square of the speed.
_CALM, _HURRIED = (0.28, 1.54), 2.0


@dataclass(frozen=True)
class Room:
    """A key's range, and the fraction of its drag that fits there.

    Parameters
    ----------
    start, end : float
        Seconds; outside, the timing does not change.
    share : float
        1, or less if the drag was reduced.
    notes : tuple of str
        Notes about widened or shortened drags.
    """

    start: float
    end: float
    share: float
    notes: tuple[Note, ...] = ()


def drag_cut(key: SurfaceKey, drag: ControlPoint, shift: float, why: str) -> Note:
    """Return the note on a drag of which only a part is made, or nothing."""
    if abs(shift) < NOTHING:
        return Note(
            "the drag of {joint} at {time} has no effect: " + why,
            code="drag-without-effect",
            joint=drag.joint or "the point",
            time=Moment(key.time),
        )
    return Note(
        "the drag of {joint} at {time} was reduced from {asked} to {shift:.3g}: " + why,
        code="drag-cut",
        joint=drag.joint or "the point",
        time=Moment(key.time),
        asked=Duration(drag.shift),
        shift=Duration(shift),
    )


def _base(key: SurfaceKey) -> Range:
    """Return a key's range before it is widened: its surface's bounds and gamma (eq. 9)."""
    shifts = [d.shift for d in key.drags]
    return key.time + min(0.0, *shifts) - key.gamma, key.time + max(0.0, *shifts) + key.gamma


def check_times(keys: Sequence[SurfaceKey], span: Range, domain: Range) -> None:
    """Reject keys outside the range that may change."""
    first, last = span
    for key in keys:
        if span != domain and not first <= key.time <= last:
            raise InputError(
                "the key at {time} is outside the range, {range}",
                time=Moment(key.time),
                range=Span(first, last),
            )


def _share_parts(one: Placed, other: Placed) -> bool:
    """Return whether two keys move the same parts; keys of different limbs do not."""
    return not (one.limbs and other.limbs and not set(one.limbs) & set(other.limbs))


def _check_overlap(one: Placed, other: Placed) -> None:
    first, second = one.key, other.key
    if second.time == first.time:
        raise InputError(
            "two keys are at {time}; drag several joints at one moment by the control points of "
            "one key",
            time=Moment(first.time),
        )
    (a, b), (c, d) = _base(first), _base(second)
    if c < b - 1e-9:
        free = b + second.time - c
        raise InputError(
            "the keys at {first} and {second} overlap: their ranges are {one:.3g} and {other:.3g}; "
            "move the second to {free:.3g} or later, or reduce gamma of both",
            first=Moment(first.time),
            second=Moment(second.time),
            one=Span(a, b),
            other=Span(c, d),
            free=Moment(free),
        )


def make_room(placed: Sequence[Placed], span: Range, bump: Bump, least: float) -> list[Room]:
    """Widen ranges until time is monotone; reduce drags without enough room.

    Keys of different limbs may overlap; others must not.
    """
    out: list[Room] = []
    for k, one in enumerate(placed):
        before = [n for n in range(k) if _share_parts(placed[n], one)]
        after = [p for p in placed[k + 1 :] if _share_parts(one, p)]
        if before:
            _check_overlap(placed[before[-1]], one)
        low = max([span[0], *(out[n].end for n in before)])
        high = min([span[1], *(_base(p.key)[0] for p in after)])
        out.append(_room(one, _base(one.key), (low, high), bump, least))
    return out


def _room(placed: Placed, base: Range, most: Range, bump: Bump, least: float) -> Room:
    time, shifts = placed.key.time, placed.asked
    calm, hurried = (_CALM, _HURRIED) if placed.chains else ((least, 1 / least), 1 / least)
    left, right = (bump.room(shifts, least, hurried, side) for side in (0, 1))
    wide = [bump.room(shifts, *calm, side) for side in (0, 1)]
    start = max(min(base[0], float((time + shifts - wide[0]).min())), most[0])
    end = min(max(base[1], float((time + shifts + wide[1]).max())), most[1])
    moves = np.abs(shifts) > NOTHING
    notes = []
    if not moves.any():
        if any(d.shift for d in placed.key.drags):
            notes.append(
                Note(
                    "no joint is near enough to follow the drag at {time}",
                    code="drag-without-effect",
                    time=Moment(time),
                )
            )
        return Room(start, end, 1.0, tuple(notes))
    # For a fraction s of the shifts, s * (left - shift) must fit before the key; likewise after it.
    before = (time - start) / np.maximum((left - shifts)[moves], 1e-12)
    after = (end - time) / np.maximum((right + shifts)[moves], 1e-12)
    share = float(np.clip(min(before.min(), after.min()), 0.0, 1.0))
    if share >= 1 - 1e-9:
        share = 1.0  # exactly as requested
    else:
        drag = max(placed.key.drags, key=lambda d: abs(d.shift))
        why = "the end of the clip or range, or another key, leaves no more room"
        if time in (start, end):
            why = "the first and the last frame of a clip or range stay; drag a pose inside it"
        notes.append(drag_cut(placed.key, drag, share * drag.shift, why))
    if start < base[0] - 1e-9 or end > base[1] + 1e-9:
        slow, fast = calm
        why = f"parts play at {slow:g} to {fast:g} times their speed"
        notes.append(
            Note(
                "the range of the key at {time} was widened, {range:.3g}, so that {why}",
                code="range-widened",
                time=Moment(time),
                range=Span(start, end),
                why=why,
            )
        )
    return Room(start, end, share, tuple(notes))
