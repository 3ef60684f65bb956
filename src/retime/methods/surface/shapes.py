"""The domain filter: the shape of a dragged surface over the plane (section 3.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from retime.arrays import FloatArray
from retime.errors import InputError
from retime.methods.surface.keys import SurfaceKey
from retime.notes import Note

__all__ = ["Sheet", "sheet_of"]


@dataclass(frozen=True, eq=False)
class Sheet:
    """A bent surface as a sum of parts, each with the drag that it belongs to.

    Its shift at a position, for a joint with range weights g (D,), is the sum of
    ``part(x, y) * g[drag]``; a part without a drag uses the largest g.

    Parameters
    ----------
    parts : sequence of (callable, int or None)
        Functions of x and y in heights that return seconds.
    notes : tuple of str
        Drags that could not be met.
    """

    parts: Sequence[tuple[Any, int | None]]
    notes: tuple[Note, ...] = ()

    def shifts(self, places: FloatArray, near: FloatArray) -> FloatArray:
        """Return shifts (...,) at positions (..., 2) in heights with range weights (..., D)."""
        out = np.zeros(places.shape[:-1])
        for part, drag in self.parts:
            weight = near.max(axis=-1) if drag is None else near[..., drag]
            out = out + weight * part(places[..., 0], places[..., 1])
        return out


def sheet_of(
    key: SurfaceKey, drags: FloatArray, near: FloatArray, bounds: tuple[FloatArray, FloatArray]
) -> Sheet:
    """Make the bent surface of a key.

    Parameters
    ----------
    key : SurfaceKey
        The key.
    drags : array (D, 2)
        Positions of its drags, in heights.
    near : array (D, D)
        Range weights of each drag (row) at each drag (column).
    bounds : (array (2,), array (2,))
        The surface's corners in heights, for a table.
    """
    shifts = np.array([d.shift for d in key.drags])
    if key.shape == "polynomial":
        return _polynomial(key, drags, shifts)
    if key.shape == "gaussian":
        bells = [_bell(place, key.sigma) for place in drags]
    else:
        bells = [_made(key, place, bounds) for place in drags]
    if len(drags) == 1:
        return Sheet([(_scaled(bells[0], float(shifts[0])), 0)])
    # Gaussians overlap: their heights are solved for, so that every drag is met.
    meets = np.array([[near[a, c] * bells[c](*drags[a]) for c in range(len(drags))]
                      for a in range(len(drags))])  # fmt: skip
    sizes = np.linalg.lstsq(meets, shifts, rcond=1e-9)[0]
    notes = _missed(meets @ sizes - shifts)
    return Sheet(
        [(_scaled(b, float(s)), c) for c, (b, s) in enumerate(zip(bells, sizes, strict=True))],
        notes,
    )


def _missed(residual: FloatArray, degree: int | None = None) -> tuple[Note, ...]:
    worst = float(np.abs(residual).max())
    if worst < 1e-6:
        return ()
    if degree is not None:
        told = (
            f"a polynomial of degree {degree} misses its control points by up to "
            f"{1000 * worst:.0f} ms; a gaussian meets each"
        )
    else:
        told = f"drags at one place ask for different shifts: missed by up to {1000 * worst:.0f} ms"
    return (Note(told, code="drags-missed", seconds=worst),)


def _scaled(part: Any, size: float) -> Any:
    return lambda x, y: size * part(x, y)


def _bell(place: FloatArray, sigma: tuple[float, float]) -> Any:
    """Eq. 4, without a factor: 1 at the drag."""
    (x0, y0), (sx, sy) = place, sigma

    def bell(x: FloatArray, y: FloatArray) -> FloatArray:
        # Clip at 40 widths, where the value is 0, to avoid overflow.
        across = np.minimum(np.abs(x - x0) / sx, 40.0)
        up = np.minimum(np.abs(y - y0) / sy, 40.0)
        out: FloatArray = np.exp(-(across**2 + up**2) / 2)
        return out

    return bell


def _made(key: SurfaceKey, place: FloatArray, bounds: tuple[FloatArray, FloatArray]) -> Any:
    """Return a given table or function as a shape, scaled to 1 at the drag."""
    (x0, y0), (low, high) = place, bounds
    if callable(key.shape):
        function = key.shape

        def raw(x: FloatArray, y: FloatArray) -> FloatArray:
            try:
                out = np.asarray(function(x - x0, y - y0), dtype=float)
            except Exception as e:
                raise InputError(f"the surface's function fails: {e}") from None
            if out.shape != np.shape(x) or not np.isfinite(out).all():
                raise InputError("a surface's function returns a finite number for every x and y")
            return out
    else:
        table = np.array(key.shape, dtype=float)

        def raw(x: FloatArray, y: FloatArray) -> FloatArray:
            return _bilinear(
                table, (x - low[0]) / (high[0] - low[0]), (y - low[1]) / (high[1] - low[1])
            )

    size = float(raw(np.array(x0), np.array(y0)))
    if abs(size) < 1e-6:
        raise InputError("the surface's shape is 0 where it is dragged; it must not be")
    return lambda x, y: raw(x, y) / size


def _bilinear(table: FloatArray, u: FloatArray, v: FloatArray) -> FloatArray:
    """Look up a table (rows up, columns across) at fractions of its width and height."""
    rows, columns = table.shape
    x = np.clip(u, 0, 1) * (columns - 1)
    y = np.clip(v, 0, 1) * (rows - 1)
    i, k = np.minimum(x.astype(int), columns - 2), np.minimum(y.astype(int), rows - 2)
    a, b = x - i, y - k
    below = (1 - a) * table[k, i] + a * table[k, i + 1]
    above = (1 - a) * table[k + 1, i] + a * table[k + 1, i + 1]
    out: FloatArray = (1 - b) * below + b * above
    return out


def _polynomial(key: SurfaceKey, drags: FloatArray, shifts: FloatArray) -> Sheet:
    """Eq. 5 and 6 by least squares, for any number of drags.

    It has a constant term and is centred on the drags, so that it does not depend on the origin.
    For few drags it is the smallest polynomial that meets them.
    """
    middle = drags.mean(axis=0)

    def terms(x: FloatArray, y: FloatArray) -> FloatArray:
        x, y, m = x - middle[0], y - middle[1], key.degree
        columns = [x**k for k in range(m, 0, -1)] + [y**k for k in range(m, 0, -1)]
        columns += [x ** (m - k) * y**k for k in range(1, m)] + [np.ones_like(x)]
        return np.stack(columns, axis=-1)

    design = terms(drags[:, 0], drags[:, 1])
    sizes = np.linalg.pinv(design) @ shifts
    notes = _missed(design @ sizes - shifts, key.degree)
    # A polynomial may overshoot between its points (Runge); limit it to the largest drag.
    low, high = min(shifts.min(), 0.0), max(shifts.max(), 0.0)
    return Sheet([(lambda x, y: np.clip(terms(x, y) @ sizes, low, high), None)], notes)
