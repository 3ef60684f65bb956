"""Addresses of servers: loopback by default, and the host names that lead there."""

from __future__ import annotations

import ipaddress
import socket
import sys

from retime.errors import InputError
from retime.notes import Note, Remedy


def listen(host: str, port: int, *, parameter: str = "port") -> socket.socket:
    """Return a socket that listens; one that cannot is an ``InputError``.

    Port 0 takes a free one; ``parameter`` is the name of the port's option, for error messages.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # With the protocol named, asyncio sends small messages at once (TCP_NODELAY); without it, they
    # wait up to 40 ms for the other side's acknowledgement.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    # on Windows, reuse would allow another program to listen on the same port
    if sys.platform == "win32":
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
    else:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(128)  # connections made before the server has started wait
    except (OSError, OverflowError) as e:
        listening.close()
        reason = getattr(e, "strerror", None) or str(e)
        raise InputError(
            Note(
                f"cannot listen at {host} port {port}: {reason}",
                Remedy("port 0 takes a free one", parameter=parameter, value="0"),
                code="cannot-listen",
            )
        ) from None
    return listening


def hosts(host: str, port: int) -> list[str]:
    """List valid Host headers: the names of this machine, or the requested address."""
    names = {shown(host)}
    if is_loopback(host):
        names |= {"localhost", "127.0.0.1", "[::1]"}
    elif is_every_address(host):
        names |= {"localhost", "127.0.0.1", "[::1]", socket.gethostname().lower()}
        names |= {shown(a) for a in _addresses()}
    return [f"{n}:{port}" for n in names] + ([*names] if port == 80 else [])


def _addresses() -> list[str]:
    try:
        found = [str(a[4][0]) for a in socket.getaddrinfo(socket.gethostname(), None)]
    except OSError:
        found = []
    return [*_outward(), *found]


def _outward() -> list[str]:
    """Return the address at which other machines of the network reach this one, if known."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # of the documentation; nothing is sent
            return [str(probe.getsockname()[0])]
        except OSError:
            return []


def is_every_address(host: str) -> bool:
    """Return whether a server at a host listens at all addresses of this machine."""
    return host in ("0.0.0.0", "::")


def reachable_at(host: str) -> str:
    """Return a host to open in a browser: of all addresses, the one that others reach."""
    if not is_every_address(host):
        return host
    return next((a for a in _outward() if not is_loopback(a)), "localhost")


def shown(host: str) -> str:
    """Return a host as written in an address."""
    return f"[{host}]" if ":" in host else host


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach a host."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
