"""Keys: which joint or point of a surface is dragged, when, and by how much."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from retime.coercion import coerce
from retime.errors import InputError, did_you_mean
from retime.one_line import one_line
from retime.times import ClipTime, Clock, Length, SourceTime, in_seconds, needs_clip

__all__ = ["ControlPoint", "Shape", "SurfaceKey"]

# A table contains weights over the surface; a function takes x and y in heights from the drag.
Shape = Literal["gaussian", "polynomial"] | Sequence[Sequence[float]] | Callable[..., Any]
MOST_DEGREE = 3
# Neither a clip nor a figure is larger than this, in seconds or heights.
_MOST = 1e9
_NUMBERS = {"time": SourceTime, "shift": Length, "range_sigma": float, "gamma": Length}


@one_line()
@dataclass(frozen=True)
class ControlPoint:
    """One point of a surface that is dragged.

    Parameters
    ----------
    shift : float
        Time shift in seconds; negative is earlier.
    joint : str, optional
        Joint or role to drag.
    point : (float, float), optional
        Position on the surface, metres from the root: across, and up.
    """

    shift: float
    joint: str | None = None
    point: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "shift", coerce(self.shift, Length, "shift"))
        if (self.joint is None) == (self.point is None):
            raise InputError("a drag is at a joint or at a point; give one of the two")
        if self.joint is not None and not isinstance(self.joint, str):
            raise InputError(f"the joint is {self.joint!r}; it should be a name")
        if self.point is not None:
            point = coerce(self.point, tuple[float, float], "point")
            object.__setattr__(self, "point", point)

    @property
    def needs_clip(self) -> bool:
        """Whether its shift is in frames or percent."""
        return needs_clip(self.shift)

    def in_seconds(self, clock: Clock) -> ControlPoint:
        """Return the point with its shift in seconds."""
        return replace(self, shift=in_seconds(self.shift, clock, "shift"))

    @classmethod
    def from_document(cls, entry: Any) -> ControlPoint:
        """Make a control point from a JSON object."""
        if isinstance(entry, ControlPoint):
            return entry
        if not isinstance(entry, Mapping) or "shift" not in entry:
            raise InputError('a control point needs "shift", and "joint" or "point"')
        unknown = set(entry) - {"shift", "joint", "point"}
        if unknown:
            raise InputError(f"a control point has no {sorted(unknown)[0]!r}")
        return cls(**entry)


@one_line()
@dataclass(frozen=True, kw_only=True)
class SurfaceKey:
    """A time control surface: move the action of a joint in time; neighbouring joints follow.

    The joint reaches its pose at source time ``time`` exactly at output time ``time + shift``. A
    joint of weight w reaches its pose at ``time + w * shift``.

    Parameters
    ----------
    time : float
        Source time, seconds.
    shift : float
        Time shift in seconds; negative is earlier.
    joint : str, optional
        Joint or role to drag.
    point : (float, float), optional
        Position to drag in place of a joint, metres from the root: across, and up.
    shape : {"gaussian", "polynomial"}, table or callable
        Shape of the surface: a Gaussian, a polynomial fitted to the control points by least
        squares, a table of weights over the surface (columns across, rows up), or a function of x
        and y in heights.
    sigma : (float, float)
        Widths of the Gaussian across and up, in body heights.
    range_sigma : float
        Falloff along the bones, in body heights.
    gamma : float
        Falloff before and after, seconds.
    degree : int
        The polynomial's degree, 1 to 3.
    control_points : sequence of ControlPoint
        Further drags at the same time, each with its own shift.
    direction : (float, float, float), optional
        Direction from which the figure is seen. Default: its first heading. Give it for motion that
        goes backwards or turns.
    """

    time: float
    shift: float = 0.0
    joint: str | None = None
    point: tuple[float, float] | None = None
    shape: Shape = "gaussian"
    sigma: tuple[float, float] = (0.25, 0.25)
    range_sigma: float = 0.25
    gamma: float = 0.3
    degree: int = 3
    control_points: tuple[ControlPoint, ...] = field(default=())
    direction: tuple[float, float, float] | None = None

    def __post_init__(self) -> None:
        put = object.__setattr__
        for name, kind in _NUMBERS.items():
            value = coerce(getattr(self, name), kind, name)
            put(self, name, value)
            if isinstance(value, float) and abs(value) > _MOST:
                raise InputError(f"{name} is {value:g}, which is too large")
        sigma: Any = self.sigma
        if isinstance(sigma, int | float | str | np.generic):  # one width for both ways
            sigma = sigma.split(",") if isinstance(sigma, str) and "," in sigma else (sigma, sigma)
        put(self, "sigma", coerce(sigma, tuple[float, float], "sigma"))
        put(self, "degree", coerce(self.degree, int, "degree"))
        if not min(*self.sigma, self.range_sigma) >= 1e-6:
            raise InputError(
                f"a surface's sigmas are above 0 heights, not {self.sigma[0]:g}, "
                f"{self.sigma[1]:g} and {self.range_sigma:g}; try 0.25"
            )
        if isinstance(self.gamma, float) and self.gamma <= 0:
            raise InputError(f"gamma is above 0 s, not {self.gamma:g}; try 0.3")
        if not 1 <= self.degree <= MOST_DEGREE:
            raise InputError(f"the polynomial's degree is 1 to {MOST_DEGREE}, not {self.degree}")
        given: Any = self.control_points
        given = [given] if isinstance(given, ControlPoint | Mapping) else given
        if not isinstance(given, list | tuple):
            raise InputError(f"control_points are a list of drags, not {given!r}")
        points = tuple(ControlPoint.from_document(c) for c in given)
        put(self, "control_points", points)
        if self.direction is not None:
            way = coerce(self.direction, tuple[float, float, float], "direction")
            if not 1e-9 < np.abs(way).max() < 1e9:
                raise InputError("the time direction must have a length")
            put(self, "direction", way)
        if self.point is not None:
            put(self, "point", coerce(self.point, tuple[float, float], "point"))
        self._check_shape()
        if not self.drags:
            raise InputError("a surface is dragged at a joint or at a point; give one")

    def _check_shape(self) -> None:
        if isinstance(self.shape, str):
            if self.shape not in ("gaussian", "polynomial"):
                raise InputError(
                    f"the shape is {self.shape!r}; it can be 'gaussian', 'polynomial', a table or "
                    "a function"
                )
        elif not callable(self.shape):
            table = _table(self.shape)
            object.__setattr__(self, "shape", tuple(map(tuple, table.tolist())))

    @property
    def needs_clip(self) -> bool:
        """Whether some of its times are in frames or percent."""
        return needs_clip((self.time, self.shift, self.gamma, self.control_points))

    def in_seconds(self, clock: Clock) -> SurfaceKey:
        """Return the key with its times in seconds."""
        names = ("time", "shift", "gamma", "control_points")
        return replace(self, **{n: in_seconds(getattr(self, n), clock, n) for n in names})

    @property
    def drags(self) -> tuple[ControlPoint, ...]:
        """All control points: the key's own joint or point first."""
        if self.joint is None and self.point is None:
            return self.control_points
        return (ControlPoint(self.shift, self.joint, self.point), *self.control_points)

    def to_document(self) -> dict[str, Any]:
        """Return the key for JSON, without values that are defaults."""
        if callable(self.shape):
            raise InputError("a recipe file cannot hold a function; it works in Python only")
        out: dict[str, Any] = {}
        for entry in fields(self):
            value = getattr(self, entry.name)
            if entry.name == "control_points":
                value = [
                    {k: _written(v) for k, v in vars(c).items() if v is not None}
                    for c in self.control_points
                ]
                if not value:
                    continue
            elif entry.name != "time" and value == entry.default:
                continue
            out[entry.name] = _written(value)
        return out

    @classmethod
    def from_document(cls, entry: Any) -> SurfaceKey:
        """Make a key from a JSON object."""
        if isinstance(entry, SurfaceKey):
            return entry
        if not isinstance(entry, Mapping):
            raise InputError('a key is an object with "time", "joint" and "shift"')
        known = [f.name for f in fields(cls)]
        for name in entry:
            if name not in known:
                raise InputError(f"a key has no {name!r}{did_you_mean(name, known)}")
        if "time" not in entry:
            raise InputError('a key needs a "time"')
        return cls(**entry)


def _written(value: Any) -> Any:
    """Return a value for JSON."""
    return value.to_document() if isinstance(value, ClipTime) else value


def _table(values: Any) -> npt.NDArray[np.float64]:
    try:
        table = np.array(values, dtype=float)
    except (TypeError, ValueError):
        raise InputError("a surface's table must be rows of numbers") from None
    if table.ndim != 2 or min(table.shape) < 2 or not np.isfinite(table).all():
        raise InputError("a surface's table needs at least two rows of two finite numbers")
    return table
