"""Small VMD files for tests."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from retime import quat

BONES = ("センター", "上半身", "首", "左腕", "左ひじ", "右腕", "左足ＩＫ", "髪")


def _name(text: str, size: int = 15) -> bytes:
    # Programs leave rubbish after the name.
    own = text.encode("shift_jis")[:size]
    return own + (b"\x00" + b"\xfd" * size)[: size - len(own)]


def curve(handles: Sequence[Sequence[int]]) -> bytes:
    """Return the 64 bytes of handles x1, y1, x2, y2 of X, Y, Z and the rotation."""
    row = bytes(handles[c][n] for n in range(4) for c in range(4))
    return b"".join(row[n:] + bytes(n) for n in range(4))


def vmd(
    keys: Mapping[str, Sequence[tuple[int, Any, Any, bytes]]],
    morphs: Sequence[tuple[str, int, float]] = (),
    tail: bytes = b"",
) -> bytes:
    """Return a file of bones (frame, place, rotation xyzw, curve) and morphs."""
    out = b"Vocaloid Motion Data 0002".ljust(30, b"\x00") + _name("初音ミク", 20)
    bones = [(name, *key) for name, own in keys.items() for key in own]
    out += struct.pack("<I", len(bones))
    for name, frame, place, turn, own in bones:
        out += _name(name) + struct.pack("<I7f", frame, *place, *turn) + own
    out += struct.pack("<I", len(morphs))
    for name, frame, weight in morphs:
        out += _name(name) + struct.pack("<If", frame, weight)
    return out + (tail or shown())


def shown(frames: Sequence[int] = (0, 40)) -> bytes:
    """Return no camera, a light, no shadow, and keys that switch IK."""
    out = struct.pack("<I", 0) + struct.pack("<I", 1) + struct.pack("<I6f", 10, *[0.5] * 6)
    out += struct.pack("<II", 0, len(frames))
    for frame in frames:
        out += struct.pack("<IBI", frame, 1, 1) + _name("左足ＩＫ", 20) + b"\x00"
    return out


def dance(last: int = 90, every: int = 15) -> bytes:
    """Return a motion of some bones, with curves of several shapes."""
    draw = np.random.default_rng(1)
    shapes = [(20, 20, 107, 107), (64, 0, 64, 127), (10, 90, 60, 120), (100, 10, 110, 60)]
    keys = {}
    for n, name in enumerate(BONES):
        own = []
        for k, frame in enumerate(range(0, last + 1, every)):
            place = draw.normal(size=3) if name in ("センター", "左足ＩＫ") else np.zeros(3)
            turn = quat.exp(0.6 * draw.normal(size=3))[[1, 2, 3, 0]]
            own.append((frame, place, turn, curve([shapes[(n + k + c) % 4] for c in range(4)])))
        keys[name] = own
    morphs = [("まばたき", f, w) for f, w in ((0, 0.0), (20, 0.0), (23, 1.0), (26, 0.0), (90, 0.3))]
    return vmd(keys, morphs)
