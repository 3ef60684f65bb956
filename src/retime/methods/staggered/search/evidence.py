"""Find where poses are: motion trails and contacts, combined to one signal (4.1)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.coercion import coerce
from retime.errors import InputError
from retime.motion import Motion, quat
from retime.motion.contact import Contact
from retime.motion.kinematics import carriers, global_transforms, height
from retime.motion.skeleton import Skeleton
from retime.numeric import gaussian_filter
from retime.sentences import Moment, Span

__all__ = ["TRAIL_SMOOTHING", "Evidence", "gather", "refinements_at"]

# One frame's curvature depends on the frame rate; edges this long, in seconds, do not.
_EDGE = 1 / 30
# Edges shorter than this (radians; fractions of the height for positions) fade out as noise.
_FLOOR = 2e-3
# The paper's Laplacian smoothing, as the widths in seconds that it comes to.
TRAIL_SMOOTHING = 0.040
_CURVATURE_SMOOTHING = 0.030
# The tent filter's full base.
_TENT = 0.15
# A change of contact has half the weight of all signals together in a frame of 1/120 s.
_CONTACT_WEIGHT = 0.5
_CONTACT_SECONDS = 1 / 120
# Maxima below this probability are ignored.
_NOTHING = 0.01
# Maxima lower than this above their surroundings depend on the frame rate, and are ignored.
_RIPPLE = 0.001
# Minimum distance in frames of candidates from the ends, and of knots from one another.
_GUARD = 2


@dataclass(frozen=True, eq=False)
class Evidence:
    """The probability that each moment is an extreme pose, and its causes.

    Parameters
    ----------
    times : array (F,)
        The moments.
    probability : array (F,)
        The pose probability signal P(t); changes of contact add to the channels' weighted mean.
    local : array (F, C)
        Each channel's own evidence p_i(t), from 0 to 1.
    weights : array (C,)
        Weight of each channel.
    candidates : array (N,) of int
        Frames of the maxima of P.
    priorities : array (N,)
        Their weights w_k = P(t_k) (t_{k+1} - t_{k-1}).
    """

    times: FloatArray
    probability: FloatArray
    local: FloatArray
    weights: FloatArray
    candidates: npt.NDArray[np.int64]
    priorities: FloatArray

    def best(
        self,
        keep: float | int | Iterable[float],
        span: tuple[float, float] | None = None,
    ) -> npt.NDArray[np.int64]:
        """Choose candidates: a fraction, a count, or those nearest to given times."""
        inside = np.ones(len(self.candidates), dtype=bool)
        if span is not None:
            at = self.times[self.candidates]
            inside = (at > span[0]) & (at < span[1])
        frames, priorities = self.candidates[inside], self.priorities[inside]
        keep = keep.tolist() if isinstance(keep, np.ndarray | np.generic) else keep
        if isinstance(keep, list | tuple | set):
            return self._picked([coerce(t, float, "keep") for t in keep], frames)
        count = float(coerce(keep, float, "keep"))
        if not isinstance(keep, int) and count <= 1:
            count = float(round(count * len(frames)))
        if count < 0 or not count.is_integer():
            raise InputError(f"keep is {keep}; it is a share from 0 to 1, or a whole number")
        order = np.argsort(-priorities, kind="stable")[: int(count)]
        return np.sort(frames[order])

    def _picked(self, times: list[float], frames: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return the candidates nearest to picked times, or the frames themselves."""
        out = []
        inner = len(self.times) - 1 - _GUARD
        for t in times:
            if not self.times[0] < t < self.times[-1]:
                raise InputError(
                    "a pose at {time} is not inside the clip, {clip}",
                    time=Moment(t),
                    clip=Span(float(self.times[0]), float(self.times[-1])),
                )
            at = self.times[frames]
            near = int(np.abs(at - t).argmin()) if len(at) else -1
            if near >= 0 and abs(at[near] - t) <= _TENT / 2:
                out.append(int(frames[near]))
            else:
                out.append(int(np.clip(np.abs(self.times - t).argmin(), _GUARD, inner)))
        apart: list[int] = []
        for frame in sorted(out):
            if not apart or frame - apart[-1] >= _GUARD:
                apart.append(frame)
        return np.array(apart, dtype=np.int64)


def gather(motion: Motion, contacts: Iterable[Contact] = ()) -> Evidence:
    """Compute the evidence of a motion at equal intervals.

    Parameters
    ----------
    motion : Motion
        The motion.
    contacts : iterable of Contact
        Their starts and ends are evidence too.
    """
    skeleton, rate = motion.skeleton, motion.rate
    channels = skeleton.channels
    local, weights = np.zeros((len(motion), len(channels))), np.zeros(len(channels))
    for j, axes in enumerate(_limb_axes(skeleton)):
        # Two trails for each limb: one along it, and one across it for its twist.
        along = np.array([axis for axis, _ in axes])
        across = np.cross(along, np.eye(3)[np.argmin(np.abs(along), axis=1)])
        across /= np.linalg.norm(across, axis=1, keepdims=True)
        turned = quat.to_matrix(motion.rotations[:, j]) @ np.vstack([along, across]).T
        trails = _smoothed(np.swapaxes(turned, 1, 2), TRAIL_SMOOTHING * rate)
        local[:, j] = _curvature(trails, _FLOOR, rate).max(axis=1)
        lengths = np.array([length for _, length in axes])
        weights[j] = lengths @ _length(trails[:, : len(axes)])
    tall = max(height(skeleton), 1e-9)
    for k, root in enumerate(skeleton.roots, len(skeleton)):
        path = _path(motion, root)
        trail = _smoothed(path[:, None], TRAIL_SMOOTHING * rate)
        local[:, k] = _curvature(trail, _FLOOR * tall, rate)[:, 0]
        weights[k] = _length(trail)[0]
    local = np.clip(_smoothed(local, _CURVATURE_SMOOTHING * rate), 0.0, 1.0)

    total = max(float(weights.sum()), 1e-12)
    gathered = local @ weights / total
    changes = np.zeros(len(motion))
    for contact in contacts:
        for t in (contact.start, contact.end):
            frame = round((t - motion.start) * rate)
            if 0 < frame < len(motion) - 1:
                changes[frame] += 1.0
    gathered = gathered + _CONTACT_WEIGHT * _CONTACT_SECONDS * rate * changes
    probability = _tent(gathered, rate)
    candidates = _maxima(probability, 1e-9)
    last = len(motion) - 1
    inner = (candidates > _GUARD) & (candidates < last - _GUARD)
    candidates = candidates[inner & (probability[candidates] > _NOTHING)]
    candidates = candidates[_prominence(probability, candidates) > _RIPPLE]
    ends = motion.times[np.r_[0, candidates, last]]
    priorities = probability[candidates] * (ends[2:] - ends[:-2])
    return Evidence(motion.times, probability, local, weights, candidates, priorities)


def _path(motion: Motion, root: int) -> FloatArray:
    """Return the path (F, 3) of a root; below nodes that exporters add, that of the hips."""
    skeleton = motion.skeleton
    above = carriers(skeleton)
    if root not in above:
        return motion.translations[skeleton.names[root]]
    hips = skeleton.children[above[0]][0]
    return np.asarray(global_transforms(motion)[0][:, hips])


def _limb_axes(skeleton: Skeleton) -> list[list[tuple[FloatArray, float]]]:
    """List each joint's directions to its children, with lengths.

    A child without length is replaced by its own children; an end site is a child.
    """
    sites: dict[int, list[FloatArray]] = {}
    for site in skeleton.end_sites:
        sites.setdefault(site.parent, []).append(np.array(site.offset))
    longest = max((float(np.linalg.norm(o)) for o in skeleton.offsets), default=0.0)
    nothing = 1e-6 * max(longest, 1e-12)

    def reach(joint: int) -> list[tuple[FloatArray, float]]:
        out = []
        work = [(joint, np.array([1.0, 0.0, 0.0, 0.0]))]
        while work:
            here, turn = work.pop()
            ends = [(c, skeleton.offsets[c]) for c in skeleton.children[here]]
            for child, offset in [*ends, *((None, o) for o in sites.get(here, []))]:
                length = float(np.linalg.norm(offset))
                if length > nothing:
                    out.append((quat.rotate(turn, offset / length), length))
                elif child is not None:
                    work.append((child, quat.multiply(turn, skeleton.rest_rotations[child])))
        return out

    # A joint without children can still rotate: it gets an axis without weight.
    return [reach(j) or [(np.array([0.0, 1.0, 0.0]), 0.0)] for j in range(len(skeleton))]


def _smoothed(values: FloatArray, frames: float) -> FloatArray:
    if frames < 0.3 or len(values) < 2:
        return values
    return gaussian_filter(values, frames, ends="nearest")


def _curvature(trail: FloatArray, floor: float, rate: float) -> FloatArray:
    """Measure the modified curvature of trails (F, N, 3): n.e/|e| by the bisector normal.

    It is the sine of half the turn: 1 where the trail reverses, as it does at elbows and knees. The
    Frenet normal from central differences, another reading of the paper, is undefined there.
    """
    n = max(round(_EDGE * rate), 1)
    out = np.zeros(trail.shape[:2])
    if len(trail) <= 2 * n:
        return out
    onward = trail[2 * n :] - trail[n:-n]
    back = trail[: -2 * n] - trail[n:-n]
    for edge in (onward, back):
        edge /= np.sqrt((edge * edge).sum(-1, keepdims=True)) + floor
    bend = onward + back
    out[n:-n] = np.sqrt((bend * bend).sum(-1)) / 2
    return out


def _length(trail: FloatArray) -> FloatArray:
    steps = np.diff(trail, axis=0)
    out: FloatArray = np.sqrt((steps * steps).sum(-1)).sum(axis=0)
    return out


def _tent(values: FloatArray, rate: float) -> FloatArray:
    half = max(round(_TENT / 2 * rate), 1)
    weights = 1 - np.abs(np.arange(-half, half + 1)) / (half + 1)
    padded = np.pad(values, half, mode="edge")
    out: FloatArray = np.convolve(padded, weights / weights.sum(), "valid")
    return out


def _maxima(values: FloatArray, rise: float) -> npt.NDArray[np.int64]:
    """Find local maxima; that of a plateau is its middle."""
    # Runs of equal values, then those that both neighbours lie below.
    edges = np.flatnonzero(np.abs(np.diff(values)) > rise)
    starts, ends = np.r_[0, edges + 1], np.r_[edges, len(values) - 1]
    level = values[starts]
    inner = np.arange(1, len(level) - 1)
    peak = inner[(level[inner] > level[inner - 1]) & (level[inner] > level[inner + 1])]
    middle: npt.NDArray[np.int64] = (starts[peak] + ends[peak]) // 2
    return middle


def _prominence(values: FloatArray, peaks: npt.NDArray[np.int64]) -> FloatArray:
    """Return the prominence of each peak: the descent to a higher peak, or to an end."""
    out = np.zeros(len(peaks))
    for n, peak in enumerate(peaks):
        higher = np.flatnonzero(values > values[peak])
        k = int(np.searchsorted(higher, peak))
        first = int(higher[k - 1]) if k else 0
        last = int(higher[k]) if k < len(higher) else len(values) - 1
        base = max(values[first : peak + 1].min(), values[peak : last + 1].min())
        out[n] = values[peak] - base
    return out


def refinements_at(
    evidence: Evidence, poses: npt.NDArray[np.int64], bound: float
) -> npt.NDArray[np.int64]:
    """Find each channel's timing refinement at each pose, in frames (K, C).

    It is at the strongest extremum that is nearer to this pose than to its neighbours and within
    the bound; without one it is 0. The two end poses have none.
    """
    rate = (len(evidence.times) - 1) / max(evidence.times[-1] - evidence.times[0], 1e-12)
    reach = int(min(bound * rate + 1e-6, len(evidence.times)))
    out = np.zeros((len(poses), evidence.local.shape[1]), dtype=np.int64)
    middle = (poses[:-1] + poses[1:]) // 2
    for i in range(evidence.local.shape[1]):
        signal = evidence.local[:, i]
        peaks = _maxima(signal, 1e-6)
        peaks = peaks[signal[peaks] > _NOTHING]
        for k in range(1, len(poses) - 1):
            # The middle frame between two poses belongs to neither, so knots stay two frames apart.
            low = max(poses[k] - reach, middle[k - 1] + 1)
            high = min(poses[k] + reach, middle[k] - 1)
            a, b = np.searchsorted(peaks, [low, high + 1])
            if b > a:
                near = peaks[a:b]
                out[k, i] = near[np.argmax(signal[near])] - poses[k]
    return out
