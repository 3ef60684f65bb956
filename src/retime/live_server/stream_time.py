"""The time of a stream whose sender may begin again, or yield to another."""

from __future__ import annotations

# Clocks of a sender and of this machine that differ by more between two frames, seconds, are not
# of one run.
_ASTRAY = 0.5


class StreamTime:
    """Counts on by the sender's clock, as long as that goes as ours does, otherwise by ours.

    It counts from ``start``. Default: from the sender's first stamp.
    """

    def __init__(self, start: float | None = None) -> None:
        self._time = start
        self._last: tuple[float, float] | None = None

    def at(self, stamp: float, moment: float) -> float:
        """Return the time of a frame, stamped by its sender, at a moment of our clock."""
        if self._time is None:
            self._time = stamp
        if self._last is not None:
            step, took = stamp - self._last[0], moment - self._last[1]
            self._time += step if step > 0 and abs(step - took) < _ASTRAY else max(took, 0.0)
        self._last = stamp, moment
        return self._time
