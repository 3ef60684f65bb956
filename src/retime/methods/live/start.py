"""Has it begun, and which is it: the start of a performance, and the choice among recordings."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy.typing as npt

from retime.errors import InputError
from retime.methods.live.bayes import BayesAligner
from retime.methods.live.stamps import Clock

__all__ = ["Start", "StartDetector"]

# Evidence that starts a recording, and that it must have beyond the next one, in nats.
_ENOUGH, _BEYOND = 2.0, 1.0
# Evidence that is lost a second where nothing, or something else, happens.
_FADES = 0.75
# The mean joint may be this far from the recorded pose, at a body's common size, metres.
_FAR = 0.35
_LONGEST_GAP = 1.0
# Seconds in which belief goes back to the start where nothing is explained.
_REARM = 0.3


@dataclass(frozen=True)
class Start:
    """A performance that has begun.

    Parameters
    ----------
    name : str
        Which recording is performed.
    time : float
        Live time at which that became clear.
    source : float
        The recording's time at that moment.
    confidence : float
        How sure it is, 0 to 1.
    """

    name: str
    time: float
    source: float
    confidence: float


class StartDetector:
    """Waits until one of several recordings is being performed.

    It watches how much better the live motion is explained by each recording, played from its
    start, than by standing still. What explains nothing begins anew.

    Parameters
    ----------
    recordings : mapping of str to Motion, Recording or (positions, times)
        Candidates by name; all are followed with the same joints.

    Examples
    --------
    >>> from retime import samples
    >>> from retime.live import StartDetector, tracked_points
    >>> detector = StartDetector({"jump": samples.jump(), "punches": samples.punches()})
    >>> poses, _ = tracked_points(samples.jump(), detector.joints)
    >>> for time, pose in zip(samples.jump().times, poses):
    ...     start = detector.step(pose, time)
    ...     if start:
    ...         break
    >>> start.name
    'jump'
    """

    def __init__(self, recordings: Mapping[str, Any]) -> None:
        if not recordings:
            raise InputError("there is no recording to wait for")
        self._aligners = {}
        for name, given in recordings.items():
            reference, times = given if isinstance(given, tuple) else (given, None)
            self._aligners[name] = BayesAligner(reference, times=times)
        joints = {a.joints for a in self._aligners.values()}
        if len(joints) > 1:
            shown = "; ".join(f"{n}: {', '.join(a.joints)}" for n, a in self._aligners.items())
            raise InputError(f"the recordings do not have the same joints to follow ({shown})")
        self.joints = joints.pop()
        self.reset()

    def reset(self) -> None:
        """Wait anew."""
        self._clock = Clock()
        self.evidence = dict.fromkeys(self._aligners, 0.0)
        for aligner in self._aligners.values():
            aligner.reset()

    def step(self, pose: npt.ArrayLike, time: float) -> Start | None:
        """Take in a live pose (J, 3) at a time in seconds; return what has begun, if it has."""
        seconds = self._clock.advance(time)
        if seconds is None:
            return None
        for name, aligner in self._aligners.items():
            gain = aligner.watch(pose, min(seconds, _LONGEST_GAP))
            total = self.evidence[name] + gain - _FADES * min(seconds, _LONGEST_GAP)
            self.evidence[name] = max(total, 0.0)
            if total <= 0:
                aligner.rearm(1 - math.exp(-seconds / _REARM))
        first, *others = sorted(self.evidence, key=lambda n: -self.evidence[n])
        ahead = self.evidence[first] - (self.evidence[others[0]] if others else 0.0)
        if self.evidence[first] < _ENOUGH or (others and ahead < _BEYOND):
            return None
        aligner = self._aligners[first]
        if aligner.distance > _FAR:
            return None
        return Start(first, self._clock.now, aligner.watched, 1 / (1 + math.exp(-ahead)))

    def aligner(self, start: Start) -> BayesAligner:
        """Return the aligner of what has begun, at its place; it knows the performer's size."""
        aligner = self._aligners[start.name]
        aligner.seek(start.source)
        return aligner
