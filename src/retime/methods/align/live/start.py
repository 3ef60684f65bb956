"""Detect the start of a performance, and which of several recordings it is."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy.typing as npt

from retime.errors import InputError
from retime.methods.align.joints import Recording, record
from retime.methods.align.live.bayes import BayesAligner
from retime.methods.align.live.belief import Belief
from retime.methods.align.live.stamps import Clock
from retime.methods.align.poses import Sizer

# Evidence that starts a recording, and that it must have beyond the next one, in nats.
_ENOUGH, _BEYOND = 2.0, 1.0
# Evidence lost per second while nothing, or something else, happens.
_FADES = 0.5
_STEP = 0.04
# The mean joint may be this far from the recorded pose, at common size, metres.
_FAR = 0.35
# Distance of the joints at which the confidence of a start falls to 1/e of that by the evidence.
_FITS = 0.12
_LONGEST_GAP = 1.0
# Seconds in which the belief returns to the start if the poses do not match.
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
    """Detects which of several recordings is being performed, and when it starts.

    It watches how much better the live motion is explained by each recording, played from its
    start, than by standing still. A recording that explains nothing starts again.

    Parameters
    ----------
    recordings : mapping of str to Motion, Recording or (positions, times, joints)
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
        if not isinstance(recordings, Mapping):
            raise InputError("give the recordings by name, as a mapping")
        if not recordings:
            raise InputError("there is no recording to wait for")
        self._candidates = {}
        for name, given in recordings.items():
            parts = given if isinstance(given, tuple) else (given,)
            if not 1 <= len(parts) <= 3:
                raise InputError(f"{name}: a recording is a motion, or (positions, times, joints)")
            options = dict(zip(("times", "joints"), parts[1:], strict=False))
            self._candidates[name] = _Candidate(record(parts[0], **options))
        joints = {c.recording.joints for c in self._candidates.values()}
        if len(joints) > 1:
            shown = "; ".join(
                f"{n}: {', '.join(c.recording.joints)}" for n, c in self._candidates.items()
            )
            raise InputError(f"the recordings do not have the same joints to follow ({shown})")
        self.joints = joints.pop()
        self.reset()

    def reset(self) -> None:
        """Wait again."""
        self._clock = Clock()
        for candidate in self._candidates.values():
            candidate.reset()

    @property
    def evidence(self) -> dict[str, float]:
        """Evidence for each recording compared with standing still, in nats."""
        return {name: c.evidence for name, c in self._candidates.items()}

    def step(self, pose: npt.ArrayLike, time: float) -> Start | None:
        """Add a live pose (J, 3) at a time in seconds; return the start, if one is detected."""
        seconds = self._clock.advance(time)
        if seconds is None:
            return None
        for candidate in self._candidates.values():
            candidate.step(pose, seconds)
        evidence = self.evidence
        first, *others = sorted(evidence, key=lambda n: -evidence[n])
        ahead = evidence[first] - (evidence[others[0]] if others else 0.0)
        found = self._candidates[first]
        if evidence[first] < _ENOUGH or (others and ahead < _BEYOND):
            return None
        if found.belief.distance > _FAR:
            return None
        source = found.recording.start + found.belief.time
        fits = math.exp(-((found.belief.distance / _FITS) ** 2))
        return Start(first, self._clock.now, source, fits / (1 + math.exp(-ahead)))

    def aligner(self, start: Start) -> BayesAligner:
        """Return an aligner for a started recording, with the proportions of the performer."""
        candidate = self._candidates[start.name]
        aligner = BayesAligner(candidate.recording)
        aligner.know(candidate.sizer)
        aligner.seek(start.source)
        return aligner


class _Candidate:
    """One recording that may begin."""

    def __init__(self, recording: Recording) -> None:
        self.recording, self.sizer = recording, Sizer(recording)
        self.belief = Belief(recording, self.sizer.scale)
        self.reset()

    def reset(self) -> None:
        self.sizer.reset()
        self.belief.seek(0.0)
        self.evidence, self._unseen = 0.0, 0.0

    def step(self, pose: npt.ArrayLike, seconds: float) -> None:
        """Follow a pose, and update the evidence for this recording."""
        live = self.sizer.live(pose, seconds)
        self._unseen += seconds
        if not live.visible.any():
            return
        gap, self._unseen = min(self._unseen, _LONGEST_GAP), 0.0
        self.belief.step(live, gap)
        recorded = self.recording.at(self.recording.start + self.belief.time)
        self.sizer.stand(live, recorded, gap)
        # A pose tells no more than one in 40 ms would, and evidence fades by as much.
        total = self.evidence + self.belief.explained - _FADES * min(gap, _STEP)
        self.evidence = max(total, 0.0)
        if total <= 0:
            self.belief.rearm(1 - math.exp(-gap / _REARM))
