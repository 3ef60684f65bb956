"""Room in time: how far a key's range reaches, and how much of its drag fits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from retime.errors import InputError
from retime.methods.surface.keys import SurfaceKey
from retime.methods.surface.placing import Placed
from retime.methods.surface.propagation import Bump
from retime.notes import Note
from retime.parameters import Range

__all__ = ["NOTHING", "Room", "check_times", "make_room"]

# A joint that moves by less than this many seconds does not move.
NOTHING = 1e-7
# Where there is room, a leg that is carried plays at most this fast: a knee's acceleration grows
# with the square of the speed.
_CALM = 1.6


@dataclass(frozen=True)
class Room:
    """A key's range, and the fraction of its drag that fits there.

    Parameters
    ----------
    start, end : float
        Seconds; outside, time runs as it did.
    share : float
        1, or less where the drag was cut.
    notes : tuple of str
        Notes about widened or shortened drags.
    """

    start: float
    end: float
    share: float
    notes: tuple[Note, ...] = ()

    def cut(self, key: SurfaceKey, share: float) -> Room:
        """Reduce the drag of a leg, so that no joint rotates too fast and no knee jerks."""
        drag = max(key.drags, key=lambda d: abs(d.shift))
        note = Note(
            f"the drag of {drag.joint} at {key.time:g} s was cut from {drag.shift:g} to "
            f"{share * self.share * drag.shift:.3g} s: with more, a joint would turn or a knee "
            "accelerate too fast",
            code="drag-cut",
            time=key.time,
            asked=drag.shift,
            shift=share * self.share * drag.shift,
        )
        return replace(self, share=share * self.share, notes=(*self.notes, note))


def _base(key: SurfaceKey) -> Range:
    """Return a key's range before it is widened: its surface's bounds and gamma (eq. 9)."""
    shifts = [d.shift for d in key.drags]
    return key.time + min(0.0, *shifts) - key.gamma, key.time + max(0.0, *shifts) + key.gamma


def check_times(keys: Sequence[SurfaceKey], span: Range, domain: Range) -> None:
    """Refuse keys outside the span that may change."""
    first, last = span
    for key in keys:
        if span != domain and not first <= key.time <= last:
            raise InputError(
                f"the key at {key.time:g} s is outside the range, {first:g} to {last:g} s"
            )


def _share_parts(one: Placed, other: Placed) -> bool:
    """Return whether two keys move the same parts: not where each carries limbs of its own."""
    return not (one.limbs and other.limbs and not set(one.limbs) & set(other.limbs))


def _check_overlap(one: Placed, other: Placed) -> None:
    first, second = one.key, other.key
    if second.time == first.time:
        raise InputError(
            f"two keys stand at {first.time:g} s; drag several joints at one moment by one key's "
            "control_points"
        )
    (a, b), (c, d) = _base(first), _base(second)
    if c < b - 1e-9:
        free = b + second.time - c
        raise InputError(
            f"the keys at {first.time:g} and {second.time:g} s overlap: their ranges are {a:.3g} "
            f"to {b:.3g} s and {c:.3g} to {d:.3g} s; there is free room for the second from "
            f"{free:.3g} s on, or give both less gamma"
        )


def make_room(placed: Sequence[Placed], span: Range, bump: Bump, least: float) -> list[Room]:
    """Widen each range as far as monotone time needs and room allows; otherwise cut the drag.

    Keys of different limbs may overlap; others must leave each other room.
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
    time, shifts = placed.key.time, placed.shifts
    left, right = (bump.room(shifts, least, side) for side in (0, 1))
    calm = _CALM if placed.legs else None
    wide = [bump.room(shifts, least, side, calm) for side in (0, 1)]
    start = max(min(base[0], float((time + shifts - wide[0]).min())), most[0])
    end = min(max(base[1], float((time + shifts + wide[1]).max())), most[1])
    moves = np.abs(shifts) > NOTHING
    notes = []
    if not moves.any():
        if any(d.shift for d in placed.key.drags):
            notes.append(
                Note(
                    f"no joint is near enough to feel the drag at {time:g} s",
                    code="drag-without-effect",
                    time=time,
                )
            )
        return Room(start, end, 1.0, tuple(notes))
    # Of a share s of the shifts, s * (left - shift) must fit before the key, and so on after it.
    before = (time - start) / np.maximum((left - shifts)[moves], 1e-12)
    after = (end - time) / np.maximum((right + shifts)[moves], 1e-12)
    share = float(np.clip(min(before.min(), after.min()), 0.0, 1.0))
    if share >= 1 - 1e-9:
        share = 1.0  # as asked, to the last digit
    else:
        drag = max(placed.key.drags, key=lambda d: abs(d.shift))
        notes.append(
            Note(
                f"the drag of {drag.joint or 'the point'} at {time:g} s was cut from "
                f"{drag.shift:g} to {share * drag.shift:.3g} s: the clip's or the range's end, or "
                "another key, leaves no more room",
                code="drag-cut",
                time=time,
                asked=drag.shift,
                shift=share * drag.shift,
            )
        )
    if start < base[0] - 1e-9 or end > base[1] + 1e-9:
        why = f"the leg plays at most {_CALM:g} times as fast" if calm else "time never turns back"
        notes.append(
            Note(
                f"the range of the key at {time:g} s was widened to {start:.3g} to {end:.3g} s, so "
                f"that {why}",
                code="range-widened",
                time=time,
                range=[start, end],
            )
        )
    return Room(start, end, share, tuple(notes))
