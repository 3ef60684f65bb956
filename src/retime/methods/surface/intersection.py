"""The paper's method: intersect a surface with the moving paths of joints (section 3.5)."""

from __future__ import annotations

import numpy as np

from retime import _native
from retime.arrays import FloatArray
from retime.methods.surface.placing import Placed
from retime.methods.surface.propagation import Bump
from retime.methods.surface.room import Room
from retime.motion import Motion

__all__ = ["Lattice", "held_up", "met_times"]

Lattice = tuple[FloatArray, FloatArray, tuple[int, int]]


def met_times(
    motion: Motion,
    placed: Placed,
    room: Room,
    bump: Bump,
    paths: FloatArray,
    lattice: Lattice,
    times: FloatArray,
) -> FloatArray:
    """Find the source times (N, J) at which surfaces at output times meet the paths.

    ``paths`` (F, J, 2) are in heights; ``lattice`` is the surface's lower corner, the size of its
    cells and their number each way.
    """
    corner, cell, count = lattice
    drag = max(placed.key.drags, key=lambda d: abs(d.shift)).shift
    stands = float(np.clip(placed.key.time + room.share * drag, room.start, room.end))
    x, y = (corner[c] + cell[c] * np.arange(count[c]) for c in (0, 1))
    across, up = np.meshgrid(x, y, indexing="ij")
    parts = placed.sheet.parts
    grids = np.stack([room.share * part(across, up) for part, _ in parts])
    near = [placed.near.max(axis=1) if d is None else placed.near[:, d] for _, d in parts]
    weights = np.stack(near, axis=1)
    weights[list(placed.locked)] = 0.0
    shares = bump.at(times, stands, room.start, room.end)
    cells = _even(motion, (paths - corner) / cell)
    return _native.surfaces.intersect(
        times, shares, cells, motion.domain[0], motion.rate, grids, weights
    )


def _even(motion: Motion, paths: FloatArray) -> FloatArray:
    """Resample paths at equal intervals."""
    if motion.sample_times is not None:
        frame, share = motion.frame_at(np.linspace(*motion.domain, len(motion)))
        after = np.minimum(frame + 1, len(paths) - 1)
        paths = paths[frame] + share[:, None, None] * (paths[after] - paths[frame])
    return np.ascontiguousarray(paths)


def held_up(times: FloatArray, source: FloatArray, least: float) -> FloatArray:
    """Limit slopes of source times (N,) to ``least`` up to 1 / ``least``; the ends are fixed.

    A path may leave a surface and return to it; time then waits instead of running backwards.
    """
    most = 1 / least
    # Bounds of curves from the start of the range to its end within the limits of slope.
    since, until = times - times[0], times[-1] - times
    floor = np.maximum(times[0] + least * since, times[-1] - most * until)
    roof = np.minimum(times[0] + most * since, times[-1] - least * until)
    out = np.clip(source, floor, roof)
    for n in range(1, len(out)):
        step = times[n] - times[n - 1]
        out[n] = min(max(out[n], out[n - 1] + least * step), out[n - 1] + most * step)
    return out
