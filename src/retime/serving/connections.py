"""Limit the connections of unauthenticated clients.

A connection is unauthenticated until the guard has accepted one of its requests. Unauthenticated
connections share a number of slots. When all are taken, the one that has waited longest without a
complete request is closed, so that opening connections and sending nothing shuts nobody out. Each
has a second to send its request before it is closed for others: on a busy machine, many strangers
may connect between the owner's connection and the owner's request. A request's head must arrive
within ten seconds. Windows and programs that the guard knows do not count.
"""

from __future__ import annotations

import asyncio
import selectors
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

SECONDS_FOR_HEAD = 10.0
"""How long a request's head may take to arrive."""
SECONDS_IN_PEACE = 1.0
"""How long a connection is not closed for others."""
_CROWD = 4
"""So many times the places may be taken by connections younger than that."""
_KNOWN = "retime.known"


def let_in(scope: Any) -> None:
    """Mark the connection of a request as authenticated, and release its slot."""
    scope[_KNOWN] = True


class Places:
    """The unauthenticated connections of one server, the oldest first."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._strangers: dict[BoundedConnection, None] = {}

    def enter(self, connection: BoundedConnection) -> None:
        """Give a connection a slot; if none is free, close the connection that waited longest."""
        self._strangers[connection] = None
        waiting = [c for c in self._strangers if c.is_waiting and not c.is_known] or [connection]
        over = len(self._strangers) - self.most
        late = [c for c in waiting if connection.begun - c.begun > SECONDS_IN_PEACE]
        for other in late[: max(over, 0)]:
            other.drop()
        if len(self._strangers) > _CROWD * self.most:
            next((c for c in waiting if not c.has_sent()), waiting[0]).drop()

    def leave(self, connection: BoundedConnection) -> None:
        """Release the slot of a connection."""
        self._strangers.pop(connection, None)


class BoundedConnection(H11Protocol):
    """An HTTP connection that uses one of a limited number of slots until it is authenticated."""

    def __init__(self, places: Places, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._places = places
        self._deadline: asyncio.TimerHandle | None = None
        self.is_known = False
        self.begun = 0.0
        self._over = False  # closed, or upgraded to a WebSocket

    @property
    def is_waiting(self) -> bool:
        """Whether no complete request is being answered."""
        return self.cycle is None or self.cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a slot, and wait for a request."""
        super().connection_made(transport)
        self.begun = self.loop.time()
        self._wait()
        self._places.enter(self)

    def data_received(self, data: bytes) -> None:
        """Receive a part of a request; the time limit stays until its head is complete."""
        super().data_received(data)
        if self.is_waiting:
            self._wait()
        else:
            self._arrived()

    def on_response_complete(self) -> None:
        """Release the slot of a connection whose request was accepted."""
        if self.scope is not None and dict(self.scope).get(_KNOWN):
            self.is_known = True
            self._places.leave(self)
        super().on_response_complete()

    def handle_websocket_upgrade(self, event: Any) -> None:
        """Switch to the WebSocket protocol; the guard accepts or closes it at once."""
        self._gone()
        super().handle_websocket_upgrade(event)

    def connection_lost(self, exc: Exception | None) -> None:
        """Release the slot."""
        self._gone()
        super().connection_lost(exc)

    def has_sent(self) -> bool:
        """Whether there is unread data."""
        try:
            with selectors.DefaultSelector() as asked:
                asked.register(self.transport.get_extra_info("socket"), selectors.EVENT_READ)
                return bool(asked.select(0))
        except (OSError, ValueError):  # closed meanwhile
            return False

    def drop(self) -> None:
        """Close the connection at once, without a response."""
        self._gone()
        self.transport.abort()

    def _wait(self) -> None:
        if self._deadline is None and not self._over:
            self._deadline = self.loop.call_later(SECONDS_FOR_HEAD, self._late)

    def _late(self) -> None:
        self._deadline = None
        if self.is_waiting and not self.transport.is_closing():
            self.drop()

    def _arrived(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _gone(self) -> None:
        self._over = True
        self._arrived()
        self._places.leave(self)
