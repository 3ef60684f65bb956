"""Report progress only after a delay."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from retime.studio.workers import Said

# Nothing is said of what takes less than this, seconds.
_UNNOTICED = 0.12


class Patience:
    """Reports progress only after a delay, because a short drag does not need it."""

    def __init__(self, tell: Callable[[Said], None]) -> None:
        self._tell = tell
        self._last: Said | None = None
        self._over = False

    def __enter__(self) -> Patience:
        self._timer = asyncio.get_running_loop().call_later(_UNNOTICED, self._speak)
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()

    def hear(self, said: Said) -> None:
        """Receive progress from the worker."""
        self._last = said
        if self._over:
            self._tell(said)

    def _speak(self) -> None:
        self._over = True
        if self._last is not None:
            self._tell(self._last)
