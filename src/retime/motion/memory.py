"""Cache features of a motion, so that dragging a keytime only repeats the search.

The cache is an attribute of the motion, because most features refer to the motion and must be freed
with it. It is not copied or pickled.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, TypeVar

from retime.motion.motion import Motion

Made = TypeVar("Made")


def memory(motion: Motion, name: str) -> dict[Any, Any]:
    """Return the cache of a motion under a name, for the caller to fill."""
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
    """Return the last value of a name if it has the same key; otherwise make and cache it.

    ``key`` is everything that the value depends on, besides the motion.
    """
    kept = memory(motion, name)
    if "key" not in kept or not same(kept["key"], key):
        made = make()
        kept |= {"key": key, "made": made}
    found: Made = kept["made"]
    return found
