"""An independent sender of VMC: OSC written by hand, with a clock that does what it is told.

It knows nothing of retime. ``python sender.py HOST PORT FILE`` plays FILE (JSON): ``frames`` with
the live time, the stamp (none: no clock is sent), the port's number and the bones, a name and seven
numbers each. It prints the moment of this machine's clock at which each frame left.
"""

import json
import socket
import struct
import sys
import time
from typing import Any


def text(value: str) -> bytes:
    """Return an OSC string: closed by a zero, and filled up to four bytes."""
    data = value.encode() + b"\0"
    return data + b"\0" * (-len(data) % 4)


def message(address: str, types: str, *values: Any) -> bytes:
    """Return an OSC message."""
    parts = [text(address), text("," + types)]
    for kind, value in zip(types, values, strict=True):
        parts.append(text(value) if kind == "s" else struct.pack(f">{kind}", value))
    return b"".join(parts)


def bundle(messages: list[bytes]) -> bytes:
    """Return an OSC bundle to be used at once."""
    out = text("#bundle") + struct.pack(">Q", 1)
    return out + b"".join(struct.pack(">i", len(m)) + m for m in messages)


def main(host: str, port: str, path: str) -> None:
    """Send all frames at their times."""
    with open(path, encoding="utf-8") as file:
        frames = json.load(file)["frames"]
    sockets: dict[int, socket.socket] = {}
    start = time.monotonic()
    for frame in frames:
        time.sleep(max(0.0, start + frame["live"] - time.monotonic()))
        own = sockets.get(frame["port"])
        if own is None:
            own = sockets[frame["port"]] = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        listed = [message("/VMC/Ext/OK", "i", 1)]
        if frame["stamp"] is not None:
            listed.append(message("/VMC/Ext/T", "f", frame["stamp"]))
        for name, values in frame["bones"]:
            listed.append(message("/VMC/Ext/Bone/Pos", "sfffffff", name, *values))
        own.sendto(bundle(listed), (host, int(port)))
        print(json.dumps([frame["live"], time.monotonic()]), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
