"""``retime guided``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from retime.cli.command import Of
from retime.cli.console import report, table
from retime.cli.options import Input, MaybeOutput, Retiming, WarpOut
from retime.cli.retiming import retime_file
from retime.errors import InputError
from retime.methods.guided import GuidedParameters
from retime.parameters import About


def guided(
    source: Input,
    target: MaybeOutput = None,
    *,
    suggest: Annotated[bool, About("List useful source times for keytimes and exit.")] = False,
    smooth: Annotated[bool, About("Average frames where the result plays faster.")] = False,
    warp: WarpOut = None,
    parameters: Annotated[dict[str, Any], Of(GuidedParameters)],
    retiming: Retiming,
) -> None:
    """Change the length of a motion where it matters least, or copy the timing of a reference.

    Examples
    --------
    retime guided jump.bvh out.bvh --duration 2

    retime guided jump.bvh out.bvh --duration 2 --keytime 0.8=1.4 --influence 0.5

    retime guided jump.bvh --suggest
    """
    from retime.io.warp_json import read_warp
    from retime.recipe import Step

    if suggest:
        _list_suggestions(source, retiming)
        return
    if target is None:
        raise InputError("give an output file, or --suggest")
    if parameters.get("reference_warp") is not None:
        parameters["reference_warp"] = read_warp(parameters["reference_warp"])
    steps = [Step("guided", parameters)]
    if smooth:
        steps.append(Step("smooth"))
    retime_file(steps, source, target, retiming, warp_file=warp)


def _list_suggestions(source: Path, retiming: Retiming) -> None:
    from retime.methods.guided import suggest_keytimes

    motion = retiming.read(source)
    found = suggest_keytimes(motion)
    if retiming.as_json:
        listed = [{"time": s.time, "weight": s.weight} for s in found]
        report({"file": source, "suggestions": listed}, as_json=True, notes=motion.notes)
    elif found:
        rows = [(f"{s.time:.3f}", f"{s.weight:.2f}") for s in found]
        table(rows, header=("source s", "weight"))
    else:
        report({"suggestions": "none: nothing stands out"}, as_json=False)
