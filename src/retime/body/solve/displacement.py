"""Displacements of held joints to the positions of their contacts, eased before and after."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.motion import Motion
from retime.motion.contact import Contact

# Largest speed of a foot or hand next to a contact, m/s.
_FASTEST_FOOT = 3.0
# A displacement of this many metres fades in twice the time of a small one: a hand that is held far
# away would pull its elbow straight at once.
_FAR = 0.09
# A joint this near to its path, in metres, is on it: the rest is rounding.
_ROUNDING = 1e-9
# Weight of a frame at the very end of a contact, of a mean over its frames.
_JOINS = 1e-3
# Largest mean speed at which a held joint slides from one contact to the next, m/s.
_FASTEST_SLIDE = 0.4
# Shortest time in which a foot is lifted and put down elsewhere, seconds.
_NO_STEP = 0.06
# Contacts with a gap shorter by this than that, seconds, get all the time they need.
_LESS_STEP = 0.02


def frames_of(contact: Contact, motion: Motion) -> npt.NDArray[np.bool_]:
    """Mark the frames (F,) of a motion in which a contact lasts."""
    hair = 1e-6 / motion.rate
    return (motion.times >= contact.start - hair) & (motion.times <= contact.end + hair)


def frame_weights(contact: Contact, times: FloatArray, rate: float) -> FloatArray:
    """Return weights (N,) of a contact's frames at times (N,), for a mean that does not jump.

    They sum to 1. A frame that an end of the contact has just passed counts almost nothing.
    """
    inside = np.minimum(times - contact.start, contact.end - times) * rate
    weights = np.clip(inside, _JOINS, 1.0)
    return np.asarray(weights / weights.sum())


@dataclass(frozen=True, eq=False)
class OwnPath:
    """A target that goes on beyond its contact: the path (F, 3) of the joint in its source."""

    points: FloatArray


# Where a contact belongs: a place (3,), a path (F, 3) on a support that moves, or the source's own.
Target = FloatArray | OwnPath


@dataclass(frozen=True, eq=False)
class _Held:
    """A contact, its frames (F,), the way (F, 3) to its target, and the times (F,) of all frames.

    Its ends lie between frames: what is eased beside it is continuous when it moves in time.
    """

    contact: Contact
    frames: npt.NDArray[np.bool_]
    way: FloatArray
    times: FloatArray

    @property
    def start(self) -> float:
        """Its start, within the motion."""
        return max(self.contact.start, float(self.times[0]))

    @property
    def end(self) -> float:
        """Its end, within the motion."""
        return min(self.contact.end, float(self.times[-1]))

    def at_ends(self) -> tuple[FloatArray, FloatArray]:
        """Return the way to its target at its start and at its end, (3,) each."""
        inside = np.flatnonzero(self.frames)
        first, last = int(inside[0]), int(inside[-1])
        return (
            self._between(first, max(first - 1, 0), self.start),
            self._between(last, min(last + 1, len(self.times) - 1), self.end),
        )

    def _between(self, inner: int, outer: int, time: float) -> FloatArray:
        """Return the way at an end, between the last frame inside and the next one outside."""
        gap = abs(float(self.times[outer] - self.times[inner]))
        if gap == 0:
            return np.asarray(self.way[inner])
        step = self.way[outer] - self.way[inner]
        # A jump of the source is not a part of the contact.
        step *= min(1.0, _FASTEST_FOOT * gap / max(float(np.linalg.norm(step)), 1e-12))
        part = min(max(abs(time - float(self.times[inner])) / gap, 0.0), 1.0)
        return np.asarray(self.way[inner] + part * step)


def eased(u: FloatArray) -> FloatArray:
    """Ease from 0 to 1, with no speed or acceleration at the ends."""
    return np.asarray(u**3 * (10 - 15 * u + 6 * u**2))


def displacement(
    motion: Motion, place: FloatArray, targets: Mapping[Contact, Target], fade: float
) -> tuple[FloatArray, FloatArray]:
    """Return the displacement of a joint, (F, 3), and the share by which it is held, (F,).

    The targets of one joint are all of one kind.
    """
    paths = {c: t.points for c, t in targets.items() if isinstance(t, OwnPath)}
    if paths:
        return _along(motion, place, paths, fade)
    points = {c: t for c, t in targets.items() if not isinstance(t, OwnPath)}
    return _toward(motion, place, points, fade)


def _along(
    motion: Motion, place: FloatArray, paths: Mapping[Contact, FloatArray], fade: float
) -> tuple[FloatArray, FloatArray]:
    """Return the displacement of a joint to the paths of its contacts.

    It is the distance to the path in the same frame, weighed by 1 in the contact and less beside
    it, for longer where it is large. So it is as small as what moved the joint, and the foot's
    speed is continuous at the ends.
    """
    times, ordered = motion.times, sorted(paths, key=lambda c: c.start)
    move, total = np.zeros_like(place), np.zeros(len(place))
    for k, contact in enumerate(ordered):
        # Two fades that share a gap sum to 1 in it.
        before = contact.start - ordered[k - 1].end if k else np.inf
        after = ordered[k + 1].start - contact.end if k + 1 < len(ordered) else np.inf
        weight = np.full(len(times), contact.firmness)
        way = paths[contact] - place
        size = np.linalg.norm(way, axis=1)
        for edge, sign, room in ((contact.start, -1.0, before), (contact.end, 1.0, after)):
            away = sign * (times - edge)
            outside = away > 1e-6 / motion.rate
            span = min(fade * (1 + float(np.interp(edge, times, size)) / _FAR), room)
            if span > 0:
                weight[outside] *= eased(np.clip(1 - away[outside] / span, 0.0, 1.0))
            else:
                weight[outside] = 0.0
        move += weight[:, None] * way
        total += weight
    move /= np.maximum(total, 1.0)[:, None]  # contacts may overlap
    move[np.abs(move).max(axis=1, initial=0.0) < _ROUNDING] = 0.0
    return move, np.minimum(total, 1.0)


def _toward(
    motion: Motion, place: FloatArray, targets: Mapping[Contact, FloatArray], fade: float
) -> tuple[FloatArray, FloatArray]:
    """Return the displacement of a joint to the places of its contacts."""
    times = motion.times
    held = {c: frames_of(c, motion) for c in sorted(targets, key=lambda c: c.start)}
    ordered = [
        _Held(c, frames, np.broadcast_to(targets[c], place.shape) - place, times)
        for c, frames in held.items()
        if frames.any()
    ]
    move, share = np.zeros_like(place), np.zeros(len(place))
    for k, one in enumerate(ordered):
        move[one.frames] = one.contact.firmness * one.way[one.frames]
        share[one.frames] = one.contact.firmness
        # A fade must be over where the next contact begins.
        room_before = one.start - ordered[k - 1].end if k else np.inf
        room_after = ordered[k + 1].start - one.end if k + 1 < len(ordered) else np.inf
        edges = ((one.start, -1.0, room_before), (one.end, 1.0, room_after))
        for way, (edge, sign, room) in zip(one.at_ends(), edges, strict=True):
            span = min(fade, room)
            away = sign * (times - edge)
            near = (away > 0) & (away < span) & ~one.frames
            weight = one.contact.firmness * eased(1 - away[near] / span) if near.any() else 0.0
            move[near] += np.multiply.outer(weight, way)
            share[near] = np.maximum(share[near], weight)
    for one, other in itertools.pairwise(ordered):
        _give_way(one, other, times, move, share)
    return move, share


def _give_way(
    one: _Held, other: _Held, times: FloatArray, move: FloatArray, share: FloatArray
) -> None:
    """Let two contacts slide where there is no time to get from one place to the other."""
    leaving, coming = one.at_ends()[1], other.at_ends()[0]
    gap = other.start - one.end
    needed = float(np.linalg.norm(coming - leaving)) / _FASTEST_SLIDE
    needed = gap + (needed - gap) * min((_NO_STEP - gap) / _LESS_STEP, 1.0)
    if gap >= min(needed, _NO_STEP):
        return
    centre = (one.end + other.start) / 2
    low = max(centre - needed / 2, (one.start + one.end) / 2)
    high = min(centre + needed / 2, (other.start + other.end) / 2)
    window = (times > low) & (times < high)
    if high <= low or not window.any():
        return
    at = times[window][:, None]
    weight = eased((at - low) / (high - low))
    before = np.where(at <= one.end, one.way[window], leaving)
    after = np.where(at >= other.start, other.way[window], coming)
    move[window] = (1 - weight) * before + weight * after
    share[window] = 1.0
