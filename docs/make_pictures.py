"""Make the pictures of docs/pictures that commands of the pages draw, on bundled motions.

``python docs/make_pictures.py`` needs Chromium for the picture of a report.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import retime
from retime.cli import main as run
from retime.plot.physics import draw_physics, draw_regions

PICTURES = Path(__file__).with_name("pictures")
# Each line is a command of a page; the pictures that it writes have their names in docs/pictures.
COMMANDS = """
samples jump
samples walk
samples punches
samples punches-slow
contacts jump.bvh contacts.json --plot contacts.png
align punches.bvh punches-slow.bvh out.bvh --plot align.png
score punches.bvh punches-slow.bvh --plot score.png
guided walk.bvh out.bvh --duration 3 --hold --warp warp.json
report out.bvh out.html --source walk.bvh --warp warp.json
demo demo
"""
# Moments of the jump: standing, before take-off, in flight.
MOMENTS = (0.5, 1.27, 1.68)


def shoot(page: Path, picture: Path) -> None:
    """Take a picture of the top of a page."""
    from playwright.sync_api import sync_playwright

    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        window = opened.new_page(viewport={"width": 1000, "height": 1400})
        window.goto(page.as_uri())
        window.add_style_tag(content="::-webkit-scrollbar { display: none }")
        window.screenshot(path=picture)
        opened.close()


def main() -> None:
    """Run the commands in a temporary folder, and collect their pictures."""
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for line in COMMANDS.strip().splitlines():
            try:
                run(line.split())
            except SystemExit as e:
                if e.code:
                    raise
        shoot(Path("out.html").resolve(), PICTURES / "report.png")
        for name in ("contacts.png", "align.png", "score.png"):
            shutil.copy(name, PICTURES / name)
        shutil.copy("demo/strips.png", PICTURES / "jump.png")
        shutil.copy("demo/warp.png", PICTURES / "warp.png")
        os.chdir(PICTURES)
    model = retime.PhysicsModel(retime.samples.jump())
    warp = model.warp(duration=2.3)
    draw_regions(model, PICTURES / "regions.png", times=MOMENTS, warp=warp)
    draw_physics(model, warp, PICTURES / "physics.png")


if __name__ == "__main__":
    main()
