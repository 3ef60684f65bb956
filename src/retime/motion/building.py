"""Convert plain arrays to motions, and motions to arrays and tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
# Largest deviation of a rotation matrix from orthonormal axes.
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
    """Build a motion from arrays; see :meth:`Motion.from_arrays`."""
    from retime.motion.motion import Motion

    above = _parents(parents)
    count = len(above)
    names = tuple(f"joint_{j}" for j in range(count)) if names is None else tuple(names)
    if len(names) != count:
        raise InputError(f"names has {len(names)} entries, expected one for each of {count} joints")
    if rotations is None and positions is None:
        raise InputError(f"give rotations, as {_SHAPES}, or positions (F, J, 3)")
    if rotations is not None and positions is not None:
        raise InputError("give rotations or positions, not both: one follows from the other")
    rest = None if offsets is None else _array(offsets, "offsets", (count, 3))
    if positions is not None:
        places = _array(positions, "positions", (None, count, 3))
        turns = quat.identity(len(places), count)
        tracks = relative_places(places, above, names)
        rest = _mean_offsets(tracks, names) if rest is None else rest
    else:
        rest = _joint_offsets(rest, count)
        turns = as_quaternions(rotations, count)
        tracks = _root_tracks(names, above, rest, len(turns), root_translation)
    return Motion(Skeleton(names, above, rest), turns, tracks, fps=fps, units=units or Units())


def _joint_offsets(offsets: FloatArray | None, count: int) -> FloatArray:
    """Return offsets (J, 3), which only a single joint may lack."""
    if offsets is not None:
        return offsets
    if count > 1:
        raise InputError(f"give offsets ({count}, 3): where each joint rests beside its parent")
    return np.zeros((count, 3))


def _mean_offsets(tracks: dict[str, FloatArray], names: tuple[str, ...]) -> FloatArray:
    """Return the mean translation of each joint, (J, 3); zeros without frames."""
    if not len(tracks[names[0]]):
        return np.zeros((len(names), 3))
    return np.array([tracks[n].mean(axis=0) for n in names])


def _root_tracks(
    names: tuple[str, ...], above: Any, rest: FloatArray, frames: int, given: Any
) -> dict[str, FloatArray]:
    """Return the translations of the roots: that of the first as given, others at rest."""
    roots = np.flatnonzero(above < 0)
    tracks = {names[r]: np.tile(rest[r], (frames, 1)) for r in roots}
    if given is not None:
        tracks[names[roots[0]]] = _array(given, "root_translation", (frames, 3))
    return tracks


def as_quaternions(rotations: Any, joints: int) -> FloatArray:
    """Convert rotations in any of the usual forms to quaternions wxyz, (F, J, 4)."""
    given = _array(rotations, "rotations")
    convert = _CONVERSIONS.get(given.shape[2:])
    if given.ndim < 3 or given.shape[1] != joints or convert is None:
        raise InputError(
            f"rotations has shape {given.shape}, expected {_SHAPES} with J = {joints} joints"
        )
    return convert(given)


def _from_matrices(given: FloatArray) -> FloatArray:
    x, y, z = np.moveaxis(given, -1, 0)  # columns are the axes
    product = np.einsum("fjki,fjkl->fjil", given, given)
    if np.abs(product - np.eye(3)).max(initial=0.0) > _NEARLY or (np.linalg.det(given) < 0).any():
        raise InputError(
            "rotations has matrices that are not rotations: their axes must be "
            "orthogonal, of unit length and right-handed"
        )
    return quat.from_axes(x, y, z)


def to_6d(rotations: FloatArray) -> FloatArray:
    """Return the first two columns of the rotation matrices, concatenated, (..., 6)."""
    matrix = quat.to_matrix(rotations)
    return np.concatenate([matrix[..., 0], matrix[..., 1]], axis=-1)


def from_6d(given: FloatArray) -> FloatArray:
    """Orthonormalise 6D rotations (..., 6) and convert them to quaternions."""
    x, y = given[..., :3], given[..., 3:]
    x = x / np.maximum(np.linalg.norm(x, axis=-1, keepdims=True), 1e-12)
    y = y - (x * y).sum(-1, keepdims=True) * x
    length = np.linalg.norm(y, axis=-1, keepdims=True)
    if (length < 1e-9).any():
        raise InputError("rotations has 6D values whose two axes are parallel or zero")
    y = y / length
    return quat.from_axes(x, y, np.cross(x, y))


# Conversions to quaternions by the shape of one rotation.
_CONVERSIONS: dict[tuple[int, ...], Callable[[FloatArray], FloatArray]] = {
    (4,): lambda given: given,
    (3,): quat.exp,
    (6,): from_6d,
    (3, 3): _from_matrices,
}


def to_dataframe(motion: Motion, values: Column) -> Any:
    """Convert a motion to a table; see :meth:`Motion.to_dataframe`."""
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
            "parents is a list (J,) of whole numbers: each joint's parent, which comes before it, "
            "and -1 for a root"
        ) from None
    return above.astype(np.int64)


def _array(values: Any, what: str, shape: tuple[int | None, ...] | None = None) -> FloatArray:
    """Convert an array or a tensor to numbers of a shape."""
    try:
        found = np.array(values, dtype=np.float64)
    except Exception as e:  # a tensor that needs a gradient raises its own error with a reason
        reason = str(e).splitlines()[0][:120] if str(e) else type(e).__name__
        raise InputError(f"{what} cannot be made an array of numbers ({reason})") from None
    if shape is not None:
        _must_have_shape(found, shape, what)
    return found


def _must_have_shape(found: FloatArray, shape: tuple[int | None, ...], what: str) -> None:
    fits = [n is None or n == m for n, m in zip(shape, found.shape, strict=False)]
    if found.ndim != len(shape) or not all(fits):
        wanted = ", ".join("F" if n is None else str(n) for n in shape)
        raise InputError(f"{what} has shape {found.shape}, expected ({wanted})")


def relative_places(
    places: FloatArray, parents: npt.NDArray[np.int64], names: Sequence[str]
) -> dict[str, FloatArray]:
    """Return the position of each joint relative to its parent; those of roots are unchanged."""
    return {
        name: places[:, j] - (places[:, parents[j]] if parents[j] >= 0 else 0.0)
        for j, name in enumerate(names)
    }
