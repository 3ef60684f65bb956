"""One window of the studio: what it shows, and what waits to be sent to it."""

from __future__ import annotations

import asyncio
import itertools
from collections import OrderedDict

import msgspec

from retime.studio import messages
from retime.studio.project import Version

# A window that has so much waiting for it is gone, or hopelessly slow.
_MOST_WAITING = 1000

# What a window shows: a version, and the step of it whose editor is open.
Shows = tuple[Version, str | None]


class Window:
    """One window: what it shows, and what waits to be sent to it."""

    _numbers = itertools.count(1)

    def __init__(self) -> None:
        self.number = next(self._numbers)
        self.shows: Shows = ("A", None)
        self.compares = False
        self.preview: messages.Preview | None = None
        self._waiting: OrderedDict[str | int, str | bytes] = OrderedDict()
        self._count = itertools.count()
        self._some = asyncio.Event()
        self.lost = asyncio.Event()

    @property
    def version(self) -> Version:
        """The version that it shows."""
        return self.shows[0]

    @property
    def all_shown(self) -> list[Shows]:
        """The versions that it shows: one, or both if it compares them."""
        other: Version = "B" if self.version == "A" else "A"
        return [self.shows, (other, None)] if self.compares else [self.shows]

    def post(self, data: msgspec.Struct | str | bytes, slot: str | None = None) -> None:
        """Put a message in the outbox; one that still waits in the same slot is replaced."""
        if self.lost.is_set():
            return
        sent = msgspec.json.encode(data).decode() if isinstance(data, msgspec.Struct) else data
        key = next(self._count) if slot is None else slot
        self._waiting.pop(key, None)  # it goes behind all that was posted since
        self._waiting[key] = sent
        if len(self._waiting) > _MOST_WAITING:
            self._waiting.clear()
            self.lost.set()
        self._some.set()

    async def next(self) -> str | bytes:
        """Wait for a message and take it out."""
        while not self._waiting:
            self._some.clear()
            await self._some.wait()
        return self._waiting.popitem(last=False)[1]
