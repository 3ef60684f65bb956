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


MODEL = (
    ("全ての親", -1, (0, 0, 0)), ("頭", 3, (0, 15, 0.2)), ("センター", 0, (0, 9, 0)),
    ("上半身", 2, (0, 11, 0.1)), ("首", 3, (0, 14, 0)), ("左腕", 3, (1.5, 13, 0)),
    ("左ひじ", 5, (3, 12, 0)), ("右腕", 3, (-1.5, 13, 0)), ("左足ＩＫ", 0, (1, 1, 0)),
    ("長い名前のボーン一二三", 4, (0, 16, 1)),
)  # fmt: skip


def pmx(bones: Sequence[tuple[str, int, Any]] = MODEL, index: int = 1, unicode: int = 0) -> bytes:
    """Return a model of a few vertices, of all kinds of weights, and bones with all parts."""
    form = {1: "b", 2: "h", 4: "i"}[index]

    def text(value: str) -> bytes:
        own = value.encode(("utf-16-le", "utf-8")[unicode])
        return struct.pack("<i", len(own)) + own

    def place(bone: int) -> bytes:
        return struct.pack(f"<{form}", bone)

    out = struct.pack("<4sfB8B", b"PMX ", 2.0, 8, unicode, 1, index, index, 1, index, 1, 1)
    out += text("model") + text("") + text("comment") + text("")
    weights = (place(0), 2 * place(0) + bytes(4), 4 * place(0) + bytes(16),
               2 * place(0) + bytes(40), 4 * place(0) + bytes(16))  # fmt: skip
    out += struct.pack("<i", len(weights))
    for kind, own in enumerate(weights):
        out += bytes(32 + 16) + bytes([kind]) + own + bytes(4)
    out += struct.pack("<i", 3) + bytes(3 * index)
    out += struct.pack("<i", 1) + text("skin.png") + struct.pack("<i", 2)
    for shared in (0, 1):
        own = bytes(1 if shared else index)
        out += text("skin") + text("") + bytes(65 + 2 * index + 1) + bytes([shared]) + own
        out += text("") + bytes(4)
    out += struct.pack("<i", len(bones))
    for n, (name, parent, at) in enumerate(bones):
        flags = (0x0001, 0x0100, 0x0400, 0x0800, 0x2000, 0x0020)[n % 6]
        out += text(name) + text("") + struct.pack("<3f", *at) + place(parent) + bytes(4)
        out += struct.pack("<H", flags) + (place(0) if flags & 1 else bytes(12))
        out += {0x0100: place(0) + bytes(4), 0x0400: bytes(12), 0x0800: bytes(24),
                0x2000: bytes(4)}.get(flags, b"")  # fmt: skip
        if flags == 0x0020:
            links = place(0) + b"\x00" + place(0) + b"\x01" + bytes(24)
            out += place(0) + bytes(8) + struct.pack("<i", 2) + links
    return out + b"morphs and more"
