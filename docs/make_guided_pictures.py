"""Draw docs/pictures/guided-*.png: a walk at 75 %, a jump at 57 %, punches paced by others.

Clips of a folder ``shared`` beside the project are used where they are; else the bundled motions.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import retime
from retime import Motion, samples
from retime.methods.guided import guide
from retime.plot.style import FAINT, INK, ORIGINAL, RETIMED, canvas, plain, save

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
    """Draw the rates that another part of a take gives slowed punches, and the right ones."""
    made = samples.sample("punches-slow")
    assert made.warp is not None
    assert made.reference is not None
    start, end = made.motion.domain
    length = made.warp.source[-1] - made.warp.source[0]
    found = guide(made.motion, duration=length, reference=made.reference).warp
    figure = canvas(7.0, 3.2)
    axes = figure.subplots()
    t = np.linspace(start, end, 600)[1:-1]
    rate = (end - start) / length
    axes.axhline(rate, color=FAINT, linewidth=1.5, linestyle="--", label="uniform speed")
    for label, rates, colour in (
        ("right: the recorded speed", 1 / made.warp.rate(t), ORIGINAL),
        ("by another part of the take", found.rate(found.inverse(t)), RETIMED),
    ):
        axes.plot(t, rates, color=colour, linewidth=2, label=label)
    axes.set_title("Slowed punches, and what undoes it", color=INK, fontsize=10, loc="left")
    axes.set_xlabel("source time (s)", color=INK)
    axes.set_ylabel("rate (×)", color=INK)
    axes.set_ylim(bottom=0)
    axes.legend(frameon=False, fontsize=9)
    plain(axes)
    save(figure, PICTURES / "guided-pace.png")


def main() -> None:
    """Draw all pictures."""
    draw_rates(clip("02_01", samples.walk()), 0.75, "A walk at 75 %", PICTURES / "guided-walk.png")
    draw_rates(clip("16_06", samples.jump()), 0.57, "A jump at 57 %", PICTURES / "guided-jump.png")
    draw_pace()


if __name__ == "__main__":
    main()
