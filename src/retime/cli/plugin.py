"""Commands of methods that other packages add."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from retime.cli.command import Of
from retime.cli.options import Input, Output, Retiming, WarpOut
from retime.cli.retiming import retime_file
from retime.methods import method


def command_of(name: str) -> Callable[..., None]:
    """Return the command of a method: its parameters are options."""
    from retime.recipe import Step

    def run(
        source: Input,
        target: Output,
        *,
        parameters: dict[str, Any],
        warp: WarpOut = None,
        retiming: Retiming,
    ) -> None:
        retime_file([Step(name, parameters)], source, target, retiming, warp_file=warp)

    known = method(name)
    run.__annotations__["parameters"] = Annotated[dict[str, Any], Of(known.parameters)]
    run.__doc__ = known.summary
    return run
