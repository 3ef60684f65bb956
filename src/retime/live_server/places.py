"""Addresses of streams: ``vmc://127.0.0.1:39539``."""

from __future__ import annotations

import socket
from dataclasses import dataclass
from urllib.parse import urlsplit

from retime.errors import InputError
from retime.live_server.datagrams import note_arrivals
from retime.live_server.vmc import DEFAULT_PORT
from retime.serving.addresses import is_loopback, shown


@dataclass(frozen=True)
class StreamAddress:
    """Where a stream comes from or goes to."""

    host: str
    port: int
    """The machine and its UDP port."""

    @classmethod
    def parse(cls, text: str) -> StreamAddress:
        """Read ``vmc://HOST:PORT``. Default: the host is this machine and the port VMC's."""
        try:
            parts = urlsplit(text if "//" in text else f"vmc://{text}")
            host, port = parts.hostname or "127.0.0.1", parts.port
        except ValueError as e:
            how = "write vmc://127.0.0.1:39539"
            raise InputError(f"{text!r} is not an address ({e}); {how}") from None
        if parts.scheme != "vmc" or parts.path.strip("/") or parts.query:
            raise InputError(f"{text!r} is not an address of a stream; write vmc://127.0.0.1:39539")
        return cls(host, DEFAULT_PORT if port is None else port)

    def __str__(self) -> str:
        return f"vmc://{shown(self.host)}:{self.port}"

    @staticmethod
    def parse_sender(text: str) -> tuple[str, int | None]:
        """Read ``HOST`` or ``HOST:PORT`` of a sender, as its address and port."""
        try:
            parts = urlsplit(f"//{text}")
            host, port = parts.hostname or "", parts.port
            found = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM) if host else []
        except (ValueError, OSError):
            found, port = [], None
        if not found:
            raise InputError(f"--sender {text!r} is not a known machine; write HOST or HOST:PORT")
        return str(found[0][4][0]), port

    @property
    def is_loopback(self) -> bool:
        """Whether it is on this machine."""
        return is_loopback(self.host)

    def _family(self) -> tuple[socket.AddressFamily, tuple[str, int]]:
        try:
            found = socket.getaddrinfo(self.host, self.port, type=socket.SOCK_DGRAM)
        except (OSError, UnicodeError):
            raise InputError(f"{self}: no machine is called {self.host}") from None
        family, *_, address = found[0]
        return family, (str(address[0]), int(address[1]))

    def listening(self) -> socket.socket:
        """Return a UDP socket that receives at this address."""
        family, address = self._family()
        heard = socket.socket(family, socket.SOCK_DGRAM)
        heard.setblocking(False)
        # Room for a second of frames, should this machine be busy; the system may give less.
        heard.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        note_arrivals(heard)
        try:
            heard.bind(address)
        except OSError as e:
            heard.close()
            raise InputError(
                f"cannot listen at {self}: {e.strerror}; another program may have the port: end it "
                "or give another (--in vmc://127.0.0.1:39549)"
            ) from None
        return heard

    def sending(self) -> socket.socket:
        """Return a UDP socket that sends to this address."""
        family, address = self._family()
        sender = socket.socket(family, socket.SOCK_DGRAM)
        sender.setblocking(False)
        try:
            sender.connect(address)
        except OSError as e:
            sender.close()
            raise InputError(f"cannot send to {self}: {e.strerror}") from None
        return sender
