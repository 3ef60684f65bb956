"""History of the timing of performances, in bounded memory, for a report."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from retime.live import Recording, TimingScore, score_times
from retime.live_server.stream_time import StreamTime

# A performance of more moments than this is kept at every second one, then at every fourth.
_MOST_MOMENTS = 36_000
# Number of performances that are kept.
_MOST_PERFORMANCES = 20
# Minimum confidence of a moment that is scored.
_SURE = 0.5


@dataclass
class _Performance:
    """The moments of one performance."""

    name: str
    recording: Recording
    rows: list[tuple[float, float, float]] = field(default_factory=list)
    every: int = 1
    count: int = 0
    first: tuple[float, float] | None = None

    def add(self, time: float, source: float, confidence: float) -> None:
        if self.count % self.every == 0:
            self.rows.append((time, source, confidence))
            if len(self.rows) > _MOST_MOMENTS:
                del self.rows[1::2]
                self.every *= 2
        self.count += 1


class History:
    """Keeps the last performances, to score them at the end.

    Times are those of the stream's first sender, who may begin again, or yield to another.
    """

    def __init__(self) -> None:
        self._time = StreamTime()
        self._performances: deque[_Performance] = deque(maxlen=_MOST_PERFORMANCES)
        self.late: float | None = None

    def begin(self, name: str, recording: Recording) -> None:
        """Begin another performance."""
        self._time = StreamTime()
        self._performances.append(_Performance(name, recording))
        self.late = None

    def add(self, time: float, moment: float, source: float, confidence: float) -> None:
        """Store the result for a pose, with the time stamp of its sender and our time."""
        time = self._time.at(time, moment)
        now = self._performances[-1]
        if now.rows and time <= now.rows[-1][0]:
            return
        now.add(time, source, confidence)
        if confidence >= _SURE:
            now.first = now.first or (time, source)
            self.late = (time - now.first[0]) - (source - now.first[1])

    def scores(self) -> list[tuple[str, TimingScore]]:
        """Score every performance that is long enough."""
        out = []
        for p in self._performances:
            if len(p.rows) >= 2:
                times, source, confidence = np.array(p.rows).T
                out.append((p.name, score_times(p.recording, times, source, confidence)))
        return out

    def to_json(self) -> list[Mapping[str, Any]]:
        """Return all scores as plain values."""
        return [{"reference": name, **found.to_json()} for name, found in self.scores()]
