"""
A folder of clips
=================

Run one recipe over a folder and measure every result. For thousands of clips, with workers, gates
and a report, use ``retime batch``.
"""

from pathlib import Path
from tempfile import mkdtemp

import retime
from retime.body.measure.metrics import measure

folder = Path(mkdtemp())
for name in ("jump", "walk", "run"):
    retime.write(retime.samples.sample(name).motion, folder / f"{name}.bvh")

recipe = retime.Recipe([retime.Step("guided", {"duration": "80%"})])
results = {}
for path in sorted(folder.glob("*.bvh")):
    results[path.stem] = recipe.evaluate(retime.read(path))
    found = measure(results[path.stem], source=retime.read(path))
    print(f"{path.stem}: {results[path.stem].duration:.2f} s, skate {found['foot_skate']:.3f} m/s")

figure = retime.plot.strip(results, poses=10)
