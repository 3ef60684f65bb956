"""Compiled loops of the glTF reader."""

from __future__ import annotations

import numpy as np

from retime.compiled import kernel

# Elements of a group, and the least length of what follows the last block.
GROUP = 16
TAIL = 32


@kernel
def decode_attributes(data, count, stride):  # type: ignore[no-untyped-def]
    """Unpack attributes of EXT_meshopt_compression, version 0: (count, stride) bytes.

    Returns them and whether the data was complete.
    """
    out = np.zeros((count, stride), dtype=np.uint8)
    tail = max(stride, TAIL)
    end = len(data) - tail
    at = 1
    most = min((8192 // stride) & ~15, 256)
    last = data[len(data) - stride :].copy()
    values = np.zeros(GROUP, dtype=np.uint8)
    first = 0
    while first < count:
        elements = min(most, count - first)
        groups = (elements + GROUP - 1) // GROUP
        for k in range(stride):
            header = at
            at += (groups + 3) // 4
            if at > end:
                return out, False
            value = last[k]
            for g in range(groups):
                mode = (data[header + g // 4] >> (2 * (g % 4))) & 3
                if mode == 0:
                    values[:] = 0
                elif mode == 3:
                    if at + GROUP > end:
                        return out, False
                    values[:] = data[at : at + GROUP]
                    at += GROUP
                else:
                    bits = 2 * mode
                    packed = GROUP * bits // 8
                    most_packed = (1 << bits) - 1
                    plain = at + packed
                    if plain > end:
                        return out, False
                    for i in range(GROUP):
                        bit = i * bits
                        v = (data[at + bit // 8] >> (8 - bits - bit % 8)) & most_packed
                        if v == most_packed:  # it did not fit, and follows as a whole byte
                            if plain >= end:
                                return out, False
                            v = data[plain]
                            plain += 1
                        values[i] = v
                    at = plain
                for i in range(min(GROUP, elements - g * GROUP)):
                    v = values[i]
                    delta = (v >> 1) ^ (0xFF if v & 1 else 0)  # 0, -1, 1, -2, ... as 0, 1, 2, 3
                    value = (value + delta) & 0xFF
                    out[first + g * GROUP + i, k] = value
            last[k] = value
        first += elements
    return out, at == end
