"""Compare the timing of a performance with a recording, moment by moment."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray, ReadOnlyArrays
from retime.errors import InputError
from retime.methods.align.joints import Recording, tracked_points
from retime.methods.align.live.aligner import Aligner
from retime.methods.align.live.bayes import BayesAligner
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
# A step of the time that differs from the stream's by more than this (s), across more travel of the
# mean joint than this (m), is another place or another cycle, and no delay.
_ELSEWHERE, _TRAVEL = 0.3, 0.15
# Delays of limbs that are tried (s); a limb that moves less than this (m) tells none.
_DELAYS, _LIMB_MOVES = np.linspace(-0.3, 0.3, 61), 0.03
_LIMBS = {
    f"{side} {limb}": tuple(f"{side}_{part}" for part in parts)
    for side in ("left", "right")
    for limb, parts in (("hand", ("hand", "lower_arm")), ("foot", ("foot", "lower_leg")))
} | {"head": ("head",)}


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
    limbs : dict of str to float
        How many seconds each limb is behind the whole body, early below 0.
    """

    times: FloatArray
    source: FloatArray
    late: FloatArray
    confidence: FloatArray
    judged: npt.NDArray[np.bool_]
    limbs: Mapping[str, float] = field(default_factory=dict)

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
            "limbs": dict(self.limbs),
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
    times, poses = _poses(aligner.joints, performance)
    aligner.reset()
    source, confidence = np.empty(len(times)), np.empty(len(times))
    for i, (pose, time) in enumerate(zip(poses, times, strict=True)):
        source[i] = aligner.step(pose, time)
        confidence[i] = aligner.confidence
    return times, source, confidence


def _poses(
    joints: tuple[str, ...], performance: Motion | Recording
) -> tuple[FloatArray, FloatArray]:
    """Return times (T,) and poses (T, J, 3) of a performance, NaN for joints that it lacks."""
    if not isinstance(performance, Motion | Recording):
        raise InputError(
            f"a performance is a motion or a recording, not {type(performance).__name__}; read a "
            "file first"
        )
    if isinstance(performance, Motion):
        points, found = tracked_points(performance, joints)
        times: FloatArray = performance.times
    else:
        points, found, times = performance.points, performance.joints, performance.times
    common = [j for j in found if j in joints]
    if not common:
        raise InputError(
            "the performance and the recording have no joint in common: one has "
            f"{', '.join(found)}, the other {', '.join(joints)}"
        )
    poses = np.full((len(times), len(joints), 3), np.nan)
    for name in common:
        poses[:, joints.index(name)] = points[:, list(found).index(name)]
    return times, poses


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
    found = score_times(aligner.recording, *follow(aligner, performance))
    _, poses = _poses(aligner.joints, performance)
    return replace(found, limbs=_limb_delays(aligner.recording, poses, found))


def _limb_delays(recording: Recording, poses: FloatArray, found: TimingScore) -> dict[str, float]:
    """Return by how much the motion of each limb is behind that of the whole body, in seconds.

    The joints of a limb move about the middle of the body as they were recorded some time ago.
    """
    judged = found.judged & np.isfinite(poses).all(axis=(1, 2))
    out: dict[str, float] = {}
    if judged.sum() < 2:
        return out
    live, source = own_heading(poses[judged]), found.source[judged]
    shifted = [own_heading(recording.at(source - delay)) for delay in _DELAYS]
    for limb, roles in _LIMBS.items():
        at = [recording.joints.index(r) for r in roles if r in recording.joints]
        if not at or np.ptp(live[:, at], axis=0).max() < _LIMB_MOVES:
            continue
        error = []
        for path in shifted:
            off = live[:, at] - path[:, at]
            error.append(float((off - off.mean(axis=0)).var(axis=0).sum()))
        best = int(np.argmin(error))
        if 0 < best < len(error) - 1:  # at an end, nothing fits
            out[limb] = float(_DELAYS[best])
    return out


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
        steps = np.diff(source, prepend=source[0])
        passed = np.diff(times, prepend=times[0])
        jumps = np.where(_is_elsewhere(recording, source, steps, passed), steps - passed, 0.0)
        moved = np.cumsum(jumps)
        late += moved - moved[first]
    return TimingScore(times, source, late, confidence, judged)


def _is_elsewhere(
    recording: Recording, source: FloatArray, steps: FloatArray, passed: FloatArray
) -> npt.NDArray[np.bool_]:
    """Return where the performer was found at another place (T,)."""
    way = np.r_[0.0, np.cumsum(np.diff(recording.times) * _speed(recording, recording.times)[1:])]
    at = np.interp(source, recording.times, way)
    far = np.abs(np.diff(at, prepend=at[0])) > _TRAVEL
    out: npt.NDArray[np.bool_] = far & (np.abs(steps - passed) > _ELSEWHERE + passed)
    return out


def _speed(recording: Recording, source: FloatArray) -> FloatArray:
    """Return the mean joint's speed at times of a recording, the body's own way taken out."""
    points = own_heading(recording.points)
    velocity = np.gradient(points, recording.times, axis=0)
    speed = np.linalg.norm(velocity, axis=2).mean(axis=1)
    out: FloatArray = np.interp(source, recording.times, speed)
    return out
