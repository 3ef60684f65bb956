"""Keys of FBX 6.1 takes: a list of times, values and letters for the interpolation."""

from __future__ import annotations

from typing import Any

import numpy as np

from retime.io.fbx.curves import (
    AUTO,
    BROKEN,
    CONSTANT,
    CUBIC,
    LINEAR,
    NEXT,
    PLAIN_WEIGHT,
    USER,
    WEIGHTED_NEXT_LEFT,
    WEIGHTED_RIGHT,
    Curve,
    explicit,
)
from retime.io.fbx.properties import property_parts, real, text, values
from retime.io.fbx.tree import Malformed, Node

_WEIGHTS = 9999


def _tokens(node: Node) -> list[Any]:
    """Return the entries of a list of keys: numbers, and letters as text."""
    out: list[Any] = []
    for value, part in zip(values(node), property_parts(node), strict=True):
        if part[:1] in (b"C", b"B"):
            out.append(chr(part[1]))
        elif isinstance(value, bytes):
            out.append(value.decode("latin-1"))
        else:
            out.append(value)
    return out


# Numbers that follow each kind of tangent. Tension, continuity and bias (t) become automatic.
_TANGENT_VALUES = {"a": 0, "s": 2, "b": 2, "p": 2, "t": 3}
# Sides whose weights follow, by letter: 0 is right of the key, 1 left of the next.
_WEIGHTED_SIDES = {"n": (), "r": (0,), "l": (1,), "a": (0, 1), "c": (0, 1)}


def read_keys(node: Node) -> tuple[list[int], list[float], list[int], list[list[int]]]:
    """Read keys: ticks, values, flags and tangents."""
    told = _tokens(node)
    ticks: list[int] = []
    numbers: list[float] = []
    flags: list[int] = []
    data: list[list[int]] = []
    at = 0
    try:
        while at < len(told):
            ticks.append(int(told[at]))
            numbers.append(float(told[at + 1]))
            flag, row, at = _interpolation(told, at + 2)
            flags.append(flag)
            data.append(row)
    except (IndexError, KeyError, ValueError, TypeError, OverflowError):
        raise Malformed(f"the keys of a channel are not valid at entry {at + 1}") from None
    return ticks, numbers, flags, data


def _interpolation(told: list[Any], at: int) -> tuple[int, list[int], int]:
    """Read the interpolation after a key: flags, tangents as bits, and the next entry."""
    plain = [0, 0, 3333 << 16 | 3333, 0]
    mode = told[at]
    if mode == "L":
        return LINEAR, plain, at + 1
    if mode == "C":
        return (CONSTANT | NEXT if told[at + 1] == "n" else CONSTANT), plain, at + 2
    if mode != "U":
        raise ValueError(mode)
    kind, at = told[at + 1], at + 2
    flag, slopes = CUBIC | AUTO, [0.0, 0.0]
    if kind in ("s", "b"):
        slopes = list(map(float, told[at : at + 2]))
        flag = CUBIC | USER | (BROKEN if kind == "b" else 0)
    weights, sides, at = _tangent_weights(told, at + _TANGENT_VALUES[kind], twice=kind == "p")
    bits = np.array(slopes, "<f4").view("<u4").tolist()
    return flag | sides, [*bits, weights, 0], at


def _tangent_weights(told: list[Any], at: int, *, twice: bool) -> tuple[int, int, int]:
    """Read the weights of tangents: both in one number, flags, and the next entry."""
    flag, shares = 0, [PLAIN_WEIGHT, PLAIN_WEIGHT]
    for _ in range(2 if twice else 1):
        weight, at = (told[at] if at < len(told) else "n"), at + 1
        for side in _WEIGHTED_SIDES[weight]:
            shares[side], at = float(told[at]), at + 1
            flag |= (WEIGHTED_RIGHT, WEIGHTED_NEXT_LEFT)[side]
    right, left = (int(np.clip(round(s * _WEIGHTS), 1, _WEIGHTS)) for s in shares)
    return left << 16 | right, flag, at


def written_keys(curve: Curve, *, letters: bool) -> list[bytes]:
    """Pack keys as version 6 writes them; ``letters`` of binary files are characters."""
    curve = explicit(curve)
    parts: list[bytes] = []

    def letter(value: str) -> bytes:
        return b"C" + value.encode() if letters else text(value.encode())

    for k, (ticks, value, mode) in enumerate(
        zip(curve.ticks.tolist(), curve.values.tolist(), curve.segments.mode.tolist(), strict=True)
    ):
        parts += [real(ticks, "L"), real(value)]
        if mode & CONSTANT:
            parts += [letter("C"), letter("n" if mode & NEXT else "s")]
        elif mode & CUBIC:
            right, left = curve.segments.slopes[k].tolist()
            parts += [letter("U"), letter("b"), real(right), real(left)]
            shares = curve.segments.weights[k]
            if (np.abs(shares - PLAIN_WEIGHT) < 1e-4).all():
                parts.append(letter("n"))
            else:
                parts += [letter("a"), *(real(float(s)) for s in shares)]
        else:
            parts.append(letter("L"))
    return parts
