"""Limit staggering, so that no joint rotates much faster than its maximum in the source.

Parts that arrive at other times than their neighbours may have to move fast. Knots of one channel
are kept apart, so that its time never runs too fast. Where joints of a chain compensate each other
and separate in time, their staggering is reduced at the nearby poses; other joints and other poses
keep theirs. The poses keep the requested values; bounds apply when the warp is made, so that undo
is exact.

The necessary reduction can change abruptly with the amount of an edit. It is therefore computed for
fixed amounts of the edit and interpolated between them, so that a slider has a continuous effect.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from retime.methods.staggered.reducing import Reduction, factors
from retime.methods.staggered.remeasuring import Remeasured
from retime.methods.staggered.rushing import causes_of_turns, turn_ratios
from retime.methods.staggered.timing import Timing
from retime.motion import Motion
from retime.motion.contact import Contact
from retime.motion.memory import last

__all__ = ["bounded"]

# Rounds without contacts, then with contacts held. From the last of these on, all joints are eased
# and not only those that a turn depends on.
_FREE, _HELD, _LOCAL = range(12), range(20), 12
# Rounds end when turns are this fraction below the bound; each round aims slightly lower.
_CLOSE, _AIM = 0.01, 0.02
# Growth of the exponent of the easing with every round.
_FIRMER = 0.25
# Knots are fully moved apart where a turn exceeds the bound by this fraction of it.
_SPACED_AT = 0.1
# Amounts of an edit for which the reduction is computed: the smallest in seconds, and their ratio.
_LEAST, _RATIO = 1e-3, 1.25
# Fixed amounts are numbered from the smallest; below this number nothing is reduced.
_FIRST = -8
# Steps to try between two fixed amounts if the bound is exceeded between them.
_STEPS = 8


def bounded(
    timing: Timing, source: Motion, most: float, contacts: tuple[Contact, ...] | None = None
) -> tuple[Timing, float]:
    """Return a timing within the bound, and the fraction of the requested staggering that is kept.

    The bound applies to the delivered motion: joints in space, with contacts held.

    Parameters
    ----------
    timing : Timing
        The requested timing.
    source : Motion
        The motion.
    most : float
        Maximum rotation speed of a joint, relative to the source.
    contacts : tuple of Contact, optional
        The contacts to hold. Default: those found.
    """
    if not timing.is_edited or len(source) < 3 or not np.isfinite(most):
        return timing, 1.0
    bound = _Bound(source, most, contacts)
    if bound.holds(timing):
        return timing, 1.0
    if timing.amount > 0 and np.array_equal(timing.times, timing.known_times):
        found = _along(timing, bound).found(timing)
    else:  # poses were moved, so the edit has no single amount
        found = bound.reduced(timing, Reduction.none(timing)).applied(timing, source, most)
    return found, _kept(timing, found)


@dataclass(frozen=True, eq=False)
class _Bound:
    """Limits of the rotation speeds of a motion."""

    source: Motion
    most: float
    contacts: tuple[Contact, ...] | None

    def holds(self, timing: Timing, *, likely: bool = False) -> bool:
        """Return whether a timing is within the bound, with contacts held and without.

        The check with contacts held covers both, but takes five times as long. If the timing is
        probably within the bound, only this check runs.
        """
        return all(
            turn_ratios(timing, self.source, self.most, self.contacts, held=held)[1].max(initial=0)
            <= self.most
            for held in ((True,) if likely else (False, True))
        )

    def reduced(self, timing: Timing, found: Reduction) -> Reduction:
        """Reduce staggering further until it is within the bound."""
        for held in (False, True):
            found = self._stage(timing, found, held=held)
        return found

    def _stage(self, timing: Timing, found: Reduction, *, held: bool) -> Reduction:
        """Reduce it without contacts, or with contacts held."""
        source, most = self.source, self.most
        enough, aim = (max((1 - near) * most, 1 + near) for near in (_CLOSE, _AIM))
        causes = causes_of_turns(source, held=held)
        measured = Remeasured(source, most, self.contacts, held)
        for tried in _HELD if held else _FREE:
            now = found.applied(timing, source, most)
            moments, ratio = measured.of(now)
            worst = float(ratio.max(initial=0.0))
            if worst <= enough:
                break
            if not held and not tried:  # moving knots apart may be enough
                found = found.spaced(max(found.apart, min((worst / aim - 1) / _SPACED_AT, 1.0)))
                continue
            # A relative turn is about 1 without staggering, and grows with it.
            over = np.maximum((ratio - 1) / (aim - 1), 1.0) ** (1 + _FIRMER * tried)
            found = found.eased(factors(now, moments, over, causes if tried < _LOCAL else None))
        return found


def _along(timing: Timing, bound: _Bound) -> _Amounts:
    """Return the cached reductions of a timing's edit, for any amount of it."""
    way = np.round(timing.way, 9)  # the same for all amounts, whichever comes first
    key = (way.tobytes(), timing.times.tobytes(), timing.included.tobytes(), bound.most)
    return last(
        bound.source,
        "reductions",
        (*key, bound.contacts, timing.known_refinements.tobytes()),
        lambda: _Amounts(timing.along(way), bound),
    )


@dataclass(frozen=True, eq=False)
class _Amounts:
    """Reductions of one edit, by its amount."""

    timing: Timing
    bound: _Bound
    _known: dict[int, Reduction] = field(default_factory=dict)
    _free: dict[int, bool] = field(default_factory=dict)
    _starts: dict[int, float] = field(default_factory=dict)
    _steps: dict[int, bool] = field(default_factory=dict)

    def found(self, timing: Timing) -> Timing:
        """Return a timing of this edit within the bound.

        Between two fixed amounts the bound may be exceeded even if both are within it. Then the
        reduced knots stay as at the nearest amount that is within the bound, or all knots as at the
        nearest smaller one.
        """
        amount = timing.amount
        found = self._applied(self._reduction(amount), timing)
        if self.bound.holds(found, likely=True):
            return found
        there = _step_amount(self._nearest_inside(amount))
        found = self._applied(self._reduction(there).kept_at(there / amount), timing)
        if self.bound.holds(found):
            return found
        there = _step_amount(self._nearest_inside(amount, smaller=True))
        return self._applied(self._reduction(there), self.timing.by_amount(there))

    def _applied(self, reduction: Reduction, timing: Timing) -> Timing:
        return reduction.applied(timing, self.bound.source, self.bound.most)

    def _nearest_inside(self, amount: float, *, smaller: bool = False) -> int:
        """Return the nearest step at which the reduced edit is within the bound.

        Larger amounts are tried up to the next fixed one, or not at all if it must be ``smaller``.
        """
        below = _number(amount)
        part = (amount - _amount(below)) / (_amount(below + 1) - _amount(below))
        at = _STEPS * (below + part)
        low, high, top = int(np.floor(at)), int(np.floor(at)) + 1, _STEPS * (below + 1)
        while True:
            down = smaller or high > top or at - low <= high - at
            near = low if down else high
            if low <= _STEPS * _FIRST or self._inside(near):
                return near
            low, high = (low - 1, high) if down else (low, high + 1)

    def _inside(self, step: int) -> bool:
        """Return whether the reduced edit is within the bound at a step."""
        if step not in self._steps:
            amount = _step_amount(step)
            found = self._applied(self._reduction(amount), self.timing.by_amount(amount))
            self._steps[step] = self.bound.holds(found)
        return self._steps[step]

    def _reduction(self, amount: float) -> Reduction:
        """Interpolate the reduction for an amount of the edit, seconds."""
        below = _number(amount)
        low, first, above = _amount(below), self[below], below + 1
        if self._unreduced(below):
            if self._unreduced(above):
                return first
            low = self._start(below)
            if _near(low, _amount(above)):
                above += 1
        elif self._unreduced(below - 1) and _near(self._start(below - 1), low):
            low, first = self._start(below - 1), self[below - 1]
        part = (amount - low) / (_amount(above) - low)
        return first if part <= 0 else first.toward(self[above], min(part, 1.0))

    def _unreduced(self, number: int) -> bool:
        """Return whether one of the fixed amounts is within the bound as it is."""
        if number not in self._free:
            timing = self.timing.by_amount(_amount(number))
            self._free[number] = number < _FIRST or self.bound.holds(timing)
        return self._free[number]

    def __getitem__(self, number: int) -> Reduction:
        """Return the reduction for one of the fixed amounts."""
        if number not in self._known:
            timing = self.timing.by_amount(_amount(number))
            found = Reduction.none(timing)
            if not self._unreduced(number):
                found = self.bound.reduced(timing, found)
            self._known[number] = found
        return self._known[number]

    def _start(self, number: int) -> float:
        """Return the last step above a fixed amount at which the edit need not be reduced."""
        if number not in self._starts:
            steps = (_step_amount(_STEPS * number + k) for k in range(_STEPS - 1, 0, -1))
            inside = (a for a in steps if self.bound.holds(self.timing.by_amount(a)))
            self._starts[number] = next(inside, _amount(number))
        return self._starts[number]


def _number(amount: float) -> int:
    """Return the number of the largest fixed amount up to one."""
    return int(np.floor(np.log(amount / _LEAST) / np.log(_RATIO) + 1e-9))


def _amount(number: int) -> float:
    return float(_LEAST * _RATIO**number)


def _step_amount(number: int) -> float:
    """Return the amount of one of the steps between fixed amounts."""
    below, part = divmod(number, _STEPS)
    low, high = _amount(below), _amount(below + 1)
    return low + part / _STEPS * (high - low)


def _near(low: float, high: float) -> bool:
    """Return whether two amounts are so near that reductions between them would be steep."""
    return high - low < (_RATIO - 1) / 2 * low


def _kept(asked: Timing, found: Timing) -> float:
    """Return the fraction of the requested changes of refinements that is left."""
    wanted = asked.refinements - asked.known_refinements
    total = np.abs(wanted).sum()
    if total == 0:
        return 1.0
    # Knots that are moved apart may move farther than requested, or the other way.
    got = (found.refinements - asked.known_refinements) * np.sign(wanted)
    return float(np.clip(got, 0.0, np.abs(wanted)).sum() / total)
