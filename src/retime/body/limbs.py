"""Limbs of two bones: bent in closed form, and moved to where their contacts shall be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from retime.arrays import FloatArray
from retime.body.body import Limb
from retime.body.displacement import displacement
from retime.body.hinges import bent_about, off_line
from retime.motion import Motion, quat, trust
from retime.motion.contact import Contact
from retime.motion.kinematics import local_translations, places, turns

# A limb is never quite straight: at full stretch its bending plane would be undefined.
_STRAIGHTEST = 0.9999
# Bend, relative to the limb's length, below which the usual plane of the limb is used.
_CLEAR_BEND = 1e-4
# A leg shorter than its bones by less than this share is nearly straight (its knee by 23 degrees):
# pulled straighter, it keeps at least this share of the shortness, so half of its bend.
_NEARLY_STRAIGHT, _KEPT = 0.02, 0.25
# Cost of turning a flat foot, relative to bending the knee: flat feet should stay flat.
_FOOT_STIFFNESS = 2.0
# A displacement that comes and goes within this time, in seconds, is noise: a turn of the foot
# makes up for it, because the knee would magnify it.
_SHAKE = 0.1
# More than this, in metres, is not noise: feet would turn too fast.
_NOISE = 0.01


def two_bone(
    base: FloatArray,
    target: FloatArray,
    upper: npt.ArrayLike,
    lower: npt.ArrayLike,
    pole: npt.ArrayLike,
    *,
    straightest: float = _STRAIGHTEST,
) -> tuple[FloatArray, FloatArray]:
    """Place the middle joint of a two-bone limb.

    Parameters
    ----------
    base, target : array (..., 3)
        Where the limb starts and where it shall end.
    upper, lower : array (...)
        Lengths of the two bones.
    pole : array (..., 3)
        Direction in which the middle joint bends out.
    straightest : float
        How long the limb gets at most, by its bones' length.

    Returns
    -------
    middle, end : array (..., 3)
        The middle joint, and the end that was reached: the target, or as near as the bones go.
    """
    upper = np.asarray(upper, dtype=float)[..., None]
    lower = np.asarray(lower, dtype=float)[..., None]
    reach = target - base
    distance = np.linalg.norm(reach, axis=-1, keepdims=True)
    direction = reach / np.maximum(distance, 1e-12)
    least = np.abs(upper - lower) + (1 - _STRAIGHTEST) * (upper + lower)
    distance = np.clip(distance, least, straightest * (upper + lower))
    # Law of cosines: position of the middle joint along the line to the target, and distance from
    # it.
    along = (upper**2 + distance**2 - lower**2) / (2 * distance)
    off = np.sqrt(np.maximum(upper**2 - along**2, 0.0))
    out = _perpendicular(np.broadcast_to(np.asarray(pole, dtype=float), reach.shape), direction)
    return base + along * direction + off * _unit(out), base + distance * direction


def _unit(v: FloatArray) -> FloatArray:
    out: FloatArray = v / np.maximum(np.linalg.norm(v, axis=-1, keepdims=True), 1e-12)
    return out


def _perpendicular(v: FloatArray, direction: FloatArray) -> FloatArray:
    out: FloatArray = v - (v * direction).sum(-1, keepdims=True) * direction
    return out


def _kept_bent(length: FloatArray, before: FloatArray, full: FloatArray) -> FloatArray:
    """Keep a limb that is pulled straight from snapping: it slows down before full stretch.

    The last of its bend goes as fast as the root of the length that is left to full stretch.
    """
    short = full - length
    edge = np.maximum(np.minimum(full - before, _NEARLY_STRAIGHT * full), 1e-12)
    over = np.maximum(edge - short, 0.0) / ((1 - _KEPT) * edge)
    slowed = _KEPT * edge + (1 - _KEPT) * edge * np.exp(-over)
    out: FloatArray = np.minimum(full - np.where(short < edge, slowed, short), _STRAIGHTEST * full)
    return out


def _frame(along: FloatArray, normal: FloatArray) -> FloatArray:
    """Return the rotation whose x is a direction and whose z is as near as can be to a normal."""
    x = _unit(along)
    z = _unit(_perpendicular(normal, x))
    return quat.from_axes(x, np.cross(z, x), z)


def _trusted(rotations: FloatArray, limb: Limb, busy: npt.NDArray[np.bool_]) -> FloatArray:
    """Bring a limb's new rotations to the model's convention; all others are as they were."""
    for j in (limb.upper, limb.lower, limb.end):
        rotations[busy, j] = quat.normalize(rotations[busy, j])
        rotations[:, j] = quat.continuous(rotations[:, j])
    return trust(rotations)


@dataclass(frozen=True, eq=False)
class _Turns:
    """Global turns (N, 4) of a limb's joints, and where its end comes to lie (N, 3)."""

    upper: FloatArray
    lower: FloatArray
    end: FloatArray
    new_end: FloatArray


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
        :func:`retime.body.hinges.hinge_axis`. With it, a limb that is straight or bent the wrong
        way bends about that axis. ``known`` are places and rotations in space, where they are known
        for this limb and what it hangs on.
        """
        points, rotations = known or (places(motion), turns(motion))
        hip, knee, end = (points[:, j] for j in (limb.upper, limb.lower, limb.end))
        bend = _perpendicular(knee - hip, _unit(end - hip))
        # The usual bend in the frame of the limb's parent, for frames in which the limb is
        # straight.
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
            axis = quat.rotate(rotations[:, limb.upper], np.broadcast_to(hinge, bend.shape))
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

    def hold(self, targets: Mapping[Contact, FloatArray], fade: float) -> tuple[Motion, float]:
        """Return the motion with its contacts held, and by how much the worst was missed."""
        index = self.motion.skeleton.index
        joints = sorted({index(c.joint) for c in targets}, reverse=True)
        lead = joints[0]  # the outermost: a toe before its ankle
        chosen = {c: t for c, t in targets.items() if index(c.joint) == lead}
        move, held = displacement(self.motion, self.points[:, lead], chosen, fade)
        turn = quat.identity(len(self.motion))
        if lead != self.limb.end:
            turn = self._unshaken(lead, move, held)
        if len(joints) > 1:
            inner = {c: t for c, t in targets.items() if index(c.joint) == joints[1]}
            move, turn = self._with_two(move, held, lead, joints[1], inner, fade)
        return self.reach(lead, move, turn)

    def _unshaken(self, lead: int, move: FloatArray, held: FloatArray) -> FloatArray:
        """Return the foot's turn that makes up for the shaking of its toes, in the knee's place."""
        steps = round(_SHAKE * self.motion.rate / 2)
        if steps < 1 or not move.any():
            return quat.identity(len(move))
        window = np.bartlett(2 * steps + 3)[1:-1]
        padded = np.pad(move, ((steps, steps), (0, 0)), mode="edge")
        slow = np.stack([np.convolve(padded[:, c], window, "valid") for c in range(3)], axis=1)
        shake = held[:, None] * (move - slow / window.sum())
        size = np.linalg.norm(shake, axis=1, keepdims=True)
        shake = shake * (_NOISE / np.maximum(size, _NOISE))
        foot = self.points[:, lead] - self.points[:, self.limb.end]
        return quat.between(_unit(foot), _unit(foot + shake))

    def _with_two(
        self,
        move: FloatArray,
        held: FloatArray,
        lead: int,
        second: int,
        inner: Mapping[Contact, FloatArray],
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

    def reach(self, lead: int, move: FloatArray, turn: FloatArray) -> tuple[Motion, float]:
        """Move the joint ``lead`` by a displacement, the end turned about it by ``turn``.

        Returns the motion, and by how many metres the worst frame was missed.
        """
        busy = np.any(move != 0, axis=1) | (turn[:, 0] < 1)
        if not busy.any():
            return self.motion, 0.0
        found, missed = self._in(busy)._reached(lead, move[busy], turn[busy])
        return self._turned(busy, found), missed

    def _in(self, busy: npt.NDArray[np.bool_]) -> LimbSolver:
        """Return the limb in some frames; the motion stays whole."""
        if busy.all():
            return self
        return replace(
            self,
            points=self.points[busy],
            rotations=self.rotations[busy],
            usual_pole=self.usual_pole[busy],
            hinge=None if self.hinge is None else self.hinge[busy],
        )

    def _reached(self, lead: int, move: FloatArray, turn: FloatArray) -> tuple[_Turns, float]:
        """Solve for the turns of the limb's joints; see :meth:`reach`."""
        limb, points = self.limb, self.points
        hip, knee, end, contact = (points[:, j] for j in (limb.upper, limb.lower, limb.end, lead))
        thigh = np.linalg.norm(knee - hip, axis=1)
        shin = np.linalg.norm(end - knee, axis=1)
        goal = contact + move
        arm = quat.rotate(turn, end - contact)
        turn = quat.multiply(self._foot_turn(arm, goal, thigh, shin), turn)
        target = goal + quat.rotate(turn, end - contact)
        if lead == limb.end:
            target = self._kept_from_snapping(target, thigh + shin)

        line, new_line = _unit(end - hip), _unit(target - hip)
        length = (thigh + shin)[:, None]
        swing = quat.between(line, new_line)
        if self.hinge is None:
            pole = _perpendicular(knee - hip, line) + _CLEAR_BEND * length * self.usual_pole
            new_pole = quat.rotate(swing, pole)
            normal, new_normal = np.cross(line, pole), np.cross(new_line, new_pole)
        else:
            off = off_line(np.linalg.norm(target - hip, axis=1), thigh, shin)
            pole = bent_about(_perpendicular(knee - hip, line), line, self.hinge, off)
            new_pole = quat.rotate(swing, pole)
            normal, new_normal = self.hinge, quat.rotate(swing, self.hinge)
        # A hinge determines the plane of a straight limb.
        most = _STRAIGHTEST if self.hinge is None else 1.0
        new_knee, new_end = two_bone(hip, target, thigh, shin, new_pole, straightest=most)
        upper_turn = quat.multiply(
            _frame(new_knee - hip, new_normal), quat.conjugate(_frame(knee - hip, normal))
        )
        lower_turn = quat.multiply(
            _frame(new_end - new_knee, new_normal), quat.conjugate(_frame(end - knee, normal))
        )
        short = np.abs(np.linalg.norm(new_end - new_knee, axis=1) - shin)
        missed = float((np.linalg.norm(new_end - target, axis=1) + short).max())
        return _Turns(upper_turn, lower_turn, turn, new_end), missed

    def _kept_from_snapping(self, target: FloatArray, full: FloatArray) -> FloatArray:
        """Bring targets nearer that would pull a limb straight: its middle joint would snap."""
        hip, end = self.points[:, self.limb.upper], self.points[:, self.limb.end]
        before, away = np.linalg.norm(end - hip, axis=1), target - hip
        wanted = np.linalg.norm(away, axis=1)
        slowed = _kept_bent(wanted, before, full)
        if self.hinge is not None:  # a limb that was straight may stay so
            slowed = np.maximum(slowed, np.minimum(before, full))
        short = np.where(wanted > before, slowed / np.maximum(wanted, 1e-9), 1.0)
        return np.asarray(hip + np.minimum(short, 1.0)[:, None] * away)

    def _foot_turn(
        self, arm: FloatArray, goal: FloatArray, thigh: FloatArray, shin: FloatArray
    ) -> FloatArray:
        """Turn the foot about its contact, as far as the knee would otherwise bend too much.

        Near full stretch a knee turns by degrees per millimetre. There the foot turns instead, and
        completely so if the leg is too short.
        """
        hip, end = self.points[:, self.limb.upper], self.points[:, self.limb.end]
        turn = quat.identity(len(hip))
        foot = np.linalg.norm(arm, axis=1)
        distance = np.linalg.norm(hip - goal, axis=1)
        if not (foot > 1e-9).any():
            return turn
        before = np.linalg.norm(end - hip, axis=1)
        after = np.linalg.norm(goal + arm - hip, axis=1)
        toward, to_hip = _unit(arm), _unit(hip - goal)
        now = np.arccos(np.clip((toward * to_hip).sum(-1), -1, 1))
        # How the leg's length changes with the knee's and with the foot's angle.
        bent = np.clip((thigh**2 + shin**2 - before**2) / (2 * thigh * shin), -1, 1)
        by_knee = _FOOT_STIFFNESS * thigh * shin * np.sqrt(1 - bent**2)
        by_foot = foot * distance * np.sin(now)
        share = by_foot**2 / np.maximum(by_foot**2 + by_knee**2, 1e-12)
        wanted = _kept_bent(after + share * (before - after), before, thigh + shin)
        span = np.maximum(2 * foot * distance, 1e-12)
        angle = np.arccos(np.clip((foot**2 + distance**2 - wanted**2) / span, -1, 1))
        return quat.from_axis_angle(_unit(np.cross(toward, to_hip)), now - angle)

    def _turned(self, busy: npt.NDArray[np.bool_], found: _Turns) -> Motion:
        """Write global turns of the limb's joints in some frames back as local rotations."""
        motion, limb = self.motion, self.limb
        parents = motion.skeleton.parents
        local = motion.rotations.copy()

        def put(joint: int, own: FloatArray, above: FloatArray | None) -> None:
            base = self._base(int(parents[joint]))[busy]
            if above is not None:
                base = quat.multiply(above, base)
            turned = quat.multiply(own, self.rotations[busy, joint])
            local[busy, joint] = quat.multiply(quat.conjugate(base), turned)

        put(limb.upper, found.upper, None)
        put(limb.lower, found.lower, found.upper)
        translations = dict(motion.translations)
        if limb.linked:
            put(limb.end, found.end, None)
            name = motion.skeleton.names[limb.end]
            translations[name] = self._linked_track(busy, found.new_end)
        else:
            put(limb.end, found.end, found.lower)
        return replace(motion, rotations=_trusted(local, limb, busy), translations=translations)

    def _base(self, parent: int) -> FloatArray:
        if parent >= 0:
            return self.rotations[:, parent]
        turn = quat.identity(1)[0]
        if self.motion.units.up == "Z":
            turn = quat.from_axis_angle([1, 0, 0], -np.pi / 2)
        return np.broadcast_to(turn, (len(self.motion), 4))

    def _linked_track(self, busy: npt.NDArray[np.bool_], new_end: FloatArray) -> FloatArray:
        """Move a foot that is below another joint by its own translation."""
        end = self.limb.end
        parent = int(self.motion.skeleton.parents[end])
        track = local_translations(self.motion)[:, end].copy()
        moved = new_end - self.points[busy, end]
        base = self._base(parent)[busy]
        track[busy] += quat.rotate(quat.conjugate(base), moved) / self.motion.units.metres
        return track
