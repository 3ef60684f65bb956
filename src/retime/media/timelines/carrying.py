"""Map events of the source to the result, by the inverse of a warp."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from retime.timing import TimeWarp
from retime.timing.graph import Graph

Outside = Literal["drop", "clamp"]
# Times in files have milliseconds at best.
_SAME_TIME = 1e-7


@dataclass
class Carrier:
    """Map times and spans of an event list from source time to output time."""

    curve: Graph
    """Output time to source time."""
    offset: float = 0.0
    """Time of the list at the motion's time 0, in seconds."""
    outside: Outside = "drop"
    """What becomes of events that the result does not show: gone, or at the nearest moment shown.
    """
    fps: float | None = None
    """Frame rate of lists that count frames."""
    kept: int = field(default=0, init=False)
    dropped: int = field(default=0, init=False)
    clamped: int = field(default=0, init=False)

    @property
    def backwards(self) -> bool:
        """Whether the order of events is reversed."""
        return self.curve.direction < 0

    def moment(self, time: float) -> float | None:
        """Map a time; a held one to the start of the hold. ``None`` if it is dropped."""
        output, shown = self._at(time)
        return self._counted(output, shown)

    def span(self, start: float, end: float) -> tuple[float, float] | None:
        """Retime a span, cut to its visible part; ``None`` if no part is visible."""
        if end <= start:
            at = self.moment(start)
            return None if at is None else (at, at)
        warp = TimeWarp(self.curve.x, self.curve.y)
        found = warp.preimage(start - self.offset, end - self.offset)
        if found is not None:
            self.kept += 1
            return found
        output, _ = self._at((start + end) / 2)
        at = self._counted(output, shown=False)
        return None if at is None else (at, at)

    def within(self, time: float, start: float, end: float) -> float:
        """Map a time inside a span, and keep it inside; it is not counted."""
        return min(max(self._at(time)[0], start), end)

    def _at(self, time: float) -> tuple[float, bool]:
        source = time - self.offset
        curve = self.curve
        side: Literal["left", "right"] = "right" if self.backwards else "left"
        output = float(curve.swap().at(source, side))
        shown = [float(curve.at(output)), float(curve.at(output, "right"))]
        return output, any(abs(s - source) <= _SAME_TIME for s in shown)

    def _counted(self, output: float, shown: bool) -> float | None:
        if shown:
            self.kept += 1
        elif self.outside == "clamp":
            self.clamped += 1
        else:
            self.dropped += 1
            return None
        return output
