"""``retime apply``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from retime.cli.command import Of
from retime.cli.options import Input, Output, Retiming
from retime.cli.retiming import retime_file
from retime.errors import InputError
from retime.methods.spline import SplineParameters
from retime.parameters import About


def apply(
    source: Input,
    target: Output,
    *,
    warp: Annotated[Sequence[Path], About("Warp to apply, first to last.")] = (),
    parameters: Annotated[dict[str, Any], Of(SplineParameters)],
    retiming: Retiming,
) -> None:
    """Retime a motion with a warp file, or with a smooth curve through keytimes.

    Examples
    --------
    retime apply jump.bvh out.bvh --warp slow.json

    retime apply jump.bvh out.bvh --duration 2 --keytime 0.8=1.1
    """
    from retime.io.warp_json import read_warp
    from retime.recipe import Step

    common = {n: parameters.pop(n) for n in ("range", "ripple", "loop") if n in parameters}
    if warp and parameters:
        raise InputError("give a warp, or a duration and keytimes, not both")
    if not warp and not parameters:
        raise InputError("give --warp FILE, --duration or --keytime")
    if warp:
        steps = [Step("warp", {"warp": read_warp(w), **common}) for w in warp]
    else:
        steps = [Step("spline", {**parameters, **common})]
    retime_file(steps, source, target, retiming)
