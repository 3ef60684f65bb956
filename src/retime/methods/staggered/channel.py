"""One control variable as the paper represents it: knots, splines between them, displacements."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from retime import _native
from retime.arrays import FloatArray
from retime.methods.staggered.edits.operators import (
    change,
    changed,
    interpolate,
    minus,
    neutral,
    plus,
    scaled,
)
from retime.methods.staggered.splines import (
    Fit,
    evaluate_spline,
    fit_spline,
    flipped_ends,
    near_side,
)
from retime.motion import quat

__all__ = ["SAME", "Channel", "Curve", "Fit"]

# Seconds over which a change of an added layer's detail fades at its ends.
_FADE = 0.1
# Knots closer than this, in seconds, are merged.
SAME = 1e-7


@dataclass(frozen=True, eq=False)
class Curve:
    """One layer of a channel: its splines, and the displacement from them.

    Parameters
    ----------
    controls : array (N - 1, 4, D)
        Control points of the cubic between each two knots.
    detail : array (F, D)
        The displacement at the source's frames, on the body's side of the splines.
    weight : float
        Weight of the layer; that of the lowest layer is 1.
    """

    controls: FloatArray
    detail: FloatArray
    weight: float = 1.0


@dataclass(frozen=True, eq=False)
class Channel:
    """A joint's rotation, or a root's translation, over the source's time.

    Its value is a stack of layers, each a spline and a displacement: s1 + d1 + s2 + d2 ...
    Edits return a new channel, which shares unedited parts.

    Parameters
    ----------
    times : array (F,)
        Times of the source's frames.
    knots : array (N,)
        Knot times, rising, from the first frame to the last.
    owners : array (N,)
        Number of the pose that each knot belongs to.
    extreme : array (N,) of bool
        Whether the knot is the pose's extreme value; otherwise it is its editing knot.
    stack : tuple of Curve
        The layers.
    fit : {"log", "levenberg-marquardt"}
        How splines are fitted.
    """

    times: FloatArray
    knots: FloatArray
    owners: npt.NDArray[np.int64]
    extreme: npt.NDArray[np.bool_]
    stack: tuple[Curve, ...]
    fit: Fit = "log"

    @classmethod
    def fitted(
        cls, times: FloatArray, values: FloatArray, knots: FloatArray, owners: npt.ArrayLike,
        fit: Fit = "log",
    ) -> Channel:  # fmt: skip
        """Fit splines to values (F, D) between knots; the residual is the displacement."""
        ends = interpolate(values, times, knots)
        ends = np.where(flipped_ends(ends, values, times, knots), -ends, ends)
        controls = fit_spline(values, times, knots, ends, fit)
        owners = np.asarray(owners, dtype=np.int64)
        detail = minus(values, evaluate_spline(controls, knots, times))
        curve = Curve(controls, near_side(detail))
        return cls(times, knots, owners, np.ones(len(knots), dtype=bool), (curve,), fit)

    @classmethod
    def through(
        cls, times: FloatArray, values: FloatArray, knots: FloatArray, owners: npt.ArrayLike
    ) -> Channel:
        """Draw smooth splines through values (N, D) at knots: a channel made by hand."""
        size = values.shape[-1]
        steps = np.stack([_between(a, b) for a, b in itertools.pairwise(values)])
        gaps = np.diff(knots)[:, None]
        speed = steps / gaps
        # Catmull-Rom's slope at uneven knots: each side counts by the other's length.
        slope = np.vstack([
            speed[:1],
            (gaps[1:] * speed[:-1] + gaps[:-1] * speed[1:]) / (gaps[1:] + gaps[:-1]),
            speed[-1:],
        ])  # fmt: skip
        controls = np.empty((len(knots) - 1, 4, size))
        controls[:, 0] = values[:-1]
        controls[:, 1] = _onward(values[:-1], slope[:-1] * gaps / 3)
        controls[:, 2] = _onward(values[1:], -slope[1:] * gaps / 3)
        controls[:, 3] = values[1:]
        curve = Curve(controls, neutral(len(times), size))
        owners = np.asarray(owners, dtype=np.int64)
        return cls(times, knots, owners, np.ones(len(knots), dtype=bool), (curve,))

    # ---- values

    @property
    def size(self) -> int:
        """4 for a rotation, 3 for a translation."""
        return int(self.stack[0].controls.shape[-1])

    @cached_property
    def values(self) -> FloatArray:
        """Values at the source's frames, (F, D)."""
        return self._stacked(np.arange(len(self.times)), len(self.stack))

    def spline(self, t: FloatArray, layer: int = 0) -> FloatArray:
        """Evaluate a layer's splines alone, at times (M,)."""
        return evaluate_spline(self.stack[layer].controls, self.knots, t)

    def at(self, t: FloatArray) -> FloatArray:
        """Return values at any times of the source, (M, D): between frames, interpolated."""
        return self._at(t, len(self.stack))

    def _at(self, t: FloatArray, layers: int) -> FloatArray:
        """Return the value of the lowest ``layers``."""
        nearest = np.clip(np.searchsorted(self.times, t), 0, len(self.times) - 1)
        on_frames = bool((self.times[nearest] == t).all())
        frames = nearest if on_frames else self.around(t)
        values = self._stacked(frames, layers)
        return values if on_frames else interpolate(values, self.times[frames], t)

    def _stacked(self, frames: npt.NDArray[np.int64], layers: int) -> FloatArray:
        """Return the sum of the lowest ``layers`` at frames, each scaled by its weight."""
        values = self._layer_at(frames, 0) if layers else neutral(len(frames), self.size)
        for layer in range(1, layers):
            own, weight = self._layer_at(frames, layer), self.stack[layer].weight
            values = plus(values, own if weight == 1 else scaled(own, np.full(len(own), weight)))
        return values

    def changes(self, plain: Channel | None, source: FloatArray, floor: float) -> FloatArray:
        """Return the changes (F, 3) from the source's values (F, D).

        They are 0 below the floor, and where this channel is as ``plain``, its state before edits.
        """
        before, now = self._controls_before(plain), self.stack[0]
        if self.size == 4 and before is not None:
            at = (self.knots, self.times, now.detail, np.ascontiguousarray(source))
            return _native.splines.spline_changes(now.controls, before, *at, floor)
        if self.size == 4:
            own = np.ascontiguousarray(self.values)
            return _native.splines.rotation_changes(own, np.ascontiguousarray(source), floor)
        by = self.values - source
        if before is not None:
            edited = (now.controls != before).any(axis=(1, 2))
            held_by = np.searchsorted(self.knots, self.times, side="right") - 1
            by[~edited[np.clip(held_by, 0, len(edited) - 1)]] = 0.0
        return np.where(np.abs(by) > floor, by, 0.0)

    def _controls_before(self, plain: Channel | None) -> FloatArray | None:
        """Return the control points of another channel, if nothing else differs."""
        if plain is None or len(self.stack) > 1 or len(plain.stack) > 1:
            return None
        same = self.stack[0].detail is plain.stack[0].detail
        return plain.stack[0].controls if same and np.array_equal(self.knots, plain.knots) else None

    def around(self, t: FloatArray) -> npt.NDArray[np.int64]:
        """List the frames before and after times."""
        first = np.clip(np.searchsorted(self.times, t, side="right") - 1, 0, len(self.times) - 2)
        return np.unique(np.r_[first, first + 1])

    def _layer_at(self, frames: npt.NDArray[np.int64], layer: int) -> FloatArray:
        return plus(self.spline(self.times[frames], layer), self.stack[layer].detail[frames])

    def knot_of(self, owner: int, *, extreme: bool = True) -> int | None:
        """Return the index of a pose's knot, or ``None`` if the pose does not have this channel."""
        found = np.flatnonzero((self.owners == owner) & (self.extreme == extreme))
        return int(found[0]) if len(found) else None

    # ---- edits

    def changed(self, by: Mapping[int, FloatArray], layer: int = 0) -> Channel:
        """Change poses' knots and their tangents by ``by`` (3,) each (5.1)."""
        turns = np.zeros((len(self.knots), 3))
        for n, owner in enumerate(self.owners.tolist()):
            if owner in by:
                turns[n] = by[owner]
        if self.size == 4 and layer > 0:
            # A layer above others receives the change in the axes that those have rotated.
            turns = quat.rotate(quat.conjugate(self._at(self.knots, layer)), turns)
        turns /= self.stack[layer].weight or 1.0
        controls = self.stack[layer].controls
        if self.size == 4:
            controls = _native.splines.turn_controls(controls, turns)
        else:
            controls = controls.copy()
            controls[:, :2] += turns[:-1, None]
            controls[:, 2:] += turns[1:, None]
        return self._with_curve(layer, replace(self.stack[layer], controls=controls))

    def tangents(self, owner: int, layer: int = 0) -> tuple[FloatArray, FloatArray]:
        """Return the speeds (3,) with which the splines arrive at and leave a pose's extreme."""
        n = self._extreme_knot(owner)
        controls, gaps = self.stack[layer].controls, np.diff(self.knots)
        still = np.zeros(3)
        arrive = change(controls[n - 1, 3], controls[n - 1, 2]) * 3 / gaps[n - 1] if n else still
        leave = still
        if n < len(gaps):
            leave = change(controls[n, 1], controls[n, 0]) * 3 / gaps[n]
        return arrive, leave

    def extreme_tangents(self, layer: int = 0) -> tuple[FloatArray, FloatArray]:
        """Return the speeds (N, 3) with which splines arrive at and leave all knots."""
        controls, gaps = self.stack[layer].controls, np.diff(self.knots)[:, None]
        arrive, leave = np.zeros((2, len(self.knots), 3))
        arrive[1:] = change(controls[:, 3], controls[:, 2]) * 3 / gaps
        leave[:-1] = change(controls[:, 1], controls[:, 0]) * 3 / gaps
        return arrive, leave

    def chords(self, owner: int, layer: int = 0) -> tuple[FloatArray, FloatArray]:
        """Return the mean speeds (3,) before and after a pose's extreme."""
        n = self._extreme_knot(owner)
        controls, gaps = self.stack[layer].controls, np.diff(self.knots)
        arrive = leave = None
        if n:
            arrive = change(controls[n - 1, 3], controls[n - 1, 0]) / gaps[n - 1]
        if n < len(gaps):
            leave = change(controls[n, 3], controls[n, 0]) / gaps[n]
        # An end of the clip has one side only.
        before = leave if arrive is None else arrive
        after = arrive if leave is None else leave
        assert before is not None
        assert after is not None
        return before, after

    def with_tangents(
        self, owner: int, arrive: FloatArray | None, leave: FloatArray | None, layer: int = 0
    ) -> Channel:
        """Set the speeds at a pose's extreme without changing its value."""
        n = self._extreme_knot(owner)
        controls, gaps = self.stack[layer].controls.copy(), np.diff(self.knots)
        if arrive is not None and n > 0:
            controls[n - 1, 2] = changed(controls[n - 1, 3], -arrive * gaps[n - 1] / 3)
        if leave is not None and n < len(gaps):
            controls[n, 1] = changed(controls[n, 0], leave * gaps[n] / 3)
        return self._with_curve(layer, replace(self.stack[layer], controls=controls))

    def _extreme_knot(self, owner: int) -> int:
        n = self.knot_of(owner)
        assert n is not None, "asked of a pose that leaves this channel out"
        return n

    def with_detail(
        self, share: float, spans: Sequence[tuple[float, float]] | None = None, layer: int = 0
    ) -> Channel:
        """Scale the displacement, within spans of the source's time or throughout."""
        curve = self.stack[layer]
        inside = np.full(len(self.times), 1.0 if spans is None else 0.0)
        for low, high in _joined(spans or ()):
            # The base layer has no displacement at knots; that of other layers must fade there.
            fade = min(_FADE, (high - low) / 2) if layer else 0.0
            edge = np.minimum(self.times - low, high - self.times)
            u = np.clip(edge / fade, 0, 1) if fade else (edge >= 0).astype(float)
            inside = np.maximum(inside, u * u * (3 - 2 * u))
        shares = 1 + inside * (share - 1)
        touched = inside > 0
        detail = curve.detail.copy()
        detail[touched] = scaled(detail[touched], shares[touched])
        return self._with_curve(layer, replace(curve, detail=detail))

    def with_layer(self, detail: FloatArray | None = None) -> Channel:
        """Add a layer on top: splines without effect, and a displacement (F, 3)."""
        controls = np.zeros((len(self.knots) - 1, 4, self.size))
        if self.size == 4:
            controls[..., 0] = 1.0
        own = neutral(len(self.times), self.size)
        if detail is not None:
            own = changed(own, detail)
        return replace(self, stack=(*self.stack, Curve(controls, own)))

    def weighted(self, layer: int, weight: float) -> Channel:
        """Set the weight of a layer."""
        return self._with_curve(layer, replace(self.stack[layer], weight=weight))

    def without_layer(self, layer: int) -> Channel:
        """Remove a layer."""
        return replace(self, stack=self.stack[:layer] + self.stack[layer + 1 :])

    def with_knots(self, new: Mapping[int, float], *, extreme: bool) -> Channel:
        """Insert knots, by their poses' numbers; splines are fitted again, and no value changes.

        An editing knot in the way is removed, and created again when needed. The last result is
        cached, because dragging a target inserts the same knots repeatedly.
        """
        asked = (extreme, *sorted(new.items()))
        known = self.__dict__.get("_with_knots")
        if known is None or known[0] != asked:
            known = self.__dict__["_with_knots"] = (asked, self._knotted(new, extreme))
        made: Channel = known[1]
        return made

    def _knotted(self, new: Mapping[int, float], extreme: bool) -> Channel:
        keep = np.ones(len(self.knots), dtype=bool)
        add = {}
        for owner, t in new.items():
            near = np.flatnonzero(np.abs(self.knots - t) < SAME)
            own = self.owners[near] == owner
            if own.any():
                continue  # its extreme is there already
            keep[near[~self.extreme[near]]] = False
            if not self.extreme[near].any():
                add[owner] = t
        knots = np.r_[self.knots[keep], list(add.values())]
        order = np.argsort(knots, kind="stable")
        owners = np.r_[self.owners[keep], np.array(list(add), dtype=np.int64)][order]
        kinds = np.r_[self.extreme[keep], np.full(len(add), extreme)][order]
        return self._rebuilt(knots[order], owners, kinds)

    def without_knots(self, places: Sequence[int]) -> Channel:
        """Delete inner knots; splines are fitted across, and no value changes."""
        keep = np.ones(len(self.knots), dtype=bool)
        keep[list(places)] = False
        return self._rebuilt(self.knots[keep], self.owners[keep], self.extreme[keep])

    def _rebuilt(
        self, knots: FloatArray, owners: npt.NDArray[np.int64], extreme: npt.NDArray[np.bool_]
    ) -> Channel:
        """Use other knots; displacements take up the difference to the new splines."""
        if np.array_equal(knots, self.knots):
            return replace(self, owners=owners, extreme=extreme)
        old = np.searchsorted(self.knots, knots)
        known = self.knots[np.minimum(old, len(self.knots) - 1)] == knots
        # Transitions between the same two knots as before do not change.
        same = known[:-1] & known[1:] & (np.diff(old) == 1)
        held_by = np.clip(np.searchsorted(knots, self.times, side="right") - 1, 0, len(same) - 1)
        anew = ~same[held_by]
        beside = self.around(knots[~known]) if not known.all() else None
        stack = []
        for layer, curve in enumerate(self.stack):
            values = plus(self.spline(self.times, layer), curve.detail)
            ends = np.empty((len(knots), self.size))
            ends[known] = np.concatenate([curve.controls[:, 0], curve.controls[-1:, 3]])[old[known]]
            if beside is not None:
                around = self._layer_at(beside, layer)
                ends[~known] = interpolate(around, self.times[beside], knots[~known])
            controls = fit_spline(values, self.times, knots, ends, self.fit)
            controls[same] = curve.controls[old[:-1][same]]
            detail = curve.detail.copy()
            detail[anew] = minus(values[anew], evaluate_spline(controls, knots, self.times[anew]))
            stack.append(Curve(controls, near_side(detail), curve.weight))
        return replace(self, knots=knots, owners=owners, extreme=extreme, stack=tuple(stack))

    def _with_curve(self, layer: int, curve: Curve) -> Channel:
        stack = [*self.stack]
        stack[layer] = curve
        return replace(self, stack=tuple(stack))


def _joined(spans: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Join spans that meet."""
    out: list[tuple[float, float]] = []
    for low, high in sorted(spans):
        if out and low <= out[-1][1] + SAME:
            out[-1] = (out[-1][0], max(high, out[-1][1]))
        else:
            out.append((low, high))
    return out


def _between(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return the displacement from ``a`` to ``b`` on the body's side, (3,)."""
    return quat.log(minus(b, a)) if len(a) == 4 else b - a


def _onward(a: FloatArray, way: FloatArray) -> FloatArray:
    return quat.multiply(a, quat.exp(way)) if a.shape[-1] == 4 else a + way
