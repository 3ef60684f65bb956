"""Damaged files: the same seed gives the same ones."""

from __future__ import annotations

import os
from collections.abc import Iterator

import numpy as np

# How many, in `make test` and in `make stress`.
ROUNDS = 20_000 if os.environ.get("RETIME_STRESS") else 300


def mutants(data: bytes, *, seed: int, head: int | None = None) -> Iterator[bytes]:
    """Damage a file: bytes changed, cut out, put in, repeated, cut off.

    Most of the damage lies in the first ``head`` bytes, where there is more to say.
    """
    draw = np.random.default_rng(seed)
    for _ in range(ROUNDS):
        changed = bytearray(data)
        for _ in range(int(draw.choice([1, 1, 2, 4, 12]))):
            near = head is not None and draw.random() < 0.8
            reach = min(head, len(changed)) if head is not None and near else len(changed)
            at = int(draw.integers(max(reach, 1)))
            kind, length = draw.random(), int(draw.integers(1, 40))
            if kind < 0.6 and changed:
                changed[at % len(changed)] = int(draw.integers(256))
            elif kind < 0.75:
                del changed[at : at + length]
            elif kind < 0.85:
                changed[at:at] = draw.bytes(length)
            elif kind < 0.95:
                changed[at:at] = changed[at : at + length]
            else:
                del changed[at:]
        yield bytes(changed)
