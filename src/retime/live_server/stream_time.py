"""The time of a stream whose sender may restart or be replaced."""

from __future__ import annotations

# Clocks of a sender and of this machine that differ by more between two frames, seconds, are not
# of one run.
_ASTRAY = 0.5


class StreamTime:
    """Uses the clock of the sender while it agrees with ours, otherwise our clock.

    It counts from ``start``. Default: from the sender's first stamp.
    """

    def __init__(self, start: float | None = None) -> None:
        self._time = start
        self._last: tuple[float, float] | None = None
        self._owed = 0.0

    def at(self, stamp: float, moment: float) -> float:
        """Return the time of a frame from the stamp of its sender and our clock."""
        if self._time is None:
            self._time = stamp
        if self._last is not None:
            step, took = stamp - self._last[0], max(moment - self._last[1], 0.0)
            self._time += self._passed(step, took)
        self._last = stamp, moment
        return self._time

    def _passed(self, step: float, took: float) -> float:
        """Return the seconds between two frames, by the sender's clock and by ours."""
        if step <= 0 or step >= took + _ASTRAY:
            self._owed = 0.0
            return took
        if step <= took - _ASTRAY:
            # Held up on the way, or the sender's clock stood: the next frame tells which.
            self._owed = took - step
            return step
        owed, self._owed = self._owed, 0.0
        if step > 2 * took:  # frames that were held up come at once
            self._owed = max(owed - (step - took), 0.0)
            owed = 0.0
        return step + owed
