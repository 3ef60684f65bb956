"""Show a running ``retime live`` in a window: its feed is passed on to the page.

The page itself may talk to nobody but the studio, so the studio listens for it; to this machine
only, whatever address it is given.
"""

from __future__ import annotations

import contextlib
from typing import Any
from urllib.parse import parse_qs, urlsplit

from websockets.asyncio.client import connect
from websockets.exceptions import InvalidHandshake, WebSocketException

from retime.bounded_json import parse
from retime.errors import InputError
from retime.serving.addresses import is_loopback
from retime.serving.frames import parse_frame
from retime.studio import frame_headers, messages
from retime.studio.window import Window

_PATIENCE = 15.0
_MOST_BYTES = 1 << 20


class Relay:
    """Passes the frames of one live server on to one window.

    ``address`` is what ``retime live --feed`` printed, key included; ``request`` is which of the
    window's requests this answers: what comes of an earlier one is told apart. A key is good for
    one listener; the session that the server gives for it is kept in ``sessions``, by address, so
    that the same address connects again.
    """

    def __init__(
        self, window: Window, address: str, request: int, sessions: dict[str, str] | None = None
    ) -> None:
        self._window = window
        self._request = request
        self._address = address.strip()
        self._sessions = {} if sessions is None else sessions
        self._url = _feed_of(address, self._sessions.get(self._address))

    async def run(self) -> None:
        """Listen until the server ends, or until this is cancelled."""
        try:
            opening = connect(
                self._url, max_size=_MOST_BYTES, open_timeout=_PATIENCE, compression=None
            )
            async with opening as feed:
                hello = parse(await feed.recv())
                if isinstance(hello.get("session"), str):
                    self._sessions[self._address] = hello["session"]
                async for data in feed:
                    if isinstance(data, bytes):
                        self._window.post(_passed_on(hello, data, self._request), "live-server")
        except InvalidHandshake:
            raise InputError(
                "retime live did not accept the key: paste the whole address that it printed last"
            ) from None
        except (OSError, TimeoutError):
            raise InputError(
                "no live server answers there: start one with a feed, and paste the address "
                "that it prints"
            ) from None
        except (WebSocketException, ValueError, KeyError, TypeError):
            raise InputError("the connection to retime live was lost; connect again") from None
        finally:
            with contextlib.suppress(RuntimeError):
                self._window.post(messages.LiveServerOver(self._request), "live-server")


def _feed_of(address: str, session: str | None = None) -> str:
    """Return where the feed of a printed address is; a session stands in for its key."""
    try:
        parts = urlsplit(address.strip())
        host, port = parts.hostname or "", parts.port
    except ValueError:
        parts, host, port = urlsplit(""), "", None
    if parts.scheme not in ("http", "ws") or port is None:
        raise InputError(
            "that is not an address of retime live, which looks like http://127.0.0.1:8765/?token=..."
        )
    if not is_loopback(host):
        raise InputError("the studio connects to a retime live on this machine only")
    token = session or parse_qs(parts.query).get("token", [""])[0]
    shown = f"[{host}]" if ":" in host else host
    return f"ws://{shown}:{port}/feed?format=binary&token={token}"


def _passed_on(hello: dict[str, Any], data: bytes, request: int) -> bytes:
    """Make a frame for the window of one of the feed's."""
    header, arrays = parse_frame(data)
    reference = header["reference"]
    return frame_headers.frame(
        frame_headers.LiveServerHeader(
            request=request,
            reference=reference,
            time=float(header["time"]),
            rate=float(header["rate"]),
            heard=float(header["heard"]),
            confidence=float(header["confidence"]),
            late=header["late"],
            state=str(header["state"]),
            performer_joints=[str(j) for j in hello["performer"]],
            partner_joints=[str(j) for j in hello["partner"].get(reference, [])],
            arrays=[],
        ),
        {"performer": arrays["performer"], "partner": arrays["partner"]},
    )
