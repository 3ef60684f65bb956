"""Read the waiting datagrams of a socket, with their times of arrival.

A busy machine reads them late. On Linux the system tells when each came, so that the pause of this
program is not taken for one of the performer.
"""

from __future__ import annotations

import socket
import struct
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

# Asks Linux for the time of arrival, as seconds and nanoseconds; Python has no name for it.
_SO_TIMESTAMPNS = 35
_TIMESPEC = struct.Struct("@ll")
_ROOM = 64  # for the time of arrival
# An age beyond this tells that the machine's clock was set, seconds.
_OLDEST = 10.0
_LARGEST = 65_535


class Datagram(NamedTuple):
    """A packet, its sender and its time of arrival."""

    data: bytes
    address: tuple[str, int]
    arrival: float
    """By this machine's clock, seconds."""


def note_arrivals(heard: socket.socket) -> None:
    """Enable time stamps of arriving datagrams, if the system supports them."""
    if sys.platform == "linux":
        heard.setsockopt(socket.SOL_SOCKET, _SO_TIMESTAMPNS, 1)


def read_waiting(heard: socket.socket, most: int, clock: Callable[[], float]) -> list[Datagram]:
    """Read up to ``most`` waiting datagrams, in their order of arrival."""
    out: list[Datagram] = []
    for _ in range(most):
        try:
            data, address, arrived = _receive(heard)
        except (BlockingIOError, InterruptedError):
            break
        except OSError:  # an earlier answer could not be delivered; nothing was lost
            continue
        age = 0.0 if arrived is None else time.time() - arrived
        now = clock()
        arrival = now - age if 0 < age < _OLDEST else now
        out.append(Datagram(data, (str(address[0]), int(address[1])), arrival))
    return out


def _receive(heard: socket.socket) -> tuple[bytes, Any, float | None]:
    """Return a datagram, its sender and the time of day at which it arrived, if that is known."""
    if sys.platform != "linux":
        return *heard.recvfrom(_LARGEST), None
    data, noted, _, address = heard.recvmsg(_LARGEST, _ROOM)
    for level, kind, value in noted:
        if (level, kind) == (socket.SOL_SOCKET, _SO_TIMESTAMPNS):
            whole, nano = _TIMESPEC.unpack(value)
            return data, address, whole + 1e-9 * nano
    return data, address, None
