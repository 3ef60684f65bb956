"""``retime guided``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from retime.cli.console import report, table
from retime.cli.options import (
    Also,
    DropRest,
    Exact,
    Fps,
    Hold,
    Input,
    Json,
    RecipeOut,
    RestFrame,
    RolesMap,
    Scale,
    SourceFps,
    Up,
    WarpOut,
    with_parameters,
)
from retime.cli.retiming import read_with_roles, retime_file
from retime.errors import InputError
from retime.methods.guided import GuidedParameters


def add_to(app: typer.Typer, name: str) -> None:
    """Add the command."""
    app.command(name)(guided)


@with_parameters(GuidedParameters)
def guided(
    source: Input,
    parameters: dict[str, Any],
    target: Annotated[
        Path | None, typer.Argument(metavar="OUT", help="Where to write the result.")
    ] = None,
    suggest: Annotated[
        bool, typer.Option("--suggest", help="Only list moments that are worth a keytime.")
    ] = False,
    smooth: Annotated[
        bool, typer.Option("--smooth", help="Average out the jitter of what plays faster.")
    ] = False,
    hold: Hold = False,
    fps: Fps = None,
    exact: Exact = False,
    also: Also = None,
    warp: WarpOut = None,
    recipe: RecipeOut = None,
    scale: Scale = None,
    up: Up = None,
    source_fps: SourceFps = None,
    rest_frame: RestFrame = "auto",
    drop_rest: DropRest = False,
    roles: RolesMap = None,
    as_json: Json = False,
) -> None:
    """Change a motion's length or feel, its natural timing kept or another's taken over.

    Examples
    --------
    retime guided jump.bvh out.bvh --duration 2

    retime guided jump.bvh out.bvh --duration 2 --keytime 0.8=1.4 --influence 0.5

    retime guided jump.bvh --suggest
    """
    from retime.io.warp_json import read_warp
    from retime.methods.guided import suggest_keytimes
    from retime.recipe import Step

    if suggest:
        options = {"scale": scale, "up": up, "rest_frame": rest_frame, "fps": source_fps}
        motion = read_with_roles(source, roles, **options)
        found = suggest_keytimes(motion)
        if as_json:
            listed = [{"time": s.time, "weight": s.weight} for s in found]
            report({"file": str(source), "suggestions": listed}, as_json=True, notes=motion.notes)
        elif found:
            table(
                [(f"{s.time:.3f}", f"{s.weight:.2f}") for s in found], header=("source s", "weight")
            )
        else:
            report({"suggestions": "none: nothing stands out"}, as_json=False)
        return
    if target is None:
        raise InputError("say where to write the result, or ask for --suggest")
    if parameters.get("reference_warp") is not None:
        parameters["reference_warp"] = read_warp(parameters["reference_warp"])
    steps = [Step("guided", parameters)]
    if smooth:
        steps.append(Step("smooth"))
    retime_file(
        steps,
        source,
        target,
        fps=fps,
        exact=exact,
        scale=scale,
        up=up,
        source_fps=source_fps,
        rest_frame=rest_frame,
        drop_rest=drop_rest,
        roles=roles,
        hold=hold,
        also=also,
        warp_file=warp,
        recipe_file=recipe,
        as_json=as_json,
    )
