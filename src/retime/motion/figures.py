"""Numbers about a result, computed when they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property


class Figures(Mapping[str, float]):
    """A mapping that is computed on first use: dragging a value does not wait for its cost."""

    def __init__(self, make: Callable[[], Mapping[str, float]]) -> None:
        self._make = make

    @cached_property
    def _values(self) -> Mapping[str, float]:
        return self._make()

    def __getitem__(self, name: str) -> float:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)
