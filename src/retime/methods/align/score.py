"""Compare the timing of a performance with a recording, moment by moment."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray, ReadOnlyArrays
from retime.errors import InputError
from retime.methods.align.aligner import Aligner
from retime.methods.align.bayes import BayesAligner
from retime.methods.align.joints import Recording, tracked_points
from retime.methods.align.poses import own_heading
from retime.motion import Motion
from retime.one_line import one_line

# Where the recording's mean joint is slower than this (metres a second), timing cannot be seen.
_MOVES = 0.15
# Less sure than this, a moment is not judged.
_SURE = 0.5
# Errors beyond this are noticed by most viewers (Hoyet and others, the paper's [8]), seconds.
_NOTICED = 0.15
# Moments that are listed lie at least this far apart, seconds.
_APART = 0.5


@dataclass(frozen=True)
class Moment:
    """A moment with a large deviation.

    Parameters
    ----------
    time, source : float
        Live time and the recording's, seconds.
    late : float
        How many seconds the performer is behind, early below 0.
    confidence : float
        How sure that is, 0 to 1.
    """

    time: float
    source: float
    late: float
    confidence: float


@one_line()
@dataclass(frozen=True, eq=False)
class TimingScore(ReadOnlyArrays):
    """The timing of a performance against a recording.

    Parameters
    ----------
    times : array (T,)
        Live times, seconds.
    source : array (T,)
        The recording's time at each.
    late : array (T,)
        How many seconds the performer is behind the recording's own pace, early below 0; counted
        from the first moment that can be judged.
    confidence : array (T,)
        How sure each is, 0 to 1.
    judged : array (T,) of bool
        Where timing can be seen (the recording moves) and the place is known.
    """

    times: FloatArray
    source: FloatArray
    late: FloatArray
    confidence: FloatArray
    judged: npt.NDArray[np.bool_]

    @property
    def summary(self) -> dict[str, float | None]:
        """Mean, median and worst error in milliseconds, the fraction on time, the mean rate."""
        late = self.late[self.judged]
        found: dict[str, float | None] = {"judged_share": float(self.judged.mean())}
        if not len(late):
            return found | dict.fromkeys(
                ("mean_error_ms", "median_error_ms", "worst_error_ms", "on_time_share", "rate")
            )
        at = np.flatnonzero(self.judged)[[0, -1]]
        took = self.times[at[1]] - self.times[at[0]]
        error = 1e3 * np.abs(late)
        return found | {
            "mean_error_ms": float(error.mean()),
            "median_error_ms": float(np.median(error)),
            "worst_error_ms": float(error.max()),
            "on_time_share": float((error < 1e3 * _NOTICED).mean()),
            "rate": float((self.source[at[1]] - self.source[at[0]]) / took) if took > 0 else None,
        }

    def moments(self, count: int = 5) -> list[Moment]:
        """Return the moments that are farthest off, at least half a second apart, in order."""
        chosen: list[int] = []
        for i in np.argsort(-np.abs(np.where(self.judged, self.late, 0.0))):
            if not self.judged[i] or len(chosen) == count:
                break
            if all(abs(self.times[i] - self.times[j]) >= _APART for j in chosen):
                chosen.append(int(i))
        return [
            Moment(*(float(a[i]) for a in (self.times, self.source, self.late, self.confidence)))
            for i in sorted(chosen)
        ]

    def to_json(self) -> dict[str, Any]:
        """Return the score as plain values; values that cannot be measured are null."""
        rows = zip(self.times, self.source, self.late, self.confidence, self.judged, strict=True)
        return {
            "summary": self.summary,
            "moments": [asdict(m) for m in self.moments()],
            "frames": [
                {
                    "time": float(t),
                    "source": float(s),
                    "late": float(e) if j and math.isfinite(e) else None,
                    "confidence": float(c),
                }
                for t, s, e, c, j in rows
            ],
        }


def follow(aligner: Aligner, performance: Motion | Recording) -> tuple[FloatArray, ...]:
    """Run an aligner over a whole performance, as if it were live.

    Parameters
    ----------
    aligner : Aligner
        Reset first.
    performance : Motion or Recording
        The performance; joints are matched by role.

    Returns
    -------
    times, source, confidence : array (T,)
        Live times, the recording's time emitted at each, and how sure it was.
    """
    if not isinstance(performance, Motion | Recording):
        raise InputError(
            f"a performance is a motion or a recording, not {type(performance).__name__}; read a "
            "file first"
        )
    if isinstance(performance, Motion):
        points, found = tracked_points(performance, aligner.joints)
        times: FloatArray = performance.times
    else:
        points, found, times = performance.points, performance.joints, performance.times
    common = [j for j in found if j in aligner.joints]
    if not common:
        raise InputError(
            "the performance and the recording have no joint in common: one has "
            f"{', '.join(found)}, the other {', '.join(aligner.joints)}"
        )
    poses = np.full((len(times), len(aligner.joints), 3), np.nan)
    for name in common:
        poses[:, aligner.joints.index(name)] = points[:, list(found).index(name)]
    aligner.reset()
    source, confidence = np.empty(len(times)), np.empty(len(times))
    for i, (pose, time) in enumerate(zip(poses, times, strict=True)):
        source[i] = aligner.step(pose, time)
        confidence[i] = aligner.confidence
    return times, source, confidence


def score(recording: Motion | Recording | Aligner, performance: Motion | Recording) -> TimingScore:
    """Score the timing of a performance against a recording.

    Parameters
    ----------
    recording : Motion, Recording or Aligner
        The right timing; an aligner to follow with; otherwise a :class:`BayesAligner`.
    performance : Motion or Recording
        The performance.

    Examples
    --------
    >>> from retime import samples
    >>> from retime.live import score
    >>> slow = samples.sample("punches-slow")
    >>> found = score(samples.punches(), slow.motion)
    >>> found.summary["worst_error_ms"] > 100       # it was slowed down by a known warp
    True
    """
    aligner = recording if isinstance(recording, Aligner) else BayesAligner(recording)
    return score_times(aligner.recording, *follow(aligner, performance))


def score_times(
    recording: Recording, times: FloatArray, source: FloatArray, confidence: FloatArray
) -> TimingScore:
    """Score the times that an aligner found.

    Parameters
    ----------
    recording : Recording
        The correct timing.
    times, source, confidence : array (T,)
        Live times, the recording's time at each, and how sure it was.
    """
    judged = (_speed(recording, source) > _MOVES) & (confidence >= _SURE)
    # What the recording has ended for, no performer can be late for.
    judged &= source < recording.end - 1e-9
    late = np.zeros(len(times))
    if judged.any():
        first = int(np.flatnonzero(judged)[0])
        late = (times - times[first]) - (source - source[first])
    return TimingScore(times, source, late, confidence, judged)


def _speed(recording: Recording, source: FloatArray) -> FloatArray:
    """Return the mean joint's speed at times of a recording, the body's own way taken out."""
    points = own_heading(recording.points)
    velocity = np.gradient(points, recording.times, axis=0)
    speed = np.linalg.norm(velocity, axis=2).mean(axis=1)
    out: FloatArray = np.interp(source, recording.times, speed)
    return out
