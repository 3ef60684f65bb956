"""Limbs of two bones: bent in closed form, and moved to where their contacts shall be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from retime import _native
from retime.arrays import FloatArray
from retime.body.model.body import Limb
from retime.body.solve.displacement import OwnPath, Target, displacement
from retime.body.solve.hinges import half_turns
from retime.motion import Motion, quat, trust
from retime.motion.contact import Contact
from retime.motion.kinematics import cached_positions, cached_rotations, local_translations, upright

Frames = npt.NDArray[np.int64]

# A displacement that comes and goes within this time, in seconds, is noise: a turn of the foot
# makes up for it where it stretches the leg, because the knee would magnify it.
_SHAKE = 0.1
# A turn whose cosine is this close to 1 is rounding: a limb at rest stays as it is.
_NO_TURN = 1e-15
# More than this, in metres, is not noise: feet would turn too fast.
_NOISE = 0.01


def two_bone(
    base: FloatArray,
    target: FloatArray,
    upper: npt.ArrayLike,
    lower: npt.ArrayLike,
    pole: npt.ArrayLike,
) -> tuple[FloatArray, FloatArray]:
    """Place the middle joint of a two-bone limb.

    Parameters
    ----------
    base, target : array (..., 3)
        Where the limb starts and where it shall end. All arrays are broadcast together.
    upper, lower : array (...)
        Lengths of the two bones.
    pole : array (..., 3)
        Direction in which the middle joint bends out.

    Returns
    -------
    middle, end : array (..., 3)
        The middle joint, and the end that was reached: the target, or as near as the bones go.
    """
    vectors = [np.asarray(v, dtype=float) for v in (base, target, pole)]
    bones = [np.asarray(b, dtype=float) for b in (upper, lower)]
    shape = np.broadcast_shapes(*(v.shape[:-1] for v in vectors), *(b.shape for b in bones))
    start, goal, out = (
        np.ascontiguousarray(np.broadcast_to(v, (*shape, 3))).reshape(-1, 3) for v in vectors
    )
    first, second = (np.broadcast_to(b, shape).ravel() for b in bones)
    middle, end = _native.limbs.two_bones(start, goal, first, second, out)
    return middle.reshape(*shape, 3), end.reshape(*shape, 3)


def _unit(v: FloatArray) -> FloatArray:
    out: FloatArray = v / np.maximum(np.linalg.norm(v, axis=-1, keepdims=True), 1e-12)
    return out


def _perpendicular(v: FloatArray, direction: FloatArray) -> FloatArray:
    out: FloatArray = v - (v * direction).sum(-1, keepdims=True) * direction
    return out


@dataclass(frozen=True, eq=False)
class LimbSolver:
    """One limb over time: global positions in metres and rotations, Y up."""

    motion: Motion
    limb: Limb
    points: FloatArray
    rotations: FloatArray
    usual_pole: FloatArray
    hinge: FloatArray | None = None

    @classmethod
    def of(
        cls,
        motion: Motion,
        limb: Limb,
        *,
        hinge: FloatArray | None = None,
        known: tuple[FloatArray, FloatArray] | None = None,
    ) -> LimbSolver:
        """Measure a limb of a motion.

        ``hinge`` (3,) is the axis of its middle joint as its first bone sees it, of
        :func:`retime.body.solve.hinges.hinge_axis`. With it, a limb that is straight or bent the
        wrong way bends about that axis. ``known`` are places and rotations in space, where they
        are known for this limb and what it hangs on.
        """
        points, rotations = known or (cached_positions(motion), cached_rotations(motion))
        hip, knee, end = (points[:, j] for j in (limb.upper, limb.lower, limb.end))
        bend = _perpendicular(knee - hip, _unit(end - hip))
        # The usual bend in the frame of the limb's parent, for frames in which the limb is
        # straight. Above a root any frame is right that does not turn.
        parent = int(motion.skeleton.parents[limb.upper])
        base = rotations[:, parent] if parent >= 0 else quat.identity(len(motion))
        usual = quat.rotate(quat.conjugate(base), bend).sum(axis=0)
        pole = quat.rotate(base, np.broadcast_to(usual, bend.shape))
        if np.linalg.norm(usual) < 1e-9:
            # Straight throughout: knees bend where toes point, elbows backwards and down.
            tip = points[:, limb.tip] - end if limb.tip is not None else np.array([0.0, -1.0, -1.0])
            pole = _perpendicular(np.broadcast_to(tip, bend.shape), _unit(end - hip))
        axis = None
        if hinge is not None:
            above = rotations[:, limb.upper]
            axis = quat.rotate(above, half_turns(above, knee - hip, end - knee)[:, None] * hinge)
        return cls(motion, limb, points, rotations, _unit(pole), axis)

    @property
    def can_bend(self) -> bool:
        """Whether both of its bones have a length."""
        hip, knee, end = (
            self.points[:, j] for j in (self.limb.upper, self.limb.lower, self.limb.end)
        )
        return all(
            np.linalg.norm(b - a, axis=1).min() > 1e-6 for a, b in ((hip, knee), (knee, end))
        )

    def hold(self, targets: Mapping[Contact, Target], fade: float) -> tuple[Motion, float]:
        """Return the motion with its contacts held, and by how much the worst was missed."""
        index = self.motion.skeleton.index
        joints = sorted({index(c.joint) for c in targets}, reverse=True)
        lead = joints[0]  # the outermost: a toe before its ankle
        chosen = {c: t for c, t in targets.items() if index(c.joint) == lead}
        move, held = displacement(self.motion, self.points[:, lead], chosen, fade)
        # On its own path, a foot does not shake more than in the source.
        on_path = any(isinstance(t, OwnPath) for t in chosen.values())
        shake = np.zeros(len(move)) if on_path else self._shake(lead, move, held)
        turn = quat.identity(len(move))
        if len(joints) > 1:
            inner = {c: t for c, t in targets.items() if index(c.joint) == joints[1]}
            move, turn = self._with_two(move, held, lead, joints[1], inner, fade)
        return self.reach(lead, move, turn, shake)

    def _shake(self, lead: int, move: FloatArray, held: FloatArray) -> FloatArray:
        """Return by how much a shaking toe stretches the leg, (F,) metres: the foot turns instead.

        Across the leg, the hip makes up for it by turns that are not seen.
        """
        steps = round(_SHAKE * self.motion.rate / 2)
        if steps < 1 or lead == self.limb.end or not move.any():
            return np.zeros(len(move))
        window = np.bartlett(2 * steps + 3)[1:-1]
        padded = np.pad(move, ((steps, steps), (0, 0)), mode="edge")
        slow = np.stack([np.convolve(padded[:, c], window, "valid") for c in range(3)], axis=1)
        leg = _unit(self.points[:, self.limb.end] - self.points[:, self.limb.upper])
        shake = held * ((move - slow / window.sum()) * leg).sum(axis=1)
        return np.asarray(np.clip(shake, -_NOISE, _NOISE))

    def _with_two(
        self,
        move: FloatArray,
        held: FloatArray,
        lead: int,
        second: int,
        inner: Mapping[Contact, Target],
        fade: float,
    ) -> tuple[FloatArray, FloatArray]:
        """Hold an ankle as well as its toe: turn the foot so that both meet their targets."""
        other, share = displacement(self.motion, self.points[:, second], inner, fade)
        # Where the toe is not held, the whole foot follows its ankle.
        move = move + (1 - held)[:, None] * other
        now = self.points[:, lead] - self.points[:, second]
        wanted = now + move - other
        turn = quat.slerp(quat.identity(len(now)), quat.between(_unit(now), _unit(wanted)), share)
        return move, turn

    def reach(
        self, lead: int, move: FloatArray, turn: FloatArray, shake: FloatArray | None = None
    ) -> tuple[Motion, float]:
        """Move the joint ``lead`` by a displacement, the end turned about it by ``turn``.

        ``shake`` (F,) is by how much of it the end turns instead of the limb getting longer.
        Returns the motion, and by how many metres the worst frame was missed.
        """
        turned = np.abs(turn[:, 0]) < 1 - _NO_TURN
        frames = np.flatnonzero(np.any(move != 0, axis=1) | turned)
        if not len(frames):
            return self.motion, 0.0
        limb = self.limb
        by, ends, missed = _native.limbs.reach(
            frames,
            np.array([limb.upper, limb.lower, limb.end, lead]),
            self.points,
            move,
            turn,
            np.zeros(len(move)) if shake is None else shake,
            self.usual_pole,
            np.empty((0, 3)) if self.hinge is None else self.hinge,
        )
        return self._turned(frames, by, ends), missed

    def _turned(self, frames: Frames, turned: FloatArray, ends: FloatArray) -> Motion:
        """Write global turns (N, 3, 4) of the limb's joints in frames back as local rotations."""
        motion, limb = self.motion, self.limb
        joints = np.array([limb.upper, limb.lower, limb.end])
        local = _native.limbs.turn_limb(
            motion.rotations,
            self.rotations,
            upright(motion.units),
            frames,
            joints,
            motion.skeleton.parents[joints],
            turned,
            limb.linked,
        )
        translations = dict(motion.translations)
        if limb.linked:
            name = motion.skeleton.names[limb.end]
            translations[name] = self._linked_track(frames, ends)
        return replace(motion, rotations=trust(local), translations=translations)

    def _linked_track(self, frames: Frames, new_end: FloatArray) -> FloatArray:
        """Move a foot that is below another joint by its own translation."""
        end = self.limb.end
        parent = int(self.motion.skeleton.parents[end])
        track = local_translations(self.motion)[:, end].copy()
        moved = new_end - self.points[frames, end]
        base = self.rotations[frames, parent] if parent >= 0 else upright(self.motion.units)
        track[frames] += quat.rotate(quat.conjugate(base), moved) / self.motion.units.metres
        return track
