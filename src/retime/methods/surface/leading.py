"""Lead limbs to their places in space: legs, and arms whose waist is not at the hips."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from retime.arrays import FloatArray
from retime.body import Body, LimbName, find_body
from retime.body.solve.gripping import keep_grips
from retime.body.solve.holding import as_delivered
from retime.body.solve.limbs import LimbSolver
from retime.body.solve.pelvis import PAD, pelvis_follows, turns_at
from retime.motion import Motion, quat
from retime.motion.edits import apply, correction_between
from retime.motion.kinematics import cached_positions
from retime.motion.layers import PoseLayer
from retime.timing import TimeWarp

__all__ = ["Led", "frames_near", "lead_limbs"]

# Frames whose joint times differ by less than this, in seconds, are unchanged.
_SAME = 1e-9


def lead_limbs(
    motion: Motion,
    warp: TimeWarp,
    limbs: Sequence[LimbName],
    span: tuple[float, float],
    *,
    grips: bool = True,
) -> Led:
    """Move limbs to their positions relative to the hips at their own times.

    Parameters
    ----------
    motion : Motion
        The step's input.
    warp : TimeWarp
        From the step's output time; it does not change the time of the body.
    limbs : sequence of str
        Limbs to move.
    span : (float, float)
        Part in which time changes, seconds; poses may change slightly before and after.
    grips : bool
        Whether hands keep what they hold.
    """
    frames = frames_near(motion, span)
    plain = apply(motion, warp, times=motion.times[frames])
    body, made = find_body(motion), plain
    for name in limbs:
        if name.endswith("arm"):
            made = _lead(motion, made, warp, body, name)
    legs = [n for n in limbs if n.endswith("leg")]
    if legs:
        before = made
        made = pelvis_follows(motion, made, warp)
        if made is before:  # it has no two legs, or no hips
            for name in legs:
                made = _lead(motion, made, warp, body, name)
    if grips:
        made = keep_grips(motion, made, warp)
    held = as_delivered(motion, made, warp) if legs else made
    return Led(motion, frames, plain, made, held)


@dataclass(frozen=True, eq=False)
class Led:
    """Limbs that were moved to their places.

    Parameters
    ----------
    motion : Motion
        The source.
    frames : slice
        The frames that may have changed.
    plain, made, held : Motion
        These frames before and after the limbs were moved, and with contacts held.
    """

    motion: Motion
    frames: slice
    plain: Motion
    made: Motion
    held: Motion

    @cached_property
    def correction(self) -> PoseLayer | None:
        """Correction that moves the limbs, in the output time of the step."""
        return correction_between(self.plain, self.made)


def frames_near(motion: Motion, span: tuple[float, float]) -> slice:
    """Return the frames of a span and those beside it."""
    near = np.flatnonzero((motion.times >= span[0] - PAD) & (motion.times <= span[1] + PAD))
    return slice(near[0], near[-1] + 1) if len(near) else slice(0, len(motion))


def _time_of(warp: TimeWarp, motion: Motion, joint: int, times: FloatArray) -> FloatArray:
    return warp(times, motion.skeleton.names[joint])


def _lead(motion: Motion, made: Motion, warp: TimeWarp, body: Body, limb: LimbName) -> Motion:
    """Move a limb's end to its source position relative to the hips at the limb's time."""
    part, hips = body.limbs[limb], body.roles["hips"]
    then = _time_of(warp, motion, part.end, made.times)
    busy = np.abs(then - made.times) > _SAME
    if not busy.any():
        return made
    solver, points = LimbSolver.of(made, part), cached_positions(motion)
    from_hips = points[:, part.end] - points[:, hips]
    track = [np.interp(then, motion.times, from_hips[:, c]) for c in range(3)]
    move = solver.points[:, hips] + np.stack(track, axis=1) - solver.points[:, part.end]
    turn = quat.multiply(
        turns_at(motion, part.end, then),
        quat.conjugate(solver.rotations[:, part.end]),
    )
    move[~busy], turn[~busy] = 0.0, [1.0, 0.0, 0.0, 0.0]
    return solver.reach(part.end, move, turn)[0]
