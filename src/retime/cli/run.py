"""``retime run``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from retime.cli.options import Input, Output, Retiming, WarpOut, must_differ, word
from retime.cli.retiming import retime_file
from retime.errors import InputError


def run(
    recipe_file: Annotated[Path, word("RECIPE", "Recipe file.")],
    source: Input,
    target: Output,
    *,
    warp: WarpOut = None,
    retiming: Retiming,
) -> None:
    """Apply all steps of a recipe to a motion, and resample it once.

    Example: retime run recipe.json jump.bvh out.bvh
    """
    from retime.recipe.json import read_recipe

    if source.suffix.lower() == ".json" and recipe_file.suffix.lower() != ".json":
        raise InputError(
            f"{recipe_file} is given as the recipe and {source} as the motion; the recipe comes "
            "first: retime run RECIPE IN OUT"
        )
    plan = read_recipe(recipe_file)
    for written in (target, warp, retiming.recipe):
        if written is not None:
            must_differ(recipe_file, written)
    retime_file(list(plan.steps), source, target, retiming, warp_file=warp, read=plan)
