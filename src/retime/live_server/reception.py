"""Reception of a stream: its sender, its rate and its losses."""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from retime.live_server.datagrams import Datagram

Address = tuple[str, int]

# A sender that is silent for so long has left: another may take its place, seconds. A program that
# was started again sends from another port of the same machine: it waits for less.
_LEFT, _LEFT_PORT = 2.0, 0.25
# A sender that comes back within this time after another took its place is listened to again (s).
_RETURNS = 10.0
# Period over which rates and losses are measured (s).
_WINDOW = 3.0
_MOST_STAMPS = 1024
_MOST_NAMES = 40


@dataclass
class Reception:
    """Counts packets, keeps the first sender, and remembers what was odd."""

    only: tuple[str, int | None] | None = None
    """The only host, and port, that may send."""
    sender: Address | None = None
    """Who is listened to."""
    packets: int = 0
    malformed: int = 0
    refused: int = 0
    """Datagrams that were looked at, of which not or not wholly understood, and those of others."""
    unknown: Counter[str] = field(default_factory=Counter)
    """Bones that came and that no humanoid has."""
    known: bool = False
    """Whether any bone came that can be used."""
    heard_at: float = -math.inf
    """When the sender was heard last."""
    _before: tuple[Address, float] | None = None
    """Who was replaced, and when they were heard last."""
    _stamps: deque[tuple[float, float]] = field(default_factory=lambda: deque(maxlen=_MOST_STAMPS))

    def admits(self, address: Address, now: float) -> bool:
        """Return whether to parse a datagram: not while another sender is active."""
        if not self.listens_to(address, now):
            self.refused += 1
            return False
        self.packets += 1
        return True

    def listens_to(self, address: Address, now: float) -> bool:
        """Return whether datagrams of an address are used: it is the sender, or there is none."""
        return self._may_send(address, now, self.heard_at)

    def _may_send(self, address: Address, now: float, heard: float) -> bool:
        if self.only is not None and not _is_of(address, *self.only):
            return False
        if self.sender is None or self.sender == address:
            return True
        before = self._before
        if before is not None and before[0] == address and now - before[1] <= _RETURNS:
            return True
        silent = now - heard
        same = self.sender[0] == address[0]
        return silent >= (_LEFT_PORT if same else _LEFT)

    def heeded(self, waiting: Sequence[Datagram]) -> list[Datagram]:
        """Return the datagrams that may be used, in their order."""
        out, heard = [], self.heard_at
        for datagram in waiting:
            if datagram.address == self.sender:
                heard = datagram.arrival
            if self._may_send(datagram.address, datagram.arrival, heard):
                out.append(datagram)
        return out

    def listen_to(self, address: Address, now: float) -> bool:
        """Keep the first sender of bones until it leaves; return whether it is new."""
        new = self.sender != address
        if new:
            returns = self._before is not None and self._before[0] == address
            replaced = None if returns or self.sender is None else (self.sender, self.heard_at)
            self._before = replaced  # who only stood in has no claim
            self.sender = address
            self._stamps.clear()
        self.heard_at = now
        return new

    def note_unknown(self, names: tuple[str, ...]) -> None:
        """Remember the names of unknown bones, up to a limit."""
        for name in names:
            if name in self.unknown or len(self.unknown) < _MOST_NAMES:
                self.unknown[name] += 1

    def frame(self, time: float, now: float) -> None:
        """Count a frame that arrived now, with the time stamp of its sender."""
        self.known = True
        self._stamps.append((time, now))

    def _recent(self, now: float) -> list[float]:
        return [t for t, came in self._stamps if now - came <= _WINDOW]

    def rate(self, now: float) -> float:
        """Return frames per second recently."""
        times = self._recent(now)
        if len(times) < 2 or times[-1] <= times[0]:
            return 0.0
        return (len(times) - 1) / (times[-1] - times[0])

    def loss(self, now: float) -> float:
        """Return the fraction of recent frames that were lost, by the sender's usual interval."""
        times = self._recent(now)
        steps = sorted(b - a for a, b in pairwise(times) if b > a)
        if len(steps) < 8:
            return 0.0
        usual = steps[len(steps) // 4]  # the quicker ones: what is lost makes steps longer
        expected = (times[-1] - times[0]) / usual
        return min(max(1 - len(steps) / expected, 0.0), 1.0)


def _is_of(address: Address, host: str, port: int | None) -> bool:
    return address[0] == host and port in (None, address[1])
