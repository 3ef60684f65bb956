"""Parse gravity: a magnitude, a vector, or a direction relative to the figure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from retime.arrays import FloatArray
from retime.body import Body
from retime.errors import InputError
from retime.methods.physics.sayings import EARTH, weights_of_earth
from retime.motion import Motion
from retime.notes import Note

__all__ = [
    "DOWN",
    "EARTH",
    "gravity_noted",
    "note_of_gravity",
    "parse_gravity",
    "written_gravity",
]

DOWN = (0.0, -EARTH, 0.0)
_DIRECTIONS = {
    "left": (1.0, 0.0, 0.0),
    "right": (-1.0, 0.0, 0.0),
    "front": (0.0, 0.0, 1.0),
    "back": (0.0, 0.0, -1.0),
    "up": (0.0, 1.0, 0.0),
    "down": (0.0, -1.0, 0.0),
}


# Sizes of gravity at which a flight has a rate of 0.05 and of 4, m/s^2.
_LEAST, _MOST = 0.025, 156.0

_NOTE = "timed for a gravity of "
_UNIT = " m/s²"


def written_gravity(gravity: FloatArray) -> str:
    """Format a gravity: its magnitude if it points down, otherwise its vector."""
    x, y, z = (float(v) for v in gravity)
    if abs(x) + abs(z) < 1e-9 and y < 0:
        return f"{-y:g}"
    return f"{x:g},{y:g},{z:g}"


def note_of_gravity(gravity: FloatArray) -> list[Note]:
    """Return a note on the gravity of a timing if it is not that of the earth."""
    if np.allclose(gravity, DOWN):
        return []
    told = written_gravity(gravity)
    return [Note(f"{_NOTE}{told}{_UNIT}", code="gravity", gravity=told)]


def gravity_noted(notes: Iterable[str]) -> str | None:
    """Return the gravity of a timing from its notes, or ``None``."""
    found = [n for n in notes if n.startswith(_NOTE) and n.endswith(_UNIT)]
    return found[-1].removeprefix(_NOTE).removesuffix(_UNIT) if found else None


def parse_gravity(given: Any, motion: Motion, body: Body) -> FloatArray:
    """Convert a gravity to a vector (3,) in m/s^2, Y up.

    A size points downwards, and ``0.5g`` is one too; ``left:9.81`` and its like are seen from the
    figure, on the whole of the clip; text may also be ``x,y,z``.
    """
    try:
        vector = _vector(given, motion, body)
    except InputError:
        raise
    except (TypeError, ValueError):
        raise InputError(
            f"gravity is {given!r}; give a size as 4.9 or 0.5g, moon or mars, a vector as "
            "0,-9.81,0, or a direction of the figure with a size as left:9.81 "
            f"({', '.join(_DIRECTIONS)})"
        ) from None
    if vector.shape != (3,) or not np.isfinite(vector).all():
        raise InputError(f"gravity is {given!r}; it must be a finite size or vector")
    if not vector.any():
        raise InputError("without gravity nothing holds a figure to the ground; give a small one")
    size = float(np.linalg.norm(vector))
    if not _LEAST <= size <= _MOST:
        raise InputError(
            f"gravity is {size:g} m/s²; it can be from {_LEAST:g} to {_MOST:g}, where flights are "
            "20 times as slow or 4 times as fast"
        )
    return vector


def _vector(given: Any, motion: Motion, body: Body) -> FloatArray:
    if isinstance(given, str) and ":" in given:
        direction, _, size = given.partition(":")
        if direction not in _DIRECTIONS:
            raise ValueError(direction)
        x, y, z = np.array(_DIRECTIONS[direction]) * float(size)
        _, heading = body.frame(motion)
        angle = np.arctan2(np.sin(heading).mean(), np.cos(heading).mean())
        cos, sin = np.cos(angle), np.sin(angle)
        return np.array([cos * x + sin * z, y, -sin * x + cos * z])
    if isinstance(given, str):
        size_of = weights_of_earth(given)
        if size_of is not None:
            return np.array([0.0, -size_of, 0.0])
        parts = [float(v) for v in given.split(",")]
        return _vector(parts[0] if len(parts) == 1 else parts, motion, body)
    if isinstance(given, Sequence | np.ndarray):
        return np.array([float(v) for v in given])
    if float(given) < 0:
        raise InputError(
            f"gravity is {float(given):g}; a size points downwards, so give {-float(given):g}, or "
            f"0,{-float(given):g},0 if things fall upwards"
        )
    return np.array([0.0, -float(given), 0.0])
