"""The warp curve of on-line predictive warping: Bezier pieces that are joined as they grow."""

from __future__ import annotations

from bisect import bisect_right


class GrowingCurve:
    """A piecewise cubic Bezier from live to recorded time, whose last key moves (Table 1).

    Handles reach a third of the way to the next key, so that live time is linear along each piece
    and the curve is a function of it; neighbouring pieces share the slope of the chord between the
    keys around them, so that they join with G1 continuity (figure 2). The ends take the slope of
    their own piece.

    The first key is at ``live`` and ``source``; ``end`` is the recording's last moment, reached at
    its own speed until keys say otherwise.
    """

    def __init__(self, live: float, source: float, end: float) -> None:
        self.keys = [(live, source), (live + end - source, end)]

    def _slope(self, k: int) -> float:
        (x0, y0), (x1, y1) = self.keys[max(k - 1, 0)], self.keys[min(k + 1, len(self.keys) - 1)]
        return max(0.0, (y1 - y0) / max(x1 - x0, 1e-9))

    def __call__(self, live: float) -> float:
        """Return the recorded time at a live time, held beyond the ends (3)."""
        k = bisect_right(self.keys, live, key=lambda key: key[0]) - 1
        if k < 0:
            return self.keys[0][1]
        if k >= len(self.keys) - 1:
            return self.keys[-1][1]
        (x0, y0), (x1, y1) = self.keys[k], self.keys[k + 1]
        width = x1 - x0
        u = (live - x0) / width
        v = 1 - u
        c0, c1 = y0 + self._slope(k) * width / 3, y1 - self._slope(k + 1) * width / 3
        return v**3 * y0 + 3 * u * v * v * c0 + 3 * u * u * v * c1 + u**3 * y1

    @property
    def end(self) -> float:
        """Predicted live time at which the recording ends."""
        return self.keys[-1][0]

    def bend(self, live: float, end: float) -> None:
        """Fix the curve up to a live time by a key, and set the predicted end of the recording."""
        if live <= self.keys[-2][0]:
            return
        self.keys.insert(-1, (live, self(live)))
        self.keys[-1] = (end, self.keys[-1][1])

    def keep_last(self, count: int) -> None:
        """Drop all but the last keys; earlier ones are no longer needed."""
        del self.keys[:-count]
