"""How far held joints have to go: to their contacts' places, and eased beside them."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.motion import Motion
from retime.motion.contact import Contact

# Between two contacts that follow at once, a held joint slides at most this fast, m/s, on the mean.
_FASTEST_SLIDE = 0.4
# Shortest time in which a foot is lifted and put down elsewhere, seconds.
_NO_STEP = 0.06


def frames_of(contact: Contact, motion: Motion) -> npt.NDArray[np.bool_]:
    """Mark the frames (F,) of a motion in which a contact lasts."""
    hair = 1e-6 / motion.rate
    return (motion.times >= contact.start - hair) & (motion.times <= contact.end + hair)


def displacement(
    motion: Motion, place: FloatArray, targets: Mapping[Contact, FloatArray], fade: float
) -> tuple[FloatArray, FloatArray]:
    """Return the displacement of a joint, (F, 3), and the share by which it is held, (F,).

    A target is a place (3,), or a path (F, 3) on a support that moves.
    """
    targets = {c: np.broadcast_to(target, place.shape) for c, target in targets.items()}
    move, share = np.zeros_like(place), np.zeros(len(place))
    times = motion.times
    ordered = sorted(targets, key=lambda c: c.start)
    held = {c: np.flatnonzero(frames_of(c, motion)) for c in ordered}
    ordered = [c for c in ordered if len(held[c])]
    for k, contact in enumerate(ordered):
        frames = held[contact]
        first, last = frames[0], frames[-1]
        move[frames] = contact.firmness * (targets[contact] - place)[frames]
        share[frames] = contact.firmness
        # A fade must be over where the next contact begins.
        room_before = times[first] - times[held[ordered[k - 1]][-1]] if k else np.inf
        after = ordered[k + 1] if k + 1 < len(ordered) else None
        room_after = times[held[after][0]] - times[last] if after else np.inf
        for edge, sign, room in ((first, -1.0, room_before), (last, 1.0, room_after)):
            span = min(fade, room)
            away = sign * (times - times[edge])
            near = np.flatnonzero((away > 0) & (away < span))
            u = 1 - away[near] / span if span > 0 else np.zeros(0)
            weight = contact.firmness * u**3 * (10 - 15 * u + 6 * u**2)
            move[near] += weight[:, None] * (targets[contact] - place)[edge]
            share[near] = np.maximum(share[near], weight)
    for one, other in itertools.pairwise(ordered):
        last, first = held[one][-1], held[other][0]
        leaving, coming = (targets[one] - place)[last], (targets[other] - place)[first]
        needed = float(np.linalg.norm(coming - leaving)) / _FASTEST_SLIDE
        if times[first] - times[last] > min(needed, _NO_STEP):
            continue
        # There is no time to move from one place to the other, so both contacts are shortened
        # there.
        centre = (times[last] + times[first]) / 2
        low = max(centre - needed / 2, (times[held[one][0]] + times[last]) / 2)
        high = min(centre + needed / 2, (times[first] + times[held[other][-1]]) / 2)
        window = np.flatnonzero((times > low) & (times < high))
        if high > low and len(window):
            u = ((times[window] - low) / (high - low))[:, None]
            weight = u**3 * (10 - 15 * u + 6 * u**2)
            before = (targets[one] - place)[np.minimum(window, last)]
            after = (targets[other] - place)[np.maximum(window, first)]
            move[window] = (1 - weight) * before + weight * after
            share[window] = 1.0
    return move, share
