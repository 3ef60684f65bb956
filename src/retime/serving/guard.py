"""The guard: an ASGI layer that accepts or rejects every request and WebSocket.

The studio reads and writes a person's files, so nobody else may talk to it: not another site in the
same browser (Origin, Sec-Fetch-Site, a strict cookie), not a name that was pointed at this machine
(Host), not another user or program without a key. A key stands in an address; it is exchanged for a
cookie and leaves the address bar. A one-time key is worth nothing afterwards, so it does not matter
who reads it in a browser's history. Programs keep no cookies: the first connection of one uses up a
key and is told a session, which it brings when it connects again. A program that is started again
and again reads a lasting key from a private file.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import parse_qs, urlsplit

from retime.serving.addresses import shown

_HEADERS = {
    "content-security-policy": (
        "default-src 'self'; img-src 'self' data: blob:; media-src 'self' blob:; "
        "connect-src 'self' blob: data:; object-src 'none'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}
SESSION = "retime.session"
"""Where a request's scope holds the session that its program is to be told."""
_REFUSED_SOCKET = 4403
_OTHER_SITE = "Another site may not talk to this server."
_ONWARD = '<!doctype html><meta http-equiv="refresh" content="0;url=/"><title>retime</title>'


class Guard:
    """Pass requests on to an application, or reject them.

    Parameters
    ----------
    app : ASGI application
        The guarded app.
    hosts : iterable of str
        Allowed Host headers, including the port.
    port : int
        Names the cookie: cookies are shared by all ports of a host.
    token : str, optional
        Token that the address must contain. Default: a new one.
    name : str
        Name of the server in error messages.
    every_address : bool
        Let in who names the address of this machine at which the connection came in, for servers
        that listen at all of them.
    one_time : bool
        Let each key be used once, the first one included: :meth:`new_key` makes more.
    programs : bool
        Admit clients that send a key or a session with the connection (``Authorization: Bearer
        KEY``, or ``?token=KEY`` for a socket) and come from no page.
    lasting : str, optional
        A key that may be used any number of times, whatever ``one_time`` says.
    origins : iterable of str
        Other sites (``https://show.example``) whose pages are let in like programs.
    """

    def __init__(
        self,
        app: Any,
        *,
        hosts: Iterable[str],
        port: int,
        token: str | None = None,
        name: str = "server",
        every_address: bool = False,
        one_time: bool = False,
        programs: bool = False,
        lasting: str | None = None,
        origins: Iterable[str] = (),
    ) -> None:
        self.app = app
        self._name, self._programs, self._every_address = name, programs, every_address
        self.origins = frozenset(o.lower().rstrip("/") for o in origins)
        self.hosts = frozenset(h.lower() for h in hosts)
        self.token = token or secrets.token_urlsafe(32)
        self._cookie = f"retime-{port}"
        self._secret = secrets.token_urlsafe(32)
        self._one_time = one_time
        self._keys = {self.token}
        self._lasting = {lasting} if lasting else set()
        self._sessions: set[str] = set()
        self.used: Callable[[str], None] = lambda key: None  # called when a key was exchanged

    def new_key(self) -> str:
        """Return another key, which can be exchanged for a cookie once."""
        key = secrets.token_urlsafe(32)
        self._keys.add(key)
        return key

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Serve one request or socket."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        headers = {k.decode("latin-1").lower(): v.decode("latin-1") for k, v in scope["headers"]}
        if self._programs and self._is_program(scope, headers):
            await self.app(scope, receive, _with_headers(send, scope.get(SESSION)))
            return
        problem = self._foreign(scope, headers)
        given = _key_in(scope)
        # The page that holds the first key is a file, so its request comes from another site.
        arrives = problem is None or (problem is _OTHER_SITE and _opens_a_page(headers))
        if given is not None and arrives:
            await self._exchange(given, headers, send, redirect=problem is None)
            return
        if problem is None and not self._has_cookie(headers):
            problem = (
                f"Open the address that retime {self._name} printed when it started: it holds a "
                "key."
            )
        if problem is not None:
            await _refuse(scope, receive, send, problem)
            return
        await self.app(scope, receive, _with_headers(send))

    def _leads_here(self, name: str, scope: Any) -> bool:
        """Return whether a name and port are this server's, or the address of the connection."""
        if name.lower() in self.hosts:
            return True
        server = scope.get("server")
        if not self._every_address or not server or server[1] is None:
            return False
        # An address, not a name, because anybody can point a name to this machine (DNS rebinding).
        return name.lower() in _at(shown(str(server[0]).lower()), int(server[1]))

    def _foreign(self, scope: Any, headers: dict[str, str]) -> str | None:
        """Return why a request is foreign, or ``None``."""
        if not self._leads_here(headers.get("host", ""), scope):
            return f"This name does not lead to the {self._name}. Use the address that it printed."
        origin = headers.get("origin")
        if origin is not None and not self._leads_here(_host_of(origin), scope):
            return f"Another site may not talk to the {self._name}."
        changes = scope["type"] == "websocket" or scope.get("method") not in ("GET", "HEAD")
        if origin is None and changes:
            return "A request that changes something must say where it comes from."
        if headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
            return _OTHER_SITE
        return None

    def _is_program(self, scope: Any, headers: dict[str, str]) -> bool:
        """Return whether the request brings the token and is not from a foreign page."""
        origin = headers.get("origin")
        allowed = origin is not None and origin.lower() in self.origins
        if not self._leads_here(headers.get("host", ""), scope):
            return False
        if not allowed and (origin is not None or headers.get("sec-fetch-site", "none") != "none"):
            return False
        kind, _, given = headers.get("authorization", "").partition(" ")
        if kind.lower() != "bearer":
            if scope["type"] != "websocket":
                return False  # in a page's address the token is exchanged for a cookie instead
            given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        return self._knows(given.strip(), scope)

    def _knows(self, given: str, scope: Any) -> bool:
        """Return whether a request is authorised; exchange a single-use key for a session."""
        if _among(given, self._lasting | self._sessions) is not None:
            return True
        key = _among(given, self._keys)
        if key is not None and self._one_time:
            session = secrets.token_urlsafe(32)
            self._sessions.add(session)
            scope[SESSION] = session
            self._use(key)
        return key is not None

    def _use(self, key: str) -> None:
        self._keys.discard(key)
        self.used(key)

    def _has_cookie(self, headers: dict[str, str]) -> bool:
        # Parsed here, because other programs on this host set cookies that a strict parser rejects.
        for part in headers.get("cookie", "").split(";"):
            name, _, value = part.strip().partition("=")
            if name == self._cookie and hmac.compare_digest(value.encode(), self._secret.encode()):
                return True
        return False

    async def _exchange(
        self, given: str, headers: dict[str, str], send: Any, *, redirect: bool
    ) -> None:
        """Exchange the key in an address for a cookie, and redirect without the key."""
        key = _among(given, self._keys | self._lasting)
        more = {}
        if key is not None:
            more["set-cookie"] = f"{self._cookie}={self._secret}; Path=/; HttpOnly; SameSite=Strict"
        elif not self._has_cookie(headers):
            again = " or was used before" if self._one_time else ""
            text = (
                f"The key in this address is not the {self._name}'s{again}. Use the address that "
                "it printed last."
            )
            await _reply(send, 403, text)
            return
        if redirect:
            await _reply(send, 303, "", {"location": "/", **more})
        # a redirect would still count as a request of the other site, without the strict cookie
        else:
            more["content-type"] = "text/html; charset=utf-8"
            await _reply(send, 200, _ONWARD, more)
        if key is not None and self._one_time and key in self._keys:
            self._use(key)


def _among(given: str, secrets_: Iterable[str]) -> str | None:
    """Return which of some secrets is given, compared in constant time."""
    told = given.encode()
    return next((s for s in secrets_ if hmac.compare_digest(told, s.encode())), None)


def _opens_a_page(headers: dict[str, str]) -> bool:
    """Return whether a browser opens a page in a window, not by a background request."""
    mode, target = headers.get("sec-fetch-mode"), headers.get("sec-fetch-dest")
    return mode == "navigate" and target == "document"


def _key_in(scope: Any) -> str | None:
    """Return the key that the address of the first page holds, or ``None``."""
    if scope["type"] != "http" or scope["path"] != "/":
        return None
    given = parse_qs(scope["query_string"].decode("latin-1")).get("token")
    return None if given is None else given[0]


def _at(host: str, port: int) -> tuple[str, ...]:
    return (f"{host}:{port}", host) if port == 80 else (f"{host}:{port}",)


def _host_of(origin: str) -> str:
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return ""


def _with_headers(send: Any, session: str | None = None) -> Any:
    async def guarded(message: Any) -> None:
        if message["type"] == "http.response.start":
            own = {k.lower() for k, _ in message.get("headers", [])}
            more = [(k.encode(), v.encode()) for k, v in _HEADERS.items() if k.encode() not in own]
            if session is not None:
                more.append((b"retime-session", session.encode()))
            if b"cache-control" not in own:
                more.append((b"cache-control", b"no-store"))
            message = {**message, "headers": [*message.get("headers", []), *more]}
        await send(message)

    return guarded


async def _refuse(scope: Any, receive: Any, send: Any, text: str) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": _REFUSED_SOCKET, "reason": text[:100]})
        return
    await _reply(send, 403, text)


async def _reply(send: Any, status: int, text: str, more: dict[str, str] | None = None) -> None:
    headers = {"content-type": "text/plain; charset=utf-8", "cache-control": "no-store"}
    listed = [(k.encode(), v.encode()) for k, v in (headers | _HEADERS | (more or {})).items()]
    await send({"type": "http.response.start", "status": status, "headers": listed})
    await send({"type": "http.response.body", "body": text.encode()})
