"""Draw docs/pictures/guided-*.png: a walk at 75 %, a jump at 57 %, a jump paced by another.

Clips of a folder ``shared`` beside the project are used where they are; else the bundled motions.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import retime
from retime import Motion, TimeWarp, samples
from retime.evaluate import Evaluator, Job
from retime.methods.guided import guide
from retime.plot.strips import draw_strips
from retime.plot.style import FAINT, INK, ORIGINAL, RETIMED, canvas, plain, save
from retime.recipe import Recipe, Step

PICTURES = Path(__file__).with_name("pictures")
SHARED = Path(__file__).parents[2] / "shared"


def clip(name: str, other: Motion) -> Motion:
    """Read a recorded clip, or take another where it is not there."""
    for folder in ("mocap", "mocap-more"):
        path = SHARED / folder / f"{name}.bvh"
        if path.exists():
            return retime.read(path)
    return other


def draw_rates(motion: Motion, share: float, title: str, path: Path) -> None:
    """Draw the rates of uniform speed, the paper's formulation and the default over output time."""
    length = share * motion.duration
    start = motion.domain[0]
    paper = guide(motion, duration=length, formulation="paper")
    found = guide(motion, duration=length)
    cost = found.costs["uniform"]
    figure = canvas(7.0, 3.2)
    axes = figure.subplots()
    t = np.linspace(start, start + length, 600)
    axes.axhline(1 / share, color=FAINT, linewidth=1.5, linestyle="--", label="uniform speed")
    for name, one, colour in (
        (f"the paper's: cost {paper.costs['guided'] / cost:.2f}", paper, ORIGINAL),
        (f"default: cost {found.costs['guided'] / cost:.2f}", found, RETIMED),
    ):
        axes.plot(t, one.warp.rate(t), color=colour, linewidth=2, label=name)
    axes.set_title(title, color=INK, fontsize=10, loc="left")
    axes.set_xlabel("output time (s)", color=INK)
    axes.set_ylabel("rate (×)", color=INK)
    axes.set_ylim(bottom=0)
    axes.legend(frameon=False, fontsize=9)
    plain(axes)
    save(figure, path)


def draw_pace() -> None:
    """Draw a jump that another jump paces, above that other jump."""
    jump = clip("16_03", samples.jump())
    slow = retime.apply(jump, TimeWarp([0, 1.5 * jump.duration], [0, jump.duration]))
    other = clip("118_20", slow)
    recipe = Recipe([Step("guided", {"duration": "free", "reference": (other,)})])
    done = Evaluator().evaluate(Job(source=jump, recipe=recipe, exact=True))
    rows = {"clip": jump, "retimed by the reference": done.motion, "reference": other}
    draw_strips(rows, PICTURES / "guided-pace.png", poses=14)


def main() -> None:
    """Draw all pictures."""
    draw_rates(clip("02_01", samples.walk()), 0.75, "A walk at 75 %", PICTURES / "guided-walk.png")
    draw_rates(clip("16_06", samples.jump()), 0.57, "A jump at 57 %", PICTURES / "guided-jump.png")
    draw_pace()


if __name__ == "__main__":
    main()
