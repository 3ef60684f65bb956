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

    It is guided by its own timing: the idle time gives way, the flight keeps its speed.
    """
    from retime.io import write
    from retime.io.warp_json import write_warp
    from retime.plot.strips import draw_strips
    from retime.plot.warps import draw_warps
    from retime.recipe import Recipe, Step, write_recipe
    from retime.samples import jump
    from retime.warp import TimeWarp

    folder.mkdir(parents=True, exist_ok=True)
    motion = jump()
    recipe = Recipe([Step("guided", {"duration": 2.0}), Step("hold")])
    warp = recipe.warp(motion)
    retimed = recipe.evaluate(motion)
    write(motion, folder / "jump.bvh")
    write(retimed, folder / "jump-retimed.bvh")
    write_warp(warp, folder / "warp.json")
    write_recipe(recipe, folder / "recipe.json")
    uniform = TimeWarp([0, warp.duration], [0, motion.duration])
    draw_warps({"guided": warp, "uniform speed": uniform}, folder / "warp.png")
    draw_strips({"jump": motion, "retimed": retimed}, folder / "strips.png")
    names = ["jump.bvh", "jump-retimed.bvh", "warp.json", "recipe.json", "warp.png", "strips.png"]
    fields = {
        "folder": str(folder.resolve()),
        "before_s": motion.duration,
        "after_s": retimed.duration,
        "files": names,
    }
    report(fields, as_json=as_json, notes=retimed.notes)
