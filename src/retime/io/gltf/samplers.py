"""Animation samplers: keys, what lies between them, and keys moved by a warp."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.motion import quat
from retime.timing.graph import Graph

__all__ = ["ON_FRAME", "Interpolation", "Sampler", "rekeyed"]

Interpolation = Literal["LINEAR", "STEP", "CUBICSPLINE"]
IntArray = npt.NDArray[np.int64]
# A key this near to a frame, in seconds, lies on it: times are single precision.
ON_FRAME = 2e-4
# Keys of a file that are nearer than this, in seconds, are both sides of a jump.
_JUMP = 1e-6
# How long a jump of time takes, seconds: single precision tells such times apart.
_RAMP = 2e-5
# Between keys a bent warp may be off by this: radians, or a share of a track's extent.
_CLOSE = 1e-5


@dataclass(frozen=True, eq=False)
class Sampler:
    """One track of an animation.

    Parameters
    ----------
    times : array (K,)
        Key times, rising.
    values : array (K, D)
        Key values.
    tangents : (array (K, D), array (K, D)), optional
        Speeds before and after each key, of a cubic spline.
    interpolation : {"LINEAR", "STEP", "CUBICSPLINE"}
        What lies between.
    turns : bool
        Whether values are quaternions, xyzw.
    """

    times: FloatArray
    values: FloatArray
    tangents: tuple[FloatArray, FloatArray] | None
    interpolation: Interpolation
    turns: bool

    def at(self, t: FloatArray) -> FloatArray:
        """Evaluate at times (N,): held beyond the ends."""
        if len(self.times) == 1:
            return np.repeat(self.values, len(t), axis=0)
        k = np.clip(np.searchsorted(self.times, t, side="right") - 1, 0, len(self.times) - 2)
        step = self.times[k + 1] - self.times[k]
        u = np.clip((t - self.times[k]) / step, 0.0, 1.0)
        if self.interpolation == "STEP":
            return self.values[np.where(t >= self.times[-1], len(self.times) - 1, k)]
        if self.interpolation == "CUBICSPLINE" and self.tangents is not None:
            return self._on_sphere(self._cubic(k, u[:, None], step[:, None])[0])
        a, b = self.values[k], self.values[k + 1]
        if self.turns:
            return quat.slerp(a, b, u)
        out: FloatArray = a + u[:, None] * (b - a)
        return out

    def _on_sphere(self, values: FloatArray) -> FloatArray:
        return quat.normalize(values) if self.turns else values

    def _cubic(self, k: IntArray, u: FloatArray, step: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the Hermite spline of glTF's appendix C, and its speed."""
        assert self.tangents is not None
        a, b = self.values[k], self.values[k + 1]
        leave, arrive = self.tangents[1][k] * step, self.tangents[0][k + 1] * step
        value = (
            (2 * u**3 - 3 * u**2 + 1) * a + (u**3 - 2 * u**2 + u) * leave
            + (3 * u**2 - 2 * u**3) * b + (u**3 - u**2) * arrive
        )  # fmt: skip
        speed = (
            (6 * u**2 - 6 * u) * (a - b) + (3 * u**2 - 4 * u + 1) * leave
            + (3 * u**2 - 2 * u) * arrive
        ) / step  # fmt: skip
        return value, speed

    def between_keys(self, t: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return a cubic spline and its speed at times (N,), not brought to the sphere.

        A piece of a cubic is a cubic: with these a track is the same after a key is added. Who
        plays it normalises rotations afterwards.
        """
        if len(self.times) < 2:
            return self.at(t), np.zeros((len(t), self.values.shape[1]))
        k = np.clip(np.searchsorted(self.times, t, side="right") - 1, 0, len(self.times) - 2)
        step = (self.times[k + 1] - self.times[k])[:, None]
        u = np.clip((t - self.times[k])[:, None] / step, 0.0, 1.0)
        value, speed = self._cubic(k, u, step)
        outside = (t < self.times[0]) | (t > self.times[-1])
        speed[outside] = 0.0
        return value, speed

    def fastest(self, t: FloatArray) -> FloatArray:
        """Bound the speed in the stretches between keys that hold times (N,)."""
        if len(self.times) < 2:
            return np.zeros(len(t))
        k = np.clip(np.searchsorted(self.times, t, side="right") - 1, 0, len(self.times) - 2)
        step = (self.times[k + 1] - self.times[k])[:, None]
        a, b = self.values[k], self.values[k + 1]
        if self.tangents is None:
            if self.turns:
                return quat.angle(a, b) / step[:, 0]
            straight: FloatArray = np.abs(b - a).max(axis=1) / step[:, 0]
            return straight
        # The speed is a quadratic within the hull of its three control points.
        leave, arrive = self.tangents[1][k], self.tangents[0][k + 1]
        middle = 3 * (b - a) / step - leave - arrive
        hull = np.stack([np.abs(v).max(axis=1) for v in (leave, middle, arrive)])
        out: FloatArray = hull.max(axis=0) * (2.0 if self.turns else 1.0)
        return out


def rekeyed(sampler: Sampler, graph: Graph, end: float | None = None) -> tuple[Sampler, bool]:
    """Move a sampler's keys by a warp; tell whether its values are as they were, in order.

    ``graph`` maps output time to the sampler's time. Keys go where the warp shows them, and keys
    are added only where the warp bends between two that differ. A track that lasts to ``end``, the
    animation's, lasts to the output's end too.
    """
    times, plain = sampler.times, _ramped(graph)
    shown = _outside_ramps(_shown(plain, times), graph)
    same = len(shown) == len(times) and bool((shown[:, 1] == times).all())
    x, y = _with_ends(shown, plain, sampler)
    lasts = end is not None and sampler.times[-1] >= end - ON_FRAME
    if lasts and x[-1] < plain.x[-1] - 1e-7:
        x, y = np.r_[x, plain.x[-1]], np.r_[y, plain.y[-1]]
    if sampler.interpolation == "STEP":
        x, y = _with_ramps(x, y, plain, graph)
        return _stepped(sampler, plain, x, y), same and len(x) == len(
            times
        ) and plain.direction >= 0
    bends = _bends(sampler, plain, x, y)
    if len(bends):
        order = np.argsort(np.r_[x, bends[:, 0]], kind="stable")
        x, y = np.r_[x, bends[:, 0]][order], np.r_[y, bends[:, 1]][order]
    exact = np.searchsorted(times, y)
    on_key = (exact < len(times)) & (times[np.minimum(exact, len(times) - 1)] == y)
    values = np.empty((len(y), sampler.values.shape[1]))
    values[on_key] = sampler.values[exact[on_key]]
    if not on_key.all():
        between = y[~on_key]
        raw = sampler.tangents is not None
        values[~on_key] = sampler.between_keys(between)[0] if raw else sampler.at(between)
    tangents = None
    if sampler.tangents is not None:
        tangents = _tangents(sampler, plain, x, y, on_key, exact)
    unchanged = same and len(x) == len(times)
    return Sampler(x, values, tangents, sampler.interpolation, sampler.turns), unchanged


def _ramped(graph: Graph) -> Graph:
    """Turn cuts into ramps that take no time to speak of: a track has one value at a time."""
    x = graph.x.copy()
    cut = np.flatnonzero(np.diff(x) <= 0) + 1
    for k in cut:
        after = x[k + 1] if k + 1 < len(x) else np.inf
        x[k] = min(x[k - 1] + _RAMP, (x[k - 1] + after) / 2 if np.isfinite(after) else np.inf)
    return Graph(x, graph.y) if len(cut) else graph


def _ramps(graph: Graph) -> FloatArray:
    """Return the output times at which a warp cuts, (N,)."""
    same = np.diff(graph.x) <= 0
    times: FloatArray = graph.x[1:][same]
    return times


def _outside_ramps(shown: FloatArray, graph: Graph) -> FloatArray:
    """Leave out keys that a cut passes over."""
    keep = np.ones(len(shown), dtype=bool)
    for t in _ramps(graph):
        keep &= (shown[:, 0] <= t + 1e-9) | (shown[:, 0] >= t + _RAMP - 1e-9)
    return shown[keep]


def _with_ramps(
    x: FloatArray, y: FloatArray, plain: Graph, graph: Graph
) -> tuple[FloatArray, FloatArray]:
    """Add a key behind every cut, where a stepped track must show what stands there."""
    ends = _ramps(graph) + _RAMP
    if not len(ends):
        return x, y
    order = np.argsort(np.r_[x, ends], kind="stable")
    return np.r_[x, ends][order], np.r_[y, plain.at(ends)][order]


def _shown(graph: Graph, times: FloatArray) -> FloatArray:
    """Return when the warp shows key times, (N, 2) output and source, in the output's order."""
    if graph.direction < 0:
        mirrored = _shown(graph.mirror(), -times[::-1])
        return mirrored * [1.0, -1.0]
    low, high = graph.y[0], graph.y[-1]
    inside = times[(times >= low - ON_FRAME) & (times <= high + ON_FRAME)]
    if not len(inside):
        return np.zeros((0, 2))
    x = graph.swap().at(np.clip(inside, low, high))
    jump = np.r_[False, np.diff(inside) < _JUMP]
    fresh = np.r_[True, np.diff(x) > 1e-7] | jump
    x, inside = x[fresh], inside[fresh]
    for k in np.flatnonzero(jump[fresh]):  # apart as far as the file's numbers can tell
        x[k] = max(x[k], float(np.nextafter(np.float32(x[k - 1]), np.float32(np.inf))))
    return np.stack([x, inside], axis=1)


def _with_ends(shown: FloatArray, graph: Graph, sampler: Sampler) -> tuple[FloatArray, FloatArray]:
    """Add the ends of the output where the track is in motion there."""
    x, y = shown[:, 0], shown[:, 1]
    start, end = graph.x[0], graph.x[-1]
    for at, front in ((start, True), (end, False)):
        source = float(graph.at(np.array([at]), "right" if front else "left")[0])
        beyond = source <= sampler.times[0] or source >= sampler.times[-1]
        near = len(x) and abs((x[0] if front else x[-1]) - at) < 1e-7
        if near or (beyond and len(x)):
            continue
        x, y = (np.r_[at, x], np.r_[source, y]) if front else (np.r_[x, at], np.r_[y, source])
    return x, y


def _bends(sampler: Sampler, graph: Graph, x: FloatArray, y: FloatArray) -> FloatArray:
    """Find the fewest knots of the warp, (N, 2), that keep the track close between its keys."""
    if len(x) < 2 or len(graph.x) < 3:
        return np.zeros((0, 2))
    inner = (graph.x > x[0]) & (graph.x < x[-1])
    xs, ys = graph.x[inner], graph.y[inner]
    fresh = np.abs(x[np.clip(np.searchsorted(x, xs), 0, len(x) - 1)] - xs) > 1e-9
    xs, ys = xs[fresh], ys[fresh]
    if not len(xs):
        return np.zeros((0, 2))
    span = np.abs(np.diff(y))
    change = sampler.fastest((y[1:] + y[:-1]) / 2) * span
    extent = (
        1.0 if sampler.turns else max(float(np.ptp(sampler.values, axis=0).max()), change.max())
    )
    # How far off in source time a stretch may be; one that hardly changes, by any.
    close = _CLOSE * extent * span / np.maximum(change, 1e-300)
    close[change <= _CLOSE * extent] = np.inf
    off = np.abs(ys - np.interp(xs, x, y))
    if (off <= close[np.clip(np.searchsorted(x, xs) - 1, 0, len(close) - 1)]).all():
        return np.zeros((0, 2))
    from retime.io.gltf.kernels import needed_knots

    chosen = needed_knots(xs, ys, x, y, close)
    return np.stack([xs[chosen], ys[chosen]], axis=1)


def _stepped(sampler: Sampler, graph: Graph, x: FloatArray, y: FloatArray) -> Sampler:
    """Hold values from key to key; played backwards, a key shows what stood before it."""
    values = sampler.at(y)
    if graph.direction < 0:
        before = np.clip(np.searchsorted(sampler.times, y - 1e-9, side="right") - 1, 0, None)
        values = sampler.values[before]
    return Sampler(x, values, None, "STEP", sampler.turns)


def _tangents(
    sampler: Sampler, graph: Graph, x: FloatArray, y: FloatArray,
    on_key: npt.NDArray[np.bool_], exact: IntArray,
) -> tuple[FloatArray, FloatArray]:  # fmt: skip
    """Scale speeds by the warp's rate before and after each key."""
    assert sampler.tangents is not None
    came, went = (np.zeros((len(x), sampler.values.shape[1])) for _ in range(2))
    backwards = graph.direction < 0
    came[on_key] = sampler.tangents[1 if backwards else 0][exact[on_key]]
    went[on_key] = sampler.tangents[0 if backwards else 1][exact[on_key]]
    between = ~on_key
    if between.any():
        came[between] = went[between] = sampler.between_keys(y[between])[1]
    rates = np.diff(y) / np.maximum(np.diff(x), 1e-12)
    came *= np.r_[0.0, rates][:, None]
    went *= np.r_[rates, 0.0][:, None]
    return came, went
