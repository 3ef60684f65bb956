"""An event list as blocks of text with times, which can be sorted again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from retime.media.timelines.carrying import Carrier


@dataclass(frozen=True)
class Block:
    """One event: the text before it, its times in seconds, and how to write it.

    ``write(number, start, end, carrier)`` returns its text; ``end`` is ``None`` for a moment.
    """

    before: str
    start: float
    end: float | None
    after: str
    write: Callable[[int, float, float, Carrier], str]


@dataclass(frozen=True)
class EventText:
    """A list of events between the text before and after it."""

    head: str
    blocks: tuple[Block, ...]
    tail: str

    def carried(self, carrier: Carrier) -> str:
        """Write the list with its retimed events; comments of dropped events are kept."""
        found: list[tuple[float, float, int, str]] = []
        waiting = ""
        for order, block in enumerate(self.blocks):
            before = waiting + block.before
            if block.end is None:
                at = carrier.moment(block.start)
                times = None if at is None else (at, at)
            else:
                times = carrier.span(block.start, block.end)
            if times is None:
                waiting = before
                continue
            waiting = ""
            found.append((*times, order, before))
        # Events at equal times keep their order, reversed where time runs backwards.
        turn = -1 if carrier.backwards else 1
        found.sort(key=lambda event: (event[0], turn * event[2]))
        # Gaps belong to positions, not to events: no empty line follows the last event.
        gaps = [b.after for b in self.blocks]
        if found:
            gaps = [*gaps[: len(found) - 1], gaps[-1]]
        text = self.head
        for number, (start, end, order, before) in enumerate(found):
            text += before + self.blocks[order].write(number + 1, start, end, carrier)
            text += gaps[number]
        return text + waiting + self.tail
