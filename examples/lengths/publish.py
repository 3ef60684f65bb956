"""Write the page and what it loads into a folder, such as the documentation's.

The folder works from any web server: `python publish.py FOLDER`, then `python -m http.server`.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import retime

# Source times at which a fist is farthest out.
HITS = {"jab": 0.667, "cross": 1.467, "hook": 2.167, "cross again": 2.517, "last": 3.367}
HERE = Path(__file__).parent
RUNTIME = HERE.parents[1] / "runtimes" / "three" / "lengths" / "lengths.mjs"
THREE = "node_modules/three"
PARTS = (
    "index.html", "page.css", "page.mjs",
    f"{THREE}/LICENSE", f"{THREE}/build/three.module.js", f"{THREE}/build/three.core.js",
    f"{THREE}/examples/jsm/loaders/GLTFLoader.js", f"{THREE}/examples/jsm/utils",
)  # fmt: skip


def publish(folder: Path) -> None:
    """Write the page; three.js must be installed here (npm ci)."""
    for part in PARTS:
        target = folder / part
        target.parent.mkdir(parents=True, exist_ok=True)
        if (HERE / part).is_dir():
            shutil.copytree(HERE / part, target, dirs_exist_ok=True)
        else:
            shutil.copy(HERE / part, target)
    shutil.copy(RUNTIME, folder)
    punches = retime.samples.punches()
    retime.write(punches, folder / "punches.glb")
    table = retime.lengths(punches, moments=HITS, pins={"hook": "50%"})
    retime.write_lengths(table, folder / "punches.lengths.json")


if __name__ == "__main__":
    publish(Path(sys.argv[1]))
