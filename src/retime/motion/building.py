"""Building: motions made of plain arrays, and arrays and tables made of motions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.errors import InputError, MissingDependencyError
from retime.motion import quat
from retime.motion.skeleton import Skeleton
from retime.motion.units import Units

if TYPE_CHECKING:
    from retime.motion.motion import Motion

Column = Literal["positions", "rotations", "translations"]
# Matrices whose axes are further from orthonormal are no rotations.
_NEARLY = 1e-3
_SHAPES = (
    "quaternions wxyz (F, J, 4), matrices (F, J, 3, 3), 6D rotations (F, J, 6) or rotation vectors "
    "(F, J, 3)"
)


def from_arrays(
    rotations: Any,
    parents: Any,
    *,
    fps: float,
    names: Sequence[str] | None,
    offsets: Any,
    root_translation: Any,
    positions: Any,
    units: Units | None,
) -> Motion:
    """Build a motion of arrays; see :meth:`Motion.from_arrays`."""
    from retime.motion.motion import Motion

    above = _parents(parents)
    count = len(above)
    names = tuple(f"joint_{j}" for j in range(count)) if names is None else tuple(names)
    if len(names) != count:
        raise InputError(f"names has {len(names)} entries, expected one for each of {count} joints")
    places = None if positions is None else _array(positions, "positions", (None, count, 3))
    if rotations is None and places is None:
        raise InputError(f"give rotations, as {_SHAPES}, or positions (F, J, 3)")
    if rotations is not None and places is not None:
        raise InputError("give rotations or positions, not both: one follows from the other")
    rest = np.zeros((count, 3)) if offsets is None else _array(offsets, "offsets", (count, 3))
    if places is not None:
        turns = quat.identity(len(places), count)
        tracks = relative_places(places, above, names)
        if offsets is None and len(places):
            rest = np.array([tracks[n].mean(axis=0) for n in names])
    else:
        if offsets is None and count > 1:
            raise InputError(f"give offsets ({count}, 3): where each joint rests beside its parent")
        turns = as_quaternions(rotations, count)
        tracks = _root_tracks(names, above, rest, len(turns), root_translation)
    return Motion(
        Skeleton(names, above, rest),
        turns,
        tracks,
        fps=fps,
        units=Units() if units is None else units,
    )


def _root_tracks(
    names: tuple[str, ...], above: Any, rest: FloatArray, frames: int, given: Any
) -> dict[str, FloatArray]:
    """Return the translations of the roots: where they rest, and the first one's as given."""
    roots = np.flatnonzero(above < 0)
    tracks = {names[r]: np.tile(rest[r], (frames, 1)) for r in roots}
    if given is not None:
        tracks[names[roots[0]]] = _array(given, "root_translation", (frames, 3))
    return tracks


def as_quaternions(rotations: Any, joints: int) -> FloatArray:
    """Turn rotations in any of the usual forms into quaternions wxyz, (F, J, 4)."""
    given = _array(rotations, "rotations")
    if (
        given.ndim < 3
        or given.shape[1] != joints
        or given.shape[2:] not in ((4,), (3, 3), (6,), (3,))
    ):
        raise InputError(
            f"rotations has shape {given.shape}, expected {_SHAPES} with J = {joints} joints"
        )
    if given.shape[2:] == (4,):
        return given
    if given.shape[2:] == (3,):
        return quat.exp(given)
    if given.shape[2:] == (6,):
        return from_6d(given)
    x, y, z = np.moveaxis(given, -1, 0)  # columns are the axes
    product = np.einsum("fjki,fjkl->fjil", given, given)
    if np.abs(product - np.eye(3)).max(initial=0.0) > _NEARLY or (np.linalg.det(given) < 0).any():
        raise InputError(
            "rotations has matrices that are not rotations: their axes must be "
            "orthogonal, of unit length and right-handed"
        )
    return quat.from_axes(x, y, z)


def to_6d(rotations: FloatArray) -> FloatArray:
    """Return the first two columns of the rotation matrices, one after the other, (..., 6)."""
    matrix = quat.to_matrix(rotations)
    return np.concatenate([matrix[..., 0], matrix[..., 1]], axis=-1)


def from_6d(given: FloatArray) -> FloatArray:
    """Turn 6D rotations (..., 6), not yet orthonormal, into quaternions."""
    x, y = given[..., :3], given[..., 3:]
    x = x / np.maximum(np.linalg.norm(x, axis=-1, keepdims=True), 1e-12)
    y = y - (x * y).sum(-1, keepdims=True) * x
    length = np.linalg.norm(y, axis=-1, keepdims=True)
    if (length < 1e-9).any():
        raise InputError("rotations has 6D values whose two axes are parallel or zero")
    y = y / length
    return quat.from_axes(x, y, np.cross(x, y))


def to_dataframe(motion: Motion, values: Column) -> Any:
    """Make a table of a motion; see :meth:`Motion.to_dataframe`."""
    try:
        import pandas as pd
    except ImportError:
        raise MissingDependencyError("a table of a motion", "notebook") from None
    names = motion.skeleton.names
    if values == "positions":
        from retime.motion.kinematics import positions

        columns, table = "xyz", positions(motion)
    elif values == "rotations":
        columns, table = "wxyz", motion.rotations
    elif values == "translations":
        names = tuple(motion.translations)
        columns = "xyz"
        table = np.stack([motion.translations[n] for n in names], axis=1)
    else:
        raise InputError(f"values is 'positions', 'rotations' or 'translations', not {values!r}")
    heads = pd.MultiIndex.from_product([names, list(columns)], names=["joint", "axis"])
    index = pd.Index(motion.times, name="time")
    return pd.DataFrame(table.reshape(len(motion), -1), index=index, columns=heads)


def _parents(parents: Any) -> npt.NDArray[np.int64]:
    try:
        above = np.asarray(parents)
        if above.ndim != 1 or not above.size or above.dtype.kind not in "iu":
            raise ValueError
    except (TypeError, ValueError):
        raise InputError(
            "parents is a list (J,) of whole numbers: each joint's parent, which stands before it, "
            "and -1 for a root"
        ) from None
    return above.astype(np.int64)


def _array(values: Any, what: str, shape: tuple[int | None, ...] | None = None) -> FloatArray:
    """Bring what knows the array protocol, such as a tensor, to numbers of a shape."""
    try:
        found = np.array(values, dtype=np.float64)
    except Exception as e:  # a tensor that needs a gradient raises its own kind, and says why
        reason = str(e).splitlines()[0][:120] if str(e) else type(e).__name__
        raise InputError(f"{what} cannot be made an array of numbers ({reason})") from None
    if shape is not None and (
        found.ndim != len(shape)
        or any(n is not None and n != m for n, m in zip(shape, found.shape, strict=True))
    ):
        letters = dict(zip(range(3), "FJ", strict=False))
        wanted = ", ".join(
            letters.get(k, "?") if n is None else str(n) for k, n in enumerate(shape)
        )
        raise InputError(f"{what} has shape {found.shape}, expected ({wanted})")
    return found


def relative_places(
    places: FloatArray, parents: npt.NDArray[np.int64], names: Sequence[str]
) -> dict[str, FloatArray]:
    """Return each joint's place beside its parent; roots stand where they are."""
    return {
        name: places[:, j] - (places[:, parents[j]] if parents[j] >= 0 else 0.0)
        for j, name in enumerate(names)
    }
