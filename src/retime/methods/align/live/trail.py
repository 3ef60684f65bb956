"""The warp of a performance so far, in bounded memory."""

from __future__ import annotations

from retime.timing import TimeWarp

# The trail is kept within this many seconds, and within this many knots; the second wins.
_TOLERANCE = 0.0005
_MOST = 4096


class Trail:
    """Emitted live and recorded times, without redundant knots.

    A knot is dropped as long as one line through the last kept passes all that were dropped since,
    within the tolerance. Where too many are left, the tolerance is doubled and the older thinned.
    """

    def __init__(self) -> None:
        self.tolerance = _TOLERANCE
        self._kept: list[tuple[float, float]] = []
        self._last: tuple[float, float] | None = None
        self._least, self._most = -float("inf"), float("inf")

    @property
    def empty(self) -> bool:
        """Whether nothing was added yet."""
        return not self._kept

    def add(self, live: float, source: float) -> None:
        """Add the recorded time at a live time, which must be later than all before."""
        if not self._kept:
            self._kept.append((live, source))
            return
        x, y = self._kept[-1]
        slope = (source - y) / (live - x)
        if self._last is not None and not self._least <= slope <= self._most:
            self._kept.append(self._last)
            self._least, self._most = -float("inf"), float("inf")
            x, y = self._last
            if len(self._kept) > _MOST:
                self._thin()
        self._last = (live, source)
        self._least = max(self._least, (source - self.tolerance - y) / (live - x))
        self._most = min(self._most, (source + self.tolerance - y) / (live - x))

    def _thin(self) -> None:
        kept, self._kept, self._last = self._kept, [], None
        self.tolerance *= 2
        for live, source in kept:
            self.add(live, source)
        self._kept.append(kept[-1])
        self._last = None
        self._least, self._most = -float("inf"), float("inf")

    def warp(self) -> TimeWarp:
        """Return the warp from live to recorded time."""
        knots = [*self._kept, *([self._last] if self._last is not None else [])]
        return TimeWarp([k[0] for k in knots], [k[1] for k in knots])
