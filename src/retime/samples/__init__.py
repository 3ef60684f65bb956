"""Motions made by formula, with known truth: for the demo, the tour and the tests.

They ship with the package and need no file. Each function returns a :class:`retime.Motion`.
"""

from __future__ import annotations

from collections.abc import Callable

from retime.errors import InputError, did_you_mean
from retime.motion import Motion
from retime.samples.chain import chain
from retime.samples.jump import jump

__all__ = ["SAMPLES", "chain", "jump", "sample"]

SAMPLES: dict[str, Callable[[], Motion]] = {"chain": chain, "jump": jump}


def sample(name: str) -> Motion:
    """Make a bundled motion by its name."""
    try:
        return SAMPLES[name]()
    except KeyError:
        raise InputError(f"no bundled motion {name!r}{did_you_mean(name, SAMPLES)}") from None
