"""``retime run``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from retime.cli.options import (
    Also,
    DropRest,
    Exact,
    Fps,
    Hold,
    Input,
    Json,
    Output,
    RestFrame,
    RolesMap,
    Scale,
    SourceFps,
    Up,
    WarpOut,
    must_differ,
)
from retime.cli.retiming import retime_file


def add_to(app: typer.Typer, name: str) -> None:
    """Add the command."""
    app.command(name)(run)


def run(
    recipe: Annotated[Path, typer.Argument(metavar="RECIPE", help="The recipe file.")],
    source: Input,
    target: Output,
    warp: WarpOut = None,
    fps: Fps = None,
    exact: Exact = False,
    also: Also = None,
    scale: Scale = None,
    up: Up = None,
    source_fps: SourceFps = None,
    rest_frame: RestFrame = "auto",
    drop_rest: DropRest = False,
    roles: RolesMap = None,
    hold: Hold = False,
    as_json: Json = False,
) -> None:
    """Apply a recipe to a motion: all of its steps, with a single resampling.

    Example: retime run recipe.json jump.bvh out.bvh
    """
    from retime.recipe import read_recipe

    plan = read_recipe(recipe)
    for written in (target, warp):
        if written is not None:
            must_differ(recipe, written)
    retime_file(
        list(plan.steps),
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
        recipe_file=None,
        as_json=as_json,
        made_for=plan.input,
    )
