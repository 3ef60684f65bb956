"""``retime demo``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import numpy as np

from retime.cli.console import report
from retime.cli.options import Json, word
from retime.errors import InputError

_NEXT = """\
  {retime} guided {folder}/jump.bvh short.bvh --duration 80%   (shorten it, or a clip of your own)
  {retime} check short.bvh --source {folder}/jump.bvh          (measure the quality of the result)
  {retime} --help                                           (list all commands)
For the studio in the browser: make studio in a clone, or pip install "retime[studio]"."""
_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>retime demo</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:64rem;margin:2rem auto;padding:0 1rem}
img{max-width:100%}</style></head><body>
<h1>retime demo</h1>
<h2>A jump in 2 seconds</h2>
<p>The standing is shorter, the flight keeps its speed
(<a href="jump.bvh">before</a>, <a href="jump-retimed.bvh">after</a>,
<a href="jump.glb">both as GLB</a>).</p>
<img src="strips.png" alt="Film strips of the jump before and after">
<img src="warp.png" alt="The warp: output time against source time, and playback speed">
<h2>A punch with a looser arm</h2>
<p>Each joint of the right arm follows the one above it a little later
(<a href="punch-loose.glb">GLB</a>).</p>
<img src="punch-loose.png" alt="A punch before and after at the same times: the fist is behind">
<h2>A punch that lands 0.2 s earlier</h2>
<p>The arm and the trunk move with the fist, the legs keep their timing
(<a href="punch-early.glb">GLB</a>).</p>
<img src="punch-early.png" alt="The punch before and after at the same times: the fist is ahead">
</body></html>
"""


def demo(
    folder: Annotated[Path, word("[FOLDER]", "Folder to write to.")] = Path("demo"),
    as_json: Json = False,
) -> None:
    """Retime sample motions, and write the results with their warps and pictures.

    A jump is shortened by guided time warping: the idle time is cut, the flight keeps its speed.
    The arm of a punch is loosened with staggered poses. Its strike is dragged earlier with a time
    control surface.
    """
    from retime.io import write
    from retime.io.warp_json import write_warp
    from retime.methods.staggered import PoseEdit
    from retime.methods.surface import SurfaceKey
    from retime.plot.overlays import draw_overlay
    from retime.plot.strips import draw_strips
    from retime.plot.warps import draw_warps
    from retime.recipe import Recipe, Step
    from retime.recipe.json import write_recipe
    from retime.samples import jump, punches
    from retime.timing import TimeWarp

    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file; give the name of a folder")
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
    write(retimed, folder / "jump.glb", original=motion)  # both, for any viewer

    boxer, strike = punches(), 1.47  # s, when the right arm is straight
    lag = PoseEdit("succession", {"joint": "right_upper_arm", "step": 0.05, "power": 1.2})
    loose = Recipe([Step("stagger", {"edits": [lag]})]).evaluate(boxer)
    key = SurfaceKey(time=strike, joint="right_hand", shift=-0.2)
    early = Recipe([Step("surface", {"keys": [key]})]).evaluate(boxer)
    for name, edited, begin in (("punch-loose", loose, 1.3), ("punch-early", early, 1.1)):
        write(edited, folder / f"{name}.glb", original=boxer)
        moments = np.linspace(begin, begin + 0.35, 6)
        draw_overlay(boxer, edited, moments, folder / f"{name}.png", joint="RightHand")
    names = [
        *("jump.bvh", "jump-retimed.bvh", "jump.glb", "warp.json", "recipe.json"),
        *("warp.png", "strips.png", "punch-loose.glb", "punch-loose.png"),
        *("punch-early.glb", "punch-early.png", "index.html"),
    ]
    page = folder / "index.html"
    page.write_text(_PAGE, encoding="utf-8")
    fields = {
        "page": page.resolve().as_uri(),
        "folder": str(folder.resolve()),
        "before_s": motion.duration,
        "after_s": retimed.duration,
        "files": names,
    }
    report(fields, as_json=as_json, notes=retimed.notes)
    if not as_json:
        print(f"\nTry next:\n{_NEXT.format(retime=sys.argv[0], folder=folder)}")
