"""The output time: steady and smooth, even if the input is not."""

from __future__ import annotations

from typing import Protocol

# Seconds in which the playhead closes a gap to where it should be: short enough to be in step,
# long enough that corrections are not seen as jerks.
_CLOSES = 0.1
# Without data for this long (s), the playhead slows down, because the performer may have stopped.
_COASTS = 0.25
# Larger gaps (s) are jumped, forwards and backwards; smaller ones are caught up with or waited for.
# Duration of the cross-fade of a jump (s).
_JUMPS, _JUMPS_BACK, _FADES = 0.75, 0.3, 0.3
# Maximum playback speed; that of the way back after a stop, when the time shown is too far on.
_FASTEST, _BACK = 8.0, 0.4
# Rate below which a performer may have stopped.
_SLOW = 0.5


class Limits(Protocol):
    """Limits of the playback speed of a motion."""

    def limited(self, source: float, rate: float, wanted: float, seconds: float) -> float:
        """Return the nearest rate to a requested one that can be reached from the current rate."""
        ...


class Playhead:
    """Plays a recording in sync with the times of an aligner.

    ``start`` and ``end`` are the recording's first and last time. The output is ``ahead`` seconds
    early, to compensate for display latency. ``limits`` bound the playback speed.
    """

    def __init__(
        self, start: float, end: float, *, ahead: float = 0.0, limits: Limits | None = None
    ) -> None:
        self.start, self.end, self.ahead, self.limits = start, end, ahead, limits
        self.seek(start)

    def seek(self, time: float) -> None:
        """Continue from another time at once."""
        self.time, self.rate = time, 0.0
        self._heard, self._pace, self._moment = time, 0.0, 0.0
        self._now: float | None = None
        self._jumped: float | None = None

    @property
    def fade(self) -> float:
        """After a jump, the weight of the earlier pose in the cross-fade."""
        if self._jumped is None or self._now is None:
            return 0.0
        u = min((self._now - self._jumped) / _FADES, 1.0)
        return 1 - u * u * (3 - 2 * u)

    def hear(self, time: float, rate: float, moment: float) -> None:
        """Set the recording's time and rate at a time of this machine's clock."""
        self._heard, self._pace, self._moment = time, max(rate, 0.0), moment

    def at(self, now: float) -> float:
        """Return the recording's time to show now; times of calls must increase."""
        if self._now is None:
            self._now = now
            self.time = max(self.time, min(self._heard, self.end))
            return self.time
        seconds, self._now = max(now - self._now, 0.0), max(now, self._now)
        if seconds == 0.0:
            return self.time
        age = max(now - self._moment, 0.0)
        pace = self._pace if age < _COASTS else 0.0
        wanted = self._heard + self._pace * (min(age, _COASTS) + self.ahead)
        gap = min(wanted, self.end) - (self.time + pace * seconds)
        if (gap > _JUMPS or gap < -_JUMPS_BACK) and self.limits is None:
            self._jumped = now
            self.time, self.rate = min(wanted, self.end), pace
            return self.time
        least = -_BACK if self._pace < _SLOW else 0.0
        rate = min(max(pace + gap / max(_CLOSES, seconds), least), _FASTEST)
        if self.limits is not None:
            rate = max(self.limits.limited(self.time, self.rate, rate, seconds), 0.0)
        self.rate = rate
        self.time = min(self.time + rate * seconds, self.end)
        return self.time
