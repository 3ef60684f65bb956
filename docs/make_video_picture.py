"""Draw docs/pictures/video.png: footage of the bundled jump, its warp, and the footage retimed.

The footage is made here: the jump as a stick figure, filmed at 30 fps. Everything after that is
what `retime video` does.
"""

from __future__ import annotations

import tempfile
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.patches import ConnectionPatch

import retime
from retime.media.video import retime_video
from retime.plot.style import INK, ORIGINAL, RETIMED, canvas, plain, save

FPS, SIDE, SHOWN = 30, 160, 9
PICTURE = Path(__file__).with_name("pictures") / "video.png"


def film(path: Path, motion: retime.Motion) -> None:
    """Film a motion from the side."""
    figure = canvas(SIDE / 80, SIDE / 80)
    figure.set_layout_engine("none")
    axes = figure.add_axes((0, 0, 1, 1))
    screen = FigureCanvasAgg(figure)
    points = retime.positions(motion)
    parents = motion.skeleton.parents
    across = int(np.ptp(points[..., 2]) > np.ptp(points[..., 0])) * 2
    middle = points[..., across].mean()
    with av.open(str(path), "w") as out:
        stream = out.add_stream("libx264", rate=FPS)
        stream.width = stream.height = SIDE
        stream.pix_fmt = "yuv420p"
        for k, t in enumerate(np.arange(motion.domain[0], motion.domain[1] + 1e-9, 1 / FPS)):
            pose = points[round((t - motion.domain[0]) * motion.rate)]
            axes.clear()
            axes.set_axis_off()
            axes.set_xlim(middle - 1.2, middle + 1.2)
            axes.set_ylim(-0.1, 2.3)
            axes.axhline(0, color="#c9ced6", linewidth=3)
            for joint, parent in enumerate(parents):
                if parent >= 0:
                    ends = pose[[joint, parent]]
                    axes.plot(ends[:, across], ends[:, 1], color=INK, linewidth=2.5)
            screen.draw()
            picture = np.ascontiguousarray(np.asarray(screen.buffer_rgba())[..., :3])
            frame = av.VideoFrame.from_ndarray(picture, format="rgb24")
            frame.pts, frame.time_base = k, Fraction(1, FPS)
            out.mux(stream.encode(frame))
        out.mux(stream.encode(None))


def pictures(path: Path) -> list[Any]:
    """Read the frames of a video."""
    with av.open(str(path)) as container:
        return [frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)]


def draw(before: list[Any], after: list[Any], warp: retime.TimeWarp) -> None:
    """Draw frames above and below their warp."""
    figure = canvas(10, 5.2)
    rows = figure.subplots(3, 1, height_ratios=(1, 1.6, 1))
    spans = (len(before) - 1) / FPS, (len(after) - 1) / FPS
    longest = max(spans)
    for axes, frames, colour, name in (
        (rows[0], before, ORIGINAL, "footage"),
        (rows[2], after, RETIMED, "retimed"),
    ):
        axes.set_xlim(-longest / SHOWN / 2, longest * (1 + 0.5 / SHOWN))
        axes.set_ylim(0, 1)
        axes.set_yticks([])
        axes.set_ylabel(name, color=colour)
        for side in ("top", "right", "left"):
            axes.spines[side].set_visible(False)
        axes.tick_params(labelsize=8)
        width = longest / SHOWN * 0.96
        for at in np.arange(0, (len(frames) - 1) / FPS + 1e-9, longest / (SHOWN - 1)):
            picture = frames[round(at * FPS)]
            axes.imshow(picture, extent=(at - width / 2, at + width / 2, 0.02, 0.98), aspect="auto")
        axes.set_xlim(-longest / SHOWN / 2, longest * (1 + 0.5 / SHOWN))
    curve = rows[1]
    plain(curve)
    t = np.linspace(*warp.domain, 400)
    curve.plot(t, t, "--", color="#c9ced6", linewidth=1.5)
    curve.plot(t, warp(t), color=RETIMED, linewidth=2)
    curve.set_xlim(rows[0].get_xlim())
    curve.set_ylabel("footage (s)", color=INK)
    rows[2].set_xlabel("seconds", color=INK)
    # The same picture above and below.
    for at in np.linspace(0.1, 0.9, 5) * spans[1]:
        curve.plot([at], [warp(at)], "o", color=INK, markersize=4)
        for axes, x, y in ((rows[0], float(warp(at)), 0.0), (rows[2], at, 1.0)):
            line = ConnectionPatch(
                (x, y), (at, float(warp(at))), axes.transData, curve.transData,
                color="#8a93a0", linewidth=0.9, linestyle=":",
            )  # fmt: skip
            figure.add_artist(line)
    save(figure, PICTURE)


def main() -> None:
    """Film, retime, draw."""
    motion = retime.samples.jump()
    warp = retime.guided(motion, duration=2.0).warp
    with tempfile.TemporaryDirectory() as folder:
        source, result = Path(folder) / "take.mp4", Path(folder) / "out.mp4"
        film(source, motion)
        retime_video(source, result, warp)
        draw(pictures(source), pictures(result), warp)
    print(f"wrote {PICTURE.name}")


if __name__ == "__main__":
    main()
