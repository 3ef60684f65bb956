"""Cached features of a motion, so that dragging a keytime only repeats the search.

It is in the motion itself, not in a table of this module: most of it refers back to the motion,
and must go when that goes. Copies and pickles leave it behind.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, TypeVar

from retime.motion.motion import Motion

Made = TypeVar("Made")


def memory(motion: Motion, name: str) -> dict[Any, Any]:
    """Return what is remembered about a motion under a name; it is the caller's to fill."""
    drawers: dict[str, dict[Any, Any]] = motion.__dict__.setdefault("_memory", {})
    return drawers.setdefault(name, {})


def last(
    motion: Motion,
    name: str,
    key: Any,
    make: Callable[[], Made],
    *,
    same: Callable[[Any, Any], bool] = operator.eq,
) -> Made:
    """Return what was made last for a motion if it was for the same key; otherwise make it.

    ``name`` is what it is, ``key`` what it depends on beside the motion.
    """
    kept = memory(motion, name)
    if "key" not in kept or not same(kept["key"], key):
        made = make()
        kept |= {"key": key, "made": made}
    found: Made = kept["made"]
    return found
