"""How much a moment matters: the size of the change of the paper's feature with the rate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from retime.arrays import FloatArray
from retime.body import find_body
from retime.body.measure.metrics import flights
from retime.methods.guided.features import TAU, filtered
from retime.motion import Motion
from retime.pacing.terms import Track

# Smoothing of the activity by a Gaussian, seconds.
_BLUR_S = 0.07
# Activity of a still pose, relative to the mean.
_STILL = 0.1
# Weight of a flight, where the mean is 1. It gives way only when nothing else can: a fixed rate
# would be right for one jump and impossible for a chain of them. Changes of rate that take 0.14 s
# elsewhere reach 0.14 s over the root of this, 15 ms, into a flight: short ones keep theirs too.
_FLIGHT = 90.0
# Least bend of the centre of mass's height in a flight, relative to that of free fall. Swimmers and
# bodies that hang or stand on their hands touch no floor, but do not fall: they reach at most 0.4,
# jumps more than 0.5, mostly 0.7 to 1.1.
_FALLS = 0.5
_GRAVITY = 9.81
# Flights are widened by this on both sides, so that the rate is free beside them, seconds.
_BESIDE_S = 1 / 60


@dataclass(frozen=True, eq=False)
class Activity:
    """The activity of a signal over time, and its flights."""

    times: FloatArray
    """Source times (N,)."""
    size: FloatArray
    """Size of the change of the feature per relative change of rate (N,)."""
    flights: tuple[tuple[float, float], ...] = ()
    """First and last time of each."""

    @classmethod
    def of(
        cls,
        poses: FloatArray,
        domain: tuple[float, float],
        flights: Sequence[tuple[float, float]] = (),
    ) -> Activity:
        """Measure a signal (N, D) of even samples over a domain.

        The feature [y, tau y', tau^2 y''] at a rate r is [y, tau r y', tau^2 r^2 y'']: by the
        logarithm of r it changes by [0, tau y', 2 tau^2 y''].
        """
        start, end = domain
        rate = (len(poses) - 1) / (end - start)
        velocity = np.gradient(poses, axis=0) * rate
        acceleration = np.gradient(velocity, axis=0) * rate
        square = TAU**2 * (velocity**2).sum(axis=1) + 4 * TAU**4 * (acceleration**2).sum(axis=1)
        size = filtered(np.sqrt(square), _BLUR_S * rate)
        return cls(np.linspace(start, end, len(poses)), size, tuple(flights))

    def weight(self, span: tuple[float, float], strength: float) -> Track:
        """Return the elastic weight over source time; its mean over a span is 1, flights apart."""
        inside = (self.times >= span[0]) & (self.times <= span[1])
        mean = float(self.size[inside].mean()) if inside.any() else float(self.size.mean())
        # Strength 1 is the square, the scale of the feature's own square.
        weight = (self.size / max(mean, 1e-12) + _STILL) ** (2 * strength)
        weight /= weight[inside].mean() if inside.any() else weight.mean()

        def at(times: FloatArray) -> FloatArray:
            out = np.interp(times, self.times, weight)
            for first, last in self.flights:
                out[(times > first - _BESIDE_S) & (times < last + _BESIDE_S)] = _FLIGHT
            return out

        return at


def falling_flights(motion: Motion) -> list[tuple[float, float]]:
    """Return the flights whose time gravity determines: those in which the body falls."""
    spans = flights(motion)
    if not spans:
        return []
    height = find_body(motion).centre_of_mass(motion)[:, 1]
    ends = np.array(spans)
    first, middle, last = (
        np.interp(t, motion.times, height) for t in (ends[:, 0], ends.mean(axis=1), ends[:, 1])
    )
    fall = _GRAVITY / 8 * np.diff(ends, axis=1)[:, 0] ** 2
    falls = middle - (first + last) / 2 > _FALLS * fall
    return [span for span, kept in zip(spans, falls, strict=True) if kept]
