"""Make docs/pictures/jump.gif: a jump as recorded, at uniform speed, and retimed."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import numpy as np
from PIL import Image

import retime
from retime.plot.strips import StripRow
from retime.plot.style import INK, ORIGINAL, RETIMED, SERIES, canvas

PICTURE = Path(__file__).with_name("pictures") / "jump.gif"
FPS, SECONDS, PAUSE = 20, 2.0, 0.6


def main() -> None:
    """Draw and save."""
    jump = retime.samples.jump()
    even = retime.apply(jump, retime.TimeWarp([0, SECONDS], list(jump.domain)))
    guided = retime.apply(jump, retime.guided(jump, duration=SECONDS).warp)
    shown = {
        f"recorded, {jump.duration:.2f} s": (jump, ORIGINAL),
        f"uniform speed, {SECONDS:g} s": (even, SERIES[2]),
        f"retime guided, {SECONDS:g} s": (guided, RETIMED),
    }
    times = np.arange(0, jump.duration + PAUSE, 1 / FPS)
    rows = {
        name: (StripRow.of(motion, 1.0, np.clip(times, *motion.domain)), colour)
        for name, (motion, colour) in shown.items()
    }
    frames = [_frame(rows, k) for k in range(len(times))]
    palette = frames[len(frames) // 2].quantize(48)
    frames = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    frames[0].save(
        PICTURE,
        save_all=True,
        append_images=frames[1:],
        duration=1000 // FPS,
        loop=0,
        optimize=True,
    )
    print(f"{PICTURE.name}: {PICTURE.stat().st_size / 1e3:.0f} kB")


def _frame(rows: dict[str, tuple[StripRow, str]], k: int) -> Image.Image:
    figure = canvas(7.2, 2.9)
    figure.set_layout_engine("none")
    axes = figure.add_axes((0.0, 0.0, 1.0, 0.9))
    axes.set_xlim(-1.6, 7.6)
    axes.set_ylim(-0.1, 1.75)
    for lane, (name, (row, colour)) in enumerate(rows.items()):
        one = replace(row, times=np.array([3.0 * lane]), flat=row.flat[k : k + 1])
        one.draw(axes, 1.0, colour)
        axes.text(3.0 * lane, 1.72, name, ha="center", color=INK, fontsize=10)
    axes.set_xticks([])
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=80)
    return Image.open(buffer).convert("RGB")


if __name__ == "__main__":
    main()
