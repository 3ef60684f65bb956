"""The HTTP and WebSocket server that guarded applications run on."""

from __future__ import annotations

from typing import Any

import uvicorn

from retime.serving.connections import BoundedConnection, Places


def http_config(app: Any, *, most_message: int, most_connections: int) -> uvicorn.Config:
    """Return how an application is served.

    Messages are not compressed: frames of floats hardly shrink, and it would take longer than
    sending them over loopback does.

    The application is guarded. A message is taken in up to ``most_message`` bytes; strangers share
    ``most_connections`` places.
    """
    places = Places(most_connections)

    class Connection(BoundedConnection):
        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(places, *args, **options)

    return uvicorn.Config(
        app,
        log_level="error",  # a warning per bad request would allow strangers to fill the log
        ws="websockets-sansio",
        ws_per_message_deflate=False,
        ws_max_size=most_message,
        http=Connection,
        proxy_headers=False,
        timeout_graceful_shutdown=2,
        server_header=False,
    )
