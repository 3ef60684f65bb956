"""Pictures for notebooks: the only imports from the types up to ``plot``.

The module is imported by its name, so that no contract on imports needs an exception for it.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Figure


class Pictured:
    """A type that notebooks show as a picture or a table, where ``retime.plot`` knows one."""

    __slots__ = ()

    def _repr_html_(self) -> str | None:
        html: str | None = importlib.import_module("retime.plot.notebook").html_of(self)
        return html


def draw(kind: str, *arguments: Any, **options: Any) -> Figure:
    """Draw a figure by the function of ``retime.plot`` of a name."""
    plot = importlib.import_module("retime.plot")
    figure: Figure = getattr(plot, kind)(*arguments, **options)
    return figure
