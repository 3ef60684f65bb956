"""Cues: OSC or MIDI messages that are sent when the recording passes chosen times."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urlsplit

from pythonosc.osc_message_builder import OscMessageBuilder

from retime.errors import InputError, MissingDependencyError

_HOW = "write [REFERENCE:]TIME=osc://HOST:PORT/ADDRESS or TIME=midi://PORT/NOTE"
# How loud a note is.
_VELOCITY = 100


@dataclass(frozen=True)
class CuePoint:
    """A time of a recording, and the message to send then."""

    time: float
    target: str
    reference: str | None = None

    @classmethod
    def parse(cls, text: str) -> CuePoint:
        """Read ``[REFERENCE:]TIME=TARGET``."""
        when, equals, target = text.partition("=")
        reference, colon, at = when.rpartition(":")
        try:
            time = float(at)
        except ValueError:
            time = float("nan")
        parts = urlsplit(target)
        whole = {"osc": parts.port and len(parts.path) > 1, "midi": _note(parts.path) is not None}
        if not equals or not time >= 0 or not whole.get(parts.scheme):
            raise InputError(f"--cue {text!r} is not a cue; {_HOW}")
        return cls(time, target, reference if colon else None)


def _note(path: str) -> int | None:
    number = path.strip("/")
    return int(number) if number.isdecimal() and int(number) < 128 else None


class CueSender:
    """Sends cues when the displayed time passes them; cues that a jump skips are not sent."""

    def __init__(self, cues: Sequence[CuePoint]) -> None:
        self._cues = sorted(cues, key=lambda c: c.time)
        self._closing = contextlib.ExitStack()
        ports: dict[str, Any] = {}
        targets = dict.fromkeys(c.target for c in cues)
        self._sends = {target: _sender(target, ports, self._closing) for target in targets}
        self._last: tuple[str | None, float] | None = None
        self.sent: list[CuePoint] = []

    def close(self) -> None:
        """Close sockets and ports."""
        self._closing.close()

    def pass_to(self, reference: str | None, time: float, *, jumped: bool = False) -> None:
        """Send the cues between the last displayed time and this one."""
        before, self._last = self._last, (reference, time)
        if reference is None or jumped:
            return
        # What lies at the very beginning goes out with the first frame of a performance.
        start = before[1] if before is not None and before[0] == reference else -1.0
        if time < start:
            return
        for cue in self._cues:
            mine = cue.reference in (None, reference)
            if mine and start < cue.time <= time:
                # No receiver, or an unplugged port, for which drivers raise any exception: the
                # performance continues.
                with contextlib.suppress(Exception):
                    self._sends[cue.target](cue)
                self.sent = [*self.sent[-99:], cue]


def _sender(target: str, ports: dict[str, Any], closing: contextlib.ExitStack) -> Any:
    """Return what sends a cue to a target; MIDI ports are kept by their names."""
    parts = urlsplit(target)
    if parts.scheme == "midi":
        return _midi(unquote(parts.netloc), _note(parts.path) or 0, ports, closing)
    try:
        found = socket.getaddrinfo(
            parts.hostname or "127.0.0.1", parts.port, type=socket.SOCK_DGRAM
        )
    except OSError:
        raise InputError(f"--cue {target!r}: no machine is called {parts.hostname}") from None
    family, *_, address = found[0]
    out = closing.enter_context(socket.socket(family, socket.SOCK_DGRAM))
    out.setblocking(False)

    def send(cue: CuePoint) -> None:
        message = OscMessageBuilder(parts.path)
        message.add_arg(float(cue.time), "f")
        out.sendto(message.build().dgram, address)

    return send


def _midi(port: str, note: int, ports: dict[str, Any], closing: contextlib.ExitStack) -> Any:
    try:
        import mido
    except ModuleNotFoundError:
        raise MissingDependencyError("cues by MIDI", "midi") from None
    if port not in ports:  # opened once: some systems refuse a second time
        try:
            ports[port] = mido.open_output(port or None)
        except Exception as e:  # drivers raise kinds of their own
            raise InputError(
                f"--cue midi://{port}/{note}: the port cannot be opened ({e})"
            ) from None
        closing.callback(ports[port].close)
    out = ports[port]

    def send(cue: CuePoint) -> None:
        out.send(mido.Message("note_on", note=note, velocity=_VELOCITY))
        out.send(mido.Message("note_off", note=note))

    return send
