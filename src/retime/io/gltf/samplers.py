"""Animation samplers: keys, interpolation, and keys moved by a warp."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.io.bent_cubics import fitted, split
from retime.io.key_mover import Grain, KeyMover, Shown, nearest
from retime.io.sampled import ON_FRAME
from retime.motion import quat
from retime.timing.graph import Graph

Interpolation = Literal["LINEAR", "STEP", "CUBICSPLINE"]
IntArray = npt.NDArray[np.int64]
# Duration of a jump in time: the smallest difference in single precision.
_GRAIN = Grain(
    ramp=2e-5,
    same=1e-7,
    end=ON_FRAME,
    later=lambda t: float(np.nextafter(np.float32(t), np.float32(np.inf))),
)
# Tolerance between keys under a curved warp: parts of a unit quaternion, which are half an angle,
# or relative to a track's range.
_CLOSE = 1e-4
# Least distance of added keys from others, seconds, if the tolerance permits.
_APART = 5e-4
# Rounding of single precision, relative.
_SINGLE = 2.0**-23


@dataclass(frozen=True, eq=False)
class Sampler:
    """One track of an animation."""

    times: FloatArray
    """Key times, rising. Shape (K,)."""
    values: FloatArray
    """Key values. Shape (K, D)."""
    tangents: tuple[FloatArray, FloatArray] | None
    """Speeds before and after each key, of a cubic spline. Shape (K, D) each."""
    interpolation: Interpolation
    """Interpolation between keys."""
    turns: bool
    """Whether values are quaternions, xyzw."""

    def at(self, t: FloatArray) -> FloatArray:
        """Evaluate at times (N,): held beyond the ends."""
        if len(self.times) == 1:
            return np.repeat(self.values, len(t), axis=0)
        if len(t) == len(self.times) and self._are_keys(t):
            return self.values if self.tangents is None else self._on_sphere(self.values)
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

    def _are_keys(self, t: FloatArray) -> bool:
        """Return whether times are those of the keys, which single precision has rounded."""
        off: FloatArray = np.abs(t - self.times)
        return bool(off.max() <= _SINGLE * max(1.0, float(self.times[-1])))

    def _are_middles(self, t: FloatArray) -> bool:
        """Return whether each stretch between keys holds one of the times, in order."""
        if len(t) != len(self.times) - 1:
            return False
        return bool((t >= self.times[:-1]).all() and (t < self.times[1:]).all())

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
        """Return a cubic spline and its speed at times (N,), without normalising rotations.

        A piece of a cubic is a cubic: with these a track is the same after a key is added. Players
        normalise rotations afterwards.
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
        if self.tangents is None and self._are_middles(t):
            step = np.diff(self.times)[:, None]
            a, b = self.values[:-1], self.values[1:]
        else:
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


def key_mover(graph: Graph) -> KeyMover:
    """Return the mover of samplers' keys by a warp from output time to theirs."""
    return KeyMover(graph.x, graph.y, _GRAIN, last=float(graph.x[-1]))


def rekeyed(sampler: Sampler, mover: KeyMover) -> tuple[Sampler, bool]:
    """Move a sampler's keys by a warp; also return whether its values are unchanged."""
    shown = mover.shown(sampler.times)
    if sampler.interpolation == "STEP":
        return _stepped(sampler, mover, shown), shown.kept
    if _bends(sampler, mover, shown):
        return _bent(sampler, mover, shown), False
    exact, on_key = nearest(sampler.times, shown.source, _GRAIN.same)
    values = sampler.values[exact]
    if not on_key.all():
        between = shown.source[~on_key]
        raw = sampler.tangents is not None
        values[~on_key] = sampler.between_keys(between)[0] if raw else sampler.at(between)
    tangents = None
    if sampler.tangents is not None:
        tangents = _tangents(sampler, mover, shown, on_key, exact)
    made = Sampler(shown.output, values, tangents, sampler.interpolation, sampler.turns)
    return made, shown.kept


def _close(sampler: Sampler) -> float:
    """Return the tolerance of a track, in its unit; noise needs no keys."""
    if sampler.turns:
        return _CLOSE
    values = sampler.values
    return _CLOSE * max(float(np.ptp(values, axis=0).max()), 0.01 * float(np.abs(values).max()))


def _bends(sampler: Sampler, mover: KeyMover, shown: Shown) -> bool:
    """Return whether a constant rate between keys would be off by more than the tolerance."""
    knots = mover.between(shown)
    if not len(knots) or len(sampler.times) < 2:
        return False
    off = np.abs(mover.y[knots] - np.interp(mover.x[knots], shown.output, shown.source))
    inside = (mover.y[knots] > sampler.times[0]) & (mover.y[knots] < sampler.times[-1])
    speed = sampler.fastest(shown.middles)[np.searchsorted(shown.output, mover.x[knots]) - 1]
    return bool((off * speed * inside).max() > _close(sampler))


def _bent(sampler: Sampler, mover: KeyMover, shown: Shown) -> Sampler:
    """Return a cubic spline whose tangents bend with the warp.

    A straight track becomes one, too: otherwise it would need a key at every knot.
    """
    if sampler.turns and sampler.tangents is None:
        sampler = replace(sampler, values=quat.continuous(sampler.values))

    def truth(t: FloatArray) -> FloatArray:
        source = mover.at(t)
        return sampler.at(source) if sampler.tangents is None else sampler.between_keys(source)[0]

    x, close = shown.output, _close(sampler)
    more = split(truth, mover.x, x[:-1], x[1:], close, apart=_APART, same=_GRAIN.same)
    shown = mover.with_knots(shown, more)
    x = shown.output
    slopes, _ = fitted(truth, x[:-1], x[1:])
    still = np.zeros((1, slopes.shape[2]))
    tangents = np.concatenate([still, slopes[:, 1]]), np.concatenate([slopes[:, 0], still])
    return Sampler(x, truth(x), tangents, "CUBICSPLINE", sampler.turns)


def _stepped(sampler: Sampler, mover: KeyMover, shown: Shown) -> Sampler:
    """Hold values between keys; played backwards, a key has the value before it."""
    same = -_GRAIN.same if mover.backwards else _GRAIN.same
    at = np.searchsorted(sampler.times, shown.source + same, side="right") - 1
    values = sampler.values[np.clip(at, 0, None)]
    return Sampler(shown.output, values, None, "STEP", sampler.turns)


def _tangents(
    sampler: Sampler,
    mover: KeyMover,
    shown: Shown,
    on_key: npt.NDArray[np.bool_],
    exact: IntArray,
) -> tuple[FloatArray, FloatArray]:
    """Scale speeds by the warp's rate before and after each key."""
    assert sampler.tangents is not None
    came, went = (side[exact] for side in sampler.tangents)
    if mover.backwards:
        came, went = went, came
    between = ~on_key
    if between.any():
        came[between] = went[between] = sampler.between_keys(shown.source[between])[1]
    came *= np.r_[0.0, shown.rates][:, None]
    went *= np.r_[shown.rates, 0.0][:, None]
    return came, went
