"""The papers' figures and tables, made again by this code: ``make papers`` writes them to papers/.

Clips of a folder ``shared`` beside the project are used where they are; else the bundled motions.
"""

from __future__ import annotations

import csv
from functools import partial
from pathlib import Path

import numpy as np

import retime
from bench import live_figures, physics_figures, staggered_figures, surface_figures
from bench.guided import TABLE_1, paper_search, signal
from bench.timing import seconds
from retime import Motion, TimeWarp, samples
from retime.methods.guided import guide
from retime.methods.guided.paper import score_table
from retime.plot.strips import draw_strips
from retime.plot.warps import draw_warps

OUT = Path("papers")
MOCAP = Path(__file__).parents[2] / "shared" / "mocap"


def _jump() -> Motion:
    real = MOCAP / "16_06.bvh"
    return retime.read(real) if real.exists() else samples.jump()


def guided_table_1() -> None:
    """Parameters and running times of Table 1: the paper's and ours, seconds."""
    with (OUT / "guided-table-1.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        head = ("trial", "n", "m", "r", "s", "paper score + search", "score", "search")
        rows.writerow(head)
        for name, (n, m, r, steps, paper) in TABLE_1.items():
            x, z = signal(n, 1), signal(r, 2)
            table = score_table(x, [z], steps)
            scored = seconds(partial(score_table, x, [z], steps))
            searched = seconds(partial(paper_search, table, m))
            rows.writerow(
                (name, n, m or "free", r, steps, paper, f"{scored:.5f}", f"{searched:.5f}")
            )


def guided_figures() -> None:
    """Figure 1 (a jump shortened) and figure 5 (rates on a log scale) on a jump of ours."""
    jump = _jump()
    short = guide(jump, duration=0.57 * jump.duration, formulation="paper").warp
    end = short.duration
    uniform = TimeWarp([0, end], [0, jump.duration])
    strips = {
        "input": jump,
        "uniform speed": retime.apply(jump, uniform),
        "guided": retime.apply(jump, short),
    }
    draw_strips(strips, OUT / "guided-figure-1.png")
    longer = guide(jump, duration=1.5 * jump.duration, formulation="paper").warp
    draw_warps({"57 % of the length": short}, OUT / "guided-figure-5-shorter.png")
    draw_warps({"150 % of the length": longer}, OUT / "guided-figure-5-longer.png")
    with (OUT / "guided-figure-5.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(("warp", "output s", "source s", "rate"))
        for name, warp in (("shorter", short), ("longer", longer)):
            t = np.linspace(*warp.domain, 200)
            for line in zip(t, warp(t), warp.rate(t), strict=True):
                rows.writerow((name, *(f"{v:.5f}" for v in line)))


def main() -> None:
    OUT.mkdir(exist_ok=True)
    guided_figures()
    guided_table_1()
    live_figures.figures(OUT)
    physics_figures.figures(OUT)
    staggered_figures.figures(OUT)
    surface_figures.figures(OUT)
    print(f"the papers' figures and tables lie in {OUT.resolve()}")


if __name__ == "__main__":
    main()
