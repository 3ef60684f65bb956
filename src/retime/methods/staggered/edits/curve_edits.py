"""Edits between poses: tangents of splines, detail, layers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Literal, Self, get_args

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.coercion import coerce
from retime.errors import InputError
from retime.methods.staggered.edits.history import recorded
from retime.methods.staggered.representation import PoseName, Representation, by_joint, numbers

__all__ = ["CurveEdits", "Shape"]

Shape = Literal["flat", "smooth", "linear"]

# Maximum speed of a tangent, in degrees or units of length per second.
_MOST_SPEED = 1e6
# Maximum factor of detail.
_MOST_DETAIL = 10.0
_MOST_LAYER = 2.0


class CurveEdits(Representation):
    """Edits of splines and displacements between poses."""

    @recorded
    def set_tangents(
        self,
        pose: PoseName,
        joint: str,
        *,
        arrive: npt.ArrayLike | None = None,
        leave: npt.ArrayLike | None = None,
        layer: int = 0,
    ) -> Self:
        """Set the speeds with which a joint's splines arrive at its extreme and leave it.

        Parameters
        ----------
        pose : int or float
            Which pose.
        joint : str
            A joint, or ``NAME:translation`` of a root.
        arrive, leave : array (3,), optional
            Degrees per second about the parent's axes; the file's units per second for a
            translation. Default: unchanged.
        layer : int
            Which layer of the stack.
        """
        k = self._editable(pose)
        layer, curves = self._layer(layer), list(self.curves)
        for i in self._columns([joint]):
            self._knot(i, k)
            given = [None if v is None else numbers(v, 3, f"the tangent of {joint!r}")
                     for v in (arrive, leave)]  # fmt: skip
            if any(v is not None and np.abs(v).max() > _MOST_SPEED for v in given):
                raise InputError(f"the tangent of {joint!r} is more than {_MOST_SPEED:g} a second")
            unit = np.pi / 180 if i < len(self.source.skeleton) else 1.0
            came, went = (None if v is None else unit * v for v in given)
            ends = self.timing.numbers[[0, -1]]
            first = last = int(self.timing.numbers[k])
            if self.loop and first in ends:
                first, last = (
                    int(ends[0]),
                    int(ends[1]),
                )  # a cycle leaves one end and arrives at the other
            curves[i] = curves[i].with_tangents(first, None, went, layer)
            curves[i] = curves[i].with_tangents(last, came, None, layer)
        return replace(self, curves=tuple(curves))

    @recorded
    def shape_tangents(
        self,
        shape: Shape,
        *,
        joints: Iterable[str] | None = None,
        poses: Iterable[PoseName] | PoseName | None = None,
        layer: int = 0,
    ) -> Self:
        """Set the tangents of splines at poses to a common shape.

        Parameters
        ----------
        shape : {"flat", "smooth", "linear"}
            At rest, with the mean speed between the neighbouring poses, or straight to both.
        joints : sequence of str, optional
            Which joints. Default: all, and the roots' translations.
        poses : sequence of int or float, optional
            Which poses. Default: all but the two ends.
        layer : int
            Which layer of the stack.
        """
        if shape not in get_args(Shape):
            raise InputError(f"the shape is {shape!r}; it can be {', '.join(get_args(Shape))}")
        layer, curves = self._layer(layer), list(self.curves)
        chosen = self._chosen(poses)
        for i in self._columns(joints):
            for k in chosen:
                if not self.timing.included[k, i]:
                    continue
                number = int(self.timing.numbers[k])
                arrive, leave = np.zeros(3), np.zeros(3)
                if shape != "flat":
                    arrive, leave = curves[i].chords(number, layer)
                if shape == "smooth":
                    arrive = leave = (arrive + leave) / 2
                curves[i] = curves[i].with_tangents(number, arrive, leave, layer)
        return replace(self, curves=tuple(curves))

    @recorded
    def detail(
        self,
        share: float,
        *,
        joints: Iterable[str] | None = None,
        after: Iterable[PoseName] | PoseName | None = None,
        layer: int = 0,
    ) -> Self:
        """Scale the detail that the splines do not contain: 0 removes it, 1 keeps it as recorded.

        Parameters
        ----------
        share : float
            The factor.
        joints : sequence of str, optional
            Which joints. Default: all, and the roots' translations.
        after : sequence of int or float, optional
            Only the transitions that follow these poses.
        layer : int
            Which layer of the stack.
        """
        share, layer = coerce(share, float, "share"), self._layer(layer)
        if abs(share) > _MOST_DETAIL:
            raise InputError(f"detail is scaled by at most {_MOST_DETAIL:g}, not {share:g}")
        first, last = self._ends
        starts = None if self.bounds is None else list(range(first, last))
        if after is not None:
            starts = [k for k in self._chosen(after) if k + 1 < len(self)]
        curves = list(self.curves)
        for i in self._columns(joints):
            spans = None if starts is None else [self._transition(i, k) for k in starts]
            curves[i] = curves[i].with_detail(share, spans, layer)
        return replace(self, curves=tuple(curves))

    def _transition(self, i: int, pose: int) -> tuple[float, float]:
        """Return the source's times between which a channel goes from a pose to the next."""
        low, high = (float(self.timing.source_times(k)[i]) for k in (pose, pose + 1))
        return low, high

    @recorded
    def add_layer(self, detail: Mapping[str, npt.ArrayLike] | None = None) -> Self:
        """Add a layer of splines and displacements on top of every transition.

        It has no effect at first; give its number to edits of values to change it.

        Parameters
        ----------
        detail : mapping of str to array (F, 3), optional
            Displacements at the source's frames, by joint: rotation vectors in degrees about the
            joint's own axes, or places in the file's units for ``NAME:translation``.
        """
        own: dict[int, FloatArray] = {}
        for name, values in by_joint(detail or {}, "displacements").items():
            for i in self._columns([name]):
                try:
                    track = np.asarray(values, dtype=float)
                except (TypeError, ValueError):
                    raise InputError(f"the displacement of {name!r} must be numbers") from None
                if track.shape != (len(self.source), 3) or not np.isfinite(track).all():
                    raise InputError(
                        f"the displacement of {name!r} needs {len(self.source)} finite rows of 3"
                    )
                own[i] = np.radians(track) if i < len(self.source.skeleton) else track
        curves = [c.with_layer(own.get(i)) for i, c in enumerate(self.curves)]
        added = self._reshaped(self, curves)
        if not own:
            return added
        plain = tuple(None if i in own else p for i, p in enumerate(added.plain))
        return replace(added, plain=plain)

    @recorded
    def weigh_layer(self, layer: int, weight: float) -> Self:
        """Set the weight of an added layer: 0 disables it, 1 applies it fully.

        Parameters
        ----------
        layer : int
            Which layer of the stack, from 1; layer 0 is the motion itself.
        weight : float
            The weight, 0 to 2.
        """
        layer, weight = self._added_layer(layer), coerce(weight, float, "weight")
        if not 0 <= weight <= _MOST_LAYER:
            raise InputError(f"a layer's weight is 0 to {_MOST_LAYER:g}, not {weight:g}")
        curves = [c.weighted(layer, weight) for c in self.curves]
        return self._reshaped(self, curves)  # without edits, the layer is empty

    @recorded
    def remove_layer(self, layer: int) -> Self:
        """Remove an added layer, with all edits in it.

        Parameters
        ----------
        layer : int
            Which layer of the stack, from 1; those above it move down by one.
        """
        layer = self._added_layer(layer)
        return self._reshaped(self, [c.without_layer(layer) for c in self.curves])

    def _added_layer(self, layer: int) -> int:
        if self._layer(layer) == 0:
            raise InputError("layer 0 is the motion itself; it stays whole")
        return layer
