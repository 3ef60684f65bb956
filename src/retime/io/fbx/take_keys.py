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
    Segments,
    checked,
    extrapolation,
    modes,
)
from retime.io.fbx.properties import letters, real, text
from retime.io.fbx.tree import Malformed, Node

# Automatic tangents of version 6 do not overshoot, whatever the distances of keys.
_AUTOMATIC = CUBIC | AUTO | 0x6000
# Numbers that follow each kind of tangent. Tension, continuity and bias (t) become automatic.
_TANGENT_VALUES = {"a": 0, "s": 2, "b": 2, "p": 2, "t": 3}
# Sides whose weights follow, by letter: 0 is right of the key, 1 left of the next.
_WEIGHTED_SIDES = {"n": (), "r": (0,), "l": (1,), "a": (0, 1), "c": (0, 1)}


def read_keys(channel: Node) -> Curve | None:
    """Read the keys of a channel; none if it has none."""
    node = channel.child(b"Key")
    told: list[Any] = [] if node is None else letters(node)
    if not told:
        return None
    rows, flags = [], []
    ticks: list[int] = []
    at = 0
    try:
        while at < len(told):
            ticks.append(int(told[at]))
            flag, tangents, after = _interpolation(told, at + 2)
            rows.append([float(told[at + 1]), *tangents])
            flags.append(flag)
            at = after
        whole = np.array(ticks, np.int64)
    except (IndexError, KeyError, ValueError, TypeError, OverflowError):
        raise Malformed(f"the keys of a channel are not valid at entry {at + 1}") from None
    table = np.array(rows)
    data = np.zeros((len(table), 4), np.uint32)
    with np.errstate(over="ignore", invalid="ignore"):
        data[:, :2] = np.ascontiguousarray(table[:, 1:3], np.float32).view(np.uint32)
    slopes, weights = table[:, 1:3], table[:, 3:]
    if not np.isfinite(weights).all():
        raise Malformed("the weights of a channel's keys are not all finite")
    weights = np.clip(weights, 1e-4, 1.0)
    kinds = np.array(flags, np.int64)
    parts = Segments(modes(kinds), slopes, weights)
    made = Curve(whole, table[:, 0], kinds, data, parts, extrapolation(channel))
    return checked(made, "a channel")


def _interpolation(told: list[Any], at: int) -> tuple[int, list[float], int]:
    """Read the interpolation after a key: flags, slopes and weights, and the next entry."""
    plain = [0.0, 0.0, PLAIN_WEIGHT, PLAIN_WEIGHT]
    mode = told[at]
    if mode == "L":
        return LINEAR, plain, at + 1
    if mode == "C":
        return (CONSTANT | NEXT if told[at + 1] == "n" else CONSTANT), plain, at + 2
    if mode != "U":
        raise ValueError(mode)
    kind, at = told[at + 1], at + 2
    flag, slopes = _AUTOMATIC, [0.0, 0.0]
    if kind in ("s", "b"):
        slopes = list(map(float, told[at : at + 2]))
        flag = CUBIC | USER | (BROKEN if kind == "b" else 0)
    weights, sides, at = _tangent_weights(told, at + _TANGENT_VALUES[kind], twice=kind == "p")
    return flag | sides, [*slopes, *weights], at


def _tangent_weights(told: list[Any], at: int, *, twice: bool) -> tuple[list[float], int, int]:
    """Read the weights of tangents, their flags, and the next entry."""
    flag, shares = 0, [PLAIN_WEIGHT, PLAIN_WEIGHT]
    for _ in range(2 if twice else 1):
        weight, at = (told[at] if at < len(told) else "n"), at + 1
        for side in _WEIGHTED_SIDES[weight]:
            shares[side], at = float(told[at]), at + 1
            flag |= (WEIGHTED_RIGHT, WEIGHTED_NEXT_LEFT)[side]
    return shares, flag, at


def written_keys(curve: Curve, *, letters: bool) -> list[bytes]:
    """Pack keys as version 6 writes them; ``letters`` of binary files are characters."""
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
