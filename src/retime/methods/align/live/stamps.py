"""Time stamps of a stream, which may be irregular, lost, doubled, unordered or restarted."""

from __future__ import annotations

import math

from retime.errors import InputError

# A stamp that lies farther back than this is no late packet: the sender's clock has started anew.
_RESTART = 1.0
# The first step of a new clock is taken to be this long, in seconds.
_USUAL_STEP = 1 / 30


class Clock:
    """Converts the stamps of a stream to one increasing time."""

    def __init__(self) -> None:
        self.now = math.nan
        self._stamp = math.nan
        self._shift = 0.0

    def advance(self, stamp: float) -> float | None:
        """Return the seconds since the last stamp; ``None`` if this one is old or doubled."""
        try:
            stamp = float(stamp)
        except (TypeError, ValueError):
            raise InputError(f"the time of a pose is {stamp!r}; it must be seconds") from None
        if not math.isfinite(stamp):
            raise InputError(
                f"the time of a pose is {stamp}; it must be a finite number of seconds"
            )
        if math.isnan(self.now):
            self.now = self._stamp = stamp
            return 0.0
        if stamp <= self._stamp:
            if self._stamp - stamp < _RESTART:
                return None
            self._shift = self.now + _USUAL_STEP - stamp
        self._stamp = stamp
        before, self.now = self.now, stamp + self._shift
        if not self.now > before:  # at the end of a float's digits
            self.now = before
            return None
        return self.now - before
