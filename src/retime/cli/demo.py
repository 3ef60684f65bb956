"""``retime demo``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from retime.cli.console import report
from retime.cli.options import Json


def add_to(app: typer.Typer, name: str) -> None:
    """Add the command."""
    app.command(name)(demo)


def demo(
    folder: Annotated[Path, typer.Argument(help="Where to put the results.")] = Path("demo"),
    as_json: Json = False,
) -> None:
    """Retime a bundled jump and write everything that comes of it: motions, warp, pictures.

    The idle time before and after is shortened; the flight keeps its speed.
    """
    from retime.io import write
    from retime.io.warp_json import write_warp
    from retime.plot.strips import draw_strips
    from retime.plot.warps import draw_warps
    from retime.recipe import Recipe, Step, write_recipe
    from retime.samples import jump

    folder.mkdir(parents=True, exist_ok=True)
    motion = jump()
    # From crouch to landing (0.8 to 2.2 s) everything keeps its length; the idle time gives way.
    keytimes = [(0.3, 0.8), (0.8, 1.3), (1.3, 1.8), (1.7, 2.2)]
    recipe = Recipe([Step("spline", {"duration": 2.1, "keytimes": keytimes})])
    warp = recipe.warp(motion)
    retimed = recipe.evaluate(motion)
    write(motion, folder / "jump.bvh")
    write(retimed, folder / "jump-retimed.bvh")
    write_warp(warp, folder / "warp.json")
    write_recipe(recipe, folder / "recipe.json")
    draw_warps({"retimed jump": warp}, folder / "warp.png")
    draw_strips({"jump": motion, "retimed": retimed}, folder / "strips.png")
    names = ["jump.bvh", "jump-retimed.bvh", "warp.json", "recipe.json", "warp.png", "strips.png"]
    fields = {
        "folder": str(folder.resolve()),
        "before_s": motion.duration,
        "after_s": retimed.duration,
        "files": names,
    }
    report(fields, as_json=as_json, notes=retimed.notes)
