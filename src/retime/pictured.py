"""Pictures of the data types in notebooks.

``retime.plot`` is imported by name, because the import contracts put it above the data types.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Figure


class Pictured:
    """A type that notebooks show as a picture or a table, if ``retime.plot`` has one for it."""

    __slots__ = ()

    def _repr_html_(self) -> str | None:
        html: str | None = importlib.import_module("retime.plot.notebook").html_of(self)
        return html


def draw(kind: str, *arguments: Any, **options: Any) -> Figure:
    """Draw a figure by the name of a function of ``retime.plot``."""
    plot = importlib.import_module("retime.plot")
    figure: Figure = getattr(plot, kind)(*arguments, **options)
    return figure
