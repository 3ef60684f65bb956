"""The HTTP and WebSocket server that guarded applications run on."""

from __future__ import annotations

import time
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

SECONDS_FOR_HEAD = 10.0
"""How long a connection may take to send the head of a request."""
SECONDS_IN_A_CROWD = 1.0
"""How long, where more connections wait than the server has places for them."""
_CROWD = 4
"""So many times the places may be taken; beyond that, the one that has waited longest is closed."""


class BoundedServer(uvicorn.Server):
    """A server that closes connections which send no request, however many there are.

    So opening connections and sending nothing shuts nobody out. Who has a key sends a request with
    the connection, and windows are WebSockets, which do not count.

    Parameters
    ----------
    app : ASGI application
        The guarded application.
    most_message : int
        Largest message of a socket, bytes.
    most_waiting : int
        Connections that may wait for longer than a moment.
    """

    def __init__(self, app: Any, *, most_message: int, most_waiting: int) -> None:
        config = uvicorn.Config(
            app,
            log_level="error",  # a warning per bad request would allow strangers to fill the log
            http=self._accepted,  # type: ignore[arg-type]  # it is called like a class
            ws="websockets-sansio",
            # Frames of floats hardly shrink, and it would take longer than sending them does.
            ws_per_message_deflate=False,
            ws_max_size=most_message,
            proxy_headers=False,
            timeout_graceful_shutdown=2,
            server_header=False,
        )
        super().__init__(config)
        self._most_waiting = most_waiting
        # When connections began to wait, by what they were served before; the longest wait first.
        self._since: dict[tuple[Any, Any], float] = {}

    def _accepted(self, **options: Any) -> H11Protocol:
        """Return the protocol of a new connection, and close the oldest one of a crowd."""
        accepted = H11Protocol(**options)
        self._since[accepted, None] = time.monotonic()
        while len(self._since) > _CROWD * self._most_waiting:
            oldest, cycle = next(iter(self._since))
            del self._since[oldest, cycle]
            if _waits(oldest) and oldest.cycle is cycle and oldest.transport is not None:
                oldest.transport.abort()
        return accepted

    async def on_tick(self, counter: int) -> bool:
        """Close connections that have waited too long, ten times a second."""
        now = time.monotonic()
        waiting: list[Any] = [c for c in self.server_state.connections if _waits(c)]
        ages = {(c, c.cycle): self._since.get((c, c.cycle), now) for c in waiting}
        self._since = dict(sorted(ages.items(), key=lambda item: item[1]))
        crowd = len(self._since) > self._most_waiting
        longest = SECONDS_IN_A_CROWD if crowd else SECONDS_FOR_HEAD
        for (connection, _), since in self._since.items():
            if now - since > longest:
                connection.transport.abort()
        return await super().on_tick(counter)


def _waits(connection: Any) -> bool:
    """Return whether a connection has sent no complete head that is still to be answered."""
    if not isinstance(connection, H11Protocol):
        return False
    return connection.cycle is None or connection.cycle.response_complete
