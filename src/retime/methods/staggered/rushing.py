"""Measure how fast exaggerated joints rotate relative to the source."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from retime import _native
from retime.arrays import FloatArray
from retime.body.solve.holding import as_delivered
from retime.motion import Motion
from retime.motion.contact import Contact
from retime.motion.memory import last
from retime.timing import TimeWarp

__all__ = ["delivered_ratios"]

Mask = npt.NDArray[np.bool_]

# Turns slower than this, in radians a second, are never too fast.
_SLOW = np.radians(120)
# A turn in one frame that is this many times as fast as those beside it is a jump, and ignored.
_JUMP = 3.0
# Without staggering, noise of the source is within the bound by this factor.
_SURE = 1.05
# All frames of a motion.
_ALL = slice(None)


def _turns(own: FloatArray, source: Motion) -> FloatArray:
    """Return rotation speeds in space, then relative to parents, (F - 1, 2 J) radians/s.

    ``own`` are local rotations (F, J, 4) at the frame rate of the source.
    """
    turns = _native.splines.turned_by(source.skeleton.parents, own)
    turns *= source.rate
    return turns


def _jumps(turns: FloatArray) -> Mask:
    """Mark turns (F - 1, N) of a single frame: these are jumps, not movement."""
    beside = np.pad(turns, ((1, 1), (0, 0)))
    steady = np.median([beside[:-2], beside[1:-1], beside[2:]], axis=0).max(axis=0)
    return np.asarray(turns > _JUMP * np.maximum(steady, _SLOW))


@dataclass(frozen=True, eq=False)
class _Jump:
    """A jump of a joint relative to its parent, and the joints (J,) in which it is visible."""

    joint: int
    start: float
    end: float
    shown: Mask


@dataclass(frozen=True, eq=False)
class _Known:
    """Rotation speeds of a motion, and its jumps: flips, or a rest pose at the start."""

    fastest: FloatArray
    """Maximum speeds without jumps, (2 J,)."""
    noisiest: FloatArray
    """Maximum speeds where no jump is visible, (2 J,)."""
    jumps: tuple[_Jump, ...]

    @classmethod
    def of(cls, motion: Motion, jumps: tuple[_Jump, ...] | None = None) -> _Known:
        """Measure a motion; ``jumps`` are those of its source, if there is one."""
        turns, times, skeleton = _turns(motion.rotations, motion), motion.times, motion.skeleton
        alone, count = _jumps(turns), len(skeleton)
        if jumps is None:
            # Jumps of a chain that cancel each other are invisible, as long as they stay together.
            hang = np.array([[i in skeleton.chain(j) for j in range(count)] for i in range(count)])
            jumps = tuple(
                _Jump(int(j), float(times[f]), float(times[f + 1]), alone[f, :count] & hang[j])
                for f, j in np.argwhere(alone[:, count:])
            )
        known = cls(np.where(alone, 0.0, turns).max(axis=0, initial=0.0), turns, jumps)
        jumped = known.jumped(TimeWarp.identity(*motion.domain), motion, times)
        return replace(known, noisiest=np.where(jumped, 0.0, turns).max(axis=0, initial=0.0))

    def usual(self, most: float) -> FloatArray:
        """Return reference speeds, (2 J,); without staggering all joints are within the bound."""
        return np.maximum(self.fastest, _SURE * self.noisiest / most)

    def without_jumps(
        self, ratio: FloatArray, warp: TimeWarp, source: Motion, times: FloatArray
    ) -> FloatArray:
        """Return ratios of turns (F - 1, 2 J), none where joints pass a jump of the source."""
        if self.jumps:
            ratio[self.jumped(warp, source, times)] = 0.0
        return ratio

    def jumped(self, warp: TimeWarp, source: Motion, times: FloatArray) -> Mask:
        """Mark turns (F - 1, 2 J) of joints that jump in the source, or that show a jump."""
        names = source.skeleton.names
        out = np.zeros((len(times) - 1, 2 * len(names)), dtype=bool)
        for jump in self.jumps:
            then = warp(times, names[jump.joint])
            frames = (then[:-1] < jump.end + 1e-9) & (then[1:] > jump.start - 1e-9)
            own = np.arange(len(names)) == jump.joint
            out[frames] |= np.r_[jump.shown, own]
        return out


def delivered_ratios(
    source: Motion,
    plain: Motion,
    warp: TimeWarp,
    most: float,
    contacts: tuple[Contact, ...] | None,
) -> FloatArray:
    """Return each joint's speed relative to its maximum, contacts held or not, (F - 1, 2 J).

    ``plain`` is what was made of the source, at its rate, before contacts are held.
    """
    known = _known(source)
    usual = np.maximum(known.usual(most), _SLOW)
    ratio = _turns(plain.rotations, source)  # for those who do not have contacts held
    ratio /= usual
    made = as_delivered(source, plain, warp, contacts)
    # Changes by holding contacts alone do not count as the edit's.
    alone = last(source, "held turns", contacts, lambda: _held(source, known, contacts))
    usual = np.maximum(usual, alone.usual(most))
    held = _turns(made.rotations, source)
    held /= usual
    np.maximum(ratio, held, out=ratio)
    return known.without_jumps(ratio, warp, source, plain.times)


def _known(source: Motion) -> _Known:
    return last(source, "known turns", (), lambda: _Known.of(source))


def _held(source: Motion, known: _Known, contacts: tuple[Contact, ...] | None) -> _Known:
    """Measure the motion with its contacts held, without other changes."""
    warp = TimeWarp.identity(*source.domain)
    return _Known.of(as_delivered(source, source, warp, contacts), known.jumps)
