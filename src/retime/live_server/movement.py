"""Detect whether a performer moves or stands."""

from __future__ import annotations

from collections import deque

import numpy as np

from retime.arrays import FloatArray

# A performer moves if a joint goes farther than the second value, in metres, within the first, in
# seconds.
_WITHIN, _FAR = 0.25, 0.05


class Movement:
    """Detect from poses whether a performer moves, starting from a stand."""

    def __init__(self) -> None:
        self.moving = False
        self._past: deque[tuple[float, FloatArray]] = deque()

    def hear(self, pose: FloatArray, time: float) -> bool:
        """Add a pose (J, 3) at a time in seconds; return whether movement begins with it."""
        past = self._past
        past.append((time, pose))
        while len(past) > 2 and past[1][0] <= time - _WITHIN:
            past.popleft()
        way = np.linalg.norm(pose - past[0][1], axis=1)
        known = way[np.isfinite(way)]
        before, self.moving = self.moving, bool(known.size and known.max() > _FAR)
        return self.moving and not before
