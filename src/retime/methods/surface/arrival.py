"""Measure when a dragged joint arrives in space, on the delivered motion."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from retime.arrays import FloatArray
from retime.body import find_body
from retime.motion import Motion
from retime.motion.kinematics import cached_positions
from retime.notes import Note
from retime.sentences import Duration

__all__ = ["Arrival", "arrival"]

# A path is compared over this many seconds before and after the drag.
_WINDOW = 0.1
# Arrivals are searched up to this fraction of the drag, and this many seconds, beyond it.
_BEYOND, _MORE = 0.5, 0.1
_STEPS = 400
# A joint that moves by less than this fraction of the figure's height stands still.
_STILL = 1e-3
# Paths with a mean difference below this, in metres, are equal.
_EQUAL = 1e-5
# A joint within this distance of the requested pose has arrived, metres.
_THERE = 1e-3


@dataclass(frozen=True)
class Arrival:
    """Result of a drag.

    Parameters
    ----------
    joint : str
        The joint that was dragged.
    asked : float
        Requested shift in seconds; negative is earlier.
    measured : float
        Measured shift in seconds: the requested one if the joint is within 1 mm of the pose then,
        otherwise that of its path relative to the hips; of a joint that stands still, in space.
    distance : float
        Distance from the requested pose at the requested time, metres.
    """

    joint: str
    asked: float
    measured: float
    distance: float

    def note(self) -> Note:
        """Return the note on the arrival."""
        return Note(
            "{joint} arrives {shift:.3g} {way}, {cm:.1f} cm from the requested pose",
            code="arrival",
            joint=self.joint,
            shift=Duration(abs(self.measured)),
            way="earlier" if self.measured < 0 else "later",
            cm=100 * self.distance,
            asked=self.asked,
            measured=self.measured,
            distance=self.distance,
        )


def arrival(source: Motion, made: Motion, joint: int, time: float, shift: float) -> Arrival:
    """Measure when a part of a joint's path arrives in the result.

    Parameters
    ----------
    source, made : Motion
        The step's input, and its output on the same span of time.
    joint : int
        The joint.
    time, shift : float
        Source time of the drag, and the requested shift; seconds.
    """
    body = find_body(source)
    around = np.linspace(-_WINDOW, _WINDOW, 25)
    hips: int | None = body.roles.get("hips", source.skeleton.roots[0])
    equal, still = _EQUAL, _STILL * float(np.ptp(cached_positions(source)[0, :, 1]))
    stands = (body.limb_of(joint) or "").endswith("leg")
    if stands and _range(source, joint, time + around) <= still:
        # Relative to the hips, a foot that stands still would move as they do.
        hips, equal = None, max(equal, still)
    then, now = (_from(m, joint, hips) for m in (source, made))
    wanted = _at(source, then, time + around)
    low, high = sorted((0.0, shift))
    more = _BEYOND * abs(shift) + _MORE
    lags = np.linspace(low - more, high + more, _STEPS)
    shown = _at(made, now, (time + lags[:, None] + around).ravel()).reshape(_STEPS, -1, 3)
    off = np.linalg.norm(shown - wanted, axis=-1).mean(axis=1)
    there = _at(made, now, np.array([time + shift])) - _at(source, then, np.array([time]))
    name = source.skeleton.names[joint]
    # Of equally good times, as for a standing foot, choose the requested one.
    good = lags[off <= off.min() + equal]
    measured = float(good[np.abs(good - shift).argmin()])
    distance = float(np.linalg.norm(there))
    if distance < _THERE:  # it is there then, even if the path beside is stretched or shortened
        measured = shift
    return Arrival(name, shift, measured, distance)


def _range(motion: Motion, joint: int, times: FloatArray) -> float:
    """Return the distance that a joint moves in space within times, metres."""
    return float(np.ptp(_at(motion, cached_positions(motion)[:, joint], times), axis=0).max())


def _from(motion: Motion, joint: int, hips: int | None) -> FloatArray:
    """Return a joint's path (F, 3), relative to the hips or in space."""
    points = cached_positions(motion)
    return np.asarray(points[:, joint] - (0.0 if hips is None else points[:, hips]))


def _at(motion: Motion, track: FloatArray, times: FloatArray) -> FloatArray:
    return np.stack([np.interp(times, motion.times, track[:, c]) for c in range(3)], axis=-1)
