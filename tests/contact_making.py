"""Motions whose contacts are known, on other grounds than they were made on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np

from retime import Motion, TimeWarp, apply, positions
from retime.arrays import FloatArray
from retime.body.contacts.detector import Detector
from retime.motion.contact import Contact

Ground = Callable[[FloatArray], FloatArray]


def on_ground(motion: Motion, ground: Ground) -> Detector:
    """Put each point of a body as much higher as the ground is below it."""
    plain = Detector.of(motion)
    points = [
        replace(p, place=_raised(p.place, ground), carrier=_raised(p.carrier, ground))
        for p in plain.points
    ]
    # The body as a whole rises evenly: nobody's middle follows the edges of steps.
    way = plain.centre[:, [0, 2]] - plain.centre[0, [0, 2]]
    along = np.linalg.norm(way, axis=1)
    rise = ground(plain.centre[[0, -1]]) if along[-1] > 0 else np.zeros(2)
    centre = plain.centre.copy()
    centre[:, 1] += np.interp(along, [0, max(along[-1], 1e-9)], rise)
    return Detector(points, centre, plain.times, plain.rate)


def _raised(place: FloatArray, ground: Ground) -> FloatArray:
    out = place.copy()
    out[:, 1] += ground(place)
    return out


def stairs(direction: FloatArray, length: float = 0.6, height: float = 0.15) -> Ground:
    """Rise a step every so many metres of the way; its edge is a few centimetres wide."""

    def ground(place: FloatArray) -> FloatArray:
        along = place[:, [0, 2]] @ direction / length
        edge = np.clip((along - np.floor(along) - 0.9) / 0.1, 0, 1)
        out: FloatArray = height * (np.floor(along) + edge**2 * (3 - 2 * edge))
        return out

    return ground


def slope(direction: FloatArray, rise: float = 0.1) -> Ground:
    """Rise by a share of the way."""
    return lambda place: np.asarray(rise * (place[:, [0, 2]] @ direction))


def with_noise(motion: Motion, metres: float, seed: int = 0) -> Detector:
    """Shake every point on its own."""
    plain, random = Detector.of(motion), np.random.default_rng(seed)
    points = [
        replace(p, place=p.place + metres * random.standard_normal(p.place.shape))
        for p in plain.points
    ]
    return Detector(points, plain.centre, plain.times, plain.rate)


def sliding(motion: Motion, speed: float) -> Detector:
    """Let the whole world slide along, as a capture with a wrong scale does."""
    plain = Detector.of(motion)
    way = np.zeros_like(plain.centre)
    way[:, 0] = speed * (plain.times - plain.times[0])
    points = [replace(p, place=p.place + way, carrier=p.carrier + way) for p in plain.points]
    return Detector(points, plain.centre + way, plain.times, plain.rate)


def balls_right(detector: Detector, feet: dict[str, list[tuple[float, float]]]) -> float:
    """Return the share of frames and feet in which it is told right whether the ball touches."""
    t, right = detector.times, []
    names = [p.name for p in detector.points]
    for side, spans in feet.items():
        truth = np.zeros(len(t), bool)
        for start, end in spans:
            truth |= (t >= start) & (t <= end)
        right.append(truth == detector.down[names.index(f"{side}_ball")])
    return float(np.mean(right))


def off_path(
    source: Motion, made: Motion, warp: TimeWarp, contacts: Iterable[Contact]
) -> list[FloatArray]:
    """Return how far joints in contact are from where the source has them at their own time.

    Contacts are in the source's time; each gets an array (N, 3) of its frames, metres.
    """
    out, now, still = [], positions(made), TimeWarp.identity(*source.domain)
    for contact in contacts:
        shown = warp.preimage(contact.start, contact.end, contact.joint)
        if shown is None:
            continue
        frames = (made.times >= shown[0]) & (made.times <= shown[1])
        then = warp(made.times[frames], contact.joint)
        if len(then):
            j = source.skeleton.index(contact.joint)
            out.append(now[frames, j] - positions(apply(source, still, times=then))[:, j])
    return out
